//! How often code runs, as the estimate counts it: for each node of a region, the part of the work-items and of the
//! gangs that comes to it. Branch weights (`__builtin_expect`, SPIR-V, the device library's rare cases) are believed, and
//! work-groups are assumed to have a usual size; of other branches nothing is known. The constants here are frequencies,
//! as far as they are guessed.

use oxicl_ops::Query;

use crate::analyse::course::{Course, Leave, Mask};
use crate::analyse::graph::Graph;
use crate::ir::{BlockId, Function, IntPredicate, Kind, Opcode, Terminator};
use crate::plan::costs::Costs;
use crate::plan::trips::{Trips, counts};
use crate::plan::wanted::{TILE, asks_for_rows};

/// The part of the work-items that takes one of two sides of a divergent branch without weights. Where lanes agree on
/// the branch, all sides are equally likely.
const SIDE: f64 = 0.6;
/// The assumed length of a row, in work-items, of kernels that ask for one dimension.
const ROW: u32 = 256;
/// The part that takes a side which the weights say is never taken: not zero, so that parts of it can be compared.
const HARDLY_EVER: f64 = 1e-6;
/// How hard a branch without weights is to predict: between one on random data and one that nearly always goes one way.
/// Of 0.3, 0.38, 0.5 and 0.8, this one makes the best choices for 286 programs (Zen 5).
const UNKNOWN: f64 = 0.38;

/// For one entry of a gang into the region. `items` and `gangs` count loops as running once.
pub(crate) struct Presence {
    /// The part of the work-items that runs each node.
    pub(crate) items: Vec<f64>,
    /// How often the gang runs each node: at most once, but longer in a divergent loop.
    pub(crate) gangs: Vec<f64>,
    pub(super) trips: Trips,
    /// How many iterations of its loops run each node, for one run of the region.
    pub(crate) iterations: Vec<f64>,
    /// The part of the gangs that comes to each node through branches on which lanes agree.
    pub(crate) parts: Vec<f64>,
    /// Does every gang run each node, if it takes all sides of branches on which lanes agree?
    sure: Vec<bool>,
}

impl Presence {
    pub(crate) fn new(costs: &Costs<'_>, graph: &Graph, course: &Course) -> Presence {
        let mut presence = Presence::on_all_sides(costs, graph, course);
        presence.parts = parts_where_lanes_agree(costs.function, graph, course, costs.lanes);
        let of_items = parts_where_lanes_agree(costs.function, graph, course, 1.0);
        presence.items.iter_mut().zip(of_items).for_each(|(items, part)| *items *= part);
        presence.gangs.iter_mut().zip(&presence.parts).for_each(|(gangs, part)| *gangs *= part);
        presence
    }

    /// The same if gangs took all sides of branches on which their lanes agree, as what another body saves is counted:
    /// a launch that takes one side, as for the format of an image, saves the part of its time that masks take there.
    pub(crate) fn on_all_sides(costs: &Costs<'_>, graph: &Graph, course: &Course) -> Presence {
        let trips = Trips::new(costs, graph, course);
        let iterations = trips.of_nodes(graph);
        let parts = vec![1.0; graph.end()];
        let mut presence =
            Presence { items: Vec::new(), gangs: Vec::new(), trips, iterations, parts, sure: Vec::new() };
        for node in 0..graph.end() {
            presence.items.push(presence.of_items(costs, graph, course, node));
            presence.gangs.push(presence.of_gangs(costs, graph, course, node));
        }
        presence.sure = presence.gangs.iter().map(|gangs| *gangs >= 1.0).collect();
        for (node, gangs) in presence.gangs.iter_mut().enumerate() {
            *gangs *= graph.around(node).map(|number| presence.trips.longer(number)).product::<f64>();
        }
        presence
    }

    /// How often a gang runs a node for each time that it enters the region.
    pub(crate) fn often(&self, node: usize) -> f64 {
        self.iterations[node] * self.gangs[node]
    }

    /// The part of a gang's lanes that are active where it runs a node.
    pub(crate) fn active(&self, node: usize) -> f64 {
        f64::min(1.0, self.items[node] / self.gangs[node])
    }

    /// Does every gang run the node, if it takes all sides of branches on which lanes agree?
    pub(crate) fn is_sure(&self, node: usize) -> bool {
        self.sure[node]
    }

