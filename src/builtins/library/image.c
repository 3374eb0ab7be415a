/* Images: sampled, read at integers, written. One function a kind of image, what is stored and what coordinates are;
 * the rest is known by the descriptor and the sampler, which are the same for all work-items, or are constants once a
 * call is inlined. The most common formats have code of their own there; all others share one that is called, and that is
 * compiled apart from what calls it. Nothing that a coordinate, a descriptor's format or a sampler may be leads to an
 * address outside of the image. */
#include "image_texel.c"

/* Functions that read memory, or write it; those that are called have the code of all formats, and know nothing of who calls
 * them but what the arguments say. */
#define READS(result, id, name, ...) \
    __attribute__((pure, nothrow)) result id(__VA_ARGS__) __asm__("oxicl." name); \
    __attribute__((pure, nothrow)) result id(__VA_ARGS__)
#define WRITES(id, name, ...) \
    __attribute__((nothrow)) void id(__VA_ARGS__) __asm__("oxicl." name); \
    __attribute__((nothrow)) void id(__VA_ARGS__)
#define CALLED(result, id, name, ...) \
    __attribute__((pure, nothrow, noinline)) result id(__VA_ARGS__) __asm__("oxicl." name); \
    __attribute__((pure, nothrow, noinline)) result id(__VA_ARGS__)

/* A texel of a row, and what puts one there. (Numbers of texels have 64 bits here: such are known to go on by one where
 * they do.) */
CALLED(f4, image_texel_f32, "image_texel.f32", image im, u64 row, u64 at) { return decode_f32(im, load_texel(im, row, at)); }
CALLED(u4, image_texel_i32, "image_texel.i32", image im, u64 row, u64 at) { return decode_i32(im, load_texel(im, row, at)); }
__attribute__((noinline)) WRITES(image_put_f32, "image_put.f32", image im, u64 row, u64 at, f4 c)
{
    u32 words[4];
    encode_f32(im, c, words);
    store_texel(im, row, at, words);
}
__attribute__((noinline)) WRITES(image_put_i32, "image_put.i32", image im, u64 row, u64 at, u4 c)
{
    u32 words[4];
    encode_i32(im, c, words);
    store_texel(im, row, at, words);
}

/* Formats whose code stands where an image is used: red, green, blue and alpha as bytes, or with blue first, one number, and
 * four. */
enum { BYTES, NUMBER };
HELPER int of_bytes(image im) { return (im->order == RGBA || im->order == BGRA) && im->data_type == UNORM_INT8; }
HELPER int of_number(image im) { return im->order == R && im->data_type == FLOAT; }
HELPER int of_numbers(image im) { return im->order == RGBA && im->data_type == FLOAT; }

/* A number from 0 to 1 as a byte. What is no number is 0, as it is not greater. */
HELPER u32 byte_of(float x)
{
    x *= 255.0f;
    x = x > 0.0f ? x : 0.0f;
    x = x < 255.0f ? x : 255.0f;
    return (u32)(i32)__builtin_rintf(x);
}

/* A colour as four bytes. */
HELPER u32 bytes_to_store(f4 c) { return byte_of(c[0]) | byte_of(c[1]) << 8 | byte_of(c[2]) << 16 | byte_of(c[3]) << 24; }

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

/* The address of a row that is in the image. */
HELPER u64 row_address(image im, u32 kind, i32 j, i32 k)
{
    u64 at = im->base;
    if (kind & ROWS)
        at += (u64)(u32)j * im->row_pitch;
    if (kind & (SLICES | LAYERS))
        at += (u64)(u32)k * im->slice_pitch;
    return at;
}

/* A texel of one word in a row, or of four, in a column that there is. Places go on by a constant from work-item to work-item,
 * if columns do. */
HELPER texel_u32 *word_of(u64 row, i32 i) { return (texel_u32 *)row + (u64)(u32)i; }
HELPER texel_u4 *words_at(u64 row, i32 i) { return (texel_u4 *)row + (u64)(u32)i; }

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

