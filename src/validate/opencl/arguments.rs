//! Kernel Arguments: the types of values that the host gives.

use std::collections::HashSet;

use oxicl_spirv::{Type, TypeRef};

use crate::at::Subject;
use crate::rule::Rule;
use crate::supported::type_lacking;
use crate::violation::{Check, fault};

/// An argument that is no pointer, or what a pointer that is passed by value points to.
pub(crate) fn value_type(subject: Subject<'_>, position: usize, ty: TypeRef) -> Check {
    let refuse = |what: String| fault(Rule::KernelArgument, format!("argument {position} {what}"));
    if let Some(why) = subject.declaration(ty).and_then(|ty| type_lacking(subject.caps, ty)) {
        return fault(Rule::NotSupported, why);
    }
    match subject.declaration(ty) {
        Some(Type::Struct { .. }) => members(subject, position, ty),
        Some(Type::Vector { component, .. }) => match subject.declaration(*component) {
            Some(component) if is_number(component) => Ok(()),
            _ => refuse(format!("is a {}, which the host cannot give", subject.describe(ty))),
        },
        Some(number) if is_number(number) => Ok(()),
        _ => refuse(format!("is a {}, which the host cannot give", subject.describe(ty))),
    }
}

/// Integers of the widths that the host has, and floating-point numbers.
fn is_number(ty: &Type) -> bool {
    matches!(ty, Type::Int { width: 8 | 16 | 32 | 64, .. } | Type::Float { width: 16 | 32 | 64, encoding: None })
}

/// What a structure holds, however deep, has a representation on the host. Arrays are not in the specification's list of
/// member types, but OpenCL C has them in structures; pointers are.
fn members(subject: Subject<'_>, position: usize, ty: TypeRef) -> Check {
    let mut seen = HashSet::from([ty]);
    let mut open = vec![ty];
    while let Some(part) = open.pop() {
        let parts: &[TypeRef] = match subject.declaration(part) {
            Some(Type::Struct { members }) => members,
            Some(Type::Array { element, .. }) => std::slice::from_ref(element),
            Some(Type::Vector { component, .. }) => std::slice::from_ref(component),
            Some(Type::Pointer { .. }) if !subject.holds_opaque(part) => continue,
            Some(number) if is_number(number) => continue,
            _ => {
                return fault(
                    Rule::KernelArgument,
                    format!("argument {position} holds a {}, which the host cannot give", subject.describe(part)),
                );
            }
        };
        open.extend(parts.iter().copied().filter(|part| seen.insert(*part)));
    }
    Ok(())
}
