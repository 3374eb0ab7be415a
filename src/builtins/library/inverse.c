/* asin, acos, atan, atan2 and their forms in half turns; the inverse hyperbolic functions. */
#include "common.h"

/* atan(y / x) for y, x >= 0 not both zero, as base + atan(num / den) with |num / den| <= tan(pi / 8): one division. */
HELPER float atan_ratio_f32(float y, float x)
{
    int small = y <= 0.41421356f * x, large = y >= 2.4142135f * x;
    float num = small ? y : large ? -x : y - x;
    float den = small ? x : large ? y : y + x;
    float base = small ? 0.0f : large ? PI_2_F32_0 : PI_4_F32_0;
    float low = small ? 0.0f : large ? PI_2_F32_1 : PI_4_F32_1;
    float t = num / den, z = t * t;
    return base + (low + fma_f32(poly_atan_f32(z) * z, t, t));
}
HELPER double atan_ratio_f64(double y, double x)
{
    int small = y <= 0.41421356237309503 * x, large = y >= 2.4142135623730949 * x;
    double num = small ? y : large ? -x : y - x;
    double den = small ? x : large ? y : y + x;
    double base = small ? 0.0 : large ? PI_2_F64_0 : PI_4_F64_0;
    double low = small ? 0.0 : large ? PI_2_F64_1 : PI_4_F64_1;
    double t = num / den, z = t * t;
    return base + (low + fma_f64(poly_atan_f64(z) * z, t, t));
}

HELPER float atan_core_f32(float x)
{
    float a = abs_f32(x);
    return copysign_f32_(choose_f32(a > 0x1p30f, PI_2_F32_0, atan_ratio_f32(a, 1.0f)), x) + (x == x ? 0.0f : x);
}
HELPER double atan_core_f64(double x)
{
    double a = abs_f64(x);
    return copysign_f64_(choose_f64(a > 0x1p60, PI_2_F64_0, atan_ratio_f64(a, 1.0)), x) + (x == x ? 0.0 : x);
}
EXPORT(float, atan_f32, "atan.f32", float x) { return choose_f32(x == 0.0f, x, atan_core_f32(x)); }
EXPORT(double, atan_f64, "atan.f64", double x) { return choose_f64(x == 0.0, x, atan_core_f64(x)); }

/* Rare numbers are exchanged for others in the same direction: large and small ones by a power of two, infinities and
 * zeros by ones. */
HELPER float atan2_core_f32(float y, float x)
{
    float a = abs_f32(y), b = abs_f32(x), large = a > b ? a : b;
    if (__builtin_expect(!(large >= 0x1p-90f && large < 0x1p100f), 0)) {
        float s = large < 0x1p-90f ? 0x1p36f : 0x1p-30f;
        int above = a == INF_F32, right = b == INF_F32 || large == 0.0f;
        float up = above ? 1.0f : a * s, along = right ? 1.0f : b * s;
        a = right && !above ? 0.0f : up;
        b = above && !right ? 0.0f : along;
        a = x != x || y != y ? NAN_F32 : a;
    }
    float angle = atan_ratio_f32(a, b);
    /* A right angle is one on both sides; between two of them the sum is not exact. */
    angle = bits_f32(x) >> 31 && b != 0.0f ? PI_F32_0 - (angle - PI_F32_1) : angle;
    return copysign_f32_(angle, y);
}
HELPER double atan2_core_f64(double y, double x)
{
    double a = abs_f64(y), b = abs_f64(x), large = a > b ? a : b;
    if (__builtin_expect(!(large >= 0x1p-800 && large < 0x1p900), 0)) {
        double s = large < 0x1p-800 ? 0x1p220 : 0x1p-200;
        int above = a == INF_F64, right = b == INF_F64 || large == 0.0;
        double up = above ? 1.0 : a * s, along = right ? 1.0 : b * s;
        a = right && !above ? 0.0 : up;
        b = above && !right ? 0.0 : along;
        a = x != x || y != y ? NAN_F64 : a;
    }
    double angle = atan_ratio_f64(a, b);
    /* A right angle is one on both sides; between two of them the sum is not exact. */
    angle = bits_f64(x) >> 63 && b != 0.0 ? PI_F64_0 - (angle - PI_F64_1) : angle;
    return copysign_f64_(angle, y);
}
EXPORT(float, atan2_f32, "atan2.f32", float y, float x) { return atan2_core_f32(y, x); }
EXPORT(double, atan2_f64, "atan2.f64", double y, double x) { return atan2_core_f64(y, x); }

