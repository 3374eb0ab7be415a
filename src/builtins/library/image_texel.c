/* Between the bytes of a texel and four numbers. What a format is, the descriptor says: it is the same for all work-items, so that these
 * switches are branches that all lanes take alike. */
#include "image.h"

/* The bytes at an address as words; those that a texel does not have are zero. */
HELPER u4 load_texel(image im, u64 at)
{
    switch (im->texel_bytes) {
    case 1:
        return (u4){*(const texel_u8 *)at, 0, 0, 0};
    case 2:
        return (u4){*(const texel_u16 *)at, 0, 0, 0};
    case 4:
        return (u4){*(const texel_u32 *)at, 0, 0, 0};
    case 8:
        return (u4){*(const texel_u32 *)at, *(const texel_u32 *)(at + 4), 0, 0};
    case 16:
        return (u4){*(const texel_u32 *)at, *(const texel_u32 *)(at + 4), *(const texel_u32 *)(at + 8),
                    *(const texel_u32 *)(at + 12)};
    default:
        return (u4){0, 0, 0, 0};
    }
}

HELPER void store_texel(image im, u64 at, u4 raw)
{
    switch (im->texel_bytes) {
    case 1:
        *(texel_u8 *)at = (unsigned char)raw[0];
        break;
    case 2:
        *(texel_u16 *)at = (unsigned short)raw[0];
        break;
    case 16:
        *(texel_u32 *)(at + 12) = raw[3];
        *(texel_u32 *)(at + 8) = raw[2];
        __attribute__((fallthrough));
    case 8:
        *(texel_u32 *)(at + 4) = raw[1];
        __attribute__((fallthrough));
    case 4:
        *(texel_u32 *)at = raw[0];
        break;
    }
}

/* Channels in the order of memory as red, green, blue, alpha. The words are numbers of any type; `one` is 1 in that type. */
HELPER u4 in_order(u32 order, u4 c, u32 one)
{
    switch (order) {
    case RGBA:
    case SRGBA:
        return c;
    case BGRA:
    case SBGRA:
        return (u4){c[2], c[1], c[0], c[3]};
    case ARGB:
        return (u4){c[1], c[2], c[3], c[0]};
    case ABGR:
        return (u4){c[3], c[2], c[1], c[0]};
    case RGB:
        return (u4){c[0], c[1], c[2], one};
    case RG:
        return (u4){c[0], c[1], 0, one};
    case RA:
        return (u4){c[0], 0, 0, c[1]};
    case A:
        return (u4){0, 0, 0, c[0]};
    case INTENSITY:
        return (u4){c[0], c[0], c[0], c[0]};
    case LUMINANCE:
        return (u4){c[0], c[0], c[0], one};
    default:
        return (u4){c[0], 0, 0, one};
    }
}

/* The reverse; what is not stored is zero. */
HELPER u4 in_memory(u32 order, u4 c)
{
    switch (order) {
    case RGBA:
    case SRGBA:
        return c;
    case BGRA:
    case SBGRA:
        return (u4){c[2], c[1], c[0], c[3]};
    case ARGB:
        return (u4){c[3], c[0], c[1], c[2]};
    case ABGR:
        return (u4){c[3], c[2], c[1], c[0]};
    case RGB:
        return (u4){c[0], c[1], c[2], 0};
    case RG:
        return (u4){c[0], c[1], 0, 0};
    case RA:
        return (u4){c[0], c[3], 0, 0};
    case A:
        return (u4){c[3], 0, 0, 0};
    default:
        return (u4){c[0], 0, 0, 0};
    }
}

HELPER int is_srgb(u32 order) { return order == SRGBA || order == SBGRA; }

HELPER f4 at_least_minus_one(f4 x)
{
    return (f4){x[0] < -1.0f ? -1.0f : x[0], x[1] < -1.0f ? -1.0f : x[1], x[2] < -1.0f ? -1.0f : x[2],
                x[3] < -1.0f ? -1.0f : x[3]};
}

