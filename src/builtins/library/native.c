/* The cheap forms: ordinary arguments only. Denormals, huge angles and NaN give some number; there is no branch at all. */
#include "common.h"

EXPORT(float, native_exp2_f32, "native_exp2.f32", float x)
{
    i32 n;
    x = clamp_f32_(x, -127.0f, 128.0f);
    float r = x - round_f32_(x, &n);
    return from_bits_f32(bits_f32(mad_f32(poly_exp2_f32(r), r, 1.0f)) + ((u32)n << 23));
}
EXPORT(float, native_exp_f32, "native_exp.f32", float x) { return native_exp2_f32(x * LOG2E_F32_0); }
EXPORT(float, native_exp10_f32, "native_exp10.f32", float x) { return native_exp2_f32(x * LOG2_10_F32_0); }

EXPORT(float, native_log2_f32, "native_log2.f32", float x)
{
    i32 n;
    float f = split_normal_f32(x, &n) - 1.0f, k = (float)n;
    return mad_f32(f, mad_f32(f, poly_log2_f32(f), LOG2E_F32_0), k);
}
EXPORT(float, native_log_f32, "native_log.f32", float x) { return native_log2_f32(x) * LN2_F32_0; }
EXPORT(float, native_log10_f32, "native_log10.f32", float x) { return native_log2_f32(x) * LOG10_2_F32_0; }
EXPORT(float, native_powr_f32, "native_powr.f32", float x, float y) { return native_exp2_f32(y * native_log2_f32(x)); }

/* The sine of what an angle below a few thousand turns has beyond k pi, with the sign of n. */
HELPER float native_wave(float x, float k, i32 n)
{
    float r = mad_f32(-k, PI_F32_1, mad_f32(-k, PI_F32_0, x)), z = r * r;
    return from_bits_f32(bits_f32(mad_f32(poly_wave_f32(z) * z, r, r)) ^ ((u32)n << 31));
}
EXPORT(float, native_sin_f32, "native_sin.f32", float x)
{
    i32 n;
    float k = round_f32_(x * INV_PI_F32_0, &n);
    return native_wave(x, k, n);
}
EXPORT(float, native_cos_f32, "native_cos.f32", float x)
{
    i32 n;
    float k = round_f32_(mad_f32(x, INV_PI_F32_0, -0.5f), &n);
    return native_wave(x, k + 0.5f, ~n);
}
EXPORT(float, native_tan_f32, "native_tan.f32", float x) { return native_sin_f32(x) / native_cos_f32(x); }
