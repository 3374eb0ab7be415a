//! What operations cost on a machine: the throughput in cycles of one of many that do not depend on each other.
//!
//! There are three sources. LLVM's TargetTransformInfo knows what instructions a machine has, and so how many an
//! operation takes. LLVM's scheduling models (`models`) know how long these take on processors, which differ most in
//! divisions, products, masked stores and latencies. A few figures were measured (`overrides`).

mod models;
pub(crate) mod overrides;
mod question;
#[cfg(test)]
mod tests;

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use oxicl_llvm::{CodegenLevel, MachineOptions, Opcode, OwnedCosts, TargetMachine};
use oxicl_target::Target;

pub(crate) use oxicl_llvm::Access;

pub(crate) use models::Latency;
use models::{Table, throughput_of};
pub(crate) use question::{Move, Number, Operation, Question};

/// What operations cost on a machine.
pub(crate) struct Prices {
    target: Target,
    /// LLVM's cost model, created when the first price is asked for; `None` inside if LLVM has no such machine.
    costs: OnceCell<Option<OwnedCosts>>,
    /// Cycles of the operations asked for so far; `None` if the machine cannot do one.
    known: RefCell<HashMap<Question, Option<f64>>>,
    table: Table,
}

/// A bound on memory: machines whose prices a thread keeps. A worker has one or two, with gangs and without.
const KEPT: usize = 4;

thread_local! {
    static LAST: RefCell<Vec<Rc<Prices>>> = const { RefCell::new(Vec::new()) };
}

impl Prices {
    /// The prices of a machine, with all that this thread has asked for before.
    pub(crate) fn of(target: &Target) -> Rc<Prices> {
        LAST.with_borrow_mut(|last| {
            if let Some(prices) = last.iter().find(|prices| prices.target == *target) {
                return Rc::clone(prices);
            }
            let prices = Rc::new(Prices::new(target));
            last.truncate(KEPT - 1);
            last.insert(0, Rc::clone(&prices));
            prices
        })
    }

    fn new(target: &Target) -> Prices {
        let table = Table::of(target);
        Prices { target: target.clone(), costs: OnceCell::new(), known: RefCell::default(), table }
    }

    /// Cycles of an operation on `lanes` lanes; infinite if the machine cannot do it, so that no plan has it.
    pub(crate) fn of_lanes(&self, operation: Operation, number: Number, lanes: u32) -> f64 {
        let question = Question { operation, number, lanes };
        if let Some(known) = self.known.borrow().get(&question) {
            return known.unwrap_or(f64::INFINITY);
        }
        let found = self.find(&question);
        self.known.borrow_mut().insert(question, found);
        found.unwrap_or(f64::INFINITY)
    }

    /// Cycles of an operation by a work-item.
    pub(crate) fn of_one(&self, operation: Operation, number: Number) -> f64 {
        self.of_lanes(operation, number, 1)
    }

    /// The latency of an operation on a vector, or on a single number, in cycles.
    pub(crate) fn latency(&self, of: Latency, number: Number, is_vector: bool) -> f64 {
        self.table.latency(of, number, is_vector)
    }

    fn find(&self, question: &Question) -> Option<f64> {
        if let Some(lanes) = self.half(question) {
            let twice = 2.0 * self.of_lanes(question.operation, question.number, lanes);
            let packed = if question.narrows() { self.ask(question) } else { None };
            return Some(packed.map_or(twice, |packed| packed.min(twice))).filter(|cycles| cycles.is_finite());
        }
        if let Some((name, number)) = throughput_of(question)
            && let Some(cycles) = self.table.cycles(name, number, question.lanes > 1)
        {
            return Some(cycles * self.registers(question));
        }
        if let Operation::Interleaved { access, factor, used } = question.operation {
            return self.interleaved(access, factor, used, question);
        }
        self.ask(question)
    }

    /// Half of the lanes, if these fill registers: the operation then costs twice the half, or less where registers
    /// whose numbers become narrower are packed together. LLVM's costs of vectors longer than registers have jumps that
    /// code has not.
    fn half(&self, Question { operation, number, lanes }: &Question) -> Option<u32> {
        let bits = match operation {
            // Numbers go from any register to any other.
            Operation::Move(_) => return None,
            Operation::Cast(_, to) => number.bits().max(to.bits()),
            _ => number.bits(),
        };
        (lanes.is_multiple_of(2) && lanes / 2 * bits >= self.table.bits).then_some(lanes / 2)
    }

