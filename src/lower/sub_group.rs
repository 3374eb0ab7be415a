//! Sections 3.49.21 and 3.49.24 at the scope of the sub-group, and SPV_INTEL_subgroups.
//!
//! A few operations are calls that the work-group stage answers for all work-items of a sub-group that come to them
//! together: ballots, shuffles, reductions and scans, the barrier. Everything else is made of these and of arithmetic.

use oxicl_llvm::{GepFlags, IntPredicate, RealPredicate, Type as LlvmType, Value};
use oxicl_ops::{Operation, Query, SubGroup};
use oxicl_spirv::Instruction;
use spirv::{BuiltIn, GroupOperation};

use crate::body::Body;
use crate::composite::elements;
use crate::conversion::resize;
use crate::group::combine_of;
use crate::refusal::{Refusal, Result};
use crate::types::type_name;
use crate::unit::Effects;

/// Calls an operation on a value that gives a value of its type.
fn exchange<'a>(body: &Body<'_, 'a>, operation: SubGroup, value: Value<'a>, more: &[Value<'a>]) -> Value<'a> {
    let name = Operation::SubGroup(operation).name_for(&type_name(value.ty()));
    body.call_operation(&name, value.ty(), &[&[value], more].concat(), Effects::Collective)
}

/// A question about the work-item's place in its sub-group.
fn question<'a>(body: &Body<'_, 'a>, query: Query) -> Value<'a> {
    let ty = body.unit.context.int_type(32).function(&[]);
    body.builder.call(body.unit.declare_query(query, ty), &[])
}

/// The work-item's number in its sub-group.
pub(crate) fn own<'a>(body: &Body<'_, 'a>) -> Value<'a> {
    question(body, Query::SubGroupLocalId)
}

/// The bits of the work-items that are here and for which a condition holds.
fn ballot<'a>(body: &Body<'_, 'a>, condition: Value<'a>) -> Value<'a> {
    let name = Operation::SubGroup(SubGroup::Ballot).name();
    body.call_operation(&name, body.unit.context.int_type(64), &[condition], Effects::Collective)
}

/// The number of the first work-item that is here.
fn first<'a>(body: &mut Body<'_, 'a>) -> Result<Value<'a>> {
    let here = ballot(body, body.unit.context.int_type(1).const_int(1));
    lowest(body, here)
}

/// The number of the lowest bit that is set; 0 if there is none.
fn lowest<'a>(body: &mut Body<'_, 'a>, bits: Value<'a>) -> Result<Value<'a>> {
    let falsity = body.unit.context.int_type(1).zero();
    let zeros = body.intrinsic("llvm.cttz", &[bits.ty()], &[bits, falsity])?;
    let number = body.builder.and(zeros, bits.ty().const_int(63));
    Ok(resize(body, number, body.unit.context.int_type(32), false))
}

/// The bits below a number of 32 bits from 0 to 63, as 64 bits.
fn below<'a>(body: &Body<'_, 'a>, number: Value<'a>) -> Value<'a> {
    let i64_type = body.unit.context.int_type(64);
    let bit = body.builder.shl(i64_type.const_int(1), body.builder.zext(number, i64_type));
    body.builder.sub(bit, i64_type.const_int(1))
}

/// The bits below a number and that of the number itself.
fn up_to<'a>(body: &Body<'_, 'a>, number: Value<'a>) -> Value<'a> {
    let i64_type = body.unit.context.int_type(64);
    let next = body.builder.shl(i64_type.const_int(2), body.builder.zext(number, i64_type));
    body.builder.sub(next, i64_type.const_int(1))
}

/// The bits that belong to work-items of a full sub-group.
fn whole<'a>(body: &Body<'_, 'a>) -> Value<'a> {
    let last = body.builder.sub(question(body, Query::SubGroupMaxSize), body.index(1));
    up_to(body, last)
}

/// 64 bits as four numbers of 32, two of them 0.
fn to_vector<'a>(body: &Body<'_, 'a>, bits: Value<'a>) -> Value<'a> {
    let pair = body.builder.bit_cast(bits, body.unit.context.int_type(32).vector(2));
    body.builder.shuffle(pair, pair.ty().zero(), &[Some(0), Some(1), Some(2), Some(3)])
}

/// The first 64 bits of four numbers of 32.
fn from_vector<'a>(body: &Body<'_, 'a>, ballot: Value<'a>) -> Value<'a> {
    let pair = body.builder.shuffle(ballot, ballot.ty().poison(), &[Some(0), Some(1)]);
    body.builder.bit_cast(pair, body.unit.context.int_type(64))
}

