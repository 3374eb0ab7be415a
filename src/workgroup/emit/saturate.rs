//! Saturating conversions of vectors of floating-point numbers to integers: numbers out of range become the nearest
//! integer. LLVM writes most of them number by number.

use oxicl_llvm::{Builder, Opcode, RealPredicate, TypeKind, Value};

use crate::emit::vector::splat_to;

/// The instructions for a call of LLVM's `fptosi.sat` or `fptoui.sat` on vectors; `None` for any other call.
pub(crate) fn saturated_call<'m>(b: &Builder<'m>, call: Value<'m>, arguments: &[Value<'m>]) -> Option<Value<'m>> {
    let ty = call.ty();
    let name = call.called_function().filter(|_| ty.is_vector())?.name();
    let is_signed = name.starts_with("llvm.fptosi.sat.");
    if !is_signed && !name.starts_with("llvm.fptoui.sat.") {
        return None;
    }
    saturated(b, *arguments.first()?, Wanted { bits: ty.scalar().int_width(), is_signed })
}

/// The integers that are wanted.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) bits: u32,
    pub(crate) is_signed: bool,
}

/// Converts numbers to integers: the nearest one if out of range, 0 for NaN. `None` if LLVM's own form is as good.
pub(crate) fn saturated<'m>(b: &Builder<'m>, value: Value<'m>, wanted: Wanted) -> Option<Value<'m>> {
    /// The limits of integers of up to this many bits are exact as floats and doubles.
    const SHORT: u32 = 16;
    let value = match value.ty().scalar().kind() {
        TypeKind::Half => b.cast(Opcode::FPExt, value, b.context().float_type().vector(value.ty().length() as u32)),
        TypeKind::Float | TypeKind::Double => value,
        _ => return None,
    };
    match wanted.bits {
        8..=SHORT => Some(clamped(b, value, wanted)),
        17..=64 => Some(chosen(b, value, wanted)),
        _ => None,
    }
}

/// Where both limits are floating-point numbers: numbers are clamped to them, and then all have an integer.
fn clamped<'m>(b: &Builder<'m>, value: Value<'m>, Wanted { bits, is_signed }: Wanted) -> Value<'m> {
    let length = value.ty().length() as u32;
    let number = |number: f64| splat_to(b, value.ty().scalar().const_float(number), length);
    let (low, high) = if is_signed {
        (number(-(2f64.powi(bits as i32 - 1))), number(2f64.powi(bits as i32 - 1) - 1.0))
    } else {
        (number(0.0), number(2f64.powi(bits as i32) - 1.0))
    };
    // Clamping turns NaN into the lower limit, which is 0 only for unsigned integers.
    let value = if is_signed { b.select(b.fcmp(RealPredicate::Ord, value, value), value, number(0.0)) } else { value };
    let above = b.select(b.fcmp(RealPredicate::Ogt, value, low), value, low);
    let within = b.select(b.fcmp(RealPredicate::Olt, above, high), above, high);
    let wide = b.cast(Opcode::FPToSI, within, b.context().int_type(32).vector(length));
    b.cast(Opcode::Trunc, wide, b.context().int_type(bits).vector(length))
}

/// Where the upper limit is no floating-point number: what is out of range is converted as 0, then replaced.
fn chosen<'m>(b: &Builder<'m>, value: Value<'m>, Wanted { bits, is_signed }: Wanted) -> Value<'m> {
    let (element, target) = (value.ty().scalar(), b.context().int_type(bits));
    let length = value.ty().length() as u32;
    let number = |number: f64| splat_to(b, element.const_float(number), length);
    let integer = |number: u64| splat_to(b, target.const_int(number), length);
    let power = |exponent: u32| 2f64.powi(exponent as i32);
    // `end` is the first number above the range, a power of two and so exact; `most` is the largest integer.
    let (end, most) = if is_signed { (power(bits - 1), (1 << (bits - 1)) - 1) } else { (power(bits), u64::MAX) };
    let (too_low, too_high) = if is_signed {
        (b.fcmp(RealPredicate::Olt, value, number(-end)), b.fcmp(RealPredicate::Oge, value, number(end)))
    } else {
        (b.fcmp(RealPredicate::Ole, value, number(-1.0)), b.fcmp(RealPredicate::Oge, value, number(end)))
    };
    let none = b.fcmp(RealPredicate::Uno, value, value);
    let outside = b.or(b.or(too_low, too_high), none);
    let inside = b.select(outside, number(0.0), value);
    let cast = if is_signed { Opcode::FPToSI } else { Opcode::FPToUI };
    let result = b.select(too_high, integer(most), b.cast(cast, inside, target.vector(length)));
    if is_signed { b.select(too_low, integer(1 << (bits - 1)), result) } else { result }
}
