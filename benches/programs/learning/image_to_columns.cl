// Unrolls 3 x 3 windows of an image of several channels to columns, with padding and stride two; the third dimension of
// the range is the channel.
//! kernel im2col
//! global 56 56 64
//! arg im: buffer float 802816 random -1 1
//! arg col: buffer float 1806336 zero
//! arg h: int 112
//! arg w: int 112
//! arg pad: int 1
//! arg stride: int 2

#define KH 3
#define KW 3

kernel void im2col(global const float *im, global float *col, int h, int w, int pad, int stride)
{
    int ox = get_global_id(0), oy = get_global_id(1), c = get_global_id(2);
    int ow = get_global_size(0), oh = get_global_size(1);
    int ix = ox * stride - pad, iy = oy * stride - pad;

    global const float *src = im + (c * h + iy) * w + ix;
    global float *dst = col + (c * KH * KW * oh + oy) * ow + ox;
    for (int i = 0; i < KH; ++i) {
        for (int j = 0; j < KW; ++j) {
            int y = iy + i, x = ix + j;
            *dst = (y >= 0 && x >= 0 && y < h && x < w) ? src[i * w + j] : 0.0f;
            dst += oh * ow;
        }
    }
}
