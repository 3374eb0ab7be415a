//! Sections 3.49.21 and 3.49.24 at the scope of the sub-group, and SPV_INTEL_subgroups.
//!
//! Each operation is a call of a function that is named after it, `oxicl.sub_group.<operation>.<type>`. What it gives in
//! a sub-group of one work-item, which is the only size so far, is that function's body: it is in the module, and
//! inlining leaves nothing of it. Wider sub-groups leave the bodies out and expand the calls.

use oxicl_llvm::{Builder, GepFlags, IntPredicate, Linkage, Place, RealPredicate, Type as LlvmType, Value};
use oxicl_spirv::Instruction;
use spirv::{BuiltIn, GroupOperation};

use crate::body::Body;
use crate::conversion::resize;
use crate::group::{Arithmetic, arithmetic_of};
use crate::refusal::{Refusal, Result};
use crate::types::type_name;

/// Whether an operation reads or writes memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    None,
    Used,
}

/// Calls the operation `name`, and on its first use defines it by `alone`: what it gives where the sub-group is one
/// work-item, from its parameters.
fn call<'a>(
    body: &Body<'_, 'a>,
    name: &str,
    result: LlvmType<'a>,
    arguments: &[Value<'a>],
    memory: Memory,
    alone: impl FnOnce(&Builder<'a>, &[Value<'a>]) -> Option<Value<'a>>,
) -> Value<'a> {
    let unit = body.unit;
    let name = format!("oxicl.sub_group.{name}");
    let function = unit.out.function(&name).unwrap_or_else(|| {
        let parameters: Vec<_> = arguments.iter().map(|argument| argument.ty()).collect();
        let function = unit.out.add_function(&name, result.function(&parameters));
        function.set_linkage(Linkage::Internal);
        for attribute in ["nounwind", "willreturn", "convergent"] {
            unit.add_attribute(function, Place::Function, attribute, 0);
        }
        if memory == Memory::None {
            unit.add_attribute(function, Place::Function, "memory", 0);
        }
        let builder = unit.builder();
        builder.position_at_end(function.append_block(unit.context, ""));
        match alone(&builder, &function.parameters()) {
            Some(value) => builder.ret(value),
            None => builder.ret_void(),
        };
        function
    });
    let call = body.builder.call(function, arguments);
    unit.add_attribute(call, Place::Function, "convergent", 0);
    call
}

/// Calls an operation that gives every work-item its own first argument.
fn own<'a>(body: &Body<'_, 'a>, name: &str, arguments: &[Value<'a>]) -> Result<Value<'a>> {
    let Some(first) = arguments.first() else { return Err(Refusal::new("internal error: no value")) };
    let name = format!("{name}.{}", type_name(first.ty()));
    Ok(call(body, &name, first.ty(), arguments, Memory::None, |_, p| p.first().copied()))
}

/// Operand `index`, an integer, as one of 32 bits.
fn number<'a>(body: &mut Body<'_, 'a>, instruction: &Instruction, index: usize) -> Result<Value<'a>> {
    let value = body.operand(instruction, index)?;
    let ty = body.unit.context.int_type(32);
    Ok(resize(body, value, ty, false))
}

/// The ballot in operand `index` and its type.
fn ballot_operand<'a>(body: &mut Body<'_, 'a>, instruction: &Instruction, index: usize) -> Result<Value<'a>> {
    body.operand(instruction, index)
}

/// OpControlBarrier in the sub-group.
pub(crate) fn barrier(body: &Body<'_, '_>) {
    call(body, "barrier", body.unit.context.void_type(), &[], Memory::Used, |_, _| None);
}

/// OpGroupNonUniformElect: the first work-item is it.
pub(crate) fn op_elect(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let bool_type = body.unit.context.int_type(1);
    let elected = call(body, "elect", bool_type, &[], Memory::None, |_, _| Some(bool_type.const_int(1)));
    body.define(instruction, elected)
}

