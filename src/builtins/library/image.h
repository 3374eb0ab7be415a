/* Images as kernels see them: `oxicl_protocol::ImageDescriptor`, its formats, and the bits of samplers. */
#pragma once
#include "common.h"
#include "srgb.h"

typedef float f4 __attribute__((vector_size(16)));
typedef i32 i4 __attribute__((vector_size(16)));
typedef u32 u4 __attribute__((vector_size(16)));
typedef u32 u2 __attribute__((vector_size(8)));

typedef struct {
    u64 base, row_pitch, slice_pitch;
    i32 width, height, depth, layers;
    u32 order, data_type, texel_bytes, levels;
} descriptor;

/* Descriptors do not change while a kernel runs, so they are constant memory. Texels are global memory. */
typedef const __attribute__((address_space(2))) descriptor *image;
#define TEXELS __attribute__((address_space(1), may_alias, aligned(1)))
typedef TEXELS unsigned char texel_u8;
typedef TEXELS unsigned short texel_u16;
typedef TEXELS u32 texel_u32;
typedef TEXELS u64 texel_u64;
typedef TEXELS u2 texel_u2;
typedef TEXELS u4 texel_u4;

/* What images of a kind have beside a width. */
#define ROWS 1
#define SLICES 2
#define LAYERS 4

/* Bits of a sampler. */
#define ADDRESSING 15
#define CLAMP 2
#define REPEAT 3
#define MIRRORED_REPEAT 4
#define NORMALIZED 16
#define LINEAR 32
#define MIP_LINEAR 64

/* cl_channel_order */
enum {
    R = 0x10B0,
    A,
    RG,
    RA,
    RGB,
    RGBA,
    BGRA,
    ARGB,
    INTENSITY,
    LUMINANCE,
    RX,
    RGX,
    RGBX,
    DEPTH,
    DEPTH_STENCIL,
    SRGB,
    SRGBX,
    SRGBA,
    SBGRA,
    ABGR
};

/* cl_channel_type */
enum {
    SNORM_INT8 = 0x10D0,
    SNORM_INT16,
    UNORM_INT8,
    UNORM_INT16,
    UNORM_SHORT_565,
    UNORM_SHORT_555,
    UNORM_INT_101010,
    SIGNED_INT8,
    SIGNED_INT16,
    SIGNED_INT32,
    UNSIGNED_INT8,
    UNSIGNED_INT16,
    UNSIGNED_INT32,
    HALF_FLOAT,
    FLOAT,
    UNORM_INT24,
    UNORM_INT_101010_2,
    UNORM_INT_2_101010 = 0x10E5
};

HELPER f4 splat_f4(float x) { return (f4){x, x, x, x}; }
HELPER u4 splat_u4(u32 x) { return (u4){x, x, x, x}; }
HELPER f4 select_f4(int condition, f4 a, f4 b) { return condition ? a : b; }

/* The bytes of a texel of one word in the order of memory. */
HELPER u4 bytes_of(u4 raw) { return ((u4){raw[0], raw[0], raw[0], raw[0]} >> (u4){0, 8, 16, 24}) & splat_u4(0xff); }
HELPER f4 to_f4(u4 x) { return __builtin_convertvector((i4)x, f4); }

typedef _Float16 h4 __attribute__((vector_size(8)));
typedef unsigned short s4 __attribute__((vector_size(8)));
HELPER f4 halves_to_f4(u4 bits) { return __builtin_convertvector((h4)__builtin_convertvector(bits, s4), f4); }
HELPER u4 halves_from_f4(f4 x) { return __builtin_convertvector((s4)__builtin_convertvector(x, h4), u4); }