/* Is a texel outside of the image whose layer, if it has one, is in range? */
HELPER int is_outside(image im, u32 kind, i32 i, i32 j, i32 k) { return !inside(im, kind & ~(u32)LAYERS, i, j, k); }

/* Where a place is not in the image: a coordinate outside, then clamped. */
HELPER int outside_or_clamp(image im, u32 kind, i32 *i, i32 *j, i32 *k)
{
    int out = outside(*i, im->width);
    *i = clamp_i32(*i, im->width);
    if (kind & ROWS) {
        out |= outside(*j, im->height);
        *j = clamp_i32(*j, im->height);
    }
    if (kind & SLICES) {
        out |= outside(*k, im->depth);
        *k = clamp_i32(*k, im->depth);
    }
    return out;
}

/* The colour of a texel of one of the formats that are not called. */
HELPER f4 color_of(u32 format, u32 word, int border)
{
    f4 c = format == BYTES ? to_f4(bytes_of((u4){word, 0, 0, 0})) * splat_f4(1 / 255.0f)
                           : (f4){__builtin_bit_cast(float, word), 0, 0, 1};
    return select_f4(border, (f4){0, 0, 0, format == NUMBER ? 1.0f : 0.0f}, c);
}

/* Red and blue change places, as the order says. */
HELPER f4 ordered(image im, u32 format, f4 c)
{
    return select_f4(format == BYTES && im->order == BGRA, (f4){c[2], c[1], c[0], c[3]}, c);
}

/* The texel nearest to (i, j, k), or the border. */
HELPER f4 fetch_f32(image im, u32 kind, u64 sampler, i32 i, i32 j, i32 k)
{
    int border = outside_or_clamp(im, kind, &i, &j, &k) && (sampler & ADDRESSING) == CLAMP;
    f4 c = image_texel_f32(im, row_address(im, kind, j, k), (u32)i);
    return select_f4(border, (f4){0, 0, 0, opaque_border(im->order) ? 1.0f : 0.0f}, c);
}
HELPER u4 fetch_i32(image im, u32 kind, u64 sampler, i32 i, i32 j, i32 k)
{
    int border = outside_or_clamp(im, kind, &i, &j, &k) && (sampler & ADDRESSING) == CLAMP;
    u4 c = image_texel_i32(im, row_address(im, kind, j, k), (u32)i);
    return border ? (u4){0, 0, 0, opaque_border(im->order)} : c;
}

/* A texel of one word, or of four, at the place in the image that is nearest to (i, j, k). They are called where work-items are
 * outside of it, so that the others' loads, side by side, stay apart from theirs. */
