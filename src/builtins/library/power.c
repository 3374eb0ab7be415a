/* pow, powr, pown, rootn, cbrt, hypot. Powers are 2^(y log2 |x|): in double for float results, in two doubles for double results. */
#include "common.h"

/* |x|^y for finite positive |x|; y may be anything. */
HELPER float power_core_f32(float x, double y)
{
    double e = clamp_f64_(y * log2_short(x), -160.0, 130.0);
    i32 n;
    double r = e - round_f64_(e, &n);
    return (float)(mad_f64(poly_exp2_f64_short(r), r, 1.0) * power_of_two_f64(n));
}
HELPER double power_core_f64(double x, dd y)
{
    dd e = dd_multiply(log2_extended(x), y);
    /* Beyond this the product is not exact, and does not matter. */
    int huge = !(abs_f64(y.hi) < 0x1p80);
    e.hi = huge ? y.hi * log2_extended(x).hi : e.hi;
    e.lo = huge ? 0.0 : e.lo;
    int over = e.hi > 1025.0, under = e.hi < -1080.0;
    e.lo = over || under ? 0.0 : e.lo;
    return exp2_core_f64(clamp_f64_(e.hi, -1080.0, 1025.0), e.lo);
}

/* 0: not an integer, 1: odd, 2: even. Numbers of 2^24 (2^53) and more are even. */
HELPER i32 parity_f32(float y)
{
    float a = abs_f32(y), t = __builtin_truncf(a), h = 0.5f * a;
    return a != t ? 0 : h == __builtin_truncf(h) ? 2 : 1;
}
HELPER i32 parity_f64(double y)
{
    double a = abs_f64(y), t = __builtin_trunc(a), h = 0.5 * a;
    return a != t ? 0 : h == __builtin_trunc(h) ? 2 : 1;
}

/* What pow, pown and rootn give where |x| to that power, which `result` is, is not the whole answer. */
HELPER float pow_special_f32(float x, float y, float result)
{
    float a = abs_f32(x);
    i32 parity = parity_f32(y);
    result = a == 0.0f ? (y < 0.0f ? INF_F32 : 0.0f) : result;
    result = a == INF_F32 ? (y < 0.0f ? 0.0f : INF_F32) : result;
    result = x < 0.0f && parity == 0 && a != INF_F32 ? NAN_F32 : result;
    result = bits_f32(x) >> 31 && parity == 1 ? -result : result;
    result = a == 1.0f && abs_f32(y) == INF_F32 ? 1.0f : result;
    result = x != x || y != y ? NAN_F32 : result;
    return x == 1.0f || y == 0.0f ? 1.0f : result;
}
EXPORT(float, pow_f32, "pow.f32", float x, float y) { return pow_special_f32(x, y, power_core_f32(abs_f32(x), (double)y)); }
EXPORT(double, pow_f64, "pow.f64", double x, double y)
{
    double a = abs_f64(x);
    double result = power_core_f64(a, (dd){y, 0.0});
    i32 parity = parity_f64(y);
    result = a == 0.0 ? (y < 0.0 ? INF_F64 : 0.0) : result;
    result = a == INF_F64 ? (y < 0.0 ? 0.0 : INF_F64) : result;
    result = x < 0.0 && parity == 0 && a != INF_F64 ? NAN_F64 : result;
    result = bits_f64(x) >> 63 && parity == 1 ? -result : result;
    result = a == 1.0 && abs_f64(y) == INF_F64 ? 1.0 : result;
    result = x != x || y != y ? NAN_F64 : result;
    return x == 1.0 || y == 0.0 ? 1.0 : result;
}

EXPORT(float, powr_f32, "powr.f32", float x, float y)
{
    float result = power_core_f32(x, (double)y);
    result = x == 0.0f ? (y < 0.0f ? INF_F32 : y == 0.0f ? NAN_F32 : 0.0f) : result;
    result = x == INF_F32 ? (y < 0.0f ? 0.0f : y == 0.0f ? NAN_F32 : INF_F32) : result;
    result = x == 1.0f ? (abs_f32(y) == INF_F32 ? NAN_F32 : 1.0f) : result;
    return x < 0.0f || x != x || y != y ? NAN_F32 : result;
}
EXPORT(double, powr_f64, "powr.f64", double x, double y)
{
    double result = power_core_f64(x, (dd){y, 0.0});
    result = x == 0.0 ? (y < 0.0 ? INF_F64 : y == 0.0 ? NAN_F64 : 0.0) : result;
    result = x == INF_F64 ? (y < 0.0 ? 0.0 : y == 0.0 ? NAN_F64 : INF_F64) : result;
    result = x == 1.0 ? (abs_f64(y) == INF_F64 ? NAN_F64 : 1.0) : result;
    return x < 0.0 || x != x || y != y ? NAN_F64 : result;
}

HELPER float pown_special_f32(float x, i32 y, float result)
{
    float a = abs_f32(x);
    result = a == 0.0f ? (y < 0 ? INF_F32 : 0.0f) : result;
    result = a == INF_F32 ? (y < 0 ? 0.0f : INF_F32) : result;
    result = bits_f32(x) >> 31 && (y & 1) ? -result : result;
    result = x != x ? NAN_F32 : result;
    return y == 0 ? 1.0f : result;
}
EXPORT(float, pown_f32, "pown.f32", float x, i32 y) { return pown_special_f32(x, y, power_core_f32(abs_f32(x), (double)y)); }
EXPORT(double, pown_f64, "pown.f64", double x, i32 y)
{
    double a = abs_f64(x);
    double result = power_core_f64(a, (dd){(double)y, 0.0});
    result = a == 0.0 ? (y < 0 ? INF_F64 : 0.0) : result;
    result = a == INF_F64 ? (y < 0 ? 0.0 : INF_F64) : result;
    result = bits_f64(x) >> 63 && (y & 1) ? -result : result;
    result = x != x ? NAN_F64 : result;
    return y == 0 ? 1.0 : result;
}

