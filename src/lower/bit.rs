//! Section 3.49.14, bits. Shift counts are taken modulo the width, as OpenCL C demands.

use oxicl_llvm::{Builder, IntPredicate, Value};
use oxicl_spirv::Instruction;

use crate::body::Body;
use crate::conversion::resize;
use crate::refusal::Result;

/// Functions that lower an instruction of two operands by one LLVM operation.
macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident = $operation:path;)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
            let (left, right) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
            let result = $operation(&body.builder, left, right);
            body.define(instruction, result)
        }
    )*};
}

/// The same for shifts, whose counts may have another width. A base that is wider than the result is shifted left by a constant.
macro_rules! shift {
    ($($(#[$doc:meta])* $name:ident = $operation:path;)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
            let ty = body.result_type(instruction)?;
            let (base, count) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
            let base = resize(body, base, ty, false);
            let count = shift_count(body, base, count);
            let result = $operation(&body.builder, base, count);
            body.define(instruction, result)
        }
    )*};
}

binary! {
    /// OpBitwiseOr.
    op_bitwise_or = Builder::or;
    /// OpBitwiseXor.
    op_bitwise_xor = Builder::xor;
}

/// OpBitwiseAnd. A constant may mask what is wider than the result.
pub(crate) fn op_bitwise_and(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let ty = body.result_type(instruction)?;
    let (left, right) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let result = body.builder.and(resize(body, left, ty, false), resize(body, right, ty, false));
    body.define(instruction, result)
}

shift! {
    /// OpShiftLeftLogical.
    op_shift_left_logical = Builder::shl;
    /// OpShiftRightLogical.
    op_shift_right_logical = Builder::lshr;
    /// OpShiftRightArithmetic.
    op_shift_right_arithmetic = Builder::ashr;
}

/// A count below the width of `base`, in its type.
fn shift_count<'a>(body: &Body<'_, 'a>, base: Value<'a>, count: Value<'a>) -> Value<'a> {
    let width = base.ty().scalar().int_width();
    if width.is_power_of_two() {
        let count = resize(body, count, base.ty(), false);
        return body.builder.and(count, body.splat(base.ty(), u64::from(width - 1)));
    }
    // The remainder is taken where both the count and the width fit.
    let wide = body.unit.context.int_type(64);
    let wide = if count.ty().is_vector() { wide.vector(count.ty().length() as u32) } else { wide };
    let count = resize(body, count, wide, false);
    let rest = body.builder.urem(count, body.splat(wide, u64::from(width)));
    resize(body, rest, base.ty(), false)
}

/// OpNot.
pub(crate) fn op_not(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let value = body.operand(instruction, 0)?;
    let result = body.builder.not(value);
    body.define(instruction, result)
}

/// `count` ones, for any count; more than the width give all ones. Counts and offsets are scalars of any width.
fn ones<'a>(body: &Body<'_, 'a>, ty: oxicl_llvm::Type<'a>, count: Value<'a>) -> Value<'a> {
    let width = u64::from(ty.scalar().int_width());
    let b = &body.builder;
    let all = b.icmp(IntPredicate::Uge, count, body.splat(ty, width));
    let safe = b.select(all, ty.zero(), count);
    let mask = b.sub(b.shl(body.splat(ty, 1), safe), body.splat(ty, 1));
    b.select(all, ty.all_ones(), mask)
}

/// A scalar count or offset in the shape of `ty`.
fn shaped<'a>(body: &Body<'_, 'a>, ty: oxicl_llvm::Type<'a>, scalar: Value<'a>) -> Value<'a> {
    let scalar = resize(body, scalar, ty.scalar(), false);
    body.broadcast(ty, scalar)
}

/// OpBitFieldInsert.
pub(crate) fn op_bit_field_insert(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (base, insert) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let (offset, count) = (body.operand(instruction, 2)?, body.operand(instruction, 3)?);
    let ty = base.ty();
    let (offset, count) = (shaped(body, ty, offset), shaped(body, ty, count));
    let offset = shift_count(body, base, offset);
    let b = &body.builder;
    let mask = b.shl(ones(body, ty, count), offset);
    let result = b.or(b.and(base, b.not(mask)), b.and(b.shl(insert, offset), mask));
    body.define(instruction, result)
}

/// OpBitFieldUExtract.
pub(crate) fn op_bit_field_u_extract(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    extract(body, instruction, false)
}

/// OpBitFieldSExtract.
pub(crate) fn op_bit_field_s_extract(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    extract(body, instruction, true)
}

fn extract(body: &mut Body<'_, '_>, instruction: &Instruction, signed: bool) -> Result<()> {
    let base = body.operand(instruction, 0)?;
    let (offset, count) = (body.operand(instruction, 1)?, body.operand(instruction, 2)?);
    let ty = base.ty();
    let (offset, count) = (shaped(body, ty, offset), shaped(body, ty, count));
    let offset = shift_count(body, base, offset);
    let mask = ones(body, ty, count);
    let b = &body.builder;
    let field = b.and(b.lshr(base, offset), mask);
    // The sign is the highest bit of the field: flipping it and subtracting it extends it.
    let sign = b.xor(mask, b.lshr(mask, body.splat(ty, 1)));
    let result = if signed { b.sub(b.xor(field, sign), sign) } else { field };
    body.define(instruction, result)
}

/// OpBitReverse.
pub(crate) fn op_bit_reverse(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let value = body.operand(instruction, 0)?;
    let result = body.intrinsic_like("llvm.bitreverse", &[value])?;
    body.define(instruction, result)
}

/// OpBitCount.
pub(crate) fn op_bit_count(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (value, ty) = (body.operand(instruction, 0)?, body.result_type(instruction)?);
    let count = body.intrinsic_like("llvm.ctpop", &[value])?;
    let result = resize(body, count, ty, false);
    body.define(instruction, result)
}
