//! Section 3.49.12, composites.

use oxicl_llvm::Value;
use oxicl_spirv::{Instruction, Type, TypeRef};

use crate::body::Body;
use crate::memory::{from_memory, to_memory};
use crate::refusal::{Refusal, Result};

/// OpVectorExtractDynamic.
pub(crate) fn op_vector_extract_dynamic(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (vector, index) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let index = in_range(body, index, vector.ty().length());
    let element = body.builder.extract_element(vector, index);
    body.define(instruction, element)
}

/// OpVectorInsertDynamic.
pub(crate) fn op_vector_insert_dynamic(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (vector, element) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let index = body.operand(instruction, 2)?;
    let index = in_range(body, index, vector.ty().length());
    let vector = body.builder.insert_element(vector, element, index);
    body.define(instruction, vector)
}

/// The index modulo the length, so that one out of range names some element and not poison.
fn in_range<'a>(body: &Body<'_, 'a>, index: Value<'a>, length: u64) -> Value<'a> {
    if length.is_power_of_two() {
        body.builder.and(index, body.splat(index.ty(), length - 1))
    } else {
        body.builder.urem(index, body.splat(index.ty(), length))
    }
}

/// OpVectorShuffle. Components that the instruction leaves undefined repeat the first, so that they are values too.
pub(crate) fn op_vector_shuffle(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (left, right) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let words = body.words(instruction, 2);
    let result = shuffle(body, left, right, &words);
    body.define(instruction, result)
}

/// Elements of two vectors, which may differ in length, by position in their concatenation.
pub(crate) fn shuffle<'a>(body: &Body<'_, 'a>, left: Value<'a>, right: Value<'a>, selectors: &[u32]) -> Value<'a> {
    let (m, n) = (left.ty().length() as u32, right.ty().length() as u32);
    let (left, right, base) = if m == n { (left, right, m) } else { widen(body, left, right) };
    let mask: Vec<_> = selectors
        .iter()
        .map(|s| if *s < m { Some(*s) } else { Some(if *s - m < n { *s - m + base } else { 0 }) })
        .collect();
    body.builder.shuffle(left, right, &mask)
}

/// Both vectors at the length of the longer, which is given too.
fn widen<'a>(body: &Body<'_, 'a>, left: Value<'a>, right: Value<'a>) -> (Value<'a>, Value<'a>, u32) {
    let length = left.ty().length().max(right.ty().length()) as u32;
    let to = |vector: Value<'a>| {
        let own = vector.ty().length() as u32;
        let mask: Vec<_> = (0..length).map(|i| Some(if i < own { i } else { 0 })).collect();
        if own == length { vector } else { body.builder.shuffle(vector, vector, &mask) }
    };
    (to(left), to(right), length)
}

/// OpCompositeConstruct: of a vector from scalars and vectors, of other composites from their members.
pub(crate) fn op_composite_construct(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let ty = body.result_ref(instruction)?;
    let parts = body.operands(instruction, 0)?;
    let mut result = body.result_type(instruction)?.zero();
    if result.ty().is_vector() {
        let mut position = 0;
        for part in parts {
            for element in elements(body, part) {
                result = body.builder.insert_element(result, element, body.index(position));
                position += 1;
            }
        }
    } else {
        for (index, part) in parts.into_iter().enumerate() {
            result = insert(body, ty, result, part, &[index as u32])?;
        }
    }
    body.define(instruction, result)
}

/// The elements of a vector, or the scalar itself.
pub(crate) fn elements<'a>(body: &Body<'_, 'a>, value: Value<'a>) -> Vec<Value<'a>> {
    if !value.ty().is_vector() {
        return vec![value];
    }
    (0..value.ty().length()).map(|i| body.builder.extract_element(value, body.index(i))).collect()
}

/// A vector of the given elements.
pub(crate) fn vector_of<'a>(body: &Body<'_, 'a>, ty: oxicl_llvm::Type<'a>, elements: &[Value<'a>]) -> Value<'a> {
    let mut vector = ty.zero();
    for (index, element) in elements.iter().enumerate() {
        vector = body.builder.insert_element(vector, *element, body.index(index as u64));
    }
    vector
}

/// OpCompositeExtract.
pub(crate) fn op_composite_extract(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let value = body.operand(instruction, 0)?;
    let ty = body.operand_ref(instruction, 0)?;
    let path = body.words(instruction, 1);
    let (part, _) = extract(body, ty, value, &path)?;
    body.define(instruction, part)
}

/// OpCompositeInsert.
pub(crate) fn op_composite_insert(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (part, value) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let ty = body.result_ref(instruction)?;
    let path = body.words(instruction, 2);
    let result = insert(body, ty, value, part, &path)?;
    body.define(instruction, result)
}

/// OpCopyObject.
pub(crate) fn op_copy_object(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let value = body.operand(instruction, 0)?;
    body.define(instruction, value)
}

/// The type of a member, and its LLVM index.
fn member(body: &Body<'_, '_>, ty: TypeRef, index: u32) -> Result<(TypeRef, u32)> {
    let found = match body.unit.module.ty(ty) {
        Type::Struct { members } => {
            members.get(index as usize).and_then(|m| Some((*m, *body.unit.types.get(ty)?.members.get(index as usize)?)))
        }
        Type::Array { element, .. } => Some((*element, index)),
        Type::Vector { component, .. } => Some((*component, index)),
        _ => None,
    };
    found.ok_or_else(|| Refusal::new(format!("there is no member {index}")))
}

/// The part of a composite that a path of literal indices leads to, in register form, and its type.
pub(crate) fn extract<'a>(
    body: &Body<'_, 'a>,
    ty: TypeRef,
    value: Value<'a>,
    path: &[u32],
) -> Result<(Value<'a>, TypeRef)> {
    let (mut ty, mut value) = (ty, value);
    for index in path {
        let (part, position) = member(body, ty, *index)?;
        value = if value.ty().is_vector() {
            body.builder.extract_element(value, body.index(u64::from(position)))
        } else {
            body.builder.extract_value(value, position)
        };
        ty = part;
    }
    Ok((from_memory(body, body.unit.ty(ty)?.register, value), ty))
}

/// A composite with the part that a path leads to replaced.
pub(crate) fn insert<'a>(
    body: &Body<'_, 'a>,
    ty: TypeRef,
    value: Value<'a>,
    part: Value<'a>,
    path: &[u32],
) -> Result<Value<'a>> {
    // Down, keeping what each level was, then up again.
    let mut levels = Vec::with_capacity(path.len());
    let (mut ty, mut current) = (ty, value);
    for index in path {
        let (part, position) = member(body, ty, *index)?;
        let vector = current.ty().is_vector();
        levels.push((current, position, vector));
        current = if vector {
            body.builder.extract_element(current, body.index(u64::from(position)))
        } else {
            body.builder.extract_value(current, position)
        };
        ty = part;
    }
    let mut result = if levels.is_empty() { part } else { to_memory(body, current.ty(), part) };
    for (outer, position, vector) in levels.into_iter().rev() {
        result = if vector {
            body.builder.insert_element(outer, result, body.index(u64::from(position)))
        } else {
            body.builder.insert_value(outer, result, position)
        };
    }
    Ok(result)
}
