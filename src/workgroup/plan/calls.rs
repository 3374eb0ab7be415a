//! What gangs cost with the functions that they call. While gangs are chosen, every call has the same price, as
//! functions are planned only for the chosen gangs. Once they are planned, this asks again whether gangs pay.

use std::collections::HashMap;

use crate::ir::call_tree::{CallTree, Callee};
use crate::ir::{Function, InstId};
use crate::plan::costs::Costs;
use crate::plan::decisions::{Cost, Plan};
use crate::plan::gangs::GangRegion;
use crate::plan::presence::Presence;
use crate::plan::versions::Version;
use crate::recipe::{CallOfGang, Lanes, VersionId};

/// The time of a kernel's gangs as a part of that of one work-item after the other, both with the functions that they
/// call; `None` if there are no gangs, or these call no function that was planned for them.
pub(super) fn part_with_calls(function: &Function<'_>, tree: &CallTree<'_>, plan: &Plan) -> Option<f64> {
    let versions = plan.versions.iter().any(|version| version.plan.is_some());
    let mut calls = Called { tree, versions: &plan.versions, known: vec![None; plan.versions.len()] };
    versions.then(|| calls.with_calls(function, plan)).map(Cost::part)
}

struct Called<'c, 'm> {
    tree: &'c CallTree<'m>,
    versions: &'c [Version],
    /// The costs of the versions, with the functions that they call, as far as they are known.
    known: Vec<Option<Cost>>,
}

impl Called<'_, '_> {
    /// What a planned function costs per work-item, with the functions that it calls.
    fn with_calls(&mut self, function: &Function<'_>, plan: &Plan) -> Cost {
        let mut all = plan.candidates.cost();
        let Some((gangs, calls)) = plan.gangs.as_ref().ok().zip(plan.calls.as_ref()) else { return all };
        let costs = Costs::new(function, &plan.shapes, &plan.aos, Lanes::of(gangs.lanes, plan.vectors));
        // Bodies may call versions of their own. The one of the usual course comes first.
        let mut versions: HashMap<InstId, VersionId> = HashMap::new();
        for (CallOfGang { lanes, call, .. }, version) in calls {
            if let Ok(version) = version
                && *lanes == gangs.lanes
            {
                versions
                    .entry(*call)
                    .and_modify(|first| *first = VersionId(first.0.min(version.0)))
                    .or_insert(*version);
            }
        }
        for region @ GangRegion { graph, often, .. } in &gangs.regions {
            let presence = Presence::new(&costs, graph, region.usual());
            for (node, block) in graph.blocks.iter().enumerate() {
                for version in costs.block(*block).iter().filter_map(|id| versions.get(id)) {
                    let callee = self.of_version(version.index());
                    all.of_gang += often * presence.often(node) * callee.of_gang;
                    all.one_by_one += often * presence.iterations[node] * presence.items[node] * callee.one_by_one;
                }
            }
        }
        all
    }

    fn of_version(&mut self, number: usize) -> Cost {
        let Version { callee: Callee::Here(index), plan: Some(plan), .. } = &self.versions[number] else {
            return Cost::default();
        };
        if let Some(known) = self.known[number] {
            return known;
        }
        let cost = self.with_calls(&self.tree.functions[*index], plan);
        self.known[number] = Some(cost);
        cost
    }
}
