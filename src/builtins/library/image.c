/* Images: sampled, read at integers, written. One function a kind of image, what is stored and what coordinates are; the rest is known by the
 * descriptor and the sampler, which are the same for all work-items, or are constants once a call is inlined. Nothing that a coordinate, a
 * descriptor's format or a sampler may be leads to an address outside of the image. */
#include "image_texel.c"

/* Functions that read memory, or write it. */
#define READS(result, id, name, ...) \
    __attribute__((pure, nothrow)) result id(__VA_ARGS__) __asm__("oxicl." name); \
    __attribute__((pure, nothrow)) result id(__VA_ARGS__)
#define WRITES(id, name, ...) \
    __attribute__((nothrow)) void id(__VA_ARGS__) __asm__("oxicl." name); \
    __attribute__((nothrow)) void id(__VA_ARGS__)

/* Where along one dimension texels are taken: the nearest, or the two around, with the share of the second. */
typedef struct {
    i32 first, second;
    float share;
} span;

/* floor(x), or what is outside of every image where that is no 32-bit integer. */
HELPER i32 floor_i32(float x)
{
    float floor = __builtin_floorf(x);
    floor = floor > -0x1p30f ? floor : -0x1p30f;
    return (i32)(floor < 0x1p30f ? floor : 0x1p30f);
}

/* The span of a coordinate among n texels, not yet clamped. */
HELPER span around(u64 sampler, float s, i32 n)
{
    u32 mode = sampler & ADDRESSING;
    int normalized = (sampler & NORMALIZED) != 0, repeats = normalized && mode == REPEAT;
    float u = s;
    if (normalized) {
        if (mode == REPEAT)
            u = s - __builtin_floorf(s);
        if (mode == MIRRORED_REPEAT)
            u = abs_f32(s - 2.0f * __builtin_rintf(0.5f * s));
        u *= (float)n;
    }
    if (!(sampler & LINEAR)) {
        i32 i = floor_i32(u);
        i = repeats && i > n - 1 ? i - n : i;
        return (span){i, i, 0.0f};
    }
    float v = u - 0.5f;
    i32 first = floor_i32(v), second = first + 1;
    if (repeats) {
        first = first < 0 ? first + n : first;
        second = second > n - 1 ? second - n : second;
    }
    return (span){first, second, v - __builtin_floorf(v)};
}

HELPER i32 clamp_i32(i32 i, i32 n)
{
    i = i > n - 1 ? n - 1 : i;
    return i < 0 ? 0 : i;
}
HELPER int outside(i32 i, i32 n) { return (u32)i >= (u32)n; }

/* The layer of an array that a coordinate selects. */
HELPER i32 layer_of(float w, i32 n)
{
    float r = __builtin_rintf(w);
    r = r > 0.0f ? r : 0.0f;
    return clamp_i32((i32)(r < 0x1p30f ? r : 0x1p30f), n);
}

/* The address of a texel that is in the image. */
HELPER u64 address(image im, u32 kind, i32 i, i32 j, i32 k)
{
    u64 at = im->base + (u64)(u32)i * im->texel_bytes;
    if (kind & ROWS)
        at += (u64)(u32)j * im->row_pitch;
    if (kind & (SLICES | LAYERS))
        at += (u64)(u32)k * im->slice_pitch;
    return at;
}

/* The words of the texel nearest to (i, j, k); whether it is the border's in place of it. A layer is in range. */
HELPER u4 fetch(image im, u32 kind, u64 sampler, i32 i, i32 j, i32 k, int *border)
{
    int out = outside(i, im->width);
    i = clamp_i32(i, im->width);
    if (kind & ROWS) {
        out |= outside(j, im->height);
        j = clamp_i32(j, im->height);
    }
    if (kind & SLICES) {
        out |= outside(k, im->depth);
        k = clamp_i32(k, im->depth);
    }
    *border = out && (sampler & ADDRESSING) == CLAMP;
    return load_texel(im, address(im, kind, i, j, k));
}

HELPER f4 fetch_f32(image im, u32 kind, u64 sampler, i32 i, i32 j, i32 k)
{
    int border;
    f4 c = decode_f32(im, fetch(im, kind, sampler, i, j, k, &border));
    return select_f4(border, (f4){0, 0, 0, opaque_border(im->order) ? 1.0f : 0.0f}, c);
}
HELPER u4 fetch_i32(image im, u32 kind, u64 sampler, i32 i, i32 j, i32 k)
{
    int border;
    u4 c = decode_i32(im, fetch(im, kind, sampler, i, j, k, &border));
    return border ? (u4){0, 0, 0, opaque_border(im->order)} : c;
}

