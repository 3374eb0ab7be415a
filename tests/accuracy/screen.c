/* Loops over libmvec's functions, four doubles at a time. Counts are multiples of four. */
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));
#define ONE(name) \
    four _ZGVdN4v_##name(four); \
    void oxicl_screen_##name(const double *x, double *out, unsigned long count) \
    { \
        for (unsigned long i = 0; i + 4 <= count; i += 4) \
            *(four *)(out + i) = _ZGVdN4v_##name(*(const four *)(x + i)); \
    }
#define TWO(name) \
    four _ZGVdN4vv_##name(four, four); \
    void oxicl_screen_##name(const double *x, const double *y, double *out, unsigned long count) \
    { \
        for (unsigned long i = 0; i + 4 <= count; i += 4) \
            *(four *)(out + i) = _ZGVdN4vv_##name(*(const four *)(x + i), *(const four *)(y + i)); \
    }
ONE(acos) ONE(acosh) ONE(asin) ONE(asinh) ONE(atan) ONE(atanh) ONE(cbrt) ONE(cos) ONE(cosh) ONE(erf) ONE(erfc) ONE(exp)
ONE(exp2) ONE(exp10) ONE(expm1) ONE(log1p) ONE(sin) ONE(sinh) ONE(tan) ONE(tanh)
TWO(atan2) TWO(hypot) TWO(pow)

typedef long longs __attribute__((vector_size(32), aligned(8), may_alias));
static inline four pick(longs mask, four yes, four no) { return (four)(((longs)yes & mask) | ((longs)no & ~mask)); }
/* Logarithms, which are slow where there is none. */
#define LOGARITHM(name) \
    four _ZGVdN4v_##name(four); \
    void oxicl_screen_##name(const double *x, double *out, unsigned long count) \
    { \
        for (unsigned long i = 0; i + 4 <= count; i += 4) { \
            four a = *(const four *)(x + i), infinity = (four){1, 1, 1, 1} / 0.0; \
            longs good = (a > 0.0) & (a < infinity); \
            four other = pick(a == 0.0, -infinity, pick(a < 0.0, infinity - infinity, a)); \
            four value = _ZGVdN4v_##name(pick(good, a, (four){1, 1, 1, 1})); \
            *(four *)(out + i) = pick(good, value, other); \
        } \
    }
LOGARITHM(log) LOGARITHM(log2) LOGARITHM(log10)
#define SIGNS ((longs){1, 1, 1, 1} << 63)

/* x = n / 2 + r with |r| <= 1/4, up to whole turns of 2; all exact. */
static inline four half_turns(four x, longs *n)
{
    four a = (four)((longs)x & ~SIGNS);
    a -= 2.0 * __builtin_ia32_roundpd256(0.5 * a, 3);
    four whole = __builtin_ia32_roundpd256(2.0 * a, 0);
    /* A small whole number's digits, moved to the lowest bits. */
    *n = (longs)(whole + 0x1p52) & 7;
    return a - 0.5 * whole;
}
static inline four sine_or_cosine(four r, longs n)
{
    four angle = r * 3.14159265358979323846;
    four value = pick((n & 1) == 1, _ZGVdN4v_cos(angle), _ZGVdN4v_sin(angle));
    return (four)((longs)value ^ ((n & 2) << 62));
}
void oxicl_screen_sinpi(const double *x, double *out, unsigned long count)
{
    for (unsigned long i = 0; i + 4 <= count; i += 4) {
        longs n, sign = *(const longs *)(x + i) & SIGNS;
        four r = half_turns(*(const four *)(x + i), &n), value = (four)((longs)sine_or_cosine(r, n) ^ sign);
        /* At whole numbers a zero has the argument's sign. */
        *(four *)(out + i) = pick((r == 0.0) & ((n & 1) == 0), (four)sign, value);
    }
}
void oxicl_screen_cospi(const double *x, double *out, unsigned long count)
{
    for (unsigned long i = 0; i + 4 <= count; i += 4) {
        longs n;
        four r = half_turns(*(const four *)(x + i), &n);
        n += 1;
        *(four *)(out + i) = pick((r == 0.0) & ((n & 1) == 0), (four){0, 0, 0, 0}, sine_or_cosine(r, n));
    }
}
void oxicl_screen_tanpi(const double *x, double *out, unsigned long count)
{
    for (unsigned long i = 0; i + 4 <= count; i += 4) {
        longs n, sign = *(const longs *)(x + i) & SIGNS;
        four r = half_turns(*(const four *)(x + i), &n), t = _ZGVdN4v_tan(r * 3.14159265358979323846);
        four value = pick((n & 1) == 1, -1.0 / t, t);
        /* Zero at even numbers, -0 at odd ones; infinity, then -infinity, between. */
        four zero = (four)((n & 2) << 62);
        four infinite = (four)((longs)(four){1 / 0.0, 1 / 0.0, 1 / 0.0, 1 / 0.0} | (longs)zero);
        value = pick(r == 0.0, pick((n & 1) == 1, infinite, zero), value);
        *(four *)(out + i) = (four)((longs)value ^ sign);
    }
}

