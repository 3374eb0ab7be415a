//! Section 3.49.20, named barriers: sub-groups of a work-group wait until as many of them have come as the barrier is for.
//!
//! A named barrier is a place in the local memory of its work-group. A work-group has so many places; its work-items agree on
//! the next one, and the first one follows the last.

use oxicl_llvm::{GepFlags, IntPredicate, Linkage, Ordering, Place as Of, RmwOp, Type as LlvmType, Value};
use oxicl_ops::symbol;
use oxicl_spirv::{Instruction, Module};
use spirv::{Capability, MemorySemantics, StorageClass};

use crate::barrier::{self, ordering};
use crate::body::Body;
use crate::conversion::resize;
use crate::refusal::{Refusal, Result};
use crate::sub_group;
use crate::types::address_space;

/// The numbers of a place.
#[derive(Clone, Copy)]
enum Place {
    /// Sub-groups that the barrier is for.
    Wanted,
    /// Sub-groups that have come since it opened last.
    Arrived,
    /// How often it has opened.
    Opened,
}

/// 32-bit numbers of a place.
const NUMBERS: u64 = 3;

/// May kernels of a module make barriers?
pub(crate) fn are_declared(module: &Module) -> bool {
    module.capabilities.iter().any(|(capability, _)| *capability == Capability::NamedBarrier)
}

/// At the start of a kernel no place is taken.
pub(crate) fn begin(body: &Body<'_, '_>) -> Result<()> {
    let taken = places(body)?.0;
    write(body, taken, body.index(0));
    wait_for_all(body);
    Ok(())
}

/// OpNamedBarrierInitialize, which the work-items of a work-group come to together.
pub(crate) fn op_named_barrier_initialize(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let wanted = body.operand(instruction, 0)?;
    let (taken, first) = places(body)?;
    let own = read(body, taken, Ordering::Monotonic);
    wait_for_all(body);
    // All of them write the same.
    write(body, taken, body.builder.add(own, body.index(1)));
    let index = body.builder.and(own, body.index(most(body) - 1));
    let offset = resize(body, body.builder.mul(index, body.index(4 * NUMBERS)), body.unit.context.int_type(64), false);
    let place = body.builder.byte_offset(first, offset);
    write(body, number(body, place, Place::Wanted), wanted);
    write(body, number(body, place, Place::Arrived), body.index(0));
    write(body, number(body, place, Place::Opened), body.index(0));
    wait_for_all(body);
    body.define(instruction, place)
}

/// OpMemoryNamedBarrier: the barrier, memory scope and semantics. Work-items of a sub-group come to it together.
pub(crate) fn op_memory_named_barrier(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let place = body.operand(instruction, 0)?;
    let function = wait(body, place.ty())?;
    let call = body.builder.call(function, &[place]);
    body.unit.add_attribute(call, Of::Function, "convergent", 0);
    let ordering = ordering(body, instruction, 2);
    if ordering != Ordering::Monotonic {
        body.builder.fence(ordering, body.unit.context.sync_scope(""));
    }
    Ok(())
}

