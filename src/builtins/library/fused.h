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

/* The product of floats is exact as a double. To round the sum a second time is wrong only where it lies between two floats,
 * or is that of a denormal float; that 0 is rounded to odd, too, costs less than to ask for it. */
HELPER float fma_f32(float a, float b, float c)
{
    double p = (double)a * (double)b, s = p + (double)c;
    if (__builtin_expect((bits_f64(s) & 0x1fffffff) == 0x10000000 || abs_f64(s) < 0x1p-126, 0))
        s = rounded_to_odd(p, (double)c, s);
    return (float)s;
}

/* Of doubles the function that code generation calls takes no longer than what could be written here. */
HELPER double fma_f64(double a, double b, double c) { return __builtin_fma(a, b, c); }

#endif
