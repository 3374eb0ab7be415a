//! How often code runs, as the estimate counts it: the part of the work-items that comes to each node of a region, and of the
//! gangs. Branches that say how often they go to each side (`__builtin_expect`, weights of SPIR-V, the device library's rare
//! cases) are believed; of the others nothing is known. The constants here are frequencies, as far as they are guessed.

use crate::analyse::course::{Course, Leave, Mask};
use crate::analyse::graph::Graph;
use crate::analyse::induction::bounds;
use crate::analyse::shape::Shape;
use crate::ir::{BlockId, Function, InstId, Opcode, Operand, Terminator};
use crate::plan::costs::Costs;
use crate::plan::estimate::iterations_of_nodes;

/// The part of the work-items that takes one side of a branch on which they diverge, where the branch does not say. Of a branch on
/// which they agree, all sides are as likely.
const SIDE: f64 = 0.6;
/// The part that goes where a branch says that none does: not zero, so that parts of it can be compared.
const HARDLY_EVER: f64 = 1e-6;
/// How hard a branch is to foretell that does not say: between those of random data and those that nearly always go to one side.
const UNKNOWN: f64 = 0.3;
/// How much longer the last lane stays in a loop that lanes leave in different iterations, for each doubling of the lanes.
const LAST: f64 = 0.1;

/// For one entry of a gang into the region, loops counted as running once.
pub(crate) struct Presence {
    /// The part of the work-items that runs each node.
    pub(crate) items: Vec<f64>,
    /// How often the gang runs each node: at most once, or longer in a loop that its lanes leave in different iterations.
    pub(crate) gangs: Vec<f64>,
    /// How much more often each node runs than the region around its loops.
    pub(crate) iterations: Vec<f64>,
    /// The part of the gangs that come to each node, by the branches at which lanes agree.
    pub(crate) parts: Vec<f64>,
    /// Whether every gang runs each node that comes to the branches in front of it at which lanes agree.
    sure: Vec<bool>,
}

impl Presence {
    pub(crate) fn new(costs: &Costs<'_>, graph: &Graph, course: &Course) -> Presence {
        let mut presence = Presence::on_all_sides(costs, graph, course);
        presence.parts = parts_where_lanes_agree(costs.function, graph, course);
        for (node, part) in presence.parts.iter().enumerate() {
            presence.items[node] *= part;
            presence.gangs[node] *= part;
        }
        presence
    }

    /// The same as if gangs went to all sides of branches at which their lanes agree. That is how parts of the time are compared which
    /// another body saves: a launch that goes to one side, as for an image's format, saves the part that goes to masks there.
    pub(crate) fn on_all_sides(costs: &Costs<'_>, graph: &Graph, course: &Course) -> Presence {
        let Costs { function, lanes, .. } = *costs;
        let iterations = iterations_of_nodes(function, graph);
        let parts = vec![1.0; graph.end()];
        let mut presence = Presence { items: Vec::new(), gangs: Vec::new(), iterations, parts, sure: Vec::new() };
        for node in 0..graph.end() {
            presence.items.push(presence.of_items(function, graph, course, node));
            presence.gangs.push(presence.of_gangs(graph, course, node, lanes));
        }
        presence.sure = presence.gangs.iter().map(|gangs| *gangs >= 1.0).collect();
        let leaves_apart: Vec<bool> =
            (0..graph.loops.len()).map(|number| course.diverges(number) && !counts(costs, graph, number)).collect();
        for (node, gangs) in presence.gangs.iter_mut().enumerate() {
            if graph.around(node).any(|number| leaves_apart[number]) {
                *gangs *= 1.0 + LAST * lanes.log2();
            }
        }
        presence
    }

    /// How often a gang runs a node for each time that it enters the region.
    pub(crate) fn often(&self, node: usize) -> f64 {
        self.iterations[node] * self.gangs[node]
    }

    /// Does every gang run the node that comes to the branches in front of it at which lanes agree?
    pub(crate) fn is_sure(&self, node: usize) -> bool {
        self.sure[node]
    }

    fn of_items(&self, function: &Function<'_>, graph: &Graph, course: &Course, node: usize) -> f64 {
        let from = graph.dominator(node);
        match course.masks[node] {
            Mask::Entry => 1.0,
            Mask::Of(other) => self.items[other],
            Mask::Own if node == from => 1.0,
            Mask::Own if runs_as_dominator(graph, node) => self.items[from],
            Mask::Own => self.by_weights(function, graph, node).unwrap_or(SIDE * self.items[from]),
        }
    }

    /// The same by what the branches before the node say, where each of them says something and one says how often.
    fn by_weights(&self, function: &Function<'_>, graph: &Graph, node: usize) -> Option<f64> {
        let (mut items, mut any) = (0.0, false);
        for from in &graph.predecessors[node] {
            let part = match graph.successors[*from].as_slice() {
                [_] => 1.0,
                _ => {
                    any = true;
                    part_that_goes(function, graph.blocks[*from], graph.blocks[node])?
                }
            };
            items += part * self.items.get(*from)?;
        }
        any.then(|| f64::min(items, self.items[graph.dominator(node)]))
    }

