//! Section 3.49.21, groups: each instruction at the scope that it names.

use oxicl_llvm::{Type as LlvmType, Value};
use oxicl_spirv::{Instruction, op_name};
use spirv::{Op, Scope};

use crate::body::Body;
use crate::refusal::{Refusal, Result};
use crate::sub_group;

/// An operation that work-items combine their values with.
pub(crate) struct Arithmetic {
    /// Its part of a named operation's name.
    pub name: &'static str,
    /// The value that changes no other.
    pub identity: for<'a> fn(&Body<'_, 'a>, LlvmType<'a>) -> Value<'a>,
}

/// The operation of OpGroupIAdd, OpGroupNonUniformIAdd and their like.
pub(crate) fn arithmetic_of(op: Op) -> Option<Arithmetic> {
    let row = |name, identity| Some(Arithmetic { name, identity });
    match op {
        Op::GroupIAdd | Op::GroupNonUniformIAdd => row("add", |_, ty| ty.zero()),
        Op::GroupFAdd | Op::GroupNonUniformFAdd => row("fadd", |_, ty| ty.zero()),
        Op::GroupIMulKHR | Op::GroupNonUniformIMul => row("mul", |body, ty| body.splat(ty, 1)),
        Op::GroupFMulKHR | Op::GroupNonUniformFMul => row("fmul", |body, ty| body.splat_float(ty, 1.0)),
        Op::GroupSMin | Op::GroupNonUniformSMin => row("smin", |body, ty| body.splat(ty, sign_bit(ty) - 1)),
        Op::GroupUMin | Op::GroupNonUniformUMin => row("umin", |_, ty| ty.all_ones()),
        Op::GroupFMin | Op::GroupNonUniformFMin => row("fmin", |body, ty| body.splat_float(ty, f64::INFINITY)),
        Op::GroupSMax | Op::GroupNonUniformSMax => row("smax", |body, ty| body.splat(ty, sign_bit(ty))),
        Op::GroupUMax | Op::GroupNonUniformUMax => row("umax", |_, ty| ty.zero()),
        Op::GroupFMax | Op::GroupNonUniformFMax => row("fmax", |body, ty| body.splat_float(ty, f64::NEG_INFINITY)),
        Op::GroupBitwiseAndKHR
        | Op::GroupNonUniformBitwiseAnd
        | Op::GroupLogicalAndKHR
        | Op::GroupNonUniformLogicalAnd => row("and", |_, ty| ty.all_ones()),
        Op::GroupBitwiseOrKHR | Op::GroupNonUniformBitwiseOr | Op::GroupLogicalOrKHR | Op::GroupNonUniformLogicalOr => {
            row("or", |_, ty| ty.zero())
        }
        Op::GroupBitwiseXorKHR
        | Op::GroupNonUniformBitwiseXor
        | Op::GroupLogicalXorKHR
        | Op::GroupNonUniformLogicalXor => row("xor", |_, ty| ty.zero()),
        _ => None,
    }
}

/// The highest bit of an integer type, or of a vector's elements.
fn sign_bit(ty: LlvmType<'_>) -> u64 {
    1 << (ty.scalar().int_width().clamp(1, 64) - 1)
}

/// Whether the execution scope, operand 0, is the sub-group.
fn in_sub_group(body: &Body<'_, '_>, instruction: &Instruction) -> bool {
    body.constant(instruction, 0) == Some(Scope::Subgroup as u64)
}

fn not_yet(instruction: &Instruction) -> Result<()> {
    Err(Refusal::new(format!("{} in the work-group is not supported", op_name(instruction.op))))
}

/// OpGroupAll and OpGroupAny.
pub(crate) fn vote(body: &mut Body<'_, '_>, instruction: &Instruction, name: &str) -> Result<()> {
    if in_sub_group(body, instruction) { sub_group::vote(body, instruction, name) } else { not_yet(instruction) }
}

/// OpGroupBroadcast.
pub(crate) fn op_broadcast(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    if in_sub_group(body, instruction) { sub_group::op_broadcast(body, instruction) } else { not_yet(instruction) }
}

/// OpGroupIAdd and its like.
pub(crate) fn arithmetic(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    if in_sub_group(body, instruction) { sub_group::arithmetic(body, instruction) } else { not_yet(instruction) }
}
