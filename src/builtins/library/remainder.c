/* fmod, remainder and the quotient bits of remquo: exact. The quotient in floating point, rounded towards zero, is right or one too
 * large as long as it has few enough bits; beyond that, integer division of the mantissas in steps. */
#include "common.h"

typedef struct {
    u64 rest, quotient; /* of m_x 2^(e_x) by m_y 2^(e_y); the rest counts units of 2^(e_y), the quotient is modulo 2^64 */
} division;

/* mx 2^shift divided by my, `step` bits at a time: my < 2^(64 - step). */
HELPER division divide_shifted(u64 mx, u64 my, i32 shift, i32 step)
{
    division d = {mx % my, mx / my};
    while (shift > 0) {
        i32 now = shift < step ? shift : step;
        u64 numerator = d.rest << now;
        d.quotient = (d.quotient << now) + numerator / my;
        d.rest = numerator % my;
        shift -= now;
    }
    return d;
}

HELPER u64 mantissa_f32(u32 bits, i32 *e)
{
    i32 field = (i32)((bits >> 23) & 0xff);
    *e = field ? field : 1;
    return (bits & 0x7fffff) | (field ? 0x800000 : 0);
}
HELPER u64 mantissa_f64(u64 bits, i32 *e)
{
    i32 field = (i32)((bits >> 52) & 0x7ff);
    *e = field ? field : 1;
    return (bits & 0xffffffffffffful) | (field ? 0x10000000000000ul : 0);
}

/* |x| / |y| for finite x and finite y other than 0. */
HELPER division divide_f32(float x, float y, i32 *e)
{
    i32 ex, ey;
    u64 mx = mantissa_f32(bits_f32(x), &ex), my = mantissa_f32(bits_f32(y), &ey);
    *e = ex < ey ? ex : ey;
    /* Where y is far larger the quotient is 0, and the rest is x in its own units. */
    if (ex < ey)
        return ey - ex > 30 ? (division){mx, 0} : divide_shifted(mx, my << (ey - ex), 0, 32);
    *e = ey;
    return divide_shifted(mx, my, ex - ey, 40);
}
HELPER division divide_f64(double x, double y, i32 *e)
{
    i32 ex, ey;
    u64 mx = mantissa_f64(bits_f64(x), &ex), my = mantissa_f64(bits_f64(y), &ey);
    *e = ex < ey ? ex : ey;
    if (ex < ey)
        return ey - ex > 10 ? (division){mx, 0} : divide_shifted(mx, my << (ey - ex), 0, 11);
    return divide_shifted(mx, my, ex - ey, 11);
}

/* m 2^(e - 150): m is below 2^24 for every m that occurs, so the product is exact. */
HELPER float join_f32(u64 m, i32 e)
{
    double value = (double)m * power_of_two_f64(e - 150);
    return (float)value;
}
HELPER double join_f64(u64 m, i32 e)
{
    i32 half = (e - 1075) / 2;
    return (double)m * power_of_two_f64(half) * power_of_two_f64(e - 1075 - half);
}

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

EXPORT(float, fmod_f32, "fmod.f32", float x, float y)
{
    short_division_f32 s = divide_short_f32(abs_f32(x), abs_f32(y));
    float rest = s.rest;
    if (__builtin_expect(s.far, 0)) {
        if (INVALID_F32(x, y))
            return NAN_F32;
        i32 e;
        division d = divide_f32(x, y, &e);
        rest = join_f32(d.rest, e);
    }
    return copysign_f32_(rest, x);
}
EXPORT(double, fmod_f64, "fmod.f64", double x, double y)
{
    short_division_f64 s = divide_short_f64(abs_f64(x), abs_f64(y));
    double rest = s.rest;
    if (__builtin_expect(s.far, 0)) {
        if (INVALID_F64(x, y))
            return NAN_F64;
        i32 e;
        division d = divide_f64(x, y, &e);
        rest = join_f64(d.rest, e);
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
    float divisor = abs_f32(y);
    short_division_f32 s = divide_short_f32(abs_f32(x), divisor);
    float rest = s.rest;
    i32 q = 0;
    if (__builtin_expect(s.far, 0)) {
        if (INVALID_F32(x, y))
            return (remquo_f32_result){NAN_F32, 0};
        i32 e;
        division d = divide_f32(x, y, &e);
        rest = join_f32(d.rest, e);
        q = (i32)(d.quotient & 0x7f);
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
    double divisor = abs_f64(y);
    short_division_f64 s = divide_short_f64(abs_f64(x), divisor);
    double rest = s.rest;
    i32 q = 0;
    if (__builtin_expect(s.far, 0)) {
        if (INVALID_F64(x, y))
            return (remquo_f64_result){NAN_F64, 0};
        i32 e;
        division d = divide_f64(x, y, &e);
        rest = join_f64(d.rest, e);
        q = (i32)(d.quotient & 0x7f);
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
