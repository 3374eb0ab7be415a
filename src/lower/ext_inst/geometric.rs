//! Geometric functions. Lengths scale by a power of two first, so that squares neither overflow nor vanish.

use oxicl_llvm::{RealPredicate, Value};
use oxicl_spirv::Instruction;

use crate::body::Body;
use crate::composite::{elements, vector_of};
use crate::refusal::{Refusal, Result};

/// cross: of three components; a fourth is 0.
pub(super) fn cross(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let (x, y) = (body.operand(i, 2)?, body.operand(i, 3)?);
    let (p, q) = (elements(body, x), elements(body, y));
    let ([p0, p1, p2, ..], [q0, q1, q2, ..]) = (p.as_slice(), q.as_slice()) else {
        return Err(Refusal::new("the operands have no three components"));
    };
    let flags = body.fast_math(i);
    let mut parts = Vec::with_capacity(3);
    for (a, b, c, d) in [(p1, q2, p2, q1), (p2, q0, p0, q2), (p0, q1, p1, q0)] {
        let (left, right) = (body.builder.fmul(*a, *b), body.builder.fmul(*c, *d));
        let difference = body.builder.fsub(left, right);
        for operation in [left, right, difference] {
            operation.set_fast_math(flags);
        }
        parts.push(difference);
    }
    let result = vector_of(body, x.ty(), &parts);
    body.define(i, result)
}

/// The sum of the squares.
fn square<'a>(body: &Body<'_, 'a>, parts: &[Value<'a>]) -> Result<Value<'a>> {
    let mut sum: Option<Value<'a>> = None;
    for part in parts {
        sum = Some(match sum {
            None => body.builder.fmul(*part, *part),
            Some(sum) => body.intrinsic_like("llvm.fmuladd", &[*part, *part, sum])?,
        });
    }
    sum.ok_or_else(|| Refusal::new("the operand has no component"))
}

/// The largest magnitude; infinite if any component is, whatever the others are.
fn largest<'a>(body: &Body<'_, 'a>, parts: &[Value<'a>]) -> Result<Value<'a>> {
    let mut largest: Option<Value<'a>> = None;
    for part in parts {
        let magnitude = body.intrinsic_like("llvm.fabs", &[*part])?;
        largest = Some(match largest {
            None => magnitude,
            Some(other) => body.intrinsic_like("llvm.maxnum", &[other, magnitude])?,
        });
    }
    largest.ok_or_else(|| Refusal::new("the operand has no component"))
}

/// A power of two that brings the squares of components up to `largest` into range, and its reciprocal.
fn scale<'a>(body: &Body<'_, 'a>, largest: Value<'a>) -> (Value<'a>, Value<'a>) {
    let ty = largest.ty();
    let (limit, step): (f64, f64) = match body.unit.out.store_size_of(ty) {
        8 => (2f64.powi(480), 2f64.powi(600)),
        _ => (2f64.powi(60), 2f64.powi(75)),
    };
    let b = &body.builder;
    let number = |x: f64| ty.const_float(x);
    let large = b.fcmp(RealPredicate::Ogt, largest, number(limit));
    let small = b.fcmp(RealPredicate::Olt, largest, number(1.0 / limit));
    let factor = b.select(large, number(1.0 / step), b.select(small, number(step), number(1.0)));
    let back = b.select(large, number(step), b.select(small, number(1.0 / step), number(1.0)));
    (factor, back)
}

/// The components in a format that holds their squares: half becomes float.
fn parts_of<'a>(body: &Body<'_, 'a>, value: Value<'a>) -> Vec<Value<'a>> {
    let (half, float) = (body.unit.context.half_type(), body.unit.context.float_type());
    let parts = elements(body, value).into_iter();
    parts.map(|p| if p.ty() == half { body.builder.fp_ext(p, float) } else { p }).collect()
}

/// A component in the format of the result.
fn narrow<'a>(body: &Body<'_, 'a>, value: Value<'a>, ty: oxicl_llvm::Type<'a>) -> Value<'a> {
    if value.ty() == ty { value } else { body.builder.fp_trunc(value, ty) }
}

fn length_of<'a>(body: &Body<'_, 'a>, vector: Value<'a>) -> Result<Value<'a>> {
    let parts = parts_of(body, vector);
    if let [single] = parts[..] {
        return Ok(narrow(body, body.intrinsic_like("llvm.fabs", &[single])?, vector.ty().scalar()));
    }
    let largest = largest(body, &parts)?;
    let (factor, back) = scale(body, largest);
    let scaled: Vec<_> = parts.iter().map(|p| body.builder.fmul(*p, factor)).collect();
    let root = body.intrinsic_like("llvm.sqrt", &[square(body, &scaled)?])?;
    let infinity = root.ty().const_float(f64::INFINITY);
    let infinite = body.builder.fcmp(RealPredicate::Oeq, largest, infinity);
    let length = body.builder.select(infinite, infinity, body.builder.fmul(root, back));
    Ok(narrow(body, length, vector.ty().scalar()))
}