HELPER float rootn_special_f32(float x, i32 n, float result)
{
    float a = abs_f32(x);
    result = a == 0.0f ? (n < 0 ? INF_F32 : 0.0f) : result;
    result = a == INF_F32 ? (n < 0 ? 0.0f : INF_F32) : result;
    result = bits_f32(x) >> 31 && (n & 1) ? -result : result;
    result = x < 0.0f && !(n & 1) ? NAN_F32 : result;
    return n == 0 || x != x ? NAN_F32 : result;
}
EXPORT(float, rootn_f32, "rootn.f32", float x, i32 n) { return rootn_special_f32(x, n, power_core_f32(abs_f32(x), 1.0 / (double)n)); }
EXPORT(double, rootn_f64, "rootn.f64", double x, i32 n)
{
    double a = abs_f64(x), d = (double)n;
    double y = 1.0 / d;
    double result = power_core_f64(a, (dd){y, fma_f64(-y, d, 1.0) * y});
    result = a == 0.0 ? (n < 0 ? INF_F64 : 0.0) : result;
    result = a == INF_F64 ? (n < 0 ? 0.0 : INF_F64) : result;
    result = bits_f64(x) >> 63 && (n & 1) ? -result : result;
    result = x < 0.0 && !(n & 1) ? NAN_F64 : result;
    return n == 0 || x != x ? NAN_F64 : result;
}

/* y = a^(-1/3), first by a third of the exponent: a y^3 is within 0.103 of 1, then within 2^-12, then 2^-22. */
EXPORT(float, cbrt_f32, "cbrt.f32", float x)
{
    float a = abs_f32(x);
    int tiny = a < 0x1p-60f;
    a = tiny ? a * 0x1p72f : a;
    float y = from_bits_f32((u32)(i32)(0x1.5288p30f - (float)(i32)bits_f32(a) * (1.0f / 3.0f)));
    float e = fma_f32(-a * y, y * y, 1.0f);
    y = fma_f32(y * e, fma_f32(e, 0x1.c71c72p-3f, 0x1.555556p-2f), y);
    e = fma_f32(-a * y, y * y, 1.0f);
    y = fma_f32(y * e, 0x1.555556p-2f, y);
    float square = y * y, c = a * square;
    /* One more step on the root itself, with the error of its cube. */
    float c2 = c * c, rest = fma_f32(fma_f32(c, c, -c2), c, fma_f32(c2, c, -a));
    c = fma_f32(rest * square, -0x1.555556p-2f, c);
    float result = copysign_f32_(tiny ? c * 0x1p-24f : c, x);
    return x != 0.0f && a < INF_F32 ? result : x;
}
EXPORT(double, cbrt_f64, "cbrt.f64", double x)
{
    double a = abs_f64(x);
    int tiny = a < 0x1p-700;
    a = tiny ? a * 0x1p600 : a;
    double y = from_bits_f64((u64)(u32)(i32)(0x1.54fbb1p30 - (double)(i32)(bits_f64(a) >> 32) * (1.0 / 3.0)) << 32);
    double e = fma_f64(-a * y, y * y, 1.0);
    y = fma_f64(y * e, fma_f64(e, fma_f64(e, 14.0 / 81.0, 2.0 / 9.0), 1.0 / 3.0), y);
    e = fma_f64(-a * y, y * y, 1.0);
    y = fma_f64(y * e, fma_f64(e, 2.0 / 9.0, 1.0 / 3.0), y);
    double square = y * y, c = a * square;
    double c2 = c * c, rest = fma_f64(fma_f64(c, c, -c2), c, fma_f64(c2, c, -a));
    c = fma_f64(rest * square, -1.0 / 3.0, c);
    double result = copysign_f64_(tiny ? c * 0x1p-200 : c, x);
    return x != 0.0 && a < INF_F64 ? result : x;
}

EXPORT(float, hypot_f32, "hypot.f32", float x, float y)
{
    float a = abs_f32(x), b = abs_f32(y), large = a > b ? a : b;
    float s = large > 0x1p60f ? 0x1p-70f : large < 0x1p-40f ? 0x1p100f : 1.0f;
    float back = large > 0x1p60f ? 0x1p70f : large < 0x1p-40f ? 0x1p-100f : 1.0f;
    a *= s;
    b *= s;
    float result = __builtin_sqrtf(fma_f32(a, a, b * b)) * back;
    return abs_f32(x) == INF_F32 || abs_f32(y) == INF_F32 ? INF_F32 : result;
}
EXPORT(double, hypot_f64, "hypot.f64", double x, double y)
{
    double a = abs_f64(x), b = abs_f64(y), large = a > b ? a : b;
    double s = large > 0x1p500 ? 0x1p-600 : large < 0x1p-450 ? 0x1p600 : 1.0;
    double back = large > 0x1p500 ? 0x1p600 : large < 0x1p-450 ? 0x1p-600 : 1.0;
    a *= s;
    b *= s;
    double result = __builtin_sqrt(fma_f64(a, a, b * b)) * back;
    return abs_f64(x) == INF_F64 || abs_f64(y) == INF_F64 ? INF_F64 : result;
}
