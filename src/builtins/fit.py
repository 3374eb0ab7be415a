#!/usr/bin/env python3
"""Computes the polynomials of the device library and prints library/coefficients.h.

Each is the interpolation of a smooth function at the Chebyshev nodes of its interval, in 60 digits, rounded to the format
in which it is evaluated; that is within a factor of about two of the best polynomial, and the degrees leave room for it.
Run by hand when a degree changes (needs mpmath): python3 fit.py > library/coefficients.h
"""
from mpmath import mp, mpf, cos, pi, exp, log, sin, atan, asin, erf, erfc, sqrt, matrix, lu_solve, gamma, loggamma, taylor
import struct

mp.dps = 60


def interpolate(f, lo, hi, degree):
    """Coefficients, lowest first, of the polynomial through f at degree + 1 Chebyshev nodes of [lo, hi]."""
    lo, hi, n = mpf(lo), mpf(hi), degree + 1
    nodes = [(lo + hi) / 2 + (hi - lo) / 2 * cos((2 * k + 1) * pi / (2 * n)) for k in range(n)]
    system = matrix(n, n)
    for row, x in enumerate(nodes):
        for column in range(n):
            system[row, column] = x ** column
    return list(lu_solve(system, matrix([f(x) for x in nodes])))


def to_float(x, bits):
    """x rounded to the nearest binary number of `bits` significant bits, as a C literal."""
    x = mpf(x)
    if x == 0:
        return "0.0"
    with mp.workprec(bits):
        rounded = +x
    return float(rounded).hex() + ("f" if bits <= 24 else "")


def emit(name, coefficients, bits, origin, degree_split=9, moved=()):
    """A C function that evaluates the polynomial by Horner's rule, in two chains if it is long. The lowest coefficients are
    `moved` by so many units in their last places."""
    unit = lambda x: mpf(2) ** (int(mp.floor(mp.log(abs(x), 2))) - bits + 1)
    moves = dict(enumerate(moved))
    c = [to_float(x + moves.get(i, 0) * unit(x), bits) for i, x in enumerate(coefficients)]
    t, fma = ("float", "mad_f32") if bits == 24 else ("double", "mad_f64")
    print(f"/* {origin} */")
    print(f"static inline {t} poly_{name}({t} x)\n{{")
    def chain(items, var):
        text = items[-1]
        for item in reversed(items[:-1]):
            text = f"{fma}({text}, {var}, {item})"
        return text
    if len(c) > degree_split:
        print(f"    {t} x2 = x * x;")
        print(f"    return {fma}({chain(c[1::2], 'x2')}, x, {chain(c[0::2], 'x2')});")
    else:
        print(f"    return {chain(c, 'x')};")
    print("}\n")


def fit(name, f, lo, hi, degree, bits, origin, moved=()):
    emit(name, interpolate(f, lo, hi, degree), bits, f"{origin} on [{lo}, {hi}]", moved=moved)


def split(name, x, bits, parts):
    """x as a sum of `parts` numbers of the format."""
    rest = mpf(x)
    for i in range(parts):
        literal = to_float(rest, bits)
        print(f"#define {name}_{i} {literal}")
        rest -= mpf(float.fromhex(literal.rstrip("f")))
    print()


def series(f, x, terms):
    """f(x) for |x| tiny from its value elsewhere is ill-conditioned; evaluate with guard digits instead."""
    with mp.workdps(120):
        return +f(mpf(x))


def guarded(f):
    return lambda x: series(f, x, 0)


def nz(x):
    return x if abs(x) > mpf(10) ** -50 else mpf(10) ** -50


