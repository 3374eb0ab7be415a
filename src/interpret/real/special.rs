//! The error and gamma functions.

use std::sync::LazyLock;

use super::constants::pi;
use super::elementary::{exp, ln, sin_cos_pi};
use super::{BITS, Real};

fn one() -> Real {
    Real::from_i64(1)
}

/// The error function: 2/sqrt(pi) e^(-x^2) times a series of terms of one sign.
pub(crate) fn erf(x: Real) -> Real {
    if x.exponent() > 4 {
        return if x.is_negative() { -one() } else { one() };
    }
    let square = x * x;
    let (mut sum, mut term, mut n) = (x, x, 1);
    loop {
        n += 2;
        term = (term * square).scaled(1).over(n);
        if term.is_zero() || term.exponent() < sum.exponent() - BITS {
            break;
        }
        sum = sum + term;
    }
    (sum * exp(-square)).scaled(1) / pi().sqrt()
}

/// The complementary error function.
pub(crate) fn erfc(x: Real) -> Real {
    if x.to_f64() < 3.0 {
        return one() - erf(x);
    }
    if x.exponent() > 10 {
        return one().scaled(-100_000);
    }
    // A continued fraction, which needs fewer terms the larger x is, from its end.
    let square = x * x;
    let terms = 60 + (7000.0 / square.to_f64()) as i64;
    let mut fraction = one();
    for k in (1..=terms).rev() {
        fraction = one() + Real::from_i64(k) / (square.scaled(1) * fraction);
    }
    exp(-square) / (x * pi().sqrt() * fraction)
}

/// Terms of Spouge's approximation; its relative error is below (2 pi)^-100.
const SPOUGE: i64 = 100;

/// Coefficients of Spouge's approximation.
static COEFFICIENTS: LazyLock<Vec<Real>> = LazyLock::new(|| {
    let mut coefficients = vec![pi().scaled(1).sqrt()];
    let mut factorial = one();
    for k in 1..SPOUGE {
        let base = Real::from_i64(SPOUGE - k);
        let power = super::elementary::power(base, k - 1) * base.sqrt();
        let value = power * exp(base) / factorial;
        coefficients.push(if k % 2 == 0 { -value } else { value });
        factorial = factorial * Real::from_i64(k);
    }
    coefficients
});

/// The logarithm of the gamma function of a positive number.
fn ln_gamma_positive(x: Real) -> Real {
    let z = x - one();
    let mut sum = COEFFICIENTS[0];
    for (k, coefficient) in COEFFICIENTS.iter().enumerate().skip(1) {
        sum = sum + *coefficient / (z + Real::from_i64(k as i64));
    }
    let base = z + Real::from_i64(SPOUGE);
    (z + one().scaled(-1)) * ln(base) - base + ln(sum)
}

/// The logarithm of the magnitude of the gamma function, and whether that is negative. Not of zero or a negative whole
/// number.
pub(crate) fn ln_gamma(x: f64) -> (Real, bool) {
    let real = Real::from_f64(x);
    if x >= 0.5 {
        return (if x == 1.0 || x == 2.0 { Real::ZERO } else { ln_gamma_positive(real) }, false);
    }
    // gamma(x) gamma(1 - x) = pi / sin(pi x)
    let sine = sin_cos_pi(x).0;
    (ln(pi() / sine.abs()) - ln_gamma_positive(one() - real), sine.is_negative())
}

/// The gamma function, not of zero or a negative whole number.
pub(crate) fn gamma(x: f64) -> Real {
    if x.fract() == 0.0 && (1.0..=60.0).contains(&x) {
        // Factorials can lie between two doubles.
        return (1..x as i64).fold(one(), |product, factor| product * Real::from_i64(factor));
    }
    if x > 2000.0 {
        return one().scaled(100_000);
    }
    if x < -2000.0 {
        // Too small for every format; the sign alternates from one whole number to the next.
        let tiny = one().scaled(-100_000);
        return if x.floor() % 2.0 == 0.0 { tiny } else { -tiny };
    }
    let (logarithm, negative) = ln_gamma(x);
    let value = exp(logarithm);
    if negative { -value } else { value }
}
