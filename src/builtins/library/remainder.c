/* fmod, remainder and the quotient bits of remquo: exact. The quotient in floating point, rounded towards zero, is
 * right or one too large as long as it has few enough bits; beyond that, so many of its bits at a time. */
#include "common.h"

#define INVALID_F32(x, y) (!(abs_f32(x) < INF_F32) || y == 0.0f || y != y)
#define INVALID_F64(x, y) (!(abs_f64(x) < INF_F64) || y == 0.0 || y != y)

/* |x| / |y| rounded towards zero where that is below 2^23 (2^52), and what is left of |x|. */
typedef struct {
    float quotient, rest;
    int far; /* the quotient is larger, or there is none */
} short_division_f32;
typedef struct {
    double quotient, rest;
    int far;
} short_division_f64;

HELPER short_division_f32 divide_short_f32(float a, float b)
{
    float ratio = a / b, q = __builtin_truncf(ratio), rest = fma_f32(-q, b, a);
    int more = rest < 0.0f;
    rest = more ? rest + b : rest;
    return (short_division_f32){more ? q - 1.0f : q, b == INF_F32 ? a : rest, !(ratio < 0x1p23f)};
}
HELPER short_division_f64 divide_short_f64(double a, double b)
{
    double ratio = a / b, q = __builtin_trunc(ratio), rest = fma_f64(-q, b, a);
    int more = rest < 0.0;
    rest = more ? rest + b : rest;
    return (short_division_f64){more ? q - 1.0 : q, b == INF_F64 ? a : rest, !(ratio < 0x1p52)};
}

/* The same for any finite a and any finite b above zero: 50 bits of the quotient at a time; the last of them are given. */
HELPER short_division_f64 divide_long(double a, double b)
{
    double multiple = b;
    while (multiple * 0x1p50 <= a)
        multiple *= 0x1p50;
    short_division_f64 d = divide_short_f64(a, multiple);
    while (multiple > b) {
        multiple *= 0x1p-50;
        d = divide_short_f64(d.rest, multiple);
    }
    return d;
}

EXPORT(float, fmod_f32, "fmod.f32", float x, float y)
{
    float a = abs_f32(x), b = abs_f32(y);
    short_division_f32 s = divide_short_f32(a, b);
    float rest = s.rest;
    if (__builtin_expect(s.far, 0)) {
        int invalid = INVALID_F32(x, y);
        short_division_f64 d = divide_long(invalid ? 0.0 : (double)a, invalid ? 1.0 : (double)b);
        rest = invalid ? NAN_F32 : (float)d.rest;
    }
    return copysign_f32_(rest, x);
}
EXPORT(double, fmod_f64, "fmod.f64", double x, double y)
{
    double a = abs_f64(x), b = abs_f64(y);
    short_division_f64 s = divide_short_f64(a, b);
    double rest = s.rest;
    if (__builtin_expect(s.far, 0)) {
        int invalid = INVALID_F64(x, y);
        short_division_f64 d = divide_long(invalid ? 0.0 : a, invalid ? 1.0 : b);
        rest = invalid ? NAN_F64 : d.rest;
    }
    return copysign_f64_(rest, x);
}

/* remquo: the remainder, and the low 7 bits of the quotient with its sign. */
typedef struct {
    float rest;
    i32 quotient;
} remquo_f32_result;
typedef struct {
    double rest;
    i32 quotient;
} remquo_f64_result;

/* The low 7 bits of a whole number below 2^23 (2^52). */
HELPER i32 low_bits_f32(float q) { return (i32)(q - 128.0f * __builtin_truncf(q * 0x1p-7f)); }
HELPER i32 low_bits_f64(double q) { return (i32)(q - 128.0 * __builtin_trunc(q * 0x1p-7)); }

HELPER remquo_f32_result remquo_core_f32(float x, float y)
{
    float a = abs_f32(x), divisor = abs_f32(y);
    short_division_f32 s = divide_short_f32(a, divisor);
    float rest = s.rest;
    i32 q;
    if (__builtin_expect(s.far, 0)) {
        int invalid = INVALID_F32(x, y);
        short_division_f64 d = divide_long(invalid ? 0.0 : (double)a, invalid ? 1.0 : (double)divisor);
        rest = invalid ? NAN_F32 : (float)d.rest;
        q = low_bits_f64(d.quotient);
    } else {
        q = low_bits_f32(s.quotient);
    }
    /* Up where twice the rest is beyond |y|, or equal to it and the quotient is odd. Twice the rest is exact, or infinite. */
    int up = 2.0f * rest > divisor || (2.0f * rest == divisor && (q & 1));
    float r = up ? rest - divisor : rest;
    q = (q + up) & 0x7f;
    int negative = (bits_f32(x) ^ bits_f32(y)) >> 31;
    return (remquo_f32_result){bits_f32(x) >> 31 ? -r : r, negative ? -q : q};
}
HELPER remquo_f64_result remquo_core_f64(double x, double y)
{
    double a = abs_f64(x), divisor = abs_f64(y);
    short_division_f64 s = divide_short_f64(a, divisor);
    double rest = s.rest;
    i32 q;
    if (__builtin_expect(s.far, 0)) {
        int invalid = INVALID_F64(x, y);
        short_division_f64 d = divide_long(invalid ? 0.0 : a, invalid ? 1.0 : divisor);
        rest = invalid ? NAN_F64 : d.rest;
        q = low_bits_f64(d.quotient);
    } else {
        q = low_bits_f64(s.quotient);
    }
    /* 2 rest may overflow, rest - (divisor - rest) may not, and its sign is right. */
    double over = rest - (divisor - rest);
    int up = over > 0.0 || (over == 0.0 && (q & 1));
    double r = up ? rest - divisor : rest;
    q = (q + up) & 0x7f;
    int negative = (int)((bits_f64(x) ^ bits_f64(y)) >> 63);
    return (remquo_f64_result){bits_f64(x) >> 63 ? -r : r, negative ? -q : q};
}
EXPORT(float, remainder_f32, "remainder.f32", float x, float y) { return remquo_core_f32(x, y).rest; }
EXPORT(double, remainder_f64, "remainder.f64", double x, double y) { return remquo_core_f64(x, y).rest; }
EXPORT(i32, remquo_quotient_f32, "remquo_quotient.f32", float x, float y) { return remquo_core_f32(x, y).quotient; }
EXPORT(i32, remquo_quotient_f64, "remquo_quotient.f64", double x, double y) { return remquo_core_f64(x, y).quotient; }
