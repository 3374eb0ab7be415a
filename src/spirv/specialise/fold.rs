//! Operations on scalar constants.

use spirv::Op;

/// What a scalar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    Bool,
    /// Width in bits.
    Int(u32),
    /// Width in bits.
    Float(u32),
}

impl Scalar {
    /// Width in bits; a boolean has one.
    pub(super) fn width(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            Scalar::Int(width) | Scalar::Float(width) => width,
        }
    }
}

/// The low `width` bits.
pub(super) fn mask(width: u32) -> u64 {
    1u64.checked_shl(width).map_or(u64::MAX, |bit| bit - 1)
}

fn signed(bits: u64, width: u32) -> i64 {
    let unused = 64 - width.clamp(1, 64);
    ((bits << unused) as i64) >> unused
}

/// The result of `op` on `operands`, unmasked; `None` if it is no operation that can be folded. What the specification
/// leaves undefined (division by zero, shifts too far) gives 0.
pub(super) fn scalar_operation(op: Op, operands: &[(Scalar, u64)], result: Scalar) -> Option<u64> {
    match operands {
        [(kind, a)] => unary(op, *kind, *a, result),
        [(kind, a), (other, b)] if kind == other || is_shift(op) => match kind {
            Scalar::Bool => logical(op, *a, *b),
            Scalar::Int(width) if *kind == result => integer(op, *width, *a, *b),
            Scalar::Int(width) if result == Scalar::Bool => compare(op, *width, *a, *b),
            Scalar::Float(width) if *kind == result => float(op, *width, *a, *b),
            Scalar::Float(width) if result == Scalar::Bool => compare_floats(op, *width, *a, *b),
            _ => None,
        },
        [(Scalar::Bool, condition), (kind, a), (other, b)]
            if op == Op::Select && *kind == result && *other == result =>
        {
            Some(if *condition != 0 { *a } else { *b })
        }
        _ => None,
    }
}

fn is_shift(op: Op) -> bool {
    matches!(op, Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic)
}

fn unary(op: Op, kind: Scalar, a: u64, result: Scalar) -> Option<u64> {
    Some(match (op, kind, result) {
        (Op::SNegate, from @ Scalar::Int(_), to) if from == to => a.wrapping_neg(),
        (Op::Not, from @ Scalar::Int(_), to) if from == to => !a,
        (Op::LogicalNot, Scalar::Bool, Scalar::Bool) => u64::from(a == 0),
        (Op::UConvert, Scalar::Int(_), Scalar::Int(_)) => a,
        (Op::CopyObject, from, to) if from == to => a,
        (Op::Bitcast, from, to) if from.width() == to.width() => a,
        (Op::SConvert, Scalar::Int(width), Scalar::Int(_)) => signed(a, width) as u64,
        (Op::FConvert, Scalar::Float(from), Scalar::Float(to)) => from_f64(to_f64(a, from), to),
        (Op::FNegate, Scalar::Float(width), Scalar::Float(to)) if width == to => a ^ (1 << (width - 1)),
        (Op::ConvertFToS, Scalar::Float(from), Scalar::Int(_)) => to_f64(a, from) as i64 as u64,
        (Op::ConvertFToU, Scalar::Float(from), Scalar::Int(_)) => to_f64(a, from) as u64,
        // Straight from the integer to the width asked for: by way of 64 bits it would be rounded twice.
        (Op::ConvertSToF, Scalar::Int(from), Scalar::Float(32)) => u64::from((signed(a, from) as f32).to_bits()),
        (Op::ConvertUToF, Scalar::Int(_), Scalar::Float(32)) => u64::from((a as f32).to_bits()),
        (Op::ConvertSToF, Scalar::Int(from), Scalar::Float(to)) => from_f64(signed(a, from) as f64, to),
        (Op::ConvertUToF, Scalar::Int(_), Scalar::Float(to)) => from_f64(a as f64, to),
        (Op::QuantizeToF16, Scalar::Float(32), Scalar::Float(32)) => {
            let half = from_f64(to_f64(a, 32), 16);
            // Denormals of half precision become zero.
            let flushed = if half & 0x7c00 == 0 { half & 0x8000 } else { half };
            from_f64(to_f64(flushed, 16), 32)
        }
        _ => return None,
    })
}

fn logical(op: Op, a: u64, b: u64) -> Option<u64> {
    let (a, b) = (a != 0, b != 0);
    Some(u64::from(match op {
        Op::LogicalOr => a || b,
        Op::LogicalAnd => a && b,
        Op::LogicalEqual => a == b,
        Op::LogicalNotEqual => a != b,
        _ => return None,
    }))
}

fn integer(op: Op, width: u32, a: u64, b: u64) -> Option<u64> {
    let (sa, sb) = (signed(a, width), signed(b, width));
    let shift = u32::try_from(b).ok().filter(|by| *by < width);
    Some(match op {
        Op::IAdd => a.wrapping_add(b),
        Op::ISub => a.wrapping_sub(b),
        Op::IMul => a.wrapping_mul(b),
        Op::UDiv => a.checked_div(b).unwrap_or_default(),
        Op::UMod => a.checked_rem(b).unwrap_or_default(),
        Op::SDiv if sb == 0 => 0,
        Op::SDiv => sa.wrapping_div(sb) as u64,
        Op::SRem | Op::SMod if sb == 0 => 0,
        Op::SRem => sa.wrapping_rem(sb) as u64,
        Op::SMod => {
            let rem = sa.wrapping_rem(sb);
            (if rem != 0 && (rem < 0) != (sb < 0) { rem + sb } else { rem }) as u64
        }
        Op::ShiftLeftLogical => shift.map_or(0, |by| a << by),
        Op::ShiftRightLogical => shift.map_or(0, |by| a >> by),
        Op::ShiftRightArithmetic => shift.map_or(0, |by| (sa >> by) as u64),
        Op::BitwiseOr => a | b,
        Op::BitwiseXor => a ^ b,
        Op::BitwiseAnd => a & b,
        _ => return None,
    })
}