/* The index of the layer, or of the slice that is nearest: the coordinate behind those of rows. */
HELPER float third(u32 kind, float y, float z) { return kind & ROWS ? z : y; }

HELPER f4 sample_f32(image im, u32 kind, u64 sampler, float x, float y, float z)
{
    span along_x = around(sampler, x, im->width), along_y = {0, 0, 0}, along_z = {0, 0, 0};
    u32 taps = 1, all = 2;
    if (kind & ROWS) {
        along_y = around(sampler, y, im->height);
        all *= 2;
    }
    if (kind & SLICES) {
        along_z = around(sampler, z, im->depth);
        all *= 2;
    }
    if (kind & LAYERS)
        along_z.first = along_z.second = layer_of(third(kind, y, z), im->layers);
    if (sampler & LINEAR)
        taps = all;
    float a = along_x.share, b = along_y.share, c = along_z.share;
    f4 sum = splat_f4(0.0f);
    for (u32 tap = 0;;) {
        i32 i = tap & 1 ? along_x.second : along_x.first;
        i32 j = tap & 2 ? along_y.second : along_y.first;
        i32 k = tap & 4 ? along_z.second : along_z.first;
        f4 texel = fetch_f32(im, kind, sampler, i, j, k);
        float weight = tap & 1 ? a : 1.0f - a;
        if (kind & ROWS)
            weight *= tap & 2 ? b : 1.0f - b;
        if (kind & SLICES)
            weight *= tap & 4 ? c : 1.0f - c;
        f4 weighted = splat_f4(weight) * texel;
        sum = !(sampler & LINEAR) ? texel : tap ? sum + weighted : weighted;
        if (++tap >= taps)
            break;
    }
    return sum;
}

/* Integers are not interpolated. */
HELPER u4 sample_i32(image im, u32 kind, u64 sampler, float x, float y, float z)
{
    sampler &= ~(u64)LINEAR;
    i32 i = around(sampler, x, im->width).first, j = 0, k = 0;
    if (kind & ROWS)
        j = around(sampler, y, im->height).first;
    if (kind & SLICES)
        k = around(sampler, z, im->depth).first;
    if (kind & LAYERS)
        k = layer_of(third(kind, y, z), im->layers);
    return fetch_i32(im, kind, sampler, i, j, k);
}

/* Among slices coordinates are as given; among layers the nearest there is. */
HELPER i32 third_i32(image im, u32 kind, i32 y, i32 z)
{
    i32 k = kind & ROWS ? z : y;
    return kind & LAYERS ? clamp_i32(k, im->layers) : k;
}

HELPER int inside(image im, u32 kind, i32 x, i32 y, i32 z)
{
    int out = outside(x, im->width);
    if (kind & ROWS)
        out |= outside(y, im->height);
    if (kind & SLICES)
        out |= outside(z, im->depth);
    if (kind & LAYERS)
        out |= outside(kind & ROWS ? z : y, im->layers);
    return !out;
}

#define KIND(name, kind) \
    READS(f4, image_sample_##name##_f32, "image_sample_" #name ".f32", image im, u64 sampler, float x, float y, float z) \
    { \
        return sample_f32(im, kind, sampler, x, y, z); \
    } \
    READS(u4, image_sample_##name##_i32, "image_sample_" #name ".i32", image im, u64 sampler, float x, float y, float z) \
    { \
        return sample_i32(im, kind, sampler, x, y, z); \
    } \
    READS(f4, image_pick_##name##_f32, "image_pick_" #name ".f32", image im, u64 sampler, i32 x, i32 y, i32 z) \
    { \
        return fetch_f32(im, kind, sampler, x, y, third_i32(im, kind, y, z)); \
    } \
    READS(u4, image_pick_##name##_i32, "image_pick_" #name ".i32", image im, u64 sampler, i32 x, i32 y, i32 z) \
    { \
        return fetch_i32(im, kind, sampler, x, y, third_i32(im, kind, y, z)); \
    } \
    WRITES(image_write_##name##_f32, "image_write_" #name ".f32", image im, i32 x, i32 y, i32 z, f4 c) \
    { \
        if (inside(im, kind, x, y, z)) \
            store_texel(im, address(im, kind, x, y, kind & ROWS ? z : y), encode_f32(im, c)); \
    } \
    WRITES(image_write_##name##_i32, "image_write_" #name ".i32", image im, i32 x, i32 y, i32 z, u4 c) \
    { \
        if (inside(im, kind, x, y, z)) \
            store_texel(im, address(im, kind, x, y, kind & ROWS ? z : y), encode_i32(im, c)); \
    }

KIND(1d, 0)
KIND(2d, ROWS)
KIND(3d, ROWS | SLICES)
KIND(1d_array, LAYERS)
KIND(2d_array, ROWS | LAYERS)
