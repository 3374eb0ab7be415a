//! Grid-stride loops: their stride is the number of the launch's work-items, or work-groups, and they access each
//! element once.

use crate::ir::{BlockId, Function, InstId, Kind, Opcode, Operand};
use oxicl_ops::Query;

use crate::analyse::graph::Graph;
use crate::analyse::induction::counter;
use crate::analyse::instructions::signedness;
use crate::analyse::shape::{Shape, Shapes};
use crate::bounds::CHAIN;

/// A loop whose counter advances by the number of the launch's work-items or work-groups, or a multiple.
pub(crate) struct GridStride {
    pub(crate) number: usize,
    pub(crate) counter: InstId,
    pub(crate) by: Operand,
    /// Where the counter ends, and whether it is compared as a signed number.
    pub(crate) end: Operand,
    pub(crate) signed: bool,
}

/// The innermost loop around a block, if it is a grid-stride loop and an address advances by its stride.
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
    let goes_far = shapes.of_operand(counter.by).is_row_uniform() && spans_launch(function, counter.by, CHAIN);
    if !is_of_loop || !goes_far || !matches!(shapes.of(counter.phi), Shape::Affine(_)) {
        return None;
    }
    graph.loops[number].bounds.iter().find_map(|bound| {
        let signed = signedness(bound.predicate)?;
        let ends = bound.counter.phi == counter.phi && shapes.of_operand(bound.end).is_row_uniform();
        ends.then_some(GridStride { number, counter: counter.phi, by: counter.by, end: bound.end, signed })
    })
}

/// Is a number the launch's number of work-items or work-groups, or a multiple?
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
