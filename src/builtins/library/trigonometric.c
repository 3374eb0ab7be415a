/* sin, cos, tan and their forms in half turns: x = n pi/2 + r, then a polynomial for the quadrant. */
#include "common.h"

/* frac(m 2^e 2/pi / 4) of a large number in quarter turns: the quadrant, and the rest in (-1/2, 1/2] of one, in units
 * of 2^-62. */
HELPER i64 large_quarters_f32(float x, i32 *n)
{
    u32 bits = bits_f32(x), exponent = (bits >> 23) & 0xff;
    u64 mantissa = (bits & 0x7fffff) | 0x800000;
    /* x = mantissa 2^s: the first s - 2 bits of 2/pi give multiples of 4 quarters and are skipped. The table starts
     * with a word of zeros, so that this may be negative. */
    i32 skip = (i32)exponent - 150 - 2 + 32, word = skip >> 5, shift = skip & 31;
    u64 a = two_over_pi_32[word], b = two_over_pi_32[word + 1], c = two_over_pi_32[word + 2], d = two_over_pi_32[word + 3];
    u64 high = ((a << 32 | b) << shift) | (shift ? c >> (32 - shift) : 0);
    u64 low = (((c << 32 | d) << shift) >> 32) & 0xffffffff;
    /* The product modulo 4 quarters: 64 bits, 62 of them after the point. */
    u64 turn = mantissa * high + ((mantissa * low) >> 32);
    u64 rounded = turn + (1ul << 61);
    *n = (i32)(rounded >> 62);
    return (i64)((turn << 2) - ((rounded >> 62) << 62 << 2)) >> 2;
}

/* Of which a product with a multiple of pi is not exact enough. Infinities are among them, so that one comparison tells:
 * a - a makes NaN of these. */
HELPER int is_large_f32(float a) { return a >= 65536.0f; }
HELPER int is_large_f64(double a) { return a >= 0x1p20; }

HELPER float reduce_f32(float x, i32 *n)
{
    float a = abs_f32(x);
    float k = round_f32_(a * (float)0.63661977236758134308, n);
    float r = fma_f32(-k, PI_2_F32_0, a);
    r = fma_f32(-k, PI_2_F32_1, r);
    r = fma_f32(-k, PI_2_F32_2, r);
    if (__builtin_expect(is_large_f32(a), 0))
        r = (float)((double)large_quarters_f32(a, n) * (PI_2_F64_0 * 0x1p-62)) + (a - a);
    return r;
}

HELPER float sin_kernel_f32(float r, float z) { return fma_f32(poly_sin_f32(z) * z, r, r); }
HELPER float cos_kernel_f32(float z) { return fma_f32(z * z, poly_cos_f32(z), fma_f32(z, -0.5f, 1.0f)); }

/* What an angle has beyond the nearest multiple n of pi, or for cosines beyond the nearest n + 1/2, so that one
 * polynomial serves for all of it. Of n the lowest bit counts, which is the shifted product's. A large angle comes in
 * quadrants: from those of the other kind it goes on to a neighbour, and nothing cancels. */
HELPER float reduce_pi_f32(float a, int cosine, i32 *n)
{
    float shifted = cosine ? fma_f32(a, INV_PI_F32_0, -0.5f) + ROUND_MAGIC_F32 : mad_f32(a, INV_PI_F32_0, ROUND_MAGIC_F32);
    float k = shifted - ROUND_MAGIC_F32 + (cosine ? 0.5f : 0.0f);
    *n = (i32)bits_f32(shifted);
    float r = fma_f32(-k, PI_F32_0, a);
    r = fma_f32(-k, PI_F32_1, r);
    r = fma_f32(-k, PI_F32_2, r);
    if (__builtin_expect(is_large_f32(a), 0)) {
        i32 q;
        double angle = (double)large_quarters_f32(a, &q) * (PI_2_F64_0 * 0x1p-62);
        int other = (q & 1) != cosine, above = angle > 0.0;
        *n = (other ? (above ? q + 1 : q - 1) : q) >> 1;
        r = (float)(other ? (above ? angle - PI_2_F64_0 : angle + PI_2_F64_0) : angle) + (a - a);
    }
    return r;
}
/* A sine, never beyond 1 by a rounding: fused, its polynomial sees to that. */
HELPER float at_most_one_f32(float sine)
{
#ifdef WITHOUT_FMA
    return clamp_f32_(sine, -1.0f, 1.0f);
#else
    return sine;
#endif
}
HELPER u32 sine_f32(float r)
{
    float z = r * r;
    return bits_f32(at_most_one_f32(fma_f32(poly_wave_f32(z) * z, r, r)));
}
EXPORT(float, sin_f32, "sin.f32", float x)
{
    i32 n;
    float r = reduce_pi_f32(abs_f32(x), 0, &n);
    return from_bits_f32(sine_f32(r) ^ ((u32)n << 31) ^ (bits_f32(x) & 0x80000000u));
}
EXPORT(float, cos_f32, "cos.f32", float x)
{
    i32 n;
    float r = reduce_pi_f32(abs_f32(x), 1, &n);
    return from_bits_f32(sine_f32(r) ^ ((u32)~n << 31));
}
EXPORT(float, tan_f32, "tan.f32", float x)
{
    i32 n;
    float r = reduce_f32(x, &n), z = r * r;
    float s = sin_kernel_f32(r, z), c = cos_kernel_f32(z);
    float value = n & 1 ? -c / s : s / c;
    return from_bits_f32(bits_f32(value) ^ (bits_f32(x) & 0x80000000u));
}