/* What libmvec lacks, one by one. */
double tgamma(double), lgamma_r(double, int *);
void oxicl_screen_tgamma(const double *x, double *out, unsigned long count)
{
    for (unsigned long i = 0; i < count; i++)
        out[i] = tgamma(x[i]);
}
void oxicl_screen_lgamma(const double *x, double *out, unsigned long count)
{
    int sign;
    for (unsigned long i = 0; i < count; i++)
        out[i] = lgamma_r(x[i], &sign);
}

/* Whether any float result may be further than `limit` units from the double beside it. NaN beside NaN is no suspect; zeros, infinities,
 * results beyond the range and everything doubtful are. The same for halves. */
typedef float floats __attribute__((vector_size(16), aligned(4), may_alias));
typedef short eight_halves __attribute__((vector_size(16)));
#define SUSPECTS(name, type, load, FRACTION, LEAST, MOST) \
    int name(const type *got, const double *exact, unsigned long count, double limit) \
    { \
        longs all = {-1, -1, -1, -1}; \
        for (unsigned long i = 0; i + 4 <= count; i += 4) { \
            four g = __builtin_convertvector(load(got + i), four), e = *(const four *)(exact + i); \
            longs bits = (longs)e, magnitude = bits & ~SIGNS, other = (longs)g, least = magnitude * 0 + (1023 + LEAST); \
            longs field = magnitude >> 52, denormal = field < least; \
            field = (denormal & least) | (~denormal & field); \
            /* 2^(FRACTION - exponent), and units half as large at powers of two. */ \
            longs half = ((magnitude & 0xfffffffffffff) == 0) & (field > least) & 1; \
            four scale = (four)((2 * 1023 + FRACTION + half - field) << 52), difference = g - e; \
            four error = (four)((longs)difference & ~SIGNS) * scale; \
            longs fine = (error <= limit) & (field < 1023 + MOST) & (g != 0.0); \
            longs over = ((other & ~SIGNS) == 0x7ff0000000000000) & (field >= 1023 + MOST + 1) & ((other ^ bits) >= 0); \
            all &= (other == bits) | fine | ((g != g) & (e != e)) | over; \
        } \
        return (all[0] & all[1] & all[2] & all[3]) == 0; \
    }
static inline floats load_floats(const float *x) { return *(const floats *)x; }
static inline floats load_halves(const unsigned short *x)
{
    eight_halves low = {0};
    __builtin_memcpy(&low, x, 8);
    return (floats)__builtin_ia32_vcvtph2ps(low);
}
SUSPECTS(oxicl_screen_suspects, float, load_floats, 23, -126, 127)
SUSPECTS(oxicl_screen_suspects_half, unsigned short, load_halves, 10, -14, 15)
