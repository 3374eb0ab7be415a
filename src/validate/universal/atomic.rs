//! Atomic Instructions, with the environment's rules on their scopes and semantics.

use oxicl_caps::Feature;
use oxicl_spirv::grammar::{Capability, Op, StorageClass};
use oxicl_spirv::{TypeRef, op_name};

use super::barrier::{memory_scope, semantics};
use crate::at::{At, Scalar};
use crate::opencl::scopes::{self, ACQUIRE, ACQUIRE_RELEASE, RELEASE, SEQUENTIALLY_CONSISTENT};
use crate::quirk::Quirk;
use crate::rule::Rule;
use crate::violation::{Check, fault};

/// The pointer at operand 0: gives the pointee.
fn target(at: &At<'_>) -> Check<TypeRef> {
    let (storage, pointee) = at.pointer(0)?;
    let allowed = matches!(
        storage,
        StorageClass::Function
            | StorageClass::Workgroup
            | StorageClass::CrossWorkgroup
            | StorageClass::Generic
            | StorageClass::DeviceOnlyALTERA
            | StorageClass::HostOnlyALTERA
    );
    at.require(allowed, || format!("works on {storage:?} memory"))?;
    Ok(pointee)
}

/// What atomics on 64-bit integers need is declared.
fn long(at: &At<'_>) -> Check {
    let declared = at.subject.declared.needs(&[Capability::Int64Atomics], "an atomic on 64 bits");
    if declared.is_err() && at.instruction.op == Op::AtomicCompareExchangeWeak {
        at.accept(Quirk::WeakExchange, "is on 64 bits without the capability Int64Atomics");
        return Ok(());
    }
    declared
}

/// The pointee, which is the result too, is an integer of 32 or 64 bits.
fn integer(at: &At<'_>) -> Check<TypeRef> {
    let pointee = target(at)?;
    match at.subject.scalar(pointee) {
        Some(Scalar::Int(32)) => {}
        Some(Scalar::Int(64)) => long(at)?,
        _ => return at.fault(format!("works on a {}", at.subject.describe(pointee))),
    }
    if let Some(result) = at.instruction.result_type {
        at.require(result == pointee, || "gives another type than it points to".to_owned())?;
    }
    Ok(pointee)
}

/// As `integer`, floating-point numbers too.
fn number(at: &At<'_>) -> Check<TypeRef> {
    let pointee = target(at)?;
    match at.subject.scalar(pointee) {
        Some(Scalar::Int(32) | Scalar::Float(32 | 64)) => {}
        Some(Scalar::Float(16)) if at.subject.caps.has(Feature::HalfAtomics) => {}
        Some(Scalar::Int(64)) => long(at)?,
        _ => return at.fault(format!("works on a {}", at.subject.describe(pointee))),
    }
    if let Some(result) = at.instruction.result_type {
        at.require(result == pointee, || "gives another type than it points to".to_owned())?;
    }
    Ok(pointee)
}

fn scope_and_semantics(at: &At<'_>) -> Check {
    memory_scope(at, 1)?;
    semantics(at, 2).map(|_| ())
}

/// The semantics at `index` have no order of `orders`, which the instruction cannot keep.
fn without(at: &At<'_>, index: usize, orders: u32, what: &str) -> Check {
    let found = semantics(at, index)?.unwrap_or_default();
    if found & orders == 0 {
        return Ok(());
    }
    fault(Rule::MemorySemantics, format!("{} {what}", op_name(at.instruction.op)))
}

/// OpAtomicLoad: pointer, scope, semantics.
pub(crate) fn load(at: &At<'_>) -> Check {
    number(at)?;
    let constant = |index| match at.int_scalar(index)? {
        32 => at.id(index).map(|id| at.module().constant_bits(id)),
        _ => Ok(None),
    };
    if let (Some(scope), Some(semantics)) = (constant(1)?, constant(2)?)
        && let Some(order) = scopes::order_as_scope(scope, semantics)
    {
        at.accept(Quirk::OrderAsScope, format!("has the scope {scope} and the semantics {semantics}"));
        return scopes::order(at, order);
    }
    scope_and_semantics(at)?;
    without(at, 2, RELEASE | ACQUIRE_RELEASE, "releases, but writes nothing")
}

