/* Between the bytes of a texel and four numbers. What a format is, the descriptor says: it is the same for all
 * work-items, so that these switches are branches that all lanes take alike. */
#include "image.h"

/* Where in a texel the channels of a type lie, and what they are. All are in the order of memory; of packed types red
 * comes first, but where alpha does in the order's name. A word is shifted left, and then right with its sign, by which
 * nothing but the channel is left of it; the mask takes the sign away. (Words of 32 bits, as instructions take such
 * from memory for all lanes.) */
typedef struct {
    /* The largest number of each channel, and what it is multiplied with to be 1. */
    float most[4], share[4];
    u32 left[4], right[4], mask[4];
    /* How many words four channels take. */
    u32 words, is_signed;
} layout;

#define ALL(...) {__VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__}
#define PLACES_8 {24, 16, 8, 0}, ALL(24)
#define PLACES_16 {16, 0, 16, 0}, ALL(16)
#define PLACES_32 ALL(0), ALL(0)
#define SIGNED(type, most, places, words) [(type) - SNORM_INT8] = {ALL(most), ALL(1 / most), places, ALL(0xffffffff), words, 1}
#define UNSIGNED(type, most, places, mask, words) [(type) - SNORM_INT8] = {ALL(most), ALL(1 / most), places, ALL(mask), words, 0}
#define PACKED(type, a, b, c, d, ...) \
    [(type) - SNORM_INT8] = {{a, b, c, d}, {1.0f / a, 1.0f / b, 1.0f / c, 1.0f / d}, __VA_ARGS__, {a, b, c, d}, 1, 0}
#define LAYOUTS 32

/* Constant memory: what is read of it is the same for all work-items, if the type is. */
#define CONSTANT const __attribute__((address_space(2)))
typedef CONSTANT layout *layout_at;
static CONSTANT layout layouts[LAYOUTS] = {
    SIGNED(SNORM_INT8, 127.0f, PLACES_8, 1),
    SIGNED(SNORM_INT16, 32767.0f, PLACES_16, 2),
    UNSIGNED(UNORM_INT8, 255.0f, PLACES_8, 0xff, 1),
    UNSIGNED(UNORM_INT16, 65535.0f, PLACES_16, 0xffff, 2),
    SIGNED(SIGNED_INT8, 127.0f, PLACES_8, 1),
    SIGNED(SIGNED_INT16, 32767.0f, PLACES_16, 2),
    SIGNED(SIGNED_INT32, 1.0f, PLACES_32, 4),
    UNSIGNED(UNSIGNED_INT8, 255.0f, PLACES_8, 0xff, 1),
    UNSIGNED(UNSIGNED_INT16, 65535.0f, PLACES_16, 0xffff, 2),
    UNSIGNED(UNSIGNED_INT32, 1.0f, PLACES_32, 0xffffffff, 4),
    UNSIGNED(HALF_FLOAT, 1.0f, PLACES_16, 0xffff, 2),
    UNSIGNED(FLOAT, 1.0f, PLACES_32, 0xffffffff, 4),
    /* Where there is no fourth channel, a bit stands for it: nobody reads it, and it is written as zero. */
    PACKED(UNORM_SHORT_565, 31, 63, 31, 1, {16, 21, 27, 0}, {27, 26, 27, 31}),
    PACKED(UNORM_SHORT_555, 31, 31, 31, 1, {17, 22, 27, 0}, {27, 27, 27, 31}),
    PACKED(UNORM_INT_101010, 1023, 1023, 1023, 1, {2, 12, 22, 0}, {22, 22, 22, 31}),
    PACKED(UNORM_INT_101010_2, 1023, 1023, 1023, 3, {0, 10, 20, 30}, {22, 22, 22, 30}),
    /* Alpha, blue, green, red. */
    PACKED(UNORM_INT_2_101010, 3, 1023, 1023, 1023, {0, 2, 12, 22}, {30, 22, 22, 22}),
};

HELPER layout_at layout_of(image im) { return &layouts[(im->data_type - SNORM_INT8) % LAYOUTS]; }
HELPER u4 four(CONSTANT u32 *x) { return (u4){x[0], x[1], x[2], x[3]}; }
HELPER f4 four_f32(CONSTANT float *x) { return (f4){x[0], x[1], x[2], x[3]}; }

/* The channels that are stored in a texel's words, each by itself. */
HELPER u4 channels_of(layout_at at, u4 raw)
{
    if (at->words == 4)
        return raw;
    u4 words = at->words == 2 ? (u4){raw[0], raw[0], raw[1], raw[1]} : (u4){raw[0], raw[0], raw[0], raw[0]};
    return (u4)((i4)(words << four(at->left)) >> (i4)four(at->right)) & four(at->mask);
}

