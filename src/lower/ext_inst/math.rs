//! Mathematical functions. What has a pointer for a second result is two calls: passes share what they have in common.

use oxicl_llvm::{FastMath, RealPredicate, Value};
use oxicl_spirv::Instruction;
use oxicl_target::Ability;

use super::{library, library_exact, library_with};
use crate::arithmetic::multiply_add;
use crate::body::Body;
use crate::memory::{Access, store};
use crate::refusal::Result;

/// A function of the library with as many operands as the instruction has. Halves, and floats where the build or the
/// instruction asks for speed, take the cheap form if there is one.
pub(super) fn library_function(body: &mut Body<'_, '_>, i: &Instruction, name: &str) -> Result<()> {
    let ty = body.result_type(i)?;
    let arguments = body.operands(i, 2)?;
    let result = library(body, form(body, i, name, ty), ty, &arguments)?;
    body.define(i, result)
}

/// The form of a function that an instruction asks for. The half_ forms are as exact as halves need: the tables of accuracy
/// hold them for every half.
fn form<'n>(body: &Body<'_, '_>, i: &Instruction, name: &'n str, ty: oxicl_llvm::Type<'_>) -> &'n str {
    let cheap = match name {
        "cos" => "half_cos",
        "sin" => "half_sin",
        "tan" => "half_tan",
        "exp" => "half_exp",
        "exp2" => "half_exp2",
        "exp10" => "half_exp10",
        "log" => "half_log",
        "log2" => "half_log2",
        "log10" => "half_log10",
        "pow" => "half_pow",
        "powr" => "half_powr",
        "pown" => "half_pown",
        "rootn" => "half_rootn",
        _ => return name,
    };
    let (half, float) = (body.unit.context.half_type(), body.unit.context.float_type());
    let relaxed = ty.scalar() == float && body.fast_math(i).contains(FastMath::APPROX);
    if relaxed || ty.scalar() == half { cheap } else { name }
}

/// An intrinsic on vectors as they are, with the instruction's fast-math flags.
pub(super) fn intrinsic(body: &mut Body<'_, '_>, i: &Instruction, name: &str) -> Result<()> {
    let arguments = body.operands(i, 2)?;
    let result = body.intrinsic_like(name, &arguments)?;
    body.define_float(i, result)
}

/// fma. Where there is no instruction for it, that of halves is a float rounded to odd, then to half: exact, and without a double; those
/// of floats and doubles are the library's.
pub(super) fn fma(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let ty = body.result_type(i)?;
    let arguments = body.operands(i, 2)?;
    let half = body.unit.context.half_type();
    let can = |ability| body.unit.vectors.can(ability);
    let result = match ty.scalar() {
        scalar if scalar == half && !can(Ability::HalfArithmetic) => library(body, "fma_odd", ty, &arguments)?,
        _ if !can(Ability::Fma) => library(body, "fma", ty, &arguments)?,
        _ => body.intrinsic_like("llvm.fma", &arguments)?,
    };
    body.define(i, result)
}

/// The shape of `ty` with another element.
fn shaped<'a>(scalar: oxicl_llvm::Type<'a>, ty: oxicl_llvm::Type<'a>) -> oxicl_llvm::Type<'a> {
    if ty.is_vector() { scalar.vector(ty.length() as u32) } else { scalar }
}

/// mad: fused where that is fast.
pub(super) fn mad(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let operands = [body.operand(i, 2)?, body.operand(i, 3)?, body.operand(i, 4)?];
    let result = multiply_add(body, i, operands)?;
    body.define(i, result)
}

/// nextafter, of halves too.
pub(super) fn nextafter(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let ty = body.result_type(i)?;
    let arguments = body.operands(i, 2)?;
    let result = library_exact(body, "nextafter", ty, &arguments)?;
    body.define(i, result)
}

