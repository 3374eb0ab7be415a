//! Short work-groups that run as one, so that no lanes of their gangs are idle: which kernels allow it, and what work-items of
//! several work-groups have in common.

use oxicl_llvm::Opcode;
use oxicl_protocol::PACKED_ITEMS;

use crate::analyse::shape::{Layout, Shape};
use crate::arena::{Function, InstId, Kind, Operand};
use crate::emit::CallTree;
use crate::operation::Query;
use crate::plan::Wanted;

/// How several work-groups in a row along x run as one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packing {
    /// They have one work-item along x.
    pub(crate) of_one: bool,
    /// There is another body for one work-group by itself.
    pub(crate) is_aside: bool,
}

impl Packing {
    /// The shape of the answer to a question by which work-items of several work-groups differ. These have all the same size.
    pub(crate) fn shape(self, query: Query) -> Option<Shape> {
        query.tells_groups_apart().then_some(match query {
            Query::LocalSize(_) => Shape::Uniform,
            Query::LocalId(_) if self.of_one => Shape::Uniform,
            Query::LocalLinearId if self.of_one => Shape::Row,
            Query::GroupId(_) if self.of_one => Shape::Affine(1),
            _ => Shape::Varying,
        })
    }
}

/// Instructions up to which a kernel has a body for work-groups that run as one beside the usual one.
const SMALL: usize = 200;

/// What it costs to run a work-group, beside what its gang does.
const ALONE: f64 = 12.0;

/// The most work-items along x of a work-group that are few for gangs of so many lanes. Their places are computed by a product
/// that is right up to 32.
pub(crate) fn most_packed(lanes: u32) -> u32 {
    (lanes / 2).min(32)
}

/// The most for which it pays that several work-groups run as one, if a gang of these costs `packed`, and one of a work-group by
/// itself `alone`.
pub(crate) fn most_paying(lanes: u32, (packed, alone): (f64, f64)) -> u32 {
    let most = f64::from(lanes) * (alone + ALONE) / packed.max(1.0);
    most_packed(lanes).min(most as u32)
}

/// May work-items of several work-groups run side by side? Not if they share memory or wait for each other.
pub(crate) fn may_share_a_gang(function: &Function<'_>) -> bool {
    /// The address space of local memory.
    const LOCAL: u32 = 3;
    let is_local = |ty: oxicl_llvm::Type<'_>| ty.is_pointer() && ty.address_space() == LOCAL;
    !function.has_cuts()
        && !function.in_fibers
        && !function.parameters.iter().any(|parameter| is_local(parameter.ty()))
        && !function.asks(Query::counts_sub_groups)
}

/// Does a kernel ask for what differs between work-groups in a row?
pub(crate) fn asks_for_group(function: &Function<'_>) -> bool {
    function.asks(Query::tells_groups_apart)
}

/// Is a sum the place of a work-item counted through all work-groups along x: the number of its own times their size, and its
/// place there? Then it goes on by one from each to the next of those that run as one.
pub(crate) fn is_place_in_row(function: &Function<'_>, id: InstId) -> bool {
    let sum = function.inst(id);
    if sum.opcode != Opcode::Add {
        return false;
    }
    // As they are, or cut to fewer bits.
    let asks = |operand: &Operand<'_>, is_it: fn(Query) -> bool| {
        let Operand::Inst(mut id) = *operand else { return false };
        if let (Opcode::Trunc, Some(Operand::Inst(whole))) =
            (function.inst(id).opcode, function.inst(id).operands.first())
        {
            id = *whole;
        }
        matches!(function.inst(id).kind, Kind::Query(query) if is_it(query))
    };
    let both = |[left, right]: [&Operand<'_>; 2], is_left: fn(Query) -> bool, is_right: fn(Query) -> bool| {
        asks(left, is_left) && asks(right, is_right) || asks(right, is_left) && asks(left, is_right)
    };
    let is_start = |operand: &Operand<'_>| {
        let Operand::Inst(id) = operand else { return false };
        let product = function.inst(*id);
        matches!((product.opcode, &product.operands[..]), (Opcode::Mul, [left, right])
            if both([left, right], |query| query == Query::GroupId(0), |query| query == Query::LocalSize(0)))
    };
    let is_own = |operand: &Operand<'_>| asks(operand, |query| query == Query::LocalId(0));
    matches!(&sum.operands[..], [left, right] if is_start(left) && is_own(right) || is_start(right) && is_own(left))
}

/// How work-groups of a kernel run as one where that is worth a body, and more than to run them as if they were one.
/// `required` is the size that they have to have.
pub(crate) fn packing(
    function: &Function<'_>,
    tree: &CallTree<'_>,
    wanted: Wanted,
    required: Option<[u32; 3]>,
) -> Option<Packing> {
    let lanes = Wanted { row: None, ..wanted }.lanes();
    let may = lanes > 1
        && wanted.layout == Layout::Rows
        && tree.functions.is_empty()
        && tree.locals.is_empty()
        && may_share_a_gang(function)
        && asks_for_group(function);
    let most = most_packed(lanes);
    let is_short = |[x, y, z]: [u32; 3]| x <= if y > 1 || z > 1 { most / 2 } else { most };
    let fits = match required {
        Some(size) => is_short(size),
        None => function.insts.len() <= SMALL,
    };
    let of_one = required.is_some_and(|size| size[0] == 1);
    (may && fits).then_some(Packing { of_one, is_aside: required.is_none() })
}

/// Bits of the fraction of an inverse: the product of it, made up to the next integer, with a place among the work-items that
/// run as one has the quotient's whole part, for sizes up to 32, and fits into 32 bits.
pub(crate) const INVERSE_BITS: u32 = 18;
const _: () = assert!(PACKED_ITEMS * 32 < 1 << INVERSE_BITS && PACKED_ITEMS << INVERSE_BITS <= 1 << 31);
