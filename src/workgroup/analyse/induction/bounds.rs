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

/// How far it is at most from a counter's start to its end: 2 from `max(x - 1, 0)` to `min(x + 1, w)`, a window.
fn distance(function: &Function<'_>, counter: &Recurrence, end: Operand) -> Option<u64> {
    let [start] = counter.starts[..] else { return None };
    let above = sums(function, end, |called| matches!(called, Intrinsic::SMin | Intrinsic::UMin));
    let below = sums(function, start, |called| matches!(called, Intrinsic::SMax | Intrinsic::UMax));
    let distance = |(base, from): (Option<Operand>, i64)| {
        let (_, to) = above.iter().find(|(other, _)| *other == base)?;
        u64::try_from(to.checked_sub(from)?).ok()
    };
    below.into_iter().filter_map(distance).min()
}

/// The sums of a number and a constant, or the constants, of which an integer is the least or the greatest.
fn sums(function: &Function<'_>, operand: Operand, is_one: fn(Intrinsic) -> bool) -> Vec<(Option<Operand>, i64)> {
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
            Some((Opcode::Call, [one, other, ..], _)) if made_by.is_some_and(|inst| inst.calls(is_one)) => {
                work.extend([(*one, plus), (*other, plus)]);
            }
            _ => found.push((Some(operand), plus)),
        }
    }
    found
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
