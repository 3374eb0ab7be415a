/* a b + c, rounded once: the instruction, or what it computes where there is none (WITHOUT_FMA). */
#pragma once

#ifndef WITHOUT_FMA

HELPER float fma_f32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
HELPER double fma_f64(double a, double b, double c) { return __builtin_fma(a, b, c); }

#else

/* The sum s = a + b, rounded, with its last bit set if something was lost: such a sum can be rounded again. */
HELPER double rounded_to_odd(double a, double b, double s)
{
    double t = s - a, lost = (a - (s - t)) + (b - t);
    u64 bits = bits_f64(s);
    i64 step = (lost > 0.0) == (s > 0.0) ? 1 : -1;
    return from_bits_f64(bits + (u64)((lost != 0.0) & (i32)(~bits & 1) ? step : 0));
}

/* The product of floats is exact as a double. To round the sum a second time is wrong only where it lies between two floats,
 * or is that of a denormal float. */
HELPER float fma_f32(float a, float b, float c)
{
    double p = (double)a * (double)b, s = p + (double)c;
    u64 bits = bits_f64(s);
    if (__builtin_expect(((bits & 0x1fffffff) == 0x10000000) | (2 * bits - 1 < 2 * 0x3810000000000000ul - 1), 0))
        s = rounded_to_odd(p, (double)c, s);
    return (float)s;
}

/* Of doubles the function that code generation calls takes no longer than what could be written here. */
HELPER double fma_f64(double a, double b, double c) { return __builtin_fma(a, b, c); }

#endif
