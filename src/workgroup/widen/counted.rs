//! Counters of a loop that lanes leave in different turns, as each lane has them when it leaves. That need not be put together
//! from what all have in each turn: lanes that are still there go on by the counter's step, those that left do not. It is one
//! operation for each register, under the mask; to spread the counter over the lanes first takes machines longer.

use oxicl_llvm::Value;

use crate::analyse::graph::Graph;
use crate::analyse::induction::recurrence;
use crate::analyse::shape::{Shape, Shapes};
use crate::arena::{BlockId, Function, InstId, Kind, Operand};
use crate::failure::{Failure, failure};
use crate::widen::course::{Course, Leave};
use crate::widen::piece::Widener;

/// A phi behind a loop that is given a counter of it.
pub(super) struct Counted<'m> {
    /// The loop's header.
    pub(super) header: usize,
    /// Where lanes part, of which some go to the phi.
    pub(super) at: usize,
    pub(super) phi: InstId,
    /// Where the counter begins, and how far it goes in a turn.
    start: Operand<'m>,
    step: Value<'m>,
    /// Has the phi the counter of the turn that follows?
    is_next: bool,
}

/// Finds such phis. Every lane that is in a turn has come by the place where it is given the counter in all turns before, and no
/// other place in the loop gives the phi anything by lanes.
pub(super) fn counted<'m>(
    function: &Function<'m>,
    shapes: &Shapes,
    graph: &Graph,
    course: &Course,
) -> Vec<Counted<'m>> {
    let mut found = Vec::new();
    for (number, l) in graph.loops.iter().enumerate().filter(|(number, _)| course.parts(*number)) {
        let entries = graph.predecessors[l.header].iter().filter(|node| !graph.is_in(**node, number)).count();
        let parts = |node: usize| matches!(course.leave[node], Leave::Part { .. });
        let each_turn = |node: usize| graph.innermost(node) == Some(number) && graph.dominates(node, l.latch);
        for at in (l.header..l.end).filter(|at| entries == 1 && parts(*at) && each_turn(*at)) {
            let exits = graph.successors[at].iter().copied();
            for exit in
                exits.filter(|to| *to != graph.end() && !graph.is_in(*to, number) && graph.headed(*to).is_none())
            {
                let insts = function.block(graph.blocks[exit]).insts.iter().copied();
                for phi in insts.filter(|id| shapes.of(*id) == Shape::Varying) {
                    let Kind::Phi(blocks) = &function.inst(phi).kind else { continue };
                    let by_lanes =
                        |block| graph.numbers.get(block).is_some_and(|node| graph.is_in(*node, number) && parts(*node));
                    let mut given =
                        blocks.iter().zip(&function.inst(phi).operands).filter(|(block, _)| by_lanes(block));
                    let (Some((_, Operand::Inst(value))), None) = (given.next(), given.next()) else { continue };
                    if let Some((start, step, is_next)) = counter(function, shapes, graph.blocks[l.header], *value) {
                        found.push(Counted { header: l.header, at, phi, start, step, is_next });
                    }
                }
            }
        }
    }
    found
}

/// Is a value a counter of a loop that lanes share or go on by a stride, or the one of the turn that follows? Gives where it
/// begins and its step.
fn counter<'m>(
    function: &Function<'m>,
    shapes: &Shapes,
    header: BlockId,
    value: InstId,
) -> Option<(Operand<'m>, Value<'m>, bool)> {
    let mut counters = function.block(header).insts.iter().filter_map(|phi| recurrence(function, *phi));
    let counter = counters.find(|counter| counter.phi == value || counter.next == value)?;
    let plain = matches!(shapes.of(counter.phi), Shape::Uniform | Shape::Row | Shape::Affine(_));
    match (counter.by, &counter.starts[..]) {
        (Operand::Constant(step), [start]) if counter.is_whole && plain => Some((*start, step, value == counter.next)),
        _ => None,
    }
}

impl<'m> Widener<'_, '_, 'm> {
    /// Lanes go into the loop: what a phi behind it would have of the turn before.
    pub(super) fn begin_count(&self, counted: &Counted<'m>, lanes: Option<Value<'m>>) -> Result<(), Failure> {
        let mut first = self.leaf(counted.start)?;
        if !counted.is_next {
            first = self.b.sub(first, self.splat(counted.step));
        }
        self.keep_count(counted, lanes, |_| first)
    }

    /// Lanes of the mask have had another turn.
    pub(super) fn count_on(&self, counted: &Counted<'m>, lanes: Option<Value<'m>>) -> Result<(), Failure> {
        self.keep_count(counted, lanes, |old| self.b.add(old, self.splat(counted.step)))
    }

    fn keep_count(
        &self,
        counted: &Counted<'m>,
        lanes: Option<Value<'m>>,
        new: impl FnOnce(Value<'m>) -> Value<'m>,
    ) -> Result<(), Failure> {
        let Some(place) = self.lanes_wait_at(counted.phi) else { return failure("a counter without a place") };
        let old = self.b.load(self.vector(counted.step.ty()), place, 0);
        let new = new(old);
        self.b.store(lanes.map_or(new, |lanes| self.b.select(lanes, new, old)), place, 0);
        Ok(())
    }
}
