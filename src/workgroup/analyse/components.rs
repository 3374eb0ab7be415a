//! Types in SoA layout: split into components, numbers and pointers, each of which is a vector of lanes.

use crate::bounds::{COMPONENTS, ELEMENTS};
use crate::failure::{Result, failure};
use crate::ir::{Scalar, Type};

/// The SoA components of a type, in order.
pub(crate) fn components_of(ty: &Type) -> Result<Vec<Scalar>> {
    let mut result = Vec::new();
    let mut work = vec![ty];
    while let Some(ty) = work.pop() {
        if !matches!(ty, Type::Struct(_)) && ty.length() > ELEMENTS {
            return failure(format!("a value of {} elements", ty.length()));
        }
        match ty {
            Type::Void => {}
            Type::Scalar(scalar) => result.push(*scalar),
            Type::Vector(element, length) => result.extend(std::iter::repeat_n(*element, *length as usize)),
            Type::Array(element, length) => work.extend(std::iter::repeat_n(&**element, *length as usize)),
            Type::Struct(of) => work.extend(of.members.iter().rev()),
            Type::Other(name) => return failure(format!("a value of type {name}")),
        }
        if result.len() + work.len() > COMPONENTS {
            return failure("a value of too many parts");
        }
    }
    Ok(result)
}

/// How many components come before a member or element.
pub(crate) fn components_before(ty: &Type, index: u32) -> Result<usize> {
    let count = |ty: &Type| components_of(ty).map(|components| components.len());
    match (ty, ty.element()) {
        (Type::Struct(of), _) => of.members.iter().take(index as usize).map(count).sum(),
        (_, Some(element)) => Ok(count(&element)? * index as usize),
        (_, None) => failure("a type without elements"),
    }
}

/// Bytes of the words that `count` elements of `bytes` bytes each are moved in; `None` if they go one by one.
pub(crate) fn word_of(bytes: u64, count: u64) -> Option<u64> {
    [8, 4].into_iter().find(|word| bytes < *word && (bytes * count).is_multiple_of(*word))
}
