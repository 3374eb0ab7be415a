//! Validation Rules: which scopes and memory orders the device offers.

use oxicl_caps::Feature;
use oxicl_spirv::grammar::{Op, Scope};

use crate::at::At;
use crate::quirk::Quirk;
use crate::rule::Rule;
use crate::violation::{Check, fault};

/// Acquire, Release and AcquireRelease in memory semantics.
const ACQUIRE_OR_RELEASE: u32 = 0x2 | 0x4 | 0x8;
/// SequentiallyConsistent.
pub(crate) const SEQUENTIALLY_CONSISTENT: u32 = 0x10;

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
        _ if semantics & ACQUIRE_OR_RELEASE != 0 => Feature::AtomicOrderAcqRel,
        _ => return Ok(()),
    };
    if at.subject.caps.has(needed) {
        return Ok(());
    }
    fault(Rule::MemorySemantics, format!("the device does not offer the memory order in {semantics:#x}"))
}
