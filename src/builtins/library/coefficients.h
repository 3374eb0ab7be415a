/* Written by fit.py; do not edit. */
#pragma once

#define LN2_F32_0 0x1.62e4300000000p-1f
#define LN2_F32_1 -0x1.05c6100000000p-29f

#define LN2_F64_0 0x1.62e42fefa39efp-1
#define LN2_F64_1 0x1.abc9e3b39803fp-56

#define LOG2E_F32_0 0x1.7154760000000p+0f
#define LOG2E_F32_1 0x1.4ae0c00000000p-26f

#define LOG2E_F64_0 0x1.71547652b82fep+0
#define LOG2E_F64_1 0x1.777d0ffda0d24p-56

#define TWO_LOG2E_F32_0 0x1.7154760000000p+1f
#define TWO_LOG2E_F32_1 0x1.4ae0c00000000p-25f

#define TWO_LOG2E_F64_0 0x1.71547652b82fep+1
#define TWO_LOG2E_F64_1 0x1.777d0ffda0d24p-55

#define CUBIC_LOG2E_F64_0 0x1.ec709dc3a03fdp-1
#define CUBIC_LOG2E_F64_1 0x1.d27f05548af0cp-55

#define LOG10_2_F32_0 0x1.3441360000000p-2f
#define LOG10_2_F32_1 -0x1.ec10c00000000p-27f

#define LOG10_2_F64_0 0x1.34413509f79ffp-2
#define LOG10_2_F64_1 -0x1.9dc1da994fd21p-59

#define LOG10E_F32_0 0x1.bcb7b20000000p-2f
#define LOG10E_F32_1 -0x1.5b235e0000000p-27f

#define LOG10E_F64_0 0x1.bcb7b1526e50ep-2
#define LOG10E_F64_1 0x1.95355baaafad3p-57

#define LOG2_10_F32_0 0x1.a934f00000000p+1f
#define LOG2_10_F32_1 0x1.2f346e0000000p-24f

#define LOG2_10_F64_0 0x1.a934f0979a371p+1
#define LOG2_10_F64_1 0x1.7f2495fb7fa6dp-53

#define LN10_F32_0 0x1.26bb1c0000000p+1f
#define LN10_F32_1 -0x1.12aaba0000000p-25f

#define LN10_F64_0 0x1.26bb1bbb55516p+1
#define LN10_F64_1 -0x1.f48ad494ea3e9p-53

#define PI_F32_0 0x1.921fb60000000p+1f
#define PI_F32_1 -0x1.777a5c0000000p-24f
#define PI_F32_2 -0x1.ee59da0000000p-49f

#define PI_F64_0 0x1.921fb54442d18p+1
#define PI_F64_1 0x1.1a62633145c07p-53
#define PI_F64_2 -0x1.f1976b7ed8fbcp-109

#define PI_2_F32_0 0x1.921fb60000000p+0f
#define PI_2_F32_1 -0x1.777a5c0000000p-25f
#define PI_2_F32_2 -0x1.ee59da0000000p-50f

#define PI_2_F64_0 0x1.921fb54442d18p+0
#define PI_2_F64_1 0x1.1a62633145c07p-54
#define PI_2_F64_2 -0x1.f1976b7ed8fbcp-110

#define PI_4_F32_0 0x1.921fb60000000p-1f
#define PI_4_F32_1 -0x1.777a5c0000000p-26f

#define PI_4_F64_0 0x1.921fb54442d18p-1
#define PI_4_F64_1 0x1.1a62633145c07p-55

#define INV_PI_F32_0 0x1.45f3060000000p-2f
#define INV_PI_F32_1 0x1.b939100000000p-27f

#define INV_PI_F64_0 0x1.45f306dc9c883p-2
#define INV_PI_F64_1 -0x1.6b01ec5417056p-56

#define LN_SQRT_2PI_F64_0 0x1.d67f1c864beb5p-1
#define LN_SQRT_2PI_F64_1 -0x1.65b5a1b7ff5dfp-55

