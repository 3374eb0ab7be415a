//! What loops cost a work-item by itself. LLVM vectorises some of them over their iterations. Others wait for their own
//! results, for which a gang waits once for all lanes.

use crate::ir::{FastMath, Inst, InstId, Intrinsic, Kind, Opcode, Operand, Scalar, Type};

use crate::analyse::course::Course;
use crate::analyse::graph::Graph;
use crate::analyse::induction::{Step, Steps, next};
use crate::plan::costs::Costs;
use crate::plan::recurrence::{self, far, longest};

/// Costs: where LLVM vectorises, an iteration's time is divided by `BITS` over the bits of the widest number, at most
/// by `MOST`. That is half of a vector of 512 bits, as remainders and reductions cost too.
const BITS: u32 = 256;
const MOST: u32 = 8;

/// The factor on the time of an iteration, the sum of its operations, for a work-item by itself.
pub(crate) fn scalar_factor(
    costs: &Costs<'_>,
    graph: &Graph,
    course: &Course,
    number: usize,
    steps: &Steps,
    iteration: f64,
) -> f64 {
    if !graph.is_innermost(number) || iteration <= 0.0 {
        return 1.0;
    }
    let iterations = Iterations { costs, graph, number, steps };
    if let Some(length) = iterations.vectors() {
        return 1.0 / f64::from(length);
    }
    // Divergent loops that places decide on are often short and overlap with the next work-item's. Where other numbers
    // decide when a loop is left, a processor guesses wrong, and begins the next work-item after the last iteration.
    if course.diverges(number) && is_left_by_place(costs, graph, number) {
        1.0
    } else {
        (longest(costs, graph, number, |id| latency(costs, costs.inst(id)) + far(costs, id)) / iteration).max(1.0)
    }
}

/// Do the places of work-items decide when a loop is left?
fn is_left_by_place(costs: &Costs<'_>, graph: &Graph, number: usize) -> bool {
    graph.exits(number).all(|node| costs.is_by_place(graph.blocks[node]))
}

/// The latency of a scalar result, in cycles.
fn latency(costs: &Costs<'_>, inst: &Inst<'_>) -> f64 {
    match inst.opcode {
        // Folded into an address, or into the instruction that uses it.
        Opcode::GetElementPtr | Opcode::ZExt | Opcode::SExt | Opcode::Trunc | Opcode::Phi => 0.0,
        _ => recurrence::latency(costs, inst, false),
    }
}

/// The iterations of an innermost loop.
struct Iterations<'c, 'f> {
    costs: &'c Costs<'f>,
    graph: &'c Graph,
    number: usize,
    steps: &'c Steps,
}

impl Iterations<'_, '_> {
    /// How many iterations run at once, if LLVM vectorises the loop.
    fn vectors(&self) -> Option<u32> {
        let nodes = || self.graph.loops[self.number].nodes();
        let stays = |node: usize| {
            self.graph.successors[node].iter().filter(|next| self.graph.is_in(**next, self.number)).count()
        };
        let ends = |node: &usize| self.graph.successors[*node].len() > 1;
        let mut ends = nodes().filter(ends);
        let (end, another) = (ends.next()?, ends.next());
        if another.is_some() || nodes().any(|node| stays(node) != 1) || !self.ends_by_count(end) {
            return None;
        }
        let mut bits = 8;
        for id in self.insts() {
            bits = bits.max(self.bits(id)?);
        }
        Some((BITS / bits).min(MOST))
    }

    fn insts(&self) -> impl Iterator<Item = InstId> {
        self.graph.insts(self.costs.function, self.number)
    }

