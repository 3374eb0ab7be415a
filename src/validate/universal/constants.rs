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
            is(Rule::NullConstant, subject.layouts.get(ty).is_some(), "has no null or undefined value")
        }
        ConstantKind::Composite(parts) => composite(subject, constant, parts),
        ConstantKind::Sampler { .. } => fault(Rule::NotSupported, "OpConstantSampler: the device offers no images"),
        ConstantKind::Operation { .. } if addresses.is_known(constant.id) => Ok(()),
        ConstantKind::Operation { op, .. } if !may_be_constant(*op) => {
            fault(Rule::ConstantOperation, format!("{} is no operation of constants", oxicl_spirv::op_name(*op)))
        }
        ConstantKind::Operation { op, .. } => fault(
            Rule::NotSupported,
            format!("OpSpecConstantOp {} on these operands is not supported by this device", oxicl_spirv::op_name(*op)),
        ),
        ConstantKind::Other { op, .. } => {
            fault(Rule::NotSupported, format!("{} is not supported by this device", oxicl_spirv::op_name(*op)))
        }
    }
}

/// The operations that OpSpecConstantOp may have in kernels.
fn may_be_constant(op: Op) -> bool {
    matches!(
        op,
        // Of every environment.
        Op::SConvert
            | Op::FConvert
            | Op::UConvert
            | Op::SNegate
            | Op::Not
            | Op::IAdd
            | Op::ISub
            | Op::IMul
            | Op::UDiv
            | Op::SDiv
            | Op::UMod
            | Op::SRem
            | Op::SMod
            | Op::ShiftRightLogical
            | Op::ShiftRightArithmetic
            | Op::ShiftLeftLogical
            | Op::BitwiseOr
            | Op::BitwiseXor
            | Op::BitwiseAnd
            | Op::VectorShuffle
            | Op::CompositeExtract
            | Op::CompositeInsert
            | Op::LogicalOr
            | Op::LogicalAnd
            | Op::LogicalNot
            | Op::LogicalEqual
            | Op::LogicalNotEqual
            | Op::Select
            | Op::IEqual
            | Op::INotEqual
            | Op::ULessThan
            | Op::SLessThan
            | Op::UGreaterThan
            | Op::SGreaterThan
            | Op::ULessThanEqual
            | Op::SLessThanEqual
            | Op::UGreaterThanEqual
            | Op::SGreaterThanEqual
            // Of kernels.
            | Op::ConvertFToS
            | Op::ConvertSToF
            | Op::ConvertFToU
            | Op::ConvertUToF
            | Op::ConvertPtrToU
            | Op::ConvertUToPtr
            | Op::GenericCastToPtr
            | Op::PtrCastToGeneric
            | Op::Bitcast
            | Op::FNegate
            | Op::FAdd
            | Op::FSub
            | Op::FMul
            | Op::FDiv
            | Op::FRem
            | Op::FMod
            | Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain
    )
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
    if subject.module.type_of(part) != Some(ty) {
        return fault(Rule::CompositeConstant, format!("the constituent {part} is no {}", subject.describe(ty)));
    }
    Ok(())
}
