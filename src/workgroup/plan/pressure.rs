//! Register pressure: how many vector registers the live values of a region take, and what it costs to spill those that
//! exceed the machine's.

use std::collections::BTreeSet;

use crate::analyse::graph::Graph;
use crate::analyse::shape::Shape;
use crate::bounds::pressure::BUDGET;
use crate::ir::{InstId, Kind, Operand};
use crate::plan::costs::Costs;
use crate::plan::presence::Presence;
use crate::prices::{Access, Operation, overrides};

/// A frequency: how often a spilled result is not used soon after it is made. Black-Scholes, whose gangs of 32 lanes
/// have 60 registers alive where the machine has 16, takes 3 cycles a work-item more on Zen 4 than without.
const OFTEN_KEPT: f64 = 0.25;

/// What spills cost a gang; `None` if the region is too large to look at.
pub(super) fn spills(costs: &Costs<'_>, graph: &Graph, presence: &Presence) -> Option<f64> {
    // A spill is a store and a load, beside what else is done.
    let spill = costs.of_register(Operation::Contiguous(Access::Store))
        + costs.of_register(Operation::Contiguous(Access::Load));
    let at_ends = alive_at_ends(costs, graph)?;
    // Spills in code that lanes seldom run cause stores and loads around it as well: half-precision products, whose
    // rare case needs many registers, take 1.2 times as long in gangs of 64 as of 32 for AVX2.
    let often = |node: usize| presence.iterations[node] * presence.parts[node];
    let of_node = |(node, alive)| often(node) * without_registers(costs, graph, node, alive);
    let spilled: f64 = at_ends.into_iter().enumerate().map(of_node).sum();
    Some(overrides::BUSY.cycles * spill * spilled)
}

/// Registers that a node spills: for values that stay alive, the most that are missing at once; and a share of the
/// results in between.
fn without_registers(costs: &Costs<'_>, graph: &Graph, node: usize, mut alive: BTreeSet<InstId>) -> f64 {
    let there_are = f64::from(costs.gang.vectors.registers);
    let registers = |id: InstId| costs.width(id).registers;
    let mut taken: f64 = alive.iter().map(|id| registers(*id)).sum();
    let (mut most, mut passing) = (taken, 0.0);
    for id in costs.block(graph.blocks[node]).iter().rev() {
        if alive.remove(id) {
            passing += registers(*id) * ((taken - there_are) / taken).max(0.0);
            taken -= registers(*id);
        }
        let inst = costs.inst(*id);
        if matches!(inst.kind, Kind::Phi(_)) {
            continue;
        }
        for used in vectors(costs, &inst.operands) {
            if alive.insert(used) {
                taken += registers(used);
            }
        }
        most = most.max(taken);
    }
    (most - there_are).max(0.0) + OFTEN_KEPT * passing
}

/// The varying values that are alive at the end of each node.
fn alive_at_ends(costs: &Costs<'_>, graph: &Graph) -> Option<Vec<BTreeSet<InstId>>> {
    let mut at_ends = vec![BTreeSet::new(); graph.end()];
    let mut steps = 0;
    // Nodes at whose start, or at whose end, a value is alive.
    let mut starts: Vec<(InstId, usize)> = Vec::new();
    let mut ends: Vec<(InstId, usize)> = Vec::new();
    for (node, block) in graph.blocks.iter().enumerate() {
        for id in costs.block(*block) {
            let inst = costs.inst(*id);
            match &inst.kind {
                Kind::Phi(from) => {
                    for (block, operand) in from.iter().zip(&inst.operands) {
                        let from = graph.numbers.get(block);
                        ends.extend(
                            from.into_iter()
                                .flat_map(|from| vectors(costs, std::slice::from_ref(operand)).map(|id| (id, *from))),
                        );
                    }
                }
                _ => starts.extend(vectors(costs, &inst.operands).map(|used| (used, node))),
            }
        }
        while !starts.is_empty() || !ends.is_empty() {
            steps += 1;
            if let Some((id, node)) = starts.pop() {
                if costs.inst(id).block != graph.blocks[node] {
                    ends.extend(graph.predecessors[node].iter().map(|before| (id, *before)));
                }
            } else if let Some((id, node)) = ends.pop()
                && at_ends[node].insert(id)
            {
                starts.push((id, node));
            }
            if steps > BUDGET {
                return None;
            }
        }
    }
    Some(at_ends)
}

/// The operands that are vectors of lanes.
fn vectors<'c>(costs: &'c Costs<'_>, operands: &'c [Operand]) -> impl Iterator<Item = InstId> + 'c {
    operands.iter().filter_map(|operand| match operand {
        Operand::Inst(id) if costs.shapes.of(*id) == Shape::Varying => Some(*id),
        _ => None,
    })
}