#define SQRT_2PI_F64_0 0x1.40d931ff62706p+1
#define SQRT_2PI_F64_1 -0x1.a6a0d6f814637p-53

/* (sinh(r) / r - 1) / r^2 of x = r^2 on [0, 0.1225] */
static inline double poly_sinh_f64(double x)
{
    return mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(0x1.61c2b89c2d16dp-33, x, 0x1.ae642ad7b698cp-26), x, 0x1.71de3a5af8595p-19), x, 0x1.a01a01a0195e9p-13), x, 0x1.1111111111111p-7), x, 0x1.5555555555555p-3);
}

/* (cosh(r) - 1) / r^2 of x = r^2 on [0, 0.1225] */
static inline double poly_cosh_f64(double x)
{
    return mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(0x1.1f820532b5a27p-29, x, 0x1.27e4d288d6672p-22), x, 0x1.a01a01aa80c24p-16), x, 0x1.6c16c16c158fap-10), x, 0x1.5555555555557p-5), x, 0x1.0000000000000p-1);
}

/* (sinh(r) / r - 1) / r^2 of x = r^2 on [0, 0.1225] */
static inline float poly_sinh_f32(float x)
{
    return mad_f32(mad_f32(0x1.a12a340000000p-13f, x, 0x1.1110e00000000p-7f), x, 0x1.5555560000000p-3f);
}

/* (cosh(r) - 1) / r^2 of x = r^2 on [0, 0.1225] */
static inline float poly_cosh_f32(float x)
{
    return mad_f32(mad_f32(0x1.6d49100000000p-10f, x, 0x1.5554e40000000p-5f), x, 0x1.0000000000000p-1f);
}

/* (exp(x) - 1 - x) / x^2 on [-0.35, 0.35] */
static inline float poly_exp_f32(float x)
{
    return mad_f32(mad_f32(mad_f32(mad_f32(0x1.6d15f80000000p-10f, x, 0x1.12105c0000000p-7f), x, 0x1.5555160000000p-5f), x, 0x1.5554d80000000p-3f), x, 0x1.0000000000000p-1f);
}

/* (exp(x) - 1 - x) / x^2 on [-0.35, 0.35] */
static inline double poly_exp_f64(double x)
{
    double x2 = x * x;
    return mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(0x1.af3cd7b3560d9p-26, x2, 0x1.71de0be80e7e8p-19), x2, 0x1.a01a01a83a3a3p-13), x2, 0x1.111111111091ap-7), x2, 0x1.5555555555556p-3), x, mad_f64(mad_f64(mad_f64(mad_f64(0x1.2894eb03786e2p-22, x2, 0x1.a019b62aaa671p-16), x2, 0x1.6c16c1794bd5cp-10), x2, 0x1.5555555553b72p-5), x2, 0x1.0000000000001p-1));
}

/* (2^x - 1) / x on [-0.5, 0.5] */
static inline float poly_exp2_f32(float x)
{
    return mad_f32(mad_f32(mad_f32(mad_f32(mad_f32(0x1.44138a0000000p-13f, x, 0x1.5f08900000000p-10f), x, 0x1.3b2a540000000p-7f), x, 0x1.c6af6c0000000p-5f), x, 0x1.ebfbe00000000p-3f), x, 0x1.62e4300000000p-1f);
}

/* (2^x - 1) / x on [-0.5, 0.5] */
static inline double poly_exp2_f64(double x)
{
    double x2 = x * x;
    return mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(0x1.e6063f7217bc6p-28, x2, 0x1.62bfd47773353p-20), x2, 0x1.430913096fd9fp-13), x2, 0x1.3b2ab6fba1ddap-7), x2, 0x1.ebfbdff82c598p-3), x, mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(0x1.e9d3fe3952179p-32, x2, 0x1.b524fae627834p-24), x2, 0x1.ffcbfc670dcd4p-17), x2, 0x1.5d87fe78a5276p-10), x2, 0x1.c6b08d704a0c2p-5), x2, 0x1.62e42fefa39efp-1));
}

