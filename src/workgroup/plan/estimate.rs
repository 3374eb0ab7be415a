//! Whether lanes pay: what a region costs a gang, and what it costs its work-items one by one.
//!
//! `costs` has the price of instructions, and `presence` how often they run. The constants here are guessed
//! frequencies.

use crate::analyse::course::Course;
use crate::analyse::graph::Graph;
use crate::analyse::induction::Steps;
use crate::plan::column::{Column, rows_of_lanes};
use crate::plan::costs::Costs;
use crate::plan::gangs::{GangRegion, Gangs};
use crate::plan::presence::{Presence, doubt, is_partial};
use crate::plan::scalar_cost::scalar_factor;
use crate::prices::overrides;
use crate::recipe::Price;

/// The costs that are compared, in cycles.
#[derive(Default)]
pub(crate) struct Estimate {
    /// Of as many work-items as there are lanes, one by one.
    pub(crate) single: f64,
    /// Of a gang.
    pub(crate) gang: f64,
    /// The part of `gang` that is done once for all lanes, by other units than vectors.
    pub(crate) shared: f64,
    /// What a gang waits, beside that, for cache lines that other gangs fetched before.
    pub(crate) refetched: f64,
    /// How many accesses every gang runs in which each lane has an address of its own.
    pub(crate) scattered: usize,
}

/// Sums up all regions, as most gangs go through them.
pub(crate) fn estimate(costs: &Costs<'_>, gangs: &Gangs) -> Estimate {
    let mut all = Estimate::default();
    for of_gangs @ GangRegion { graph, often, .. } in &gangs.regions {
        let course = of_gangs.usual();
        let region = estimate_region(costs, graph, course, &Presence::new(costs, graph, course));
        all.single += often * region.single;
        all.gang += often * region.gang;
        all.shared += often * region.shared;
        all.refetched += often * region.refetched;
        all.scattered += region.scattered;
    }
    all
}

/// Sums up a region, given how often its nodes run.
pub(super) fn estimate_region(costs: &Costs<'_>, graph: &Graph, course: &Course, presence: &Presence) -> Estimate {
    let function = costs.function;
    let mut result = Estimate::default();
    let items = &presence.items;
    let iteration = |number: usize| {
        let l = &graph.loops[number];
        let of = |node: usize| costs.block(graph.blocks[node]).iter().map(|id| costs.of(*id).0).sum::<f64>();
        l.nodes().map(|node| of(node) * items[node] / items[l.header]).sum()
    };
    let steps: Vec<_> = (0..graph.loops.len()).map(|number| Steps::new(function, graph, number)).collect();
    let factors: Vec<f64> = (0..)
        .zip(&steps)
        .map(|(number, steps)| scalar_factor(costs, graph, course, number, steps, iteration(number)))
        .collect();
    for (node, block) in graph.blocks.iter().enumerate() {
        let by_itself = graph.innermost(node).map_or(1.0, |number| factors[number]);
        let single_weight = presence.iterations[node] * items[node] * costs.lanes * by_itself;
        let often = presence.often(node);
        for id in &function.block(*block).insts {
            let (single, Price { gang, scattered, in_turn, .. }) = costs.of(*id);
            let gang_weight = if in_turn { often * presence.active(node) } else { often };
            result.single += single_weight * single;
            result.gang += gang_weight * gang;
            let apart = costs.apart(*id);
            if apart > 0.0 && is_partial(costs, graph, course, node) {
                result.gang += gang_weight * apart;
            }
            result.shared += if costs.is_shared(*id) { gang_weight * gang } else { 0.0 };
            result.refetched += gang_weight * rows_of_lanes(costs, graph, &steps, node, *id).unwrap_or(0.0);
            if let Some(column) = Column::of(costs, graph, &steps, node, *id) {
                result.single += single_weight * column.price(1.0);
                result.refetched += gang_weight * column.price(costs.lanes);
            }
            result.scattered += usize::from(scattered && presence.is_sure(node));
        }
        if costs.is_guessed(*block) {
            let left = graph.innermost(node).filter(|number| graph.leaves(node, *number));
            let often_left = left.map_or(1.0, |number| presence.trips.often_left(number));
            let doubt = doubt(function, *block).min(often_left);
            result.single += single_weight * overrides::WRONG_GUESS.cycles * doubt;
            result.gang += often * costs.masks(graph.successors[node].len());
        }
    }
    result
}
