/* a b + c, rounded once: the instruction, or what it computes where there is none (WITHOUT_FMA). */
#pragma once

#ifndef WITHOUT_FMA

HELPER float fma_f32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
HELPER double fma_f64(double a, double b, double c) { return __builtin_fma(a, b, c); }

#else

/* The sum s = a + b, rounded, with its last bit set if something was lost: such a sum can be rounded again. By masks: for
 * selects of vectors of 64-bit numbers LLVM would move each lane's boolean first. */
HELPER double rounded_to_odd(double a, double b, double s)
{
    double t = s - a, lost = (a - (s - t)) + (b - t);
    i64 is_inexact = -(i64)(abs_f64(lost) > 0.0), is_beyond = -(i64)((i64)(bits_f64(lost) ^ bits_f64(s)) < 0);
    return from_bits_f64((bits_f64(s) + (u64)(is_inexact & is_beyond)) | (u64)(is_inexact & 1));
}

typedef u32 halves __attribute__((ext_vector_type(2)));

/* The product of floats is exact as a double. To round the sum a second time is wrong only where it lies between two floats,
 * or is that of a denormal float; that 0 is rounded to odd, too, costs less than to ask for it. Both are asked of halves of
 * the sum, of which a vector holds twice as many. */
HELPER float fma_f32(float a, float b, float c)
{
    double p = (double)a * (double)b, s = p + (double)c;
    halves bits = __builtin_bit_cast(halves, s);
    if (__builtin_expect((bits.x & 0x1fffffff) == 0x10000000 || (bits.y & 0x7fffffff) < 0x38100000, 0))
        s = rounded_to_odd(p, (double)c, s);
    return (float)s;
}

/* The upper half of a double's bits, rounded: the lower half is what is left. */
HELPER double upper_f64(double x)
{
    double scaled = x * 0x1.0000002p27;
    return scaled - (scaled - x);
}

/* Dekker's products of halves give a product of doubles as a sum of two. That sum and the addend are rounded once as Boldo and
 * Melquiond do it: of their sum as three doubles, the lower two are rounded to odd, and the sum with the first rounds again.
 * Where the product is so small that its lower part is no double, or something is too large for one, code generation's function
 * is called; factors of 0 need none. */
HELPER double fma_f64(double a, double b, double c)
{
    double p = a * b, ah = upper_f64(a), bh = upper_f64(b), al = a - ah, bl = b - bh;
    double lost = al * bl - (((p - ah * bh) - al * bh) - ah * bl);
    double t = c + lost, of_c = t - lost, lower = (c - of_c) + (lost - (t - of_c));
    double s = p + t, of_p = s - t, middle = (p - of_p) + (t - (s - of_p));
    double rounded = s + rounded_to_odd(lower, middle, lower + middle);
    if (__builtin_expect(!(abs_f64(p) >= 0x1p-960) || !(abs_f64(rounded) <= 0x1.fffffffffffffp1023), 0))
        rounded = a == 0.0 || b == 0.0 ? p + c : __builtin_fma(a, b, c);
    return rounded;
}

#endif