/* (log(1 + x) - x + x^2 / 2) / x^3 on [-0.25, 0.5] */
static inline float poly_log_f32(float x)
{
    return mad_f32(mad_f32(mad_f32(mad_f32(mad_f32(mad_f32(mad_f32(-0x1.a5b0d20000000p-5f, x, 0x1.be50240000000p-4f), x, -0x1.0b7f6e0000000p-3f), x, 0x1.268cc40000000p-3f), x, -0x1.54fb100000000p-3f), x, 0x1.9989360000000p-3f), x, -0x1.0000600000000p-2f), x, 0x1.55555e0000000p-2f);
}

/* (log2(1 + x) - x / ln 2) / x^2 on [-0.25, 0.5] */
static inline float poly_log2_f32(float x)
{
    return mad_f32(mad_f32(mad_f32(mad_f32(mad_f32(mad_f32(mad_f32(mad_f32(-0x1.17fef80000000p-4f, x, 0x1.39f2f40000000p-3f), x, -0x1.83bbd40000000p-3f), x, 0x1.aa9ab60000000p-3f), x, -0x1.ebe0bc0000000p-3f), x, 0x1.275e8a0000000p-2f), x, -0x1.71550c0000000p-2f), x, 0x1.ec70da0000000p-2f), x, -0x1.7154760000000p-1f);
}

/* (2 atanh(s) / s - 2) / s^2 of x = s^2 on [0, 0.02945] */
static inline double poly_log_f64(double x)
{
    return mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(0x1.2b5b5fb2eac92p-3, x, 0x1.39fe208c33457p-3), x, 0x1.7462b69705382p-3), x, 0x1.c71c62debf86bp-3), x, 0x1.2492492df6947p-2), x, 0x1.99999999952b2p-2), x, 0x1.5555555555558p-1);
}

/* (2 atanh(s) / s - 2) / s^2 / ln 2 of x = s^2 on [0, 0.02945] */
static inline float poly_log2_f32_tail(float x)
{
    return mad_f32(mad_f32(mad_f32(0x1.58ac460000000p-2f, x, 0x1.a5c9620000000p-2f), x, 0x1.2777000000000p-1f), x, 0x1.ec709e0000000p-1f);
}

/* (2 atanh(s) / s - 2 - 2 s^2 / 3) / s^4 / ln 2 of x = s^2 on [0, 0.02945] */
static inline double poly_log2_f64_tail(double x)
{
    return mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(0x1.5a63e540b7b4bp-3, x, 0x1.59e0395baa7fap-3), x, 0x1.89fed56c7fa9dp-3), x, 0x1.c68f2ef3fdedcp-3), x, 0x1.0c9a84bf61171p-2), x, 0x1.484b13d79c28ap-2), x, 0x1.a61762a7adfa8p-2), x, 0x1.2776c50ef9bfep-1);
}

/* (atanh(s) / s - 1) / s^2 of x = s^2 on [0, 0.041] */
static inline float poly_atanh_f32(float x)
{
    return mad_f32(mad_f32(mad_f32(0x1.e72a460000000p-4f, x, 0x1.2427940000000p-3f), x, 0x1.999a7a0000000p-3f), x, 0x1.5555560000000p-2f);
}

/* (atanh(s) / s - 1) / s^2 of x = s^2 on [0, 0.041] */
static inline double poly_atanh_f64(double x)
{
    return mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(0x1.17a3a771d6886p-4, x, 0x1.0e69af653d271p-4), x, 0x1.3b2b97e217ecep-4), x, 0x1.745ca0be055ebp-4), x, 0x1.c71c730551210p-4), x, 0x1.24924923c0f11p-3), x, 0x1.999999999a026p-3), x, 0x1.5555555555555p-2);
}

