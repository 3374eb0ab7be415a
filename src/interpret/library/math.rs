//! Functions that are computed as real numbers and rounded once. What is special about a function's zeros, infinities
//! and poles stands here, from OpenCL C's tables of edge cases and those of C99 annex F.

use oxicl_spirv::grammar::OpenclStd100Op as Std;

use crate::float::{decode, encode};
use crate::real::{self, Real};
use crate::value::sign_extend;

/// A result before it is rounded.
enum Exact {
    /// A number that needs no rounding, an infinity or NaN.
    Number(f64),
    Real(Real),
}

use Exact::Number;

const NAN: Exact = Number(f64::NAN);

impl From<Real> for Exact {
    fn from(real: Real) -> Exact {
        Exact::Real(real)
    }
}

impl Exact {
    fn round(&self, width: u32) -> u64 {
        match self {
            Number(number) => encode(*number, width),
            Exact::Real(real) => real.round(width),
        }
    }
}

/// The function of one component of each argument; `None` if it is none of these.
pub(super) fn function(std: Std, row: &[u64], width: u32) -> Option<u64> {
    let x = decode(row[0], width);
    let y = || decode(row.get(1).copied().unwrap_or(0), width);
    let n = || sign_extend(row.get(1).copied().unwrap_or(0), 32);
    let exact = match std {
        Std::atan2 => angle(x, y(), false),
        Std::atan2pi => angle(x, y(), true),
        Std::hypot => hypot(x, y()),
        Std::pow => pow(x, y()),
        Std::powr | Std::half_powr | Std::native_powr => powr(x, y()),
        Std::pown => pow(x, n() as f64),
        Std::rootn => root(x, n()),
        _ => unary(std, x)?,
    };
    Some(exact.round(width))
}

/// A quiet NaN with a payload.
pub(super) fn nan(payload: u64, width: u32) -> u64 {
    let (digits, quiet) = match width {
        16 => (10, 0x7E00),
        32 => (23, 0x7FC0_0000),
        _ => (52, 0x7FF8_0000_0000_0000),
    };
    quiet | (payload & ((1 << digits) - 1))
}

/// Cosine and its kin, for `sincos`.
pub(super) fn cosine(x: f64, width: u32) -> u64 {
    unary(Std::cos, x).map_or(0, |exact| exact.round(width))
}

/// Logarithm of the gamma function, and its sign: 0 at the poles and at minus infinity.
pub(super) fn ln_gamma(x: f64, width: u32) -> (u64, i32) {
    let sign = match x {
        _ if x == f64::NEG_INFINITY || (x <= 0.0 && x.fract() == 0.0) => 0,
        _ if x.is_finite() && real::ln_gamma(x).1 => -1,
        _ => 1,
    };
    (unary(Std::lgamma, x).map_or(0, |exact| exact.round(width)), sign)
}

fn real(x: f64) -> Real {
    Real::from_f64(x)
}

fn over_pi(x: Real) -> Real {
    x / real::pi()
}

fn unary(std: Std, x: f64) -> Option<Exact> {
    exponential(std, x).or_else(|| trigonometric(std, x)).or_else(|| hyperbolic(std, x)).or_else(|| special(std, x))
}

