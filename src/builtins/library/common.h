/* What every part of the device library uses.
 *
 * The library is scalar and takes and returns values only: no pointer, no state, no table beyond 2 / pi. (But for
 * images: see there.) Rare arguments are behind branches, everything else is selects, so that `workgroup` can widen any
 * function to any number of lanes. Masks skip a branch whose code is more than a dozen instructions in one block, or a
 * loop; shorter ones are run by all lanes. Nothing converts a floating-point number to an integer that may not fit:
 * that would be poison.
 */
#pragma once

typedef unsigned u32;
typedef unsigned long u64;
typedef int i32;
typedef long i64;

/* An exported function: pure, named `oxicl.<name>`, or by another beginning in tests. */
#ifndef BEGINNING
#define BEGINNING "oxicl."
#endif
#define EXPORT(result, id, name, ...) \
    __attribute__((const, nothrow)) result id(__VA_ARGS__) __asm__(BEGINNING name); \
    __attribute__((const, nothrow)) result id(__VA_ARGS__)

/* One that stays a function of its own within the library. */
#define SEPARATE __attribute__((noinline))

#define HELPER static inline __attribute__((always_inline, unused))

HELPER u32 bits_f32(float x) { return __builtin_bit_cast(u32, x); }
HELPER u64 bits_f64(double x) { return __builtin_bit_cast(u64, x); }
HELPER float from_bits_f32(u32 x) { return __builtin_bit_cast(float, x); }
HELPER double from_bits_f64(u64 x) { return __builtin_bit_cast(double, x); }

HELPER float abs_f32(float x) { return __builtin_fabsf(x); }
HELPER double abs_f64(double x) { return __builtin_fabs(x); }
HELPER float copysign_f32_(float x, float s) { return __builtin_copysignf(x, s); }
HELPER double copysign_f64_(double x, double s) { return __builtin_copysign(x, s); }

/* Fused whatever the target: for products that must be exact. */
#include "fused.h"

/* Fused where the target can: for polynomials. */
HELPER float mad_f32(float a, float b, float c)
{
#pragma clang fp contract(on)
    return a * b + c;
}
HELPER double mad_f64(double a, double b, double c)
{
#pragma clang fp contract(on)
    return a * b + c;
}

#define INF_F32 __builtin_inff()
#define INF_F64 __builtin_inf()
#define NAN_F32 __builtin_nanf("")
#define NAN_F64 __builtin_nan("")

/* A number so large that what is added to it is rounded to an integer; and that integer of the sum, as a number and as
 * an integer. */
#define ROUND_MAGIC_F32 0x1.8p23f
#define ROUND_MAGIC_F64 0x1.8p52
HELPER float rounded_f32(float shifted, i32 *n)
{
    *n = (i32)(bits_f32(shifted) - bits_f32(ROUND_MAGIC_F32));
    return shifted - ROUND_MAGIC_F32;
}
HELPER double rounded_f64(double shifted, i32 *n)
{
    *n = (i32)bits_f64(shifted);
    return shifted - ROUND_MAGIC_F64;
}

/* x rounded to the nearest integer, |x| < 2^22 (2^51), as a number and as an integer. Other x give some integer. */
HELPER float round_f32_(float x, i32 *n) { return rounded_f32(x + ROUND_MAGIC_F32, n); }
HELPER double round_f64_(double x, i32 *n) { return rounded_f64(x + ROUND_MAGIC_F64, n); }

/* The same of x y: which integer it is close to a half does not matter to what follows. */
HELPER float round_product_f32(float x, float y, i32 *n)
{
    return rounded_f32(mad_f32(x, y, ROUND_MAGIC_F32), n);
}
HELPER double round_product_f64(double x, double y, i32 *n)
{
    return rounded_f64(mad_f64(x, y, ROUND_MAGIC_F64), n);
}

/* 2^n for -126 <= n <= 127 (-1022 <= n <= 1023). */
HELPER float power_of_two_f32(i32 n) { return from_bits_f32((u32)(n + 127) << 23); }
HELPER double power_of_two_f64(i32 n) { return from_bits_f64((u64)(i64)(n + 1023) << 52); }

/* x 2^k, rounded once as long as 0.5 <= |x| <= 2; k is an integer, -250 <= k <= 252 (-2040 <= k <= 2044), or NaN. This
 * and the two below are functions of their own, as some targets have instructions that do just this, and the compiler
 * uses these instead. */
SEPARATE EXPORT(float, scale_f32, "scale.f32", float x, float k)
{
    i32 n, half;
    round_f32_(k, &n);
    half = n >> 1;
    return x * power_of_two_f32(half) * power_of_two_f32(n - half);
}
SEPARATE EXPORT(double, scale_f64, "scale.f64", double x, double k)
{
    i32 n, half;
    round_f64_(k, &n);
    half = n >> 1;
    return x * power_of_two_f64(half) * power_of_two_f64(n - half);
}