print("/* Written by fit.py; do not edit. */")
print("#pragma once\n")
ln2 = log(mpf(2))
split("LN2_F32", ln2, 24, 2)
split("LN2_F64", ln2, 53, 2)
split("LOG2E_F32", 1 / ln2, 24, 2)
split("LOG2E_F64", 1 / ln2, 53, 2)
split("TWO_LOG2E_F32", 2 / ln2, 24, 2)
split("TWO_LOG2E_F64", 2 / ln2, 53, 2)
split("CUBIC_LOG2E_F64", 2 / ln2 / 3, 53, 2)
split("LOG10_2_F32", log(mpf(2)) / log(mpf(10)), 24, 2)
split("LOG10_2_F64", log(mpf(2)) / log(mpf(10)), 53, 2)
split("LOG10E_F32", 1 / log(mpf(10)), 24, 2)
split("LOG10E_F64", 1 / log(mpf(10)), 53, 2)
split("LOG2_10_F32", log(mpf(10)) / ln2, 24, 2)
split("LOG2_10_F64", log(mpf(10)) / ln2, 53, 2)
split("LN10_F32", log(mpf(10)), 24, 2)
split("LN10_F64", log(mpf(10)), 53, 2)
split("PI_F32", pi, 24, 3)
split("PI_F64", pi, 53, 3)
split("PI_2_F32", pi / 2, 24, 3)
split("PI_2_F64", pi / 2, 53, 3)
split("PI_4_F32", pi / 4, 24, 2)
split("PI_4_F64", pi / 4, 53, 2)
split("INV_PI_F32", 1 / pi, 24, 2)
split("INV_PI_F64", 1 / pi, 53, 2)
split("LN_SQRT_2PI_F64", log(2 * pi) / 2, 53, 2)
split("SQRT_2PI_F64", sqrt(2 * pi), 53, 2)

h = "0.35"
fit("sinh_f64", guarded(lambda x: (mp.sinh(sqrt(nz(x))) / sqrt(nz(x)) - 1) / nz(x)), "0", "0.1225", 5, 53, "(sinh(r) / r - 1) / r^2 of x = r^2")
fit("cosh_f64", guarded(lambda x: (mp.cosh(sqrt(nz(x))) - 1) / nz(x)), "0", "0.1225", 5, 53, "(cosh(r) - 1) / r^2 of x = r^2")
fit("sinh_f32", guarded(lambda x: (mp.sinh(sqrt(nz(x))) / sqrt(nz(x)) - 1) / nz(x)), "0", "0.1225", 2, 24, "(sinh(r) / r - 1) / r^2 of x = r^2")
fit("cosh_f32", guarded(lambda x: (mp.cosh(sqrt(nz(x))) - 1) / nz(x)), "0", "0.1225", 2, 24, "(cosh(r) - 1) / r^2 of x = r^2")
fit("exp_f32", guarded(lambda x: (exp(nz(x)) - 1 - nz(x)) / nz(x) ** 2), "-" + h, h, 4, 24, "(exp(x) - 1 - x) / x^2")
fit("exp_f64", guarded(lambda x: (exp(nz(x)) - 1 - nz(x)) / nz(x) ** 2), "-" + h, h, 9, 53, "(exp(x) - 1 - x) / x^2")
fit("exp2_f32", guarded(lambda x: (2 ** nz(x) - 1) / nz(x)), "-0.5", "0.5", 5, 24, "(2^x - 1) / x")
fit("exp2_f64", guarded(lambda x: (2 ** nz(x) - 1) / nz(x)), "-0.5", "0.5", 10, 53, "(2^x - 1) / x")
lo, hi = "-0.25", "0.5"
fit("log_f32", guarded(lambda x: (log(1 + nz(x)) - nz(x) + nz(x) ** 2 / 2) / nz(x) ** 3), lo, hi, 7, 24,
    "(log(1 + x) - x + x^2 / 2) / x^3")
fit("log2_f32", guarded(lambda x: (log(1 + nz(x)) - nz(x)) / nz(x) ** 2 / ln2), lo, hi, 8, 24, "(log2(1 + x) - x / ln 2) / x^2")
fit("log_f64", guarded(lambda x: (2 * mp.atanh(sqrt(nz(x))) / sqrt(nz(x)) - 2) / nz(x)), "0", "0.02945", 6, 53,
    "(2 atanh(s) / s - 2) / s^2 of x = s^2")
fit("log2_f32_tail", guarded(lambda x: (2 * mp.atanh(sqrt(nz(x))) / sqrt(nz(x)) - 2) / nz(x) / ln2), "0", "0.02945", 3, 24,
    "(2 atanh(s) / s - 2) / s^2 / ln 2 of x = s^2")
