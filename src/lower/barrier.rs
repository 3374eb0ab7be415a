//! Section 3.49.20, barriers.

use oxicl_llvm::{Ordering, Value};
use oxicl_ops::Operation;
use oxicl_spirv::Instruction;
use spirv::{MemorySemantics, Scope};

use crate::body::Body;
use crate::refusal::Result;
use crate::unit::Effects;

/// OpControlBarrier: a call with scopes and semantics as SPIR-V numbers them.
pub(crate) fn op_control_barrier(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    if body.constant(instruction, 0) == Some(Scope::Subgroup as u64) {
        crate::sub_group::barrier(body);
        return fence(body, instruction, 1);
    }
    // A barrier of more than a work-group is a habit of clang's, which means the work-group.
    work_group_barrier(body, scope_and_semantics(body, instruction, 1));
    Ok(())
}

/// The memory scope in operand `index` and the semantics behind it, as constants of 32 bits: of what is chosen at run time, the widest
/// and strongest.
pub(crate) fn scope_and_semantics<'a>(body: &Body<'_, 'a>, instruction: &Instruction, index: usize) -> [Value<'a>; 2] {
    let strongest = MemorySemantics::SEQUENTIALLY_CONSISTENT
        | MemorySemantics::WORKGROUP_MEMORY
        | MemorySemantics::CROSS_WORKGROUP_MEMORY;
    let scope = body.constant(instruction, index).unwrap_or(u64::from(Scope::CrossDevice as u32));
    let semantics = body.constant(instruction, index + 1).unwrap_or(u64::from(strongest.bits()));
    [body.index(scope), body.index(semantics)]
}

/// The barrier of the work-group, with memory scope and semantics as 32-bit integers.
fn work_group_barrier<'a>(body: &Body<'_, 'a>, [scope, semantics]: [Value<'a>; 2]) {
    let given = [body.index(Scope::Workgroup as u64), scope, semantics];
    body.call_operation(&Operation::Barrier.name(), body.unit.context.void_type(), &given, Effects::Barrier);
}

/// A barrier of the work-group, behind which it sees what it wrote to the memories that the semantics name.
pub(crate) fn meet(body: &Body<'_, '_>, semantics: MemorySemantics) {
    work_group_barrier(body, [Scope::Workgroup as u64, u64::from(semantics.bits())].map(|number| body.index(number)));
}

/// OpControlBarrierArriveINTEL: nothing is waited for here, and the barrier comes where work-items wait. What was written
/// before is then seen by the work-group; only others need a fence.
pub(crate) fn op_control_barrier_arrive(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let near = [Scope::Workgroup as u64, Scope::Subgroup as u64, Scope::Invocation as u64];
    if body.constant(instruction, 1).is_some_and(|scope| near.contains(&scope)) {
        return Ok(());
    }
    fence(body, instruction, 1)
}

/// OpReadClockKHR: the processor's counter, which all cores have alike.
pub(crate) fn op_read_clock(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let ty = body.result_type(instruction)?;
    let clock = body.intrinsic("llvm.readcyclecounter", &[], &[])?;
    let clock = if ty.is_vector() { body.builder.bit_cast(clock, ty) } else { clock };
    body.define(instruction, clock)
}

/// OpMemoryBarrier.
pub(crate) fn op_memory_barrier(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    fence(body, instruction, 0)
}

/// A fence as the memory scope in operand `index` and the semantics behind it ask for. A work-item alone needs none, and
/// neither does a sub-group of one.
fn fence(body: &Body<'_, '_>, instruction: &Instruction, index: usize) -> Result<()> {
    let alone = [Scope::Subgroup as u64, Scope::Invocation as u64];
    let ordering = ordering(body, instruction, index + 1);
    let needless = body.constant(instruction, index).is_some_and(|scope| alone.contains(&scope));
    if ordering != Ordering::Monotonic && !needless {
        body.builder.fence(ordering, body.unit.context.sync_scope(""));
    }
    Ok(())
}

/// The ordering that the memory semantics in operand `index` ask for; the strongest if they are no constant.
pub(crate) fn ordering(body: &Body<'_, '_>, instruction: &Instruction, index: usize) -> Ordering {
    match body.constant(instruction, index) {
        Some(bits) => ordering_of(bits as u32),
        None => Ordering::SequentiallyConsistent,
    }
}

/// The ordering that memory semantics ask for.
pub(crate) fn ordering_of(semantics: u32) -> Ordering {
    let semantics = MemorySemantics::from_bits_truncate(semantics);
    let both = MemorySemantics::ACQUIRE | MemorySemantics::RELEASE;
    if semantics.contains(MemorySemantics::SEQUENTIALLY_CONSISTENT) {
        Ordering::SequentiallyConsistent
    } else if semantics.contains(MemorySemantics::ACQUIRE_RELEASE) || semantics.contains(both) {
        Ordering::AcquireRelease
    } else if semantics.contains(MemorySemantics::ACQUIRE) {
        Ordering::Acquire
    } else if semantics.contains(MemorySemantics::RELEASE) {
        Ordering::Release
    } else {
        Ordering::Monotonic
    }
}

/// LLVM's scope for the scope in operand `index`: this thread for a single work-item, else everybody.
pub(crate) fn sync_scope(body: &Body<'_, '_>, instruction: &Instruction, index: usize) -> u32 {
    let single = body.constant(instruction, index) == Some(Scope::Invocation as u64);
    body.unit.context.sync_scope(if single { "singlethread" } else { "" })
}