/// The function `named_barrier(place)`, in which a sub-group waits.
fn wait<'a>(body: &Body<'_, 'a>, ty: LlvmType<'a>) -> Result<Value<'a>> {
    let unit = body.unit;
    if let Some(function) = unit.out.function(symbol::NAMED_BARRIER) {
        return Ok(function);
    }
    let function = unit.out.add_function(symbol::NAMED_BARRIER, unit.context.void_type().function(&[ty]));
    function.set_linkage(Linkage::Internal);
    for attribute in ["nounwind", "convergent"] {
        unit.add_attribute(function, Of::Function, attribute, 0);
    }
    let [place] = function.parameters()[..] else { return Err(Refusal::new("internal error: no place")) };
    let inner = Body::new(unit, function);
    let [arrive, open, turn, done] = ["arrive", "open", "turn", "done"].map(|n| function.append_block(unit.context, n));
    inner.builder.position_at_end(inner.prologue);
    let [wanted, arrived, opened] =
        [Place::Wanted, Place::Arrived, Place::Opened].map(|which| number(&inner, place, which));
    // What was written before is seen by whoever comes later. All look before the first of them arrives.
    let everybody = unit.context.sync_scope("");
    inner.builder.fence(Ordering::AcquireRelease, everybody);
    let before = read(&inner, opened, Ordering::Monotonic);
    sub_group::barrier(&inner);
    let is_first = inner.builder.icmp(IntPredicate::Eq, sub_group::own(&inner), inner.index(0));
    inner.builder.cond_br(is_first, arrive, turn);

    inner.builder.position_at_end(arrive);
    let others = inner.builder.atomic_rmw(RmwOp::Add, arrived, inner.index(1), Ordering::AcquireRelease, everybody);
    let all = inner.builder.add(others, inner.index(1));
    let is_last = inner.builder.icmp(IntPredicate::Uge, all, read(&inner, wanted, Ordering::Monotonic));
    inner.builder.cond_br(is_last, open, turn);

    inner.builder.position_at_end(open);
    write(&inner, arrived, inner.index(0));
    inner.builder.atomic_rmw(RmwOp::Add, opened, inner.index(1), Ordering::AcquireRelease, everybody);
    inner.builder.br(turn);

    inner.builder.position_at_end(turn);
    let now = read(&inner, opened, Ordering::Acquire);
    let waits = inner.builder.icmp(IntPredicate::Eq, now, before);
    inner.builder.cond_br(waits, turn, done);

    inner.builder.position_at_end(done);
    sub_group::barrier(&inner);
    inner.builder.fence(Ordering::AcquireRelease, everybody);
    inner.builder.ret_void();
    Ok(function)
}

/// Places of a work-group.
fn most(body: &Body<'_, '_>) -> u64 {
    u64::from(body.unit.limits.max_named_barriers)
}

/// The addresses of the number of places that were taken, and of the first place.
fn places<'a>(body: &Body<'_, 'a>) -> Result<(Value<'a>, Value<'a>)> {
    let unit = body.unit;
    let i32_type = unit.context.int_type(32);
    let global = match unit.out.global(symbol::NAMED_BARRIERS) {
        Some(global) => global,
        None => {
            let Some(space) = address_space(StorageClass::Workgroup) else {
                return Err(Refusal::new("internal error: no local memory"));
            };
            let memory = i32_type.array(1 + most(body) * NUMBERS);
            let global = unit.out.add_global(symbol::NAMED_BARRIERS, memory, space);
            global.set_initializer(memory.undef());
            global.set_linkage(Linkage::Internal);
            global.set_alignment(4);
            global
        }
    };
    Ok((global, body.builder.gep(i32_type, global, &[body.index(1)], GepFlags::IN_BOUNDS)))
}

/// The address of a number of a place.
fn number<'a>(body: &Body<'_, 'a>, place: Value<'a>, which: Place) -> Value<'a> {
    body.builder.gep(body.unit.context.int_type(32), place, &[body.index(which as u64)], GepFlags::IN_BOUNDS)
}

fn read<'a>(body: &Body<'_, 'a>, number: Value<'a>, ordering: Ordering) -> Value<'a> {
    let load = body.builder.load(body.unit.context.int_type(32), number, 4);
    load.set_ordering(ordering, body.unit.context.sync_scope(""));
    load
}

fn write<'a>(body: &Body<'_, 'a>, number: Value<'a>, value: Value<'a>) {
    let store = body.builder.store(value, number, 4);
    store.set_ordering(Ordering::Monotonic, body.unit.context.sync_scope(""));
}

/// A barrier of the work-group, for its local memory.
fn wait_for_all(body: &Body<'_, '_>) {
    barrier::meet(body, MemorySemantics::ACQUIRE_RELEASE | MemorySemantics::WORKGROUP_MEMORY);
}
