//! Constant-Creation Instructions.

use oxicl_spirv::grammar::Op;
use oxicl_spirv::{Constant, ConstantKind, Def, Id, Type, TypeRef};

use crate::at::{Scalar, Subject};
use crate::facts::addresses::Addresses;
use crate::rule::Rule;
use crate::violation::{Check, Location, Report, fault};

/// Checks all constants.
pub(crate) fn check(subject: Subject<'_>, addresses: &Addresses, report: &mut Report) {
    for constant in &subject.module.constants {
        report.check(location(subject, constant), declaration(subject, addresses, constant));
        if report.is_full() {
            return;
        }
    }
}

fn location(subject: Subject<'_>, constant: &Constant) -> Location {
    let op = subject.module.words.get(constant.offset as usize).and_then(|word| Op::from_u32(word & 0xffff));
    Location { op, result: Some(constant.id), offset: constant.offset }
}

fn declaration(subject: Subject<'_>, addresses: &Addresses, constant: &Constant) -> Check {
    let ty = constant.ty;
    let is = |holds: bool, what: &str| {
        if holds {
            Ok(())
        } else {
            fault(Rule::ConstantDeclaration, format!("a constant of type {} {what}", subject.describe(ty)))
        }
    };
    match &constant.kind {
        ConstantKind::Bool(_) => is(subject.scalar(ty) == Some(Scalar::Bool), "is true or false"),
        ConstantKind::Scalar(bits) => {
            high_order_bits(subject, constant, *bits)?;
            is(matches!(subject.scalar(ty), Some(Scalar::Int(_) | Scalar::Float(_))), "is a number")
        }
        ConstantKind::Null | ConstantKind::Undef => {
            is(subject.layouts.get(ty).is_some(), "has no null or undefined value")
        }
        ConstantKind::Composite(parts) => composite(subject, constant, parts),
        ConstantKind::Sampler { .. } => fault(Rule::NotSupported, "OpConstantSampler: the device offers no images"),
        ConstantKind::Operation { op, .. } => match addresses.of_constant(constant.id) {
            Some(_) => Ok(()),
            None => fault(
                Rule::NotSupported,
                format!(
                    "OpSpecConstantOp {} on these operands is not supported by this device",
                    oxicl_spirv::op_name(*op)
                ),
            ),
        },
        ConstantKind::Other { op, .. } => {
            fault(Rule::NotSupported, format!("{} is not supported by this device", oxicl_spirv::op_name(*op)))
        }
    }
}

/// The bits of a literal above a narrow type's width are zero.
fn high_order_bits(subject: Subject<'_>, constant: &Constant, bits: u64) -> Check {
    let literal = subject.module.words.get(constant.offset as usize + 3).copied().map(u64::from);
    if literal == Some(bits & 0xffff_ffff) {
        return Ok(());
    }
    fault(Rule::ConstantDeclaration, "a literal has bits above the width of its type")
}

/// The constituents are constants or variables declared before, of the types of the parts.
fn composite(subject: Subject<'_>, constant: &Constant, parts: &[Id]) -> Check {
    let wrong_count = |wanted: u64| {
        fault(Rule::ConstantDeclaration, format!("the constant has {} constituents, not {wanted}", parts.len()))
    };
    match subject.declaration(constant.ty) {
        Some(Type::Vector { component, count }) => {
            if parts.len() != *count as usize {
                return wrong_count(u64::from(*count));
            }
            parts.iter().try_for_each(|part| constituent(subject, constant, *part, *component))
        }
        Some(Type::Array { element, length }) => {
            let wanted = subject.module.constant_bits(*length).unwrap_or_default();
            if parts.len() as u64 != wanted {
                return wrong_count(wanted);
            }
            parts.iter().try_for_each(|part| constituent(subject, constant, *part, *element))
        }
        Some(Type::Struct { members }) => {
            if parts.len() != members.len() {
                return wrong_count(members.len() as u64);
            }
            parts.iter().zip(members).try_for_each(|(part, member)| constituent(subject, constant, *part, *member))
        }
        _ => fault(Rule::ConstantDeclaration, format!("a {} is no composite", subject.describe(constant.ty))),
    }
}

fn constituent(subject: Subject<'_>, constant: &Constant, part: Id, ty: TypeRef) -> Check {
    let offset = match subject.module.def(part) {
        Def::Constant(_) => subject.module.constant(part).map(|part| part.offset),
        Def::Global(_) => subject.module.global(part).map(|part| part.offset),
        Def::None => return fault(Rule::IdDefined, format!("the constituent {part} is not defined")),
        _ => None,
    };
    let Some(offset) = offset else {
        return fault(Rule::ConstantDeclaration, format!("the constituent {part} is no constant"));
    };
    if offset >= constant.offset {
        return fault(Rule::IdDefined, format!("the constituent {part} is declared later"));
    }
    if subject.module.type_of(part) != Some(ty) {
        return fault(Rule::ConstantDeclaration, format!("the constituent {part} is no {}", subject.describe(ty)));
    }
    Ok(())
}