/* Fields of a word as numbers from 0 to 1: products with what is nearest to the inverse of the largest, by which that is 1. */
HELPER f4 fields(u4 c, float x, float y, float z, float w) { return to_f4(c) * (f4){1 / x, 1 / y, 1 / z, 1 / w}; }

/* A texel of a format of normalised or floating-point numbers. */
HELPER f4 decode_f32(image im, u4 raw)
{
    u32 w = raw[0], order = im->order;
    f4 c;
    switch (im->data_type) {
    case UNORM_INT8:
        c = to_f4(bytes_of(raw)) * splat_f4(1 / 255.0f);
        if (is_srgb(order)) {
            u4 b = bytes_of(raw);
            c = (f4){srgb_linear[b[0]], srgb_linear[b[1]], srgb_linear[b[2]], c[3]};
        }
        break;
    case SNORM_INT8:
        c = at_least_minus_one(to_f4((u4)signed_bytes_of(raw)) * splat_f4(1 / 127.0f));
        break;
    case UNORM_INT16:
        c = to_f4(halves_of(raw)) * splat_f4(1 / 65535.0f);
        break;
    case SNORM_INT16:
        c = at_least_minus_one(to_f4((u4)signed_halves_of(raw)) * splat_f4(1 / 32767.0f));
        break;
    case HALF_FLOAT: {
        u4 h = halves_of(raw);
        c = (f4){half_to_f32(h[0]), half_to_f32(h[1]), half_to_f32(h[2]), half_to_f32(h[3])};
        break;
    }
    case UNORM_SHORT_565:
        c = fields((u4){w >> 11 & 31, w >> 5 & 63, w & 31, 0}, 31, 63, 31, 1);
        break;
    case UNORM_SHORT_555:
        c = fields((u4){w >> 10 & 31, w >> 5 & 31, w & 31, 0}, 31, 31, 31, 1);
        break;
    case UNORM_INT_101010:
        c = fields((u4){w >> 20 & 1023, w >> 10 & 1023, w & 1023, 0}, 1023, 1023, 1023, 1);
        break;
    case UNORM_INT_101010_2:
        return fields((u4){w >> 22, w >> 12 & 1023, w >> 2 & 1023, w & 3}, 1023, 1023, 1023, 3);
    case UNORM_INT_2_101010:
        return fields((u4){w & 1023, w >> 10 & 1023, w >> 20 & 1023, w >> 30}, 1023, 1023, 1023, 3);
    default:
        c = (f4)raw;
        break;
    }
    return (f4)in_order(order, (u4)c, 0x3f800000);
}

/* One of a format of integers. */
HELPER u4 decode_i32(image im, u4 raw)
{
    u4 c;
    switch (im->data_type) {
    case SIGNED_INT8:
        c = (u4)signed_bytes_of(raw);
        break;
    case SIGNED_INT16:
        c = (u4)signed_halves_of(raw);
        break;
    case UNSIGNED_INT8:
        c = bytes_of(raw);
        break;
    case UNSIGNED_INT16:
        c = halves_of(raw);
        break;
    default:
        c = raw;
        break;
    }
    return in_order(im->order, c, 1);
}

/* x scaled, clamped and rounded to the nearest even integer. What is no number is 0. */
HELPER u32 scaled(float x, float scale, float least)
{
    x *= scale;
    x = x == x ? x : 0.0f;
    x = x > least ? x : least;
    x = x < scale ? x : scale;
    return (u32)(i32)__builtin_rintf(x);
}

/* The byte whose linear value is nearest along the curve: the last whose threshold is not above x. */
HELPER u32 to_srgb(float x)
{
    u32 byte = 0;
    for (u32 bit = 128; bit; bit >>= 1)
        byte |= x >= srgb_thresholds[byte | bit] ? bit : 0;
    return byte;
}