fit("log2_f64_tail", guarded(lambda x: (2 * mp.atanh(sqrt(nz(x))) / sqrt(nz(x)) - 2 - 2 * nz(x) / 3) / nz(x) ** 2 / ln2), "0", "0.02945",
    7, 53, "(2 atanh(s) / s - 2 - 2 s^2 / 3) / s^4 / ln 2 of x = s^2")
fit("atanh_f32", guarded(lambda x: (mp.atanh(sqrt(nz(x))) / sqrt(nz(x)) - 1) / nz(x)), "0", "0.041", 3, 24, "(atanh(s) / s - 1) / s^2 of x = s^2")
fit("atanh_f64", guarded(lambda x: (mp.atanh(sqrt(nz(x))) / sqrt(nz(x)) - 1) / nz(x)), "0", "0.041", 7, 53, "(atanh(s) / s - 1) / s^2 of x = s^2")
w = "2.48"
# Of floats neighbours, tried at random, that give exactly 1 at a quarter turn, fused or not, and fused no more than 1 near it.
fit("wave_f32", guarded(lambda x: (sin(sqrt(nz(x))) / sqrt(nz(x)) - 1) / nz(x)), "0", w, 3, 24, "(sin(r) / r - 1) / r^2 of x = r^2",
    moved=(-6, 129, -2252, -5312))
fit("wave_f64", guarded(lambda x: (sin(sqrt(nz(x))) / sqrt(nz(x)) - 1) / nz(x)), "0", w, 7, 53, "(sin(r) / r - 1) / r^2 of x = r^2")
fit("half_wave_f32", guarded(lambda x: (sin(pi * sqrt(nz(x))) / sqrt(nz(x)) - pi) / nz(x)), "0", "0.25", 4, 24,
    "(sin(pi r) / r - pi) / r^2 of x = r^2", moved=(-2, 17, -64))
fit("half_wave_f64", guarded(lambda x: (sin(pi * sqrt(nz(x))) / sqrt(nz(x)) - pi) / nz(x)), "0", "0.25", 7, 53, "(sin(pi r) / r - pi) / r^2 of x = r^2")
q = "0.6169"
fit("sin_f32", guarded(lambda x: (sin(sqrt(nz(x))) / sqrt(nz(x)) - 1) / nz(x)), "0", q, 3, 24, "(sin(r) / r - 1) / r^2 of x = r^2")
fit("cos_f32", guarded(lambda x: (cos(sqrt(nz(x))) - 1 + nz(x) / 2) / nz(x) ** 2), "0", q, 2, 24, "(cos(r) - 1 + r^2 / 2) / r^4 of x = r^2")
fit("sin_f64", guarded(lambda x: (sin(sqrt(nz(x))) / sqrt(nz(x)) - 1) / nz(x)), "0", q, 5, 53, "(sin(r) / r - 1) / r^2 of x = r^2")
fit("cos_f64", guarded(lambda x: (cos(sqrt(nz(x))) - 1 + nz(x) / 2) / nz(x) ** 2), "0", q, 5, 53, "(cos(r) - 1 + r^2 / 2) / r^4 of x = r^2")
fit("sinpi_f32", guarded(lambda x: (sin(pi * sqrt(nz(x))) / sqrt(nz(x)) - pi) / nz(x)), "0", "0.0625", 3, 24, "(sin(pi r) / r - pi) / r^2 of x = r^2")
fit("cospi_f32", guarded(lambda x: (cos(pi * sqrt(nz(x))) - 1) / nz(x)), "0", "0.0625", 3, 24, "(cos(pi r) - 1) / r^2 of x = r^2")
fit("sinpi_f64", guarded(lambda x: (sin(pi * sqrt(nz(x))) / sqrt(nz(x)) - pi) / nz(x)), "0", "0.0625", 5, 53, "(sin(pi r) / r - pi) / r^2 of x = r^2")
fit("cospi_f64", guarded(lambda x: (cos(pi * sqrt(nz(x))) - 1) / nz(x)), "0", "0.0625", 6, 53, "(cos(pi r) - 1) / r^2 of x = r^2")
t = "0.1716"
fit("atan_f32", guarded(lambda x: (atan(sqrt(nz(x))) / sqrt(nz(x)) - 1) / nz(x)), "0", t, 4, 24, "(atan(t) / t - 1) / t^2 of x = t^2")
fit("atan_f64", guarded(lambda x: (atan(sqrt(nz(x))) / sqrt(nz(x)) - 1) / nz(x)), "0", t, 10, 53, "(atan(t) / t - 1) / t^2 of x = t^2")
fit("asin_f32", guarded(lambda x: (asin(sqrt(nz(x))) / sqrt(nz(x)) - 1) / nz(x)), "0", "0.25", 5, 24, "(asin(t) / t - 1) / t^2 of x = t^2")
fit("asin_f64", guarded(lambda x: (asin(sqrt(nz(x))) / sqrt(nz(x)) - 1) / nz(x)), "0", "0.25", 13, 53, "(asin(t) / t - 1) / t^2 of x = t^2")
fit("erf_f32", guarded(lambda x: (erf(sqrt(nz(x))) / sqrt(nz(x)))), "0", "0.860", 6, 24, "erf(t) / t of x = t^2")
fit("erf_f64", guarded(lambda x: (erf(sqrt(nz(x))) / sqrt(nz(x)))), "0", "0.860", 13, 53, "erf(t) / t of x = t^2")
fit("log_erfc_f32", guarded(lambda x: -log(erfc(x)) / x), "0.9", "4.0", 7, 24, "-log(erfc(x)) / x")


