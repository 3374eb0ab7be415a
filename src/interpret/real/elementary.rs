//! Exponential, logarithm, powers, and the trigonometric and hyperbolic functions with their inverses.

use super::constants::{ln_2, ln_10, pi, reduce};
use super::{BITS, Real};

fn one() -> Real {
    Real::from_i64(1)
}

/// Whether a term no longer changes a sum.
fn negligible(term: &Real, sum: &Real) -> bool {
    term.is_zero() || term.exponent() < sum.exponent() - BITS
}

/// The series of e^x - 1, for small x.
fn expm1_series(x: Real) -> Real {
    let (mut sum, mut term, mut n) = (x, x, 1);
    while !negligible(&term, &sum) {
        n += 1;
        term = (term * x).over(n);
        sum = sum + term;
    }
    sum
}

pub(crate) fn exp(x: Real) -> Real {
    // x = k ln 2 + 2^16 s with a very small s.
    let k = (x.to_f64() / std::f64::consts::LN_2).round_ties_even().clamp(-1e7, 1e7) as i64;
    let rest = (x - Real::from_i64(k) * ln_2()).scaled(-16);
    let mut power = one() + expm1_series(rest);
    for _ in 0..16 {
        power = power * power;
    }
    power.scaled(k)
}

pub(crate) fn expm1(x: Real) -> Real {
    if x.exponent() < -3 { expm1_series(x) } else { exp(x) - one() }
}

pub(crate) fn exp2(x: Real) -> Real {
    match x.to_i64() {
        Some((whole, true)) => one().scaled(whole),
        _ => exp(x * ln_2()),
    }
}

pub(crate) fn exp10(x: Real) -> Real {
    match x.to_i64() {
        // 10^23 lies between two doubles: powers are exact as long as they can be.
        Some((whole, true)) if whole.abs() <= 100 => power(Real::from_i64(10), whole),
        _ => exp(x * ln_10()),
    }
}

/// The series of atanh, for small x.
pub(super) fn atanh_series(x: Real) -> Real {
    let square = x * x;
    let (mut sum, mut power, mut n) = (x, x, 1);
    loop {
        power = power * square;
        n += 2;
        let term = power.over(n);
        if negligible(&term, &sum) {
            return sum;
        }
        sum = sum + term;
    }
}

/// Of a positive number.
pub(crate) fn ln(x: Real) -> Real {
    // x = m 2^e with m about 1.
    let mut e = x.exponent();
    let mut m = x.scaled(-e);
    if m.to_f64() < std::f64::consts::FRAC_1_SQRT_2 {
        m = m.scaled(1);
        e -= 1;
    }
    let above = m - one();
    let logarithm = if above.exponent() < -8 {
        atanh_series(above / (m + one())).scaled(1)
    } else {
        // Each step triples the number of digits.
        let mut y = Real::from_f64(m.to_f64().ln());
        for _ in 0..2 {
            let power = exp(y);
            y = y + ((m - power) / (m + power)).scaled(1);
        }
        y
    };
    logarithm + Real::from_i64(e) * ln_2()
}

/// ln(1 + x) for x above -1.
pub(crate) fn ln_1p(x: Real) -> Real {
    if x.exponent() < -8 { atanh_series(x / (x + one() + one())).scaled(1) } else { ln(x + one()) }
}

pub(crate) fn log2(x: Real) -> Real {
    // A power of two has a mantissa of one bit.
    if x == one().scaled(x.exponent() - 1) {
        return Real::from_i64(x.exponent() - 1);
    }
    ln(x) / ln_2()
}

pub(crate) fn log10(x: Real) -> Real {
    ln(x) / ln_10()
}

/// A whole power, exact as long as it fits.
pub(crate) fn power(base: Real, exponent: i64) -> Real {
    let (mut result, mut square, mut rest) = (one(), base, exponent.unsigned_abs());
    while rest != 0 {
        if rest & 1 == 1 {
            result = result * square;
        }
        square = square * square;
        rest >>= 1;
    }
    if exponent < 0 { one() / result } else { result }
}

/// Of a positive base.
pub(crate) fn pow(base: Real, exponent: Real) -> Real {
    // Where the result can have few digits, it is computed exactly: exponents k / 2^j with small k and j.
    let mut root = base;
    for j in 0..=5 {
        if let Some((k, true)) = exponent.scaled(j).to_i64()
            && k.abs() <= 64
        {
            return power(root, k);
        }
        root = root.sqrt();
    }
    let product = exponent * ln(base);
    // Far beyond every format.
    if product.exponent() > 20 {
        return one().scaled(if product.is_negative() { -100_000 } else { 100_000 });
    }
    exp(product)
}

/// The n-th root of a positive number.
pub(crate) fn root(x: Real, n: i64) -> Real {
    match n {
        1 => x,
        2 => x.sqrt(),
        _ => exp(ln(x) / Real::from_i64(n)),
    }
}

