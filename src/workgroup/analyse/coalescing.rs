//! Coalescing work-groups: short ones run as one, so that no lanes of their gangs are idle. This says what work-items
//! of several work-groups have in common, and which kernels cannot tell these apart.

use crate::ir::{Function, InstId, Kind, Opcode, Operand, Type, space};
use oxicl_ops::Query;

/// How several work-groups in a row along x run as one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coalescing {
    /// Each work-group has one work-item along x.
    pub(crate) of_one: bool,
    /// There is another body, for single work-groups.
    pub(crate) is_aside: bool,
}

/// May work-groups run side by side? Not with local memory, waiting work-items, or questions about sub-groups.
pub(crate) fn may_share_a_gang(function: &Function<'_>) -> bool {
    let is_local = |ty: &Type| ty.is_pointer() && ty.address_space() == space::LOCAL;
    !function.has_cuts()
        && !function.in_fibers
        && !function.parameters.iter().any(|parameter| is_local(&parameter.ty))
        && !function.asks(Query::counts_sub_groups)
}

/// Does a kernel ask for anything that tells work-groups of a row apart?
pub(crate) fn asks_for_group(function: &Function<'_>) -> bool {
    function.asks(Query::tells_groups_apart)
}

/// Is a sum `group_id(0) * local_size(0) + local_id(0)`, which advances by one across coalesced work-groups?
pub(crate) fn is_place_in_row(function: &Function<'_>, id: InstId) -> bool {
    let sum = function.inst(id);
    if sum.opcode != Opcode::Add {
        return false;
    }
    // The query itself, or truncated.
    let asks = |operand: &Operand, is_it: fn(Query) -> bool| {
        let Operand::Inst(mut id) = *operand else { return false };
        if let (Opcode::Trunc, Some(Operand::Inst(whole))) =
            (function.inst(id).opcode, function.inst(id).operands.first())
        {
            id = *whole;
        }
        matches!(function.inst(id).kind, Kind::Query(query) if is_it(query))
    };
    let both = |[left, right]: [&Operand; 2], is_left: fn(Query) -> bool, is_right: fn(Query) -> bool| {
        asks(left, is_left) && asks(right, is_right) || asks(right, is_left) && asks(left, is_right)
    };
    let is_start = |operand: &Operand| {
        let Operand::Inst(id) = operand else { return false };
        let product = function.inst(*id);
        matches!((product.opcode, &product.operands[..]), (Opcode::Mul, [left, right])
            if both([left, right], |query| query == Query::GroupId(0), |query| query == Query::LocalSize(0)))
    };
    let is_own = |operand: &Operand| asks(operand, |query| query == Query::LocalId(0));
    matches!(&sum.operands[..], [left, right] if is_start(left) && is_own(right) || is_start(right) && is_own(left))
}