/* (sin(r) / r - 1) / r^2 of x = r^2 on [0, 2.48] */
static inline float poly_wave_f32(float x)
{
    return mad_f32(mad_f32(mad_f32(0x1.6163460000000p-19f, x, -0x1.9fc71c0000000p-13f), x, 0x1.11114c0000000p-7f), x, -0x1.5555600000000p-3f);
}

/* (sin(r) / r - 1) / r^2 of x = r^2 on [0, 2.48] */
static inline double poly_wave_f64(double x)
{
    return mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(0x1.8995a9a27a132p-49, x, -0x1.ae50c140dde5ap-41), x, 0x1.6123ffe41f87cp-33), x, -0x1.ae64559d4e88bp-26), x, 0x1.71de3a544f4e3p-19), x, -0x1.a01a01a018a03p-13), x, 0x1.1111111111107p-7), x, -0x1.5555555555555p-3);
}

/* (sin(pi r) / r - pi) / r^2 of x = r^2 on [0, 0.25] */
static inline float poly_half_wave_f32(float x)
{
    return mad_f32(mad_f32(mad_f32(mad_f32(-0x1.d04a000000000p-8f, x, 0x1.5037040000000p-4f), x, -0x1.32d2940000000p-1f), x, 0x1.466be80000000p+1f), x, -0x1.4abbd20000000p+2f);
}

/* (sin(pi r) / r - pi) / r^2 of x = r^2 on [0, 0.25] */
static inline double poly_half_wave_f64(double x)
{
    return mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(0x1.9ec5cdbeecd34p-21, x, -0x1.6f866b70b27bdp-16), x, 0x1.e8f3b0121aafdp-12), x, -0x1.e3074ee5f4a61p-8), x, 0x1.50783486f190cp-4), x, -0x1.32d2cce62adb9p-1), x, 0x1.466bc6775aad6p+1), x, -0x1.4abbce625be53p+2);
}

/* (sin(r) / r - 1) / r^2 of x = r^2 on [0, 0.6169] */
static inline float poly_sin_f32(float x)
{
    return mad_f32(mad_f32(mad_f32(0x1.6dbdf20000000p-19f, x, -0x1.a013a80000000p-13f), x, 0x1.11110e0000000p-7f), x, -0x1.5555560000000p-3f);
}

/* (cos(r) - 1 + r^2 / 2) / r^4 of x = r^2 on [0, 0.6169] */
static inline float poly_cos_f32(float x)
{
    return mad_f32(mad_f32(0x1.9bd8860000000p-16f, x, -0x1.6c12d20000000p-10f), x, 0x1.5555540000000p-5f);
}

/* (sin(r) / r - 1) / r^2 of x = r^2 on [0, 0.6169] */
static inline double poly_sin_f64(double x)
{
    return mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(0x1.5e0b09aba9d7fp-33, x, -0x1.ae600ad575592p-26), x, 0x1.71de37965ea29p-19), x, -0x1.a01a019e83896p-13), x, 0x1.1111111110bb2p-7), x, -0x1.5555555555555p-3);
}

/* (cos(r) - 1 + r^2 / 2) / r^4 of x = r^2 on [0, 0.6169] */
static inline double poly_cos_f64(double x)
{
    return mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(-0x1.907d9316a965fp-37, x, 0x1.1eeb68d2958ddp-29), x, -0x1.27e4fa17c44e0p-22), x, 0x1.a01a019f4e9f4p-16), x, -0x1.6c16c16c16967p-10), x, 0x1.5555555555555p-5);
}

/* (sin(pi r) / r - pi) / r^2 of x = r^2 on [0, 0.0625] */
static inline float poly_sinpi_f32(float x)
{
    return mad_f32(mad_f32(mad_f32(0x1.4cb7620000000p-4f, x, -0x1.32ce1e0000000p-1f), x, 0x1.466bc20000000p+1f), x, -0x1.4abbce0000000p+2f);
}

/* (cos(pi r) - 1) / r^2 of x = r^2 on [0, 0.0625] */
static inline float poly_cospi_f32(float x)
{
    return mad_f32(mad_f32(mad_f32(0x1.db64920000000p-3f, x, -0x1.55cb980000000p+0f), x, 0x1.03c1ea0000000p+2f), x, -0x1.3bd3cc0000000p+2f);
}

