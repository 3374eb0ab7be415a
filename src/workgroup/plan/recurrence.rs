//! Recurrences: how long a loop waits for its own results. That is the longest path, through values or memory, from the
//! start of an iteration to that of the next one, less what keeps the machine busy meanwhile.
//!
//! Latencies come from `prices`.

use std::collections::HashMap;

use crate::ir::{Inst, InstId, Intrinsic, Kind, Opcode, Operand, space};

use crate::analyse::course::{Course, Leave};
use crate::analyse::graph::Graph;
use crate::analyse::induction::{Step, Steps, next};
use crate::analyse::shape::Shape;
use crate::bounds::RECURRENCE_STEPS;
use crate::plan::costs::Costs;
use crate::plan::presence::Presence;
use crate::prices::{Latency, Number, overrides};
use crate::recipe::Price;

/// A cost: how many instructions a processor holds that wait for their operands. Those behind wait, whatever they need.
/// Schedulers hold fewer than are in flight: those for vectors 128 on Zen 4, where 256 are in flight on Zen 3. Of 32, 64,
/// 128 and 256, this one makes the best choices for 120 kernels (Zen 4).
const WINDOW: f64 = 128.0;

/// A cost: cycles by which an iteration takes longer where what it hands on is spilled. The mandelbrot set hands on two
/// numbers, each of which is loaded 7 to 8 cycles after it was stored (Zen 4).
const FORWARDED: f64 = 15.0;

/// Straight code of a region: what an iteration of a loop runs outside the loops within it, or all of a region without
/// loops. Its latencies do not depend on the number of lanes.
pub(super) struct Section {
    nodes: Vec<usize>,
    /// Cycles from the start of an iteration until the next one can start; 0 if there are loops within.
    recurrence: f64,
    /// Cycles of the longest path through the section.
    path: f64,
}

/// The sections of a region.
pub(super) fn sections(costs: &Costs<'_>, graph: &Graph) -> Vec<Section> {
    let section = |number: Option<usize>, nodes: Vec<usize>| {
        let recurrence = number.filter(|number| graph.is_innermost(*number)).map_or(0.0, |number| {
            let by_values = longest(costs, graph, number, |id| takes(costs, id));
            by_values.max(longest_by_memory(costs, graph, number))
        });
        Section { path: path(costs, graph, &nodes), nodes, recurrence }
    };
    if graph.loops.is_empty() {
        return vec![section(None, (0..graph.end()).collect())];
    }
    let mut of_loops = vec![Vec::new(); graph.loops.len()];
    for node in 0..graph.end() {
        if let Some(number) = graph.innermost(node) {
            of_loops[number].push(node);
        }
    }
    of_loops.into_iter().enumerate().map(|(number, nodes)| section(Some(number), nodes)).collect()
}

/// How long a gang waits for its own results in a region, beyond what keeps the machine busy meanwhile, in the unit of
/// summed prices. `spilled` is, for each node, the part of what is alive that is spilled. The recurrence is waited for in
/// full. The longest path is waited for the more, the less of the code that follows is in the processor's window. As
/// waiting and work do not overlap perfectly, both together take the square root of the sum of their squares. The
/// mandelbrot set takes 11, 15 and 23 cycles an iteration of 16, 32 and 64 lanes on Zen 4, where the recurrence takes 10.3
/// cycles and each register 6.
pub(super) fn waiting(
    costs: &Costs<'_>,
    graph: &Graph,
    course: &Course,
    presence: &Presence,
    sections: &[Section],
    spilled: &[f64],
) -> f64 {
    let of_section = |Section { nodes, recurrence, path }: &Section| {
        let Some(start) = nodes.first().copied() else { return 0.0 };
        let often = |node: usize| presence.gangs[node] / presence.gangs[start];
        let sum = |of: &dyn Fn(InstId) -> f64| {
            let of_node = |node| often(node) * costs.block(graph.blocks[node]).iter().map(|id| of(*id)).sum::<f64>();
            nodes.iter().copied().map(of_node).sum::<f64>()
        };
        let divergent = nodes.iter().filter(|node| matches!(course.leave[**node], Leave::Diverge { .. }));
        let masks: f64 = divergent.map(|node| costs.masks(graph.successors[*node].len())).sum();
        let busy = sum(&|id| busy(costs, id)) + masks;
        let written = sum(&|id| costs.width(id).registers);
        let through_memory = nodes.iter().filter_map(|node| spilled.get(*node)).copied().fold(0.0, f64::max);
        let recurrence = if *recurrence > 0.0 { recurrence + FORWARDED * through_memory } else { 0.0 };
        let waits = recurrence.max(path * written / (written + WINDOW));
        presence.often(start) * (waits.hypot(busy) - busy) / overrides::BUSY.cycles
    };
    sections.iter().map(of_section).sum()
}

