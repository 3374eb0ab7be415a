//! Section 3.49.20, barriers.

use oxicl_llvm::Ordering;
use oxicl_spirv::Instruction;
use spirv::{MemorySemantics, Scope};

use crate::body::Body;
use crate::refusal::Result;
use crate::unit::Effects;

/// OpControlBarrier: a call with scopes and semantics as SPIR-V numbers them.
pub(crate) fn op_control_barrier(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let i32_type = body.unit.context.int_type(32);
    let mut arguments = body.operands(instruction, 0)?;
    for argument in &mut arguments {
        *argument = crate::conversion::resize(body, *argument, i32_type, false);
    }
    let ty = body.unit.context.void_type().function(&[i32_type; 3]);
    let barrier = body.unit.declare("oxicl.barrier", ty, Effects::Barrier);
    let call = body.builder.call(barrier, &arguments);
    body.unit.add_attribute(call, oxicl_llvm::Place::Function, "convergent", 0);
    Ok(())
}

/// OpMemoryBarrier.
pub(crate) fn op_memory_barrier(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let ordering = ordering(body, instruction, 1);
    if ordering != Ordering::Monotonic {
        let scope = sync_scope(body, instruction, 0);
        body.builder.fence(ordering, scope);
    }
    Ok(())
}

/// The ordering that the memory semantics in operand `index` ask for; the strongest if they are no constant.
pub(crate) fn ordering(body: &Body<'_, '_>, instruction: &Instruction, index: usize) -> Ordering {
    let Some(bits) = body.constant(instruction, index) else { return Ordering::SequentiallyConsistent };
    let semantics = MemorySemantics::from_bits_truncate(bits as u32);
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
