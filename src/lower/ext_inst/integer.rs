//! Integer and relational functions.

use oxicl_llvm::{IntPredicate, Value};
use oxicl_spirv::Instruction;

use crate::arithmetic::multiply_high;
use crate::body::Body;
use crate::refusal::Result;
use crate::relational::float_bits;

/// An intrinsic on the operands as they are.
pub(super) fn intrinsic(body: &mut Body<'_, '_>, i: &Instruction, name: &str) -> Result<()> {
    let arguments = body.operands(i, 2)?;
    let result = body.intrinsic_like(name, &arguments)?;
    body.define(i, result)
}

/// clz and ctz: the width for 0.
pub(super) fn zeros(body: &mut Body<'_, '_>, i: &Instruction, name: &str) -> Result<()> {
    let value = body.operand(i, 2)?;
    let no = body.unit.context.int_type(1).const_int(0);
    let result = body.intrinsic(name, &[value.ty()], &[value, no])?;
    body.define(i, result)
}

/// s_abs: the magnitude, that of the smallest number as unsigned.
pub(super) fn abs(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let value = body.operand(i, 2)?;
    let no = body.unit.context.int_type(1).const_int(0);
    let result = body.intrinsic("llvm.abs", &[value.ty()], &[value, no])?;
    body.define(i, result)
}

/// u_abs.
pub(super) fn identity(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let value = body.operand(i, 2)?;
    body.define(i, value)
}

/// s_abs_diff, u_abs_diff: the larger minus the smaller, as unsigned.
pub(super) fn abs_diff(body: &mut Body<'_, '_>, i: &Instruction, signed: bool) -> Result<()> {
    let (x, y) = (body.operand(i, 2)?, body.operand(i, 3)?);
    let (max, min) = if signed { ("llvm.smax", "llvm.smin") } else { ("llvm.umax", "llvm.umin") };
    let (larger, smaller) = (body.intrinsic_like(max, &[x, y])?, body.intrinsic_like(min, &[x, y])?);
    let result = body.builder.sub(larger, smaller);
    body.define(i, result)
}

fn shift_one<'a>(body: &Body<'_, 'a>, value: Value<'a>, signed: bool) -> Value<'a> {
    let one = body.splat(value.ty(), 1);
    if signed { body.builder.ashr(value, one) } else { body.builder.lshr(value, one) }
}

/// hadd: (x + y) >> 1 without overflow: what both have, and half of what one has.
pub(super) fn hadd(body: &mut Body<'_, '_>, i: &Instruction, signed: bool) -> Result<()> {
    let (x, y) = (body.operand(i, 2)?, body.operand(i, 3)?);
    let half = shift_one(body, body.builder.xor(x, y), signed);
    let result = body.builder.add(body.builder.and(x, y), half);
    body.define(i, result)
}

/// rhadd: (x + y + 1) >> 1.
pub(super) fn rhadd(body: &mut Body<'_, '_>, i: &Instruction, signed: bool) -> Result<()> {
    let (x, y) = (body.operand(i, 2)?, body.operand(i, 3)?);
    let half = shift_one(body, body.builder.xor(x, y), signed);
    let result = body.builder.sub(body.builder.or(x, y), half);
    body.define(i, result)
}

/// s_clamp, u_clamp.
pub(super) fn clamp(body: &mut Body<'_, '_>, i: &Instruction, signed: bool) -> Result<()> {
    let (x, low, high) = (body.operand(i, 2)?, body.operand(i, 3)?, body.operand(i, 4)?);
    let (max, min) = if signed { ("llvm.smax", "llvm.smin") } else { ("llvm.umax", "llvm.umin") };
    let bounded = body.intrinsic_like(max, &[x, low])?;
    let result = body.intrinsic_like(min, &[bounded, high])?;
    body.define(i, result)
}

/// s_mul_hi, u_mul_hi.
pub(super) fn mul_hi(body: &mut Body<'_, '_>, i: &Instruction, signed: bool) -> Result<()> {
    let (x, y) = (body.operand(i, 2)?, body.operand(i, 3)?);
    let result = multiply_high(body, x, y, signed);
    body.define(i, result)
}

/// s_mad_hi, u_mad_hi.
pub(super) fn mad_hi(body: &mut Body<'_, '_>, i: &Instruction, signed: bool) -> Result<()> {
    let (x, y, z) = (body.operand(i, 2)?, body.operand(i, 3)?, body.operand(i, 4)?);
    let high = multiply_high(body, x, y, signed);
    let result = body.builder.add(high, z);
    body.define(i, result)
}

