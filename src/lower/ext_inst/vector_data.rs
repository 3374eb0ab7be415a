//! Vectors in memory, halves in memory, and shuffles with computed selectors.

use oxicl_llvm::{GepFlags, Type as LlvmType, Value};
use oxicl_spirv::Instruction;

use crate::body::Body;
use crate::composite::elements;
use crate::conversion::{Rounding, convert_float, resize};
use crate::refusal::{Refusal, Result};

/// `pointer` plus `offset` times `count` elements. The offset is unsigned and of any width.
fn address<'a>(
    body: &Body<'_, 'a>,
    element: LlvmType<'a>,
    pointer: Value<'a>,
    offset: Value<'a>,
    count: u64,
) -> Value<'a> {
    let i64_type = body.unit.context.int_type(64);
    let offset = resize(body, offset, i64_type, false);
    let index = if count == 1 { offset } else { body.builder.mul(offset, i64_type.const_int(count)) };
    body.builder.gep(element, pointer, &[index], GepFlags::NONE)
}

/// vloadn: aligned as an element, three components without a fourth.
pub(super) fn vloadn(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let (offset, pointer, ty) = (body.operand(i, 2)?, body.operand(i, 3)?, body.result_type(i)?);
    let size = body.unit.out.store_size_of(ty.scalar());
    let address = address(body, ty.scalar(), pointer, offset, ty.length());
    let result = body.builder.load(ty, address, size as u32);
    body.define(i, result)
}

/// vstoren.
pub(super) fn vstoren(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let (data, offset, pointer) = (body.operand(i, 2)?, body.operand(i, 3)?, body.operand(i, 4)?);
    let ty = data.ty();
    let size = body.unit.out.store_size_of(ty.scalar());
    let address = address(body, ty.scalar(), pointer, offset, ty.length());
    body.builder.store(data, address, size as u32);
    Ok(())
}

/// The shape of `ty` with halves for elements.
fn halves<'a>(body: &Body<'_, 'a>, ty: LlvmType<'a>) -> LlvmType<'a> {
    let half = body.unit.context.half_type();
    if ty.is_vector() { half.vector(ty.length() as u32) } else { half }
}

/// An address of halves is trusted to be one of a half, whatever the aligned forms ask for: a vector's alignment gains
/// nothing, and applications' pointers are no better.
const HALF_ALIGNMENT: u32 = 2;

/// Elements from one vector of halves to the next: the aligned forms have vectors of three at every fourth element.
fn stride(ty: LlvmType<'_>, aligned: bool) -> u64 {
    let length = ty.length().max(1);
    if aligned && length == 3 { 4 } else { length }
}

/// vload_half, vload_halfn, vloada_halfn.
pub(super) fn vload_half(body: &mut Body<'_, '_>, i: &Instruction, aligned: bool) -> Result<()> {
    let (offset, pointer, ty) = (body.operand(i, 2)?, body.operand(i, 3)?, body.result_type(i)?);
    let halves = halves(body, ty);
    let count = stride(ty, aligned);
    let address = address(body, halves.scalar(), pointer, offset, count);
    let loaded = body.builder.load(halves, address, HALF_ALIGNMENT);
    let result = body.builder.fp_ext(loaded, ty);
    body.define(i, result)
}

/// vstore_half, vstore_halfn, vstorea_halfn, and the forms with a rounding mode.
pub(super) fn vstore_half(body: &mut Body<'_, '_>, i: &Instruction, aligned: bool, directed: bool) -> Result<()> {
    let (data, offset, pointer) = (body.operand(i, 2)?, body.operand(i, 3)?, body.operand(i, 4)?);
    let mode = if directed { Rounding::from_literal(body.word(i, 5)?)? } else { Rounding::ToEven };
    let halves = halves(body, data.ty());
    let count = stride(data.ty(), aligned);
    let address = address(body, halves.scalar(), pointer, offset, count);
    let rounded = convert_float(body, data, halves, mode)?;
    body.builder.store(rounded, address, HALF_ALIGNMENT);
    Ok(())
}

/// shuffle: the selectors count modulo the length.
pub(super) fn shuffle(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let (source, selectors, ty) = (body.operand(i, 2)?, body.operand(i, 3)?, body.result_type(i)?);
    let result = select(body, source, selectors, ty)?;
    body.define(i, result)
}

/// shuffle2: from both vectors as one of twice the length.
pub(super) fn shuffle2(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let (x, y) = (body.operand(i, 2)?, body.operand(i, 3)?);
    let (selectors, ty) = (body.operand(i, 4)?, body.result_type(i)?);
    let positions: Vec<u32> = (0..2 * x.ty().length() as u32).collect();
    let both = crate::composite::shuffle(body, x, y, &positions);
    let result = select(body, both, selectors, ty)?;
    body.define(i, result)
}

fn select<'a>(body: &mut Body<'_, 'a>, source: Value<'a>, selectors: Value<'a>, ty: LlvmType<'a>) -> Result<Value<'a>> {
    let length = source.ty().length();
    if !length.is_power_of_two() {
        return Err(Refusal::new("the operand's length is no power of two"));
    }
    let mut result = ty.zero();
    for (position, selector) in elements(body, selectors).into_iter().enumerate() {
        let index = body.builder.and(selector, body.splat(selector.ty(), length - 1));
        let element = body.builder.extract_element(source, index);
        result = body.builder.insert_element(result, element, body.index(position as u64));
    }
    Ok(result)
}
