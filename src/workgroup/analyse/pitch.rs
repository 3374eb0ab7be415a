//! How far apart in memory neighbouring work-groups access arrays, along x and along y.
//!
//! An array is accessed *along y* if the next work-group along y stays within a page and the next one along x leaves
//! the cache line: the input or output of a transposition. The order of work-groups depends on it.

use crate::ir::{Function, Inst, Kind, Opcode, Operand};
use oxicl_abi::AlongY;
use oxicl_ops::Query;
use oxicl_target::{LINE, PAGE};

/// An unknown distance, taken as far: a multiple of a number that is known only at run time.
const FAR: u64 = u64::MAX;
/// A bound on compile time: nested loops through which a value is followed. One that changes then is [`FAR`].
const DEEPEST: usize = 4;

/// How far a value moves from one work-group to the next, along x and along y: a number, or bytes of an address. `None`
/// if it depends on data. The sizes of work-groups are unknown and count as 1.
type Steps = [Option<u64>; 2];

/// The value is the same in all work-groups.
const SAME: Steps = [Some(0); 2];

/// Whether a kernel accesses an array along y, and how.
pub(crate) fn along_y(function: &Function<'_>) -> AlongY {
    if !function.asks(Query::tells_rows_apart) {
        return AlongY::Nothing;
    }
    let steps = steps(function);
    let accesses = function.insts.iter().filter_map(|inst| {
        let Operand::Inst(address) = inst.address()? else { return None };
        let [along_x, along_y] = steps[address.index()];
        // The kernel's own objects stay in the caches anyway.
        let is_argument = matches!(function.base(Operand::Inst(address)), Operand::Parameter(_));
        let is_it = along_x? >= LINE && (1..PAGE).contains(&along_y?) && is_argument;
        is_it.then_some(if inst.opcode == Opcode::Load { AlongY::Loads(along_y? as u32) } else { AlongY::Stores })
    });
    accesses.max().unwrap_or_default()
}

/// The steps of all instructions.
fn steps(function: &Function<'_>) -> Vec<Steps> {
    let mut steps = vec![SAME; function.insts.len()];
    for sweep in 0..=DEEPEST {
        let mut changed = false;
        // In loops, an operand may come later than its use.
        for (index, inst) in function.insts.iter().enumerate() {
            let old = steps[index];
            let new = join(old, evaluate(function, inst, &steps));
            if new != old {
                changed = true;
                steps[index] = if sweep == DEEPEST { new.map(|step| step.map(|_| FAR)) } else { new };
            }
        }
        if !changed {
            break;
        }
    }
    steps
}

fn join(one: Steps, other: Steps) -> Steps {
    each(one, other, u64::max)
}

fn each(one: Steps, other: Steps, combine: impl Fn(u64, u64) -> u64) -> Steps {
    [0, 1].map(|axis| Some(combine(one[axis]?, other[axis]?)))
}

/// The steps of an instruction from those of its operands.
fn evaluate(function: &Function<'_>, inst: &Inst<'_>, steps: &[Steps]) -> Steps {
    let of = |index: usize| match inst.operands.get(index) {
        Some(Operand::Inst(id)) => steps[id.index()],
        _ => SAME,
    };
    let constant = |index: usize| match inst.operands.get(index)? {
        Operand::Constant(id) => function.constant(*id).as_i64().map(i64::unsigned_abs),
        Operand::Inst(id) if is_side(function, function.inst(*id)) => Some(1),
        _ => None,
    };
    let times = |steps: Steps, factor: u64| steps.map(|step| step.map(|step| step.saturating_mul(factor)));
    let over = |steps: Steps, divisor: u64| {
        steps.map(|step| step.map(|step| if step == 0 { 0 } else { (step / divisor.max(1)).max(1) }))
    };
    let unknown_multiple = |steps: Steps| times(steps, FAR);
    let all = || (0..inst.operands.len()).map(of).fold(SAME, join);
    match &inst.kind {
        Kind::Query(query) => query_steps(*query),
        Kind::Phi(_) => all(),
        Kind::Alloca => SAME,
        Kind::Plain => match inst.opcode {
            Opcode::Add | Opcode::Sub | Opcode::Or | Opcode::Xor => each(of(0), of(1), u64::saturating_add),
            Opcode::Mul => match (constant(0), constant(1)) {
                (Some(factor), _) => times(of(1), factor),
                (_, Some(factor)) => times(of(0), factor),
                _ => unknown_multiple(all()),
            },
            Opcode::Shl => match constant(1) {
                Some(by) => times(of(0), 1u64.checked_shl(by as u32).unwrap_or(FAR)),
                None => unknown_multiple(all()),
            },
            Opcode::UDiv | Opcode::SDiv => over(join(of(0), of(1)), constant(1).unwrap_or(1)),
            Opcode::LShr | Opcode::AShr => {
                over(join(of(0), of(1)), 1u64.checked_shl(constant(1).unwrap_or(0) as u32).unwrap_or(FAR))
            }
            Opcode::Select => join(of(1), of(2)),
            Opcode::GetElementPtr => {
                let counted = (1..).zip(function.indices(inst));
                let indices = counted.map(|(place, (_, bytes))| times(of(place), bytes.map_or(1, i64::unsigned_abs)));
                indices.fold(of(0), |sum, index| each(sum, index, u64::saturating_add))
            }
            Opcode::ZExt
            | Opcode::SExt
            | Opcode::Trunc
            | Opcode::Freeze
            | Opcode::And
            | Opcode::URem
            | Opcode::SRem => all(),
            // Minimum, maximum and other integer intrinsics of LLVM.
            Opcode::Call if inst.ty.is_int() => all(),
            _ => of_data(all()),
        },
        _ => of_data(all()),
    }
}

/// The steps of the result of any other operation. They are known only where the operands do not move.
fn of_data(operands: Steps) -> Steps {
    operands.map(|step| step.filter(|step| *step == 0))
}

fn query_steps(query: Query) -> Steps {
    match query {
        Query::GlobalId(0) | Query::GroupId(0) => [Some(1), Some(0)],
        Query::GlobalId(1) | Query::GroupId(1) => [Some(0), Some(1)],
        Query::GlobalLinearId => [Some(1), Some(FAR)],
        _ => SAME,
    }
}

/// Is it the size of a work-group along one dimension, perhaps truncated?
fn is_side(function: &Function<'_>, inst: &Inst<'_>) -> bool {
    match (inst.opcode, inst.operands.first()) {
        (Opcode::Trunc, Some(Operand::Inst(whole))) => is_side(function, function.inst(*whole)),
        _ => matches!(inst.kind, Kind::Query(Query::LocalSize(_) | Query::EnqueuedLocalSize(_))),
    }
}
