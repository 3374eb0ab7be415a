/* sinh, cosh, tanh, from expm1. */
#include "common.h"

EXPORT(float, sinh_f32, "sinh.f32", float x)
{
    double t = expm1_core_f64(clamp_f64_(abs_f64((double)x), 0.0, 100.0));
    float result = (float)(0.5 * (t + t / (t + 1.0)));
    return x != x ? x : abs_f32(x) < 0x1p-12f ? x : copysign_f32_(result, x);
}
EXPORT(float, cosh_f32, "cosh.f32", float x)
{
    double e = exp_core_f64(clamp_f64_(abs_f64((double)x), 0.0, 100.0), 0.0);
    return x != x ? x : (float)(0.5 * e + 0.5 / e);
}
EXPORT(float, tanh_f32, "tanh.f32", float x)
{
    float a = abs_f32(x);
    float t = expm1_core_f32(2.0f * (a > 10.0f ? 10.0f : a));
    float result = t / (t + 2.0f);
    return x != x ? x : copysign_f32_(a < 0x1p-13f ? a : result, x);
}
/* exp(|x|) overflows before these do; half of it, scaled, does not. */
EXPORT(double, sinh_f64, "sinh.f64", double x)
{
    double a = abs_f64(x);
    int large = a > 36.0;
    double t = expm1_core_f64(large ? 36.0 : a);
    double e = exp_scaled_f64(a > 720.0 ? 720.0 : a, 0.0, -1);
    double result = large ? e : 0.5 * (t + t / (t + 1.0));
    return x != x ? x : copysign_f64_(a < 0x1p-28 ? a : result, x);
}
EXPORT(double, cosh_f64, "cosh.f64", double x)
{
    double a = abs_f64(x);
    int large = a > 36.0;
    double s = exp_core_f64(large ? 36.0 : a, 0.0);
    double e = exp_scaled_f64(a > 720.0 ? 720.0 : a, 0.0, -1);
    return x != x ? x : large ? e : 0.5 * s + 0.5 / s;
}
EXPORT(double, tanh_f64, "tanh.f64", double x)
{
    double a = abs_f64(x);
    double t = expm1_core_f64(2.0 * (a > 22.0 ? 22.0 : a));
    double result = t / (t + 2.0);
    return x != x ? x : copysign_f64_(a < 0x1p-28 ? a : result, x);
}
