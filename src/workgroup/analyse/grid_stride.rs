//! Loops that go through memory in strides as long as the launch has work-items, or work-groups, each element once.

use crate::ir::{BlockId, Function, InstId, Kind, Opcode, Operand};
use oxicl_ops::Query;

use crate::analyse::graph::Graph;
use crate::analyse::induction::{bounds, counter};
use crate::analyse::instructions::signedness;
use crate::analyse::shape::{Shape, Shapes};
use crate::bounds::grid_stride::FAR;

/// A loop that counts by about as much as the launch has work-items.
pub(crate) struct GridStride {
    pub(crate) number: usize,
    pub(crate) counter: InstId,
    pub(crate) by: Operand,
    /// Up to where it loads, and whether numbers have a sign there.
    pub(crate) end: Operand,
    pub(crate) signed: bool,
}

/// The stride of the innermost loop that a block is in, if an address advances by it.
pub(crate) fn grid_stride<'m>(
    function: &Function<'m>,
    shapes: &Shapes,
    graph: &Graph,
    block: BlockId,
    address: Operand,
) -> Option<GridStride> {
    let number = graph.innermost(*graph.numbers.get(&block)?)?;
    let inst = function.made_by(address)?;
    let [_, index] = inst.operands[..] else { return None };
    let counter = counter(function, index).filter(|_| inst.opcode == Opcode::GetElementPtr)?;
    let is_of_loop = function.inst(counter.phi).block == graph.blocks[graph.loops[number].header];
    let goes_far = shapes.of_operand(counter.by).is_row_uniform() && spans_launch(function, counter.by, FAR);
    if !is_of_loop || !goes_far || !matches!(shapes.of(counter.phi), Shape::Affine(_)) {
        return None;
    }
    bounds(function, graph, number).into_iter().find_map(|bound| {
        let signed = signedness(bound.predicate)?;
        let ends = bound.counter.phi == counter.phi && shapes.of_operand(bound.end).is_row_uniform();
        ends.then_some(GridStride { number, counter: counter.phi, by: counter.by, end: bound.end, signed })
    })
}

/// Is a number that of the work-items of the launch, or of its work-groups, as often as may be?
fn spans_launch(function: &Function<'_>, operand: Operand, far: usize) -> bool {
    let Some(inst) = function.made_by(operand) else { return false };
    match (&inst.kind, inst.opcode) {
        (Kind::Query(query), _) => matches!(query, Query::GlobalSize(_) | Query::NumGroups(_)),
        (Kind::Plain, Opcode::ZExt | Opcode::SExt | Opcode::Trunc | Opcode::Mul | Opcode::Shl) if far > 0 => {
            inst.operands.iter().any(|operand| spans_launch(function, *operand, far - 1))
        }
        _ => false,
    }
}
