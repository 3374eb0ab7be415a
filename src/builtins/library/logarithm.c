/* log, log2, log10, log1p, and the pieces of pow: x = m 2^k with m near 1. */
#include "common.h"

/* The results for arguments that have no ordinary logarithm. */
HELPER float log_special_f32(float x, float result)
{
    result = x == 0.0f ? -INF_F32 : result;
    result = x == INF_F32 ? INF_F32 : result;
    return x >= 0.0f ? result : NAN_F32;
}
HELPER double log_special_f64(double x, double result)
{
    result = x == 0.0 ? -INF_F64 : result;
    result = x == INF_F64 ? INF_F64 : result;
    return x >= 0.0 ? result : NAN_F64;
}

/* log(1 + f) - f for sqrt(1/2) <= 1 + f < sqrt(2). */
HELPER float log_minus_f32(float f) { return f * f * fma_f32(poly_log_f32(f), f, -0.5f); }

EXPORT(float, log_f32, "log.f32", float x)
{
    i32 n;
    float f = split_f32(x, &n) - 1.0f, k = (float)n;
    float result = fma_f32(k, LN2_F32_0, f + fma_f32(k, LN2_F32_1, log_minus_f32(f)));
    return log_special_f32(x, result);
}
EXPORT(float, log2_f32, "log2.f32", float x)
{
    i32 n;
    float f = split_f32(x, &n) - 1.0f, k = (float)n;
    float p = fma_f32(f * f, poly_log2_f32(f), f * LOG2E_F32_1);
    float result = k + fma_f32(f, LOG2E_F32_0, p);
    return log_special_f32(x, result);
}
EXPORT(float, log10_f32, "log10.f32", float x)
{
    i32 n;
    float f = split_f32(x, &n) - 1.0f, k = (float)n;
    float q = log_minus_f32(f);
    float p = fma_f32(f, LOG10E_F32_1, fma_f32(k, LOG10_2_F32_1, q * LOG10E_F32_0));
    float result = fma_f32(k, LOG10_2_F32_0, fma_f32(f, LOG10E_F32_0, p));
    return log_special_f32(x, result);
}
/* log(1 + t) + more ln 2 for normal u, which is 1 + t rounded, and c = t - (u - 1): what was lost is put back into the
 * fraction, scaled, so that nothing is divided. */
HELPER float log_sum_f32(float u, float c, i32 more)
{
    i32 n;
    float m = split_normal_f32(u, &n), k = (float)(n + more);
    float f = fma_f32(c, power_of_two_f32(n < 127 ? -n : -127), m - 1.0f);
    return fma_f32(k, LN2_F32_0, f + fma_f32(k, LN2_F32_1, log_minus_f32(f)));
}
EXPORT(float, log1p_f32, "log1p.f32", float x)
{
    float u = 1.0f + x;
    float result = log_special_f32(u, log_sum_f32(u, x - (u - 1.0f), 0));
    return x == 0.0f ? x : result;
}

/* log(m) - f, where f = m - 1, for sqrt(1/2) <= m < sqrt(2); the series in s = f / (2 + f) has only odd powers. */
HELPER double log_minus_f64(double f)
{
    double s = f / (2.0 + f), z = s * s, half = 0.5 * f * f;
    return s * fma_f64(z, poly_log_f64(z), half) - half;
}

EXPORT(double, log_f64, "log.f64", double x)
{
    i32 n;
    double f = split_f64(x, &n) - 1.0, k = n;
    double result = fma_f64(k, LN2_F64_0, f + fma_f64(k, LN2_F64_1, log_minus_f64(f)));
    return log_special_f64(x, result);
}
EXPORT(double, log2_f64, "log2.f64", double x)
{
    i32 n;
    double f = split_f64(x, &n) - 1.0, k = n;
    double q = log_minus_f64(f);
    dd head = two_product(f, LOG2E_F64_0);
    double tail = fma_f64(q, LOG2E_F64_0, fma_f64(f, LOG2E_F64_1, head.lo));
    dd sum = two_sum(k, head.hi);
    double result = sum.hi + (sum.lo + tail);
    return log_special_f64(x, result);
}
EXPORT(double, log10_f64, "log10.f64", double x)
{
    i32 n;
    double f = split_f64(x, &n) - 1.0, k = n;
    double q = log_minus_f64(f);
    double p = fma_f64(f, LOG10E_F64_1, fma_f64(k, LOG10_2_F64_1, q * LOG10E_F64_0));
    double result = fma_f64(k, LOG10_2_F64_0, fma_f64(f, LOG10E_F64_0, p));
    return log_special_f64(x, result);
}
HELPER double log_sum_f64(double u, double c, i32 more)
{
    i32 n;
    double m = split_normal_f64(u, &n), k = n + more;
    double f = fma_f64(c, power_of_two_f64(n < 1023 ? -n : -1023), m - 1.0);
    return fma_f64(k, LN2_F64_0, f + fma_f64(k, LN2_F64_1, log_minus_f64(f)));
}
EXPORT(double, log1p_f64, "log1p.f64", double x)
{
    double u = 1.0 + x;
    double result = log_special_f64(u, log_sum_f64(u, x - (u - 1.0), 0));
    return x == 0.0 ? x : result;
}

/* log2(x) for positive x with an error below 2^-36 of it: enough for any power whose result is a float. */
HELPER double log2_short(float x)
{
    i32 n;
    double f = split_f64((double)x, &n) - 1.0;
    double s = f / (2.0 + f);
    return mad_f64(s, poly_log_f64_short(s * s), (double)n);
}

/* log2(x) for positive finite x with an error below 2^-64 of it. */
HELPER dd log2_extended(double x)
{
    i32 n;
    double f = split_f64(x, &n) - 1.0;
    dd d = two_sum(2.0, f);
    double s = f / d.hi;
    double s_low = (fma_f64(-s, d.hi, f) - s * d.lo) / d.hi;
    dd sd = {s, s_low}, z = dd_multiply(sd, sd);
    dd third = {2.0 * THIRD_F64_0, 2.0 * THIRD_F64_1};
    dd q = dd_add(third, two_product(z.hi, poly_log_f64_tail(z.hi)));
    dd p = dd_add((dd){2.0 * sd.hi, 2.0 * sd.lo}, dd_multiply(dd_multiply(z, sd), q));
    return dd_add((dd){(double)n, 0.0}, dd_multiply(p, (dd){LOG2E_F64_0, LOG2E_F64_1}));
}