/* The largest integer of each channel of a normalised type, as memory has them or, of packed types, of red, green, blue, alpha. */
HELPER f4 largest(u32 data_type)
{
    switch (data_type) {
    case UNORM_INT8:
        return splat_f4(255);
    case SNORM_INT8:
        return splat_f4(127);
    case UNORM_INT16:
        return splat_f4(65535);
    case SNORM_INT16:
        return splat_f4(32767);
    case UNORM_SHORT_565:
        return (f4){31, 63, 31, 1};
    case UNORM_SHORT_555:
        return (f4){31, 31, 31, 1};
    default:
        return (f4){1023, 1023, 1023, 3};
    }
}

HELPER u4 encode_f32(image im, f4 c)
{
    u32 order = im->order, type = im->data_type;
    if (type == FLOAT)
        return in_memory(order, (u4)c);
    if (type == HALF_FLOAT)
        return from_halves(
            in_memory(order, (u4){f32_to_half(c[0]), f32_to_half(c[1]), f32_to_half(c[2]), f32_to_half(c[3])}));
    f4 most = largest(type);
    float least = type == SNORM_INT8 ? -128.0f : type == SNORM_INT16 ? -32768.0f : 0.0f;
    u4 n = {scaled(c[0], most[0], least), scaled(c[1], most[1], least), scaled(c[2], most[2], least),
            scaled(c[3], most[3], least)};
    if (is_srgb(order))
        n = (u4){to_srgb(c[0]), to_srgb(c[1]), to_srgb(c[2]), n[3]};
    switch (type) {
    case UNORM_SHORT_565:
        return (u4){n[0] << 11 | n[1] << 5 | n[2], 0, 0, 0};
    case UNORM_SHORT_555:
        return (u4){n[0] << 10 | n[1] << 5 | n[2], 0, 0, 0};
    case UNORM_INT_101010:
        return (u4){n[0] << 20 | n[1] << 10 | n[2], 0, 0, 0};
    case UNORM_INT_101010_2:
        return (u4){n[0] << 22 | n[1] << 12 | n[2] << 2 | n[3], 0, 0, 0};
    case UNORM_INT_2_101010:
        return (u4){n[3] << 30 | n[2] << 20 | n[1] << 10 | n[0], 0, 0, 0};
    case UNORM_INT8:
    case SNORM_INT8:
        return from_bytes(in_memory(order, n));
    default:
        return from_halves(in_memory(order, n));
    }
}

HELPER u32 clamp_signed(u32 x, i32 most)
{
    i32 n = (i32)x;
    n = n > most ? most : n;
    return (u32)(n < -most - 1 ? -most - 1 : n);
}
HELPER u4 clamp_signed_u4(u4 c, i32 most)
{
    return (u4){clamp_signed(c[0], most), clamp_signed(c[1], most), clamp_signed(c[2], most), clamp_signed(c[3], most)};
}
HELPER u32 clamp_unsigned(u32 x, u32 most) { return x > most ? most : x; }
HELPER u4 clamp_unsigned_u4(u4 c, u32 most)
{
    return (u4){clamp_unsigned(c[0], most), clamp_unsigned(c[1], most), clamp_unsigned(c[2], most),
                clamp_unsigned(c[3], most)};
}

HELPER u4 encode_i32(image im, u4 c)
{
    c = in_memory(im->order, c);
    switch (im->data_type) {
    case SIGNED_INT8:
        return from_bytes(clamp_signed_u4(c, 127));
    case SIGNED_INT16:
        return from_halves(clamp_signed_u4(c, 32767));
    case UNSIGNED_INT8:
        return from_bytes(clamp_unsigned_u4(c, 255));
    case UNSIGNED_INT16:
        return from_halves(clamp_unsigned_u4(c, 65535));
    default:
        return c;
    }
}

/* Alpha outside of an image; the rest is 0. Orders that have no alpha have 1. */
HELPER int opaque_border(u32 order) { return order == R || order == RG || order == RGB || order == LUMINANCE; }