    /// The price of accessing records: LLVM's, which is number by number where it knows no better, or that of accessing
    /// whole registers and assembling each register of numbers from those that hold some of them; the lesser one.
    fn interleaved(&self, access: Access, factor: u32, used: u32, question: &Question) -> Option<f64> {
        let Question { number, lanes, .. } = *question;
        let asked = self.ask(question)?;
        let of = |operation, lanes| self.of_lanes(operation, number, lanes);
        let whole = of(Operation::Contiguous(access), lanes * factor);
        let permuted = of(Operation::Move(Move::Permute), lanes);
        let chosen = self.of_lanes(Operation::Arithmetic(Opcode::Or), Number::Int(number.bits()), lanes);
        // Loading several numbers of each record takes no more than loading each by itself.
        let each = match access {
            Access::Load if used > 1 => f64::from(used) * of(Operation::Interleaved { access, factor, used: 1 }, lanes),
            _ => f64::INFINITY,
        };
        // By halves: log2(factor) times, each register is permuted from two.
        let halved = match factor.is_power_of_two() && used == factor {
            true => whole + f64::from(factor * factor.ilog2()) * of(Operation::Move(Move::PermuteTwo), lanes),
            false => f64::INFINITY,
        };
        let factor = f64::from(factor);
        let put_together = whole + f64::from(used) * (factor * permuted + (factor - 1.0) * chosen);
        Some(asked.min(put_together).min(each).min(halved))
    }

    fn ask(&self, question: &Question) -> Option<f64> {
        Some(self.units(question)? as f64 * self.unit(question))
    }

    /// LLVM's cost, in its units.
    fn units(&self, question: &Question) -> Option<u64> {
        let costs = self.costs.get_or_init(|| machine(&self.target).map(|machine| OwnedCosts::new(machine, "")));
        costs.as_ref()?.ask(|costs, context| question.ask(costs, context))
    }

    /// How many registers the lanes fill; possibly a part of one for masked accesses.
    fn registers(&self, question: &Question) -> f64 {
        if question.lanes == 1 {
            return 1.0;
        }
        let registers = f64::from(question.lanes * question.number.bits()) / f64::from(self.table.bits);
        match question.operation {
            // Masked accesses that machines have no instruction for go lane by lane.
            Operation::Masked(_) => registers,
            _ => registers.ceil(),
        }
    }

    /// Cycles of a unit of LLVM's costs, which count instructions of a kind. How many of that kind a processor starts
    /// in a cycle is what its scheduling model says of the simplest one.
    fn unit(&self, Question { operation, number, lanes }: &Question) -> f64 {
        use Operation::{Arithmetic, ByConstant, Cast, Contiguous, Interleaved, Intrinsic, Masked, Move as Moves};
        let is_vector = *lanes > 1;
        let of = |name: &str, number: Number| self.table.cycles(name, number, is_vector).unwrap_or(1.0);
        let int = || of("add", Number::Int(32));
        let float = || (of("fadd", Number::Float) + of("fmul", Number::Float)) / 2.0;
        let load = || of("load", if is_vector { Number::Float } else { Number::Int(32) });
        let store = || of("store", if is_vector { Number::Float } else { Number::Int(32) });
        // A number that moves to another lane, or within its own bytes.
        let shuffle = || if is_vector { of("permute", Number::Float) } else { int() };
        match operation {
            Arithmetic(Opcode::FNeg) => int(),
            Arithmetic(_) | ByConstant(_) if number.is_int() => int(),
            // On AArch64, LLVM counts one instruction where two are needed.
            Cast(Opcode::Trunc, _) if is_vector => shuffle().min(self.unit_of("trunc")),
            Cast(Opcode::ZExt | Opcode::SExt, _) if is_vector => shuffle().min(self.unit_of("zext")),
            Cast(Opcode::ZExt | Opcode::SExt | Opcode::Trunc, _) => int(),
            Intrinsic(name, _) if models::BITS.contains(name) => shuffle(),
            Intrinsic(name, _) if number.is_int() || models::LOGIC.contains(name) => int(),
            Operation::Compare | Operation::Select => int(),
            Contiguous(Access::Store) | Masked(Access::Store) => store(),
            // The shuffles run in parallel with the accesses.
            Contiguous(Access::Load) | Masked(Access::Load) | Interleaved { .. } => load(),
            Moves(_) => shuffle(),
            _ => float(),
        }
    }

    /// The same of instructions that narrow or widen integers, by what the models say of a register of 32 bits each that
    /// become bytes, or the reverse.
    fn unit_of(&self, name: &'static str) -> f64 {
        let (byte, word) = (Number::Int(8), Number::Int(32));
        let (operation, number) = match name {
            "trunc" => (Operation::Cast(Opcode::Trunc, byte), word),
            _ => (Operation::Cast(Opcode::ZExt, word), byte),
        };
        let units = self.units(&Question { operation, number, lanes: self.table.bits / word.bits() });
        let cycles = self.table.cycles(name, word, true);
        cycles.zip(units).map_or(1.0, |(cycles, units)| cycles / units.max(1) as f64)
    }
}

/// LLVM's `TargetMachine` of a target.
fn machine(target: &Target) -> Option<TargetMachine> {
    let options = MachineOptions {
        triple: target.triple.clone(),
        cpu: String::new(),
        features: target.features.clone(),
        level: CodegenLevel::Default,
    };
    TargetMachine::new(&options).ok()
}

impl std::fmt::Debug for Prices {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prices").field("target", &self.target.triple).finish_non_exhaustive()
    }
}
