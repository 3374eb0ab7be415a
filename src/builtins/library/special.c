/* erf, erfc, tgamma, lgamma. */
#include "common.h"

EXPORT(float, erf_f32, "erf.f32", float x)
{
    float a = abs_f32(x), z = a * a;
    float b = a > 4.0f ? 4.0f : a;
    float small = x * poly_erf_f32(z);
    float large = 1.0f - exp_core_f32(-b * poly_log_erfc_f32(b));
    float result = a < 0.92f ? small : copysign_f32_(large, x);
    return x != x ? x : result;
}

EXPORT(double, erf_f64, "erf.f64", double x)
{
    double a = abs_f64(x), b = a > 6.0 ? 6.0 : a;
    double small = x * poly_erf_f64(a * a);
    double t = 1.0 / fma_f64(0.25, b, 1.0);
    double large = fma_f64(-exp_core_f64(-b * b), poly_erf_f64_tail(t - 0.5) * t, 1.0);
    double result = a < 0.92 ? small : copysign_f64_(large, x);
    return x != x ? x : result;
}
EXPORT(double, erfc_f64, "erfc.f64", double x)
{
    double a = abs_f64(x);
    a = a > 28.0 ? 28.0 : a;
    double t = 1.0 / fma_f64(0.25, a, 1.0), square = a * a;
    double e = exp_tail_f64(-square, -fma_f64(a, a, -square));
    double result = e * (poly_erfc_f64(t - 0.5) * t);
    return x < 0.0 ? 2.0 - result : result;
}
EXPORT(float, erfc_f32, "erfc.f32", float x)
{
    float a = abs_f32(x);
    a = a > 10.25f ? 10.25f : a;
    float t = 1.0f / fma_f32(0.4f, a, 1.0f), square = a * a;
    float e = exp_tail_f32(-square, -fma_f32(a, a, -square));
    float result = e * (poly_erfc_f32(t - 0.5f) * t);
    return x < 0.0f ? 2.0f - result : result;
}

/* |sin(pi x)| for any finite x. */
HELPER double abs_sinpi(double x)
{
    return abs_f64(half_wave_f64(x - __builtin_rint(x)));
}

/* Gamma(x) 2^-shift for x >= 1/2 by Stirling's series, after a step up to 10 where x is small. */
HELPER double gamma_positive(double x, double shift)
{
    double product = 1.0, lost = 0.0;
    while (x < 10.0) {
        dd next = two_sum(x, 1.0);
        product *= x;
        lost += next.lo;
        x = next.hi;
    }
    x = x > 190.0 ? 190.0 : x;
    double s = poly_stirling_f64(1.0 / (x * x)) / x;
    /* x^(x - 1/2) exp(-x) = exp2((x - 1/2) log2 x - x log2 e), in two doubles. */
    dd log2_x = log2_extended_f64(x), l = dd_multiply(log2_x, (dd){x - 0.5, 0.0});
    dd e = dd_multiply((dd){-x, 0.0}, (dd){LOG2E_F64_0, LOG2E_F64_1});
    dd sum = dd_add(dd_add(l, e), (dd){-shift, 0.0});
    /* What the steps lost of x counts with the derivative of the exponent. */
    double tail = fma_f64(lost, log2_x.hi - 0.5 * LOG2E_F64_0 / x, fma_f64(s, LOG2E_F64_0, sum.lo));
    double p = exp2_core_f64(sum.hi, tail);
    return p * (SQRT_2PI_F64_0 / product);
}
HELPER double tgamma_core(double x)
{
    int reflect = x < 0.5;
    double result = gamma_positive(reflect ? 1.0 - x : x, 0.0);
    if (reflect) {
        /* -x rather than 1 - x, which rounds: Gamma(1 - x) = -x Gamma(-x). */
        double tiny = abs_f64(x) < 0x1p-60 ? 1.0 : 0.0;
        double a = abs_sinpi(x);
        int odd = parity_f64(__builtin_floor(x)) == 1;
        result = x < -0.5 ? PI_F64_0 / (a * -x) / gamma_positive(-x, 200.0) * 0x1p-200 : PI_F64_0 / (a * result);
        result = odd ? -result : result;
        result = tiny != 0.0 ? 1.0 / x : result;
    }
    result = x > 172.0 ? INF_F64 : result;
    result = x < -185.0 ? copysign_f64_(0.0, result) : result;
    result = x < 0.0 && x == __builtin_trunc(x) ? NAN_F64 : result;
    result = x == -INF_F64 ? NAN_F64 : result;
    return x != x ? x : result;
}
EXPORT(double, tgamma_f64, "tgamma.f64", double x) { return x == 0.0 ? copysign_f64_(INF_F64, x) : tgamma_core(x); }
EXPORT(float, tgamma_f32, "tgamma.f32", float x)
{
    return x == 0.0f ? copysign_f32_(INF_F32, x) : (float)tgamma_core((double)x);
}

/* log |Gamma(x)| for x >= 1/2: around 1 and 2 by a polynomial that keeps the zeros, else as for gamma. */
HELPER double lgamma_positive(double x)
{
    if (x < 2.5) {
        double shift = x < 1.5 ? x - 1.0 : x - 2.0;
        double result = shift * poly_lgamma_f64(shift);
        return x < 1.5 ? result - log1p_f64(shift) : result;
    }
    double product = 1.0;
    while (x < 10.0) {
        product *= x;
        x += 1.0;
    }
    double s = poly_stirling_f64(1.0 / (x * x)) / x;
    double l = log_f64(x);
    return fma_f64(x - 0.5, l - 1.0, s + (LN_SQRT_2PI_F64_0 - 0.5)) - log_f64(product);
}
HELPER double lgamma_core(double x)
{
    double a = abs_f64(x), result = lgamma_positive(x < 0.5 ? 1.0 - x : x);
    if (x < 0.5)
        result = log_f64(PI_F64_0 / abs_sinpi(x)) - result;
    result = a < 0x1p-60 ? -log_f64(a) : result;
    result = x <= 0.0 && x == __builtin_trunc(x) ? INF_F64 : result;
    result = a == INF_F64 ? INF_F64 : result;
    return x != x ? x : result;
}
EXPORT(double, lgamma_f64, "lgamma.f64", double x) { return lgamma_core(x); }
EXPORT(float, lgamma_f32, "lgamma.f32", float x) { return (float)lgamma_core((double)x); }

/* The sign of Gamma(x), 0 at its poles, zero among them: what lgamma_r stores. */
EXPORT(i32, lgamma_sign_f64, "lgamma_sign.f64", double x)
{
    int pole = x <= 0.0 && x == __builtin_trunc(x);
    int negative = x < 0.0 && parity_f64(__builtin_floor(x)) == 1;
    return pole ? 0 : negative ? -1 : 1;
}
EXPORT(i32, lgamma_sign_f32, "lgamma_sign.f32", float x) { return lgamma_sign_f64((double)x); }