/* (sin(pi r) / r - pi) / r^2 of x = r^2 on [0, 0.0625] */
static inline double poly_sinpi_f64(double x)
{
    return mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(0x1.e4a9d9166f052p-12, x, -0x1.e3027dea82bd7p-8), x, 0x1.50783208843ebp-4), x, -0x1.32d2cce500387p-1), x, 0x1.466bc6775a476p+1), x, -0x1.4abbce625be52p+2);
}

/* (cos(pi r) - 1) / r^2 of x = r^2 on [0, 0.0625] */
static inline double poly_cospi_f64(double x)
{
    return mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(-0x1.b2f3eb054afcdp-14, x, 0x1.f9ce245cada0bp-10), x, -0x1.a6d1eef479be1p-6), x, 0x1.e1f5068688d5bp-3), x, -0x1.55d3c7e3cb241p+0), x, 0x1.03c1f081b5ac0p+2), x, -0x1.3bd3cc9be45dep+2);
}

/* (atan(t) / t - 1) / t^2 of x = t^2 on [0, 0.1716] */
static inline float poly_atan_f32(float x)
{
    return mad_f32(mad_f32(mad_f32(mad_f32(-0x1.0841e60000000p-4f, x, 0x1.b80f240000000p-4f), x, -0x1.2420280000000p-3f), x, 0x1.9997300000000p-3f), x, -0x1.5555540000000p-2f);
}

/* (atan(t) / t - 1) / t^2 of x = t^2 on [0, 0.1716] */
static inline double poly_atan_f64(double x)
{
    double x2 = x * x;
    return mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(0x1.415ebcba15fd3p-5, x2, 0x1.dfe60585956a5p-5), x2, 0x1.3b1262bf324fdp-4), x2, 0x1.c71c71852a359p-4), x2, 0x1.9999999999349p-3), x, mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(-0x1.3a27dd63af0a7p-6, x2, -0x1.a09838b71a7cfp-5), x2, -0x1.10fa73c8057afp-4), x2, -0x1.745d0b25982f3p-4), x2, -0x1.2492492436016p-3), x2, -0x1.5555555555555p-2));
}

/* (asin(t) / t - 1) / t^2 of x = t^2 on [0, 0.25] */
static inline float poly_asin_f32(float x)
{
    return mad_f32(mad_f32(mad_f32(mad_f32(mad_f32(0x1.13fed40000000p-5f, x, 0x1.18f91e0000000p-6f), x, 0x1.fd8da20000000p-6f), x, 0x1.6d5bba0000000p-5f), x, 0x1.3334300000000p-4f), x, 0x1.5555540000000p-3f);
}

/* (asin(t) / t - 1) / t^2 of x = t^2 on [0, 0.25] */
static inline double poly_asin_f64(double x)
{
    double x2 = x * x;
    return mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(0x1.e529c6fce9bb4p-6, x2, 0x1.406192d124629p-6), x2, 0x1.31622469ce5adp-7), x2, 0x1.7b027ee1dd585p-7), x2, 0x1.1c4efce23019fp-6), x2, 0x1.f1c71c7a52ba3p-6), x2, 0x1.3333333333388p-4), x, mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(-0x1.3b416bb7d9257p-6, x2, 0x1.8f193743418ffp-9), x2, 0x1.3b49de7121487p-7), x2, 0x1.c990ad3d8fdcap-7), x2, 0x1.6e8ba123e494cp-6), x2, 0x1.6db6db6dac1e0p-5), x2, 0x1.5555555555555p-3));
}

/* erf(t) / t of x = t^2 on [0, 0.860] */
static inline float poly_erf_f32(float x)
{
    return mad_f32(mad_f32(mad_f32(mad_f32(mad_f32(mad_f32(0x1.5e4dd00000000p-14f, x, -0x1.aab5060000000p-11f), x, 0x1.54d5c40000000p-8f), x, -0x1.b8100e0000000p-6f), x, 0x1.ce2e1c0000000p-4f), x, -0x1.8127440000000p-2f), x, 0x1.20dd760000000p+0f);
}