fn exponential(std: Std, x: f64) -> Option<Exact> {
    let logarithm = |f: fn(Real) -> Real| {
        if x.is_nan() || x < 0.0 {
            NAN
        } else if x == 0.0 {
            Number(f64::NEG_INFINITY)
        } else if x == 1.0 || x.is_infinite() {
            Number(if x == 1.0 { 0.0 } else { x })
        } else {
            f(real(x)).into()
        }
    };
    let power = |f: fn(Real) -> Real| {
        if x.is_nan() || x == f64::INFINITY {
            Number(x)
        } else if x == f64::NEG_INFINITY {
            Number(0.0)
        } else if x.abs() > 1e6 {
            // Beyond every format.
            Number(if x > 0.0 { f64::INFINITY } else { 0.0 })
        } else {
            f(real(x)).into()
        }
    };
    Some(match std {
        Std::exp | Std::half_exp | Std::native_exp => power(real::exp),
        Std::exp2 | Std::half_exp2 | Std::native_exp2 => power(real::exp2),
        Std::exp10 | Std::half_exp10 | Std::native_exp10 => power(real::exp10),
        Std::expm1 if x == 0.0 => Number(x),
        Std::expm1 if x < -1e6 => Number(-1.0),
        Std::expm1 => power(real::expm1),
        Std::log | Std::half_log | Std::native_log => logarithm(real::ln),
        Std::log2 | Std::half_log2 | Std::native_log2 => logarithm(real::log2),
        Std::log10 | Std::half_log10 | Std::native_log10 => logarithm(real::log10),
        Std::log1p if x == 0.0 || x == f64::INFINITY => Number(x),
        Std::log1p if x == -1.0 => Number(f64::NEG_INFINITY),
        Std::log1p if x > -1.0 => real::ln_1p(real(x)).into(),
        Std::log1p => NAN,
        Std::logb if x == 0.0 => Number(f64::NEG_INFINITY),
        Std::logb if !x.is_finite() => Number(x.abs()),
        Std::logb => Number((real(x).exponent() - 1) as f64),
        Std::cbrt if x == 0.0 || !x.is_finite() => Number(x),
        Std::cbrt => real::cbrt(real(x)).into(),
        Std::sqrt | Std::half_sqrt | Std::native_sqrt => Number(x.sqrt()),
        Std::rsqrt | Std::half_rsqrt | Std::native_rsqrt if x == 0.0 => Number(1.0 / x),
        Std::rsqrt | Std::half_rsqrt | Std::native_rsqrt if x < 0.0 || !x.is_finite() => Number(1.0 / x.sqrt()),
        Std::rsqrt | Std::half_rsqrt | Std::native_rsqrt => (Real::from_i64(1) / real(x).sqrt()).into(),
        _ => return None,
    })
}

fn trigonometric(std: Std, x: f64) -> Option<Exact> {
    let periodic = |f: fn(f64) -> Real| if x.is_finite() { f(x).into() } else { NAN };
    let odd = |f: fn(f64) -> Real| if x == 0.0 { Number(x) } else { periodic(f) };
    Some(match std {
        Std::sin | Std::half_sin | Std::native_sin | Std::sincos => odd(|x| real::sin_cos(x).0),
        Std::cos | Std::half_cos | Std::native_cos => periodic(|x| real::sin_cos(x).1),
        Std::tan | Std::half_tan | Std::native_tan => odd(|x| {
            let (sine, cosine) = real::sin_cos(x);
            sine / cosine
        }),
        // Zeros keep the sign of the argument.
        Std::sinpi if x.is_finite() && x.fract() == 0.0 => Number(0f64.copysign(x)),
        Std::sinpi => periodic(|x| real::sin_cos_pi(x).0),
        Std::cospi => periodic(|x| real::sin_cos_pi(x).1),
        Std::tanpi if x.is_finite() && x.fract() == 0.0 => {
            Number(if x % 2.0 == 0.0 { 0f64.copysign(x) } else { -0f64.copysign(x) })
        }
        Std::tanpi if x.is_finite() && x.fract().abs() == 0.5 => {
            Number(if x.floor() % 2.0 == 0.0 { f64::INFINITY } else { f64::NEG_INFINITY })
        }
        Std::tanpi => periodic(|x| {
            let (sine, cosine) = real::sin_cos_pi(x);
            sine / cosine
        }),
        Std::asin | Std::asinpi | Std::acos | Std::acospi if x.is_nan() || x.abs() > 1.0 => NAN,
        Std::asin | Std::asinpi | Std::atan | Std::atanpi if x == 0.0 => Number(x),
        Std::asin => real::asin(real(x)).into(),
        Std::asinpi => over_pi(real::asin(real(x))).into(),
        Std::acos | Std::acospi if x == 1.0 => Number(0.0),
        Std::acos => real::acos(real(x)).into(),
        Std::acospi => over_pi(real::acos(real(x))).into(),
        Std::atan | Std::atanpi => angle(x, 1.0, std == Std::atanpi),
        _ => return None,
    })
}

