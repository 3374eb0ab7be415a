//! Induction: how a value changes from one iteration of a loop to the next, where counters start and end, and whether
//! an affine number wraps between lanes.
//!
//! Where possible, a value is described as `base + a * lane + b * iteration`. `a` is its
//! [`Shape`](crate::analyse::shape::Shape), `b` its [`Step`].

mod bounds;
mod steps;
#[cfg(test)]
mod tests;
mod wrap;

use crate::ir::{BlockId, Function, InstId, Kind, Opcode, Operand};

use crate::analyse::shape::Shapes;
use crate::bounds::CHAIN;

pub(crate) use bounds::{Bound, bounds, needed};
pub(crate) use steps::{Step, Steps};
pub(crate) use wrap::{Wrap, wrap};

/// An integer phi of a loop header to which each iteration adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Recurrence {
    pub(crate) phi: InstId,
    /// Its start values, one for each edge into the loop.
    pub(crate) starts: Vec<Operand>,
    /// The sum: its value in the next iteration.
    pub(crate) next: InstId,
    /// What is added. It may change from iteration to iteration.
    pub(crate) by: Operand,
    /// `by`, if it is a constant.
    constant: Option<i64>,
    /// Is `by` added to the phi itself, not to some of its bits?
    pub(crate) is_whole: bool,
}

impl Recurrence {
    /// The step per iteration, if that is a constant.
    pub(crate) fn step(&self) -> Option<i64> {
        self.constant.filter(|_| self.is_whole)
    }

    /// Is an operand the phi or the sum, at whatever width?
    fn is_counted_by(&self, function: &Function<'_>, operand: Operand) -> bool {
        source(function, operand).is_some_and(|id| id == self.phi || id == self.next)
    }
}

/// The recurrence of a phi. One that takes a value computed from itself is in a loop header.
pub(crate) fn recurrence<'m>(function: &Function<'m>, phi: InstId) -> Option<Recurrence> {
    let inst = function.inst(phi);
    if !matches!(inst.kind, Kind::Phi(_)) || !inst.ty.is_int() {
        return None;
    }
    let added = |operand: Operand| {
        let Operand::Inst(next) = operand else { return None };
        let sum = function.inst(next);
        let [left, right] = sum.operands[..] else { return None };
        let is_phi = |operand: Operand| source(function, operand) == Some(phi);
        let (of, by) = match (is_phi(left), is_phi(right)) {
            _ if sum.opcode != Opcode::Add => return None,
            (true, false) => (left, right),
            (false, true) => (right, left),
            _ => return None,
        };
        Some((next, by, of == Operand::Inst(phi)))
    };
    let mut sums = inst.operands.iter().filter_map(|operand| added(*operand));
    let ((next, by, is_whole), None) = (sums.next()?, sums.next()) else { return None };
    let starts: Vec<_> = inst.operands.iter().copied().filter(|operand| *operand != Operand::Inst(next)).collect();
    (!starts.is_empty()).then_some(Recurrence { phi, starts, next, by, constant: function.as_i64(by), is_whole })
}

/// The value of a header's phi in the next iteration of the loop with this `latch`.
pub(crate) fn next<'m>(function: &Function<'m>, phi: InstId, latch: BlockId) -> Option<Operand> {
    let inst = function.inst(phi);
    let Kind::Phi(blocks) = &inst.kind else { return None };
    inst.operands.get(blocks.iter().position(|block| *block == latch)?).copied()
}

/// The recurrence that a number equals, at whatever width, or differs from by a constant.
pub(crate) fn counter<'m>(function: &Function<'m>, number: Operand) -> Option<Recurrence> {
    let id = source(function, number)?;
    let inst = function.inst(id);
    let id = match inst.operands[..] {
        [left, Operand::Constant(_)] if matches!(inst.opcode, Opcode::Add | Opcode::Sub) => source(function, left)?,
        _ => id,
    };
    recurrence(function, id)
}