/// OpGroupAll and OpGroupAny, and those of non-uniform groups: operand 1 is the predicate.
pub(crate) fn vote(body: &mut Body<'_, '_>, instruction: &Instruction, name: &str) -> Result<()> {
    let predicate = body.operand(instruction, 1)?;
    let result = own(body, name, &[predicate])?;
    body.define(instruction, result)
}

/// OpGroupNonUniformAllEqual: as an ordered comparison has it, so a NaN is equal to nothing.
pub(crate) fn op_all_equal(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let value = body.operand(instruction, 1)?;
    let bool_type = body.unit.context.int_type(1);
    let name = format!("all_equal.{}", type_name(value.ty()));
    let result = call(body, &name, bool_type, &[value], Memory::None, |b, p| match p {
        [value] if value.ty().is_float() => Some(b.fcmp(RealPredicate::Ord, *value, *value)),
        _ => Some(bool_type.const_int(1)),
    });
    body.define(instruction, result)
}

/// OpGroupBroadcast and OpGroupNonUniformBroadcast: operand 1 is the value, 2 whose; in a group of more dimensions the
/// first counts, as a sub-group has one.
pub(crate) fn op_broadcast(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let value = body.operand(instruction, 1)?;
    let mut whose = body.operand(instruction, 2)?;
    if whose.ty().is_vector() {
        whose = body.builder.extract_element(whose, body.index(0));
    }
    let whose = resize(body, whose, body.unit.context.int_type(32), false);
    let result = own(body, "broadcast", &[value, whose])?;
    body.define(instruction, result)
}

/// OpGroupNonUniformBroadcastFirst.
pub(crate) fn op_broadcast_first(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let value = body.operand(instruction, 1)?;
    let result = own(body, "broadcast_first", &[value])?;
    body.define(instruction, result)
}

/// OpGroupNonUniformShuffle and its like: operand 1 is the value, 2 whose.
pub(crate) fn shuffle(body: &mut Body<'_, '_>, instruction: &Instruction, name: &str) -> Result<()> {
    let value = body.operand(instruction, 1)?;
    let whose = number(body, instruction, 2)?;
    let result = own(body, name, &[value, whose])?;
    body.define(instruction, result)
}

/// OpGroupNonUniformRotateKHR: in the whole sub-group, or in clusters.
pub(crate) fn op_rotate(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let value = body.operand(instruction, 1)?;
    let mut arguments = vec![value, number(body, instruction, 2)?];
    let mut name = "rotate";
    if instruction.id(body.unit.module, 3).is_some() {
        arguments.push(number(body, instruction, 3)?);
        name = "clustered_rotate";
    }
    let result = own(body, name, &arguments)?;
    body.define(instruction, result)
}

/// OpGroupNonUniformBallot: bit 0.
pub(crate) fn op_ballot(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let predicate = body.operand(instruction, 1)?;
    let (i32_type, zero) = (body.unit.context.int_type(32), body.index(0));
    let ballot = body.result_type(instruction)?;
    let result = call(body, "ballot", ballot, &[predicate], Memory::None, |b, p| {
        Some(b.insert_element(ballot.zero(), b.zext(*p.first()?, i32_type), zero))
    });
    body.define(instruction, result)
}

/// OpGroupNonUniformInverseBallot: the work-item's own bit.
pub(crate) fn op_inverse_ballot(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let ballot = ballot_operand(body, instruction, 1)?;
    let (bool_type, zero) = (body.unit.context.int_type(1), body.index(0));
    let result = call(body, "inverse_ballot", bool_type, &[ballot], Memory::None, |b, p| {
        Some(b.trunc(b.extract_element(*p.first()?, zero), bool_type))
    });
    body.define(instruction, result)
}

/// OpGroupNonUniformBallotBitExtract: a bit, whoever's it is; numbers past the last count from the first again.
pub(crate) fn op_ballot_bit_extract(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let ballot = ballot_operand(body, instruction, 1)?;
    let bit = number(body, instruction, 2)?;
    let (bool_type, i32_type) = (body.unit.context.int_type(1), body.unit.context.int_type(32));
    let result = call(body, "ballot_bit_extract", bool_type, &[ballot, bit], Memory::None, |b, p| {
        let [ballot, bit] = p else { return None };
        let word = b.and(b.lshr(*bit, i32_type.const_int(5)), i32_type.const_int(3));
        let shift = b.and(*bit, i32_type.const_int(31));
        Some(b.trunc(b.lshr(b.extract_element(*ballot, word), shift), bool_type))
    });
    body.define(instruction, result)
}

