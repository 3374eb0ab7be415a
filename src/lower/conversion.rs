//! Section 3.49.11, conversions. All are total: what does not fit saturates or is some number, never poison.

use oxicl_llvm::{IntPredicate, RealPredicate, Type as LlvmType, Value};
use oxicl_spirv::Instruction;
use spirv::Decoration;

use crate::body::Body;
use crate::refusal::{Refusal, Result};

/// Directions of rounding, as SPIR-V numbers them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rounding {
    ToEven,
    ToZero,
    Up,
    Down,
}

impl Rounding {
    /// From the literal of a decoration or operand.
    pub fn from_literal(literal: u32) -> Result<Self> {
        match literal {
            0 => Ok(Rounding::ToEven),
            1 => Ok(Rounding::ToZero),
            2 => Ok(Rounding::Up),
            3 => Ok(Rounding::Down),
            _ => Err(Refusal::new(format!("rounding mode {literal} is unknown"))),
        }
    }
}

fn rounding(body: &Body<'_, '_>, instruction: &Instruction) -> Result<Option<Rounding>> {
    let decoration = instruction.result.and_then(|id| body.unit.module.decoration(id, Decoration::FPRoundingMode));
    decoration.and_then(|d| d.operands.first()).map(|literal| Rounding::from_literal(*literal)).transpose()
}

fn saturated(body: &Body<'_, '_>, instruction: &Instruction) -> bool {
    body.unit.decorated(instruction.result, Decoration::SaturatedConversion)
}

/// OpConvertFToU.
pub(crate) fn op_convert_f_to_u(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    float_to_integer(body, instruction, false)
}

/// OpConvertFToS.
pub(crate) fn op_convert_f_to_s(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    float_to_integer(body, instruction, true)
}

fn float_to_integer(body: &mut Body<'_, '_>, instruction: &Instruction, signed: bool) -> Result<()> {
    let ty = body.result_type(instruction)?;
    let mut value = body.operand(instruction, 0)?;
    let intrinsic = match rounding(body, instruction)? {
        Some(Rounding::ToEven) => Some("llvm.rint"),
        Some(Rounding::Up) => Some("llvm.ceil"),
        Some(Rounding::Down) => Some("llvm.floor"),
        Some(Rounding::ToZero) | None => None,
    };
    if let Some(intrinsic) = intrinsic {
        value = body.intrinsic_like(intrinsic, &[value])?;
    }
    let result = if saturated(body, instruction) {
        let name = if signed { "llvm.fptosi.sat" } else { "llvm.fptoui.sat" };
        body.intrinsic(name, &[ty, value.ty()], &[value])?
    } else {
        let b = &body.builder;
        // What does not fit gives poison, which `freeze` makes some number.
        b.freeze(if signed { b.fp_to_si(value, ty) } else { b.fp_to_ui(value, ty) })
    };
    body.define(instruction, result)
}

/// OpConvertSToF.
pub(crate) fn op_convert_s_to_f(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    integer_to_float(body, instruction, true)
}

/// OpConvertUToF.
pub(crate) fn op_convert_u_to_f(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    integer_to_float(body, instruction, false)
}

fn integer_to_float(body: &mut Body<'_, '_>, instruction: &Instruction, signed: bool) -> Result<()> {
    let (value, ty) = (body.operand(instruction, 0)?, body.result_type(instruction)?);
    let mode = rounding(body, instruction)?;
    let result = convert_integer(body, value, ty, signed, mode)?;
    body.define(instruction, result)
}

/// An integer as a floating-point number.
pub(crate) fn convert_integer<'a>(
    body: &Body<'_, 'a>,
    value: Value<'a>,
    ty: LlvmType<'a>,
    signed: bool,
    mode: Option<Rounding>,
) -> Result<Value<'a>> {
    Ok(match mode {
        Some(mode) if mode != Rounding::ToEven => directed(body, value, ty, signed, mode)?,
        _ if signed => body.builder.si_to_fp(value, ty),
        _ => body.builder.ui_to_fp(value, ty),
    })
}