HELPER float over_pi_f32(float angle) { return fma_f32(angle, INV_PI_F32_0, angle * INV_PI_F32_1); }
HELPER double over_pi_f64(double angle) 
{
    return choose_f64(angle == 0.0, angle, fma_f64(angle, INV_PI_F64_0, angle * INV_PI_F64_1));
}
EXPORT(float, atanpi_f32, "atanpi.f32", float x) { return choose_f32(x == 0.0f, x, over_pi_f32(atan_core_f32(x))); }
EXPORT(double, atanpi_f64, "atanpi.f64", double x) { return choose_f64(x == 0.0, x, over_pi_f64(atan_core_f64(x))); }
EXPORT(float, atan2pi_f32, "atan2pi.f32", float y, float x) { return over_pi_f32(atan2_core_f32(y, x)); }
EXPORT(double, atan2pi_f64, "atan2pi.f64", double y, double x) { return over_pi_f64(atan2_core_f64(y, x)); }

/* asin(t) for |t| <= 1/2. */
HELPER float asin_kernel_f32(float t, float z) { return fma_f32(poly_asin_f32(z) * z, t, t); }
HELPER double asin_kernel_f64(double t, double z) { return fma_f64(poly_asin_f64(z) * z, t, t); }

HELPER float asin_core_f32(float x)
{
    float a = abs_f32(x);
    int large = a > 0.5f;
    float z = large ? fma_f32(a, -0.5f, 0.5f) : a * a;
    float t = large ? __builtin_sqrtf(z) : a;
    float p = asin_kernel_f32(t, z);
    return copysign_f32_(large ? fma_f32(p, -2.0f, PI_2_F32_0) : p, x);
}
HELPER float acos_core_f32(float x)
{
    float a = abs_f32(x);
    int large = a > 0.5f;
    float z = large ? fma_f32(a, -0.5f, 0.5f) : a * a;
    float t = large ? __builtin_sqrtf(z) : x;
    float p = asin_kernel_f32(t, z);
    return large ? (x < 0.0f ? PI_F32_0 + (PI_F32_1 - 2.0f * p) : 2.0f * p) : PI_2_F32_0 - (p - PI_2_F32_1);
}
HELPER double asin_core_f64(double x)
{
    double a = abs_f64(x);
    int large = a > 0.5;
    double z = large ? fma_f64(a, -0.5, 0.5) : a * a;
    double t = large ? __builtin_sqrt(z) : a;
    double p = asin_kernel_f64(t, z);
    return copysign_f64_(large ? PI_2_F64_0 - (2.0 * p - PI_2_F64_1) : p, x);
}
HELPER double acos_core_f64(double x)
{
    double a = abs_f64(x);
    int large = a > 0.5;
    double z = large ? fma_f64(a, -0.5, 0.5) : a * a;
    double t = large ? __builtin_sqrt(z) : x;
    double p = asin_kernel_f64(t, z);
    return large ? (x < 0.0 ? PI_F64_0 + (PI_F64_1 - 2.0 * p) : 2.0 * p) : PI_2_F64_0 - (p - PI_2_F64_1);
}
EXPORT(float, asin_f32, "asin.f32", float x) { return asin_core_f32(x); }
EXPORT(float, acos_f32, "acos.f32", float x) { return acos_core_f32(x); }
EXPORT(float, asinpi_f32, "asinpi.f32", float x) { return over_pi_f32(asin_core_f32(x)); }
EXPORT(float, acospi_f32, "acospi.f32", float x) { return over_pi_f32(acos_core_f32(x)); }
EXPORT(double, asin_f64, "asin.f64", double x) { return asin_core_f64(x); }
EXPORT(double, acos_f64, "acos.f64", double x) { return acos_core_f64(x); }
EXPORT(double, asinpi_f64, "asinpi.f64", double x) { return over_pi_f64(asin_core_f64(x)); }
EXPORT(double, acospi_f64, "acospi.f64", double x) { return over_pi_f64(acos_core_f64(x)); }

