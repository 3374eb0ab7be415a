//! Upper bounds of numbers that are computed from local ids and the sizes of work-groups, which are small.

use oxicl_ops::Query;
use oxicl_target::MAX_WORK_GROUP_SIZE;

use crate::bounds::CHAIN;
use crate::ir::{Function, Kind, Opcode, Operand};

/// The largest unsigned value of an integer of at most 64 bits, if it is known and no operation behind it may wrap.
pub(crate) fn largest(function: &Function<'_>, operand: Operand) -> Option<u64> {
    within(function, operand, CHAIN)
}

fn within(function: &Function<'_>, operand: Operand, far: usize) -> Option<u64> {
    if let Some(constant) = function.as_u64(operand) {
        return Some(constant);
    }
    let inst = function.made_by(operand)?;
    let of = |number: usize| within(function, *inst.operands.get(number)?, far.checked_sub(1)?);
    let found = match (&inst.kind, inst.opcode) {
        (Kind::Query(query), _) => of_query(*query)?,
        (Kind::Plain, Opcode::Trunc | Opcode::ZExt | Opcode::UDiv | Opcode::LShr | Opcode::URem) => of(0)?,
        (Kind::Plain, Opcode::Add) => of(0)?.checked_add(of(1)?)?,
        (Kind::Plain, Opcode::Mul) => of(0)?.checked_mul(of(1)?)?,
        (Kind::Plain, Opcode::Shl) => of(0)?.checked_mul(1u64.checked_shl(of(1)?.try_into().ok()?)?)?,
        (Kind::Plain, Opcode::And) => of(0).into_iter().chain(of(1)).min()?,
        _ => return None,
    };
    let width = inst.ty.int_width();
    ((1..=64).contains(&width) && found <= u64::MAX >> (64 - width)).then_some(found)
}

fn of_query(query: Query) -> Option<u64> {
    match query {
        Query::LocalId(_) | Query::LocalLinearId => Some(MAX_WORK_GROUP_SIZE - 1),
        Query::LocalSize(_) | Query::EnqueuedLocalSize(_) => Some(MAX_WORK_GROUP_SIZE),
        _ => None,
    }
}