fn hyperbolic(std: Std, x: f64) -> Option<Exact> {
    let odd = |f: fn(Real) -> Real| if x == 0.0 || !x.is_finite() { Number(x) } else { f(real(x)).into() };
    // Far beyond every format, but within what exponents can be.
    let large = x.is_finite() && x.abs() > 1e6;
    Some(match std {
        Std::sinh if large => Number(f64::INFINITY.copysign(x)),
        Std::sinh => odd(real::sinh),
        Std::cosh if !x.is_finite() || large => Number(x.abs() * f64::INFINITY),
        Std::cosh => real::cosh(real(x)).into(),
        Std::tanh if x.is_infinite() => Number(1f64.copysign(x)),
        Std::tanh => odd(real::tanh),
        Std::asinh => odd(real::asinh),
        Std::acosh if x == f64::INFINITY || x == 1.0 => Number(x - if x == 1.0 { 1.0 } else { 0.0 }),
        Std::acosh if x > 1.0 => real::acosh(real(x)).into(),
        Std::acosh => NAN,
        Std::atanh if x.abs() == 1.0 => Number(f64::INFINITY.copysign(x)),
        Std::atanh if x == 0.0 => Number(x),
        Std::atanh if x.abs() < 1.0 => real::atanh(real(x)).into(),
        Std::atanh => NAN,
        _ => return None,
    })
}

fn special(std: Std, x: f64) -> Option<Exact> {
    let whole = x.fract() == 0.0;
    Some(match std {
        Std::erf if x.is_infinite() => Number(1f64.copysign(x)),
        Std::erf if x == 0.0 || x.is_nan() => Number(x),
        Std::erf => real::erf(real(x)).into(),
        Std::erfc if x.is_infinite() => Number(if x > 0.0 { 0.0 } else { 2.0 }),
        Std::erfc if x.is_nan() => Number(x),
        Std::erfc => real::erfc(real(x)).into(),
        Std::lgamma if x.is_nan() => Number(x),
        Std::lgamma if x.is_infinite() || (x <= 0.0 && whole) => Number(f64::INFINITY),
        Std::lgamma => real::ln_gamma(x).0.into(),
        Std::tgamma if x == 0.0 => Number(1.0 / x),
        Std::tgamma if x.is_nan() || x == f64::NEG_INFINITY || (x < 0.0 && whole) => NAN,
        Std::tgamma if x.is_infinite() => Number(x),
        Std::tgamma => real::gamma(x).into(),
        Std::degrees if x == 0.0 || !x.is_finite() => Number(x),
        Std::degrees => (real(x) * Real::from_i64(180) / real::pi()).into(),
        Std::radians if x == 0.0 || !x.is_finite() => Number(x),
        Std::radians => (real(x) * real::pi() / Real::from_i64(180)).into(),
        _ => return None,
    })
}

/// The angle of the point (x, y), or that over pi.
fn angle(y: f64, x: f64, over: bool) -> Exact {
    if x.is_nan() || y.is_nan() {
        return NAN;
    }
    // Angles of axes and diagonals, in quarters of pi.
    let quarters = match (y.is_infinite(), x.is_infinite()) {
        (true, true) => Some(if x > 0.0 { 1 } else { 3 }),
        (true, false) => Some(2),
        (false, true) => Some(if x > 0.0 { 0 } else { 4 }),
        _ if y == 0.0 => Some(if x.is_sign_negative() { 4 } else { 0 }),
        _ if x == 0.0 => Some(2),
        _ => None,
    };
    match quarters {
        Some(0) => Number(0f64.copysign(y)),
        Some(quarters) if over => Number((f64::from(quarters) / 4.0).copysign(y)),
        Some(quarters) => {
            let angle = (Real::from_i64(i64::from(quarters)) * real::pi()).scaled(-2);
            if y.is_sign_negative() { (-angle).into() } else { angle.into() }
        }
        None if over => over_pi(real::atan2(real(y), real(x))).into(),
        None => real::atan2(real(y), real(x)).into(),
    }
}

fn hypot(x: f64, y: f64) -> Exact {
    if x.is_infinite() || y.is_infinite() {
        Number(f64::INFINITY)
    } else if x.is_nan() || y.is_nan() {
        NAN
    } else {
        real::hypot(real(x), real(y)).into()
    }
}

