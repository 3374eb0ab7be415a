//! Register pressure: how many vector registers the values of a region take that are alive at once, and what those cost that the
//! machine has not got.

use std::collections::BTreeSet;

use crate::analyse::course::Traversal;
use crate::analyse::graph::Graph;
use crate::analyse::shape::Shape;
use crate::bounds::pressure::BUDGET;
use crate::ir::{InstId, Kind, Operand};
use crate::plan::costs::Costs;
use crate::plan::estimate::{iterations_of_loops, weight};
use crate::prices::Access;
use crate::prices::Operation;

/// What a gang spends on values that have no registers; `None` of a region so large that it is not looked at.
pub(super) fn spills(costs: &Costs<'_>, region: &Traversal) -> Option<f64> {
    let registers = f64::from(costs.gang.vectors.registers);
    // A value that has no register in a block is stored and loaded.
    let spill = costs.of_register(Operation::Contiguous(Access::Store))
        + costs.of_register(Operation::Contiguous(Access::Load));
    let iterations = iterations_of_loops(costs.function, &region.graph);
    let most = most_alive(costs, &region.graph)?;
    let spilled = most.into_iter().enumerate().map(|(node, alive)| {
        let missing = (alive - registers).max(0.0);
        missing * spill * weight(&region.graph, &iterations, node)
    });
    Some(spilled.sum())
}

/// The most registers that are taken at once, in each node.
fn most_alive(costs: &Costs<'_>, graph: &Graph) -> Option<Vec<f64>> {
    let registers = |id: InstId| costs.width(id).registers;
    let at_ends = alive_at_ends(costs, graph)?;
    let of_node = |(node, mut alive): (usize, BTreeSet<InstId>)| {
        let mut taken: f64 = alive.iter().map(|id| registers(*id)).sum();
        let mut most = taken;
        for id in costs.block(graph.blocks[node]).iter().rev() {
            if alive.remove(id) {
                taken -= registers(*id);
            }
            let inst = costs.inst(*id);
            if matches!(inst.kind, Kind::Phi(_)) {
                continue;
            }
            for used in varying(costs, &inst.operands) {
                if alive.insert(used) {
                    taken += registers(used);
                }
            }
            most = most.max(taken);
        }
        most
    };
    Some(at_ends.into_iter().enumerate().map(of_node).collect())
}

/// The varying values that are alive at the end of each node.
fn alive_at_ends(costs: &Costs<'_>, graph: &Graph) -> Option<Vec<BTreeSet<InstId>>> {
    let mut at_ends = vec![BTreeSet::new(); graph.end()];
    let mut steps = 0;
    // Nodes at whose start a value is alive, or at whose end.
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
                                .flat_map(|from| varying(costs, std::slice::from_ref(operand)).map(|id| (id, *from))),
                        );
                    }
                }
                _ => starts.extend(varying(costs, &inst.operands).map(|used| (used, node))),
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
fn varying<'c>(costs: &'c Costs<'_>, operands: &'c [Operand]) -> impl Iterator<Item = InstId> + 'c {
    operands.iter().filter_map(|operand| match operand {
        Operand::Inst(id) if matches!(costs.shapes.of(*id), Shape::Varying | Shape::Wrapping(_)) => Some(*id),
        _ => None,
    })
}