/// OpGroupNonUniformBallotBitCount: of the bits that belong to work-items.
pub(crate) fn op_ballot_bit_count(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let operation = group_operation(body, instruction, 1)?;
    let ballot = ballot_operand(body, instruction, 2)?;
    let (i32_type, zero) = (body.unit.context.int_type(32), body.index(0));
    let name = format!("ballot_bit_count.{}", kind_name(operation));
    let count = call(body, &name, i32_type, &[ballot], Memory::None, |b, p| {
        if operation == GroupOperation::ExclusiveScan {
            return Some(i32_type.zero());
        }
        Some(b.and(b.extract_element(*p.first()?, zero), i32_type.const_int(1)))
    });
    let result = resize(body, count, body.result_type(instruction)?, false);
    body.define(instruction, result)
}

/// OpGroupNonUniformBallotFindLSB and OpGroupNonUniformBallotFindMSB: among the bits that belong to work-items.
pub(crate) fn ballot_find(body: &mut Body<'_, '_>, instruction: &Instruction, name: &str) -> Result<()> {
    let ballot = ballot_operand(body, instruction, 1)?;
    let i32_type = body.unit.context.int_type(32);
    let found = call(body, name, i32_type, &[ballot], Memory::None, |_, _| Some(i32_type.zero()));
    let result = resize(body, found, body.result_type(instruction)?, false);
    body.define(instruction, result)
}

/// The group operation in operand `index`.
pub(crate) fn group_operation(body: &Body<'_, '_>, instruction: &Instruction, index: usize) -> Result<GroupOperation> {
    GroupOperation::from_u32(body.word(instruction, index)?)
        .ok_or_else(|| Refusal::new(format!("operand {index} is no group operation")))
}

/// The group operation in names.
pub(crate) fn kind_name(operation: GroupOperation) -> &'static str {
    match operation {
        GroupOperation::InclusiveScan => "scan_inclusive",
        GroupOperation::ExclusiveScan => "scan_exclusive",
        GroupOperation::ClusteredReduce => "clustered_reduce",
        _ => "reduce",
    }
}

/// OpGroupIAdd, OpGroupNonUniformIAdd and their like: operand 1 is the group operation, 2 the value, 3 the cluster size.
pub(crate) fn arithmetic(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let Some(Arithmetic { name, identity }) = arithmetic_of(instruction.op) else {
        return Err(Refusal::new("internal error: no arithmetic of groups"));
    };
    let operation = group_operation(body, instruction, 1)?;
    let value = body.operand(instruction, 2)?;
    let mut arguments = vec![value];
    if operation == GroupOperation::ClusteredReduce {
        arguments.push(number(body, instruction, 3)?);
    }
    let identity = identity(body, value.ty());
    let name = format!("{}.{name}.{}", kind_name(operation), type_name(value.ty()));
    let result = call(body, &name, value.ty(), &arguments, Memory::None, |_, p| {
        if operation == GroupOperation::ExclusiveScan { Some(identity) } else { p.first().copied() }
    });
    body.define(instruction, result)
}

/// OpSubgroupShuffleINTEL and OpSubgroupShuffleXorINTEL: operand 0 is the value, 1 whose.
pub(crate) fn shuffle_intel(body: &mut Body<'_, '_>, instruction: &Instruction, name: &str) -> Result<()> {
    let value = body.operand(instruction, 0)?;
    let whose = number(body, instruction, 1)?;
    let result = own(body, name, &[value, whose])?;
    body.define(instruction, result)
}

