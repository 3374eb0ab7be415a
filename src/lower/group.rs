//! Section 3.49.21, groups: each instruction at the scope that it names.

use oxicl_llvm::Value;
use oxicl_ops::{Collective, Combine, Operation};
use oxicl_spirv::Instruction;
use spirv::{GroupOperation, Op, Scope};

use crate::body::Body;
use crate::composite::elements;
use crate::conversion::resize;
use crate::refusal::{Refusal, Result};
use crate::sub_group;
use crate::types::type_name;
use crate::unit::Effects;

/// How OpGroupIAdd, OpGroupNonUniformIAdd and their like combine values.
pub(crate) fn combine_of(op: Op) -> Option<Combine> {
    Some(match op {
        Op::GroupIAdd | Op::GroupNonUniformIAdd => Combine::Add,
        Op::GroupFAdd | Op::GroupNonUniformFAdd => Combine::FAdd,
        Op::GroupIMulKHR | Op::GroupNonUniformIMul => Combine::Mul,
        Op::GroupFMulKHR | Op::GroupNonUniformFMul => Combine::FMul,
        Op::GroupSMin | Op::GroupNonUniformSMin => Combine::SMin,
        Op::GroupUMin | Op::GroupNonUniformUMin => Combine::UMin,
        Op::GroupFMin | Op::GroupNonUniformFMin => Combine::FMin,
        Op::GroupSMax | Op::GroupNonUniformSMax => Combine::SMax,
        Op::GroupUMax | Op::GroupNonUniformUMax => Combine::UMax,
        Op::GroupFMax | Op::GroupNonUniformFMax => Combine::FMax,
        Op::GroupBitwiseAndKHR
        | Op::GroupNonUniformBitwiseAnd
        | Op::GroupLogicalAndKHR
        | Op::GroupNonUniformLogicalAnd => Combine::And,
        Op::GroupBitwiseOrKHR | Op::GroupNonUniformBitwiseOr | Op::GroupLogicalOrKHR | Op::GroupNonUniformLogicalOr => {
            Combine::Or
        }
        Op::GroupBitwiseXorKHR
        | Op::GroupNonUniformBitwiseXor
        | Op::GroupLogicalXorKHR
        | Op::GroupNonUniformLogicalXor => Combine::Xor,
        _ => return None,
    })
}

/// Whether the execution scope, operand 0, is the sub-group.
fn in_sub_group(body: &Body<'_, '_>, instruction: &Instruction) -> bool {
    body.constant(instruction, 0) == Some(Scope::Subgroup as u64)
}

/// Calls an operation of the work-group, which the work-group stage expands.
fn call<'a>(body: &Body<'_, 'a>, operation: Collective, arguments: &[Value<'a>]) -> Result<Value<'a>> {
    let Some(first) = arguments.first() else { return Err(Refusal::new("internal error: no value")) };
    let name = Operation::Collective(operation).name_for(&type_name(first.ty()));
    Ok(body.call_operation(&name, first.ty(), arguments, Effects::Collective))
}

/// OpGroupAll and OpGroupAny: in the work-group a conjunction and a disjunction.
pub(crate) fn vote(body: &mut Body<'_, '_>, instruction: &Instruction, name: &str) -> Result<()> {
    if in_sub_group(body, instruction) {
        return sub_group::vote(body, instruction, name);
    }
    let predicate = body.operand(instruction, 1)?;
    let combine = if name == "all" { Combine::And } else { Combine::Or };
    let result = call(body, Collective::Reduce(combine), &[predicate])?;
    body.define(instruction, result)
}

/// OpGroupBroadcast: operand 1 is the value, 2 the local id of the work-item that gives it; ids that are not there are 0.
pub(crate) fn op_broadcast(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    if in_sub_group(body, instruction) {
        return sub_group::op_broadcast(body, instruction);
    }
    let value = body.operand(instruction, 1)?;
    let id = body.operand(instruction, 2)?;
    let i64_type = body.unit.context.int_type(64);
    let mut arguments = vec![value];
    for part in elements(body, id).into_iter().take(3) {
        arguments.push(resize(body, part, i64_type, false));
    }
    arguments.resize(4, i64_type.zero());
    let result = call(body, Collective::Broadcast, &arguments)?;
    body.define(instruction, result)
}

/// OpGroupIAdd and its like: operand 1 is the group operation, 2 the value.
pub(crate) fn arithmetic(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    if in_sub_group(body, instruction) {
        return sub_group::arithmetic(body, instruction);
    }
    let Some(combine) = combine_of(instruction.op) else {
        return Err(Refusal::new("internal error: no arithmetic of groups"));
    };
    let operation = match sub_group::group_operation(body, instruction, 1)? {
        GroupOperation::Reduce => Collective::Reduce(combine),
        GroupOperation::InclusiveScan => Collective::Inclusive(combine),
        GroupOperation::ExclusiveScan => Collective::Exclusive(combine),
        other => return Err(Refusal::new(format!("a work-group has no {other:?}"))),
    };
    let value = body.operand(instruction, 2)?;
    let result = call(body, operation, &[value])?;
    body.define(instruction, result)
}
