//! Real numbers to 384 bits: what the functions of OpenCL.std are computed in before they are rounded once.
//!
//! Operations truncate, so each is wrong by less than 2^-382 of its result. The values of the functions lie no closer
//! than about 2^-120 to where rounding to a double would change, so results with 200 good bits round correctly; where
//! a result can lie exactly between two doubles, the functions are computed exactly.

mod constants;
mod elementary;
mod integer;
mod special;

pub(crate) use constants::pi;
pub(crate) use elementary::{
    acos, acosh, asin, asinh, atan2, atanh, cbrt, cosh, exp, exp2, exp10, expm1, hypot, ln, ln_1p, log2, log10, pow,
    root, sin_cos, sin_cos_pi, sinh, tanh,
};
pub(crate) use special::{erf, erfc, gamma, ln_gamma};

use integer::{compare, shift_left_one, subtract};

/// Limbs of a number.
const LIMBS: usize = 6;
/// Bits of a number.
const BITS: i64 = 64 * LIMBS as i64;

/// A real number: `mantissa / 2^384 * 2^exponent`, the mantissa's top bit set unless it is zero. Limbs lie lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Real {
    negative: bool,
    exponent: i64,
    mantissa: [u64; LIMBS],
}

impl Real {
    pub(crate) const ZERO: Real = Real { negative: false, exponent: 0, mantissa: [0; LIMBS] };

    /// A finite double.
    pub(crate) fn from_f64(number: f64) -> Real {
        if number == 0.0 || !number.is_finite() {
            return Real::ZERO;
        }
        let bits = number.to_bits();
        let field = (bits >> 52 & 0x7FF) as i64;
        let fraction = bits & ((1 << 52) - 1);
        let (mantissa, exponent) = if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
        Real::from_parts(number < 0.0, &[mantissa], exponent)
    }

    pub(crate) fn from_i64(number: i64) -> Real {
        Real::from_parts(number < 0, &[number.unsigned_abs()], 0)
    }

    /// `±limbs * 2^exponent`, what does not fit cut off.
    fn from_parts(negative: bool, limbs: &[u64], exponent: i64) -> Real {
        let Some(top) = limbs.iter().rposition(|limb| *limb != 0) else { return Real::ZERO };
        let zeros = limbs[top].leading_zeros();
        let at = |index: usize| {
            let limb = |back: usize| top.checked_sub(back).map_or(0, |place| limbs[place]);
            let back = LIMBS - 1 - index;
            if zeros == 0 { limb(back) } else { limb(back) << zeros | limb(back + 1) >> (64 - zeros) }
        };
        let mantissa = std::array::from_fn(at);
        let bits = 64 * (top as i64 + 1) - i64::from(zeros);
        Real { negative, exponent: exponent + bits, mantissa }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.mantissa[LIMBS - 1] == 0
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.negative
    }

    /// Smallest power of two, as its exponent, that the magnitude is below.
    pub(crate) fn exponent(&self) -> i64 {
        if self.is_zero() { i64::MIN / 2 } else { self.exponent }
    }

    pub(crate) fn abs(mut self) -> Real {
        self.negative = false;
        self
    }

    /// Times a power of two.
    pub(crate) fn scaled(mut self, by: i64) -> Real {
        if !self.is_zero() {
            self.exponent += by;
        }
        self
    }

    /// Divided by a small number.
    fn over(self, divisor: u64) -> Real {
        let mut rest = 0u128;
        let mut limbs = [0; LIMBS + 1];
        for (index, limb) in limbs.iter_mut().enumerate().rev() {
            let here = if index == 0 { 0 } else { self.mantissa[index - 1] };
            let part = rest << 64 | u128::from(here);
            *limb = (part / u128::from(divisor)) as u64;
            rest = part % u128::from(divisor);
        }
        Real::from_parts(self.negative, &limbs, self.exponent - BITS - 64)
    }

    pub(crate) fn sqrt(self) -> Real {
        if self.is_zero() {
            return self;
        }
        // The radicand's bits are taken in pairs, so its exponent has to be even.
        let odd = self.exponent.rem_euclid(2) as u32;
        let bit = |place: i64| -> u64 {
            // Bit `place` from the top of the mantissa, shifted right by `odd`.
            let place = place - i64::from(odd);
            if !(0..BITS).contains(&place) {
                return 0;
            }
            let index = BITS - 1 - place;
            self.mantissa[(index / 64) as usize] >> (index % 64) & 1
        };
        let (mut root, mut rest) = ([0u64; LIMBS + 1], [0u64; LIMBS + 1]);
        for step in 0..BITS {
            for pair in 0..2 {
                shift_left_one(&mut rest, bit(2 * step + pair));
            }
            // The digit is one if four times the root so far and one fits.
            let mut trial = root;
            shift_left_one(&mut trial, 0);
            shift_left_one(&mut trial, 1);
            shift_left_one(&mut root, 0);
            if compare(&rest, &trial).is_ge() {
                subtract(&mut rest, &trial);
                root[0] |= 1;
            }
        }
        Real::from_parts(false, &root[..LIMBS], (self.exponent + i64::from(odd)) / 2 - BITS)
    }