/// The latency of the longest path through varying values of some nodes.
fn path(costs: &Costs<'_>, graph: &Graph, nodes: &[usize]) -> f64 {
    let mut times: HashMap<InstId, f64> = HashMap::new();
    for id in nodes.iter().flat_map(|node| costs.block(graph.blocks[*node])) {
        let inst = costs.inst(*id);
        if costs.shape(Operand::Inst(*id)) != Shape::Varying {
            continue;
        }
        let known = inst.operands.iter().filter_map(|operand| match operand {
            Operand::Inst(used) => times.get(used).copied(),
            _ => None,
        });
        let takes = if matches!(inst.kind, Kind::Phi(_)) { 0.0 } else { latency(costs, inst, true) };
        let time = known.fold(0.0, f64::max) + takes;
        times.insert(*id, time);
    }
    times.into_values().fold(0.0, f64::max)
}

/// The latency of an instruction for a gang. Where each lane has an address of its own, what follows waits for all lanes.
fn takes(costs: &Costs<'_>, id: InstId) -> f64 {
    let Price { gang, scattered, .. } = costs.price(id);
    latency(costs, costs.inst(id), true) + far(costs, id) + if scattered { gang } else { 0.0 }
}

/// How much longer it takes in a recurrence than from the nearest cache until what a lane or work-item loads is there. In a
/// recurrence, the address depends on what was loaded before.
pub(super) fn far(costs: &Costs<'_>, id: InstId) -> f64 {
    let inst = costs.inst(id);
    let far = |address: &Operand| {
        let space = costs.function.type_of(*address).address_space();
        costs.shape(*address) == Shape::Varying && space::is_far(space) && space != space::CONSTANT
    };
    let is_far = inst.opcode == Opcode::Load && inst.address().as_ref().is_some_and(far);
    if is_far { overrides::FAR_CHAIN.cycles } else { 0.0 }
}

/// The latency of an instruction as a vector or a scalar, in cycles.
pub(super) fn latency(costs: &Costs<'_>, inst: &Inst<'_>, is_vector: bool) -> f64 {
    use Intrinsic::{
        Ceil, FMulAdd, Floor, Fma, MaxNum, Maximum, MaximumNum, MinNum, Minimum, MinimumNum, RInt, Round, RoundEven,
        Sqrt, Trunc,
    };
    use Opcode::{
        AShr, FAdd, FCmp, FDiv, FMul, FPToSI, FPToUI, FRem, FSub, ICmp, LShr, Mul, SDiv, SIToFP, SRem, Shl, UDiv,
        UIToFP, URem,
    };
    let number = Number::of(&inst.ty);
    let of = |latency, number| costs.function.prices.latency(latency, number, is_vector);
    let first = || costs.function.type_at(inst, 0).map_or(number, Number::of);
    match inst.opcode {
        FAdd | FSub => of(Latency::Add, number),
        FMul | Mul => of(Latency::Mul, number),
        // By a product with the inverse.
        UDiv | SDiv | URem | SRem if matches!(inst.operands.get(1), Some(Operand::Constant(_))) => {
            of(Latency::Mul, number) + 2.0 * of(Latency::Simple, number)
        }
        // Integer vectors are divided by way of floating-point numbers.
        UDiv | SDiv | URem | SRem if is_vector => {
            of(Latency::Division, Number::Double) + 2.0 * of(Latency::Convert, Number::Int(32))
        }
        UDiv | URem => of(Latency::UnsignedDivision, number),
        SDiv | SRem => of(Latency::SignedDivision, number),
        FDiv | FRem => of(Latency::Division, number),
        FCmp | ICmp => of(Latency::Compare, first()),
        Shl | LShr | AShr => of(Latency::Shift, number),
        FPToSI | FPToUI => of(Latency::Convert, Number::Int(number.bits().max(32))),
        SIToFP | UIToFP => of(Latency::Convert, Number::Int(first().bits().max(32))),
        Opcode::Load => of(Latency::Load, number),
        Opcode::Call => match inst.intrinsic() {
            Some(Fma | FMulAdd) => of(Latency::Fma, number),
            Some(Sqrt) => of(Latency::SquareRoot, number),
            Some(MinNum | MaxNum | Minimum | Maximum | MinimumNum | MaximumNum) => of(Latency::Minimum, number),
            Some(Floor | Ceil | Trunc | RInt | Round | RoundEven) => of(Latency::Round, number),
            _ => of(Latency::Simple, number),
        },
        _ => of(Latency::Simple, number),
    }
}