/// ilogb.
pub(super) fn ilogb(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let (value, ty) = (body.operand(i, 2)?, body.result_type(i)?);
    let result = library_with(body, "ilogb", value.ty(), ty, &[value])?;
    body.define(i, result)
}

/// Stores a second result through the pointer in operand `index`.
fn second<'a>(body: &mut Body<'_, 'a>, i: &Instruction, index: usize, value: Value<'a>) -> Result<()> {
    let pointer = body.operand(i, index)?;
    let ty = body.pointee(i, index)?;
    store(body, ty, value, pointer, Access::default())
}

/// The register type that the pointer in operand `index` points to.
fn second_type<'a>(body: &Body<'_, 'a>, i: &Instruction, index: usize) -> Result<oxicl_llvm::Type<'a>> {
    Ok(body.unit.ty(body.pointee(i, index)?)?.register)
}

/// frexp.
pub(super) fn frexp(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let value = body.operand(i, 2)?;
    let mantissa = library(body, "frexp_mantissa", value.ty(), &[value])?;
    let ty = second_type(body, i, 3)?;
    let exponent = library_with(body, "frexp_exponent", value.ty(), ty, &[value])?;
    second(body, i, 3, exponent)?;
    body.define(i, mantissa)
}

/// modf: both parts have the sign of the number.
pub(super) fn modf(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let value = body.operand(i, 2)?;
    let whole = body.intrinsic_like("llvm.trunc", &[value])?;
    let rest = body.builder.fsub(value, whole);
    let infinite = is_infinite(body, value)?;
    let rest = body.builder.select(infinite, value.ty().zero(), rest);
    let fraction = body.intrinsic_like("llvm.copysign", &[rest, value])?;
    second(body, i, 3, whole)?;
    body.define(i, fraction)
}

/// fract: below 1 even where the difference rounds up to it; a zero has the number's sign if that is one or infinite.
pub(super) fn fract(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let value = body.operand(i, 2)?;
    let ty = value.ty();
    let floor = body.intrinsic_like("llvm.floor", &[value])?;
    let below_one = match body.unit.out.store_size_of(ty.scalar()) {
        2 => 1.0 - 4.882_812_5e-4,
        4 => 1.0 - f64::from(f32::EPSILON) / 2.0,
        _ => 1.0 - f64::EPSILON / 2.0,
    };
    let rest = body.builder.fsub(value, floor);
    let limit = body.splat_float(ty, below_one);
    let over = body.builder.fcmp(RealPredicate::Ogt, rest, limit);
    let rest = body.builder.select(over, limit, rest);
    let zero = body.intrinsic_like("llvm.copysign", &[ty.zero(), value])?;
    let infinite = is_infinite(body, value)?;
    let b = &body.builder;
    let signed = b.or(infinite, b.fcmp(RealPredicate::Oeq, value, ty.zero()));
    let result = b.select(signed, zero, rest);
    second(body, i, 3, floor)?;
    body.define(i, result)
}

fn is_infinite<'a>(body: &Body<'_, 'a>, value: Value<'a>) -> Result<Value<'a>> {
    let magnitude = body.intrinsic_like("llvm.fabs", &[value])?;
    Ok(body.builder.fcmp(RealPredicate::Oeq, magnitude, body.splat_float(value.ty(), f64::INFINITY)))
}

/// sincos.
pub(super) fn sincos(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let value = body.operand(i, 2)?;
    let sine = library(body, form(body, i, "sin", value.ty()), value.ty(), &[value])?;
    let cosine = library(body, form(body, i, "cos", value.ty()), value.ty(), &[value])?;
    second(body, i, 3, cosine)?;
    body.define(i, sine)
}

/// lgamma_r.
pub(super) fn lgamma_r(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let value = body.operand(i, 2)?;
    let logarithm = library(body, "lgamma", value.ty(), &[value])?;
    let ty = second_type(body, i, 3)?;
    let sign = library_with(body, "lgamma_sign", value.ty(), ty, &[value])?;
    second(body, i, 3, sign)?;
    body.define(i, logarithm)
}

