//! Recurrences: how long a loop waits for its own results. That is the longest way from what an iteration begins with to what
//! the next one does, and what keeps the machine busy meanwhile.
//!
//! Latencies are those of `prices`.

use std::collections::HashMap;

use crate::ir::{Inst, InstId, Intrinsic, Kind, Opcode, Operand};

use crate::analyse::course::{Course, Leave};
use crate::analyse::graph::Graph;
use crate::analyse::induction::next;
use crate::analyse::shape::Shape;
use crate::plan::costs::Costs;
use crate::prices::{Latency, Number, overrides};

/// Is a loop with so many registers a value still waiting most of the time?
pub(crate) fn waits(costs: &Costs<'_>, graph: &Graph, course: &Course, number: usize, registers: u32) -> bool {
    let (header, end) = (graph.loops[number].header, graph.loops[number].end);
    let insts = (header..end).flat_map(|node| costs.block(graph.blocks[node])).copied();
    let divergent = (header..end).filter(|node| matches!(course.leave[*node], Leave::Diverge { .. })).count();
    let busy = insts.map(|id| busy(costs, id)).sum::<f64>() + costs.masks() * divergent as f64;
    longest(costs, graph, number, |inst| latency(costs, inst, true)) >= f64::from(registers) * busy
}

/// How many cycles the result of an instruction takes, as a vector or a number.
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
        // Vectors of integers are divided by way of floating-point numbers.
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
    let inst = costs.inst(id);
    match (costs.shape(Operand::Inst(id)), &inst.kind) {
        // Registers of what begins an iteration are those of what ended the last one.
        (Shape::Varying, Kind::Phi(_)) => 0.0,
        (Shape::Varying, _) => overrides::BUSY.cycles * costs.of(id).1,
        // Other units do what lanes have in common.
        _ => 0.0,
    }
}

/// The time that an iteration takes at least: the longest way from a phi of the header around to itself, by way of another one or
/// not, if each result takes so long.
pub(crate) fn longest(costs: &Costs<'_>, graph: &Graph, number: usize, latency: impl Fn(&Inst<'_>) -> f64) -> f64 {
    let l = &graph.loops[number];
    let (header, latch) = (graph.blocks[l.header], graph.blocks[l.latch]);
    let insts: Vec<InstId> = (l.header..l.end).flat_map(|node| costs.block(graph.blocks[node])).copied().collect();
    let is_phi = |id: &InstId| costs.inst(*id).block == header && matches!(costs.inst(*id).kind, Kind::Phi(_));
    let phis: Vec<InstId> =
        insts.iter().filter(|id| is_phi(id) && costs.shape(Operand::Inst(**id)) == Shape::Varying).copied().collect();
    if phis.is_empty() {
        return 0.0;
    }
    let timed = insts.iter().filter(|id| !is_phi(id)).map(|id| (*id, costs.inst(*id)));
    let timed: Vec<_> = timed.map(|(id, inst)| (id, inst, latency(inst))).collect();
    let ways: Vec<Vec<Option<f64>>> = phis
        .iter()
        .map(|from| {
            let mut times = HashMap::from([(*from, 0.0)]);
            for (id, inst, takes) in &timed {
                let known = inst.operands.iter().filter_map(|operand| match operand {
                    Operand::Inst(used) => times.get(used).copied(),
                    _ => None,
                });
                if let Some(time) = known.reduce(f64::max) {
                    times.insert(*id, time + takes);
                }
            }
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
