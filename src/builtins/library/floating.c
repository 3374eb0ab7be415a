/* Functions on the parts of a number: ldexp, frexp, ilogb, logb, nextafter, fdim. */
#include "common.h"

EXPORT(float, fdim_f32, "fdim.f32", float x, float y) { return x != x || y != y ? NAN_F32 : x > y ? x - y : 0.0f; }
EXPORT(double, fdim_f64, "fdim.f64", double x, double y) { return x != x || y != y ? NAN_F64 : x > y ? x - y : 0.0; }

/* In double any float times a power of two is exact down to the one rounding at the end. */
EXPORT(float, ldexp_f32, "ldexp.f32", float x, i32 n)
{
    n = n < -300 ? -300 : n > 300 ? 300 : n;
    return (float)((double)x * power_of_two_f64(n));
}
/* The first factor takes the number where the second rounds at most once. */
EXPORT(double, ldexp_f64, "ldexp.f64", double x, i32 n)
{
    n = n < -2200 ? -2200 : n > 2200 ? 2200 : n;
    int down = n < -1022, up = n > 1023;
    double first = x * (down ? 0x1p-969 : up ? 0x1p1023 : 1.0);
    n = down ? n + 969 : up ? n - 1023 : n;
    down = n < -1022;
    up = n > 1023;
    first *= down ? 0x1p-969 : up ? 0x1p1023 : 1.0;
    n = down ? n + 969 : up ? n - 1023 : n;
    n = n < -1022 ? -1022 : n > 1023 ? 1023 : n;
    return first * power_of_two_f64(n);
}

/* floor(log2 |x|) for finite x other than 0. */
HELPER i32 exponent_f32(float x)
{
    u32 bits = bits_f32(x) & 0x7fffffff;
    int tiny = bits < 0x800000;
    bits = tiny ? bits_f32(from_bits_f32(bits) * 0x1p24f) : bits;
    return (i32)(bits >> 23) - 127 - (tiny ? 24 : 0);
}
HELPER i32 exponent_f64(double x)
{
    u64 bits = bits_f64(x) & 0x7ffffffffffffffful;
    int tiny = bits < 0x10000000000000ul;
    bits = tiny ? bits_f64(from_bits_f64(bits) * 0x1p54) : bits;
    return (i32)(bits >> 52) - 1023 - (tiny ? 54 : 0);
}
#define MAX_INT 0x7fffffff
EXPORT(i32, ilogb_f32, "ilogb.f32", float x)
{
    i32 result = choose_i32(abs_f32(x) < INF_F32, exponent_f32(x), MAX_INT);
    return choose_i32(x == 0.0f, -MAX_INT - 1, result);
}
EXPORT(i32, ilogb_f64, "ilogb.f64", double x)
{
    i32 result = choose_i32(abs_f64(x) < INF_F64, exponent_f64(x), MAX_INT);
    return choose_i32(x == 0.0, -MAX_INT - 1, result);
}
EXPORT(float, logb_f32, "logb.f32", float x)
{
    float a = abs_f32(x);
    return choose_f32(x == 0.0f, -INF_F32, choose_f32(a < INF_F32, (float)exponent_f32(x), a));
}
EXPORT(double, logb_f64, "logb.f64", double x)
{
    double a = abs_f64(x);
    return choose_f64(x == 0.0, -INF_F64, choose_f64(a < INF_F64, (double)exponent_f64(x), a));
}

/* frexp in two halves: x = mantissa 2^exponent, 1/2 <= |mantissa| < 1. */
EXPORT(float, frexp_mantissa_f32, "frexp_mantissa.f32", float x)
{
    int ordinary = (x != 0.0f) & (abs_f32(x) < INF_F32);
    float normal = abs_f32(x) < 0x1p-126f ? x * 0x1p24f : x;
    return choose_f32(ordinary, from_bits_f32((bits_f32(normal) & 0x807fffffu) | 0x3f000000u), x);
}
EXPORT(double, frexp_mantissa_f64, "frexp_mantissa.f64", double x)
{
    int ordinary = (x != 0.0) & (abs_f64(x) < INF_F64);
    double normal = abs_f64(x) < 0x1p-1022 ? x * 0x1p54 : x;
    return choose_f64(ordinary, from_bits_f64((bits_f64(normal) & 0x800ffffffffffffful) | 0x3fe0000000000000ul), x);
}
EXPORT(i32, frexp_exponent_f32, "frexp_exponent.f32", float x)
{
    return choose_i32((x != 0.0f) & (abs_f32(x) < INF_F32), exponent_f32(x) + 1, 0);
}
EXPORT(i32, frexp_exponent_f64, "frexp_exponent.f64", double x)
{
    return choose_i32((x != 0.0) & (abs_f64(x) < INF_F64), exponent_f64(x) + 1, 0);
}