    /// Bits of the numbers that an instruction moves or sums up, 8 if it does neither; `None` if it prevents vectors.
    fn bits(&self, id: InstId) -> Option<u32> {
        use Opcode::{
            AShr, Add, And, Call, FAdd, FCmp, FDiv, FMul, FNeg, FPExt, FPToSI, FPToUI, FPTrunc, FSub, GetElementPtr,
            ICmp, LShr, Load, Mul, Or, SExt, SIToFP, Select, Shl, Store, Sub, Trunc, UIToFP, Xor, ZExt,
        };
        let inst = self.costs.inst(id);
        let of = |bytes: u64| u32::try_from(bytes * 8).ok();
        let header = self.graph.blocks[self.graph.loops[self.number].header];
        match (&inst.kind, inst.opcode) {
            (Kind::Phi(_), _) if inst.block == header => match self.steps.of(Operand::Inst(id)) {
                Step::By(_) => Some(8),
                _ if self.sums_up(id) => of(inst.ty.size()),
                _ => None,
            },
            (Kind::Query(_), _) => Some(8),
            (Kind::Plain, Load | Store) => {
                let address = *inst.operands.get(usize::from(inst.opcode == Store))?;
                let ty = self.costs.function.moved_type(inst);
                let plain = inst.is_ordinary();
                let number = matches!(ty.single(), Some(Scalar::Int(_) | Scalar::Float | Scalar::Double));
                let (bytes, step) = (ty.size(), self.steps.of(address));
                let goes_on = step == Step::By(bytes as i64) || (step == Step::By(0) && inst.opcode == Load);
                if plain && number && goes_on { of(bytes) } else { None }
            }
            (Kind::Plain, Call) => {
                let is_number = inst.ty != Type::Void && !inst.ty.is_vector();
                (inst.intrinsic().is_some() && is_number).then_some(8)
            }
            (
                Kind::Plain,
                Add | And | AShr | FAdd | FCmp | FDiv | FMul | FNeg | FPExt | FPToSI | FPToUI | FPTrunc | FSub
                | GetElementPtr | ICmp | LShr | Mul | Or | SExt | SIToFP | Select | Shl | Sub | Trunc | UIToFP | Xor
                | ZExt,
            ) => (!inst.ty.is_vector()).then_some(8),
            _ => None,
        }
    }

    /// Does a block leave the loop by comparing integers that advance by known steps, if at all?
    fn ends_by_count(&self, node: usize) -> bool {
        let condition = self.costs.function.condition(self.graph.blocks[node]);
        let Some(Operand::Inst(condition)) = condition else { return false };
        let compare = self.costs.inst(condition);
        compare.opcode == Opcode::ICmp
            && compare.operands.iter().all(|operand| matches!(self.steps.of(*operand), Step::By(_)))
    }

    /// Is a phi of the header a reduction, by one operation (add, multiply, minimum, ...) that may be reordered?
    fn sums_up(&self, phi: InstId) -> bool {
        let latch = self.graph.blocks[self.graph.loops[self.number].latch];
        let Some(Operand::Inst(next)) = next(self.costs.function, phi, latch) else { return false };
        let mut at = phi;
        let users = |of: InstId| -> Vec<InstId> {
            self.insts().filter(|id| self.costs.inst(*id).operands.contains(&Operand::Inst(of))).collect()
        };
        let mut kind = None;
        while at != next {
            let [user] = users(at)[..] else { return false };
            let inst = self.costs.inst(user);
            let sort = sort(inst);
            if matches!(inst.kind, Kind::Phi(_)) || sort.is_none() || kind.is_some_and(|kind| Some(kind) != sort) {
                return false;
            }
            (kind, at) = (sort, user);
        }
        users(next) == [phi]
    }
}

/// An operation that a reduction may reorder.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// Sums and differences.
    Add,
    FAdd,
    Of(Opcode),
    Call(Intrinsic),
}

/// The sort of an instruction, if it is such an operation.
fn sort(inst: &Inst<'_>) -> Option<Sort> {
    use Intrinsic::{FMulAdd, Fma, MaxNum, MinNum};
    let fast = |flags| inst.fast_math().contains(flags);
    match (inst.opcode, inst.intrinsic()) {
        (Opcode::Add | Opcode::Sub, _) => Some(Sort::Add),
        (Opcode::Mul | Opcode::And | Opcode::Or | Opcode::Xor, _) => Some(Sort::Of(inst.opcode)),
        (Opcode::FAdd | Opcode::FSub, _) | (_, Some(Fma | FMulAdd)) => fast(FastMath::REASSOC).then_some(Sort::FAdd),
        (_, Some(intrinsic @ (MinNum | MaxNum))) => fast(FastMath::NO_NANS).then_some(Sort::Call(intrinsic)),
        (_, Some(intrinsic)) if intrinsic.is_bound() => Some(Sort::Call(intrinsic)),
        _ => None,
    }
}
