//! LLVM's types as lanes hold them: taken apart into numbers and pointers, each of which is a vector of lanes.

use oxicl_llvm::{Type, TypeKind};

use crate::bounds::components::MOST;
use crate::failure::{Failure, failure};

/// The numbers and pointers that a type is made of, in order.
pub(crate) fn components_of<'m>(ty: Type<'m>) -> Result<Vec<Type<'m>>, Failure> {
    let mut result = Vec::new();
    let mut work = vec![ty];
    while let Some(ty) = work.pop() {
        match ty.kind() {
            TypeKind::Struct => {
                let members: Vec<_> = (0..ty.length() as u32).filter_map(|index| ty.member(index)).collect();
                work.extend(members.into_iter().rev());
            }
            TypeKind::Vector | TypeKind::Array => {
                let Some(element) = ty.element() else { return failure("a type without elements") };
                if ty.length() > MOST as u64 {
                    return failure(format!("a value of {} elements", ty.length()));
                }
                work.extend(std::iter::repeat_n(element, ty.length() as usize));
            }
            TypeKind::Void => {}
            _ => result.push(ty),
        }
        if result.len() + work.len() > MOST * 2 {
            return failure("a value of too many parts");
        }
    }
    Ok(result)
}

/// How many components come before a member or element.
pub(crate) fn components_before(ty: Type<'_>, index: u32) -> Result<usize, Failure> {
    match ty.kind() {
        TypeKind::Struct => {
            let members = (0..index).filter_map(|i| ty.member(i)).map(|t| components_of(t).map(|l| l.len()));
            members.sum()
        }
        _ => match ty.element() {
            Some(element) => Ok(components_of(element)?.len() * index as usize),
            None => failure("a type without elements"),
        },
    }
}

/// The type of a member or element.
pub(crate) fn part(ty: Type<'_>, index: u32) -> Option<Type<'_>> {
    match ty.kind() {
        TypeKind::Struct => ty.member(index),
        _ => ty.element(),
    }
}

/// How many parts a vector of the language has; anything else is one.
pub(crate) fn parts(ty: Type<'_>) -> u32 {
    if ty.is_vector() { ty.length() as u32 } else { 1 }
}
