//! Pi, its inverse, and logarithms, computed once.

use std::sync::LazyLock;

use super::integer::{add, compare, divide_small, product, shift_left_one, subtract};
use super::{Real, elementary};

/// Limbs of the fixed-point numbers here: a double of 2^1023 takes 1024 bits of the inverse of pi, and 512 remain.
const LIMBS: usize = 26;
/// Bits behind the point; one limb stands before it.
const FRACTION: usize = 64 * (LIMBS - 1);

/// `coefficient * atan(1 / n)` in fixed point, by its series.
fn arctangent_of_inverse(coefficient: u64, n: u64) -> Vec<u64> {
    let mut power = vec![0; LIMBS];
    power[LIMBS - 1] = coefficient;
    divide_small(&mut power, n);
    let mut sum = power.clone();
    let mut index = 1;
    while power.iter().any(|limb| *limb != 0) {
        divide_small(&mut power, n * n);
        let mut term = power.clone();
        index += 2;
        divide_small(&mut term, index);
        if index % 4 == 3 {
            subtract(&mut sum, &term);
        } else {
            add(&mut sum, &term);
        }
    }
    sum
}

/// Pi in fixed point: 16 atan(1/5) - 4 atan(1/239).
static PI_FIXED: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let mut pi = arctangent_of_inverse(16, 5);
    subtract(&mut pi, &arctangent_of_inverse(4, 239));
    pi
});

/// Two over pi in fixed point, digit by digit.
static TWO_OVER_PI: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let mut rest = vec![0; LIMBS];
    rest[LIMBS - 1] = 2;
    let mut quotient = vec![0; LIMBS];
    // The first digit is the one before the point, which is zero.
    for _ in 0..=FRACTION {
        let fits = compare(&rest, &PI_FIXED).is_ge();
        if fits {
            subtract(&mut rest, &PI_FIXED);
        }
        shift_left_one(&mut quotient, u64::from(fits));
        shift_left_one(&mut rest, 0);
    }
    quotient
});

static PI: LazyLock<Real> = LazyLock::new(|| Real::from_parts(false, &PI_FIXED, -(FRACTION as i64)));
static LN_2: LazyLock<Real> = LazyLock::new(|| {
    // 2 atanh(1/3), by its series.
    elementary::atanh_series(Real::from_i64(1).over(3)).scaled(1)
});
static LN_10: LazyLock<Real> = LazyLock::new(|| elementary::ln(Real::from_i64(10)));

pub(crate) fn pi() -> Real {
    *PI
}

pub(super) fn ln_2() -> Real {
    *LN_2
}

pub(super) fn ln_10() -> Real {
    *LN_10
}

/// A number modulo pi/2: the quadrant, and the rest, which is at most pi/4 in magnitude.
pub(super) fn reduce(number: f64) -> (u64, Real) {
    let number_as_real = Real::from_f64(number);
    if number_as_real.exponent() < -1 {
        return (0, number_as_real);
    }
    let bits = number.abs().to_bits();
    let (mantissa, exponent) = ((bits & ((1 << 52) - 1)) | 1 << 52, (bits >> 52) as i64 - 1075);
    // In units of 2^(exponent - FRACTION).
    let turns = product(&TWO_OVER_PI, &[mantissa]);
    let point = FRACTION as i64 - exponent;
    let bit = |place: i64| -> u64 {
        match usize::try_from(place) {
            Ok(place) if place / 64 < turns.len() => turns[place / 64] >> (place % 64) & 1,
            _ => 0,
        }
    };
    let mut quadrant = bit(point) | bit(point + 1) << 1;
    // The bits behind the point.
    let mut fraction = turns.clone();
    for (index, limb) in fraction.iter_mut().enumerate() {
        let kept = (point - 64 * index as i64).clamp(0, 64) as u32;
        *limb &= if kept == 64 { u64::MAX } else { (1u64 << kept) - 1 };
    }
    let mut rest = Real::from_parts(false, &fraction, -point);
    if bit(point - 1) == 1 {
        quadrant += 1;
        rest = rest - Real::from_i64(1);
    }
    let rest = rest * pi().scaled(-1);
    if number < 0.0 { (quadrant.wrapping_neg() & 3, -rest) } else { (quadrant & 3, rest) }
}