/// A bit of four numbers of 32; numbers past the last count from the first again.
fn bit_of<'a>(body: &Body<'_, 'a>, ballot: Value<'a>, bit: Value<'a>) -> Value<'a> {
    let (b, i32_type) = (&body.builder, body.unit.context.int_type(32));
    let word = b.and(b.lshr(bit, i32_type.const_int(5)), i32_type.const_int(3));
    let shift = b.and(bit, i32_type.const_int(31));
    b.trunc(b.lshr(b.extract_element(ballot, word), shift), body.unit.context.int_type(1))
}

/// Operand `index`, an integer, as one of 32 bits.
fn number<'a>(body: &mut Body<'_, 'a>, instruction: &Instruction, index: usize) -> Result<Value<'a>> {
    let value = body.operand(instruction, index)?;
    let ty = body.unit.context.int_type(32);
    Ok(resize(body, value, ty, false))
}

/// OpControlBarrier in the sub-group.
pub(crate) fn barrier(body: &Body<'_, '_>) {
    let name = Operation::SubGroup(SubGroup::Barrier).name();
    body.call_operation(&name, body.unit.context.void_type(), &[], Effects::Barrier);
}

/// OpGroupNonUniformElect: the first work-item is it.
pub(crate) fn op_elect(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let first = first(body)?;
    let elected = body.builder.icmp(IntPredicate::Eq, own(body), first);
    body.define(instruction, elected)
}

/// Whether a condition holds for all, or for any.
fn holds<'a>(body: &Body<'_, 'a>, condition: Value<'a>, for_all: bool) -> Value<'a> {
    let zero = body.unit.context.int_type(64).zero();
    if for_all {
        return body.builder.icmp(IntPredicate::Eq, ballot(body, body.builder.not(condition)), zero);
    }
    body.builder.icmp(IntPredicate::Ne, ballot(body, condition), zero)
}

/// OpGroupAll and OpGroupAny, and those of non-uniform groups: operand 1 is the predicate.
pub(crate) fn vote(body: &mut Body<'_, '_>, instruction: &Instruction, name: &str) -> Result<()> {
    let predicate = body.operand(instruction, 1)?;
    let result = holds(body, predicate, name == "all");
    body.define(instruction, result)
}

/// OpGroupNonUniformAllEqual: as an ordered comparison has it, so a NaN is equal to nothing.
pub(crate) fn op_all_equal(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let value = body.operand(instruction, 1)?;
    let first = first(body)?;
    let other = exchange(body, SubGroup::Broadcast, value, &[first]);
    let b = &body.builder;
    let same = if value.ty().scalar().is_float() {
        b.fcmp(RealPredicate::Oeq, value, other)
    } else {
        b.icmp(IntPredicate::Eq, value, other)
    };
    let each = elements(body, same);
    let same = each.into_iter().reduce(|all, one| body.builder.and(all, one));
    let same = same.ok_or_else(|| Refusal::new("internal error: no value"))?;
    let result = holds(body, same, true);
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
    let result = exchange(body, SubGroup::Broadcast, value, &[whose]);
    body.define(instruction, result)
}

/// OpGroupNonUniformBroadcastFirst.
pub(crate) fn op_broadcast_first(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let value = body.operand(instruction, 1)?;
    let first = first(body)?;
    let result = exchange(body, SubGroup::Broadcast, value, &[first]);
    body.define(instruction, result)
}

/// Whose value a work-item takes.
#[derive(Clone, Copy)]
pub(crate) enum Whose {
    /// That of a given number.
    Given,
    /// Its own number, some bits of it changed.
    Xor,
    /// So many before it.
    Up,
    /// So many behind it.
    Down,
}

impl Whose {
    fn of<'a>(self, body: &Body<'_, 'a>, operand: Value<'a>) -> Value<'a> {
        match self {
            Whose::Given => operand,
            Whose::Xor => body.builder.xor(own(body), operand),
            Whose::Up => body.builder.sub(own(body), operand),
            Whose::Down => body.builder.add(own(body), operand),
        }
    }
}

/// OpGroupNonUniformShuffle and its like, with the value in operand `at` and the number behind it.
pub(crate) fn shuffle(body: &mut Body<'_, '_>, instruction: &Instruction, whose: Whose, at: usize) -> Result<()> {
    let value = body.operand(instruction, at)?;
    let operand = number(body, instruction, at + 1)?;
    let result = exchange(body, SubGroup::Shuffle, value, &[whose.of(body, operand)]);
    body.define(instruction, result)
}

