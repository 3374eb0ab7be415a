//! The bounds of a loop's counters: branches in the loop that depend on a comparison of a counter.

use crate::bounds::NEARBY;
use crate::ir::{BlockId, Function, Inst, InstId, IntPredicate, Intrinsic, Opcode, Operand};

use super::{Recurrence, recurrence};

/// A comparison of a counter, on which a branch of its loop depends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bound {
    /// The counter that is compared: its phi or its next value, at whatever width.
    pub(crate) counter: Recurrence,
    /// What the counter is compared with. It may change from iteration to iteration.
    pub(crate) end: Operand,
    /// How far the end is from the start, if that is known, or from 0, if it is a constant.
    distance: Option<u64>,
    pub(crate) predicate: IntPredicate,
    /// Does one of the branch's edges leave the loop?
    pub(crate) leaves: bool,
}

impl Bound {
    /// The maximum trip count, if nothing wraps and a counter whose start is not known starts at 0 or above. `None`
    /// unless the step is a positive constant, the distance to the end is known, and the branch leaves the loop.
    pub(crate) fn most_iterations(&self) -> Option<u64> {
        let step = u64::try_from(self.counter.step()?).ok().filter(|step| *step > 0)?;
        Some(self.distance.filter(|_| self.leaves)?.div_ceil(step))
    }
}

/// How far it is at most from a counter's start to its end: 2 from `max(x - 1, 0)` to `min(x + 1, w)`, a window; 3 from
/// `x & ~3` to `x`, a remainder.
fn distance(function: &Function<'_>, counter: &Recurrence, end: Operand) -> Option<u64> {
    let [start] = counter.starts[..] else { return None };
    let above = sums(function, end, Side::Above);
    let below = sums(function, start, Side::Below);
    let distance = |(base, from): (Option<Operand>, i64)| {
        let (_, to) = above.iter().find(|(other, _)| *other == base)?;
        u64::try_from(to.checked_sub(from)?).ok()
    };
    below.into_iter().filter_map(distance).min()
}

/// Where sums lie of an integer that is not negative.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    /// None is less than it.
    Above,
    /// None is greater.
    Below,
}

impl Side {
    /// Does an intrinsic give a number on whose other side both of its operands lie?
    fn is_extreme(self, intrinsic: Intrinsic) -> bool {
        match self {
            Side::Above => matches!(intrinsic, Intrinsic::SMin | Intrinsic::UMin),
            Side::Below => matches!(intrinsic, Intrinsic::SMax | Intrinsic::UMax),
        }
    }
}

/// Sums of a number and a constant, or constants, that lie on one side of an integer.
fn sums(function: &Function<'_>, operand: Operand, side: Side) -> Vec<(Option<Operand>, i64)> {
    let (mut found, mut work) = (Vec::new(), vec![(operand, 0i64)]);
    for _ in 0..NEARBY {
        let Some((operand, plus)) = work.pop() else { break };
        if let Some(constant) = function.as_i64(operand) {
            found.push((None, plus.saturating_add(constant)));
            continue;
        }
        let made_by = function.made_by(operand);
        match made_by.map(|inst| (inst.opcode, &inst.operands[..], function.i64_at(inst, 1))) {
            Some((Opcode::SExt | Opcode::ZExt, [of], _)) => work.push((*of, plus)),
            Some((Opcode::Add, [of, _], Some(more))) => work.push((*of, plus.saturating_add(more))),
            Some((Opcode::Call, [one, other, ..], _))
                if made_by.and_then(Inst::intrinsic).is_some_and(|intrinsic| side.is_extreme(intrinsic)) =>
            {
                work.extend([(*one, plus), (*other, plus)]);
            }
            _ => match made_by.and_then(|inst| rounded_down(function, inst)) {
                Some((of, less)) => work.push((of, plus.saturating_sub(if side == Side::Above { 0 } else { less }))),
                None => found.push((Some(operand), plus)),
            },
        }
    }
    found
}

/// The number that an instruction rounds down to a multiple of a constant, and by how much at most: `x & ~3`, `x - x % 4`.
fn rounded_down(function: &Function<'_>, inst: &Inst<'_>) -> Option<(Operand, i64)> {
    let [of, less] = inst.operands[..] else { return None };
    let multiple = match inst.opcode {
        Opcode::And => function.as_i64(less)?.checked_neg().filter(|multiple| multiple.count_ones() == 1),
        Opcode::Sub => {
            let rest = function.made_by(less)?;
            let is_rest = matches!(rest.opcode, Opcode::URem | Opcode::SRem) && rest.operands[0] == of;
            function.i64_at(rest, 1).filter(|_| is_rest)
        }
        _ => None,
    };
    Some((of, multiple.filter(|multiple| *multiple > 0)? - 1))
}

/// The bounds of a loop's counters. Of each block of the loop, `blocks` has which of its successors are in the loop.
pub(crate) fn bounds(
    function: &Function<'_>,
    header: BlockId,
    blocks: impl Iterator<Item = (BlockId, Vec<bool>)>,
) -> Vec<Bound> {
    use IntPredicate::{Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
    let insts = &function.block(header).insts;
    let counters: Vec<_> = insts.iter().filter_map(|id| recurrence(function, *id)).collect();
    let bound = |(compare, leaves): (&Inst<'_>, bool)| {
        let predicate = compare.int_predicate()?;
        let [left, right] = compare.operands[..] else { return None };
        counters.iter().find_map(|counter| {
            let (end, reaches) = match (counter.is_counted_by(function, left), counter.is_counted_by(function, right)) {
                (true, false) => (right, matches!(predicate, Sgt | Ugt | Sle | Ule)),
                (false, true) => (left, matches!(predicate, Slt | Ult | Sge | Uge)),
                _ => return None,
            };
            let distance = distance(function, counter, end).map(|distance| distance.saturating_add(reaches.into()));
            let distance = distance.or_else(|| function.as_u64(end));
            Some(Bound { counter: counter.clone(), end, distance, predicate, leaves })
        })
    };
    let compared = |(block, stays): (BlockId, Vec<bool>)| {
        let condition = function.condition(block);
        let compared = condition.map_or_else(Vec::new, |it| needed(function, it, stays == [true, false]));
        compared.into_iter().map(move |(compare, _)| (function.inst(compare), stays.contains(&false)))
    };
    blocks.flat_map(compared).filter_map(bound).collect()
}

/// The conditions that have to hold, or not to hold, for a condition to be `holds`: those that `and` and `or` join, or
/// itself.
pub(crate) fn needed(function: &Function<'_>, condition: Operand, holds: bool) -> Vec<(InstId, bool)> {
    let (mut needed, mut work) = (Vec::new(), vec![condition]);
    while let Some(id) = work.pop().and_then(Operand::inst) {
        let inst = function.inst(id);
        match (inst.opcode, &inst.operands[..], holds) {
            (Opcode::Select, [one, other, no], true) if function.as_u64(*no) == Some(0) => work.extend([*other, *one]),
            (Opcode::Select, [one, yes, other], false) if function.as_u64(*yes) == Some(1) => {
                work.extend([*other, *one]);
            }
            (Opcode::And, [one, other], true) | (Opcode::Or, [one, other], false) => work.extend([*other, *one]),
            _ => needed.push((id, holds)),
        }
    }
    needed
}
