//! Bit Instructions.

use crate::at::{At, Shape, shape_name};
use crate::quirk::Quirk;
use crate::universal::arithmetic;
use crate::violation::Check;

/// OpBitwiseAnd: integers of the result's type, but for what clang masks.
pub(crate) fn and(at: &At<'_>) -> Check {
    for (value, mask) in [(0, 1), (1, 0)] {
        if is_wider_beside_constant(at, value, mask)? {
            at.operand_is(mask, at.result()?)?;
            at.accept(Quirk::MaskOfWider, format!("has {} as operand {value}", shape_name(at.shape(value)?)));
            return Ok(());
        }
    }
    arithmetic::integer(at)
}

/// OpShiftLeftLogical: a base of the result's type, but for what clang shifts.
pub(crate) fn shift_left(at: &At<'_>) -> Check {
    if is_wider_beside_constant(at, 0, 1)? {
        at.accept(Quirk::ShiftOfWider, format!("has {} as operand 0", shape_name(at.shape(0)?)));
        return is_shifted(at);
    }
    shift(at)
}

/// Is an operand an integer that is wider than the result, and the other one a constant?
fn is_wider_beside_constant(at: &At<'_>, value: usize, constant: usize) -> Check<bool> {
    let Shape { scalar, count } = at.result_shape()?;
    let wide = at.shape(value)?;
    let wider = scalar.is_int() && wide.scalar.is_int() && wide.scalar.width() > scalar.width();
    Ok(wider && wide.count == count && at.module().constant(at.id(constant)?).is_some())
}

/// Shifts: a base of the result's type, and integers that say how far.
pub(crate) fn shift(at: &At<'_>) -> Check {
    let shape = at.result_shape()?;
    at.require(shape.scalar.is_int(), || "gives no integer".to_owned())?;
    at.operand_is(0, at.result()?)?;
    is_shifted(at)
}

/// Integers that say how far the result is shifted.
fn is_shifted(at: &At<'_>) -> Check {
    let (shape, by) = (at.result_shape()?, at.shape(1)?);
    at.require(by.scalar.is_int() && by.count == shape.count, || {
        "has no integer for each component that says how far".to_owned()
    })
}

/// OpBitFieldInsert (`bases` 2) and OpBitFieldSExtract, OpBitFieldUExtract (1): bases, offset, count.
pub(crate) fn bit_field(at: &At<'_>, bases: usize) -> Check {
    let shape = at.result_shape()?;
    at.require(shape.scalar.is_int(), || "gives no integer".to_owned())?;
    for base in 0..bases {
        at.operand_is(base, at.result()?)?;
    }
    at.int_scalar(bases)?;
    at.int_scalar(bases + 1)?;
    Ok(())
}

/// OpBitCount: integers of as many components.
pub(crate) fn bit_count(at: &At<'_>) -> Check {
    let shape = at.result_shape()?;
    let base = at.shape(0)?;
    at.require(shape.scalar.is_int() && base.scalar.is_int(), || "is not from integer to integer".to_owned())?;
    at.require(shape.count == base.count, || "changes the number of components".to_owned())
}
