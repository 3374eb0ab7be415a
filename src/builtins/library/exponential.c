/* exp, exp2, exp10, expm1: x = n ln 2 + r, a polynomial in r, two exact scalings (so that denormal results round once). */
#include "common.h"

/* exp(x) and exp(x + tail), |x| already clamped to where the result is finite, zero or infinite: what is left of x beside k ln 2,
 * where k and n are the same integer. */
HELPER float exp_rest_f32(float x, float *k, i32 *n)
{
    *k = round_product_f32(x, LOG2E_F32_0, n);
    return fma_f32(-*k, LN2_F32_1, fma_f32(-*k, LN2_F32_0, x));
}
HELPER double exp_rest_f64(double x, double *k, i32 *n)
{
    *k = round_product_f64(x, LOG2E_F64_0, n);
    return fma_f64(-*k, LN2_F64_1, fma_f64(-*k, LN2_F64_0, x));
}
HELPER float exp_scaled_f32(float r, float k)
{
    return scale_f32(mad_f32(mad_f32(poly_exp_f32(r), r, 1.0f), r, 1.0f), k);
}
HELPER double exp_scaled_f64(double r, double k)
{
    return scale_f64(mad_f64(mad_f64(poly_exp_f64(r), r, 1.0), r, 1.0), k);
}

HELPER float exp_core_f32(float x)
{
    float k;
    i32 n;
    float r = exp_rest_f32(x, &k, &n);
    return exp_scaled_f32(r, k);
}
HELPER double exp_core_f64(double x)
{
    double k;
    i32 n;
    double r = exp_rest_f64(x, &k, &n);
    return exp_scaled_f64(r, k);
}
HELPER float exp_tail_f32(float x, float tail)
{
    float k;
    i32 n;
    float r = exp_rest_f32(x, &k, &n);
    return exp_scaled_f32(r + tail, k);
}
HELPER double exp_tail_f64(double x, double tail)
{
    double k;
    i32 n;
    double r = exp_rest_f64(x, &k, &n);
    return exp_scaled_f64(r + tail, k);
}

EXPORT(float, exp_f32, "exp.f32", float x) { return exp_core_f32(clamp_f32_(x, -105.0f, 90.0f)); }
EXPORT(double, exp_f64, "exp.f64", double x) { return exp_core_f64(clamp_f64_(x, -750.0, 711.0)); }

EXPORT(float, exp2_f32, "exp2.f32", float x)
{
    i32 n;
    x = clamp_f32_(x, -152.0f, 129.0f);
    float k = round_f32_(x, &n), r = x - k;
    return scale_f32(fma_f32(poly_exp2_f32(r), r, 1.0f), k);
}
HELPER double exp2_core_f64(double x, double tail)
{
    i32 n;
    double k = round_f64_(x, &n), r = (x - k) + tail;
    return scale_f64(fma_f64(poly_exp2_f64(r), r, 1.0), k);
}
EXPORT(double, exp2_f64, "exp2.f64", double x)
{
    i32 n;
    x = clamp_f64_(x, -1080.0, 1025.0);
    double k = round_f64_(x, &n), r = x - k;
    return scale_f64(fma_f64(poly_exp2_f64(r), r, 1.0), k);
}

EXPORT(float, exp10_f32, "exp10.f32", float x)
{
    i32 n;
    x = clamp_f32_(x, -46.0f, 39.0f);
    float k = round_product_f32(x, LOG2_10_F32_0, &n);
    float r = fma_f32(-k, LOG10_2_F32_0, x);
    r = fma_f32(-k, LOG10_2_F32_1, r);
    r = fma_f32(r, LN10_F32_0, r * LN10_F32_1);
    return exp_scaled_f32(r, k);
}
EXPORT(double, exp10_f64, "exp10.f64", double x)
{
    i32 n;
    x = clamp_f64_(x, -325.0, 309.0);
    double k = round_product_f64(x, LOG2_10_F64_0, &n);
    double r = fma_f64(-k, LOG10_2_F64_0, x);
    r = fma_f64(-k, LOG10_2_F64_1, r);
    r = fma_f64(r, LN10_F64_0, r * LN10_F64_1);
    return exp_scaled_f64(r, k);
}

/* exp(x) - 1 = 2^n (exp(r) - 1) + (2^n - 1); n is kept low enough for 2^n to be finite, and the rest is doubled at the end. */
HELPER float expm1_core_f32(float x)
{
    float k;
    i32 n;
    float r = exp_rest_f32(x, &k, &n);
    float p = fma_f32(poly_exp_f32(r), r * r, r);
    float s = power_of_two_f32(n - 1);
    return 2.0f * fma_f32(s, p, s - 0.5f);
}
EXPORT(float, expm1_f32, "expm1.f32", float x)
{
    float result = expm1_core_f32(clamp_f32_(x, -20.0f, 89.0f));
    return x == 0.0f ? x : result;
}
HELPER double expm1_core_f64(double x)
{
    i32 n;
    double k = round_product_f64(x, LOG2E_F64_0, &n);
    double r = fma_f64(-k, LN2_F64_0, x);
    double low = k * LN2_F64_1;
    double rr = r - low;
    double c = (r - rr) - low;
    double p = fma_f64(poly_exp_f64(rr), rr * rr, rr + c);
    p = n == 0 ? fma_f64(poly_exp_f64(rr), rr * rr, rr) : p;
    double s = power_of_two_f64(n - 1);
    return 2.0 * fma_f64(s, p, s - 0.5);
}
EXPORT(double, expm1_f64, "expm1.f64", double x)
{
    double result = expm1_core_f64(clamp_f64_(x, -50.0, 710.0));
    return abs_f64(x) < 0x1p-54 ? x : result;
}

