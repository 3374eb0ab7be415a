//! Non-Uniform Instructions, in the types that the environment lists for them.

use oxicl_spirv::Def;
use oxicl_spirv::grammar::{GroupOperation, Scope};

use super::barrier::execution_scope;
use super::group::{boolean, group_operation, integer, is_number, number, numbers};
use crate::at::{At, Scalar, Shape};
use crate::quirk::Quirk;
use crate::rule::Rule;
use crate::violation::{Check, fault};

/// What a ballot is: a bit for each of up to 128 work-items.
const BALLOT: Shape = Shape { scalar: Scalar::Int(32), count: 4 };

/// The execution scope, operand 0.
fn sub_group(at: &At<'_>) -> Check {
    match execution_scope(at, 0)? {
        Scope::Subgroup => Ok(()),
        other => fault(Rule::ExecutionScope, format!("the execution scope is {other:?}, not Subgroup")),
    }
}

/// OpGroupNonUniformElect: scope.
pub(crate) fn elect(at: &At<'_>) -> Check {
    boolean(at)?;
    sub_group(at)
}

/// OpGroupNonUniformAll, OpGroupNonUniformAny: scope, predicate.
pub(crate) fn vote(at: &At<'_>) -> Check {
    elect(at)?;
    at.operand_is(1, at.result()?)
}

/// OpGroupNonUniformAllEqual: scope, value.
pub(crate) fn all_equal(at: &At<'_>) -> Check {
    elect(at)?;
    let value = at.shape(1)?;
    at.require(is_number(value) && value.count == 1, || "compares something other than numbers".to_owned())
}

/// OpGroupNonUniformBroadcast: scope, value, whose, which was a constant before SPIR-V 1.5.
pub(crate) fn broadcast(at: &At<'_>) -> Check {
    numbers(at)?;
    sub_group(at)?;
    at.operand_is(1, at.result()?)?;
    at.int_scalar(2)?;
    let constant = matches!(at.module().def(at.id(2)?), Def::Constant(_));
    if !constant && at.module().version < (1, 5) {
        at.accept(Quirk::BroadcastConstant, "takes the value of a work-item that is no constant");
    }
    Ok(())
}

/// OpGroupNonUniformBroadcastFirst: scope, value.
pub(crate) fn broadcast_first(at: &At<'_>) -> Check {
    number(at)?;
    sub_group(at)?;
    at.operand_is(1, at.result()?)
}

/// OpGroupNonUniformBallot: scope, predicate.
pub(crate) fn ballot(at: &At<'_>) -> Check {
    let shape = at.result_shape()?;
    at.require(shape == BALLOT, || "gives no four 32-bit integers".to_owned())?;
    sub_group(at)?;
    at.operand_has(1, Shape { scalar: Scalar::Bool, count: 1 })
}

/// OpGroupNonUniformInverseBallot: scope, ballot.
pub(crate) fn inverse_ballot(at: &At<'_>) -> Check {
    elect(at)?;
    at.operand_has(1, BALLOT)
}

/// OpGroupNonUniformBallotBitExtract: scope, ballot, number of the bit.
pub(crate) fn ballot_bit_extract(at: &At<'_>) -> Check {
    inverse_ballot(at)?;
    at.int_scalar(2).map(|_| ())
}

/// OpGroupNonUniformBallotBitCount: scope, group operation, ballot.
pub(crate) fn ballot_bit_count(at: &At<'_>) -> Check {
    integer(at)?;
    sub_group(at)?;
    let operation = group_operation(at, 1)?;
    at.require(operation != GroupOperation::ClusteredReduce, || "counts in clusters".to_owned())?;
    at.operand_has(2, BALLOT)
}

/// OpGroupNonUniformBallotFindLSB, OpGroupNonUniformBallotFindMSB: scope, ballot.
pub(crate) fn ballot_find(at: &At<'_>) -> Check {
    integer(at)?;
    sub_group(at)?;
    at.operand_has(1, BALLOT)
}

/// OpGroupNonUniformShuffle and its like: scope, value, an integer that says whose.
pub(crate) fn shuffle(at: &At<'_>) -> Check {
    number(at)?;
    sub_group(at)?;
    at.operand_is(1, at.result()?)?;
    at.int_scalar(2).map(|_| ())
}

/// OpGroupNonUniformRotateKHR: as a shuffle, and how many work-items make a cluster.
pub(crate) fn rotate(at: &At<'_>) -> Check {
    shuffle(at)?;
    if at.operand_count() > 3 { cluster_size(at, 3) } else { Ok(()) }
}

/// Operand `index` as a size of clusters: a constant power of two.
fn cluster_size(at: &At<'_>, index: usize) -> Check {
    at.int_scalar(index)?;
    let size = at.module().constant_bits(at.id(index)?);
    at.require(size.is_some_and(u64::is_power_of_two), || {
        "has a cluster size that is no constant, or no power of two".to_owned()
    })
}

/// OpGroupNonUniformIAdd and its like, whose result `kind` checks: scope, group operation, value, cluster size.
pub(crate) fn arithmetic(at: &At<'_>, kind: fn(&At<'_>) -> Check) -> Check {
    kind(at)?;
    sub_group(at)?;
    let operation = group_operation(at, 1)?;
    at.operand_is(2, at.result()?)?;
    if operation != GroupOperation::ClusteredReduce {
        return at.require(at.operand_count() == 3, || "has a cluster size but no clusters".to_owned());
    }
    at.require(at.operand_count() == 4, || "has clusters without a size".to_owned())?;
    cluster_size(at, 3)
}