    /// The nearest double, roughly: the last bit may be wrong.
    pub(crate) fn to_f64(self) -> f64 {
        f64::from_bits(self.round(64))
    }

    /// The bits of the nearest number, ties to even, of the format of 16, 32 or 64 bits.
    pub(crate) fn round(&self, width: u32) -> u64 {
        let (digits, least, largest) = match width {
            16 => (11, -24, 16),
            32 => (24, -149, 128),
            _ => (53, -1074, 1024),
        };
        let sign = u64::from(self.negative) << (width - 1);
        if self.is_zero() || self.exponent < least {
            return sign;
        }
        let infinity = ((largest - least - digits + 2) as u64) << (digits - 1);
        if self.exponent > largest {
            return sign | infinity;
        }
        // The exponent of the last digit that is kept.
        let last = (self.exponent - digits).max(least);
        let kept = (self.exponent - last) as u32;
        let top = self.mantissa[LIMBS - 1];
        let (mut mantissa, half, below) = if kept == 0 {
            (0, top >> 63, top << 1)
        } else {
            (top >> (64 - kept), top >> (63 - kept) & 1, top << kept << 1)
        };
        let rest = below != 0 || self.mantissa[..LIMBS - 1].iter().any(|limb| *limb != 0);
        if half == 1 && (rest || mantissa & 1 == 1) {
            mantissa += 1;
        }
        let hidden = 1u64 << (digits - 1);
        // A mantissa that reached the next power of two carries into the exponent by itself.
        let field =
            if last == least && mantissa < 2 * hidden && kept < digits as u32 { 0 } else { (last - least) as u64 };
        let bits = if field == 0 { mantissa } else { (field << (digits - 1)) + mantissa };
        sign | bits.min(infinity)
    }

    /// The integer part, if it fits, and whether that is all.
    pub(crate) fn to_i64(self) -> Option<(i64, bool)> {
        if self.is_zero() || self.exponent <= 0 {
            return Some((0, self.is_zero()));
        }
        if self.exponent > 62 {
            return None;
        }
        let top = self.mantissa[LIMBS - 1];
        let whole = (top >> (64 - self.exponent)) as i64;
        let exact = top << self.exponent == 0 && self.mantissa[..LIMBS - 1].iter().all(|limb| *limb == 0);
        Some((if self.negative { -whole } else { whole }, exact))
    }
}

impl std::ops::Neg for Real {
    type Output = Real;
    fn neg(mut self) -> Real {
        self.negative = !self.negative && !self.is_zero();
        self
    }
}

impl std::ops::Add for Real {
    type Output = Real;
    fn add(self, other: Real) -> Real {
        if self.is_zero() {
            return other;
        }
        if other.is_zero() {
            return self;
        }
        let (large, small) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        let apart = large.exponent - small.exponent;
        if apart > BITS + 64 {
            return large;
        }
        // A limb below takes what the shift moves out, one above takes the carry.
        let mut a = [0u64; LIMBS + 2];
        let mut b = [0u64; LIMBS + 2];
        a[1..=LIMBS].copy_from_slice(&large.mantissa);
        b[1..=LIMBS].copy_from_slice(&small.mantissa);
        integer::shift_right(&mut b, apart as usize);
        let exponent = large.exponent - BITS - 64;
        if large.negative == small.negative {
            integer::add(&mut a, &b);
            return Real::from_parts(large.negative, &a, exponent);
        }
        if compare(&a, &b).is_ge() {
            subtract(&mut a, &b);
            Real::from_parts(large.negative, &a, exponent)
        } else {
            subtract(&mut b, &a);
            Real::from_parts(small.negative, &b, exponent)
        }
    }
}

impl std::ops::Sub for Real {
    type Output = Real;
    fn sub(self, other: Real) -> Real {
        self + -other
    }
}

impl std::ops::Mul for Real {
    type Output = Real;
    fn mul(self, other: Real) -> Real {
        if self.is_zero() || other.is_zero() {
            return Real::ZERO;
        }
        let product = integer::product(&self.mantissa, &other.mantissa);
        Real::from_parts(self.negative != other.negative, &product, self.exponent + other.exponent - 2 * BITS)
    }
}

impl std::ops::Div for Real {
    type Output = Real;
    /// Of a number that is not zero.
    fn div(self, other: Real) -> Real {
        if self.is_zero() || other.is_zero() {
            return Real::ZERO;
        }
        let (mut rest, mut divisor) = ([0u64; LIMBS + 1], [0u64; LIMBS + 1]);
        rest[..LIMBS].copy_from_slice(&self.mantissa);
        divisor[..LIMBS].copy_from_slice(&other.mantissa);
        let mut quotient = [0u64; LIMBS + 1];
        // One digit before the point, and one more than is kept.
        for _ in 0..=BITS + 1 {
            let digit = u64::from(compare(&rest, &divisor).is_ge());
            if digit == 1 {
                subtract(&mut rest, &divisor);
            }
            shift_left_one(&mut quotient, digit);
            shift_left_one(&mut rest, 0);
        }
        let exponent = self.exponent - other.exponent - BITS - 1;
        Real::from_parts(self.negative != other.negative, &quotient, exponent)
    }
}

#[cfg(test)]
mod tests;
