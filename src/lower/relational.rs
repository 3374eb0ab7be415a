//! Section 3.49.15, relations and logic.

use oxicl_llvm::{IntPredicate, RealPredicate, Value};
use oxicl_spirv::Instruction;

use crate::body::Body;
use crate::composite::elements;
use crate::refusal::Result;

/// A comparison of integers, booleans or addresses.
pub(crate) fn integer(body: &mut Body<'_, '_>, instruction: &Instruction, predicate: IntPredicate) -> Result<()> {
    let (left, right) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let result = body.builder.icmp(predicate, left, right);
    body.define(instruction, result)
}

/// A comparison of floating-point numbers.
pub(crate) fn float(body: &mut Body<'_, '_>, instruction: &Instruction, predicate: RealPredicate) -> Result<()> {
    let (left, right) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let result = body.builder.fcmp(predicate, left, right);
    body.define(instruction, result)
}

/// OpAny.
pub(crate) fn op_any(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let value = body.operand(instruction, 0)?;
    let parts = elements(body, value);
    let result = parts.into_iter().reduce(|l, r| body.builder.or(l, r)).unwrap_or(value);
    body.define(instruction, truth(body, result))
}

/// OpAll.
pub(crate) fn op_all(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let value = body.operand(instruction, 0)?;
    let parts = elements(body, value);
    let result = parts.into_iter().reduce(|l, r| body.builder.and(l, r)).unwrap_or(value);
    body.define(instruction, truth(body, result))
}

/// A boolean as it is; of an integer, which clang writes where OpenCL C's `any` and `all` take one, the highest bit.
fn truth<'a>(body: &Body<'_, 'a>, value: Value<'a>) -> Value<'a> {
    if value.ty().int_width() == 1 {
        return value;
    }
    body.builder.icmp(IntPredicate::Slt, value, value.ty().zero())
}

/// OpIsNan.
pub(crate) fn op_is_nan(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let value = body.operand(instruction, 0)?;
    let result = body.builder.fcmp(RealPredicate::Uno, value, value);
    body.define(instruction, result)
}

/// OpIsInf.
pub(crate) fn op_is_inf(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    magnitude(body, instruction, RealPredicate::Oeq, f64::INFINITY)
}

/// OpIsFinite.
pub(crate) fn op_is_finite(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    magnitude(body, instruction, RealPredicate::Olt, f64::INFINITY)
}

fn magnitude(body: &mut Body<'_, '_>, instruction: &Instruction, predicate: RealPredicate, bound: f64) -> Result<()> {
    let value = body.operand(instruction, 0)?;
    let magnitude = body.intrinsic_like("llvm.fabs", &[value])?;
    let result = body.builder.fcmp(predicate, magnitude, body.splat_float(value.ty(), bound));
    body.define(instruction, result)
}

/// OpIsNormal.
pub(crate) fn op_is_normal(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let value = body.operand(instruction, 0)?;
    let smallest = match body.unit.out.store_size_of(value.ty().scalar()) {
        2 => 6.103_515_625e-5,
        4 => f64::from(f32::MIN_POSITIVE),
        _ => f64::MIN_POSITIVE,
    };
    let magnitude = body.intrinsic_like("llvm.fabs", &[value])?;
    let b = &body.builder;
    let large = b.fcmp(RealPredicate::Oge, magnitude, body.splat_float(value.ty(), smallest));
    let finite = b.fcmp(RealPredicate::Olt, magnitude, body.splat_float(value.ty(), f64::INFINITY));
    let result = b.and(large, finite);
    body.define(instruction, result)
}

/// OpSignBitSet.
pub(crate) fn op_sign_bit_set(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let value = body.operand(instruction, 0)?;
    let bits = float_bits(body, value);
    let result = body.builder.icmp(IntPredicate::Slt, bits, bits.ty().zero());
    body.define(instruction, result)
}

/// The bits of floating-point numbers as integers.
pub(crate) fn float_bits<'a>(body: &Body<'_, 'a>, value: Value<'a>) -> Value<'a> {
    let ty = value.ty();
    let width = 8 * body.unit.out.store_size_of(ty.scalar()) as u32;
    let scalar = body.unit.context.int_type(width);
    let bits = if ty.is_vector() { scalar.vector(ty.length() as u32) } else { scalar };
    body.builder.bit_cast(value, bits)
}

/// OpLogicalOr.
pub(crate) fn op_logical_or(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    crate::bit::op_bitwise_or(body, instruction)
}

/// OpLogicalAnd.
pub(crate) fn op_logical_and(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    crate::bit::op_bitwise_and(body, instruction)
}

/// OpLogicalNot.
pub(crate) fn op_logical_not(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    crate::bit::op_not(body, instruction)
}

/// OpSelect: by element, or as a whole where the condition is one boolean.
pub(crate) fn op_select(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let condition = body.operand(instruction, 0)?;
    let (then, otherwise) = (body.operand(instruction, 1)?, body.operand(instruction, 2)?);
    let result = body.builder.select(condition, then, otherwise);
    body.define(instruction, result)
}
