//! Which bodies a region has. The code for gangs under a mask does for whole ones, too. Whole gangs have code of their
//! own, for one or several lengths, where that saves time. So do gangs whose lanes agree on guards, and iterations of a
//! loop that all lanes are in.

use oxicl_protocol::Decision;

use crate::analyse::course::{Course, Mask, all_on, course};
use crate::analyse::graph::Graph;
use crate::analyse::guards::{Guards, Scope, guards};
use crate::analyse::instructions::is_harmless;
use crate::analyse::regions::{Exit, Progress, Region};
use crate::analyse::shape::{Layout, Shape};
use crate::bounds::USUAL_BODY;
use crate::ir::{Function, InstId, Operand, StateId};
use crate::plan::Plan;
use crate::plan::candidates::Candidates;
use crate::plan::costs::Costs;
use crate::plan::gangs::{Agreement, GangRegion, Gangs};
use crate::plan::masks::{share_of_loop, share_of_masks};

/// The part of a gang's time that a second body has to save. A cost: less is lost in the noise around the gang.
const WORTH: f64 = 0.08;

/// Is it worth writing so many instructions once more to save this part of a gang's time?
pub(super) fn is_worth_a_body(saved: f64, instructions: usize) -> bool {
    saved > WORTH * (instructions as f64 / USUAL_BODY as f64).max(1.0)
}

/// Decides for each region whether it has a second body, for gangs whose lanes agree on its guards.
pub(super) fn agreements(costs: &Costs<'_>, plan: &Plan, gangs: &Gangs) -> Vec<Option<Agreement>> {
    plan.regions.iter().zip(&gangs.regions).map(|(region, parts)| agreement(costs, plan, region, parts)).collect()
}

fn agreement(costs: &Costs<'_>, plan: &Plan, region: &Region, parts: &GangRegion) -> Option<Agreement> {
    let (Costs { function, shapes, .. }, graph) = (costs, &parts.graph);
    let [state] = region.states[..] else { return None };
    // Gangs come here with only some of their lanes.
    if plan.by_state() && state != StateId(0) {
        return None;
    }
    let blocks = || graph.blocks.iter().map(|block| function.block(*block));
    let instructions = blocks().map(|block| block.insts.len()).sum();
    // The body is too long even if masks took all of the time.
    if !is_worth_a_body(1.0, instructions) {
        return None;
    }
    // If work-items go from state to state together, uniform values are kept once for the work-group.
    let is_once = |id: &InstId| plan.progress == Progress::Together && shapes.of(*id) == Shape::Uniform;
    let kept = plan.live_at(state).iter().copied().filter(is_once).collect();
    let scope = Scope { function, shapes, graph, kept };
    let guards = guards(&scope).filter(|guards| guards.conditions.is_disjoint(&plan.apart))?;
    let course = course(function, shapes, graph, &guards.conditions).ok()?;
    let share = share_of_masks(costs, graph, &parts.course, &course);
    let idle = idle(function, plan, region, graph, &guards);
    let pays = is_worth_a_body(share, instructions);
    (pays && function.allows(Decision::Guards, state)).then_some(Agreement { guards, course, idle })
}

/// The successor of the entry node from which nothing is done up to the end of the kernel. There is none unless the
/// entry node has no effect either, and all gangs of a stretch go the same way from it.
fn idle(function: &Function<'_>, plan: &Plan, region: &Region, graph: &Graph, guards: &Guards) -> Option<usize> {
    let first = function.block(graph.blocks[0]);
    let Some(Operand::Inst(condition)) = function.condition(graph.blocks[0]) else { return None };
    // Where gangs are sub-groups, what a guard says holds for each gang by itself, not for the row.
    let alike = plan.shapes.layout == Layout::Rows && !plan.by_state() && guards.steady.contains(&condition);
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

/// The lanes of a region's whole gangs, the longest first. Shorter ones are for short rows, where worth the code.
pub(super) fn lengths(
    function: &Function<'_>,
    gangs: &Gangs,
    number: usize,
    longest: u32,
    candidates: &Candidates,
) -> Vec<u32> {
    let instructions = instructions(function, &gangs.regions[number], |_| true);
    let shorter = std::iter::successors(Some(gangs.lanes), |lanes| Some(lanes * 2));
    let mut lengths = Vec::new();
    // Each length has to save time over the shorter ones chosen so far.
    for lanes in shorter.take_while(|lanes| *lanes < longest) {
        if is_worth_a_body(candidates.saved_by(number, lanes, lengths.last().copied()), instructions) {
            lengths.push(lanes);
        }
    }
    lengths.push(longest);
    lengths.reverse();
    lengths
}

/// Is a region written only once, for gangs under a mask? In the baseline tier, always. Else if most of it is masked
/// anyway, it is long, or lanes go to places of their own; unless code for whole gangs saves enough.
pub(super) fn is_written_once(function: &Function<'_>, gangs: &Gangs, number: usize, candidates: &Candidates) -> bool {
    let region = &gangs.regions[number];
    let all = instructions(function, region, |_| true);
    let masked = instructions(function, region, |mask| mask != Mask::Entry);
    let longest = region.lengths[0];
    let gains_little = || !is_worth_a_body(candidates.saved_by_whole(number, longest), all);
    let mostly_masked = region.lengths == [gangs.lanes] && 2 * masked > all;
    gangs.is_plain || ((mostly_masked || gangs.scattered > 0 || all > USUAL_BODY) && gains_little())
}

/// Counts the instructions of a region under masks that are meant.
fn instructions(function: &Function<'_>, region: &GangRegion, is_meant: fn(Mask) -> bool) -> usize {
    let GangRegion { graph, course, .. } = region;
    let nodes = (0..graph.end()).filter(|node| is_meant(course.masks[*node]));
    nodes.map(|node| function.block(graph.blocks[node]).insts.len()).sum()
}

/// Decides for each divergent loop whether it has a second body, for iterations that all lanes are in.
pub(super) fn decide_all_on(costs: &Costs<'_>, graph: &Graph, course: &mut Course) {
    for number in (0..graph.loops.len()).filter(|number| course.diverges(*number)).collect::<Vec<_>>() {
        let size = graph.insts(costs.function, number).count();
        // The body is too long even if masks took all of the time.
        if !is_worth_a_body(1.0, size) {
            continue;
        }
        let found = all_on(costs.function, costs.shapes, graph, course, number);
        let pays = |found: &Course| is_worth_a_body(share_of_loop(costs, graph, course, number, found), size);
        course.all_on[number] = found.filter(pays).map(Box::new);
    }
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
