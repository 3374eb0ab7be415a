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

/* y -> y - y (y^3 - a) / (2 y^3 + a) triples the number of right digits. */
HELPER double cbrt_step(double y, double a)
{
    double c = y * y * y;
    return y - y * ((c - a) / (2.0 * c + a));
}
EXPORT(float, cbrt_f32, "cbrt.f32", float x)
{
    double a = abs_f64((double)x);
    /* A third of the exponent, by a division of the high word; 4 bits are right, then 13, then 40. */
    u64 guess = (u32)(bits_f64(a) >> 32) / 3 + 0x2a9f7893u;
    double y = cbrt_step(cbrt_step(from_bits_f64(guess << 32), a), a);
    float result = copysign_f32_((float)y, x);
    return x == 0.0f || !(a < INF_F64) ? x : result;
}
EXPORT(double, cbrt_f64, "cbrt.f64", double x)
{
    double a = abs_f64(x);
    int tiny = a < 0x1p-1000, large = a > 0x1p1000;
    a = tiny ? a * 0x1p162 : large ? a * 0x1p-162 : a;
    u64 guess = (u32)(bits_f64(a) >> 32) / 3 + 0x2a9f7893u;
    double y = cbrt_step(cbrt_step(from_bits_f64(guess << 32), a), a);
    dd square = two_product(y, y);
    dd cube = dd_multiply(square, (dd){y, 0.0});
    y = y - ((cube.hi - a) + cube.lo) / (3.0 * square.hi);
    y = tiny ? y * 0x1p-54 : large ? y * 0x1p54 : y;
    double result = copysign_f64_(y, x);
    return x == 0.0 || !(abs_f64(x) < INF_F64) ? x : result;
}

EXPORT(float, hypot_f32, "hypot.f32", float x, float y)
{
    double a = x, b = y;
    float result = (float)__builtin_sqrt(fma_f64(a, a, b * b));
    return abs_f32(x) == INF_F32 || abs_f32(y) == INF_F32 ? INF_F32 : result;
}
EXPORT(double, hypot_f64, "hypot.f64", double x, double y)
{
    double a = abs_f64(x), b = abs_f64(y);
    double large = a > b ? a : b;
    double s = large > 0x1p500 ? 0x1p-600 : large < 0x1p-450 ? 0x1p600 : 1.0;
    double back = large > 0x1p500 ? 0x1p600 : large < 0x1p-450 ? 0x1p-600 : 1.0;
    a *= s;
    b *= s;
    dd p = two_product(a, a), q = two_product(b, b), sum = two_sum(p.hi, q.hi);
    double result = __builtin_sqrt(sum.hi + (sum.lo + (p.lo + q.lo))) * back;
    return abs_f64(x) == INF_F64 || abs_f64(y) == INF_F64 ? INF_F64 : result;
}
