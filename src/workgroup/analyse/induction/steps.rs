//! How the values of one loop change from iteration to iteration.

use std::collections::HashMap;

use crate::ir::{Function, Inst, InstId, Kind, Opcode, Operand};

use super::{Recurrence, recurrence};
use crate::analyse::graph::Graph;

/// How a value changes from one iteration of a loop to the next, if no number wraps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// By this much: a number, or bytes of an address. A value with step 0 is the same in all iterations.
    By(i64),
    /// By the same amount in each iteration, known only at run time.
    Evenly,
    /// In any way.
    Anyhow,
}

impl Step {
    const NONE: Step = Step::By(0);

    fn plus(self, other: Step) -> Step {
        match (self, other) {
            (Step::By(one), Step::By(other)) => one.checked_add(other).map_or(Step::Anyhow, Step::By),
            (Step::Anyhow, _) | (_, Step::Anyhow) => Step::Anyhow,
            _ => Step::Evenly,
        }
    }

    fn times(self, factor: Option<i64>) -> Step {
        match (self, factor) {
            (Step::By(0), _) => Step::NONE,
            (Step::By(step), Some(factor)) => step.checked_mul(factor).map_or(Step::Anyhow, Step::By),
            (Step::By(_) | Step::Evenly, _) => Step::Evenly,
            (Step::Anyhow, _) => Step::Anyhow,
        }
    }
}

/// The steps of all values of a loop.
pub(crate) struct Steps {
    steps: HashMap<InstId, Step>,
}

impl Steps {
    /// Finds the steps in one pass over the loop, or in two if a counter's increment may change.
    pub(crate) fn new<'m>(function: &Function<'m>, graph: &Graph, number: usize) -> Steps {
        let first = Finder::new(function, graph, number, &[]).run();
        let header = function.block(graph.blocks[graph.loops[number].header]);
        let counters = header.insts.iter().filter_map(|id| recurrence(function, *id));
        let uneven: Vec<_> =
            counters.filter(|counter| first.of(counter.by) != Step::NONE).map(|counter| counter.phi).collect();
        if uneven.is_empty() { first } else { Finder::new(function, graph, number, &uneven).run() }
    }

    /// The step of an operand: 0 if it is computed outside the loop.
    pub(crate) fn of(&self, operand: Operand) -> Step {
        match operand {
            Operand::Inst(id) => self.steps.get(&id).copied().unwrap_or(Step::NONE),
            _ => Step::NONE,
        }
    }
}

struct Finder<'f, 'm> {
    function: &'f Function<'m>,
    graph: &'f Graph,
    number: usize,
    /// Counters whose increment changes between iterations. All others count as advancing evenly.
    uneven: &'f [InstId],
    found: Steps,
}

impl<'f, 'm> Finder<'f, 'm> {
    fn new(function: &'f Function<'m>, graph: &'f Graph, number: usize, uneven: &'f [InstId]) -> Self {
        Finder { function, graph, number, uneven, found: Steps { steps: HashMap::new() } }
    }

    /// A node comes after those that dominate it, so all operands but those of phis are known.
    fn run(mut self) -> Steps {
        for id in self.graph.insts(self.function, self.number) {
            let step = self.step(id);
            self.found.steps.insert(id, step);
        }
        self.found
    }

    fn step(&self, id: InstId) -> Step {
        let inst = self.function.inst(id);
        let of = |index: usize| inst.operands.get(index).map_or(Step::Anyhow, |operand| self.found.of(*operand));
        let constant = |index: usize| self.function.i64_at(inst, index);
        let stays = || inst.operands.iter().all(|operand| self.found.of(*operand) == Step::NONE);
        match (&inst.kind, inst.opcode) {
            (Kind::Phi(_), _) => self.phi(id),
            (Kind::Query(_) | Kind::Alloca, _) => Step::NONE,
            (Kind::Plain, Opcode::Call) if !inst.is_pure() => Step::Anyhow,
            (Kind::Plain, Opcode::Load | Opcode::AtomicRmw | Opcode::AtomicCmpXchg | Opcode::Other) => Step::Anyhow,
            (Kind::Plain, _) if stays() => Step::NONE,
            (Kind::Plain, Opcode::GetElementPtr) => self.address(inst),
            (Kind::Plain, Opcode::Add) => of(0).plus(of(1)),
            (Kind::Plain, Opcode::Or) if inst.is_disjoint() => of(0).plus(of(1)),
            (Kind::Plain, Opcode::Sub) => of(0).plus(of(1).times(Some(-1))),
            (Kind::Plain, Opcode::Xor) if self.function.is_complement(inst) => of(0).times(Some(-1)),
            // Truncated to 32 bits and extended.
            (Kind::Plain, Opcode::And) if self.is_cut(inst) => of(0),
            (Kind::Plain, Opcode::SExt | Opcode::ZExt | Opcode::Trunc | Opcode::Freeze) => of(0),
            (Kind::Plain, Opcode::AddrSpaceCast | Opcode::PtrToInt | Opcode::IntToPtr) => of(0),
            (Kind::Plain, Opcode::Mul) if of(1) == Step::NONE => of(0).times(constant(1)),
            (Kind::Plain, Opcode::Mul) if of(0) == Step::NONE => of(1).times(constant(0)),
            (Kind::Plain, Opcode::Shl) if of(1) == Step::NONE => {
                of(0).times(constant(1).and_then(|by| 1i64.checked_shl(u32::try_from(by).ok()?)))
            }
            _ => Step::Anyhow,
        }
    }

    /// Does it keep a number's low 32 bits, which advance as the number does?
    fn is_cut(&self, inst: &Inst<'_>) -> bool {
        inst.opcode == Opcode::And && self.function.u64_at(inst, 1) == Some(u64::from(u32::MAX))
    }

    fn phi(&self, id: InstId) -> Step {
        let cut = |operand: &Operand| self.function.made_by(*operand).is_some_and(|inst| self.is_cut(inst));
        let goes_on =
            |counter: &Recurrence| counter.is_whole || self.function.inst(counter.next).operands.iter().any(cut);
        let Some(counter) = recurrence(self.function, id).filter(goes_on) else { return Step::Anyhow };
        if self.function.inst(id).block == self.graph.blocks[self.graph.loops[self.number].header] {
            return match counter.step() {
                Some(step) => Step::By(step),
                None if self.uneven.contains(&id) => Step::Anyhow,
                None => Step::Evenly,
            };
        }
        // The counter of an inner loop starts again in each iteration of this one.
        let starts = counter.starts.iter().map(|start| self.found.of(*start));
        match counter.step() {
            Some(_) => {
                starts.reduce(|one, other| if one == other { one } else { Step::Anyhow }).unwrap_or(Step::Anyhow)
            }
            None => Step::Anyhow,
        }
    }

    /// An address advances as its base does, and by the steps of its indices times the sizes of their elements.
    fn address(&self, inst: &Inst<'m>) -> Step {
        let Some(base) = inst.operands.first() else { return Step::Anyhow };
        let indices = self.function.indices(inst).into_iter();
        indices.fold(self.found.of(*base), |step, (index, bytes)| step.plus(self.found.of(index).times(bytes)))
    }
}