fn compare(op: Op, width: u32, a: u64, b: u64) -> Option<u64> {
    let (sa, sb) = (signed(a, width), signed(b, width));
    Some(u64::from(match op {
        Op::IEqual => a == b,
        Op::INotEqual => a != b,
        Op::ULessThan => a < b,
        Op::SLessThan => sa < sb,
        Op::UGreaterThan => a > b,
        Op::SGreaterThan => sa > sb,
        Op::ULessThanEqual => a <= b,
        Op::SLessThanEqual => sa <= sb,
        Op::UGreaterThanEqual => a >= b,
        Op::SGreaterThanEqual => sa >= sb,
        _ => return None,
    }))
}

/// Sums, products and quotients of 16-bit and 32-bit floats are exact enough in 64 bits that one more rounding gives
/// the right result.
fn float(op: Op, width: u32, a: u64, b: u64) -> Option<u64> {
    let (a, b) = (to_f64(a, width), to_f64(b, width));
    let value = match op {
        Op::FAdd => a + b,
        Op::FSub => a - b,
        Op::FMul => a * b,
        Op::FDiv => a / b,
        Op::FRem => a % b,
        Op::FMod => {
            let rem = a % b;
            if rem != 0.0 && (rem < 0.0) != (b < 0.0) { rem + b } else { rem }
        }
        _ => return None,
    };
    Some(from_f64(value, width))
}

fn compare_floats(op: Op, width: u32, a: u64, b: u64) -> Option<u64> {
    let (a, b) = (to_f64(a, width), to_f64(b, width));
    let unordered = a.is_nan() || b.is_nan();
    Some(u64::from(match op {
        Op::FOrdEqual => a == b,
        Op::FUnordEqual => a == b || unordered,
        Op::FOrdNotEqual => a != b && !unordered,
        Op::FUnordNotEqual => a != b,
        Op::FOrdLessThan => a < b,
        Op::FUnordLessThan => a < b || unordered,
        Op::FOrdGreaterThan => a > b,
        Op::FUnordGreaterThan => a > b || unordered,
        Op::FOrdLessThanEqual => a <= b,
        Op::FUnordLessThanEqual => a <= b || unordered,
        Op::FOrdGreaterThanEqual => a >= b,
        Op::FUnordGreaterThanEqual => a >= b || unordered,
        _ => return None,
    }))
}

/// Bits of a float of `width` bits as a 64-bit one, exactly.
fn to_f64(bits: u64, width: u32) -> f64 {
    match width {
        16 => half_to_f64(bits as u16),
        32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// `value` rounded to nearest-even as bits of a float of `width` bits.
fn from_f64(value: f64, width: u32) -> u64 {
    match width {
        16 => u64::from(half_from_f64(value)),
        32 => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    }
}

/// A half as a 64-bit float, exactly.
pub(crate) fn half_to_f64(bits: u16) -> f64 {
    let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
    let (exponent, fraction) = ((bits >> 10) & 0x1f, f64::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-24),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f64.powi(i32::from(exponent) - 15),
    };
    sign * magnitude
}

fn half_from_f64(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = value.abs();
    if magnitude.is_nan() {
        return sign | 0x7e00;
    }
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    // The distance between neighbours is 2^-24 below 2^-14, then grows with the exponent.
    let exponent = if magnitude < 2f64.powi(-14) { -14 } else { ((magnitude.to_bits() >> 52) as i32) - 1023 };
    let steps = (magnitude / 2f64.powi(exponent - 10)).round_ties_even() as u16;
    // `steps` is 1024 and more in the normal range: its carry moves the exponent as it should.
    let base = ((exponent + 14) as u16) << 10;
    sign | (base + steps)
}

#[cfg(test)]
mod tests {
    use super::{half_from_f64, half_to_f64};

    #[test]
    fn every_half_survives_the_way_through_64_bits() {
        for bits in 0..=u16::MAX {
            let value = half_to_f64(bits);
            if value.is_nan() {
                assert!(half_to_f64(half_from_f64(value)).is_nan());
            } else {
                assert_eq!(half_from_f64(value), bits, "{value}");
            }
        }
    }

    #[test]
    fn halves_round_to_even() {
        assert_eq!(half_from_f64(1.0 + 1.0 / 2048.0), 0x3c00);
        assert_eq!(half_from_f64(1.0 + 3.0 / 2048.0), 0x3c02);
        assert_eq!(half_from_f64(2f64.powi(-25)), 0);
        assert_eq!(half_from_f64(2f64.powi(-24) * 1.5), 2);
        assert_eq!(half_from_f64(65519.9), 0x7bff);
        assert_eq!(half_from_f64(65520.0), 0x7c00);
    }
}
