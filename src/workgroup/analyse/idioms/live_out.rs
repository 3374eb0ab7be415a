//! Induction live-outs: counters that a phi after a loop takes, where lanes leave the loop in different iterations.

use oxicl_protocol::Decision;

use crate::analyse::course::{Course, Leave};
use crate::analyse::graph::Graph;
use crate::analyse::induction::recurrence;
use crate::analyse::shape::{Shape, Shapes};
use crate::ir::{BlockId, ConstantId, Function, InstId, Kind, Operand};

/// A phi after a loop that takes a counter of the loop.
pub(crate) struct LiveOut {
    /// The loop's header.
    pub(crate) header: usize,
    /// The node at which lanes diverge, some of them to the phi.
    pub(crate) at: usize,
    pub(crate) phi: InstId,
    /// Where the counter starts, and its step per iteration.
    pub(crate) start: Operand,
    pub(crate) step: ConstantId,
    /// Does the phi take the counter's value in the next iteration?
    pub(crate) is_next: bool,
}

/// Finds phis that lanes diverge to at one node of the loop alone, which every iteration runs.
pub(crate) fn live_outs<'m>(function: &Function<'m>, shapes: &Shapes, graph: &Graph, course: &Course) -> Vec<LiveOut> {
    let mut found = Vec::new();
    for (number, l) in graph.loops.iter().enumerate().filter(|(number, _)| course.diverges(*number)) {
        let entries = graph.predecessors[l.header].iter().filter(|node| !graph.is_in(**node, number)).count();
        let diverges = |node: usize| matches!(course.leave[node], Leave::Diverge { .. });
        let each_iteration = |node: usize| graph.innermost(node) == Some(number) && graph.dominates(node, l.latch);
        for at in l.nodes().filter(|at| entries == 1 && diverges(*at) && each_iteration(*at)) {
            let exits = graph.successors[at].iter().copied();
            for exit in
                exits.filter(|to| *to != graph.end() && !graph.is_in(*to, number) && graph.headed(*to).is_none())
            {
                let insts = function.block(graph.blocks[exit]).insts.iter().copied();
                for phi in insts.filter(|id| shapes.of(*id) == Shape::Varying) {
                    let Kind::Phi(blocks) = &function.inst(phi).kind else { continue };
                    let by_lanes = |block: &BlockId| graph.holds(number, *block) && diverges(graph.numbers[block]);
                    let mut given =
                        blocks.iter().zip(&function.inst(phi).operands).filter(|(block, _)| by_lanes(block));
                    let (Some((_, Operand::Inst(value))), None) = (given.next(), given.next()) else { continue };
                    if let Some((start, step, is_next)) = counter(function, shapes, graph.blocks[l.header], *value)
                        && function.allows(Decision::Counters, phi)
                    {
                        found.push(LiveOut { header: l.header, at, phi, start, step, is_next });
                    }
                }
            }
        }
    }
    found
}

/// If a value is a uniform or affine counter of a loop, or its next value: the start, the step, and whether it is next.
fn counter<'m>(
    function: &Function<'m>,
    shapes: &Shapes,
    header: BlockId,
    value: InstId,
) -> Option<(Operand, ConstantId, bool)> {
    let mut counters = function.block(header).insts.iter().filter_map(|phi| recurrence(function, *phi));
    let counter = counters.find(|counter| counter.phi == value || counter.next == value)?;
    let plain = matches!(shapes.of(counter.phi), Shape::Uniform | Shape::Row | Shape::Affine(_));
    match (counter.by, &counter.starts[..]) {
        (Operand::Constant(step), [start]) if counter.is_whole && plain => Some((*start, step, value == counter.next)),
        _ => None,
    }
}
