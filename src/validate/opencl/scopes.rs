//! Validation Rules: which scopes and memory orders the device offers.

use oxicl_caps::Feature;
use oxicl_spirv::grammar::{Op, Scope};

use crate::at::At;
use crate::quirk::Quirk;
use crate::rule::Rule;
use crate::violation::{Check, fault};

/// Memory orders in semantics.
pub(crate) const ACQUIRE: u32 = 0x2;
pub(crate) const RELEASE: u32 = 0x4;
pub(crate) const ACQUIRE_RELEASE: u32 = 0x8;
pub(crate) const SEQUENTIALLY_CONSISTENT: u32 = 0x10;

/// The memory order, as semantics, of an OpAtomicLoad whose scope is OpenCL C's number of an order and whose semantics are its number
/// of a scope, as clang 22 writes them; `None` where they mean something as SPIR-V numbers them: device scope is Acquire then, which
/// is at least what was meant.
pub fn order_as_scope(scope: u64, semantics: u64) -> Option<u32> {
    // memory_scope_work_group, memory_scope_all_devices, memory_scope_sub_group.
    let is_scope = matches!(semantics, 1 | 3 | 4);
    match scope {
        // memory_order_relaxed.
        0 if is_scope => Some(0),
        // memory_order_acquire.
        2 if is_scope => Some(ACQUIRE),
        // memory_order_seq_cst. No OpenCL environment has the fifth scope.
        5 if semantics <= 4 => Some(SEQUENTIALLY_CONSISTENT),
        _ => None,
    }
}

/// Whether the instruction has the narrower choice of the copies between memories: work-groups only.
fn is_asynchronous_copy(op: Op) -> bool {
    matches!(op, Op::GroupAsyncCopy | Op::GroupWaitEvents)
}

/// `scope` may be an execution scope of the instruction.
pub(crate) fn execution(at: &At<'_>, scope: Scope) -> Check {
    let offered = match scope {
        Scope::Workgroup => true,
        Scope::Subgroup if is_asynchronous_copy(at.instruction.op) => {
            return fault(Rule::ExecutionScope, "asynchronous copies are made by work-groups, not by sub-groups");
        }
        Scope::Subgroup => at.subject.caps.has(Feature::SubGroups),
        Scope::Device | Scope::CrossDevice if at.instruction.op == Op::ControlBarrier => {
            at.accept(Quirk::BarrierScope, format!("has the execution scope {scope:?}"));
            true
        }
        _ => {
            return fault(Rule::ExecutionScope, format!("the execution scope is {scope:?}, not Workgroup or Subgroup"));
        }
    };
    if offered {
        return Ok(());
    }
    fault(Rule::ExecutionScope, "the execution scope is Subgroup; the device offers no sub-groups")
}

/// `scope` may be a memory scope of the instruction.
pub(crate) fn memory(at: &At<'_>, scope: Scope) -> Check {
    let needed = match scope {
        Scope::CrossDevice => Feature::AtomicScopeAllDevices,
        Scope::Device => Feature::AtomicScopeDevice,
        Scope::Workgroup => return Ok(()),
        Scope::Subgroup => Feature::SubGroups,
        Scope::Invocation => {
            if at.rule == Rule::Atomic {
                at.accept(Quirk::InvocationScope, "has the memory scope Invocation");
            }
            return Ok(());
        }
        _ => {
            return fault(Rule::MemoryScope, format!("the memory scope is {scope:?}, which no OpenCL environment has"));
        }
    };
    if at.subject.caps.has(needed) {
        return Ok(());
    }
    fault(Rule::MemoryScope, format!("the memory scope is {scope:?}, which the device does not offer"))
}

/// The memory order in `semantics` is one that the device offers.
pub(crate) fn order(at: &At<'_>, semantics: u32) -> Check {
    let needed = match semantics {
        _ if semantics & SEQUENTIALLY_CONSISTENT != 0 => Feature::AtomicOrderSeqCst,
        _ if semantics & (ACQUIRE | RELEASE | ACQUIRE_RELEASE) != 0 => Feature::AtomicOrderAcqRel,
        _ => return Ok(()),
    };
    if at.subject.caps.has(needed) {
        return Ok(());
    }
    fault(Rule::MemorySemantics, format!("the device does not offer the memory order in {semantics:#x}"))
}
