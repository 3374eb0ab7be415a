//! Section 3.49.13, arithmetic. Division is total: by zero, and of the smallest number by -1, it gives the dividend, and
//! the remainder 0.

use oxicl_llvm::{Builder, IntPredicate, Value};
use oxicl_spirv::Instruction;
use spirv::Decoration;

use crate::body::Body;
use crate::composite::elements;
use crate::refusal::{Refusal, Result};

/// Functions that lower an instruction of two operands by one LLVM operation.
macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident = $operation:path, $define:ident;)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
            let (left, right) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
            let result = $operation(&body.builder, left, right);
            $define(body, instruction, result)
        }
    )*};
}

binary! {
    /// OpIAdd.
    op_i_add = Builder::add, define_integer;
    /// OpISub.
    op_i_sub = Builder::sub, define_integer;
    /// OpIMul.
    op_i_mul = Builder::mul, define_integer;
    /// OpFAdd.
    op_f_add = Builder::fadd, define_float;
    /// OpFSub.
    op_f_sub = Builder::fsub, define_float;
    /// OpFMul.
    op_f_mul = Builder::fmul, define_float;
    /// OpFDiv.
    op_f_div = Builder::fdiv, define_float;
}

/// Defines an integer result with the wrap decorations.
fn define_integer<'a>(body: &mut Body<'_, 'a>, instruction: &Instruction, value: Value<'a>) -> Result<()> {
    let signed = body.unit.decorated(instruction.result, Decoration::NoSignedWrap);
    let unsigned = body.unit.decorated(instruction.result, Decoration::NoUnsignedWrap);
    if value.is_instruction() && (signed || unsigned) {
        value.set_no_wrap(signed, unsigned);
    }
    body.define(instruction, value)
}

fn define_float<'a>(body: &mut Body<'_, 'a>, instruction: &Instruction, value: Value<'a>) -> Result<()> {
    body.define_float(instruction, value)
}

/// OpSNegate.
pub(crate) fn op_s_negate(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let value = body.operand(instruction, 0)?;
    let result = body.builder.neg(value);
    define_integer(body, instruction, result)
}

/// OpFNegate.
pub(crate) fn op_f_negate(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let value = body.operand(instruction, 0)?;
    let result = body.builder.fneg(value);
    body.define_float(instruction, result)
}

/// A divisor that no division traps on: 1 in place of 0, and of -1 where the dividend is the smallest number.
fn divisor<'a>(body: &Body<'_, 'a>, dividend: Value<'a>, divisor: Value<'a>, signed: bool) -> Value<'a> {
    let ty = divisor.ty();
    let b = &body.builder;
    let mut bad = b.icmp(IntPredicate::Eq, divisor, ty.zero());
    if signed {
        let smallest = body.splat(ty, 1 << (ty.scalar().int_width() - 1));
        let minimum = b.icmp(IntPredicate::Eq, dividend, smallest);
        let minus_one = b.icmp(IntPredicate::Eq, divisor, ty.all_ones());
        bad = b.or(bad, b.and(minimum, minus_one));
    }
    b.select(bad, body.splat(ty, 1), divisor)
}

/// OpUDiv.
pub(crate) fn op_u_div(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (left, right) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let result = body.builder.udiv(left, divisor(body, left, right, false));
    body.define(instruction, result)
}

/// OpSDiv.
pub(crate) fn op_s_div(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (left, right) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let result = body.builder.sdiv(left, divisor(body, left, right, true));
    body.define(instruction, result)
}

/// OpUMod.
pub(crate) fn op_u_mod(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (left, right) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let result = body.builder.urem(left, divisor(body, left, right, false));
    body.define(instruction, result)
}

/// OpSRem: the remainder has the dividend's sign.
pub(crate) fn op_s_rem(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (left, right) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let result = body.builder.srem(left, divisor(body, left, right, true));
    body.define(instruction, result)
}

/// OpSMod: the remainder has the divisor's sign.
pub(crate) fn op_s_mod(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (left, right) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let safe = divisor(body, left, right, true);
    let b = &body.builder;
    let rest = b.srem(left, safe);
    let zero = rest.ty().zero();
    let differ = b.icmp(IntPredicate::Slt, b.xor(rest, safe), zero);
    let wrong = b.and(b.icmp(IntPredicate::Ne, rest, zero), differ);
    let result = b.select(wrong, b.add(rest, safe), rest);
    body.define(instruction, result)
}

/// OpFRem: the library's exact remainder.
pub(crate) fn op_f_rem(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let arguments = [body.operand(instruction, 0)?, body.operand(instruction, 1)?];
    let result = crate::ext_inst::library(body, "fmod", arguments[0].ty(), &arguments)?;
    body.define(instruction, result)
}

/// OpFMod: the remainder has the divisor's sign.
pub(crate) fn op_f_mod(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    use oxicl_llvm::RealPredicate;
    let (left, right) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let rest = crate::ext_inst::library(body, "fmod", left.ty(), &[left, right])?;
    let b = &body.builder;
    let zero = rest.ty().zero();
    let left_negative = b.fcmp(RealPredicate::Olt, rest, zero);
    let right_negative = b.fcmp(RealPredicate::Olt, right, zero);
    let nonzero = b.fcmp(RealPredicate::One, rest, zero);
    let wrong = b.and(nonzero, b.xor(left_negative, right_negative));
    let moved = b.select(wrong, b.fadd(rest, right), rest);
    let result = body.intrinsic_like("llvm.copysign", &[moved, right])?;
    body.define(instruction, result)
}

