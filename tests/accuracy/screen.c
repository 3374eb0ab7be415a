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
ONE(exp2) ONE(exp10) ONE(expm1) ONE(log) ONE(log2) ONE(log10) ONE(log1p) ONE(sin) ONE(sinh) ONE(tan) ONE(tanh)
TWO(atan2) TWO(hypot) TWO(pow)

/* Whether any float result may be further than `limit` units from the double beside it. NaN beside NaN is no suspect; zeros, infinities,
 * results beyond the range and everything doubtful are. */
typedef long longs __attribute__((vector_size(32), aligned(8), may_alias));
typedef float floats __attribute__((vector_size(16), aligned(4), may_alias));
int oxicl_screen_suspects(const float *got, const double *exact, unsigned long count, double limit)
{
    longs all = {-1, -1, -1, -1};
    for (unsigned long i = 0; i + 4 <= count; i += 4) {
        four g = __builtin_convertvector(*(const floats *)(got + i), four), e = *(const four *)(exact + i);
        longs bits = (longs)e, magnitude = bits & 0x7fffffffffffffff, other = (longs)g, least = magnitude * 0 + (1023 - 126);
        longs field = magnitude >> 52, denormal = field < least;
        field = (denormal & least) | (~denormal & field);
        /* 2^(23 - exponent), and units half as large at powers of two. */
        longs half = ((magnitude & 0xfffffffffffff) == 0) & 1;
        four scale = (four)((2 * 1023 + 23 + half - field) << 52), difference = g - e;
        four error = (four)((longs)difference & 0x7fffffffffffffff) * scale;
        longs fine = (error <= limit) & (field < 1023 + 127) & (g != 0.0);
        longs over = ((other & 0x7fffffffffffffff) == 0x7ff0000000000000) & (field >= 1023 + 128) & ((other ^ bits) >= 0);
        all &= (other == bits) | fine | ((g != g) & (e != e)) | over;
    }
    return (all[0] & all[1] & all[2] & all[3]) == 0;
}