/* The reverse: words each by themselves, as LLVM would take the lowest byte of a vector's from a vector of bytes. */
HELPER void words_of(layout_at at, u4 c, u32 *words)
{
    int one = at->words == 1, two = at->words == 2;
    if (at->words != 4)
        c = c << four(at->right) >> four(at->left);
    u32 low = c[0] | c[1], high = c[2] | c[3];
    words[0] = one ? low | high : two ? low : c[0];
    words[1] = two ? high : c[1];
    words[2] = c[2];
    words[3] = c[3];
}

/* A texel of a row as words; those that it does not have are zero. (Work-items side by side load their texels together,
 * which shows where a row is indexed by what is as large as a texel.) */
HELPER u4 load_texel(image im, u64 row, u64 at)
{
    switch (im->texel_bytes) {
    case 1:
        return (u4){((const texel_u8 *)row)[at], 0, 0, 0};
    case 2:
        return (u4){((const texel_u16 *)row)[at], 0, 0, 0};
    case 4:
        return (u4){((const texel_u32 *)row)[at], 0, 0, 0};
    case 8: {
        u2 two = ((const texel_u2 *)row)[at];
        return (u4){two[0], two[1], 0, 0};
    }
    case 16:
        return ((const texel_u4 *)row)[at];
    default:
        return (u4){0, 0, 0, 0};
    }
}

HELPER void store_texel(image im, u64 row, u64 at, const u32 *words)
{
    switch (im->texel_bytes) {
    case 1:
        ((texel_u8 *)row)[at] = (unsigned char)words[0];
        break;
    case 2:
        ((texel_u16 *)row)[at] = (unsigned short)words[0];
        break;
    case 4:
        ((texel_u32 *)row)[at] = words[0];
        break;
    case 8:
        ((texel_u2 *)row)[at] = (u2){words[0], words[1]};
        break;
    case 16:
        ((texel_u4 *)row)[at] = (u4){words[0], words[1], words[2], words[3]};
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

/* A texel of a format of normalised or floating-point numbers. Products are with what is nearest to the inverse of the
 * largest number, by which that is 1. */
HELPER f4 decode_f32(image im, u4 raw)
{
    layout_at at = layout_of(im);
    u4 n = channels_of(at, raw);
    f4 c = (f4)n;
    if (im->data_type == HALF_FLOAT)
        c = halves_to_f4(n);
    else if (im->data_type != FLOAT)
        c = at_least_minus_one(to_f4(n) * four_f32(at->share));
    if (is_srgb(im->order))
        c = (f4){srgb_linear[n[0] & 255], srgb_linear[n[1] & 255], srgb_linear[n[2] & 255], c[3]};
    return (f4)in_order(im->order, (u4)c, 0x3f800000);
}

/* One of a format of integers. */
HELPER u4 decode_i32(image im, u4 raw) { return in_order(im->order, channels_of(layout_of(im), raw), 1); }

/* x scaled, clamped and rounded to the nearest even integer. What is no number is 0. */
HELPER u32 scaled(float x, float scale, float least)
{
    x *= scale;
    x = x == x ? x : 0.0f;
    x = x > least ? x : least;
    x = x < scale ? x : scale;
    return (u32)(i32)__builtin_rintf(x);
}

/* The bytes whose linear values are nearest along the curve: the last whose threshold is not above the number. Alpha is
 * never along it. */
HELPER u4 to_srgb(f4 c, u32 alpha)
{
    u32 r = 0, g = 0, b = 0;
    for (u32 bit = 128; bit; bit >>= 1) {
        r |= c[0] >= srgb_thresholds[r | bit] ? bit : 0;
        g |= c[1] >= srgb_thresholds[g | bit] ? bit : 0;
        b |= c[2] >= srgb_thresholds[b | bit] ? bit : 0;
    }
    return (u4){r, g, b, alpha};
}

HELPER void encode_f32(image im, f4 color, u32 *words)
{
    layout_at at = layout_of(im);
    u4 n = in_memory(im->order, (u4)color);
    f4 c = (f4)n;
    if (im->data_type == HALF_FLOAT)
        n = halves_from_f4(c);
    else if (im->data_type != FLOAT) {
        float least = at->is_signed ? -at->most[0] - 1.0f : 0.0f;
        n = (u4){scaled(c[0], at->most[0], least), scaled(c[1], at->most[1], least), scaled(c[2], at->most[2], least),
                 scaled(c[3], at->most[3], least)};
    }
    if (is_srgb(im->order))
        n = to_srgb(c, n[3]);
    words_of(at, n, words);
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

HELPER void encode_i32(image im, u4 c, u32 *words)
{
    layout_at at = layout_of(im);
    c = in_memory(im->order, c);
    u32 most = (u32)(i32)at->most[0];
    if (at->words != 4)
        c = at->is_signed ? clamp_signed_u4(c, (i32)most) : clamp_unsigned_u4(c, most);
    words_of(at, c, words);
}

/* Alpha outside of an image; the rest is 0. Orders that have no alpha have 1. */
HELPER int opaque_border(u32 order) { return order == R || order == RG || order == RGB || order == LUMINANCE; }
