/* sinh and cosh, and tanh from expm1. */
#include "common.h"

/* |x| = n ln 2 + r: sinh and cosh are sums of those of r, times 2^(n - 2) + 2^(-n - 2) and the difference of both, doubled. The
 * difference is zero for n = 0, so that nothing cancels near zero. */
typedef struct {
    float sum, difference; /* of the powers */
    float s, c;            /* sinh r, cosh r - 1 */
} hyperbolic_f32;
typedef struct {
    double sum, difference, s, c;
} hyperbolic_f64;
HELPER hyperbolic_f32 hyperbolic_split_f32(float x)
{
    float a = abs_f32(x);
    i32 n;
    a = a > 89.75f ? 89.75f : a;
    float k, r = exp_rest_f32(a, &k, &n), z = r * r, up = from_bits_f32((u32)(n + 125) << 23);
    float down = from_bits_f32((u32)(n > 125 ? 0 : 125 - n) << 23);
    return (hyperbolic_f32){up + down, up - down, fma_f32(poly_sinh_f32(z) * z, r, r), poly_cosh_f32(z) * z};
}
EXPORT(float, sinh_f32, "sinh.f32", float x)
{
    hyperbolic_f32 h = hyperbolic_split_f32(x);
    float result = h.difference + fma_f32(h.difference, h.c, h.sum * h.s);
    return copysign_f32_(2.0f * result, x);
}
EXPORT(float, cosh_f32, "cosh.f32", float x)
{
    hyperbolic_f32 h = hyperbolic_split_f32(x);
    return 2.0f * (h.sum + fma_f32(h.sum, h.c, h.difference * h.s));
}
EXPORT(float, tanh_f32, "tanh.f32", float x)
{
    float a = abs_f32(x);
    float t = expm1_core_f32(2.0f * (a > 10.0f ? 10.0f : a));
    float result = t / (t + 2.0f);
    return choose_f32(x != x, x, copysign_f32_(a < 0x1p-13f ? a : result, x));
}
HELPER hyperbolic_f64 hyperbolic_split_f64(double x)
{
    double a = abs_f64(x);
    i32 n;
    a = a > 710.6 ? 710.6 : a;
    double k, r = exp_rest_f64(a, &k, &n), z = r * r, up = from_bits_f64((u64)(i64)(n + 1021) << 52);
    double down = from_bits_f64((u64)(i64)(n > 1021 ? 0 : 1021 - n) << 52);
    return (hyperbolic_f64){up + down, up - down, fma_f64(poly_sinh_f64(z) * z, r, r), poly_cosh_f64(z) * z};
}
EXPORT(double, sinh_f64, "sinh.f64", double x)
{
    hyperbolic_f64 h = hyperbolic_split_f64(x);
    double result = h.difference + fma_f64(h.difference, h.c, h.sum * h.s);
    return copysign_f64_(2.0 * result, x);
}
EXPORT(double, cosh_f64, "cosh.f64", double x)
{
    hyperbolic_f64 h = hyperbolic_split_f64(x);
    return 2.0 * (h.sum + fma_f64(h.sum, h.c, h.difference * h.s));
}
EXPORT(double, tanh_f64, "tanh.f64", double x)
{
    double a = abs_f64(x);
    double t = expm1_core_f64(2.0 * (a > 22.0 ? 22.0 : a));
    double result = t / (t + 2.0);
    return choose_f64(x != x, x, copysign_f64_(a < 0x1p-28 ? a : result, x));
}
