//! What a gang's masks cost in a region, and so what a body without them saves.

use crate::ir::BlockId;

use crate::analyse::course::{Course, Mask};
use crate::analyse::graph::Graph;
use crate::plan::costs::Costs;
use crate::plan::estimate::estimate_region;
use crate::plan::presence::Presence;
use crate::prices::overrides;

/// The part of a gang's time that goes to masks which the course of gangs that agree on guards does without.
pub(crate) fn share_of_masks(costs: &Costs<'_>, graph: &Graph, any: &Course, agreed: &Course) -> f64 {
    let time = estimate_region(costs, graph, agreed, &Presence::on_all_sides(costs, graph, agreed)).gang;
    let presence = Presence::on_all_sides(costs, graph, any);
    let freed = (0..graph.end()).filter(|node| any.masks[*node] != Mask::Entry && agreed.masks[*node] == Mask::Entry);
    let saved = freed.map(|node| {
        // Made where lanes diverge or reconverge, whether any goes there or not: not in each iteration in between.
        let (from, iterations) = (graph.dominator(node), &presence.iterations);
        let outside = f64::min(iterations[node], iterations[from]) * presence.gangs[from];
        let made = if any.masks[node] == Mask::Own { overrides::MASK_MADE.cycles * outside } else { 0.0 };
        presence.often(node) * of_block(costs, graph.blocks[node]) + made
    });
    let saved: f64 = saved.sum();
    saved / (time + saved).max(1.0)
}

/// The part of a gang's time that goes to masks of a loop's accesses, but not in iterations that begin with all lanes.
pub(crate) fn share_of_loop(costs: &Costs<'_>, graph: &Graph, any: &Course, number: usize, all_on: &Course) -> f64 {
    let nodes = graph.loops[number].nodes();
    share_of_accesses(costs, graph, any, nodes.filter(|node| all_on.masks[*node] == Mask::Entry), 0.0)
}

/// The part of a gang's time that goes to the mask of the lanes that enter a region, which whole gangs do without.
pub(crate) fn share_of_entry(costs: &Costs<'_>, graph: &Graph, course: &Course) -> f64 {
    let entered = (0..graph.end()).filter(|node| course.masks[*node] == Mask::Entry);
    share_of_accesses(costs, graph, course, entered, costs.masks(2))
}

/// The part of a gang's time that goes to masks of the accesses of some nodes, and to making them once, for `made`.
fn share_of_accesses(
    costs: &Costs<'_>,
    graph: &Graph,
    course: &Course,
    nodes: impl Iterator<Item = usize>,
    made: f64,
) -> f64 {
    let presence = Presence::on_all_sides(costs, graph, course);
    let time = estimate_region(costs, graph, course, &presence).gang;
    let of_accesses: f64 = nodes.map(|node| presence.often(node) * of_block(costs, graph.blocks[node])).sum();
    let saved = made + of_accesses;
    saved / (time + saved).max(1.0)
}

/// What a mask adds to the cost of a block's accesses.
fn of_block(costs: &Costs<'_>, block: BlockId) -> f64 {
    costs.block(block).iter().map(|id| costs.price(*id).masked).sum()
}
