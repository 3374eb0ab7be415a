//! Arithmetic Instructions.

use oxicl_spirv::Type;
use oxicl_spirv::grammar::Capability;

use crate::at::{At, Scalar, Shape};
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

/// The integer dot products: two vectors, or two 32-bit integers with a packed format, and an accumulator.
pub(crate) fn integer_dot(at: &At<'_>, accumulates: bool) -> Check {
    let result = at.result_shape()?;
    let Shape { scalar: Scalar::Int(width), count: 1 } = result else {
        return at.fault("gives no integer");
    };
    let operand = at.shape(0)?;
    at.operand_has(1, operand)?;
    let format = if accumulates {
        at.operand_is(2, at.result()?)?;
        3
    } else {
        2
    };
    let declared = at.subject.declared;
    match operand {
        Shape { scalar: Scalar::Int(of), count: count @ 2.. } => {
            at.require(of <= width, || "has wider components than its result".to_owned())?;
            let all = Capability::DotProductInputAll;
            match (of, count) {
                (8, 4) => declared.needs(&[Capability::DotProductInput4x8Bit, all], "a dot product of 4 bytes")?,
                _ => declared.needs(&[all], &format!("a dot product of {count} x {of} bits"))?,
            }
            at.require(at.operand_count() == format, || "has a format for vectors that are not packed".to_owned())
        }
        Shape { scalar: Scalar::Int(32), count: 1 } => {
            let packed = at.instruction.word(at.module(), format) == Some(0);
            at.require(packed, || "has no packed vector format".to_owned())?;
            let needed = [Capability::DotProductInput4x8BitPacked];
            declared.needs(&needed, "a dot product of packed integers")
        }
        _ => at.fault("has no integer vectors as operands"),
    }
}