/* Inverse hyperbolic functions: the logarithm of 1 + t, where t is found without cancellation. */
EXPORT(float, asinh_f32, "asinh.f32", float x)
{
    float a = abs_f32(x);
    int large = a > 0x1p12f;
    float b = large ? 1.0f : a, s = b * b;
    float t = b + s / (1.0f + __builtin_sqrtf(s + 1.0f)), u = 1.0f + t;
    float result = log_sum_f32(large ? a : u, large ? 0.0f : t - (u - 1.0f), large ? 1 : 0);
    return a < INF_F32 ? copysign_f32_(result, x) : x;
}
EXPORT(float, acosh_f32, "acosh.f32", float x)
{
    float d = x - 1.0f;
    int large = x > 0x1p12f;
    float t = d + __builtin_sqrtf(fma_f32(d, d, 2.0f * d)), u = 1.0f + t;
    float result = log_sum_f32(large ? x : u, large ? 0.0f : t - (u - 1.0f), large ? 1 : 0);
    return x == INF_F32 ? x : x >= 1.0f ? result : NAN_F32;
}
EXPORT(double, asinh_f64, "asinh.f64", double x)
{
    double a = abs_f64(x);
    int large = a > 0x1p28;
    double b = large ? 1.0 : a, s = b * b;
    double t = b + s / (1.0 + __builtin_sqrt(s + 1.0)), u = 1.0 + t;
    double result = log_sum_f64(large ? a : u, large ? 0.0 : t - (u - 1.0), large ? 1 : 0);
    return a < INF_F64 ? copysign_f64_(result, x) : x;
}
EXPORT(double, acosh_f64, "acosh.f64", double x)
{
    double d = x - 1.0;
    int large = x > 0x1p28;
    double t = d + __builtin_sqrt(fma_f64(d, d, 2.0 * d)), u = 1.0 + t;
    double result = log_sum_f64(large ? x : u, large ? 0.0 : t - (u - 1.0), large ? 1 : 0);
    return x == INF_F64 ? x : x >= 1.0 ? result : NAN_F64;
}

/* What follows is exact before the division, but for 1 + a where the result is large enough: with (1 + a) / (1 - a)
 * near 2^k, 2 atanh(a) = k ln 2 + 2 atanh(s) for s = (1 + a - 2^k (1 - a)) / (1 + a + 2^k (1 - a)). */
EXPORT(float, atanh_f32, "atanh.f32", float x)
{
    float a = abs_f32(x), above = 1.0f + a, below = 1.0f - a;
    i32 k = (i32)(bits_f32(above) - bits_f32(below) + 0x400000u) >> 23;
    float power = power_of_two_f32(k & 31);
    float difference = a > 0.5f ? fma_f32(-power, below, above) : fma_f32(a, 1.0f + power, 1.0f - power);
    float s = difference / fma_f32(power, below, above), z = s * s;
    float half = 0.5f * (float)k;
    float result = fma_f32(half, LN2_F32_0, s + fma_f32(half, LN2_F32_1, s * z * poly_atanh_f32(z)));
    result = choose_f32(a == 1.0f, INF_F32, result);
    return choose_f32(a <= 1.0f, copysign_f32_(result, x), NAN_F32);
}
EXPORT(double, atanh_f64, "atanh.f64", double x)
{
    double a = abs_f64(x), above = 1.0 + a, below = 1.0 - a;
    i32 k = (i32)((i64)(bits_f64(above) - bits_f64(below) + 0x8000000000000ul) >> 52);
    double power = power_of_two_f64(k & 63);
    double difference = a > 0.5 ? fma_f64(-power, below, above) : fma_f64(a, 1.0 + power, 1.0 - power);
    double s = difference / fma_f64(power, below, above), z = s * s;
    double half = 0.5 * (double)k;
    double result = fma_f64(half, LN2_F64_0, s + fma_f64(half, LN2_F64_1, s * z * poly_atanh_f64(z)));
    result = choose_f64(a == 1.0, INF_F64, result);
    return choose_f64(a <= 1.0, copysign_f64_(result, x), NAN_F64);
}
