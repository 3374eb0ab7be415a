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

/* log(1 + f) - f for 0.75 <= 1 + f < 1.5. */
HELPER float log_minus_f32(float f) { return f * f * fma_f32(poly_log_f32(f), f, -0.5f); }
/* log(1 + f). */
HELPER float log_fraction_f32(float f) { return fma_f32(f * f, fma_f32(poly_log_f32(f), f, -0.5f), f); }

/* The second part of ln 2 is too small to matter here, and below in log2: k is 0, or the result far larger. What has no ordinary
 * logarithm makes itself felt through k and m. */
EXPORT(float, log_f32, "log.f32", float x)
{
    float f = fraction_f32(x) - 1.0f, k = fraction_exponent_f32(x);
    return fma_f32(k, LN2_F32_0, log_fraction_f32(f));
}
EXPORT(float, log2_f32, "log2.f32", float x)
{
    float f = fraction_f32(x) - 1.0f, k = fraction_exponent_f32(x);
    float p = fma_f32(f * f, poly_log2_f32(f), f * LOG2E_F32_1);
    return k + fma_f32(f, LOG2E_F32_0, p);
}
EXPORT(float, log10_f32, "log10.f32", float x)
{
    float f = fraction_f32(x) - 1.0f, k = fraction_exponent_f32(x);
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
    return fma_f32(k, LN2_F32_0, log_fraction_f32(f));
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

/* log2(x) for positive finite x as two floats, with an error below 2^-29 of it: two atanh(s), s and what its division left. */
HELPER ff log2_extended_f32(float x)
{
    i32 n;
    float f = split_f32(x, &n) - 1.0f, d = 2.0f + f, inverse = 1.0f / d;
    float s = f * inverse, z = s * s;
    float s_low = fma_f32(-s, f - (d - 2.0f), fma_f32(-s, d, f)) * inverse;
    float h = s * TWO_LOG2E_F32_0, h_low = fma_f32(s, TWO_LOG2E_F32_0, -h);
    h_low += fma_f32(s, TWO_LOG2E_F32_1, fma_f32(s_low, TWO_LOG2E_F32_0, s * z * poly_log2_f32_tail(z)));
    float k = (float)n, v = k + h;
    return fast_two_sum_f32(v, (h - (v - k)) + h_low);
}

/* The same with an error below 2^-64 of it, and a second part that may be as large as an ulp of the first. The cubic term is a
 * product of two doubles as well. */
HELPER dd log2_extended_f64(double x)
{
    i32 n;
    double f = split_f64(x, &n) - 1.0, d = 2.0 + f, inverse = 1.0 / d;
    double s = f * inverse, z = s * s;
    double s_low = fma_f64(-s, f - (d - 2.0), fma_f64(-s, d, f)) * inverse;
    double z_low = fma_f64(2.0 * s, s_low, fma_f64(s, s, -z));
    double q = z * poly_log2_f64_tail(z), w = CUBIC_LOG2E_F64_0 + q;
    double w_low = (q - (w - CUBIC_LOG2E_F64_0)) + CUBIC_LOG2E_F64_1;
    double cube = s * z, cube_low = fma_f64(s, z, -cube) + fma_f64(s, z_low, s_low * z);
    double t = cube * w, t_low = fma_f64(cube, w, -t) + fma_f64(cube, w_low, cube_low * w);
    double h = s * TWO_LOG2E_F64_0, h_low = fma_f64(s, TWO_LOG2E_F64_0, -h);
    h_low += fma_f64(s, TWO_LOG2E_F64_1, s_low * TWO_LOG2E_F64_0);
    double u = h + t, u_low = (t - (u - h)) + (h_low + t_low);
    double k = n, v = k + u;
    return (dd){v, (u - (v - k)) + u_low};
}