    fn of_items(&self, costs: &Costs<'_>, graph: &Graph, course: &Course, node: usize) -> f64 {
        let from = graph.dominator(node);
        match course.masks[node] {
            Mask::Entry => 1.0,
            Mask::Of(other) => self.items[other],
            Mask::Own if node == from => 1.0,
            Mask::Own if runs_as_dominator(graph, node) => self.items[from],
            Mask::Own => self.by_branches(costs, graph, node).unwrap_or(SIDE * self.items[from]),
        }
    }

    /// The same where something tells of all conditional branches in front of the node, and there is one.
    fn by_branches(&self, costs: &Costs<'_>, graph: &Graph, node: usize) -> Option<f64> {
        let (mut items, mut any) = (0.0, false);
        for from in &graph.predecessors[node] {
            let (block, to, sides) = (graph.blocks[*from], graph.blocks[node], graph.successors[*from].len());
            any |= sides > 1;
            let part = match part_that_goes(costs.function, block, to) {
                _ if sides == 1 => 1.0,
                // Most work-items have a place inside.
                None if leads_past_guard(graph, *from, node) && costs.is_by_place(block) => 1.0,
                None if sides > 2 => SIDE * 2.0 / sides as f64,
                part => part?,
            };
            items += part * self.items.get(*from)?;
        }
        any.then(|| f64::min(items, self.items[graph.dominator(node)]))
    }

    /// A gang runs what any of its lanes runs. It skips a side of a divergent branch only where the mask is tested.
    fn of_gangs(&self, costs: &Costs<'_>, graph: &Graph, course: &Course, node: usize) -> f64 {
        let from = graph.dominator(node);
        let items = self.items[node];
        let by_place = || graph.predecessors[node].iter().all(|from| costs.is_by_place(graph.blocks[*from]));
        match course.masks[node] {
            Mask::Entry => 1.0,
            Mask::Of(other) => self.gangs[other],
            Mask::Own if node == from => 1.0,
            // Neighbours agree, but for a gang in each row.
            Mask::Own if course.skip[node].is_some() && by_place() => {
                f64::min(self.gangs[from], items + costs.lanes / row(costs.function))
            }
            Mask::Own if course.skip[node].is_some() => f64::min(self.gangs[from], costs.lanes * items),
            Mask::Own => self.gangs[from],
        }
    }
}

/// Are most gangs that come to a node partial? In loops that count, they are in the last iteration only.
pub(crate) fn is_partial(costs: &Costs<'_>, graph: &Graph, course: &Course, node: usize) -> bool {
    course.masks[node] != Mask::Entry && !graph.around(node).any(|number| counts(costs, graph, number))
}

/// The part of the gangs of so many lanes that comes to each node through branches on which lanes agree: a kernel has code
/// for each format of an image, and runs that of one.
fn parts_where_lanes_agree(function: &Function<'_>, graph: &Graph, course: &Course, lanes: f64) -> Vec<f64> {
    let agree = |node: usize| matches!(course.leave[node], Leave::Branch(_));
    let mut parts: Vec<f64> = Vec::with_capacity(graph.end());
    for node in 0..graph.end() {
        let from = graph.dominator(node);
        let goes_here = |before: usize| {
            let sides = &graph.successors[before];
            let (block, to) = (graph.blocks[before], graph.blocks[node]);
            match (by_weights(function, block, to), by_place(function, block, to)) {
                _ if !agree(before) || sides.len() == 1 => 1.0,
                (Some(part), _) => part,
                // A gang comes here if any of its lanes does.
                (None, Some(Place { part, row })) => part.max(lanes / row).min(1.0),
                // Most gangs come here.
                (None, None) if leads_past_guard(graph, before, node) => 1.0,
                (None, None) => 1.0 / sides.len() as f64,
            }
        };
        let part = if node == from {
            1.0
        } else if runs_as_dominator(graph, node) {
            parts[from]
        } else {
            // Gangs that come along a back edge are not new ones.
            let before = graph.predecessors[node].iter().filter(|before| **before < node);
            before.map(|before| parts[*before] * goes_here(*before)).sum::<f64>().min(parts[from])
        };
        parts.push(part);
    }
    parts
}

/// Do all sides of a branch but one, which leads to `node`, lead straight to the last node, as at a guard?
fn leads_past_guard(graph: &Graph, branch: usize, node: usize) -> bool {
    let is_last =
        |side: usize| side != graph.end() && graph.post_dominator(side) == graph.end() && graph.post_dominates(side, 0);
    graph.successors[branch].iter().all(|side| *side == node || is_last(*side))
}

