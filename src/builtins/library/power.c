/* pow, powr, pown, rootn, cbrt, hypot. Powers are 2^(y log2 |x|), in two floats or two doubles up to the last step. */
#include "common.h"

/* 2^(e + low). What lies beyond every result does not need its second part, which then may be no number. */
HELPER float power_f32(float e, float low)
{
    i32 n;
    low = abs_f32(e) < 200.0f ? low : 0.0f;
    e = clamp_f32_(e, -152.0f, 129.0f);
    float k = round_f32_(e, &n), r = (e - k) + low;
    return scale_f32(fma_f32(poly_exp2_f32(r), r, 1.0f), k);
}
HELPER double power_f64(double e, double low)
{
    low = abs_f64(e) < 1100.0 ? low : 0.0;
    return exp2_core_f64(clamp_f64_(e, -1080.0, 1025.0), low);
}

/* x^y for finite positive x and any y, and for a y in two parts. */
HELPER float power_core_f32(float x, float y)
{
    ff l = log2_extended_f32(x);
    float e = y * l.hi;
    return power_f32(e, fma_f32(y, l.lo, fma_f32(y, l.hi, -e)));
}
HELPER float power_long_f32(float x, float y, float y_low)
{
    ff l = log2_extended_f32(x);
    float e = y * l.hi;
    return power_f32(e, fma_f32(y_low, l.hi, fma_f32(y, l.lo, fma_f32(y, l.hi, -e))));
}
HELPER double power_core_f64(double x, double y)
{
    dd l = log2_extended_f64(x);
    double e = y * l.hi;
    return power_f64(e, fma_f64(y, l.lo, fma_f64(y, l.hi, -e)));
}
HELPER double power_long_f64(double x, double y, double y_low)
{
    dd l = log2_extended_f64(x);
    double e = y * l.hi;
    return power_f64(e, fma_f64(y_low, l.hi, fma_f64(y, l.lo, fma_f64(y, l.hi, -e))));
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
HELPER double pow_special_f64(double x, double y, double result)
{
    double a = abs_f64(x);
    i32 parity = parity_f64(y);
    result = a == 0.0 ? (y < 0.0 ? INF_F64 : 0.0) : result;
    result = a == INF_F64 ? (y < 0.0 ? 0.0 : INF_F64) : result;
    result = x < 0.0 && parity == 0 && a != INF_F64 ? NAN_F64 : result;
    result = bits_f64(x) >> 63 && parity == 1 ? -result : result;
    result = a == 1.0 && abs_f64(y) == INF_F64 ? 1.0 : result;
    result = x != x || y != y ? NAN_F64 : result;
    return x == 1.0 || y == 0.0 ? 1.0 : result;
}

/* Numbers above zero and finite exponents need no more than the core. */
EXPORT(float, pow_f32, "pow.f32", float x, float y)
{
    float result = power_core_f32(abs_f32(x), y);
    if (__builtin_expect(!(x > 0.0f && x < INF_F32 && abs_f32(y) < INF_F32), 0))
        result = pow_special_f32(x, y, result);
    return result;
}
EXPORT(double, pow_f64, "pow.f64", double x, double y)
{
    double result = power_core_f64(abs_f64(x), y);
    if (__builtin_expect(!(x > 0.0 && x < INF_F64 && abs_f64(y) < INF_F64), 0))
        result = pow_special_f64(x, y, result);
    return result;
}

EXPORT(float, powr_f32, "powr.f32", float x, float y)
{
    float result = power_core_f32(x, y);
    if (__builtin_expect(!(x > 0.0f && x < INF_F32 && abs_f32(y) < INF_F32), 0)) {
        float at_zero = y < 0.0f ? INF_F32 : 0.0f, at_infinity = y < 0.0f ? 0.0f : INF_F32;
        at_zero = y == 0.0f ? NAN_F32 : at_zero;
        at_infinity = y == 0.0f ? NAN_F32 : at_infinity;
        result = x == 0.0f ? at_zero : result;
        result = x == INF_F32 ? at_infinity : result;
        result = x < 0.0f || x == 1.0f || x != x || y != y ? NAN_F32 : result;
    }
    return result;
}
EXPORT(double, powr_f64, "powr.f64", double x, double y)
{
    double result = power_core_f64(x, y);
    if (__builtin_expect(!(x > 0.0 && x < INF_F64 && abs_f64(y) < INF_F64), 0)) {
        double at_zero = y < 0.0 ? INF_F64 : 0.0, at_infinity = y < 0.0 ? 0.0 : INF_F64;
        at_zero = y == 0.0 ? NAN_F64 : at_zero;
        at_infinity = y == 0.0 ? NAN_F64 : at_infinity;
        result = x == 0.0 ? at_zero : result;
        result = x == INF_F64 ? at_infinity : result;
        result = x < 0.0 || x == 1.0 || x != x || y != y ? NAN_F64 : result;
    }
    return result;
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
HELPER double pown_special_f64(double x, i32 y, double result)
{
    double a = abs_f64(x);
    result = a == 0.0 ? (y < 0 ? INF_F64 : 0.0) : result;
    result = a == INF_F64 ? (y < 0 ? 0.0 : INF_F64) : result;
    result = bits_f64(x) >> 63 && (y & 1) ? -result : result;
    result = x != x ? NAN_F64 : result;
    return y == 0 ? 1.0 : result;
}

/* Powers up to the seventh, and their reciprocals, are best multiplied: that costs six units at most. Near the limits
 * of the format it would lose more, so callers look at the result. */
HELPER int is_short(i32 y) { return (u32)(y + 7) <= 14; }
HELPER float short_power_f32(float x, i32 y)
{
    u32 n = y < 0 ? 0u - (u32)y : (u32)y;
    float square = x * x, low = n & 1 ? x : 1.0f, middle = n & 2 ? square : 1.0f, high = n & 4 ? square * square : 1.0f;
    float power = low * middle * high;
    return y < 0 ? 1.0f / power : power;
}
HELPER double short_power_f64(double x, i32 y)
{
    u32 n = y < 0 ? 0u - (u32)y : (u32)y;
    double square = x * x, low = n & 1 ? x : 1.0, middle = n & 2 ? square : 1.0, high = n & 4 ? square * square : 1.0;
    double power = low * middle * high;
    return y < 0 ? 1.0 / power : power;
}

EXPORT(float, pown_f32, "pown.f32", float x, i32 y)
{
    float result = short_power_f32(x, y);
    if (!(is_short(y) && abs_f32(result) > 0x1p-120f && abs_f32(result) < 0x1p120f)) {
        /* The exponent in two parts, the low half as what it is. */
        float high = (float)y, low = ((float)(y & ~0xffff) - high) + (float)(y & 0xffff);
        result = pown_special_f32(x, y, power_long_f32(abs_f32(x), high, low));
    }
    return result;
}
EXPORT(double, pown_f64, "pown.f64", double x, i32 y)
{
    double result = short_power_f64(x, y);
    if (!(is_short(y) && abs_f64(result) > 0x1p-1000 && abs_f64(result) < 0x1p1000))
        result = pown_special_f64(x, y, power_core_f64(abs_f64(x), (double)y));
    return result;
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
HELPER double rootn_special_f64(double x, i32 n, double result)
{
    double a = abs_f64(x);
    result = a == 0.0 ? (n < 0 ? INF_F64 : 0.0) : result;
    result = a == INF_F64 ? (n < 0 ? 0.0 : INF_F64) : result;
    result = bits_f64(x) >> 63 && (n & 1) ? -result : result;
    result = x < 0.0 && !(n & 1) ? NAN_F64 : result;
    return n == 0 || x != x ? NAN_F64 : result;
}
EXPORT(float, rootn_f32, "rootn.f32", float x, i32 n)
{
    float high = (float)n, low = ((float)(n & ~0xffff) - high) + (float)(n & 0xffff), y = 1.0f / high;
    float y_low = fma_f32(-y, low, fma_f32(-y, high, 1.0f)) * y;
    return rootn_special_f32(x, n, power_long_f32(abs_f32(x), y, y_low));
}
EXPORT(double, rootn_f64, "rootn.f64", double x, i32 n)
{
    double d = (double)n, y = 1.0 / d;
    return rootn_special_f64(x, n, power_long_f64(abs_f64(x), y, fma_f64(-y, d, 1.0) * y));
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

/* x^(-1/2) within 2^-14 of it, in parts; infinities of zeros, 0 of infinity. */
SEPARATE EXPORT(float, rsqrt_estimate_f32, "rsqrt_estimate.f32", float x) { return 1.0f / __builtin_sqrtf(x); }
/* An estimate, then a step of Newton's. Of zeros and infinity there is no step, and the estimate is exact. */
EXPORT(float, rsqrt_f32, "rsqrt.f32", float x)
{
    float y = rsqrt_estimate_f32(x);
    float e = fma_f32(-x * y, y, 1.0f);
    return choose_f32(e == e, fma_f32(y * e, 0.5f, y), y);
}

/* x^(-1/2): a guess from half the exponent, so that x y^2 is within 0.07 of 1, then within 2^-20, then a rounding. */
EXPORT(double, rsqrt_f64, "rsqrt.f64", double x)
{
    if (__builtin_expect(!(x >= 0x1p-1022 && x < INF_F64), 0))
        return 1.0 / __builtin_sqrt(x);
    double y = from_bits_f64(0x5fe6eb50c7b537a9ul - (bits_f64(x) >> 1));
    double e = fma_f64(-x * y, y, 1.0);
    double p = fma_f64(fma_f64(fma_f64(e, 35.0 / 128.0, 5.0 / 16.0), e, 3.0 / 8.0), e, 0.5);
    y = fma_f64(y * e, p, y);
    e = fma_f64(-x * y, y, 1.0);
    return fma_f64(y * e, fma_f64(e, 3.0 / 8.0, 0.5), y);
}