/// OpAtomicStore: pointer, scope, semantics, value.
pub(crate) fn store(at: &At<'_>) -> Check {
    let ty = number(at)?;
    scope_and_semantics(at)?;
    without(at, 2, ACQUIRE | ACQUIRE_RELEASE, "acquires, but reads nothing")?;
    at.operand_is(3, ty)
}

/// OpAtomicExchange: pointer, scope, semantics, value.
pub(crate) fn exchange(at: &At<'_>) -> Check {
    let ty = number(at)?;
    scope_and_semantics(at)?;
    at.operand_is(3, ty)
}

/// OpAtomicIAdd and its like: pointer, scope, semantics, value.
pub(crate) fn arithmetic(at: &At<'_>) -> Check {
    let ty = integer(at)?;
    scope_and_semantics(at)?;
    at.operand_is(3, ty)
}

/// OpAtomicFAddEXT: each width has a capability.
pub(crate) fn add_float(at: &At<'_>) -> Check {
    let capabilities =
        [Capability::AtomicFloat16AddEXT, Capability::AtomicFloat32AddEXT, Capability::AtomicFloat64AddEXT];
    float(at, capabilities)
}

/// OpAtomicFMinEXT and OpAtomicFMaxEXT.
pub(crate) fn extreme_float(at: &At<'_>) -> Check {
    let capabilities =
        [Capability::AtomicFloat16MinMaxEXT, Capability::AtomicFloat32MinMaxEXT, Capability::AtomicFloat64MinMaxEXT];
    float(at, capabilities)
}

fn float(at: &At<'_>, [half, single, double]: [Capability; 3]) -> Check {
    let ty = number(at)?;
    let (capability, width) = match at.subject.scalar(ty) {
        Some(Scalar::Float(16)) => (half, 16),
        Some(Scalar::Float(32)) => (single, 32),
        Some(Scalar::Float(64)) => (double, 64),
        _ => return at.fault("works on no float"),
    };
    at.subject.declared.needs(&[capability], &format!("a {} on {width} bits", op_name(at.instruction.op)))?;
    scope_and_semantics(at)?;
    at.operand_is(3, ty)
}

/// OpAtomicIIncrement, OpAtomicIDecrement: pointer, scope, semantics.
pub(crate) fn step(at: &At<'_>) -> Check {
    integer(at)?;
    scope_and_semantics(at)
}

/// OpAtomicCompareExchange and its weak form: pointer, scope, semantics if equal, if unequal, value, comparator.
pub(crate) fn compare_exchange(at: &At<'_>) -> Check {
    let ty = integer(at)?;
    scope_and_semantics(at)?;
    without(at, 3, RELEASE | ACQUIRE_RELEASE, "releases where the values are unequal and nothing is written")?;
    if let (Some(equal), Some(unequal)) = (semantics(at, 2)?, semantics(at, 3)?) {
        let weaker = |order, least| unequal & order != 0 && equal & least == 0;
        let any = ACQUIRE | RELEASE | ACQUIRE_RELEASE | SEQUENTIALLY_CONSISTENT;
        if weaker(SEQUENTIALLY_CONSISTENT, SEQUENTIALLY_CONSISTENT) || weaker(ACQUIRE, any) {
            let detail = "the memory order is stronger where the values are unequal than where they are equal";
            return fault(Rule::MemorySemantics, detail);
        }
    }
    at.operand_is(4, ty)?;
    at.operand_is(5, ty)
}

/// OpAtomicFlagTestAndSet and OpAtomicFlagClear: a pointer to a 32-bit integer, scope, semantics.
pub(crate) fn flag(at: &At<'_>) -> Check {
    let pointee = target(at)?;
    at.require(at.subject.scalar(pointee) == Some(Scalar::Int(32)), || "works on no 32-bit integer".to_owned())?;
    if at.instruction.result_type.is_some() {
        let shape = at.result_shape()?;
        at.require(shape.scalar == Scalar::Bool && shape.count == 1, || "gives no boolean".to_owned())?;
    }
    scope_and_semantics(at)?;
    match at.instruction.op {
        Op::AtomicFlagClear => without(at, 2, ACQUIRE | ACQUIRE_RELEASE, "acquires, but reads nothing"),
        _ => Ok(()),
    }
}