/// How long an instruction keeps the machine from others.
fn busy(costs: &Costs<'_>, id: InstId) -> f64 {
    // A phi of a header has the register of what ended the last iteration. What lanes share runs on other units.
    match costs.inst(id).kind {
        Kind::Phi(_) => 0.0,
        _ if costs.is_shared(id) => 0.0,
        _ => overrides::BUSY.cycles * costs.price(id).gang,
    }
}

/// The least time of an iteration: the longest dependency cycle through one phi of the header, or through two in two
/// iterations, by the given latencies.
pub(crate) fn longest(costs: &Costs<'_>, graph: &Graph, number: usize, latency: impl Fn(InstId) -> f64) -> f64 {
    let l = &graph.loops[number];
    let (header, latch) = (graph.blocks[l.header], graph.blocks[l.latch]);
    let insts: Vec<_> = graph.insts(costs.function, number).collect();
    let is_phi = |id: &InstId| costs.inst(*id).block == header && matches!(costs.inst(*id).kind, Kind::Phi(_));
    let phis: Vec<InstId> =
        insts.iter().filter(|id| is_phi(id) && costs.shape(Operand::Inst(**id)) == Shape::Varying).copied().collect();
    if phis.is_empty() || phis.len() * insts.len() > RECURRENCE_STEPS {
        return 0.0;
    }
    let timed = insts.iter().filter(|id| !is_phi(id)).map(|id| (*id, costs.inst(*id)));
    let timed: Vec<_> = timed.map(|(id, inst)| (id, inst, latency(id))).collect();
    let ways: Vec<Vec<Option<f64>>> = phis
        .iter()
        .map(|from| {
            let times = times(&timed, (*from, 0.0));
            let end = |phi: &InstId| match next(costs.function, *phi, latch) {
                Some(Operand::Inst(id)) => times.get(&id).copied(),
                _ => None,
            };
            phis.iter().map(end).collect()
        })
        .collect();
    let around = |a: usize, b: usize| Some((ways[a][b]? + ways[b][a]?) / 2.0);
    let pairs = (0..phis.len()).flat_map(|a| (a..phis.len()).map(move |b| (a, b)));
    pairs.filter_map(|(a, b)| around(a, b)).fold(0.0, f64::max)
}

/// The same through memory: the longest path of lanes from a load to a store at the same address, if that is the same
/// in all iterations. Such a number is in a register unless other accesses may alias it. (A single work-item hardly
/// waits: processors forward such numbers as fast as registers.)
fn longest_by_memory(costs: &Costs<'_>, graph: &Graph, number: usize) -> f64 {
    let insts: Vec<_> = graph.insts(costs.function, number).collect();
    let of = |opcode: Opcode| insts.iter().copied().filter(move |id| costs.inst(*id).opcode == opcode);
    let address = |id: InstId| costs.inst(id).address();
    let stores: HashMap<Operand, InstId> = of(Opcode::Store).filter_map(|id| Some((address(id)?, id))).collect();
    let pairs: Vec<_> = of(Opcode::Load).filter_map(|id| Some((id, *stores.get(&address(id)?)?))).collect();
    if pairs.is_empty() || pairs.len() * insts.len() > RECURRENCE_STEPS {
        return 0.0;
    }
    let steps = Steps::new(costs.function, graph, number);
    let timed: Vec<_> = insts.iter().map(|id| (*id, costs.inst(*id), takes(costs, *id))).collect();
    let stays = |(load, _): &&(InstId, InstId)| address(*load).is_some_and(|place| steps.of(place) == Step::By(0));
    let way = |(load, store): &(InstId, InstId)| times(&timed, (*load, takes(costs, *load))).get(store).copied();
    pairs.iter().filter(stays).filter_map(way).fold(0.0, f64::max)
}

/// When instructions that depend on the first one are done, given how long each takes and when the first one is done.
fn times(timed: &[(InstId, &Inst<'_>, f64)], first: (InstId, f64)) -> HashMap<InstId, f64> {
    let mut times = HashMap::from([first]);
    for (id, inst, takes) in timed {
        let known = inst.operands.iter().filter_map(|operand| match operand {
            Operand::Inst(used) => times.get(used).copied(),
            _ => None,
        });
        if let Some(time) = known.reduce(f64::max) {
            times.insert(*id, time + takes);
        }
    }
    times
}