/// By how much a number, or an address in bytes, advances with the loop counters that it is computed from: the least, of
/// several; 0 without any. `None` if it is not computed from places, what lanes share, and counters that `counts`
/// allows, or not in a way that is known.
pub(crate) fn advance(
    function: &Function<'_>,
    shapes: &Shapes,
    operand: Operand,
    counts: &dyn Fn(InstId) -> bool,
) -> Option<u64> {
    Advances { function, shapes, counts }.of(operand, CHAIN)
}

struct Advances<'a, 'm> {
    function: &'a Function<'m>,
    shapes: &'a Shapes,
    counts: &'a dyn Fn(InstId) -> bool,
}

impl Advances<'_, '_> {
    fn of(&self, operand: Operand, far: usize) -> Option<u64> {
        let Operand::Inst(id) = operand else { return Some(0) };
        let inst = self.function.inst(id);
        let times = |operand: Operand, factor: Option<i64>| {
            let by = if far > 0 { self.of(operand, far - 1)? } else { return None };
            if by == 0 { Some(0) } else { by.checked_mul(factor?.unsigned_abs()) }
        };
        let least = |parts: &[Option<u64>]| {
            let parts = parts.iter().copied().collect::<Option<Vec<_>>>()?;
            Some(parts.into_iter().filter(|by| *by > 0).min().unwrap_or(0))
        };
        let operands = &inst.operands;
        let constant = |place: usize| self.function.i64_at(inst, place);
        let found = match (&inst.kind, inst.opcode) {
            (Kind::Query(_), _) => Some(0),
            (Kind::Phi(_), _) => {
                let counter = recurrence(self.function, id).filter(|counter| (self.counts)(counter.phi));
                counter.and_then(|counter| counter.step()).map(i64::unsigned_abs)
            }
            (Kind::Plain, Opcode::GetElementPtr) => {
                let indices = self.function.indices(inst).into_iter().map(|(index, bytes)| times(index, bytes));
                least(&indices.chain([times(operands[0], Some(1))]).collect::<Vec<_>>())
            }
            (Kind::Plain, Opcode::Add | Opcode::Sub | Opcode::Or) => {
                least(&[times(operands[0], Some(1)), times(operands[1], Some(1))])
            }
            (Kind::Plain, Opcode::SExt | Opcode::ZExt | Opcode::Trunc | Opcode::Freeze) => times(operands[0], Some(1)),
            (Kind::Plain, Opcode::Mul) => least(&[times(operands[0], constant(1)), times(operands[1], constant(0))]),
            (Kind::Plain, Opcode::Shl) => {
                times(operands[0], constant(1).and_then(|by| 1i64.checked_shl(u32::try_from(by).ok()?)))
            }
            _ => None,
        };
        found.or_else(|| self.shapes.of(id).is_row_uniform().then_some(0))
    }
}

/// The value that a number is made from by casts and masks alone.
fn source(function: &Function<'_>, operand: Operand) -> Option<InstId> {
    let Operand::Inst(mut id) = operand else { return None };
    for _ in 0..CHAIN {
        let inst = function.inst(id);
        // A sign extension of the low bits: `shl`, then `ashr` by as much.
        if let (Opcode::AShr, [Operand::Inst(left), Operand::Constant(by)]) = (inst.opcode, &inst.operands[..])
            && let (Opcode::Shl, [Operand::Inst(whole), Operand::Constant(up)]) =
                (function.inst(*left).opcode, &function.inst(*left).operands[..])
            && by == up
        {
            id = *whole;
            continue;
        }
        let masked = inst.opcode == Opcode::And && matches!(inst.operands[..], [_, Operand::Constant(_)]);
        let same = masked || matches!(inst.opcode, Opcode::ZExt | Opcode::SExt | Opcode::Trunc | Opcode::Freeze);
        match inst.operands.first() {
            Some(Operand::Inst(before)) if same => id = *before,
            _ => break,
        }
    }
    Some(id)
}
