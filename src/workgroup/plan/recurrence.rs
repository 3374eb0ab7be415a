//! Recurrences: how long a loop waits for its own results. That is the longest way from what an iteration begins with to what
//! the next one does, and what keeps the machine busy meanwhile.
//!
//! The figures are costs: cycles of processors with vectors of 512 bits, which begin two operations in each.

use std::collections::HashMap;

use oxicl_llvm::Opcode;

use crate::analyse::course::{Course, Leave};
use crate::analyse::graph::Graph;
use crate::analyse::induction::next;
use crate::analyse::shape::Shape;
use crate::arena::{Inst, InstId, Kind, Operand};
use crate::plan::costs::Costs;

/// What masks cost at each branch at which lanes diverge.
const MASKS: f64 = 1.0;

/// Is a loop with so many registers a value still waiting most of the time?
pub(crate) fn waits(costs: &Costs<'_, '_>, graph: &Graph, course: &Course, number: usize, registers: u32) -> bool {
    let (header, end) = (graph.loops[number].header, graph.loops[number].end);
    let insts = (header..end).flat_map(|node| costs.block(graph.blocks[node])).copied();
    let divergent = (header..end).filter(|node| matches!(course.leave[*node], Leave::Diverge { .. })).count();
    let busy = insts.map(|id| busy(costs, id)).sum::<f64>() + MASKS * divergent as f64;
    longest(costs, graph, number, latency) >= f64::from(registers) * busy
}

/// How long the result of an instruction takes.
fn latency(inst: &Inst<'_>) -> f64 {
    use Opcode::{FAdd, FCmp, FDiv, FMul, FPToSI, FPToUI, FSub, ICmp, Mul, SIToFP, UIToFP};
    match inst.opcode {
        FAdd | FSub | FMul | FPToSI | FPToUI | SIToFP | UIToFP => 4.0,
        FCmp | ICmp => 3.0,
        Mul => 6.0,
        FDiv => 20.0,
        Opcode::Call => match name(inst) {
            name if name.contains(".fma") || name.contains(".fmuladd") => 4.0,
            name if name.contains(".sqrt") => 20.0,
            _ => 1.0,
        },
        _ => 1.0,
    }
}

/// How long an instruction keeps the machine from others, for each register of a value.
fn busy(costs: &Costs<'_, '_>, id: InstId) -> f64 {
    let inst = costs.inst(id);
    if costs.shape(Operand::Inst(id)) != Shape::Varying {
        return 0.1;
    }
    let registers = costs.width(id).registers;
    match inst.opcode {
        Opcode::FDiv => 12.0 * registers,
        Opcode::Mul => registers,
        Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem | Opcode::FRem => 16.0 * registers,
        Opcode::Call if name(inst).contains(".sqrt") => 12.0 * registers,
        // Registers of what begins an iteration are those of what ended the last one.
        Opcode::Phi => 0.0,
        _ => 0.5 * registers,
    }
}

pub(crate) fn name(inst: &Inst<'_>) -> String {
    inst.value.called_function().map(|function| function.name()).unwrap_or_default()
}

/// The time that an iteration takes at least: the longest way from a phi of the header around to itself, by way of another one or
/// not, if each result takes so long.
pub(crate) fn longest(costs: &Costs<'_, '_>, graph: &Graph, number: usize, latency: impl Fn(&Inst<'_>) -> f64) -> f64 {
    let l = &graph.loops[number];
    let (header, latch) = (graph.blocks[l.header], graph.blocks[l.latch]);
    let insts: Vec<InstId> = (l.header..l.end).flat_map(|node| costs.block(graph.blocks[node])).copied().collect();
    let is_phi = |id: &InstId| costs.inst(*id).block == header && matches!(costs.inst(*id).kind, Kind::Phi(_));
    let phis: Vec<InstId> =
        insts.iter().filter(|id| is_phi(id) && costs.shape(Operand::Inst(**id)) == Shape::Varying).copied().collect();
    let ways: Vec<Vec<Option<f64>>> = phis
        .iter()
        .map(|from| {
            let mut times = HashMap::from([(*from, 0.0)]);
            for id in insts.iter().filter(|id| !is_phi(id)) {
                let inst = costs.inst(*id);
                let known = inst.operands.iter().filter_map(|operand| match operand {
                    Operand::Inst(used) => times.get(used).copied(),
                    _ => None,
                });
                if let Some(time) = known.reduce(f64::max) {
                    times.insert(*id, time + latency(inst));
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