/* x = m 2^k with 0.75 <= m < 1.5, denormals included. Of zero, m is 1 and k -inf, of inf 1 and inf; m is NaN below zero, and
 * k of NaN. */
HELPER u32 fraction_bits_f32(float x, int *tiny)
{
    *tiny = x < 0x1p-126f;
    return bits_f32(*tiny ? x * 0x1p23f : x) - 0x3f400000u;
}
SEPARATE EXPORT(float, fraction_f32, "fraction.f32", float x)
{
    int tiny;
    float m = from_bits_f32((fraction_bits_f32(x, &tiny) & 0x7fffffu) + 0x3f400000u);
    return x < 0.0f ? NAN_F32 : m;
}
SEPARATE EXPORT(float, fraction_exponent_f32, "fraction_exponent.f32", float x)
{
    int tiny;
    i32 n = (i32)fraction_bits_f32(x, &tiny) >> 23;
    float k = (float)(n - (tiny ? 23 : 0));
    k = x < INF_F32 ? k : x;
    return x == 0.0f ? -INF_F32 : k;
}

/* Either of two values, both computed: a branch to what is computed only sometimes would be one that lanes take under masks. */
HELPER float choose_f32(int condition, float yes, float no) { return condition ? yes : no; }
HELPER double choose_f64(int condition, double yes, double no) { return condition ? yes : no; }
HELPER i32 choose_i32(int condition, i32 yes, i32 no) { return condition ? yes : no; }

HELPER float clamp_f32_(float x, float lo, float hi)
{
    x = x < lo ? lo : x;
    return x > hi ? hi : x;
}
HELPER double clamp_f64_(double x, double lo, double hi)
{
    x = x < lo ? lo : x;
    return x > hi ? hi : x;
}

/* x = m 2^k with sqrt(1/2) <= m < sqrt(2), for positive finite x, denormals included. */
HELPER float split_f32(float x, i32 *k)
{
    int tiny = x < 0x1p-126f;
    u32 bits = bits_f32(tiny ? x * 0x1p23f : x) - 0x3f3504f3u;
    *k = ((i32)bits >> 23) - (tiny ? 23 : 0);
    return from_bits_f32((bits & 0x7fffffu) + 0x3f3504f3u);
}
HELPER double split_f64(double x, i32 *k)
{
    int tiny = x < 0x1p-1022;
    u64 bits = bits_f64(tiny ? x * 0x1p52 : x) - 0x3fe6a09e667f3bcdul;
    *k = (i32)((i64)bits >> 52) - (tiny ? 52 : 0);
    return from_bits_f64((bits & 0xffffffffffffful) + 0x3fe6a09e667f3bcdul);
}

/* The fraction and its exponent, or in doubles the parts from above, of normal x; others give some numbers. */
HELPER float split_normal_f32(float x, i32 *k)
{
    u32 bits = bits_f32(x) - 0x3f400000u;
    *k = (i32)bits >> 23;
    return from_bits_f32((bits & 0x7fffffu) + 0x3f400000u);
}
HELPER double split_normal_f64(double x, i32 *k)
{
    u64 bits = bits_f64(x) - 0x3fe6a09e667f3bcdul;
    *k = (i32)((i64)bits >> 52);
    return from_bits_f64((bits & 0xffffffffffffful) + 0x3fe6a09e667f3bcdul);
}

/* A number as an unevaluated sum of two, the second below half an ulp of the first. */
typedef struct {
    double hi, lo;
} dd;

typedef struct {
    float hi, lo;
} ff;

HELPER ff fast_two_sum_f32(float a, float b)
{
    float s = a + b;
    return (ff){s, b - (s - a)};
}
HELPER dd fast_two_sum(double a, double b)
{
    double s = a + b;
    return (dd){s, b - (s - a)};
}
HELPER dd two_sum(double a, double b)
{
    double s = a + b, t = s - a;
    return (dd){s, (a - (s - t)) + (b - t)};
}
HELPER dd two_product(double a, double b)
{
    double p = a * b;
    return (dd){p, fma_f64(a, b, -p)};
}
HELPER dd dd_add(dd a, dd b)
{
    dd s = two_sum(a.hi, b.hi);
    return fast_two_sum(s.hi, s.lo + a.lo + b.lo);
}
HELPER dd dd_multiply(dd a, dd b)
{
    dd p = two_product(a.hi, b.hi);
    return fast_two_sum(p.hi, p.lo + fma_f64(a.hi, b.lo, a.lo * b.hi));
}

#include "coefficients.h"
