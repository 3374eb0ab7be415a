//! Whether a region has a second body, for gangs whose lanes agree on its guards.

use std::collections::BTreeSet;

use oxicl_protocol::Decision;

use crate::analyse::course::{Traversal, course};
use crate::analyse::graph::Graph;
use crate::analyse::guards::{Guards, Scope, guards};
use crate::analyse::instructions::is_harmless;
use crate::analyse::liveness::Liveness;
use crate::analyse::memory::{Home, Name, Object};
use crate::analyse::regions::{Exit, Region};
use crate::analyse::shape::Shape;
use crate::bounds::USUAL_BODY;
use crate::ir::{BlockId, InstId, Operand, StateId};
use crate::plan::costs::Costs;
use crate::plan::gangs::{Agreement, Gangs};
use crate::plan::masks::share_of_masks;

/// The part of a gang's time that a second body has to save. A cost: less is lost in the noise around the gang.
const WORTH: f64 = 0.08;

/// Is it worth writing so many instructions once more to save this part of a gang's time?
pub(super) fn is_worth_a_body(saved: f64, instructions: usize) -> bool {
    saved > WORTH * (instructions as f64 / USUAL_BODY as f64).max(1.0)
}

/// What is known of a kernel that runs as gangs.
pub(super) struct Kernel<'k, 'f> {
    pub(super) costs: &'k Costs<'f>,
    pub(super) objects: &'k [Object],
    pub(super) apart: &'k BTreeSet<InstId>,
    pub(super) liveness: &'k Liveness,
    /// Do all work-items go from state to state together?
    pub(super) together: bool,
    /// May a gang come to a state with only some of its lanes?
    pub(super) by_state: bool,
    /// Are gangs neighbours in a row, whatever the sub-groups?
    pub(super) rows: bool,
}

/// Decides for each region.
pub(super) fn agreements(kernel: &Kernel<'_, '_>, regions: &[Region], gangs: &Gangs) -> Vec<Option<Agreement>> {
    regions.iter().zip(&gangs.regions).map(|(region, parts)| agreement(kernel, region, parts)).collect()
}

fn agreement(kernel: &Kernel<'_, '_>, region: &Region, parts: &Traversal) -> Option<Agreement> {
    let (Costs { function, shapes, .. }, graph) = (kernel.costs, &parts.graph);
    let [state] = &region.states[..] else { return None };
    // Gangs come here with only some of their lanes.
    if kernel.by_state && *state != StateId(0) {
        return None;
    }
    let blocks = || graph.blocks.iter().map(|block| function.block(*block));
    let instructions = blocks().map(|block| block.insts.len()).sum();
    // The body is too long even if masks took all of the time.
    if !is_worth_a_body(1.0, instructions) {
        return None;
    }
    // Uniform values are kept once for the work-group.
    let live = kernel.liveness.at_state(state.index());
    let is_kept = |id: InstId| kernel.together && shapes.of(id) == Shape::Uniform && live.contains(&id);
    let leads = |from: BlockId, to: BlockId| match (graph.numbers.get(&from), graph.numbers.get(&to)) {
        (Some(from), Some(to)) => reaches(graph, *from, *to),
        _ => false,
    };
    let is_passed = |block: BlockId| {
        graph.numbers.get(&block).is_some_and(|node| graph.depth(*node) == 0 && graph.post_dominates(*node, 0))
    };
    let is_argument = |index: u32| {
        let mut objects = kernel.objects.iter();
        objects.any(|object| object.name == Name::Parameter(index) && object.home == Home::Arguments)
    };
    let scope = Scope {
        function,
        shapes,
        blocks: &graph.blocks,
        is_passed: &is_passed,
        is_kept: &is_kept,
        leads: &leads,
        is_argument: &is_argument,
    };
    let guards = guards(&scope).filter(|guards| guards.conditions.is_disjoint(kernel.apart))?;
    let course = course(function, shapes, graph, &guards.conditions).ok()?;
    let share = share_of_masks(kernel.costs, parts, &course);
    let idle = idle(kernel, region, graph, &guards);
    let pays = is_worth_a_body(share, instructions);
    (pays && function.allows(Decision::Guards, *state)).then_some(Agreement { guards, course, idle })
}

/// The successor of the entry node from which nothing is done up to the end of the kernel. There is none unless the
/// entry node has no effect either, and all gangs of a stretch go the same way from it.
fn idle(kernel: &Kernel<'_, '_>, region: &Region, graph: &Graph, guards: &Guards) -> Option<usize> {
    let function = kernel.costs.function;
    let first = function.block(graph.blocks[0]);
    let Some(Operand::Inst(condition)) = function.condition(graph.blocks[0]) else { return None };
    // Where gangs are sub-groups, what a guard says holds for each gang by itself, not for the row.
    let alike = kernel.rows && !kernel.by_state && guards.steady.contains(&condition);
    if !alike || region.exits != [Exit::Return] || !first.insts.iter().all(|id| is_harmless(function, *id)) {
        return None;
    }
    let is_empty = |mut node: usize| {
        while node != graph.end() {
            match &graph.successors[node][..] {
                [next] if node < *next && function.block(graph.blocks[node]).insts.is_empty() => node = *next,
                _ => return false,
            }
        }
        true
    };
    graph.successors[0].iter().copied().find(|node| *node != graph.end() && is_empty(*node))
}

/// Does a path lead from one node to another, which may be the same?
fn reaches(graph: &Graph, from: usize, to: usize) -> bool {
    let (mut work, mut seen) = (vec![from], vec![false; graph.end() + 1]);
    while let Some(node) = work.pop() {
        if node == to {
            return true;
        }
        if !std::mem::replace(&mut seen[node], true) {
            work.extend_from_slice(&graph.successors[node]);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_the_code_has_to_save_twice_the_time() {
        let least = 1.01 * WORTH;
        assert!(is_worth_a_body(least, 1) && is_worth_a_body(least, USUAL_BODY));
        assert!(!is_worth_a_body(least, 2 * USUAL_BODY) && is_worth_a_body(2.0 * least, 2 * USUAL_BODY));
    }
}