/// s_mad_sat, u_mad_sat: product and sum in twice the width, then cut to the limits.
pub(super) fn mad_sat(body: &mut Body<'_, '_>, i: &Instruction, signed: bool) -> Result<()> {
    let (x, y, z) = (body.operand(i, 2)?, body.operand(i, 3)?, body.operand(i, 4)?);
    let ty = x.ty();
    let width = ty.scalar().int_width();
    let scalar = body.unit.context.int_type(2 * width);
    let wide = if ty.is_vector() { scalar.vector(ty.length() as u32) } else { scalar };
    let b = &body.builder;
    let extend = |v| if signed { b.sext(v, wide) } else { b.zext(v, wide) };
    let sum = b.add(b.mul(extend(x), extend(y)), extend(z));
    // Neither product nor sum leaves twice the width.
    let limit = |bits: u32| {
        let shifted = body.builder.lshr(body.splat(ty, u64::MAX), body.splat(ty, u64::from(width - bits)));
        body.builder.zext(shifted, wide)
    };
    let cut = if signed {
        let most = limit(width - 1);
        let capped = body.intrinsic_like("llvm.smin", &[sum, most])?;
        body.intrinsic_like("llvm.smax", &[capped, body.builder.not(most)])?
    } else {
        body.intrinsic_like("llvm.umin", &[sum, limit(width)])?
    };
    let result = body.builder.trunc(cut, ty);
    body.define(i, result)
}

/// What of a factor counts: of unsigned ones the low 24 bits. Signed ones are used for addresses, where a plain product is
/// known to go on evenly from work-item to work-item; beyond 24 bits every result is right.
fn factor24<'a>(body: &Body<'_, 'a>, value: Value<'a>, signed: bool) -> Value<'a> {
    if signed { value } else { body.builder.and(value, body.splat(value.ty(), 0xff_ffff)) }
}

/// s_mul24, u_mul24.
pub(super) fn mul24(body: &mut Body<'_, '_>, i: &Instruction, signed: bool) -> Result<()> {
    let (x, y) = (body.operand(i, 2)?, body.operand(i, 3)?);
    let result = body.builder.mul(factor24(body, x, signed), factor24(body, y, signed));
    body.define(i, result)
}

/// s_mad24, u_mad24.
pub(super) fn mad24(body: &mut Body<'_, '_>, i: &Instruction, signed: bool) -> Result<()> {
    let (x, y, z) = (body.operand(i, 2)?, body.operand(i, 3)?, body.operand(i, 4)?);
    let product = body.builder.mul(factor24(body, x, signed), factor24(body, y, signed));
    let result = body.builder.add(product, z);
    body.define(i, result)
}

/// rotate: to the left, the count modulo the width.
pub(super) fn rotate(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let (value, count) = (body.operand(i, 2)?, body.operand(i, 3)?);
    let result = body.intrinsic_like("llvm.fshl", &[value, value, count])?;
    body.define(i, result)
}

/// s_upsample, u_upsample: high and low half of a number twice as wide.
pub(super) fn upsample(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let (high, low, ty) = (body.operand(i, 2)?, body.operand(i, 3)?, body.result_type(i)?);
    let width = u64::from(high.ty().scalar().int_width());
    let high = body.builder.shl(body.builder.zext(high, ty), body.splat(ty, width));
    let result = body.builder.or(high, body.builder.zext(low, ty));
    body.define(i, result)
}

/// bitselect, on the bits of numbers of any kind.
pub(super) fn bitselect(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let (x, y, mask) = (body.operand(i, 2)?, body.operand(i, 3)?, body.operand(i, 4)?);
    let ty = body.result_type(i)?;
    let bits = |v: Value<'_>| v.ty().scalar().is_float();
    let (x, y, mask) =
        if bits(x) { (float_bits(body, x), float_bits(body, y), float_bits(body, mask)) } else { (x, y, mask) };
    let b = &body.builder;
    let result = b.or(b.and(x, b.not(mask)), b.and(y, mask));
    let result = if result.ty() == ty { result } else { b.bit_cast(result, ty) };
    body.define(i, result)
}

/// select: by the highest bit of each component of a vector, by whether it is not 0 for scalars.
pub(super) fn select(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let (x, y, condition) = (body.operand(i, 2)?, body.operand(i, 3)?, body.operand(i, 4)?);
    let predicate = if condition.ty().is_vector() { IntPredicate::Slt } else { IntPredicate::Ne };
    let condition = body.builder.icmp(predicate, condition, condition.ty().zero());
    let result = body.builder.select(condition, y, x);
    body.define(i, result)
}