/// length.
pub(super) fn length(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let value = body.operand(i, 2)?;
    let length = length_of(body, value)?;
    body.define(i, length)
}

/// distance.
pub(super) fn distance(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let (x, y) = (body.operand(i, 2)?, body.operand(i, 3)?);
    let length = length_of(body, body.builder.fsub(x, y))?;
    body.define(i, length)
}

/// normalize: a zero vector stays, and infinite components count as 1 against the others' 0.
pub(super) fn normalize<'a>(body: &mut Body<'_, 'a>, i: &Instruction) -> Result<()> {
    let value = body.operand(i, 2)?;
    let element = value.ty().scalar();
    let parts = parts_of(body, value);
    let largest = largest(body, &parts)?;
    let (factor, _) = scale(body, largest);
    let ty = largest.ty();
    let (zero, one, infinity) = (ty.zero(), ty.const_float(1.0), ty.const_float(f64::INFINITY));
    let infinite = body.builder.fcmp(RealPredicate::Oeq, largest, infinity);
    let (mut own, mut scaled) = (Vec::with_capacity(parts.len()), Vec::with_capacity(parts.len()));
    for part in &parts {
        let magnitude = body.intrinsic_like("llvm.fabs", &[*part])?;
        let b = &body.builder;
        let unit = b.select(b.fcmp(RealPredicate::Oeq, magnitude, infinity), one, zero);
        let unit = body.intrinsic_like("llvm.copysign", &[unit, *part])?;
        let b = &body.builder;
        // A NaN beside an infinity makes all components NaN.
        let unit = b.select(b.fcmp(RealPredicate::Uno, *part, *part), *part, unit);
        own.push(b.select(infinite, unit, *part));
        scaled.push(b.select(infinite, unit, b.fmul(*part, factor)));
    }
    let square = square(body, &scaled)?;
    let b = &body.builder;
    // The root of 1 in place of 0 leaves the zeros what they are.
    let square = b.select(b.fcmp(RealPredicate::Oeq, square, zero), one, square);
    let inverse = b.fdiv(one, body.intrinsic_like("llvm.sqrt", &[square])?);
    let b = &body.builder;
    // Scaling up is exact and comes first, scaling down may round and comes last.
    let factor = b.select(infinite, one, factor);
    let up = b.fcmp(RealPredicate::Ogt, factor, one);
    let (before, after) = (b.select(up, factor, one), b.select(up, one, factor));
    let component = |part: &Value<'a>| {
        let b = &body.builder;
        b.fmul(b.fmul(b.fmul(*part, before), inverse), after)
    };
    let unit: Vec<_> = own.iter().map(|part| narrow(body, component(part), element)).collect();
    let result = if value.ty().is_vector() { vector_of(body, value.ty(), &unit) } else { unit[0] };
    body.define(i, result)
}

fn fast_length_of<'a>(body: &Body<'_, 'a>, vector: Value<'a>) -> Result<Value<'a>> {
    let square = square(body, &parts_of(body, vector))?;
    let root = body.intrinsic_like("llvm.sqrt", &[square])?;
    Ok(narrow(body, root, vector.ty().scalar()))
}

/// fast_length.
pub(super) fn fast_length(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let value = body.operand(i, 2)?;
    let length = fast_length_of(body, value)?;
    body.define(i, length)
}

/// fast_distance.
pub(super) fn fast_distance(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let (x, y) = (body.operand(i, 2)?, body.operand(i, 3)?);
    let length = fast_length_of(body, body.builder.fsub(x, y))?;
    body.define(i, length)
}

/// fast_normalize.
pub(super) fn fast_normalize(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let value = body.operand(i, 2)?;
    let parts = parts_of(body, value);
    let square = square(body, &parts)?;
    let (zero, one) = (square.ty().zero(), square.ty().const_float(1.0));
    let b = &body.builder;
    let square = b.select(b.fcmp(RealPredicate::Oeq, square, zero), one, square);
    let inverse = b.fdiv(one, body.intrinsic_like("llvm.sqrt", &[square])?);
    let unit: Vec<_> =
        parts.iter().map(|p| narrow(body, body.builder.fmul(*p, inverse), value.ty().scalar())).collect();
    let result = if value.ty().is_vector() { vector_of(body, value.ty(), &unit) } else { unit[0] };
    body.define(i, result)
}
