//! Group and Subgroup Instructions, with those of SPV_KHR_uniform_group_instructions and SPV_INTEL_subgroups; which
//! scopes and types they take, the environment says.

use oxicl_spirv::grammar::{GroupOperation, Scope, StorageClass};

use super::barrier::execution_scope;
use crate::at::{At, Scalar, Shape};
use crate::rule::Rule;
use crate::violation::{Check, fault};

/// Integers of these widths, and floats, are what groups exchange.
pub(crate) fn is_number(shape: Shape) -> bool {
    matches!(shape.scalar, Scalar::Int(8 | 16 | 32 | 64) | Scalar::Float(16 | 32 | 64))
}

/// The result is one number.
pub(crate) fn number(at: &At<'_>) -> Check {
    let shape = at.result_shape()?;
    at.require(is_number(shape) && shape.count == 1, || "gives no number".to_owned())
}

/// The result is a number or a vector of numbers.
pub(crate) fn numbers(at: &At<'_>) -> Check {
    let shape = at.result_shape()?;
    at.require(is_number(shape), || "gives neither a number nor a vector of numbers".to_owned())
}

/// The result is one boolean.
pub(crate) fn boolean(at: &At<'_>) -> Check {
    let shape = at.result_shape()?;
    at.require(shape == Shape { scalar: Scalar::Bool, count: 1 }, || "gives no boolean".to_owned())
}

/// The result is one integer.
pub(crate) fn integer(at: &At<'_>) -> Check {
    number(at)?;
    let shape = at.result_shape()?;
    at.require(shape.scalar.is_int(), || "gives no integer".to_owned())
}

/// The result is one float.
pub(crate) fn float(at: &At<'_>) -> Check {
    number(at)?;
    let shape = at.result_shape()?;
    at.require(shape.scalar.is_float(), || "gives no float".to_owned())
}

/// Operand `index` as a group operation; those of partitions are another extension's.
pub(crate) fn group_operation(at: &At<'_>, index: usize) -> Check<GroupOperation> {
    match GroupOperation::from_u32(at.word(index)?) {
        Some(
            operation @ (GroupOperation::Reduce
            | GroupOperation::InclusiveScan
            | GroupOperation::ExclusiveScan
            | GroupOperation::ClusteredReduce),
        ) => Ok(operation),
        Some(other) => at.fault(format!("has the group operation {other:?}, which kernels do not have")),
        None => at.fault("has no group operation"),
    }
}

/// OpGroupAll, OpGroupAny: execution scope, predicate.
pub(crate) fn vote(at: &At<'_>) -> Check {
    boolean(at)?;
    execution_scope(at, 0)?;
    at.operand_is(1, at.result()?)
}

/// OpGroupBroadcast: execution scope, value, the local id as one integer or a vector of two or three.
pub(crate) fn broadcast(at: &At<'_>) -> Check {
    numbers(at)?;
    execution_scope(at, 0)?;
    at.operand_is(1, at.result()?)?;
    let id = at.shape(2)?;
    at.require(id.scalar.is_int() && id.count <= 3, || "has no local id of one to three integers".to_owned())
}

/// OpGroupIAdd and its like, whose result `kind` checks: execution scope, group operation, value.
pub(crate) fn arithmetic(at: &At<'_>, kind: fn(&At<'_>) -> Check) -> Check {
    kind(at)?;
    execution_scope(at, 0)?;
    let operation = group_operation(at, 1)?;
    at.require(operation != GroupOperation::ClusteredReduce, || "has clusters, which it does not know".to_owned())?;
    at.operand_is(2, at.result()?)
}

/// The instructions of SPV_KHR_uniform_group_instructions: as `arithmetic`, in the work-group.
pub(crate) fn uniform_arithmetic(at: &At<'_>, kind: fn(&At<'_>) -> Check) -> Check {
    arithmetic(at, kind)?;
    let wide = !matches!(at.result_shape()?.scalar, Scalar::Int(8 | 16));
    at.require(wide, || "is on integers of neither 32 nor 64 bits".to_owned())?;
    match execution_scope(at, 0)? {
        Scope::Workgroup => Ok(()),
        other => fault(Rule::ExecutionScope, format!("the execution scope is {other:?}, not Workgroup")),
    }
}

/// OpSubgroupShuffleINTEL and its like: `sources` values, and an integer that says whose.
pub(crate) fn shuffle_intel(at: &At<'_>, sources: usize) -> Check {
    numbers(at)?;
    for index in 0..sources {
        at.operand_is(index, at.result()?)?;
    }
    at.require(at.int_scalar(sources)? == 32, || "has no 32-bit integer that says whose value".to_owned())
}

/// Memory that a block operation reads or writes: a pointer to the component type of `data`.
fn block(at: &At<'_>, data: Shape) -> Check {
    let (storage, pointee) = at.pointer(0)?;
    let scalar = matches!(data.scalar, Scalar::Int(_)) && is_number(data);
    at.require(scalar, || "transfers something other than integers".to_owned())?;
    at.require(at.subject.scalar(pointee) == Some(data.scalar), || {
        format!("points to a {}, which is not the component of its data", at.subject.describe(pointee))
    })?;
    let allowed = matches!(storage, StorageClass::CrossWorkgroup | StorageClass::Workgroup | StorageClass::Generic);
    at.require(allowed, || format!("works on {storage:?} memory"))
}

/// OpSubgroupBlockReadINTEL: pointer.
pub(crate) fn block_read(at: &At<'_>) -> Check {
    let shape = at.result_shape()?;
    block(at, shape)
}

/// OpSubgroupBlockWriteINTEL: pointer, data.
pub(crate) fn block_write(at: &At<'_>) -> Check {
    let shape = at.shape(1)?;
    block(at, shape)
}