    /// A gang runs what any of its lanes does: the sides of a branch on which lanes diverge are skipped only where the mask is
    /// looked at.
    fn of_gangs(&self, graph: &Graph, course: &Course, node: usize, lanes: f64) -> f64 {
        let from = graph.dominator(node);
        match course.masks[node] {
            Mask::Entry => 1.0,
            Mask::Of(other) => self.gangs[other],
            Mask::Own if node == from => 1.0,
            Mask::Own if course.skip[node].is_some() => f64::min(self.gangs[from], lanes * self.items[node]),
            Mask::Own => self.gangs[from],
        }
    }
}

/// The part of the gangs that come to each node, by the branches at which lanes agree: a kernel has code for each format of an image,
/// and runs that of one.
fn parts_where_lanes_agree(function: &Function<'_>, graph: &Graph, course: &Course) -> Vec<f64> {
    let agree = |node: usize| matches!(course.leave[node], Leave::Branch(_));
    let behind = |node: &usize| Some(graph.post_dominator(*node)).filter(|next| *next != graph.end());
    let last = std::iter::successors(behind(&0), behind).last();
    let mut parts: Vec<f64> = Vec::with_capacity(graph.end());
    for node in 0..graph.end() {
        let from = graph.dominator(node);
        let goes_here = |before: usize| {
            let sides = &graph.successors[before];
            // Where the other sides go to the last node at once, as at a guard, most come here.
            let is_guard = || sides.iter().all(|next| *next == node || Some(*next) == last);
            match part_that_goes(function, graph.blocks[before], graph.blocks[node]) {
                _ if !agree(before) || sides.len() == 1 => 1.0,
                Some(part) => part,
                None if is_guard() => 1.0,
                None => 1.0 / sides.len() as f64,
            }
        };
        let part = if node == from {
            1.0
        } else if runs_as_dominator(graph, node) {
            parts[from]
        } else {
            // Those that come round a loop are not new ones.
            let before = graph.predecessors[node].iter().filter(|before| **before < node);
            before.map(|before| parts[*before] * goes_here(*before)).sum::<f64>().min(parts[from])
        };
        parts.push(part);
    }
    parts
}

/// Does a node run as often as its dominator, loops counted as running once?
fn runs_as_dominator(graph: &Graph, node: usize) -> bool {
    let from = graph.dominator(node);
    // Of the branch out of a loop: how often that is taken is how often the loop runs.
    graph.headed(node).is_some() || graph.post_dominates(node, from) || leaves_loop(graph, from, node)
}

/// The part of those at the end of `from` that goes on to `to`, if the branch there says so.
fn part_that_goes(function: &Function<'_>, from: BlockId, to: BlockId) -> Option<f64> {
    let Terminator::Branch { weights, successors, .. } = &function.block(from).terminator else { return None };
    let all: f64 = weights.iter().copied().map(f64::from).sum();
    let there = weights.iter().zip(successors).filter(|(_, successor)| **successor == to);
    let there: f64 = there.map(|(weight, _)| f64::from(*weight)).sum();
    (all > 0.0).then(|| f64::max(there / all, HARDLY_EVER))
}

/// The part of the work-items in front of a node that come to it, if the branches there say so.
pub(crate) fn part_that_comes(function: &Function<'_>, graph: &Graph, node: usize) -> Option<f64> {
    let from = graph.predecessors[node].iter();
    from.map(|from| part_that_goes(function, graph.blocks[*from], graph.blocks[node])).sum()
}

/// How hard the branch at the end of a block is to foretell: from 1, where both sides are alike, to 0, where
/// it always goes to one.
pub(crate) fn doubt(function: &Function<'_>, block: BlockId) -> f64 {
    let parts = function.successors(block).iter().map(|to| part_that_goes(function, block, *to));
    match parts.collect::<Option<Vec<f64>>>() {
        Some(parts) => f64::min(1.0, 2.0 * (1.0 - parts.into_iter().fold(0.0, f64::max))),
        None => UNKNOWN,
    }
}

/// Does a branch leave a loop that `node`, behind it, is in?
fn leaves_loop(graph: &Graph, branch: usize, node: usize) -> bool {
    let inside = |number: &usize| graph.is_in(node, *number);
    let l = graph.around(branch).find(inside);
    l.is_some_and(|number| graph.successors[branch].iter().any(|next| !graph.is_in(*next, number)))
}

/// Does a loop count up to what all lanes share, each from its own place on, by steps that the places of a gang do not exceed? They
/// leave it in the same iteration but for the last.
fn counts(costs: &Costs<'_>, graph: &Graph, number: usize) -> bool {
    let Costs { function, shapes, lanes, .. } = *costs;
    let is_long = |step: i64| step.unsigned_abs() as f64 >= lanes;
    let goes_far = bounds(function, graph, number).iter().all(|bound| bound.counter.step().is_none_or(is_long));
    let mut nodes = graph.loops[number].header..graph.loops[number].end;
    goes_far
        && nodes.all(|node| {
            let Some(condition) = function.condition(graph.blocks[node]) else { return true };
            let compares = |id: InstId| {
                let inst = function.inst(id);
                inst.opcode == Opcode::ICmp && inst.operands.iter().all(|o| shapes.of_operand(*o) != Shape::Varying)
            };
            shapes.of_operand(condition).is_row_uniform() || matches!(condition, Operand::Inst(id) if compares(id))
        })
}
