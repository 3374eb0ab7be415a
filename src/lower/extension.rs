//! Instructions of extensions that belong to no section of their own.

use oxicl_llvm::{RealPredicate, Value};
use oxicl_spirv::Instruction;

use crate::body::Body;
use crate::refusal::{Refusal, Result};

/// OpArithmeticFenceEXT: nothing is reassociated or contracted across it.
pub(crate) fn op_arithmetic_fence(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let value = body.operand(instruction, 0)?;
    let result = body.intrinsic_like("llvm.arithmetic.fence", &[value])?;
    body.define(instruction, result)
}

/// OpConvertFToBF16INTEL: to the nearest, ties to even, by integers: the processor's own conversion takes denormal
/// numbers for zeros.
pub(crate) fn op_convert_f_to_bf16(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (value, ty) = (body.operand(instruction, 0)?, body.result_type(instruction)?);
    let wide = body.unit.context.int_type(32);
    let wide = if ty.is_vector() { wide.vector(ty.length() as u32) } else { wide };
    let constant = |bits| body.splat(wide, bits);
    let b = &body.builder;
    let bits = b.bit_cast(value, wide);
    let odd = b.and(b.lshr(bits, constant(16)), constant(1));
    let rounded = b.add(bits, b.add(odd, constant(0x7FFF)));
    // Rounding could make an infinity of a NaN.
    let quiet = b.or(bits, constant(0x0040_0000));
    let is_nan = b.fcmp(RealPredicate::Uno, value, value);
    let result = b.trunc(b.lshr(b.select(is_nan, quiet, rounded), constant(16)), ty);
    body.define(instruction, result)
}

/// OpConvertBF16ToFINTEL: exact.
pub(crate) fn op_convert_bf16_to_f(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (value, ty) = (body.operand(instruction, 0)?, body.result_type(instruction)?);
    let wide = body.unit.context.int_type(32);
    let wide = if ty.is_vector() { wide.vector(ty.length() as u32) } else { wide };
    let b = &body.builder;
    let result = b.bit_cast(b.shl(b.zext(value, wide), body.splat(wide, 16)), ty);
    body.define(instruction, result)
}

/// OpBitwiseFunctionINTEL: bit n of the function is its value where the operands' bits are those of n, the first
/// operand's the lowest.
pub(crate) fn op_bitwise_function(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let function = body.constant(instruction, 3).ok_or_else(|| Refusal::new("the function is no constant"))?;
    let mut values: Vec<Value<'_>> = Vec::with_capacity(3);
    for index in 0..3 {
        values.push(body.operand(instruction, index)?);
    }
    let ty = body.result_type(instruction)?;
    let b = &body.builder;
    let mut result = ty.zero();
    for row in (0..8).filter(|row| function >> row & 1 == 1) {
        let mut term = ty.all_ones();
        for (bit, value) in values.iter().enumerate() {
            term = b.and(term, if row >> bit & 1 == 1 { *value } else { b.not(*value) });
        }
        result = b.or(result, term);
    }
    body.define(instruction, result)
}
