//! Constant-Creation Instructions.

use std::collections::HashMap;

use oxicl_spirv::grammar::Op;
use oxicl_spirv::{Constant, ConstantKind, Def, Id, Type, TypeRef};

use super::constant_operations;
use crate::at::{Scalar, Subject};
use crate::facts::addresses::Addresses;
use crate::quirk::Quirk;
use crate::rule::Rule;
use crate::violation::{Check, Location, Report, fault};

/// Parts that the composite constants of any module may have. A bound: written out, a constant is as large as its type,
/// and a few hundred words can double it again and again.
const MAX_PARTS: u64 = 1 << 20;

/// Parts for every word of a module that has more words than that allows for: tables of structures of vectors have their
/// numbers counted once on each level.
const PARTS_PER_WORD: u64 = 16;

/// Checks all constants.
pub(crate) fn check(subject: Subject<'_>, addresses: &Addresses, report: &mut Report) {
    let mut expanded = Expanded::default();
    for constant in &subject.module.constants {
        let check = declaration(subject, constant)
            .and_then(|()| value(addresses, constant))
            .and_then(|()| expanded.add(subject, constant));
        report.check(location(subject, constant), check);
        if report.is_full() {
            return;
        }
    }
}

/// The size of composite constants when they are written out, as they have to be in the end.
#[derive(Default)]
struct Expanded {
    parts: HashMap<Id, u64>,
    all: u64,
}

impl Expanded {
    /// Counts a constant's parts, each as often as it is used. What is null or undefined is one part, whatever its type.
    fn add(&mut self, subject: Subject<'_>, constant: &Constant) -> Check {
        let ConstantKind::Composite(parts) = &constant.kind else { return Ok(()) };
        let of_part = |part: &Id| self.parts.get(part).copied().unwrap_or(1);
        let count = parts.iter().map(of_part).fold(0, u64::saturating_add);
        self.parts.insert(constant.id, count);
        let (before, most) = (self.all, MAX_PARTS.max(PARTS_PER_WORD * subject.module.words.len() as u64));
        self.all = before.saturating_add(count);
        if before <= most && self.all > most {
            let detail = format!("up to here, composite constants have {} parts in all, more than {most}", self.all);
            return fault(Rule::DeviceLimit, detail);
        }
        Ok(())
    }
}

/// Checks the constants of a module that is yet to be specialised, whose operations have no value yet.
pub(crate) fn check_unspecialised(subject: Subject<'_>, report: &mut Report) {
    for constant in &subject.module.constants {
        report.check(location(subject, constant), declaration(subject, constant));
        if report.is_full() {
            return;
        }
    }
}

/// After specialisation, only addresses are left to be computed.
fn value(addresses: &Addresses, constant: &Constant) -> Check {
    match &constant.kind {
        ConstantKind::Operation { op, .. } if !addresses.is_known(constant.id) => fault(
            Rule::NotSupported,
            format!("OpSpecConstantOp {} on these operands is not supported by this device", oxicl_spirv::op_name(*op)),
        ),
        _ => Ok(()),
    }
}

fn location(subject: Subject<'_>, constant: &Constant) -> Location {
    let op = subject.module.words.get(constant.offset as usize).and_then(|word| Op::from_u32(word & 0xffff));
    Location { op, result: Some(constant.id), offset: constant.offset }
}

fn declaration(subject: Subject<'_>, constant: &Constant) -> Check {
    let ty = constant.ty;
    let is = |rule: Rule, holds: bool, what: &str| {
        if holds { Ok(()) } else { fault(rule, format!("a constant of type {} {what}", subject.describe(ty))) }
    };
    match &constant.kind {
        ConstantKind::Bool(_) => {
            is(Rule::BooleanConstant, subject.scalar(ty) == Some(Scalar::Bool), "is true or false")
        }
        ConstantKind::Scalar(bits) => {
            high_order_bits(subject, constant, *bits)?;
            is(
                Rule::NumberConstant,
                matches!(subject.scalar(ty), Some(Scalar::Int(_) | Scalar::Float(_))),
                "is a number",
            )
        }
        ConstantKind::Null | ConstantKind::Undef => {
            let words = subject.module.words.get(constant.offset as usize).map_or(3, |word| word >> 16);
            if words > 3 {
                let detail = format!("the type of {} stands {} times more behind it", constant.id, words - 3);
                subject.warnings.add(Quirk::RepeatedNullType, location(subject, constant), detail);
            }
            is(Rule::NullConstant, subject.is_sized(ty) && !subject.is_opaque(ty), "has no null or undefined value")
        }
        ConstantKind::Composite(parts) => composite(subject, constant, parts),
        ConstantKind::Sampler { .. } => {
            is(Rule::SamplerConstant, subject.declaration(ty) == Some(&Type::Sampler), "is a sampler")
        }
        ConstantKind::Operation { op, operands } => constant_operations::check(subject, constant, *op, *operands),
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
    fault(Rule::NumberConstant, "a literal has bits above the width of its type")
}

/// The constituents are constants or variables declared before, of the types of the parts.
fn composite(subject: Subject<'_>, constant: &Constant, parts: &[Id]) -> Check {
    let wrong_count = |wanted: u64| {
        fault(Rule::CompositeConstant, format!("the constant has {} constituents, not {wanted}", parts.len()))
    };
    match subject.declaration(constant.ty) {
        Some(Type::Vector { component, count }) => {
            if parts.len() != *count as usize {
                return wrong_count(u64::from(*count));
            }
            parts.iter().try_for_each(|part| constituent(subject, constant, *part, *component))
        }
        Some(Type::Array { element, length }) => {
            match subject.module.constant_bits(*length) {
                Some(wanted) if parts.len() as u64 != wanted => return wrong_count(wanted),
                _ => {}
            }
            parts.iter().try_for_each(|part| constituent(subject, constant, *part, *element))
        }
        Some(Type::Struct { members }) => {
            if parts.len() != members.len() {
                return wrong_count(members.len() as u64);
            }
            parts.iter().zip(members).try_for_each(|(part, member)| constituent(subject, constant, *part, *member))
        }
        _ => fault(Rule::CompositeConstant, format!("a {} is no composite", subject.describe(constant.ty))),
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
        return fault(Rule::CompositeConstant, format!("the constituent {part} is no constant"));
    };
    if offset >= constant.offset {
        return fault(Rule::IdOrder, format!("the constituent {part} is declared later"));
    }
    let specialised = subject.module.constant(part).filter(|part| part.spec && !constant.spec);
    match specialised.map(|part| &part.kind) {
        Some(ConstantKind::Operation { op, .. }) => {
            let detail = format!("{} has the {} {part} as constituent", constant.id, oxicl_spirv::op_name(*op));
            subject.warnings.add(Quirk::OperationInConstant, location(subject, constant), detail);
        }
        Some(_) => {
            let detail = format!("the constituent {part} is a specialisation constant, the composite is none");
            return fault(Rule::CompositeConstant, detail);
        }
        None => {}
    }
    if subject.module.type_of(part) != Some(ty) {
        return fault(Rule::CompositeConstant, format!("the constituent {part} is no {}", subject.describe(ty)));
    }
    Ok(())
}