/// An integer rounded in a direction: the bits beyond the format's precision are cut off, which is exact, and one unit is
/// added where the direction is away from zero and something was cut.
fn directed<'a>(
    body: &Body<'_, 'a>,
    value: Value<'a>,
    ty: LlvmType<'a>,
    signed: bool,
    mode: Rounding,
) -> Result<Value<'a>> {
    let int = value.ty();
    let width = u64::from(int.scalar().int_width());
    let (precision, largest) = match body.unit.out.store_size_of(ty.scalar()) {
        2 => (11, 65504.0),
        4 => (24, f64::from(f32::MAX)),
        _ => (53, f64::MAX),
    };
    let b = &body.builder;
    let zero = int.zero();
    let negative = if signed { b.icmp(IntPredicate::Slt, value, zero) } else { body.splat_bool(int, false) };
    let magnitude = b.select(negative, b.neg(value), value);
    let flag = body.unit.context.int_type(1).const_int(0);
    let leading = body.intrinsic("llvm.ctlz", &[int], &[magnitude, flag])?;
    // Bits to cut: those beyond the precision, none for small numbers.
    let kept = body.splat(int, width.saturating_sub(precision));
    let cut = body.intrinsic_like("llvm.usub.sat", &[kept, leading])?;
    let unit = b.shl(body.splat(int, 1), cut);
    let mask = b.sub(unit, body.splat(int, 1));
    let rest = b.and(magnitude, mask);
    let truncated = b.and(magnitude, b.not(mask));
    let low = b.ui_to_fp(truncated, ty);
    let inexact = b.icmp(IntPredicate::Ne, rest, zero);
    let away = match mode {
        Rounding::Up => b.not(negative),
        Rounding::Down => negative,
        _ => body.splat_bool(int, false),
    };
    let high = b.fadd(low, b.ui_to_fp(unit, ty));
    let rounded = b.select(b.and(inexact, away), high, low);
    // Only half is exceeded by integers: towards zero its largest number, away from it infinity.
    let largest = body.splat_float(ty, largest);
    let over = b.fcmp(RealPredicate::Ogt, rounded, largest);
    let bounded = b.select(over, b.select(away, body.splat_float(ty, f64::INFINITY), largest), rounded);
    Ok(b.select(negative, b.fneg(bounded), bounded))
}

/// OpFConvert.
pub(crate) fn op_f_convert(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (value, ty) = (body.operand(instruction, 0)?, body.result_type(instruction)?);
    let mode = rounding(body, instruction)?.unwrap_or(Rounding::ToEven);
    let result = convert_float(body, value, ty, mode)?;
    body.define(instruction, result)
}

/// OpQuantizeToF16: rounded to half and back.
pub(crate) fn op_quantize_to_f16(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (value, ty) = (body.operand(instruction, 0)?, body.result_type(instruction)?);
    let half = body.unit.context.half_type();
    let half = if ty.is_vector() { half.vector(ty.length() as u32) } else { half };
    let result = body.builder.fp_ext(body.builder.fp_trunc(value, half), ty);
    body.define(instruction, result)
}

/// A floating-point number in another format, rounded in a direction.
pub(crate) fn convert_float<'a>(
    body: &mut Body<'_, 'a>,
    value: Value<'a>,
    ty: LlvmType<'a>,
    mode: Rounding,
) -> Result<Value<'a>> {
    let (from, to) = (body.unit.out.store_size_of(value.ty().scalar()), body.unit.out.store_size_of(ty.scalar()));
    if from == to {
        return Ok(value);
    }
    if from < to {
        return Ok(body.builder.fp_ext(value, ty));
    }
    let nearest = body.builder.fp_trunc(value, ty);
    if mode == Rounding::ToEven {
        return Ok(nearest);
    }
    let back = body.builder.fp_ext(nearest, value.ty());
    let zero = value.ty().zero();
    let b = &body.builder;
    let too_high = b.fcmp(RealPredicate::Ogt, back, value);
    let too_low = b.fcmp(RealPredicate::Olt, back, value);
    let (wrong, target) = match mode {
        Rounding::Up => (too_low, body.splat_float(ty, f64::INFINITY)),
        Rounding::Down => (too_high, body.splat_float(ty, f64::NEG_INFINITY)),
        _ => {
            let positive = b.fcmp(RealPredicate::Ogt, value, zero);
            (b.select(positive, too_high, too_low), ty.zero())
        }
    };
    let next = crate::ext_inst::library_exact(body, "nextafter", ty, &[nearest, target])?;
    // A step from the smallest number to zero keeps the sign.
    let rounded = body.builder.select(wrong, next, nearest);
    body.intrinsic_like("llvm.copysign", &[rounded, nearest])
}