HELPER u64 multiply_high(u64 a, u64 b)
{
    u64 al = a & 0xffffffff, ah = a >> 32, bl = b & 0xffffffff, bh = b >> 32;
    u64 low = al * bl, mid = ah * bl + (low >> 32), mid2 = al * bh + (mid & 0xffffffff);
    return ah * bh + (mid >> 32) + (mid2 >> 32);
}

/* As for float: 192 bits of 2/pi against a mantissa of 53. */
HELPER double large_reduce_f64(double x, i32 *n)
{
    u64 bits = bits_f64(x);
    u64 mantissa = (bits & 0xffffffffffffful) | 0x10000000000000ul;
    i32 skip = (i32)((bits >> 52) & 0x7ff) - 1075 - 2 + 64, word = skip >> 6, shift = skip & 63;
    u64 w0 = two_over_pi_64[word], w1 = two_over_pi_64[word + 1], w2 = two_over_pi_64[word + 2], w3 = two_over_pi_64[word + 3];
    u64 h = w0 << shift | (shift ? w1 >> (64 - shift) : 0);
    u64 m = w1 << shift | (shift ? w2 >> (64 - shift) : 0);
    u64 l = w2 << shift | (shift ? w3 >> (64 - shift) : 0);
    /* mantissa * h.m.l modulo 2^64, with 64 more bits below. */
    u64 below_low = mantissa * m, tail = multiply_high(mantissa, l);
    u64 low = below_low + tail;
    u64 high = mantissa * h + multiply_high(mantissa, m) + (low < tail);
    u64 rounded = high + (1ul << 61);
    *n = (i32)(rounded >> 62);
    /* The rest, signed, with 128 bits: 2 of sign, 126 after the point. */
    i64 top = (i64)(high - ((rounded >> 62) << 62));
    double value_high = (double)top * 0x1p-62;
    double error = (double)(top - (i64)(value_high * 0x1p62)) * 0x1p-62;
    double rest = (double)low * 0x1p-126;
    dd r = two_sum(value_high, error + rest);
    return fma_f64(r.hi, PI_2_F64_0, fma_f64(r.hi, PI_2_F64_1, r.lo * PI_2_F64_0));
}

HELPER double reduce_f64(double x, i32 *n)
{
    double a = abs_f64(x);
    double k = round_f64_(a * 0.63661977236758134308, n);
    double r = fma_f64(-k, PI_2_F64_0, a);
    r = fma_f64(-k, PI_2_F64_1, r);
    r = fma_f64(-k, PI_2_F64_2, r);
    if (__builtin_expect(is_large_f64(a), 0))
        r = large_reduce_f64(a, n) + (a - a);
    return r;
}

HELPER double sin_kernel_f64(double r, double z) { return fma_f64(poly_sin_f64(z) * z, r, r); }
HELPER double cos_kernel_f64(double z)
{
    double half = 0.5 * z, c = 1.0 - half;
    return c + fma_f64(z * z, poly_cos_f64(z), (1.0 - c) - half);
}

HELPER double reduce_pi_f64(double a, int cosine, i32 *n)
{
    double k = cosine ? round_f64_(fma_f64(a, INV_PI_F64_0, -0.5), n) + 0.5 : round_product_f64(a, INV_PI_F64_0, n);
    double r = fma_f64(-k, PI_F64_0, a);
    r = fma_f64(-k, PI_F64_1, r);
    r = fma_f64(-k, PI_F64_2, r);
    if (__builtin_expect(is_large_f64(a), 0)) {
        i32 q;
        r = large_reduce_f64(a, &q);
        int other = (q & 1) != cosine, above = r > 0.0;
        *n = (other ? (above ? q + 1 : q - 1) : q) >> 1;
        r = (other ? (above ? (r - PI_2_F64_0) - PI_2_F64_1 : (r + PI_2_F64_0) + PI_2_F64_1) : r) + (a - a);
    }
    return r;
}
HELPER u64 sine_f64(double r)
{
    double z = r * r;
    return bits_f64(clamp_f64_(fma_f64(poly_wave_f64(z) * z, r, r), -1.0, 1.0));
}
EXPORT(double, sin_f64, "sin.f64", double x)
{
    i32 n;
    double r = reduce_pi_f64(abs_f64(x), 0, &n);
    return from_bits_f64(sine_f64(r) ^ ((u64)n << 63) ^ (bits_f64(x) & 0x8000000000000000ul));
}
EXPORT(double, cos_f64, "cos.f64", double x)
{
    i32 n;
    double r = reduce_pi_f64(abs_f64(x), 1, &n);
    return from_bits_f64(sine_f64(r) ^ ((u64)~n << 63));
}
EXPORT(double, tan_f64, "tan.f64", double x)
{
    i32 n;
    double r = reduce_f64(x, &n), z = r * r;
    double s = sin_kernel_f64(r, z), c = cos_kernel_f64(z);
    double value = n & 1 ? -c / s : s / c;
    return from_bits_f64(bits_f64(value) ^ (bits_f64(x) & 0x8000000000000000ul));
}

