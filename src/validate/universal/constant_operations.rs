//! OpSpecConstantOp: operations on constants, held against the rules of the same instructions in function bodies.

use oxicl_spirv::grammar::Op;
use oxicl_spirv::{Constant, Def, Id, Instruction, Operand, OperandRange, op_name};

use super::memory;
use crate::at::{At, Subject};
use crate::opencl::images;
use crate::quirk::Quirk;
use crate::rule::Rule;
use crate::supported;
use crate::violation::{Check, Fault, fault};

/// The operation is one that constants may have, its operands are constants that precede it, of the types that the
/// instruction asks for.
pub(super) fn check(subject: Subject<'_>, constant: &Constant, op: Op, operands: OperandRange) -> Check {
    if !may_be_constant(op) {
        return fault(Rule::ConstantOperation, format!("{} is no operation of constants", op_name(op)));
    }
    let instruction = Instruction {
        op,
        result_type: Some(constant.ty),
        result: Some(constant.id),
        operands,
        offset: constant.offset,
    };
    for operand in instruction.operands(subject.module) {
        if let Operand::Id(id) = operand {
            precedes(subject, constant, *id)?;
        }
    }
    let Some((_, operands)) = supported::instruction(op) else { return Ok(()) };
    let at = At { subject, instruction: &instruction, rule: Rule::ConstantOperation };
    if let Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain = op {
        return address(&at, matches!(op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain));
    }
    // What an instruction breaks by its types, a constant breaks as one.
    operands(&at).map_err(|broken| Fault { rule: as_constant(broken.rule), detail: broken.detail })
}

/// An access chain on a variable.
fn address(at: &At<'_>, element: bool) -> Check {
    let instruction = at.instruction;
    if let Some(ty) = instruction.result_type
        && at.module().bytes_into_variable(ty, instruction.op, instruction.operands(at.module())).is_some()
    {
        let (storage, ..) = at.pointers(at.operand(0)?)?;
        let result = at.result_pointer()?.0;
        at.require(storage == result, || format!("makes a pointer to {result:?} of one to {storage:?}"))?;
        at.accept(Quirk::ConstantAddressInBytes, "goes along bytes of a variable that holds something else".to_owned());
        return Ok(());
    }
    let reached = memory::reached(at, element)?;
    if at.result_pointer()?.1 != reached {
        images::not_converted(at, at.result()?)?;
        let detail = format!("goes to a {}, and gives a pointer to another type", at.subject.describe(reached));
        at.accept(Quirk::ConstantAddressType, detail);
    }
    Ok(())
}

/// The rule that a constant breaks where an instruction breaks `rule`.
fn as_constant(rule: Rule) -> Rule {
    match rule {
        Rule::CapabilityDeclared | Rule::UniversalLimit | Rule::NotSupported | Rule::IdDefined => rule,
        _ => Rule::ConstantOperation,
    }
}

/// `id` is a constant, or a variable whose address is one, that is declared before `constant`.
fn precedes(subject: Subject<'_>, constant: &Constant, id: Id) -> Check {
    let offset = match subject.module.def(id) {
        Def::Constant(_) => subject.module.constant(id).map(|other| other.offset),
        Def::Global(_) => subject.module.global(id).map(|variable| variable.offset),
        Def::None => return fault(Rule::IdDefined, format!("the operand {id} is not defined")),
        _ => None,
    };
    match offset {
        Some(offset) if offset < constant.offset => Ok(()),
        Some(_) => fault(Rule::IdOrder, format!("the operand {id} is declared later")),
        None => fault(Rule::ConstantOperation, format!("the operand {id} is no constant")),
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
