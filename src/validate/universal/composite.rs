//! Composite Instructions.

use oxicl_spirv::{Type, TypeRef};

use crate::at::{At, Scalar, Shape};
use crate::violation::Check;

/// How many pairs of types OpCopyLogical compares; ordinary modules need a handful.
const MAX_PAIRS: usize = 1_000;

/// A vector type: its component type and count.
fn vector(at: &At<'_>, ty: TypeRef) -> Check<(TypeRef, u32)> {
    match at.subject.declaration(ty) {
        Some(Type::Vector { component, count }) => Ok((*component, *count)),
        _ => at.fault(format!("has a {}, not a vector", at.subject.describe(ty))),
    }
}

/// OpVectorExtractDynamic: vector, index.
pub(crate) fn extract_dynamic(at: &At<'_>) -> Check {
    let (component, _) = vector(at, at.operand(0)?)?;
    at.require(component == at.result()?, || "gives another type than the vector's components".to_owned())?;
    at.int_scalar(1).map(|_| ())
}

/// OpVectorInsertDynamic: vector, component, index.
pub(crate) fn insert_dynamic(at: &At<'_>) -> Check {
    let (component, _) = vector(at, at.result()?)?;
    at.operand_is(0, at.result()?)?;
    at.operand_is(1, component)?;
    at.int_scalar(2).map(|_| ())
}

/// OpVectorShuffle: two vectors, and a component number or 0xffffffff for each component of the result.
pub(crate) fn shuffle(at: &At<'_>) -> Check {
    let (component, count) = vector(at, at.result()?)?;
    let (first, first_count) = vector(at, at.operand(0)?)?;
    let (second, second_count) = vector(at, at.operand(1)?)?;
    at.require(first == component && second == component, || "has vectors of other components".to_owned())?;
    at.require(at.operand_count() == count as usize + 2, || "has not one literal a component".to_owned())?;
    // The types themselves may be broken, so their sizes may be any.
    let components = u64::from(first_count) + u64::from(second_count);
    for index in 2..at.operand_count() {
        let literal = at.word(index)?;
        at.require(literal == u32::MAX || u64::from(literal) < components, || {
            format!("names component {literal} of {components}")
        })?;
    }
    Ok(())
}

/// OpCompositeConstruct: a constituent for each part; a vector is also made of shorter vectors.
pub(crate) fn construct(at: &At<'_>) -> Check {
    let ty = at.result()?;
    let count = at.operand_count();
    match at.subject.declaration(ty) {
        Some(Type::Vector { component, count: wanted }) => {
            let mut found = 0u64;
            for index in 0..count {
                let operand = at.operand(index)?;
                found += match at.subject.declaration(operand) {
                    _ if operand == *component => 1,
                    Some(Type::Vector { component: of, count }) if of == component => u64::from(*count),
                    _ => return at.fault(format!("cannot take a {} as operand {index}", at.subject.describe(operand))),
                };
            }
            at.require(found == u64::from(*wanted) && count >= 2, || format!("gives {wanted} components of {found}"))
        }
        Some(Type::Array { element, length }) => {
            at.require(at.module().constant_bits(*length) == Some(count as u64), || {
                format!("has {count} constituents, not one an element")
            })?;
            at.operands_are(0, *element)
        }
        Some(Type::Struct { members }) => {
            at.require(members.len() == count, || format!("has {count} constituents for {} members", members.len()))?;
            members.iter().enumerate().try_for_each(|(index, member)| at.operand_is(index, *member))
        }
        _ => at.fault(format!("cannot build a {}", at.subject.describe(ty))),
    }
}

/// The type that literal operands from `first` on select in `ty`.
fn select_part(at: &At<'_>, ty: TypeRef, first: usize) -> Check<TypeRef> {
    at.require(first < at.operand_count(), || "has no index".to_owned())?;
    let mut ty = ty;
    for position in first..at.operand_count() {
        let index = at.word(position)?;
        let (part, length) = match at.subject.declaration(ty) {
            Some(Type::Vector { component, count }) => (Some(*component), u64::from(*count)),
            Some(Type::Array { element, length }) => {
                (Some(*element), at.module().constant_bits(*length).unwrap_or_default())
            }
            Some(Type::Struct { members }) => (members.get(index as usize).copied(), members.len() as u64),
            _ => return at.fault(format!("has an index into a {}", at.subject.describe(ty))),
        };
        match part {
            Some(part) if u64::from(index) < length => ty = part,
            _ => return at.fault(format!("has index {index} into a composite of {length} parts")),
        }
    }
    Ok(ty)
}

/// OpCompositeExtract: composite, indices.
pub(crate) fn extract(at: &At<'_>) -> Check {
    let part = select_part(at, at.operand(0)?, 1)?;
    at.require(part == at.result()?, || "gives another type than the part has".to_owned())
}

/// OpCompositeInsert: object, composite, indices.
pub(crate) fn insert(at: &At<'_>) -> Check {
    at.operand_is(1, at.result()?)?;
    let part = select_part(at, at.result()?, 2)?;
    at.operand_is(0, part)
}

/// OpCopyObject.
pub(crate) fn copy_object(at: &At<'_>) -> Check {
    at.operand_is(0, at.result()?)
}

/// OpCopyLogical: aggregates that differ in declaration only. Walks the two types side by side.
pub(crate) fn copy_logical(at: &At<'_>) -> Check {
    let (to, from) = (at.result()?, at.operand(0)?);
    at.require(to != from, || "copies to the same type".to_owned())?;
    let mut pairs = vec![(to, from)];
    let mut seen = std::collections::HashSet::new();
    while let Some((to, from)) = pairs.pop() {
        if to == from || !seen.insert((to, from)) {
            continue;
        }
        at.require(seen.len() <= MAX_PAIRS, || "copies types of too many parts".to_owned())?;
        match (at.subject.declaration(to), at.subject.declaration(from)) {
            (Some(Type::Array { element: a, length: m }), Some(Type::Array { element: b, length: n }))
                if at.module().constant_bits(*m).is_some()
                    && at.module().constant_bits(*m) == at.module().constant_bits(*n) =>
            {
                pairs.push((*a, *b));
            }
            (Some(Type::Struct { members: a }), Some(Type::Struct { members: b })) if a.len() == b.len() => {
                pairs.extend(a.iter().copied().zip(b.iter().copied()));
            }
            _ => return at.fault("copies between types that do not match logically"),
        }
    }
    Ok(())
}

/// OpExpectKHR: all operands of the result's type, integers or booleans.
pub(crate) fn expect(at: &At<'_>) -> Check {
    let Shape { scalar, .. } = at.result_shape()?;
    at.require(scalar.is_int() || scalar == Scalar::Bool, || "gives no integer or boolean".to_owned())?;
    at.operands_are(0, at.result()?)
}
