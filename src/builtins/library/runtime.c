/* What code generation calls by name where the target has no instruction: the finished image may not refer to anything outside.
 *
 * Compiled with -fno-builtin, so that no loop here becomes a call of the function that it implements. Half values
 * travel in vector registers, as the x86-64 convention has it.
 */
typedef unsigned u32;
typedef unsigned long u64;
typedef long i64;
typedef __int128 i128;
typedef unsigned __int128 u128;

/* Tests link these beside libc, so under other names: see PREFIX in build.rs. */
#ifndef PREFIX
#define PREFIX
#endif
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define RUNTIME(result, name, ...) \
    __attribute__((nothrow, visibility("hidden"), section(".text." #name))) result name(__VA_ARGS__) __asm__(TEXT(PREFIX) #name); \
    result name(__VA_ARGS__)
#define INLINE static inline __attribute__((always_inline, unused))

RUNTIME(void *, memcpy, void *restrict to, const void *restrict from, u64 size)
{
    char *t = to;
    const char *f = from;
    u64 i = 0;
    for (; i + 8 <= size; i += 8) {
        u64 word;
        __builtin_memcpy_inline(&word, f + i, 8);
        __builtin_memcpy_inline(t + i, &word, 8);
    }
    for (; i < size; i++)
        t[i] = f[i];
    return to;
}
RUNTIME(void *, memmove, void *to, const void *from, u64 size)
{
    char *t = to;
    const char *f = from;
    if ((u64)t - (u64)f >= size) {
        for (u64 i = 0; i < size; i++)
            t[i] = f[i];
    } else {
        for (u64 i = size; i > 0; i--)
            t[i - 1] = f[i - 1];
    }
    return to;
}
RUNTIME(void *, memset, void *to, int value, u64 size)
{
    char *t = to;
    u64 word = (u64)(unsigned char)value * 0x0101010101010101ul, i = 0;
    for (; i + 8 <= size; i += 8)
        __builtin_memcpy_inline(t + i, &word, 8);
    for (; i < size; i++)
        t[i] = (char)value;
    return to;
}
RUNTIME(int, memcmp, const void *a, const void *b, u64 size)
{
    const unsigned char *p = a, *q = b;
    for (u64 i = 0; i < size; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

/* Half: a sign, 5 bits of exponent, 10 of fraction. */
INLINE float half_to_float(u32 h)
{
    u32 sign = (h & 0x8000) << 16, rest = h & 0x7fff;
    /* Shifted into place the number is too small by 2^112; denormals come out right too. Infinity and NaN need the rest. */
    float value = __builtin_bit_cast(float, rest << 13) * 0x1p112f;
    u32 bits = __builtin_bit_cast(u32, value);
    bits = rest >= 0x7c00 ? 0x7f800000 | (rest & 0x3ff) << 13 | (rest > 0x7c00 ? 0x400000 : 0) : bits;
    return __builtin_bit_cast(float, bits | sign);
}
INLINE u32 float_to_half(float x)
{
    u32 bits = __builtin_bit_cast(u32, x), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    /* Normal: round to even on the 13 bits that go; the carry runs into the exponent as it should. */
    u32 normal = (rest + 0xfff + (rest >> 13 & 1) - 0x38000000) >> 13;
    /* Denormal: adding 1/2 leaves the fraction in units of 2^-24, rounded, in the low bits. */
    u32 small = __builtin_bit_cast(u32, __builtin_bit_cast(float, rest) + 0.5f) - 0x3f000000;
    u32 half = rest < 0x38800000 ? small : rest >= 0x477ff000 ? 0x7c00 : normal;
    half = rest > 0x7f800000 ? 0x7e00 | (rest >> 13 & 0x3ff) : half;
    return half | sign;
}
/* Double to half must round once: to float by rounding to odd first, which keeps what the second rounding asks for. */
INLINE u32 double_to_half(double x)
{
    float f = (float)x;
    u32 bits = __builtin_bit_cast(u32, f);
    double back = (double)f, a = __builtin_fabs(x), b = __builtin_fabs(back);
    int finite = (bits & 0x7f800000) != 0x7f800000;
    bits -= finite && b > a;
    bits |= finite && a != b;
    return float_to_half(__builtin_bit_cast(float, bits));
}
RUNTIME(float, __extendhfsf2, _Float16 h) { return half_to_float(__builtin_bit_cast(unsigned short, h)); }
RUNTIME(double, __extendhfdf2, _Float16 h) { return (double)half_to_float(__builtin_bit_cast(unsigned short, h)); }
RUNTIME(_Float16, __truncsfhf2, float x)
{
    return __builtin_bit_cast(_Float16, (unsigned short)float_to_half(x));
}
RUNTIME(_Float16, __truncdfhf2, double x)
{
    return __builtin_bit_cast(_Float16, (unsigned short)double_to_half(x));
}

/* 128-bit integers. */
typedef struct {
    u128 quotient, rest;
} division;
INLINE division divide(u128 n, u128 d)
{
    u128 q = 0, r = 0;
    if (!(n >> 64) && !(d >> 64) && d)
        return (division){(u64)n / (u64)d, (u64)n % (u64)d};
    for (int i = 127; i >= 0; i--) {
        u128 carry = r >> 127;
        r = r << 1 | (n >> i & 1);
        if (carry || r >= d) {
            r -= d;
            q |= (u128)1 << i;
        }
    }
    return (division){q, r};
}
INLINE u128 magnitude(i128 x) { return x < 0 ? -(u128)x : (u128)x; }
RUNTIME(u128, __udivti3, u128 n, u128 d) { return divide(n, d).quotient; }
RUNTIME(u128, __umodti3, u128 n, u128 d) { return divide(n, d).rest; }
RUNTIME(i128, __divti3, i128 n, i128 d)
{
    u128 q = divide(magnitude(n), magnitude(d)).quotient;
    return (i128)((n < 0) != (d < 0) ? -q : q);
}
RUNTIME(i128, __modti3, i128 n, i128 d)
{
    u128 r = divide(magnitude(n), magnitude(d)).rest;
    return (i128)(n < 0 ? -r : r);
}
RUNTIME(i128, __multi3, i128 a, i128 b)
{
    u64 al = (u64)a, ah = (u64)((u128)a >> 64), bl = (u64)b, bh = (u64)((u128)b >> 64);
    u128 low = (u128)al * bl;
    return (i128)(low + ((u128)(al * bh + ah * bl) << 64));
}
RUNTIME(i128, __ashlti3, i128 a, int n)
{
    u64 l = (u64)a, h = (u64)((u128)a >> 64);
    u64 high = n >= 64 ? l << (n & 63) : n ? h << n | l >> (64 - n) : h, low = n >= 64 ? 0 : l << (n & 63);
    return (i128)((u128)high << 64 | low);
}
RUNTIME(i128, __lshrti3, i128 a, int n)
{
    u64 l = (u64)a, h = (u64)((u128)a >> 64);
    u64 low = n >= 64 ? h >> (n & 63) : n ? l >> n | h << (64 - n) : l, high = n >= 64 ? 0 : h >> (n & 63);
    return (i128)((u128)high << 64 | low);
}

/* fma for targets without it: the exact product and sum in 128 bits and more would do; two doubles rounded to odd are
 * less work. */
INLINE double round_to_odd_add(double a, double b)
{
    double s = a + b, t = s - a, e = (a - (s - t)) + (b - t);
    u64 bits = __builtin_bit_cast(u64, s);
    if (e != 0.0 && !(bits & 1)) {
        int away = (e > 0.0) == (s > 0.0);
        bits += away ? 1 : -1;
    }
    return __builtin_bit_cast(double, bits);
}
RUNTIME(float, fmaf, float a, float b, float c)
{
    double product = (double)a * (double)b;
    double sum = product + (double)c;
    if (!(__builtin_fabs(sum) < __builtin_inf()))
        return (float)sum;
    return (float)round_to_odd_add(product, (double)c);
}

/* The product of two doubles as an integer of 106 bits with an exponent, the addend likewise, one sum, one rounding. */
INLINE u64 mantissa_of(double x, int *e)
{
    u64 bits = __builtin_bit_cast(u64, x);
    int field = (int)(bits >> 52 & 0x7ff);
    u64 m = bits & 0xffffffffffffful;
    if (!field) {
        if (!m)
            return *e = 0, 0;
        int lift = __builtin_clzl(m) - 11;
        *e = 1 - 1075 - lift;
        return m << lift;
    }
    *e = field - 1075;
    return m | 0x10000000000000ul;
}
INLINE double scaled(double x, int n)
{
    while (n > 1000) {
        x *= 0x1p1000;
        n -= 1000;
    }
    while (n < -1000) {
        x *= 0x1p-1000;
        n += 1000;
    }
    return x * __builtin_bit_cast(double, (u64)(n + 1023) << 52);
}
/* sticky-rounded m 2^e as a double. */
INLINE double rounded(u128 m, int e, int sticky, int negative)
{
    u64 high = (u64)(m >> 64);
    int lead = high ? __builtin_clzl(high) : 64 + __builtin_clzl((u64)m);
    m <<= lead;
    e -= lead;
    /* The top 64 bits, the rest in the lowest of them; the value is top 2^(e + 64). */
    u64 top = (u64)(m >> 64) | ((u64)m != 0) | (u64)sticky;
    int exponent = e + 64 + 63;
    /* Bits to drop so that one rounding fits the format, denormals included. */
    int drop = exponent < -1022 ? 11 + (-1022 - exponent) : 11;
    u64 kept, half, rest;
    if (drop > 64) {
        kept = 0;
        rest = 0;
    } else {
        kept = drop == 64 ? 0 : top >> drop;
        half = 1ul << (drop - 1);
        rest = drop == 64 ? top : top & ((1ul << drop) - 1);
        kept += rest > half || (rest == half && (kept & 1));
    }
    double value = scaled((double)kept, exponent > 2000 ? 2000 : e + 64 + drop);
    return negative ? -value : value;
}
RUNTIME(double, fma, double a, double b, double c)
{
    if (__builtin_fabs(a) < __builtin_inf() && __builtin_fabs(b) < __builtin_inf() && !(__builtin_fabs(c) < __builtin_inf()))
        return c + c;
    int ordinary = __builtin_fabs(a) < __builtin_inf() && __builtin_fabs(b) < __builtin_inf() && __builtin_fabs(c) < __builtin_inf();
    if (!ordinary || a == 0.0 || b == 0.0)
        return a * b + c;
    int ea, eb, ec, np = (int)((__builtin_bit_cast(u64, a) ^ __builtin_bit_cast(u64, b)) >> 63);
    u64 ma = mantissa_of(a, &ea), mb = mantissa_of(b, &eb), mc = mantissa_of(c, &ec);
    int ep = ea + eb, nc = (int)(__builtin_bit_cast(u64, c) >> 63), sticky = 0;
    u128 p = (u128)ma * mb << 20, q = (u128)mc << 72;
    ep -= 20;
    ec -= 72;
    if (!mc)
        return rounded(p, ep, 0, np);
    /* Align the smaller to the larger; what is shifted out is remembered. */
    int swap = ec > ep, distance = swap ? ec - ep : ep - ec;
    u128 big = swap ? q : p, small = swap ? p : q;
    int e = swap ? ec : ep, nbig = swap ? nc : np, nsmall = swap ? np : nc;
    if (distance > 127) {
        sticky = 1;
        small = 0;
    } else if (distance) {
        sticky = (small << (128 - distance)) != 0;
        small >>= distance;
    }
    if (nbig == nsmall)
        return rounded(big + small, e, sticky, nbig);
    u128 sum = big - small;
    int negative = nbig;
    if (big < small) {
        sum = small - big;
        negative = nsmall;
    }
    /* With a remainder shifted out the true difference is a little smaller. */
    sum -= (u128)(sticky != 0);
    if (!sum && !sticky)
        return 0.0;
    return rounded(sum, e, sticky, negative);
}

/* Rounding to an integer, for targets without SSE4.1. */
INLINE double integral(double x, int mode)
{
    double a = __builtin_fabs(x);
    if (!(a < 0x1p52) || a == 0.0)
        return x;
    double r = (a + 0x1p52) - 0x1p52;
    double t = r > a ? r - 1.0 : r;
    int negative = (int)(__builtin_bit_cast(u64, x) >> 63);
    int up = mode == 3 ? 0 : mode == (negative ? 1 : 2) ? t < a : mode == 4 ? a - t >= 0.5 : 0;
    r = mode == 0 ? r : t + (up ? 1.0 : 0.0);
    return __builtin_copysign(r, x);
}
RUNTIME(double, rint, double x) { return integral(x, 0); }
RUNTIME(double, floor, double x) { return integral(x, 1); }
RUNTIME(double, ceil, double x) { return integral(x, 2); }
RUNTIME(double, trunc, double x) { return integral(x, 3); }
RUNTIME(double, round, double x) { return integral(x, 4); }
RUNTIME(double, nearbyint, double x) { return integral(x, 0); }
RUNTIME(double, roundeven, double x) { return integral(x, 0); }
RUNTIME(float, rintf, float x) { return (float)integral(x, 0); }
RUNTIME(float, floorf, float x) { return (float)integral(x, 1); }
RUNTIME(float, ceilf, float x) { return (float)integral(x, 2); }
RUNTIME(float, truncf, float x) { return (float)integral(x, 3); }
RUNTIME(float, roundf, float x) { return (float)integral(x, 4); }
RUNTIME(float, nearbyintf, float x) { return (float)integral(x, 0); }
RUNTIME(float, roundevenf, float x) { return (float)integral(x, 0); }

/* The larger and the smaller, of a number and a NaN the number: for halves, which are compared as floats. */
RUNTIME(float, fmaxf, float x, float y) { return x != x ? y : y != y || x >= y ? x : y; }
RUNTIME(float, fminf, float x, float y) { return x != x ? y : y != y || x <= y ? x : y; }
RUNTIME(double, fmax, double x, double y) { return x != x ? y : y != y || x >= y ? x : y; }
RUNTIME(double, fmin, double x, double y) { return x != x ? y : y != y || x <= y ? x : y; }

/* 128-bit integers and floating point. */
INLINE double u128_to_double(u128 x, int negative) { return x ? rounded(x, 0, 0, negative) : 0.0; }
RUNTIME(double, __floatuntidf, u128 x) { return u128_to_double(x, 0); }
RUNTIME(double, __floattidf, i128 x) { return u128_to_double(magnitude(x), x < 0); }
/* To float: 64 bits with the rest remembered in the lowest, then a conversion that rounds once. */
INLINE float u128_to_float(u128 x)
{
    u64 high = (u64)(x >> 64);
    if (!high)
        return (float)(u64)x;
    int shift = 64 - __builtin_clzl(high);
    u64 top = (u64)(x >> shift) | ((x & (((u128)1 << shift) - 1)) != 0);
    return (float)top * __builtin_bit_cast(float, (u32)(shift + 127) << 23);
}
RUNTIME(float, __floatuntisf, u128 x) { return u128_to_float(x); }
RUNTIME(float, __floattisf, i128 x)
{
    float f = u128_to_float(magnitude(x));
    return x < 0 ? -f : f;
}
INLINE u128 double_to_u128(double x)
{
    u64 bits = __builtin_bit_cast(u64, x);
    int e = (int)(bits >> 52 & 0x7ff) - 1075;
    u128 m = (bits & 0xffffffffffffful) | 0x10000000000000ul;
    return e < -52 ? 0 : e < 0 ? m >> -e : e > 75 ? ~(u128)0 : m << e;
}
RUNTIME(u128, __fixunsdfti, double x) { return x > 0.0 ? double_to_u128(x) : 0; }
RUNTIME(i128, __fixdfti, double x)
{
    u128 m = double_to_u128(x);
    return (i128)(x < 0.0 ? -m : m);
}
RUNTIME(u128, __fixunssfti, float x) { return x > 0.0f ? double_to_u128(x) : 0; }
RUNTIME(i128, __fixsfti, float x)
{
    u128 m = double_to_u128(x);
    return (i128)(x < 0.0f ? -m : m);
}

/* fmod for an `frem` that survives: `lower` calls the library's own, but passes may form one. */
RUNTIME(double, fmod, double x, double y)
{
    double a = __builtin_fabs(x), b = __builtin_fabs(y);
    if (!(a < __builtin_inf()) || b == 0.0 || y != y)
        return __builtin_nan("");
    if (a < b)
        return x;
    int ex, ey;
    u64 mx = mantissa_of(a, &ex), my = mantissa_of(b, &ey), r = mx % my;
    for (int shift = ex - ey; shift > 0;) {
        int now = shift < 11 ? shift : 11;
        r = (r << now) % my;
        shift -= now;
    }
    return __builtin_copysign(scaled(scaled((double)r, ey / 2), ey - ey / 2), x);
}
RUNTIME(float, fmodf, float x, float y) { return (float)fmod(x, y); }
