//! Common functions.

use oxicl_llvm::RealPredicate;
use oxicl_spirv::Instruction;

use crate::body::Body;
use crate::refusal::Result;

/// fclamp: fmin(fmax(x, low), high) as a comparison and a selection for each bound, so that a NaN gives the lower one.
pub(super) fn fclamp(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let (x, low, high) = (body.operand(i, 2)?, body.operand(i, 3)?, body.operand(i, 4)?);
    let b = &body.builder;
    let bounded = b.select(b.fcmp(RealPredicate::Oge, x, low), x, low);
    let result = b.select(b.fcmp(RealPredicate::Ogt, bounded, high), high, bounded);
    body.define(i, result)
}

/// fmax_common and fmin_common, which leave NaN open.
pub(super) fn extreme(body: &mut Body<'_, '_>, i: &Instruction, largest: bool) -> Result<()> {
    let (x, y) = (body.operand(i, 2)?, body.operand(i, 3)?);
    let b = &body.builder;
    let (left, right) = if largest { (x, y) } else { (y, x) };
    let other = b.fcmp(RealPredicate::Olt, left, right);
    let result = b.select(other, y, x);
    body.define(i, result)
}

/// degrees and radians.
pub(super) fn scale(body: &mut Body<'_, '_>, i: &Instruction, factor: f64) -> Result<()> {
    let value = body.operand(i, 2)?;
    let result = body.builder.fmul(value, body.splat_float(value.ty(), factor));
    body.define_float(i, result)
}

/// mix: x + (y - x) a.
pub(super) fn mix(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let (x, y, a) = (body.operand(i, 2)?, body.operand(i, 3)?, body.operand(i, 4)?);
    let a = body.broadcast(x.ty(), a);
    let difference = body.builder.fsub(y, x);
    let result = crate::arithmetic::multiply_add(body, i, [difference, a, x])?;
    body.define(i, result)
}

/// step: 0 below the edge, else 1.
pub(super) fn step(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let (edge, x) = (body.operand(i, 2)?, body.operand(i, 3)?);
    let edge = body.broadcast(x.ty(), edge);
    let below = body.builder.fcmp(RealPredicate::Olt, x, edge);
    let result = body.builder.select(below, x.ty().zero(), body.splat_float(x.ty(), 1.0));
    body.define(i, result)
}

/// smoothstep: t^2 (3 - 2 t) of t = clamp((x - edge0) / (edge1 - edge0), 0, 1).
pub(super) fn smoothstep(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let (low, high, x) = (body.operand(i, 2)?, body.operand(i, 3)?, body.operand(i, 4)?);
    let ty = x.ty();
    let (low, high) = (body.broadcast(ty, low), body.broadcast(ty, high));
    let (zero, one) = (ty.zero(), body.splat_float(ty, 1.0));
    let b = &body.builder;
    let t = b.fdiv(b.fsub(x, low), b.fsub(high, low));
    let t = b.select(b.fcmp(RealPredicate::Olt, t, zero), zero, t);
    let t = b.select(b.fcmp(RealPredicate::Ogt, t, one), one, t);
    let factor = b.fsub(body.splat_float(ty, 3.0), b.fmul(body.splat_float(ty, 2.0), t));
    let result = b.fmul(b.fmul(t, t), factor);
    body.define(i, result)
}

/// sign: 1, -1, a zero of the number's sign, or 0 for a NaN.
pub(super) fn sign(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let value = body.operand(i, 2)?;
    let ty = value.ty();
    let zero = ty.zero();
    let one = body.intrinsic_like("llvm.copysign", &[body.splat_float(ty, 1.0), value])?;
    let b = &body.builder;
    let nonzero = b.fcmp(RealPredicate::One, value, zero);
    let nan = b.fcmp(RealPredicate::Uno, value, value);
    let result = b.select(nonzero, one, b.select(nan, zero, value));
    body.define(i, result)
}
