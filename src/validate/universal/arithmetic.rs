//! Arithmetic Instructions.

use oxicl_spirv::Type;

use crate::at::{At, Shape};
use crate::violation::Check;

/// Integer result; all operands of its type.
pub(crate) fn integer(at: &At<'_>) -> Check {
    let shape = at.result_shape()?;
    at.require(shape.scalar.is_int(), || "gives no integer".to_owned())?;
    at.operands_are(0, at.result()?)
}

/// Floating-point result; all operands of its type.
pub(crate) fn float(at: &At<'_>) -> Check {
    let shape = at.result_shape()?;
    at.require(shape.scalar.is_float(), || "gives no floating-point number".to_owned())?;
    at.operands_are(0, at.result()?)
}

/// OpVectorTimesScalar: vector, scalar.
pub(crate) fn vector_times_scalar(at: &At<'_>) -> Check {
    let shape = at.result_shape()?;
    at.require(shape.scalar.is_float() && shape.count > 1, || "gives no vector of floats".to_owned())?;
    at.operand_is(0, at.result()?)?;
    at.operand_has(1, Shape { count: 1, ..shape })
}

/// OpDot: two vectors of the result's type.
pub(crate) fn dot(at: &At<'_>) -> Check {
    let shape = at.result_shape()?;
    at.require(shape.scalar.is_float() && shape.count == 1, || "gives no float".to_owned())?;
    let vector = at.shape(0)?;
    at.require(vector.count > 1 && vector.scalar == shape.scalar, || {
        "has no vectors of its result's type as operands".to_owned()
    })?;
    at.operand_is(1, at.operand(0)?)
}

/// OpIAddCarry and its like: a structure of two members of the operands' integer type.
pub(crate) fn extended(at: &At<'_>) -> Check {
    let shape = at.shape(0)?;
    let ty = at.operand(0)?;
    at.require(shape.scalar.is_int(), || "has no integers as operands".to_owned())?;
    at.operand_is(1, ty)?;
    match at.subject.declaration(at.result()?) {
        Some(Type::Struct { members }) if members.as_slice() == [ty, ty] => Ok(()),
        _ => at.fault("gives no structure of two members of its operands' type"),
    }
}