/* sin(pi r) for |r| <= 1/2; never beyond 1 by a rounding. */
HELPER float half_wave_f32(float r)
{
    float z = r * r;
    return at_most_one_f32(fma_f32(r, PI_F32_0, r * fma_f32(z, poly_half_wave_f32(z), PI_F32_1)));
}
HELPER double half_wave_f64(double r)
{
    double z = r * r;
    return clamp_f64_(fma_f64(r, PI_F64_0, r * fma_f64(z, poly_half_wave_f64(z), PI_F64_1)), -1.0, 1.0);
}
/* With the sign of k half waves; zeros keep theirs. */
HELPER u32 turned_f32(float value, float k)
{
    float h = 0.5f * k;
    return bits_f32(value) ^ (h != __builtin_truncf(h) && value != 0.0f ? 0x80000000u : 0);
}
HELPER u64 turned_f64(double value, double k)
{
    double h = 0.5 * k;
    return bits_f64(value) ^ (h != __builtin_trunc(h) && value != 0.0 ? 0x8000000000000000ul : 0);
}

/* What is left of infinities is NaN. */
EXPORT(float, sinpi_f32, "sinpi.f32", float x)
{
    float a = abs_f32(x), k = __builtin_rintf(a);
    return from_bits_f32(turned_f32(half_wave_f32(a - k), k) ^ (bits_f32(x) & 0x80000000u));
}
EXPORT(float, cospi_f32, "cospi.f32", float x)
{
    float a = abs_f32(x), k = __builtin_floorf(a);
    return from_bits_f32(turned_f32(half_wave_f32(0.5f - (a - k)), k));
}
EXPORT(double, sinpi_f64, "sinpi.f64", double x)
{
    double a = abs_f64(x), k = __builtin_rint(a);
    return from_bits_f64(turned_f64(half_wave_f64(a - k), k) ^ (bits_f64(x) & 0x8000000000000000ul));
}
EXPORT(double, cospi_f64, "cospi.f64", double x)
{
    double a = abs_f64(x), k = __builtin_floor(a);
    return from_bits_f64(turned_f64(half_wave_f64(0.5 - (a - k)), k));
}

/* x = n/2 + r with |r| <= 1/4, both exact. */
HELPER float half_turns_f32(float a, i32 *n)
{
    a = fma_f32(__builtin_truncf(0.5f * a), -2.0f, a);
    return fma_f32(round_f32_(2.0f * a, n), -0.5f, a);
}
HELPER double half_turns_f64(double a, i32 *n)
{
    a = fma_f64(__builtin_trunc(0.5 * a), -2.0, a);
    return fma_f64(round_f64_(2.0 * a, n), -0.5, a);
}
HELPER float sinpi_kernel_f32(float r, float z) { return fma_f32(r, PI_F32_0, r * fma_f32(z, poly_sinpi_f32(z), PI_F32_1)); }
HELPER float cospi_kernel_f32(float z) { return fma_f32(z, poly_cospi_f32(z), 1.0f); }
HELPER double sinpi_kernel_f64(double r, double z) { return fma_f64(r, PI_F64_0, r * fma_f64(z, poly_sinpi_f64(z), PI_F64_1)); }
HELPER double cospi_kernel_f64(double z) { return fma_f64(z, poly_cospi_f64(z), 1.0); }

/* At odd halves infinite, with the sign of what comes before; at odd numbers a negative zero. */
EXPORT(float, tanpi_f32, "tanpi.f32", float x)
{
    i32 n;
    float r = half_turns_f32(abs_f32(x), &n), z = r * r;
    float s = sinpi_kernel_f32(r, z), c = cospi_kernel_f32(z);
    float value = (n & 1 ? c : s) / (n & 1 ? s : c);
    u32 flip = s == 0.0f ? (n & 2) : (n & 1) << 1;
    return from_bits_f32(bits_f32(value) ^ (flip << 30) ^ (bits_f32(x) & 0x80000000u));
}
EXPORT(double, tanpi_f64, "tanpi.f64", double x)
{
    i32 n;
    double r = half_turns_f64(abs_f64(x), &n), z = r * r;
    double s = sinpi_kernel_f64(r, z), c = cospi_kernel_f64(z);
    double value = (n & 1 ? c : s) / (n & 1 ? s : c);
    u64 flip = s == 0.0 ? (n & 2) : (n & 1) << 1;
    return from_bits_f64(bits_f64(value) ^ (flip << 62) ^ (bits_f64(x) & 0x8000000000000000ul));
}