/// Does a node run as often as its dominator, loops counted as running once?
fn runs_as_dominator(graph: &Graph, node: usize) -> bool {
    let from = graph.dominator(node);
    // A loop exit in between does not count: how often it is taken is the trip count.
    graph.headed(node).is_some() || graph.post_dominates(node, from) || leaves_loop(graph, from, node)
}

/// The part of those at the end of `from` that goes on to `to`, if something tells.
fn part_that_goes(function: &Function<'_>, from: BlockId, to: BlockId) -> Option<f64> {
    by_weights(function, from, to).or_else(|| by_place(function, from, to).map(|place| place.part))
}

/// The same if the branch has weights.
fn by_weights(function: &Function<'_>, from: BlockId, to: BlockId) -> Option<f64> {
    let Terminator::Branch { weights, successors, .. } = &function.block(from).terminator else { return None };
    let all: f64 = weights.iter().copied().map(f64::from).sum();
    let there = weights.iter().zip(successors).filter(|(_, successor)| **successor == to);
    let there: f64 = there.map(|(weight, _)| f64::from(*weight)).sum();
    (all > 0.0).then(|| f64::max(there / all, HARDLY_EVER))
}

/// The part of a row of a work-group whose places in it make them take one side of a branch.
struct Place {
    part: f64,
    /// The assumed length of the row, in work-items.
    row: f64,
}

/// The same if the branch compares the place of a work-item in its work-group with a constant, as where the first one does
/// something for all.
fn by_place(function: &Function<'_>, from: BlockId, to: BlockId) -> Option<Place> {
    let Terminator::Branch { successors, .. } = &function.block(from).terminator else { return None };
    let comparison = function.made_by(function.condition(from)?).filter(|inst| inst.opcode == Opcode::ICmp)?;
    let mut place = function.made_by(comparison.operands[0])?;
    while matches!(place.opcode, Opcode::Trunc | Opcode::ZExt | Opcode::SExt) {
        place = function.made_by(place.operands[0])?;
    }
    let Kind::Query(Query::LocalId(_)) = place.kind else { return None };
    let row = row(function);
    let bound = function.i64_at(comparison, 1)? as f64;
    let true_for = match comparison.int_predicate()? {
        IntPredicate::Eq => 1.0,
        IntPredicate::Ne => row - 1.0,
        IntPredicate::Ult | IntPredicate::Slt => bound,
        IntPredicate::Ule | IntPredicate::Sle => bound + 1.0,
        IntPredicate::Ugt | IntPredicate::Sgt => row - bound - 1.0,
        IntPredicate::Uge | IntPredicate::Sge => row - bound,
    };
    let there = if successors[0] == to { true_for } else { row - true_for };
    Some(Place { part: there.clamp(1.0, row) / row, row })
}

/// The assumed length of a row, in work-items.
fn row(function: &Function<'_>) -> f64 {
    f64::from(if asks_for_rows(function) { TILE } else { ROW })
}

/// The parts that come to a node, summed over its predecessors; `None` if nothing tells of the branch of one.
pub(crate) fn part_that_comes(function: &Function<'_>, graph: &Graph, node: usize) -> Option<f64> {
    let from = graph.predecessors[node].iter();
    from.map(|from| part_that_goes(function, graph.blocks[*from], graph.blocks[node])).sum()
}

/// How hard the branch at the end of a block is to predict: from 1, where both sides are equally likely, to 0, where it
/// always goes one way. Of branches without weights, those with more sides are harder.
pub(crate) fn doubt(function: &Function<'_>, block: BlockId) -> f64 {
    let sides = function.successors(block);
    let parts = sides.iter().map(|to| part_that_goes(function, block, *to));
    match parts.collect::<Option<Vec<f64>>>() {
        Some(parts) => f64::min(1.0, 2.0 * (1.0 - parts.into_iter().fold(0.0, f64::max))),
        None => UNKNOWN * 2.0 * (1.0 - 1.0 / sides.len() as f64),
    }
}

/// Does the branch at the end of a node leave a loop that `node`, behind it, is in?
fn leaves_loop(graph: &Graph, branch: usize, node: usize) -> bool {
    let inside = |number: &usize| graph.is_in(node, *number);
    let l = graph.around(branch).find(inside);
    l.is_some_and(|number| graph.leaves(branch, number))
}