/// OpSubgroupShuffleDownINTEL (`up` false: operands current, next, delta) and OpSubgroupShuffleUpINTEL (previous, current,
/// delta): a delta that leaves the sub-group takes the other value.
pub(crate) fn op_shuffle_two_intel(body: &mut Body<'_, '_>, instruction: &Instruction, up: bool) -> Result<()> {
    let (first, second) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let delta = number(body, instruction, 2)?;
    let name = format!("{}.{}", if up { "shuffle_up_two" } else { "shuffle_down_two" }, type_name(first.ty()));
    let result = call(body, &name, first.ty(), &[first, second, delta], Memory::None, |b, p| {
        let [first, second, delta] = p else { return None };
        let (inside, outside) = if up { (*second, *first) } else { (*first, *second) };
        let stays = b.icmp(IntPredicate::Eq, *delta, delta.ty().zero());
        Some(b.select(stays, inside, outside))
    });
    body.define(instruction, result)
}

/// OpSubgroupBlockReadINTEL: component i is element i times the size of the sub-group behind the work-item's own.
pub(crate) fn op_block_read_intel(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let pointer = body.operand(instruction, 0)?;
    let ty = body.result_type(instruction)?;
    let align = body.unit.out.store_size_of(ty.scalar()) as u32;
    let name = format!("block_read.{}.{}", type_name(ty), type_name(pointer.ty()));
    let result = call(body, &name, ty, &[pointer], Memory::Used, |b, p| {
        let pointer = *p.first()?;
        if !ty.is_vector() {
            return Some(b.load(ty, pointer, align));
        }
        // One by one: three components have no fourth in memory.
        (0..ty.length()).try_fold(ty.zero(), |vector, index| {
            let component = b.load(ty.scalar(), element(b, ty.scalar(), pointer, index), align);
            Some(b.insert_element(vector, component, b.context().int_type(32).const_int(index)))
        })
    });
    body.define(instruction, result)
}

/// OpSubgroupBlockWriteINTEL.
pub(crate) fn op_block_write_intel(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (pointer, data) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let ty = data.ty();
    let align = body.unit.out.store_size_of(ty.scalar()) as u32;
    let name = format!("block_write.{}.{}", type_name(ty), type_name(pointer.ty()));
    call(body, &name, body.unit.context.void_type(), &[pointer, data], Memory::Used, |b, p| {
        let [pointer, data] = p else { return None };
        if !ty.is_vector() {
            b.store(*data, *pointer, align);
            return None;
        }
        for index in 0..ty.length() {
            let component = b.extract_element(*data, b.context().int_type(32).const_int(index));
            b.store(component, element(b, ty.scalar(), *pointer, index), align);
        }
        None
    });
    Ok(())
}

fn element<'a>(b: &Builder<'a>, ty: LlvmType<'a>, pointer: Value<'a>, index: u64) -> Value<'a> {
    b.gep(ty, pointer, &[b.context().int_type(64).const_int(index)], GepFlags::IN_BOUNDS)
}

/// A built-in variable that has one value in a sub-group of one work-item; `ty` is its type.
pub(crate) fn built_in<'a>(body: &Body<'_, 'a>, built_in: BuiltIn, ty: LlvmType<'a>) -> Option<Value<'a>> {
    let (name, value) = match built_in {
        BuiltIn::SubgroupSize => ("size", 1),
        BuiltIn::SubgroupMaxSize => ("max_size", 1),
        BuiltIn::SubgroupLocalInvocationId => ("local_id", 0),
        BuiltIn::SubgroupEqMask => ("eq_mask", 1),
        BuiltIn::SubgroupGeMask => ("ge_mask", 1),
        BuiltIn::SubgroupGtMask => ("gt_mask", 0),
        BuiltIn::SubgroupLeMask => ("le_mask", 1),
        BuiltIn::SubgroupLtMask => ("lt_mask", 0),
        _ => return None,
    };
    let (i32_type, zero) = (body.unit.context.int_type(32), body.index(0));
    let own = if ty.is_vector() { i32_type.vector(4) } else { i32_type };
    let answer = call(body, name, own, &[], Memory::None, |b, _| {
        let number = i32_type.const_int(value);
        Some(if own.is_vector() { b.insert_element(own.zero(), number, zero) } else { number })
    });
    Some(if own == ty { answer } else { resize(body, answer, ty, false) })
}
