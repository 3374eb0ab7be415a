//! Half-precision arithmetic: every operation rounds once to 11 bits.

use crate::harness::{Row, check, row};

/// A number rounded to half, to the nearest, ties to even.
pub fn half(x: f64) -> f32 {
    if x.is_nan() || x.is_infinite() || x == 0.0 {
        return x as f32;
    }
    let exponent = (x.abs().log2().floor() as i32).max(-14);
    let unit = 2f64.powi(exponent - 10);
    let rounded = (x / unit).round_ties_even() * unit;
    if rounded.abs() > 65504.0 { f32::INFINITY.copysign(x as f32) } else { (rounded as f32).copysign(x as f32) }
}

const PRELUDE: &str = "
    #pragma OPENCL EXTENSION cl_khr_fp16 : enable
";

/// Name, expression, the same on the host, and how many units of half the two may differ by.
type Case = (&'static str, &'static str, fn(f64, f64, f64) -> f64, f64);

/// Samples as bits of halves; the expression sees them as `x`, `y` and `z`.
fn rows(cases: Vec<Case>) -> Vec<Row> {
    let widen = |bits: u16| {
        let (sign, exponent, fraction) = (bits >> 15, i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
        let magnitude = match exponent {
            0 => fraction * 2f64.powi(-24),
            31 if fraction == 0.0 => f64::INFINITY,
            31 => f64::NAN,
            e => (1.0 + fraction / 1024.0) * 2f64.powi(e - 15),
        };
        if sign == 1 { -magnitude } else { magnitude }
    };
    cases
        .into_iter()
        .map(|(name, expression, host, ulps)| {
            let prelude = "half x = as_half(a), y = as_half(b), z = as_half(c);";
            // One unit of half is 8192 of float.
            row(name, prelude, expression, ulps * 8192.0, move |a: u16, b: u16, c: u16| {
                half(host(widen(a), widen(b), widen(c)))
            })
        })
        .collect()
}

#[test]
fn operations_on_halves() {
    let rows = rows(vec![
        ("add", "(float)(x + y)", |x, y, _| x + y, 0.0),
        ("sub", "(float)(x - y)", |x, y, _| x - y, 0.0),
        ("mul", "(float)(x * y)", |x, y, _| x * y, 0.0),
        ("div", "(float)(x / y)", |x, y, _| x / y, 0.0),
        ("root", "(float)sqrt(x)", |x, _, _| x.sqrt(), 0.0),
        ("fused", "(float)fma(x, y, z)", |x, y, z| x.mul_add(y, z), 0.0),
        ("floor_", "(float)floor(x)", |x, _, _| x.floor(), 0.0),
        ("rint_", "(float)rint(x)", |x, _, _| x.round_ties_even(), 0.0),
        ("abs_", "(float)fabs(x)", |x, _, _| x.abs(), 0.0),
        ("larger", "(float)fmax(x, y)", |x, y, _| x.max(y), 1e-9),
        ("smaller", "(float)fmin(x, y)", |x, y, _| x.min(y), 1e-9),
        ("exp_", "(float)exp(x)", |x, _, _| x.exp(), 1.0),
        ("log_", "(float)log(x)", |x, _, _| x.ln(), 1.0),
        ("sin_", "(float)sin(x)", |x, _, _| x.sin(), 1.0),
        ("pow_", "(float)pow(x, y)", |x, y, _| x.powf(y), 1.0),
        ("from_double", "(float)(half)((double)x * (double)y)", |x, y, _| x * y, 0.0),
        ("to_int", "(float)convert_int_sat(x)", |x, _, _| x as i32 as f64, 0.0),
        ("to_short", "(float)(half)convert_short_sat(x)", |x, _, _| x as i16 as f64, 0.0),
        ("to_ushort", "(float)(half)convert_ushort_sat(x)", |x, _, _| x as u16 as f64, 0.0),
        ("to_char", "(float)(half)convert_char_sat(x)", |x, _, _| x as i8 as f64, 0.0),
        ("to_long", "(float)(half)convert_long_sat(x)", |x, _, _| x as i64 as f64, 0.0),
    ]);
    check(PRELUDE, rows);
}
