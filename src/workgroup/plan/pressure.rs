//! Register pressure: how many vector registers the live values of a region take, and what it costs to spill those that
//! exceed the machine's.

use std::collections::BTreeSet;

use oxicl_target::Ability;

use crate::analyse::course::{Course, Mask};
use crate::analyse::graph::Graph;
use crate::analyse::shape::Shape;
use crate::bounds::PRESSURE_STEPS;
use crate::ir::{InstId, Kind, Operand};
use crate::plan::costs::Costs;
use crate::plan::presence::Presence;
use crate::prices::{Access, Operation, overrides};
use crate::recipe::Lanes;

/// A frequency: how often a spilled result is not used soon after it is made. Black-Scholes, whose gangs of 32 lanes
/// have 60 registers alive where the machine has 16, takes 3 cycles a work-item more on Zen 4 than without.
const OFTEN_KEPT: f64 = 0.25;

/// Bits that a lane's part of a mask takes on machines without mask registers: as many as most numbers.
const WORD_BITS: u32 = 32;

/// What is spilled in a region.
#[derive(Default)]
pub(super) struct Spills {
    /// What the stores and loads cost a gang.
    pub(super) price: f64,
    /// For each node, the part of what is alive for which there are no registers.
    pub(super) parts: Vec<f64>,
}

/// What gangs spill; `None` if the region is too large to look at.
pub(super) fn spills(costs: &Costs<'_>, graph: &Graph, course: &Course, presence: &Presence) -> Option<Spills> {
    // A spill is a store and a load, beside what else is done.
    let load = costs.of_register(Operation::Contiguous(Access::Load));
    let spill = costs.of_register(Operation::Contiguous(Access::Store)) + load;
    let at_ends = alive_at_ends(costs, graph)?;
    // Spills in code that lanes seldom run cause stores and loads around it as well: half-precision products, whose
    // rare case needs many registers, take 1.2 times as long in gangs of 64 as of 32 for AVX2.
    let often = |node: usize| presence.iterations[node] * presence.parts[node];
    let Lanes { lanes, vectors } = costs.gang;
    let mask = if vectors.can(Ability::Masks) { 0.0 } else { f64::from(WORD_BITS * lanes) / f64::from(vectors.bits) };
    let mut spills = Spills::default();
    for (node, alive) in at_ends.into_iter().enumerate() {
        let masks = if course.masks[node] == Mask::Own { mask } else { 0.0 };
        let there_are = (f64::from(vectors.registers) - masks).max(1.0);
        let Missing { changing, loaded, part } = missing(costs, graph, node, alive, there_are);
        spills.price += overrides::BUSY.cycles * often(node) * (spill * changing + load * loaded);
        spills.parts.push(part);
    }
    Some(spills)
}

/// Registers that a node would need beyond those that there are.
struct Missing {
    /// Of values that change in each iteration, or in a node outside loops: for those that stay alive, the most that are
    /// missing at once; and a share of the results in between.
    changing: f64,
    /// Of values that stay the same in the innermost loop, and so are stored once before it.
    loaded: f64,
    /// The most that are missing, as a part of those that are wanted.
    part: f64,
}

/// What a node misses if `there_are` so many registers. The first that have none are values that stay the same in its
/// innermost loop, and of these those that it does not use.
fn missing(costs: &Costs<'_>, graph: &Graph, node: usize, mut alive: BTreeSet<InstId>, there_are: f64) -> Missing {
    let registers = |id: &InstId| costs.width(*id).registers;
    let stays = |id: &InstId| graph.innermost(node).is_some_and(|number| !graph.holds(number, costs.inst(*id).block));
    let staying: f64 = alive.iter().filter(|id| stays(id)).map(registers).sum();
    let insts = costs.block(graph.blocks[node]);
    let used: BTreeSet<InstId> = insts.iter().flat_map(|id| vectors(costs, &costs.inst(*id).operands)).collect();
    let used: f64 = used.iter().filter(|id| stays(id)).map(registers).sum();
    // From the last instruction to the first: the registers that are taken behind it, and for results that are kept, theirs.
    let mut taken: f64 = alive.iter().map(registers).sum();
    let (mut most, mut results) = (taken, Vec::new());
    for id in insts.iter().rev() {
        if alive.remove(id) {
            results.push((registers(id), taken));
            taken -= registers(id);
        }
        let inst = costs.inst(*id);
        if matches!(inst.kind, Kind::Phi(_)) {
            continue;
        }
        for used in vectors(costs, &inst.operands) {
            if alive.insert(used) {
                taken += registers(&used);
            }
        }
        most = most.max(taken);
    }
    let missing = (most - there_are).max(0.0);
    let there_are = there_are + staying.min(missing);
    let passing = results.iter().map(|(registers, taken)| registers * ((taken - there_are) / taken).max(0.0));
    Missing {
        changing: (most - there_are).max(0.0) + OFTEN_KEPT * passing.sum::<f64>(),
        loaded: (missing - (staying - used).max(0.0)).clamp(0.0, used),
        part: missing / most.max(1.0),
    }
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
                        let Some(from) = graph.numbers.get(block) else { continue };
                        ends.extend(vectors(costs, std::slice::from_ref(operand)).map(|id| (id, *from)));
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
            if steps > PRESSURE_STEPS {
                return None;
            }
        }
    }
    Some(at_ends)
}

/// The operands that are vectors of lanes.
fn vectors<'c>(costs: &'c Costs<'_>, operands: &'c [Operand]) -> impl Iterator<Item = InstId> + 'c {
    operands.iter().filter_map(|operand| match operand {
        Operand::Inst(id) if costs.shape_of(*id) == Shape::Varying => Some(*id),
        _ => None,
    })
}