/* erf(t) / t of x = t^2 on [0, 0.860] */
static inline double poly_erf_f64(double x)
{
    double x2 = x * x;
    return mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(-0x1.3d6f1837f89d0p-38, x2, -0x1.4f86ee0e71fc4p-30), x2, -0x1.5f70e5d5dbeecp-23), x2, -0x1.f4d259fb140f0p-17), x2, -0x1.c02db3ffe38acp-11), x2, -0x1.b82ce31288affp-6), x2, -0x1.812746b0379e7p-2), x, mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(0x1.862f784e549fcp-34, x2, 0x1.fc7a724460235p-27), x2, 0x1.b9e695f6dad50p-20), x2, 0x1.f9a326e81c557p-14), x2, 0x1.565bcd0e69144p-8), x2, 0x1.ce2f21a042be1p-4), x2, 0x1.20dd750429b6dp+0));
}

/* -log(erfc(x)) / x on [0.9, 4.0] */
static inline float poly_log_erfc_f32(float x)
{
    return mad_f32(mad_f32(mad_f32(mad_f32(mad_f32(mad_f32(mad_f32(-0x1.0f9d780000000p-20f, x, 0x1.1b3e460000000p-15f), x, -0x1.030b960000000p-11f), x, 0x1.18c82e0000000p-8f), x, -0x1.9b217e0000000p-6f), x, 0x1.b984580000000p-4f), x, 0x1.44b52c0000000p-1f), x, 0x1.20feda0000000p+0f);
}

/* exp(x^2) erfc(x) / t of t - 1 / 2, t = 1 / (1 + 0.4 x) on [-0.304, 0.5] */
static inline float poly_erfc_f32(float x)
{
    float x2 = x * x;
    return mad_f32(mad_f32(mad_f32(mad_f32(mad_f32(-0x1.0f17300000000p-5f, x2, 0x1.be09c80000000p-6f), x2, -0x1.b96a920000000p-4f), x2, 0x1.18951e0000000p-1f), x2, 0x1.4995da0000000p-1f), x, mad_f32(mad_f32(mad_f32(mad_f32(0x1.14bffe0000000p-4f, x2, -0x1.fa5e500000000p-4f), x2, 0x1.73d1360000000p-3f), x2, 0x1.73d8920000000p-1f), x2, 0x1.afbb400000000p-2f));
}

/* exp(x^2) erfc(x) / t of t - 1 / 2, t = 1 / (1 + x / 4) on [-0.375, 0.5] */
static inline double poly_erfc_f64(double x)
{
    double x2 = x * x;
    return mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(0x1.5e243bcb5bcd0p-12, x2, -0x1.d16930edb8c31p-12), x2, 0x1.534dbf9f8d75fp-9), x2, -0x1.7f048f4ea1fbdp-7), x2, 0x1.3c7440d5e91e8p-5), x2, -0x1.72cddbdba093ap-4), x2, 0x1.269b5709946d1p-5), x2, 0x1.b00c0529fc336p-1), x2, 0x1.645fd8a4c08c6p+0), x2, 0x1.14eacb1ad02b6p+0), x2, 0x1.f3fe31ecb49c0p-2), x, mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(0x1.f36d8f26067d6p-11, x2, -0x1.055c642430266p-8), x2, 0x1.0a395a44d8d18p-7), x2, -0x1.c6596b17a2096p-7), x2, 0x1.3b0cf5024bf2dp-6), x2, -0x1.e7ebd7777a24ep-9), x2, -0x1.dd2843b0c3d54p-4), x2, 0x1.908f471ffe9afp-2), x2, 0x1.38dbd2c8e8e74p+0), x2, 0x1.52cac23710011p+0), x2, 0x1.8be202d26c708p-1), x2, 0x1.18932bf08e154p-2));
}

