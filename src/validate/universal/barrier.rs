//! Barrier Instructions, and the scopes and semantics that they share with atomics.

use oxicl_spirv::Type;
use oxicl_spirv::grammar::Scope;

use crate::at::{At, Scalar, Shape};
use crate::opencl::scopes;
use crate::quirk::Quirk;
use crate::rule::Rule;
use crate::violation::{Check, fault};

/// Operand `index` as a scope: a 32-bit integer, which names a scope if it is a constant.
fn scope(at: &At<'_>, index: usize) -> Check<Option<Scope>> {
    at.require(at.int_scalar(index)? == 32, || "has a scope that is no 32-bit integer".to_owned())?;
    let id = at.id(index)?;
    let Some(bits) = at.module().constant_bits(id) else { return Ok(None) };
    match u32::try_from(bits).ok().and_then(Scope::from_u32) {
        Some(scope) => Ok(Some(scope)),
        None => fault(Rule::Scope, format!("{id} is {bits}, which names no scope")),
    }
}

/// Operand `index` as an execution scope.
pub(crate) fn execution_scope(at: &At<'_>, index: usize) -> Check<Scope> {
    let Some(scope) = scope(at, index)? else {
        return fault(Rule::NotSupported, "execution scopes that are no constants are not supported by this device");
    };
    scopes::execution(at, scope)?;
    Ok(scope)
}

/// Operand `index` as a memory scope. One that is chosen at run time counts as the widest.
pub(crate) fn memory_scope(at: &At<'_>, index: usize) -> Check<Scope> {
    let scope = scope(at, index)?.unwrap_or(Scope::CrossDevice);
    scopes::memory(at, scope)?;
    Ok(scope)
}

/// Operand `index` as memory semantics with at most one order. Those that are chosen at run time count as the strongest.
pub(crate) fn semantics(at: &At<'_>, index: usize) -> Check<Option<u32>> {
    at.require(at.int_scalar(index)? == 32, || "has semantics that are no 32-bit integer".to_owned())?;
    let bits = at.module().constant_bits(at.id(index)?).and_then(|bits| u32::try_from(bits).ok());
    let Some(bits) = bits else {
        return scopes::order(at, scopes::SEQUENTIALLY_CONSISTENT).map(|()| None);
    };
    if (bits & 0x1e).count_ones() > 1 {
        return fault(Rule::MemorySemantics, format!("there is more than one memory order in {bits:#x}"));
    }
    if bits & 1 != 0 {
        at.accept(Quirk::ReservedSemantics, format!("has memory semantics {bits:#x}"));
    }
    // Orders and the memories of kernels: sub-group, work-group, cross-work-group, image.
    if bits & !0xb9f != 0 {
        return fault(Rule::MemorySemantics, format!("kernels do not have the memory semantics {bits:#x}"));
    }
    scopes::order(at, bits)?;
    Ok(Some(bits))
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

/// OpControlBarrierArriveINTEL and OpControlBarrierWaitINTEL: as OpControlBarrier, in the work-group.
pub(crate) fn split(at: &At<'_>) -> Check {
    control(at)?;
    match execution_scope(at, 0)? {
        Scope::Workgroup => Ok(()),
        other => fault(Rule::ExecutionScope, format!("the execution scope is {other:?}, not Workgroup")),
    }
}

/// OpNamedBarrierInitialize: the number of sub-groups that the barrier is for.
pub(crate) fn initialize_named(at: &At<'_>) -> Check {
    let ty = at.result()?;
    at.require(at.subject.declaration(ty) == Some(&Type::NamedBarrier), || "gives no named barrier".to_owned())?;
    at.require(at.int_scalar(0)? == 32, || "has a number of sub-groups that is no 32-bit integer".to_owned())
}

/// OpMemoryNamedBarrier: the barrier, memory scope, semantics.
pub(crate) fn named(at: &At<'_>) -> Check {
    let is_barrier = at.subject.declaration(at.operand(0)?) == Some(&Type::NamedBarrier);
    at.require(is_barrier, || "waits at what is no named barrier".to_owned())?;
    memory_scope(at, 1)?;
    semantics(at, 2).map(|_| ())
}

/// OpReadClockKHR: 64 bits, whole or in halves; scope of the clock.
pub(crate) fn read_clock(at: &At<'_>) -> Check {
    let shape = at.result_shape()?;
    let long =
        matches!(shape, Shape { scalar: Scalar::Int(64), count: 1 } | Shape { scalar: Scalar::Int(32), count: 2 });
    at.require(long, || "gives neither a 64-bit integer nor two of 32 bits".to_owned())?;
    match scope(at, 0)? {
        Some(Scope::Device | Scope::Workgroup | Scope::Subgroup) => Ok(()),
        Some(other) => {
            fault(Rule::Scope, format!("the clock is that of {other:?}, not of Device, Workgroup or Subgroup"))
        }
        None => fault(Rule::Scope, "the scope of the clock is no constant"),
    }
}