/// OpUConvert.
pub(crate) fn op_u_convert(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    integer_to_integer(body, instruction, false, false)
}

/// OpSConvert.
pub(crate) fn op_s_convert(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    integer_to_integer(body, instruction, true, true)
}

/// OpSatConvertSToU.
pub(crate) fn op_sat_convert_s_to_u(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let result = saturate(body, instruction, true, false)?;
    body.define(instruction, result)
}

/// OpSatConvertUToS.
pub(crate) fn op_sat_convert_u_to_s(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let result = saturate(body, instruction, false, true)?;
    body.define(instruction, result)
}

fn integer_to_integer(body: &mut Body<'_, '_>, instruction: &Instruction, from: bool, to: bool) -> Result<()> {
    let result = if saturated(body, instruction) {
        saturate(body, instruction, from, to)?
    } else {
        let (value, ty) = (body.operand(instruction, 0)?, body.result_type(instruction)?);
        resize(body, value, ty, from)
    };
    body.define(instruction, result)
}

/// An integer in another width.
pub(crate) fn resize<'a>(body: &Body<'_, 'a>, value: Value<'a>, ty: LlvmType<'a>, signed: bool) -> Value<'a> {
    let (from, to) = (value.ty().scalar().int_width(), ty.scalar().int_width());
    match from.cmp(&to) {
        std::cmp::Ordering::Equal => value,
        std::cmp::Ordering::Greater => body.builder.trunc(value, ty),
        std::cmp::Ordering::Less if signed => body.builder.sext(value, ty),
        std::cmp::Ordering::Less => body.builder.zext(value, ty),
    }
}

/// An integer in another width and signedness, at the nearest limit where it does not fit.
fn saturate<'a>(body: &mut Body<'_, 'a>, instruction: &Instruction, from: bool, to: bool) -> Result<Value<'a>> {
    let (value, ty) = (body.operand(instruction, 0)?, body.result_type(instruction)?);
    let (have, want) = (value.ty().scalar().int_width(), ty.scalar().int_width());
    let limit = |bits: u32| if bits >= 64 { u64::MAX } else { (1u64 << bits) - 1 };
    // Bits of the largest number of each side.
    let (have_bits, want_bits) = (have - u32::from(from), want - u32::from(to));
    let mut clamped = value;
    if want_bits < have_bits {
        let name = if from { "llvm.smin" } else { "llvm.umin" };
        clamped = body.intrinsic_like(name, &[clamped, body.splat(value.ty(), limit(want_bits))])?;
    }
    if from && (!to || want < have) {
        let lowest = if to { !limit(want_bits) } else { 0 };
        clamped = body.intrinsic_like("llvm.smax", &[clamped, body.splat(value.ty(), lowest)])?;
    }
    Ok(resize(body, clamped, ty, from))
}

/// OpBitcast: also between pointers, and between pointers and integers.
pub(crate) fn op_bitcast(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (value, ty) = (body.operand(instruction, 0)?, body.result_type(instruction)?);
    let result = match (value.ty().is_pointer(), ty.is_pointer()) {
        _ if value.ty() == ty => value,
        (true, true) => body.builder.addrspace_cast(value, ty),
        (true, false) => {
            let address = body.builder.ptr_to_int(value, body.unit.context.int_type(64));
            if ty.is_int() { address } else { body.builder.bit_cast(address, ty) }
        }
        (false, true) => {
            let bits = body.unit.context.int_type(64);
            let address = if value.ty() == bits { value } else { body.builder.bit_cast(value, bits) };
            body.builder.int_to_ptr(address, ty)
        }
        (false, false) => body.builder.bit_cast(value, ty),
    };
    body.define(instruction, result)
}
