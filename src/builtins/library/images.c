/* The functions of images as one translation unit. Only kernels with images read its bitcode. */
#include "image.c"