def erfcx(x):
    with mp.workdps(120):
        return exp(x * x) * erfc(x)


def erfc_fraction(slope):
    """erfcx / t as a function of t - 1 / 2, t = 1 / (1 + slope x)."""
    def fraction(u):
        t = u + mpf(1) / 2
        return erfcx((1 / t - 1) / slope) / t
    return fraction


with mp.workprec(24):
    slope = mpf("0.4")
fit("erfc_f32", erfc_fraction(slope), "-0.304", "0.5", 9, 24, "exp(x^2) erfc(x) / t of t - 1 / 2, t = 1 / (1 + 0.4 x)")
fit("erfc_f64", erfc_fraction(mpf("0.25")), "-0.375", "0.5", 22, 53, "exp(x^2) erfc(x) / t of t - 1 / 2, t = 1 / (1 + x / 4)")
fit("erf_f64_tail", erfc_fraction(mpf("0.25")), "0.05", "0.315", 12, 53, "the same near 0.9 < x < 3.3; beyond it matters less and less")


def stirling(x):
    """log gamma(z) - ((z - 1/2) log z - z + log(2 pi) / 2), times z, of x = 1 / z^2."""
    if x < mpf(10) ** -20:
        return mpf(1) / 12
    with mp.workdps(120):
        z = 1 / sqrt(x)
        return z * (loggamma(z) - ((z - mpf(1) / 2) * log(z) - z + log(2 * pi) / 2))


fit("stirling_f64", stirling, "0", "0.01", 7, 53, "the tail of Stirling's series times z, of x = 1 / z^2")
fit("lgamma_f64", guarded(lambda x: loggamma(2 + nz(x)) / nz(x)), "-0.5", "0.5", 20, 53, "lgamma(2 + x) / x")


def words(name, bits, count, skip=0):
    """2 / pi from its first bit after the point, in words of `bits` bits, most significant first."""
    with mp.workprec(bits * count + 200):
        value = int(mp.floor(2 / pi * mpf(2) ** (bits * count)))
    items = [(value >> (bits * (count - 1 - i))) & ((1 << bits) - 1) for i in range(count)]
    kind = "unsigned" if bits == 32 else "unsigned long"
    suffix = "u" if bits == 32 else "ul"
    items.insert(0, 0)
    count += 1
    print(f"/* 2 / pi, {bits} bits a word: the bits before the point, then those after it. */")
    print(f"static const {kind} {name}[{count}] = {{")
    for i in range(0, count, 4):
        print("    " + ", ".join(f"0x{x:x}{suffix}" for x in items[i:i + 4]) + ",")
    print("};\n")


words("two_over_pi_32", 32, 8)
words("two_over_pi_64", 64, 20)