/// OpVectorTimesScalar.
pub(crate) fn op_vector_times_scalar(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (vector, scalar) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let scalar = body.broadcast(vector.ty(), scalar);
    let result = body.builder.fmul(vector, scalar);
    body.define_float(instruction, result)
}

/// OpDot, in order of the components, fused where contraction is on.
pub(crate) fn op_dot(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (left, right) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let flags = body.fast_math(instruction);
    let mut sum: Option<Value<'_>> = None;
    for (l, r) in elements(body, left).into_iter().zip(elements(body, right)) {
        let product = body.builder.fmul(l, r);
        product.set_fast_math(flags);
        sum = Some(match sum {
            None => product,
            Some(sum) => {
                let sum = body.builder.fadd(sum, product);
                sum.set_fast_math(flags);
                sum
            }
        });
    }
    let sum = sum.ok_or_else(|| Refusal::new("the operands are no vectors"))?;
    body.define(instruction, sum)
}

/// OpIAddCarry.
pub(crate) fn op_i_add_carry(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (left, right) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let sum = body.builder.add(left, right);
    let carry = body.builder.icmp(IntPredicate::Ult, sum, left);
    let carry = body.builder.zext(carry, sum.ty());
    pair(body, instruction, sum, carry)
}

/// OpISubBorrow.
pub(crate) fn op_i_sub_borrow(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (left, right) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let difference = body.builder.sub(left, right);
    let borrow = body.builder.icmp(IntPredicate::Ult, left, right);
    let borrow = body.builder.zext(borrow, difference.ty());
    pair(body, instruction, difference, borrow)
}

/// OpUMulExtended.
pub(crate) fn op_u_mul_extended(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    mul_extended(body, instruction, false)
}

/// OpSMulExtended.
pub(crate) fn op_s_mul_extended(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    mul_extended(body, instruction, true)
}

fn mul_extended(body: &mut Body<'_, '_>, instruction: &Instruction, signed: bool) -> Result<()> {
    let (left, right) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let low = body.builder.mul(left, right);
    let high = multiply_high(body, left, right, signed);
    pair(body, instruction, low, high)
}

/// A structure of two members.
fn pair<'a>(body: &mut Body<'_, 'a>, instruction: &Instruction, first: Value<'a>, second: Value<'a>) -> Result<()> {
    let ty = body.result_ref(instruction)?;
    let start = body.result_type(instruction)?.zero();
    let one = crate::composite::insert(body, ty, start, first, &[0])?;
    let both = crate::composite::insert(body, ty, one, second, &[1])?;
    body.define(instruction, both)
}

/// The upper half of a product.
pub(crate) fn multiply_high<'a>(body: &Body<'_, 'a>, left: Value<'a>, right: Value<'a>, signed: bool) -> Value<'a> {
    let ty = left.ty();
    let width = ty.scalar().int_width();
    let scalar = body.unit.context.int_type(2 * width);
    let wide = if ty.is_vector() { scalar.vector(ty.length() as u32) } else { scalar };
    let b = &body.builder;
    let extend = |v| if signed { b.sext(v, wide) } else { b.zext(v, wide) };
    let product = b.mul(extend(left), extend(right));
    let high = b.lshr(product, body.splat(wide, u64::from(width)));
    b.trunc(high, ty)
}

/// OpSDot, OpUDot, OpSUDot and their saturating forms, on vectors of 8-bit integers or such packed in a word.
pub(crate) fn op_integer_dot(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    use spirv::Op;
    let (left_signed, right_signed) = match instruction.op {
        Op::SDot | Op::SDotAccSat => (true, true),
        Op::UDot | Op::UDotAccSat => (false, false),
        _ => (true, false),
    };
    let (left, right) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let (left, right) = (unpack(body, left), unpack(body, right));
    let ty = body.result_type(instruction)?;
    // Wide enough for any sum of products before it is cut or saturated.
    let wide = body.unit.context.int_type(if ty.int_width() > 32 { 128 } else { 64 });
    let b = &body.builder;
    let mut sum = wide.zero();
    for (l, r) in elements(body, left).into_iter().zip(elements(body, right)) {
        let l = if left_signed { b.sext(l, wide) } else { b.zext(l, wide) };
        let r = if right_signed { b.sext(r, wide) } else { b.zext(r, wide) };
        sum = b.add(sum, b.mul(l, r));
    }
    let saturate = matches!(instruction.op, Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat);
    let mut result = body.builder.trunc(sum, ty);
    if saturate {
        let accumulator = body.operand(instruction, 2)?;
        let name = if left_signed { "llvm.sadd.sat" } else { "llvm.uadd.sat" };
        result = body.intrinsic_like(name, &[result, accumulator])?;
    }
    body.define(instruction, result)
}

/// Four 8-bit integers from a word; vectors as they are.
fn unpack<'a>(body: &Body<'_, 'a>, value: Value<'a>) -> Value<'a> {
    if value.ty().is_vector() { value } else { body.builder.bit_cast(value, body.unit.context.int_type(8).vector(4)) }
}

/// A product and a sum: fused where contraction allows, else two roundings.
pub(crate) fn multiply_add<'a>(
    body: &mut Body<'_, 'a>,
    instruction: &Instruction,
    [a, b, c]: [Value<'a>; 3],
) -> Result<Value<'a>> {
    // `mad` leaves its rounding to the implementation: whatever is fast.
    let result = body.intrinsic_like("llvm.fmuladd", &[a, b, c])?;
    result.set_fast_math(body.fast_math(instruction));
    Ok(result)
}
