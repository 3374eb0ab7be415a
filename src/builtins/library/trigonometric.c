/* sin, cos, tan and their forms in half turns: x = n pi/2 + r, then a polynomial for the quadrant. */
#include "common.h"

/* frac(m 2^e 2/pi / 4) of a large number in quarter turns: the quadrant, and the rest in (-1/2, 1/2] of one, in units of 2^-62. */
HELPER i64 large_quarters_f32(float x, i32 *n)
{
    u32 bits = bits_f32(x), exponent = (bits >> 23) & 0xff;
    u64 mantissa = (bits & 0x7fffff) | 0x800000;
    /* x = mantissa 2^s: the first s - 2 bits of 2/pi give multiples of 4 quarters and are skipped. The table starts with a word of
     * zeros, so that this may be negative. */
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

HELPER float reduce_f32(float x, i32 *n)
{
    float a = abs_f32(x);
    float k = round_f32_(a * (float)0.63661977236758134308, n);
    float r = fma_f32(-k, PI_2_F32_0, a);
    r = fma_f32(-k, PI_2_F32_1, r);
    r = fma_f32(-k, PI_2_F32_2, r);
    if (__builtin_expect(!(a < 65536.0f), 0))
        r = a < INF_F32 ? (float)((double)large_quarters_f32(a, n) * (PI_2_F64_0 * 0x1p-62)) : NAN_F32;
    return r;
}

HELPER float sin_kernel_f32(float r, float z) { return fma_f32(poly_sin_f32(z) * z, r, r); }
HELPER float cos_kernel_f32(float z) { return fma_f32(z * z, poly_cos_f32(z), fma_f32(z, -0.5f, 1.0f)); }

EXPORT(float, sin_f32, "sin.f32", float x)
{
    i32 n;
    float r = reduce_f32(x, &n), z = r * r;
    u32 value = bits_f32(n & 1 ? cos_kernel_f32(z) : sin_kernel_f32(r, z));
    return from_bits_f32(value ^ ((u32)(n & 2) << 30) ^ (bits_f32(x) & 0x80000000u));
}
EXPORT(float, cos_f32, "cos.f32", float x)
{
    i32 n;
    float r = reduce_f32(x, &n), z = r * r;
    u32 value = bits_f32(n & 1 ? sin_kernel_f32(r, z) : cos_kernel_f32(z));
    return from_bits_f32(value ^ ((u32)((n + 1) & 2) << 30));
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
    if (__builtin_expect(!(a < 0x1p20), 0))
        r = a < INF_F64 ? large_reduce_f64(a, n) : NAN_F64;
    return r;
}

HELPER double sin_kernel_f64(double r, double z) { return fma_f64(poly_sin_f64(z) * z, r, r); }
HELPER double cos_kernel_f64(double z)
{
    double half = 0.5 * z, c = 1.0 - half;
    return c + fma_f64(z * z, poly_cos_f64(z), (1.0 - c) - half);
}

EXPORT(double, sin_f64, "sin.f64", double x)
{
    i32 n;
    double r = reduce_f64(x, &n), z = r * r;
    u64 value = bits_f64(n & 1 ? cos_kernel_f64(z) : sin_kernel_f64(r, z));
    return from_bits_f64(value ^ ((u64)(n & 2) << 62) ^ (bits_f64(x) & 0x8000000000000000ul));
}
EXPORT(double, cos_f64, "cos.f64", double x)
{
    i32 n;
    double r = reduce_f64(x, &n), z = r * r;
    u64 value = bits_f64(n & 1 ? sin_kernel_f64(r, z) : cos_kernel_f64(z));
    return from_bits_f64(value ^ ((u64)((n + 1) & 2) << 62));
}
EXPORT(double, tan_f64, "tan.f64", double x)
{
    i32 n;
    double r = reduce_f64(x, &n), z = r * r;
    double s = sin_kernel_f64(r, z), c = cos_kernel_f64(z);
    double value = n & 1 ? -c / s : s / c;
    return from_bits_f64(bits_f64(value) ^ (bits_f64(x) & 0x8000000000000000ul));
}

/* x = n/2 + r with |r| <= 1/4, both exact; numbers of 2^23 (2^52) and more are integers, and reduced modulo 2 first. */
HELPER float half_turns_f32(float a, i32 *n)
{
    a = a - 2.0f * __builtin_truncf(0.5f * a);
    return a - 0.5f * round_f32_(2.0f * a, n);
}
HELPER double half_turns_f64(double a, i32 *n)
{
    a = a - 2.0 * __builtin_trunc(0.5 * a);
    return a - 0.5 * round_f64_(2.0 * a, n);
}
HELPER float sinpi_kernel_f32(float r, float z) { return fma_f32(r, PI_F32_0, r * fma_f32(z, poly_sinpi_f32(z), PI_F32_1)); }
HELPER float cospi_kernel_f32(float z) { return fma_f32(z, poly_cospi_f32(z), 1.0f); }
HELPER double sinpi_kernel_f64(double r, double z) { return fma_f64(r, PI_F64_0, r * fma_f64(z, poly_sinpi_f64(z), PI_F64_1)); }
HELPER double cospi_kernel_f64(double z) { return fma_f64(z, poly_cospi_f64(z), 1.0); }

EXPORT(float, sinpi_f32, "sinpi.f32", float x)
{
    i32 n;
    float r = half_turns_f32(abs_f32(x), &n), z = r * r;
    u32 value = bits_f32(n & 1 ? cospi_kernel_f32(z) : sinpi_kernel_f32(r, z));
    float result = from_bits_f32(value ^ ((u32)(n & 2) << 30) ^ (bits_f32(x) & 0x80000000u));
    return !(abs_f32(x) < INF_F32) ? NAN_F32 : x == __builtin_truncf(x) ? copysign_f32_(0.0f, x) : result;
}
EXPORT(float, cospi_f32, "cospi.f32", float x)
{
    i32 n;
    float r = half_turns_f32(abs_f32(x), &n), z = r * r;
    u32 value = bits_f32(n & 1 ? sinpi_kernel_f32(r, z) : cospi_kernel_f32(z));
    float result = from_bits_f32(value ^ ((u32)((n + 1) & 2) << 30));
    return n & 1 && r == 0.0f ? 0.0f : result;
}
EXPORT(float, tanpi_f32, "tanpi.f32", float x)
{
    i32 n;
    float r = half_turns_f32(abs_f32(x), &n), z = r * r;
    float s = sinpi_kernel_f32(r, z), c = cospi_kernel_f32(z);
    float value = n & 1 ? (s == 0.0f ? (n & 2 ? -INF_F32 : INF_F32) : -c / s) : s == 0.0f ? (n & 2 ? -0.0f : 0.0f) : s / c;
    return from_bits_f32(bits_f32(value) ^ (bits_f32(x) & 0x80000000u));
}
EXPORT(double, sinpi_f64, "sinpi.f64", double x)
{
    i32 n;
    double r = half_turns_f64(abs_f64(x), &n), z = r * r;
    u64 value = bits_f64(n & 1 ? cospi_kernel_f64(z) : sinpi_kernel_f64(r, z));
    double result = from_bits_f64(value ^ ((u64)(n & 2) << 62) ^ (bits_f64(x) & 0x8000000000000000ul));
    return !(abs_f64(x) < INF_F64) ? NAN_F64 : x == __builtin_trunc(x) ? copysign_f64_(0.0, x) : result;
}
EXPORT(double, cospi_f64, "cospi.f64", double x)
{
    i32 n;
    double r = half_turns_f64(abs_f64(x), &n), z = r * r;
    u64 value = bits_f64(n & 1 ? sinpi_kernel_f64(r, z) : cospi_kernel_f64(z));
    double result = from_bits_f64(value ^ ((u64)((n + 1) & 2) << 62));
    return n & 1 && r == 0.0 ? 0.0 : result;
}
EXPORT(double, tanpi_f64, "tanpi.f64", double x)
{
    i32 n;
    double r = half_turns_f64(abs_f64(x), &n), z = r * r;
    double s = sinpi_kernel_f64(r, z), c = cospi_kernel_f64(z);
    double value = n & 1 ? (s == 0.0 ? (n & 2 ? -INF_F64 : INF_F64) : -c / s) : s == 0.0 ? (n & 2 ? -0.0 : 0.0) : s / c;
    return from_bits_f64(bits_f64(value) ^ (bits_f64(x) & 0x8000000000000000ul));
}