/* Numbers in order are integers in order, once the negative ones are counted downwards. A step to zero keeps the sign. */
EXPORT(float, nextafter_f32, "nextafter.f32", float x, float y)
{
    i32 i = (i32)bits_f32(x), j = (i32)bits_f32(y);
    i = i < 0 ? (i32)(0x80000000u - (u32)i) : i;
    j = j < 0 ? (i32)(0x80000000u - (u32)j) : j;
    i32 next = i < j ? i + 1 : i > j ? i - 1 : i;
    int negative = (next < 0) | ((next == 0) & (int)(bits_f32(x) >> 31));
    next = choose_i32(negative, (i32)(0x80000000u - (u32)next), next);
    return choose_f32((x != x) | (y != y), NAN_F32, choose_f32(x == y, y, from_bits_f32((u32)next)));
}
EXPORT(double, nextafter_f64, "nextafter.f64", double x, double y)
{
    i64 i = (i64)bits_f64(x), j = (i64)bits_f64(y);
    i = i < 0 ? (i64)(0x8000000000000000ul - (u64)i) : i;
    j = j < 0 ? (i64)(0x8000000000000000ul - (u64)j) : j;
    i64 next = i < j ? i + 1 : i > j ? i - 1 : i;
    int negative = (next < 0) | ((next == 0) & (int)(bits_f64(x) >> 63));
    double result = choose_f64(negative, from_bits_f64(0x8000000000000000ul - (u64)next), from_bits_f64((u64)next));
    return choose_f64((x != x) | (y != y), NAN_F64, choose_f64(x == y, y, result));
}
EXPORT(_Float16, nextafter_f16, "nextafter.f16", _Float16 x, _Float16 y)
{
    i32 i = (i32)(short)__builtin_bit_cast(unsigned short, x), j = (i32)(short)__builtin_bit_cast(unsigned short, y);
    i = i < 0 ? -(i & 0x7fff) : i;
    j = j < 0 ? -(j & 0x7fff) : j;
    i32 next = i < j ? i + 1 : i > j ? i - 1 : i;
    int negative = (next < 0) | ((next == 0) & (__builtin_bit_cast(unsigned short, x) >> 15));
    u32 bits = negative ? 0x8000u | (u32)-next : (u32)next;
    bits = i == j ? (u32)__builtin_bit_cast(unsigned short, y) : bits;
    int nan = ((__builtin_bit_cast(unsigned short, x) & 0x7fff) > 0x7c00) | ((__builtin_bit_cast(unsigned short, y) & 0x7fff) > 0x7c00);
    return __builtin_bit_cast(_Float16, (unsigned short)(nan ? 0x7e00u : bits));
}

/* a b + c of halves, to be rounded to half: the product is exact, and the sum a float. Rounding it again is wrong only where it
 * lies between two halves as a float, or is that of a denormal half: there it is first rounded to odd, which keeps all that the
 * second rounding asks for. */
EXPORT(float, fma_odd_f32, "fma_odd.f32", float a, float b, float c)
{
    float s = mad_f32(a, b, c);
    u32 bits = bits_f32(s);
    if (__builtin_expect((bits & 0x1fff) == 0x1000 || 2 * bits - 1 < 2 * 0x38800000u - 1, 0)) {
        float p = a * b, t = s - p;
        float error = (p - (s - t)) + (c - t);
        /* Away from zero by one step, or towards it, where the last bit is 0; straight-line code, which masks skip as a whole. */
        i32 step = (error > 0.0f) - (error < 0.0f), sign = (i32)bits >> 31;
        s = from_bits_f32(bits + (u32)(((step ^ sign) - sign) & -(i32)(~bits & 1)));
    }
    return s;
}

#ifdef WITHOUT_FMA
EXPORT(float, fma_once_f32, "fma.f32", float a, float b, float c) { return fma_f32(a, b, c); }
EXPORT(double, fma_once_f64, "fma.f64", double a, double b, double c) { return fma_f64(a, b, c); }
#endif