/// OpGroupNonUniformRotateKHR: in the whole sub-group, or in clusters.
pub(crate) fn op_rotate(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let value = body.operand(instruction, 1)?;
    let by = number(body, instruction, 2)?;
    let size = match instruction.id(body.unit.module, 3) {
        Some(_) => number(body, instruction, 3)?,
        None => question(body, Query::SubGroupMaxSize),
    };
    let b = &body.builder;
    // Sizes are powers of two.
    let within = b.sub(size, body.index(1));
    let rest = b.and(own(body), b.not(within));
    let whose = b.or(rest, b.and(b.add(own(body), by), within));
    let result = exchange(body, SubGroup::Shuffle, value, &[whose]);
    body.define(instruction, result)
}

/// OpGroupNonUniformBallot.
pub(crate) fn op_ballot(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let predicate = body.operand(instruction, 1)?;
    let result = to_vector(body, ballot(body, predicate));
    body.define(instruction, result)
}

/// OpGroupNonUniformInverseBallot: the work-item's own bit.
pub(crate) fn op_inverse_ballot(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let ballot = body.operand(instruction, 1)?;
    let result = bit_of(body, ballot, own(body));
    body.define(instruction, result)
}

/// OpGroupNonUniformBallotBitExtract: a bit, whoever's it is.
pub(crate) fn op_ballot_bit_extract(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let ballot = body.operand(instruction, 1)?;
    let bit = number(body, instruction, 2)?;
    let result = bit_of(body, ballot, bit);
    body.define(instruction, result)
}

/// OpGroupNonUniformBallotBitCount: of the bits that belong to work-items.
pub(crate) fn op_ballot_bit_count(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let operation = group_operation(body, instruction, 1)?;
    let ballot = body.operand(instruction, 2)?;
    let counted = match operation {
        GroupOperation::InclusiveScan => up_to(body, own(body)),
        GroupOperation::ExclusiveScan => below(body, own(body)),
        _ => whole(body),
    };
    let bits = body.builder.and(from_vector(body, ballot), counted);
    let count = body.intrinsic("llvm.ctpop", &[bits.ty()], &[bits])?;
    let result = resize(body, count, body.result_type(instruction)?, false);
    body.define(instruction, result)
}

/// OpGroupNonUniformBallotFindLSB and OpGroupNonUniformBallotFindMSB: among the bits that belong to work-items.
pub(crate) fn ballot_find(body: &mut Body<'_, '_>, instruction: &Instruction, lowest_one: bool) -> Result<()> {
    let ballot = body.operand(instruction, 1)?;
    let bits = body.builder.and(from_vector(body, ballot), whole(body));
    let found = if lowest_one {
        lowest(body, bits)?
    } else {
        let (one, falsity) = (bits.ty().const_int(1), body.unit.context.int_type(1).zero());
        let zeros = body.intrinsic("llvm.ctlz", &[bits.ty()], &[body.builder.or(bits, one), falsity])?;
        body.builder.sub(bits.ty().const_int(63), zeros)
    };
    let result = resize(body, found, body.result_type(instruction)?, false);
    body.define(instruction, result)
}

/// The group operation in operand `index`.
pub(crate) fn group_operation(body: &Body<'_, '_>, instruction: &Instruction, index: usize) -> Result<GroupOperation> {
    GroupOperation::from_u32(body.word(instruction, index)?)
        .ok_or_else(|| Refusal::new(format!("operand {index} is no group operation")))
}

/// OpGroupIAdd, OpGroupNonUniformIAdd and their like: operand 1 is the group operation, 2 the value, 3 the cluster size.
pub(crate) fn arithmetic(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let Some(combine) = combine_of(instruction.op) else {
        return Err(Refusal::new("internal error: no arithmetic of groups"));
    };
    let operation = match group_operation(body, instruction, 1)? {
        GroupOperation::InclusiveScan => SubGroup::Inclusive(combine),
        GroupOperation::ExclusiveScan => SubGroup::Exclusive(combine),
        GroupOperation::ClusteredReduce => SubGroup::Clustered(combine),
        _ => SubGroup::Reduce(combine),
    };
    let value = body.operand(instruction, 2)?;
    let mut more = Vec::new();
    if matches!(operation, SubGroup::Clustered(_)) {
        more.push(number(body, instruction, 3)?);
    }
    let result = exchange(body, operation, value, &more);
    body.define(instruction, result)
}