/* the same near 0.9 < x < 3.3; beyond it matters less and less on [0.05, 0.315] */
static inline double poly_erf_f64_tail(double x)
{
    double x2 = x * x;
    return mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(-0x1.7784c2080073dp-3, x2, 0x1.dfb8cb8cd2a6cp-7), x2, 0x1.af6c510d03b64p-1), x2, 0x1.645e89762c623p+0), x2, 0x1.14eac9a66f384p+0), x2, 0x1.f3fe31eb8c106p-2), x, mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(0x1.78a55c53ee6aep-4, x2, -0x1.fef69fd0e7154p-5), x2, 0x1.96ad30bc97dd1p-2), x2, 0x1.38e7c79a11e2fp+0), x2, 0x1.52cadca4e9196p+0), x2, 0x1.8be202ed7566ep-1), x2, 0x1.18932bf090e97p-2));
}

/* the tail of Stirling's series times z, of x = 1 / z^2 on [0, 0.01] */
static inline double poly_stirling_f64(double x)
{
    return mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(-0x1.80d9b6a8f212ep-6, x, 0x1.9e027768ce529p-8), x, -0x1.f677b5e4719e7p-10), x, 0x1.b9516963cb8cfp-11), x, -0x1.381380e9c5b5ep-11), x, 0x1.a01a01a00116ep-11), x, -0x1.6c16c16c16c0bp-9), x, 0x1.5555555555555p-4);
}

/* lgamma(2 + x) / x on [-0.5, 0.5] */
static inline double poly_lgamma_f64(double x)
{
    double x2 = x * x;
    return mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(0x1.15fea8732cd9fp-24, x2, 0x1.b1a8c8bf04f15p-23), x2, 0x1.01462b5944f7dp-20), x2, 0x1.258c9651dbedcp-18), x2, 0x1.580e260121a51p-16), x2, 0x1.a127af44aaf71p-14), x2, 0x1.0b36af88b2884p-11), x2, 0x1.7add6eadb2c11p-9), x2, 0x1.51322ac7d849bp-6), x2, 0x1.4a34cc4a60fa6p-2), x, mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(mad_f64(-0x1.091589d02d1a3p-25, x2, -0x1.9a854795e5fe9p-24), x2, -0x1.e40f95a8192dep-22), x2, -0x1.11a85684e8499p-19), x2, -0x1.3cbce9a3c4ad1p-17), x2, -0x1.78de5a3d2d4d3p-15), x2, -0x1.d3fd4c7b8f6a9p-13), x2, -0x1.38ac5c2bf50a2p-10), x2, -0x1.e404fc218f61fp-8), x2, -0x1.13e001a557606p-4), x2, 0x1.b0ee6072093cep-2));
}

/* 2 / pi, 32 bits a word: the bits before the point, then those after it. */
static const unsigned two_over_pi_32[9] = {
    0x0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u,
    0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu,
    0xdebbc561u,
};

/* 2 / pi, 64 bits a word: the bits before the point, then those after it. */
static const unsigned long two_over_pi_64[21] = {
    0x0ul, 0xa2f9836e4e441529ul, 0xfc2757d1f534ddc0ul, 0xdb6295993c439041ul,
    0xfe5163abdebbc561ul, 0xb7246e3a424dd2e0ul, 0x6492eea09d1921cul, 0xfe1deb1cb129a73eul,
    0xe88235f52ebb4484ul, 0xe99c7026b45f7e41ul, 0x3991d639835339f4ul, 0x9c845f8bbdf9283bul,
    0x1ff897ffde05980ful, 0xef2f118b5a0a6d1ful, 0x6d367ecf27cb09b7ul, 0x4f463f669e5fea2dul,
    0x7527bac7ebe5f17bul, 0x3d0739f78a5292eaul, 0x6bfb5fb11f8d5d08ul, 0x56033046fc7b6babul,
    0xf0cfbc209af4361dul,
};

