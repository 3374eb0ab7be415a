//! Section 3.49.21, groups: each instruction at the scope that it names.

use oxicl_llvm::{Place, Value};
use oxicl_spirv::Instruction;
use spirv::{Op, Scope};

use crate::body::Body;
use crate::composite::elements;
use crate::conversion::resize;
use crate::refusal::{Refusal, Result};
use crate::sub_group;
use crate::types::type_name;
use crate::unit::Effects;

/// The part of a named operation's name that says how OpGroupIAdd, OpGroupNonUniformIAdd and their like combine values.
pub(crate) fn arithmetic_of(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::GroupIAdd | Op::GroupNonUniformIAdd => "add",
        Op::GroupFAdd | Op::GroupNonUniformFAdd => "fadd",
        Op::GroupIMulKHR | Op::GroupNonUniformIMul => "mul",
        Op::GroupFMulKHR | Op::GroupNonUniformFMul => "fmul",
        Op::GroupSMin | Op::GroupNonUniformSMin => "smin",
        Op::GroupUMin | Op::GroupNonUniformUMin => "umin",
        Op::GroupFMin | Op::GroupNonUniformFMin => "fmin",
        Op::GroupSMax | Op::GroupNonUniformSMax => "smax",
        Op::GroupUMax | Op::GroupNonUniformUMax => "umax",
        Op::GroupFMax | Op::GroupNonUniformFMax => "fmax",
        Op::GroupBitwiseAndKHR
        | Op::GroupNonUniformBitwiseAnd
        | Op::GroupLogicalAndKHR
        | Op::GroupNonUniformLogicalAnd => "and",
        Op::GroupBitwiseOrKHR | Op::GroupNonUniformBitwiseOr | Op::GroupLogicalOrKHR | Op::GroupNonUniformLogicalOr => {
            "or"
        }
        Op::GroupBitwiseXorKHR
        | Op::GroupNonUniformBitwiseXor
        | Op::GroupLogicalXorKHR
        | Op::GroupNonUniformLogicalXor => "xor",
        _ => return None,
    })
}

/// Whether the execution scope, operand 0, is the sub-group.
fn in_sub_group(body: &Body<'_, '_>, instruction: &Instruction) -> bool {
    body.constant(instruction, 0) == Some(Scope::Subgroup as u64)
}

/// Calls the operation `name` of the work-group, which the work-group stage expands.
fn call<'a>(body: &Body<'_, 'a>, name: &str, arguments: &[Value<'a>]) -> Result<Value<'a>> {
    let Some(first) = arguments.first() else { return Err(Refusal::new("internal error: no value")) };
    let parameters: Vec<_> = arguments.iter().map(|argument| argument.ty()).collect();
    let name = format!("oxicl.group.{name}.{}", type_name(first.ty()));
    let function = body.unit.declare(&name, first.ty().function(&parameters), Effects::Collective);
    let call = body.builder.call(function, arguments);
    body.unit.add_attribute(call, Place::Function, "convergent", 0);
    Ok(call)
}

/// OpGroupAll and OpGroupAny: in the work-group a conjunction and a disjunction.
pub(crate) fn vote(body: &mut Body<'_, '_>, instruction: &Instruction, name: &str) -> Result<()> {
    if in_sub_group(body, instruction) {
        return sub_group::vote(body, instruction, name);
    }
    let predicate = body.operand(instruction, 1)?;
    let result = call(body, if name == "all" { "reduce.and" } else { "reduce.or" }, &[predicate])?;
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
    let result = call(body, "broadcast", &arguments)?;
    body.define(instruction, result)
}

/// OpGroupIAdd and its like: operand 1 is the group operation, 2 the value.
pub(crate) fn arithmetic(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    if in_sub_group(body, instruction) {
        return sub_group::arithmetic(body, instruction);
    }
    let Some(name) = arithmetic_of(instruction.op) else {
        return Err(Refusal::new("internal error: no arithmetic of groups"));
    };
    let operation = sub_group::group_operation(body, instruction, 1)?;
    let value = body.operand(instruction, 2)?;
    let result = call(body, &format!("{}.{name}", sub_group::kind_name(operation)), &[value])?;
    body.define(instruction, result)
}
