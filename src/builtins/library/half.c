/* The half_ forms: right to far more than 8,192 units, with the special values of the full forms, denormals flushed,
 * and no branch. They also serve builds with unsafe optimisations, and functions of halves, whose 11 bits need no more:
 * half has neither denormals that are denormal here nor angles beyond 2^16. */
#include "common.h"

EXPORT(float, half_exp2_f32, "half_exp2.f32", float x)
{
    float result = native_exp2_f32(x);
    result = x < -126.0f ? 0.0f : result;
    return x != x ? x : result;
}
EXPORT(float, half_exp_f32, "half_exp.f32", float x) { return half_exp2_f32(x * LOG2E_F32_0); }
EXPORT(float, half_exp10_f32, "half_exp10.f32", float x) { return half_exp2_f32(x * LOG2_10_F32_0); }

HELPER float half_log_special(float x, float result)
{
    float other = x < 0.0f ? NAN_F32 : x == x ? -INF_F32 : x;
    result = x < INF_F32 ? result : x;
    return x >= 0x1p-126f ? result : other;
}
EXPORT(float, half_log2_f32, "half_log2.f32", float x) { return half_log_special(x, native_log2_f32(x)); }
EXPORT(float, half_log_f32, "half_log.f32", float x) { return half_log_special(x, native_log_f32(x)); }
EXPORT(float, half_log10_f32, "half_log10.f32", float x) { return half_log_special(x, native_log10_f32(x)); }

/* The magnitude of an angle up to 2^16 in quadrants, with three parts of pi/2: the float closest to a multiple of it keeps enough
 * digits. Larger angles have no meaning, but results that are sines: they are taken for 2^16. */
HELPER float half_reduce(float a, i32 *n)
{
    a = a > 0x1p16f && a < INF_F32 ? 0x1p16f : a;
    float k = round_f32_(a * (float)0.63661977236758134308, n);
    return fma_f32(-k, PI_2_F32_2, fma_f32(-k, PI_2_F32_1, fma_f32(-k, PI_2_F32_0, a)));
}
EXPORT(float, half_tan_f32, "half_tan.f32", float x)
{
    i32 n;
    float r = half_reduce(abs_f32(x), &n), z = r * r;
    float s = sin_kernel_f32(r, z), c = cos_kernel_f32(z);
    float value = n & 1 ? -c / s : s / c;
    return from_bits_f32(bits_f32(value) ^ (bits_f32(x) & 0x80000000u));
}

/* The same from multiples of pi, as for the full forms. */
HELPER u32 half_wave(float a, int cosine)
{
    i32 n;
    a = a > 0x1p16f && a < INF_F32 ? 0x1p16f : a;
    float k = round_f32_(mad_f32(a, INV_PI_F32_0, cosine ? -0.5f : 0.0f), &n) + (cosine ? 0.5f : 0.0f);
    float r = fma_f32(-k, PI_F32_2, fma_f32(-k, PI_F32_1, fma_f32(-k, PI_F32_0, a)));
    return sine_f32(r) ^ ((u32)(cosine ? ~n : n) << 31);
}
EXPORT(float, half_sin_f32, "half_sin.f32", float x)
{
    return from_bits_f32(half_wave(abs_f32(x), 0) ^ (bits_f32(x) & 0x80000000u));
}
EXPORT(float, half_cos_f32, "half_cos.f32", float x) { return from_bits_f32(half_wave(abs_f32(x), 1)); }

/* |x|^y: 2^(y log2 |x|) gives every special value of powr by itself. */
EXPORT(float, half_powr_f32, "half_powr.f32", float x, float y) { return half_exp2_f32(y * half_log2_f32(x)); }
EXPORT(float, half_pow_f32, "half_pow.f32", float x, float y)
{
    float result = half_powr_f32(abs_f32(x), y);
    if (__builtin_expect(!(x > 0.0f && x < INF_F32 && abs_f32(y) < INF_F32), 0))
        result = pow_special_f32(x, y, result);
    return result;
}
EXPORT(float, half_pown_f32, "half_pown.f32", float x, i32 y)
{
    return pown_special_f32(x, y, half_powr_f32(abs_f32(x), (float)y));
}
EXPORT(float, half_rootn_f32, "half_rootn.f32", float x, i32 n)
{
    return rootn_special_f32(x, n, half_exp2_f32(half_log2_f32(abs_f32(x)) / (float)n));
}