#define NEAREST(type, id, at) \
    CALLED(type, id, #id ".i32", image im, u32 kind, i32 i, i32 j, i32 k) \
    { \
        outside_or_clamp(im, kind, &i, &j, &k); \
        return *at(row_address(im, kind, j, k), i); \
    }
NEAREST(u32, image_word, word_of)
NEAREST(u4, image_words, words_at)

/* The word, or the four, at (i, j, k) of a row, or if that is outside of the image, nearest to it. Most work-items are inside. */
#define FETCH(type, name, at, nearest) \
    HELPER type name(image im, u32 kind, int out, u64 row, i32 i, i32 j, i32 k) \
    { \
        return __builtin_expect(out, 0) ? nearest(im, kind, i, j, k) : *at(row, i); \
    }
FETCH(u32, fetch_word, word_of, image_word)
FETCH(u4, fetch_words, words_at, image_words)

/* The texel nearest to (i, j, k), or the border. A layer is in range. Whether it is outside, and where its row is, is asked once for all
 * formats: kernels that read many images stay short. */
HELPER f4 pick_f32(image im, u32 kind, u64 sampler, i32 i, i32 j, i32 k)
{
    int out = is_outside(im, kind, i, j, k), border = out && (sampler & ADDRESSING) == CLAMP;
    u64 row = row_address(im, kind, j, k);
    if (of_bytes(im))
        return ordered(im, BYTES, color_of(BYTES, fetch_word(im, kind, out, row, i, j, k), border));
    if (of_number(im))
        return color_of(NUMBER, fetch_word(im, kind, out, row, i, j, k), border);
    if (of_numbers(im))
        return select_f4(border, splat_f4(0.0f), (f4)fetch_words(im, kind, out, row, i, j, k));
    return fetch_f32(im, kind, sampler, i, j, k);
}
HELPER u4 pick_i32(image im, u32 kind, u64 sampler, i32 i, i32 j, i32 k)
{
    int out = is_outside(im, kind, i, j, k), border = out && (sampler & ADDRESSING) == CLAMP;
    if (im->order == RGBA && im->data_type == UNSIGNED_INT8) {
        u32 word = fetch_word(im, kind, out, row_address(im, kind, j, k), i, j, k);
        return border ? splat_u4(0) : bytes_of((u4){word, 0, 0, 0});
    }
    return fetch_i32(im, kind, sampler, i, j, k);
}

/* The index of the layer, or of the slice that is nearest: the coordinate behind those of rows. */
HELPER float third(u32 kind, float y, float z) { return kind & ROWS ? z : y; }

/* The spans of a coordinate along all dimensions. */
typedef struct {
    span x, y, z;
} spans;

HELPER spans spans_of(image im, u32 kind, u64 sampler, float x, float y, float z)
{
    spans s = {around(sampler, x, im->width), {0, 0, 0}, {0, 0, 0}};
    if (kind & ROWS)
        s.y = around(sampler, y, im->height);
    if (kind & SLICES)
        s.z = around(sampler, z, im->depth);
    if (kind & LAYERS)
        s.z.first = s.z.second = layer_of(third(kind, y, z), im->layers);
    return s;
}

/* The share of one of the texels around: the lowest bit of its number says which column it is in, the next which row,
 * then which slice. */
HELPER float weight_of(spans s, u32 kind, u32 tap)
{
    float weight = tap & 1 ? s.x.share : 1.0f - s.x.share;
    if (kind & ROWS)
        weight *= tap & 2 ? s.y.share : 1.0f - s.y.share;
    if (kind & SLICES)
        weight *= tap & 4 ? s.z.share : 1.0f - s.z.share;
    return weight;
}

HELPER u32 taps_of(u32 kind) { return 2 << ((kind & ROWS) != 0) << ((kind & SLICES) != 0); }

/* Any format, any sampler. */
HELPER f4 sample_any(image im, u32 kind, u64 sampler, float x, float y, float z)
{
    spans s = spans_of(im, kind, sampler, x, y, z);
    u32 taps = sampler & LINEAR ? taps_of(kind) : 1;
    f4 sum = splat_f4(0.0f);
    for (u32 tap = 0;;) {
        i32 i = tap & 1 ? s.x.second : s.x.first;
        i32 j = tap & 2 ? s.y.second : s.y.first;
        i32 k = tap & 4 ? s.z.second : s.z.first;
        f4 texel = fetch_f32(im, kind, sampler, i, j, k);
        f4 weighted = splat_f4(weight_of(s, kind, tap)) * texel;
        sum = !(sampler & LINEAR) ? texel : tap ? sum + weighted : weighted;
        if (++tap >= taps)
            break;
    }
    return sum;
}

/* Texels of one word between which colours are interpolated: the two of a row that are around are loaded together. The
 * image has two columns at least, and does not begin again behind the last. */
HELPER f4 sample_words(image im, u32 kind, u64 sampler, u32 format, float x, float y, float z)
{
    spans s = spans_of(im, kind, sampler, x, y, z);
    i32 last = im->width - 1;
    i32 left = s.x.first < 0 ? 0 : s.x.first;
    left = left > last - 1 ? last - 1 : left;
    int clamps = (sampler & ADDRESSING) == CLAMP;
    f4 sum = splat_f4(0.0f);
#pragma clang loop unroll(full)
    for (u32 row = 0; row < taps_of(kind) / 2; row++) {
        i32 j = row & 1 ? s.y.second : s.y.first, k = row & 2 ? s.z.second : s.z.first, cj = j, ck = k, none = 0;
        int out = outside_or_clamp(im, kind, &none, &cj, &ck);
        u64 pair = *(const texel_u64 *)word_of(row_address(im, kind, cj, ck), left);
        u32 low = (u32)pair, high = (u32)(pair >> 32);
        u32 first = s.x.first > left ? high : low, second = s.x.second > left ? high : low;
        f4 a = color_of(format, first, clamps && (out || outside(s.x.first, im->width)));
        f4 b = color_of(format, second, clamps && (out || outside(s.x.second, im->width)));
        a *= splat_f4(weight_of(s, kind, 2 * row));
        b *= splat_f4(weight_of(s, kind, 2 * row + 1));
        sum = row ? sum + a : a;
        sum += b;
    }
    return ordered(im, format, sum);
}

/* The same between texels of four numbers, each of which is loaded by itself: as much work as a call is worth. */
HELPER f4 sample_numbers(image im, u32 kind, u64 sampler, float x, float y, float z)
{
    spans s = spans_of(im, kind, sampler, x, y, z);
    int clamps = (sampler & ADDRESSING) == CLAMP;
    f4 sum = splat_f4(0.0f);
#pragma clang loop unroll(full)
    for (u32 tap = 0; tap < taps_of(kind); tap++) {
        i32 i = tap & 1 ? s.x.second : s.x.first, j = tap & 2 ? s.y.second : s.y.first, k = tap & 4 ? s.z.second : s.z.first;
        int out = outside_or_clamp(im, kind, &i, &j, &k);
        f4 texel = select_f4(clamps && out, splat_f4(0.0f), (f4)*words_at(row_address(im, kind, j, k), i));
        texel *= splat_f4(weight_of(s, kind, tap));
        sum = tap ? sum + texel : texel;
    }
    return sum;
}

/* The texel of a format that is not called, nearest to a coordinate. */
HELPER f4 nearest_texel(image im, u32 kind, u64 sampler, float x, float y, float z)
{
    spans s = spans_of(im, kind, sampler, x, y, z);
    i32 i = s.x.first, j = s.y.first, k = s.z.first;
    int border = outside_or_clamp(im, kind, &i, &j, &k) && (sampler & ADDRESSING) == CLAMP;
    u64 row = row_address(im, kind, j, k);
    if (of_bytes(im))
        return ordered(im, BYTES, color_of(BYTES, *word_of(row, i), border));
    if (of_number(im))
        return color_of(NUMBER, *word_of(row, i), border);
    return select_f4(border, splat_f4(0.0f), (f4)*words_at(row, i));
}

/* Are colours those of an image of at least two columns, from which the two around are next to each other or the same? */
HELPER int in_pairs(image im, u64 sampler)
{
    return im->width > 1 && !((sampler & NORMALIZED) && (sampler & ADDRESSING) == REPEAT);
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

/* Parts of a row as bytes, whatever the format: 1, 2 or 4 of them at x. Where there are none, those at the edge are
 * meant that are in the same place of its last four. */
HELPER i64 in_row(i64 x, i64 width, i64 bytes)
{
    i64 most = width - bytes, edge = (x < 0 ? 0 : width - 4) + (x & 3);
    i64 at = x >= 0 && x <= most ? x : edge;
    at = at < most ? at : most;
    return at < 0 ? 0 : at;
}
HELPER i64 bytes_of_row(image im) { return (i64)im->width * (i64)im->texel_bytes; }
CALLED(u32, image_edge, "image_edge.i32", image im, i64 x, i64 y, u32 bytes)
{
    i64 width = bytes_of_row(im), last = (i64)im->height - 1;
    if (width < (i64)bytes)
        return 0;
    y = y < last ? y : last;
    u64 at = im->base + (u64)(y < 0 ? 0 : y) * im->row_pitch + (u64)in_row(x, width, bytes);
    return bytes == 1 ? *(const texel_u8 *)at : bytes == 2 ? *(const texel_u16 *)at : *(const texel_u32 *)at;
}
HELPER int part_is_inside(image im, i64 x, i64 y, i64 bytes)
{
    return x >= 0 && x <= bytes_of_row(im) - bytes && y >= 0 && y < (i64)im->height;
}
#define ROW(im, y) ((texel_u8 *)((im)->base + (u64)(y) * (im)->row_pitch))

/* A work-item's part of a block, which the work-items of a sub-group read or write side by side. */
#define BLOCK(bits, type, texel) \
    READS(type, image_block_read_i##bits, "image_block_read.i" #bits, image im, i64 x, i64 y) \
    { \
        if (part_is_inside(im, x, y, bits / 8)) \
            return *(const texel *)(ROW(im, y) + x); \
        return (type)image_edge(im, x, y, bits / 8); \
    } \
    WRITES(image_block_write_i##bits, "image_block_write.i" #bits, image im, i64 x, i64 y, type part) \
    { \
        if (part_is_inside(im, x, y, bits / 8)) \
            *(texel *)(ROW(im, y) + x) = part; \
    }
BLOCK(8, unsigned char, texel_u8)
BLOCK(16, unsigned short, texel_u16)
BLOCK(32, u32, texel_u32)

/* The descriptor of a level of detail, the nearest that there is. */
HELPER image level_of(image im, i32 level)
{
    i32 last = (i32)im->levels - 1;
    level = level < last ? level : last;
    return im + (level < 0 ? 0 : level);
}
READS(image, image_level, "image_level.i32", image im, i32 level) { return level_of(im, level); }

/* A level of detail held below what the sampler allows and the image has. What is no number is 0. Where a kernel is
 * compiled as if there were no such numbers, these comparisons may do nothing: so what is made of the result is held
 * among the levels again, as an integer. */
HELPER float held_level(image im, u64 sampler, float level)
{
    float most = (float)(i32)(0xffff - (sampler >> 32 & 0xffff)) * (1 / 1024.0f);
    float last = (float)((i32)im->levels - 1);
    level = level > 0.0f ? level : 0.0f;
    level = level < most ? level : most;
    return level < last ? level : last;
}
/* Of two that are as near, the larger image. */
HELPER image nearest_level(image im, u64 sampler, float level)
{
    return level_of(im, (i32)__builtin_ceilf(held_level(im, sampler, level) + 0.5f) - 1);
}
READS(image, image_nearest_level, "image_nearest_level.f32", image im, u64 sampler, float level)
{
    return nearest_level(im, sampler, level);
}

/* log2(x), right to some millionths; x is a normal number or infinite. */
HELPER float coarse_log2(float x)
{
    i32 e = (i32)(bits_f32(x) >> 23) - 127;
    float m = from_bits_f32((bits_f32(x) & 0x7fffff) | 0x3f800000);
    float t = (m - 1.0f) / (m + 1.0f), s = t * t;
    float series = 1.0f + s * (1 / 3.0f + s * (1 / 5.0f + s * (1 / 7.0f + s * (1 / 9.0f))));
    return (float)e + 2.885390082f * t * series;
}

/* The square of how many texels a gradient goes. */
HELPER float squared_length(image im, u32 kind, float x, float y, float z)
{
    x *= (float)im->width;
    float sum = x * x;
    if (kind & ROWS) {
        y *= (float)im->height;
        sum += y * y;
    }
    if (kind & SLICES) {
        z *= (float)im->depth;
        sum += z * z;
    }
    return sum;
}

/* The level of detail at which the longer of two gradients goes one texel, or the least that the sampler allows. */
HELPER float level_of_gradients(image im, u64 sampler, u32 kind, float xx, float xy, float xz, float yx, float yy, float yz)
{
    float least = (float)(i32)(sampler >> 16 & 0xffff) * (1 / 1024.0f);
    float a = squared_length(im, kind, xx, xy, xz), b = squared_length(im, kind, yx, yy, yz);
    float longer = a > b ? a : b;
    float level = longer >= 0x1p-126f ? 0.5f * coarse_log2(longer) : -126.0f;
    return level > least ? level : least;
}

#define KIND(name, kind) \
    READS(float, image_gradients_##name, "image_gradients_" #name ".f32", image im, u64 sampler, float xx, float xy, float xz, \
          float yx, float yy, float yz) \
    { \
        return level_of_gradients(im, sampler, kind, xx, xy, xz, yx, yy, yz); \
    } \
    CALLED(f4, image_any_##name##_f32, "image_any_" #name ".f32", image im, u64 sampler, float x, float y, float z) \
    { \
        return sample_any(im, kind, sampler, x, y, z); \
    } \
    CALLED(f4, image_numbers_##name##_f32, "image_numbers_" #name ".f32", image im, u64 sampler, float x, float y, float z) \
    { \
        return sample_numbers(im, kind, sampler, x, y, z); \
    } \
    CALLED(f4, image_lod_##name##_f32, "image_lod_" #name ".f32", image im, u64 sampler, float x, float y, float z, float level) \
    { \
        if (!(sampler & MIP_LINEAR)) \
            return image_any_##name##_f32(nearest_level(im, sampler, level), sampler, x, y, z); \
        level = held_level(im, sampler, level); \
        i32 below = (i32)level; \
        float share = level - (float)below; \
        f4 a = image_any_##name##_f32(level_of(im, below), sampler, x, y, z); \
        if (share == 0.0f) \
            return a; \
        f4 b = image_any_##name##_f32(level_of(im, below + 1), sampler, x, y, z); \
        return splat_f4(1.0f - share) * a + splat_f4(share) * b; \
    } \
    READS(f4, image_sample_##name##_f32, "image_sample_" #name ".f32", image im, u64 sampler, float x, float y, float z) \
    { \
        if (sampler & LINEAR) { \
            if (of_bytes(im) && in_pairs(im, sampler)) \
                return sample_words(im, kind, sampler, BYTES, x, y, z); \
            if (of_number(im) && in_pairs(im, sampler)) \
                return sample_words(im, kind, sampler, NUMBER, x, y, z); \
            if (of_numbers(im)) \
                return image_numbers_##name##_f32(im, sampler, x, y, z); \
        } else if (of_bytes(im) || of_number(im) || of_numbers(im)) { \
            return nearest_texel(im, kind, sampler, x, y, z); \
        } \
        return image_any_##name##_f32(im, sampler, x, y, z); \
    } \
    CALLED(u4, image_sample_##name##_i32, "image_sample_" #name ".i32", image im, u64 sampler, float x, float y, float z) \
    { \
        return sample_i32(im, kind, sampler, x, y, z); \
    } \
    READS(f4, image_pick_##name##_f32, "image_pick_" #name ".f32", image im, u64 sampler, i32 x, i32 y, i32 z) \
    { \
        return pick_f32(im, kind, sampler, x, y, third_i32(im, kind, y, z)); \
    } \
    READS(u4, image_pick_##name##_i32, "image_pick_" #name ".i32", image im, u64 sampler, i32 x, i32 y, i32 z) \
    { \
        return pick_i32(im, kind, sampler, x, y, third_i32(im, kind, y, z)); \
    } \
    WRITES(image_write_##name##_f32, "image_write_" #name ".f32", image im, i32 x, i32 y, i32 z, f4 c) \
    { \
        if (inside(im, kind, x, y, z)) { \
            i32 k = kind & ROWS ? z : y; \
            if (of_bytes(im)) \
                *word_of(row_address(im, kind, y, k), x) = bytes_to_store(ordered(im, BYTES, c)); \
            else if (of_number(im)) \
                *word_of(row_address(im, kind, y, k), x) = bits_f32(c[0]); \
            else if (of_numbers(im)) \
                *words_at(row_address(im, kind, y, k), x) = (u4)c; \
            else \
                image_put_f32(im, row_address(im, kind, y, k), (u32)x, c); \
        } \
    } \
    WRITES(image_write_##name##_i32, "image_write_" #name ".i32", image im, i32 x, i32 y, i32 z, u4 c) \
    { \
        if (inside(im, kind, x, y, z)) \
            image_put_i32(im, row_address(im, kind, y, kind & ROWS ? z : y), (u32)x, c); \
    }

KIND(1d, 0)
KIND(2d, ROWS)
KIND(3d, ROWS | SLICES)
KIND(1d_array, LAYERS)
KIND(2d_array, ROWS | LAYERS)