fn pow(x: f64, y: f64) -> Exact {
    if y == 0.0 || x == 1.0 {
        return Number(1.0);
    }
    if x.is_nan() || y.is_nan() {
        return NAN;
    }
    let whole = y.fract() == 0.0;
    let odd = whole && y.abs() < 2f64.powi(53) && y as i64 & 1 == 1;
    let signed = |magnitude: f64| Number(if odd && x.is_sign_negative() { -magnitude } else { magnitude });
    if y.is_infinite() {
        let grows = (x.abs() > 1.0) == (y > 0.0);
        return Number(if x == -1.0 {
            1.0
        } else if grows {
            f64::INFINITY
        } else {
            0.0
        });
    }
    if x == 0.0 || x.is_infinite() {
        return signed(if (x == 0.0) == (y > 0.0) { 0.0 } else { f64::INFINITY });
    }
    if x < 0.0 && !whole {
        return NAN;
    }
    let power = if x == -1.0 { Real::from_i64(1) } else { real::pow(real(x.abs()), real(y)) };
    if odd && x < 0.0 { (-power).into() } else { power.into() }
}

fn powr(x: f64, y: f64) -> Exact {
    let undefined = x.is_nan()
        || y.is_nan()
        || x < 0.0
        || (y == 0.0 && (x == 0.0 || x.is_infinite()))
        || (x == 1.0 && y.is_infinite());
    if undefined { NAN } else { pow(x.abs(), y) }
}

fn root(x: f64, n: i64) -> Exact {
    let odd = n & 1 == 1;
    if n == 0 || x.is_nan() || (x < 0.0 && !odd) {
        return NAN;
    }
    let sign = if odd && x.is_sign_negative() { -1.0 } else { 1.0 };
    if x == 0.0 || x.is_infinite() {
        return Number(if (x == 0.0) == (n > 0) { 0f64.copysign(sign) } else { f64::INFINITY.copysign(sign) });
    }
    let magnitude = real::root(real(x.abs()), n.abs());
    let magnitude = if n < 0 { Real::from_i64(1) / magnitude } else { magnitude };
    if sign < 0.0 { (-magnitude).into() } else { magnitude.into() }
}

#[cfg(test)]
mod tests {
    use oxicl_spirv::grammar::OpenclStd100Op as Std;

    use super::function;

    type Host = fn(f64, f64) -> f64;

    /// Functions that the host has, too: in double they are good enough to be rounded to float, but for the last bit.
    const HOST: [(Std, Host); 24] = [
        (Std::acos, |x, _| x.acos()),
        (Std::acosh, |x, _| x.acosh()),
        (Std::asin, |x, _| x.asin()),
        (Std::asinh, |x, _| x.asinh()),
        (Std::atan, |x, _| x.atan()),
        (Std::atanh, |x, _| x.atanh()),
        (Std::cbrt, |x, _| x.cbrt()),
        (Std::cos, |x, _| x.cos()),
        (Std::cosh, |x, _| x.cosh()),
        (Std::exp, |x, _| x.exp()),
        (Std::exp2, |x, _| x.exp2()),
        (Std::expm1, |x, _| x.exp_m1()),
        (Std::log, |x, _| x.ln()),
        (Std::log2, |x, _| x.log2()),
        (Std::log10, |x, _| x.log10()),
        (Std::log1p, |x, _| x.ln_1p()),
        (Std::sin, |x, _| x.sin()),
        (Std::sinh, |x, _| x.sinh()),
        (Std::tan, |x, _| x.tan()),
        (Std::tanh, |x, _| x.tanh()),
        (Std::rsqrt, |x, _| if x == 0.0 { 1.0 / x } else { 1.0 / x.sqrt() }),
        (Std::atan2, f64::atan2),
        (Std::hypot, f64::hypot),
        (Std::pow, f64::powf),
    ];

    const NUMBERS: [f32; 26] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        2.0,
        -3.0,
        0.3,
        1e-30,
        -1e-20,
        1e-45,
        0.999_999_94,
        1.000_000_1,
        7.5,
        -88.0,
        89.0,
        127.5,
        1e10,
        3e38,
        -3e38,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        std::f32::consts::PI,
        1e5,
    ];

    #[test]
    fn floats_agree_with_the_hosts_doubles_in_every_case() {
        for (std, host) in HOST {
            for x in NUMBERS {
                for y in NUMBERS {
                    let row = [u64::from(x.to_bits()), u64::from(y.to_bits())];
                    let got = f32::from_bits(function(std, &row, 32).expect("a function") as u32);
                    let want = host(f64::from(x), f64::from(y)) as f32;
                    let same = got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan());
                    let near = got.to_bits().abs_diff(want.to_bits()) <= 1 && want.is_finite() && want != 0.0;
                    assert!(same || near, "{std:?}({x:?}, {y:?}) is {got:?}, the host has {want:?}");
                }
            }
        }
    }
}
