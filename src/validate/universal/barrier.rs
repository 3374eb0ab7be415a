//! Barrier Instructions, and the scopes and semantics that they share with atomics.

use oxicl_spirv::grammar::Scope;

use crate::at::At;
use crate::quirk::Quirk;
use crate::rule::Rule;
use crate::violation::{Check, fault};

/// Operand `index` as a scope: a 32-bit integer constant.
fn scope(at: &At<'_>, index: usize) -> Check<Scope> {
    at.require(at.int_scalar(index)? == 32, || "has a scope that is no 32-bit integer".to_owned())?;
    let id = at.id(index)?;
    match at.module().constant_bits(id).and_then(|bits| Scope::from_u32(u32::try_from(bits).ok()?)) {
        Some(scope) => Ok(scope),
        None => fault(Rule::Scope, format!("the scope {id} is no constant that names a scope")),
    }
}

/// Operand `index` as an execution scope.
pub(crate) fn execution_scope(at: &At<'_>, index: usize) -> Check<Scope> {
    match scope(at, index)? {
        scope @ (Scope::Workgroup | Scope::Subgroup) => Ok(scope),
        other => fault(Rule::Scope, format!("the execution scope is {other:?}, not Workgroup or Subgroup")),
    }
}

/// Operand `index` as a memory scope.
pub(crate) fn memory_scope(at: &At<'_>, index: usize) -> Check<Scope> {
    match scope(at, index)? {
        scope @ (Scope::CrossDevice | Scope::Device | Scope::Workgroup | Scope::Subgroup | Scope::Invocation) => {
            Ok(scope)
        }
        other => fault(Rule::Scope, format!("the memory scope is {other:?}, which no OpenCL environment has")),
    }
}

/// Operand `index` as memory semantics: a constant with at most one order.
pub(crate) fn semantics(at: &At<'_>, index: usize) -> Check<u32> {
    at.require(at.int_scalar(index)? == 32, || "has semantics that are no 32-bit integer".to_owned())?;
    let id = at.id(index)?;
    let Some(bits) = at.module().constant_bits(id).and_then(|bits| u32::try_from(bits).ok()) else {
        return fault(Rule::Scope, format!("the memory semantics {id} are no constant"));
    };
    at.require((bits & 0x1e).count_ones() <= 1, || format!("has more than one memory order in {bits:#x}"))?;
    if bits & 1 != 0 {
        at.accept(Quirk::ReservedSemantics, format!("has memory semantics {bits:#x}"));
    }
    // Orders and the memories of kernels: sub-group, work-group, cross-work-group, image.
    at.require(bits & !0xb9f == 0, || format!("has memory semantics {bits:#x}, which kernels do not have"))?;
    Ok(bits)
}

/// OpControlBarrier: execution scope, memory scope, semantics.
pub(crate) fn control(at: &At<'_>) -> Check {
    execution_scope(at, 0)?;
    memory_scope(at, 1)?;
    semantics(at, 2).map(|_| ())
}

/// OpMemoryBarrier: memory scope, semantics.
pub(crate) fn memory(at: &At<'_>) -> Check {
    memory_scope(at, 0)?;
    semantics(at, 1).map(|_| ())
}
