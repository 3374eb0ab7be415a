//! Floating-point formats: bits to numbers and back, with every rounding mode.
//!
//! Numbers of 16 and 32 bits are computed in double precision and rounded once to their format. For addition,
//! subtraction, multiplication, division and square root that gives the correctly rounded result, because a double has
//! more than twice the digits of a float.

use half::f16;
use oxicl_spirv::grammar::FPRoundingMode;

/// The number that the bits of a 16-, 32- or 64-bit format stand for.
pub fn decode(bits: u64, width: u32) -> f64 {
    match width {
        16 => f16::from_bits(bits as u16).to_f64(),
        32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// The bits of `number` rounded to nearest even in the format.
pub fn encode(number: f64, width: u32) -> u64 {
    match width {
        // By way of a float, as processors convert, it would be rounded twice.
        16 if number.is_finite() => {
            let bits = crate::real::Real::from_f64(number).round(16);
            if number == 0.0 { (number.to_bits() >> 48) & 0x8000 } else { bits }
        }
        16 => u64::from(f16::from_f64(number).to_bits()),
        32 => u64::from((number as f32).to_bits()),
        _ => number.to_bits(),
    }
}

/// The bits of `number` rounded to the format in `mode`.
pub fn encode_rounded(number: f64, width: u32, mode: FPRoundingMode) -> u64 {
    let nearest = encode(number, width);
    let rounded = decode(nearest, width);
    if number.is_nan() || rounded == number {
        return nearest;
    }
    adjust(nearest, width, mode, rounded > number, number < 0.0)
}

/// The bits of an integer rounded to the format in `mode`.
pub fn encode_integer(integer: i128, width: u32, mode: FPRoundingMode) -> u64 {
    let nearest = match width {
        // Beyond 2^53 a double is inexact, but a half overflowed long before.
        16 => encode(integer as f64, 16),
        32 => u64::from((integer as f32).to_bits()),
        _ => (integer as f64).to_bits(),
    };
    let rounded = decode(nearest, width);
    let order = if rounded.is_infinite() {
        if rounded > 0.0 { std::cmp::Ordering::Greater } else { std::cmp::Ordering::Less }
    } else {
        (rounded as i128).cmp(&integer)
    };
    match order {
        std::cmp::Ordering::Equal => nearest,
        order => adjust(nearest, width, mode, order.is_gt(), integer < 0),
    }
}

/// Moves an inexact result that was rounded to nearest to the neighbour that `mode` asks for. `above`: it is above the
/// exact number; `negative`: the exact number is negative.
fn adjust(nearest: u64, width: u32, mode: FPRoundingMode, above: bool, negative: bool) -> u64 {
    match mode {
        FPRoundingMode::RTE => nearest,
        FPRoundingMode::RTZ if above != negative => toward(nearest, width, negative),
        FPRoundingMode::RTP if !above => toward(nearest, width, true),
        FPRoundingMode::RTN if above => toward(nearest, width, false),
        _ => nearest,
    }
}

/// The next representable number above (`up`) or below.
pub fn toward(bits: u64, width: u32, up: bool) -> u64 {
    let sign = 1u64 << (width - 1);
    let magnitude = bits & (sign - 1);
    match (magnitude, bits & sign != 0, up) {
        (0, _, true) => 1,
        (0, _, false) => sign | 1,
        (_, false, true) | (_, true, false) => bits + 1,
        _ => bits - 1,
    }
}

/// `a * b + c` with one rounding.
pub fn fma(a: u64, b: u64, c: u64, width: u32) -> u64 {
    match width {
        16 => {
            // The product of two halves is exact in a double. The sum may not be: rounding it to odd keeps what the
            // second rounding needs to know.
            let product = decode(a, 16) * decode(b, 16);
            encode(add_to_odd(product, decode(c, 16)), 16)
        }
        32 => {
            let [a, b, c] = [a, b, c].map(|bits| f32::from_bits(bits as u32));
            u64::from(a.mul_add(b, c).to_bits())
        }
        _ => {
            let [a, b, c] = [a, b, c].map(f64::from_bits);
            a.mul_add(b, c).to_bits()
        }
    }
}

/// The sum rounded to odd: if it is inexact, the last bit of the result is 1.
fn add_to_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if !sum.is_finite() {
        return sum;
    }
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    let bits = sum.to_bits();
    if error == 0.0 || bits & 1 == 1 {
        return sum;
    }
    f64::from_bits(toward(bits, 64, error > 0.0))
}

/// `number` rounded to an integer in `mode`.
pub fn round_to_integer(number: f64, mode: FPRoundingMode) -> f64 {
    match mode {
        FPRoundingMode::RTE => number.round_ties_even(),
        FPRoundingMode::RTP => number.ceil(),
        FPRoundingMode::RTN => number.floor(),
        _ => number.trunc(),
    }
}

#[cfg(test)]
mod tests {
    use super::{decode, encode, encode_integer, encode_rounded, fma, toward};
    use oxicl_spirv::grammar::FPRoundingMode::{RTE, RTN, RTP, RTZ};

    #[test]
    fn directed_modes_bracket_an_inexact_number() {
        for (number, width) in [(0.1, 32), (-0.1, 32), (1e-9, 16), (-1e-9, 16), (1e30, 16), (-70000.0, 16)] {
            let [down, up, zero, even] = [RTN, RTP, RTZ, RTE].map(|mode| encode_rounded(number, width, mode));
            assert!(decode(down, width) < number && number < decode(up, width), "{number}");
            assert_eq!(zero, if number < 0.0 { up } else { down }, "{number}");
            assert!(even == down || even == up, "{number}");
            assert_eq!(toward(down, width, true) & (u64::MAX >> 1), up & (u64::MAX >> 1), "{number}");
        }
    }

    #[test]
    fn large_integers_round_once() {
        let integer = i128::from(u64::MAX);
        assert_eq!(decode(encode_integer(integer, 32, RTE), 32), 18446744073709551616.0);
        assert_eq!(decode(encode_integer(integer, 32, RTZ), 32), 18446742974197923840.0);
        assert_eq!(decode(encode_integer(-(1 << 24) - 1, 32, RTN), 32), -16777218.0);
    }

    #[test]
    fn half_fma_rounds_once() {
        // 2048 + 1 is a tie in half precision; a product just above 1 breaks it upwards.
        let [a, b, c] = [1.0 + 1.0 / 1024.0, 1.0, 2048.0].map(|number| encode(number, 16));
        assert_eq!(decode(fma(a, b, c, 16), 16), 2050.0);
    }
}