/// remquo.
pub(super) fn remquo(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let (x, y) = (body.operand(i, 2)?, body.operand(i, 3)?);
    let rest = library(body, "remainder", x.ty(), &[x, y])?;
    let ty = second_type(body, i, 4)?;
    let quotient = library_with(body, "remquo_quotient", x.ty(), ty, &[x, y])?;
    second(body, i, 4, quotient)?;
    body.define(i, rest)
}

/// nan: quiet, with the payload given.
pub(super) fn nan(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let (payload, ty) = (body.operand(i, 2)?, body.result_type(i)?);
    let quiet: u64 = match payload.ty().scalar().int_width() {
        16 => 0x7e00,
        32 => 0x7fc0_0000,
        _ => 0x7ff8_0000_0000_0000,
    };
    let bits = body.builder.or(payload, body.splat(payload.ty(), quiet));
    let result = body.builder.bit_cast(bits, ty);
    body.define(i, result)
}

/// maxmag and minmag: by magnitude, else fmax and fmin.
pub(super) fn magnitude(body: &mut Body<'_, '_>, i: &Instruction, larger: bool) -> Result<()> {
    let (x, y) = (body.operand(i, 2)?, body.operand(i, 3)?);
    let (a, b) = (body.intrinsic_like("llvm.fabs", &[x])?, body.intrinsic_like("llvm.fabs", &[y])?);
    let otherwise = body.intrinsic_like(if larger { "llvm.maxnum" } else { "llvm.minnum" }, &[x, y])?;
    let (first, second) =
        if larger { (RealPredicate::Ogt, RealPredicate::Olt) } else { (RealPredicate::Olt, RealPredicate::Ogt) };
    let builder = &body.builder;
    let result = builder.select(builder.fcmp(second, a, b), y, otherwise);
    let result = builder.select(builder.fcmp(first, a, b), x, result);
    body.define(i, result)
}

/// rsqrt. That of doubles, whose roots and quotients are slow, is the library's, and so is every one where the machine has estimates,
/// which are faster. The others are quotients, within the limit of two units; that of halves is one of floats, to be within one.
pub(super) fn rsqrt(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let value = body.operand(i, 2)?;
    let ty = value.ty();
    let double = body.unit.context.double_type();
    if ty.scalar() == double || body.unit.vectors.can(Ability::MachineOperations) {
        let result = library(body, "rsqrt", ty, &[value])?;
        return body.define(i, result);
    }
    let half = ty.scalar() == body.unit.context.half_type();
    let wide = if half { shaped(body.unit.context.float_type(), ty) } else { ty };
    let value = if half { body.builder.fp_ext(value, wide) } else { value };
    let root = body.intrinsic_like("llvm.sqrt", &[value])?;
    let result = body.builder.fdiv(body.splat_float(wide, 1.0), root);
    if half {
        let result = body.builder.fp_trunc(result, ty);
        return body.define(i, result);
    }
    body.define_float(i, result)
}

/// half_rsqrt, which may be off by 8192 units, and native_rsqrt: the machine's estimate of floats, if it has one, or else rsqrt.
pub(super) fn rsqrt_estimate(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let value = body.operand(i, 2)?;
    let ty = value.ty();
    if ty.scalar() != body.unit.context.float_type() || !body.unit.vectors.can(Ability::MachineOperations) {
        return rsqrt(body, i);
    }
    let result = library(body, "rsqrt_estimate", ty, &[value])?;
    body.define(i, result)
}

/// half_divide, native_divide.
pub(super) fn divide(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let (x, y) = (body.operand(i, 2)?, body.operand(i, 3)?);
    let result = body.builder.fdiv(x, y);
    body.define_float(i, result)
}

/// half_recip, native_recip.
pub(super) fn recip(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let value = body.operand(i, 2)?;
    let result = body.builder.fdiv(body.splat_float(value.ty(), 1.0), value);
    body.define_float(i, result)
}
