//! What masks cost a gang by which lanes leave a region, and so what a body without them saves.

use oxicl_llvm::{Module, Opcode};
use oxicl_target::Ability;

use crate::analyse::course::{Course, Mask, Traversal};
use crate::analyse::graph::Graph;
use crate::arena::{BlockId, Inst, InstId, Kind};
use crate::plan::costs::{Costs, Lanes};
use crate::plan::estimate::{estimate, iterations_of_loops, weight};

/// Cycles in which a mask is made of comparisons, looked at, and its first lane found (Zen 5, copies of bytes).
const MADE: f64 = 5.0;

/// Cycles that a store of numbers of 32 or 64 bits under a mask takes more where they are microcode (AVX2 on Zen 3: copies of
/// floats at 11 GB/s in place of 52), and a load.
const MICROCODE: f64 = 16.0;
const MASKED_LOAD: f64 = 1.0;

/// Cycles a lane of accesses that machines have no masks for, which LLVM writes as a branch each (AVX2, copies of bytes), and of
/// atomic operations, which none has masks for (histograms of bytes: 1.1 against 0.5 ns).
const BRANCH: f64 = 2.5;

/// What an access under a mask costs a gang more than another, by the machine and the bytes of a number: the only place that
/// knows.
fn of_access(store: bool, bytes: u64, gang: Lanes) -> f64 {
    /// Registers of this many bits come with loads and stores of such numbers under masks.
    const AVX: u32 = 256;
    match bytes {
        _ if gang.vectors.can(Ability::Masks) => 0.0,
        4.. if gang.vectors.bits >= AVX && store => MICROCODE,
        4.. if gang.vectors.bits >= AVX => MASKED_LOAD,
        _ => BRANCH * f64::from(gang.lanes),
    }
}

/// The part of a gang's time that goes to masks which it has in a region on any course, but not on that of gangs that agree.
pub(crate) fn share_of_masks(
    costs: &Costs<'_, '_>,
    Traversal { graph, course: any }: &Traversal,
    agreed: &Course,
) -> f64 {
    let function = costs.function;
    let time = estimate(costs, std::iter::once((graph, agreed))).gang;
    let iterations = iterations_of_loops(function, graph);
    let freed = (0..graph.end()).filter(|node| any.masks[*node] != Mask::Entry && agreed.masks[*node] == Mask::Entry);
    let saved = freed.map(|node| {
        // Where lanes diverge or reconverge, not in each iteration of a loop between.
        let outside = f64::min(weight(graph, &iterations, node), weight(graph, &iterations, graph.dominator(node)));
        let made = if any.masks[node] == Mask::Own { MADE * outside } else { 0.0 };
        weight(graph, &iterations, node) * of_block(costs, graph.blocks[node]) + made
    });
    let saved: f64 = saved.sum();
    saved / (time + saved).max(1.0)
}

/// The part of a gang's time that goes to masks of accesses in a loop, but not in iterations that begin with all lanes.
pub(crate) fn share_of_loop(costs: &Costs<'_, '_>, graph: &Graph, any: &Course, number: usize, all_on: &Course) -> f64 {
    let l = &graph.loops[number];
    let nodes = (l.header..l.end).filter(|node| all_on.masks[*node] == Mask::Entry);
    share_of_accesses(costs, graph, any, nodes)
}

/// The part of a gang's time that goes to the mask of the lanes that enter a region, which a whole gang does without.
pub(crate) fn share_of_entry(costs: &Costs<'_, '_>, Traversal { graph, course }: &Traversal) -> f64 {
    let entered = (0..graph.end()).filter(|node| course.masks[*node] == Mask::Entry);
    share_of_accesses(costs, graph, course, entered)
}

/// The part of a gang's time that goes to masks of the accesses of some nodes.
fn share_of_accesses(costs: &Costs<'_, '_>, graph: &Graph, course: &Course, nodes: impl Iterator<Item = usize>) -> f64 {
    let gang = costs.gang;
    let time = estimate(costs, std::iter::once((graph, course))).gang;
    let iterations = iterations_of_loops(costs.function, graph);
    let of = |id: &InstId| {
        let inst = costs.inst(*id);
        let is_atomic = matches!(inst.opcode, Opcode::AtomicRmw | Opcode::AtomicCmpXchg);
        if costs.is_scattered(*id) && (is_atomic || !gang.vectors.can(Ability::Gather)) {
            return BRANCH * f64::from(gang.lanes) * costs.width(*id).parts;
        }
        of_instruction(costs.module, inst, gang)
    };
    let saved = nodes.map(|node| {
        let accesses: f64 = costs.block(graph.blocks[node]).iter().map(of).sum();
        weight(graph, &iterations, node) * accesses
    });
    let saved: f64 = saved.sum();
    saved / (time + saved).max(1.0)
}

/// What the accesses of a block cost a gang more under a mask.
fn of_block(costs: &Costs<'_, '_>, block: BlockId) -> f64 {
    costs.block(block).iter().map(|id| of_instruction(costs.module, costs.inst(*id), costs.gang)).sum()
}

fn of_instruction(module: &Module<'_>, inst: &Inst<'_>, gang: Lanes) -> f64 {
    let ty = match (&inst.kind, inst.opcode) {
        (Kind::Plain, Opcode::Load) => inst.value.ty(),
        (Kind::Plain, Opcode::Store) => match inst.value.operand(0) {
            Some(value) => value.ty(),
            None => return 0.0,
        },
        _ => return 0.0,
    };
    of_access(inst.opcode == Opcode::Store, module.size_of(ty.scalar()), gang)
}