/// OpSubgroupShuffleDownINTEL (`up` false: operands current, next, delta) and OpSubgroupShuffleUpINTEL (previous, current,
/// delta): a delta that leaves the sub-group takes the other value.
pub(crate) fn op_shuffle_two_intel(body: &mut Body<'_, '_>, instruction: &Instruction, up: bool) -> Result<()> {
    let (one, two) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let delta = number(body, instruction, 2)?;
    let size = question(body, Query::SubGroupMaxSize);
    let b = &body.builder;
    let (inside, outside) = if up { (two, one) } else { (one, two) };
    // The number below which the sub-group is left wraps to a large one.
    let whose = if up { Whose::Up } else { Whose::Down }.of(body, delta);
    let past = if up { b.add(whose, size) } else { b.sub(whose, size) };
    let stays = b.icmp(IntPredicate::Ult, whose, size);
    let inside = exchange(body, SubGroup::Shuffle, inside, &[whose]);
    let outside = exchange(body, SubGroup::Shuffle, outside, &[past]);
    let result = body.builder.select(stays, inside, outside);
    body.define(instruction, result)
}

/// The address of a work-item's component `index` of a block that begins at `pointer`, which all have alike.
fn component<'a>(body: &Body<'_, 'a>, ty: LlvmType<'a>, pointer: Value<'a>, index: u64) -> Value<'a> {
    let (b, i32_type) = (&body.builder, body.unit.context.int_type(32));
    let mut place = own(body);
    if index > 0 {
        place = b.add(place, b.mul(question(body, Query::SubGroupMaxSize), i32_type.const_int(index)));
        // A small number.
        place.set_no_wrap(true, true);
    }
    b.gep(ty, pointer, &[b.zext(place, body.unit.context.int_type(64))], GepFlags::IN_BOUNDS)
}

/// The address of a block, which work-items may have computed each by itself.
fn block_address<'a>(body: &mut Body<'_, 'a>, pointer: Value<'a>) -> Result<Value<'a>> {
    let first = first(body)?;
    Ok(exchange(body, SubGroup::Broadcast, pointer, &[first]))
}

/// OpSubgroupBlockReadINTEL: component i is element i times the size of the sub-group behind the work-item's own.
pub(crate) fn op_block_read_intel(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let pointer = body.operand(instruction, 0)?;
    let pointer = block_address(body, pointer)?;
    let ty = body.result_type(instruction)?;
    let align = body.unit.out.store_size_of(ty.scalar()) as u32;
    let load = |index: u64| body.builder.load(ty.scalar(), component(body, ty.scalar(), pointer, index), align);
    let value = if ty.is_vector() {
        // One by one: three components have no fourth in memory.
        (0..ty.length()).fold(ty.zero(), |v, index| body.builder.insert_element(v, load(index), body.index(index)))
    } else {
        load(0)
    };
    body.define(instruction, value)
}

/// OpSubgroupBlockWriteINTEL.
pub(crate) fn op_block_write_intel(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (pointer, data) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let pointer = block_address(body, pointer)?;
    let align = body.unit.out.store_size_of(data.ty().scalar()) as u32;
    for (index, value) in (0..).zip(elements(body, data)) {
        body.builder.store(value, component(body, value.ty(), pointer, index), align);
    }
    Ok(())
}

/// A built-in variable of the work-item's place in its sub-group; `ty` is its type.
pub(crate) fn built_in<'a>(body: &Body<'_, 'a>, built_in: BuiltIn, ty: LlvmType<'a>) -> Option<Value<'a>> {
    let b = &body.builder;
    let mask =
        |bits: Value<'a>| Some(if ty.is_vector() { to_vector(body, bits) } else { resize(body, bits, ty, false) });
    let answer = match built_in {
        BuiltIn::SubgroupSize => question(body, Query::SubGroupSize),
        BuiltIn::SubgroupMaxSize => question(body, Query::SubGroupMaxSize),
        BuiltIn::SubgroupLocalInvocationId => own(body),
        BuiltIn::SubgroupEqMask => return mask(b.sub(up_to(body, own(body)), below(body, own(body)))),
        BuiltIn::SubgroupGeMask => return mask(b.and(whole(body), b.not(below(body, own(body))))),
        BuiltIn::SubgroupGtMask => return mask(b.and(whole(body), b.not(up_to(body, own(body))))),
        BuiltIn::SubgroupLeMask => return mask(up_to(body, own(body))),
        BuiltIn::SubgroupLtMask => return mask(below(body, own(body))),
        _ => return None,
    };
    Some(resize(body, answer, ty, false))
}