pub(crate) fn cbrt(x: Real) -> Real {
    if x.is_zero() {
        return x;
    }
    let root = root(x.abs(), 3);
    if x.is_negative() { -root } else { root }
}

pub(crate) fn hypot(x: Real, y: Real) -> Real {
    (x * x + y * y).sqrt()
}

/// The series of sine (`n` = 1, `term` = x) or cosine (`n` = 0, `term` = 1); with `sign` -1 replaced by 1 those of the
/// hyperbolic functions.
fn alternating(mut term: Real, square: Real, mut n: u64, alternate: bool) -> Real {
    let mut sum = term;
    loop {
        term = (term * square).over((n + 1) * (n + 2));
        if alternate {
            term = -term;
        }
        n += 2;
        if negligible(&term, &sum) {
            return sum;
        }
        sum = sum + term;
    }
}

/// Sine and cosine of a number of at most pi/4, turned by quadrants.
fn turned(quadrant: u64, rest: Real) -> (Real, Real) {
    let square = rest * rest;
    let sine = alternating(rest, square, 1, true);
    let cosine = alternating(one(), square, 0, true);
    match quadrant & 3 {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

/// Sine and cosine of a finite number.
pub(crate) fn sin_cos(x: f64) -> (Real, Real) {
    let (quadrant, rest) = reduce(x);
    turned(quadrant, rest)
}

/// Sine and cosine of pi times a finite number.
pub(crate) fn sin_cos_pi(x: f64) -> (Real, Real) {
    // Exact: the remainder of doubles is, and so are twice and the difference of numbers so close.
    let turn = x % 2.0;
    let quarters = (turn * 2.0).round_ties_even();
    let rest = turn - quarters / 2.0;
    turned((quarters as i64 & 3) as u64, Real::from_f64(rest) * pi())
}

pub(crate) fn atan(x: Real) -> Real {
    if x.exponent() > 1 {
        let right = pi().scaled(-1);
        let rest = atan(one() / x.abs());
        return if x.is_negative() { rest - right } else { right - rest };
    }
    // An angle whose tangent is near enough leaves a tiny rest for the series.
    let near = if x.exponent() < -40 { 0.0 } else { x.to_f64().atan() };
    let (sine, cosine) = turned(0, Real::from_f64(near));
    let rest = (x * cosine - sine) / (cosine + x * sine);
    let square = -(rest * rest);
    let (mut sum, mut power, mut n) = (rest, rest, 1);
    loop {
        power = power * square;
        n += 2;
        let term = power.over(n);
        if negligible(&term, &sum) {
            return Real::from_f64(near) + sum;
        }
        sum = sum + term;
    }
}

/// Of numbers that are not both zero.
pub(crate) fn atan2(y: Real, x: Real) -> Real {
    if x.is_zero() {
        let right = pi().scaled(-1);
        return if y.is_negative() { -right } else { right };
    }
    let angle = atan(y / x);
    match (x.is_negative(), y.is_negative()) {
        (false, _) => angle,
        (true, false) => angle + pi(),
        (true, true) => angle - pi(),
    }
}

/// Of a number of magnitude at most 1.
pub(crate) fn asin(x: Real) -> Real {
    let adjacent = ((one() - x) * (one() + x)).sqrt();
    atan2(x, adjacent)
}

/// Of a number of magnitude at most 1.
pub(crate) fn acos(x: Real) -> Real {
    atan2((one() - x).sqrt(), (one() + x).sqrt()).scaled(1)
}

pub(crate) fn sinh(x: Real) -> Real {
    if x.exponent() < -1 {
        return alternating(x, x * x, 1, false);
    }
    (exp(x) - exp(-x)).scaled(-1)
}

pub(crate) fn cosh(x: Real) -> Real {
    (exp(x) + exp(-x)).scaled(-1)
}

pub(crate) fn tanh(x: Real) -> Real {
    if x.exponent() > 12 {
        return if x.is_negative() { -one() } else { one() };
    }
    sinh(x) / cosh(x)
}

pub(crate) fn asinh(x: Real) -> Real {
    let magnitude = x.abs();
    let square = magnitude * magnitude;
    let result = ln_1p(magnitude + square / (one() + (one() + square).sqrt()));
    if x.is_negative() { -result } else { result }
}

/// Of a number of at least 1.
pub(crate) fn acosh(x: Real) -> Real {
    let above = x - one();
    ln_1p(above + (above * (x + one())).sqrt())
}

/// Of a number of magnitude below 1.
pub(crate) fn atanh(x: Real) -> Real {
    let magnitude = x.abs();
    let result = ln_1p(magnitude.scaled(1) / (one() - magnitude)).scaled(-1);
    if x.is_negative() { -result } else { result }
}
