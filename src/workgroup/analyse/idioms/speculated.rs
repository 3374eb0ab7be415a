//! Speculated contiguous accesses: lanes that are not known to lie side by side, but often do.

use std::collections::HashMap;

use crate::ir::{Function, Inst, InstId, Intrinsic, Kind, Opcode, Operand};
use oxicl_protocol::Decision;

use crate::analyse::induction::recurrence;
use crate::analyse::shape::{Shape, Shapes};
use crate::bounds::{SEARCHED, WRITTEN_TWICE};

/// May lanes of an address lie so many bytes apart, though no shape says so? Gives the rows in which they do.
pub(crate) fn may_be_apart_by(function: &Function<'_>, shapes: &Shapes, address: Operand, bytes: i64) -> Option<Rows> {
    let Operand::Inst(address) = address else { return None };
    if function.insts.len() > WRITTEN_TWICE || shapes.of(address) != Shape::Varying {
        return None;
    }
    let mut guess =
        Guess { function, shapes, known: HashMap::new(), rows: Rows { aligned: u64::MAX, ends: Some(0.0) } };
    let stride = guess.of(Operand::Inst(address));
    let is_it = stride.is_some_and(|stride| stride == Stride::By(bytes) || stride == Stride::Any);
    (is_it && function.allows(Decision::Speculation, address)).then_some(guess.rows)
}

/// The rows in which lanes are guessed to lie: an index that is masked or divided starts one from time to time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    /// Work-items of the shortest row that is aligned with gangs: a gang that is no longer lies in one row.
    aligned: u64,
    /// How many other rows end per work-item; `None` if that is not known of some.
    ends: Option<f64>,
}

impl Rows {
    /// A frequency: how often the lanes of a gang lie in several rows, if that is known.
    pub(crate) fn chance_of_several(self, lanes: u32) -> Option<f64> {
        let is_longer = u64::from(lanes) > self.aligned;
        let chance = self.ends.map(|ends| (ends * f64::from(lanes)).min(1.0));
        if is_longer { Some(1.0) } else { chance }
    }

    /// Notes rows of so many work-items. Gangs start at a multiple of these or not.
    fn end_each(&mut self, items: u64, are_aligned: bool) {
        match are_aligned {
            true => self.aligned = self.aligned.min(items),
            false => self.ends = self.ends.map(|ends| ends + 1.0 / items.max(1) as f64),
        }
    }
}

/// The stride of a number from lane to lane, as guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stride {
    By(i64),
    /// Not known here: it depends on the function's caller, or on coalesced work-groups.
    Any,
}

/// Guesses strides. It takes masks, divisions and bounds to affect all lanes of most gangs alike.
struct Guess<'g, 'm> {
    function: &'g Function<'m>,
    shapes: &'g Shapes,
    /// The strides found so far; `None` for those still being looked for, too.
    known: HashMap<InstId, Option<Stride>>,
    rows: Rows,
}

impl<'m> Guess<'_, 'm> {
    /// The stride of a number or an address, if there is reason to guess one.
    fn of(&mut self, operand: Operand) -> Option<Stride> {
        match (self.shapes.of_operand(operand), operand) {
            (Shape::Uniform | Shape::Row, _) => Some(Stride::By(0)),
            (Shape::Affine(stride) | Shape::Wrapping(stride), _) => Some(Stride::By(stride)),
            (Shape::Varying, Operand::Parameter(_)) => Some(Stride::Any),
            (Shape::Varying, Operand::Inst(id)) => match self.known.get(&id) {
                Some(known) => *known,
                None if self.known.len() >= SEARCHED => None,
                None => {
                    self.known.insert(id, None);
                    let found = self.of_inst(id);
                    self.known.insert(id, found);
                    found
                }
            },
            _ => None,
        }
    }

    fn of_inst(&mut self, id: InstId) -> Option<Stride> {
        let inst = self.function.inst(id);
        match inst.kind {
            Kind::Phi(_) => return self.of_induction(id),
            // In coalesced work-groups: the position in one of them, its size, or its number.
            Kind::Query(query) => return query.tells_groups_apart().then_some(Stride::Any),
            Kind::Plain => {}
            _ => return None,
        }
        match inst.opcode {
            Opcode::GetElementPtr => {
                let indices = self.function.indices(inst);
                let base = self.of(inst.operands[0]);
                indices.into_iter().fold(base, |sum, (index, bytes)| sum?.plus(self.of(index)?.times(bytes)?))
            }
            Opcode::SExt | Opcode::ZExt | Opcode::Trunc | Opcode::AddrSpaceCast => self.of(inst.operands[0]),
            // Clamped or mirrored at an edge, as coordinates outside are.
            Opcode::Select => self.one_of(&inst.operands[1..]),
            Opcode::Call if inst.calls(Intrinsic::is_bound) => self.one_of(&inst.operands),
            Opcode::Call if inst.calls(|called| called == Intrinsic::Abs) => self.of(inst.operands[0]),
            _ => {
                let [left, right] = inst.operands[..] else { return None };
                let (left, right) = (self.of(left)?, self.of(right)?);
                self.of_binary(inst, left, right)
            }
        }
    }

    /// An induction variable keeps the stride that it starts with, at least while it does not wrap.
    fn of_induction(&mut self, id: InstId) -> Option<Stride> {
        let counter = recurrence(self.function, id).filter(|counter| counter.is_whole)?;
        let starts: Option<Vec<_>> = counter.starts.iter().map(|start| self.of(*start)).collect();
        let steps_alike = self.shapes.of_operand(counter.by).is_row_uniform();
        starts?.first().copied().filter(|_| steps_alike)
    }

    fn of_binary(&mut self, inst: &Inst<'m>, left: Stride, right: Stride) -> Option<Stride> {
        let constant = |index| self.function.i64_at(inst, index);
        let shift = || constant(1).and_then(|by| u32::try_from(by).ok()).filter(|by| *by < 64);
        let uniform = Stride::By(0);
        match inst.opcode {
            Opcode::Add | Opcode::Or => left.plus(right),
            Opcode::Sub => left.plus(right.times(Some(-1))?),
            Opcode::Mul if right == uniform => left.times(constant(1)),
            Opcode::Mul if left == uniform => right.times(constant(0)),
            // Within a row, the bits that a mask keeps advance with the number; those that it clears above are shared.
            Opcode::And if right == uniform => self.masked(inst.operands[0], left, constant(1)),
            Opcode::And if left == uniform => self.masked(inst.operands[1], right, constant(0)),
            _ if right != uniform => None,
            Opcode::Shl => left.times(shift().and_then(|by| 1i64.checked_shl(by))),
            Opcode::Xor => {
                self.rows.ends = None;
                Some(left)
            }
            Opcode::URem | Opcode::SRem => {
                self.row_of(inst.operands[0], left, constant(1));
                Some(left)
            }
            Opcode::LShr | Opcode::AShr => {
                let unit = shift().and_then(|by| 1i64.checked_shl(by));
                Some(self.divided(inst.operands[0], left, unit))
            }
            Opcode::UDiv | Opcode::SDiv => {
                let by = constant(1);
                Some(self.divided(inst.operands[0], left, by))
            }
            _ => None,
        }
    }

    /// The stride of a number under a mask. A mask that is not known is taken to keep low bits.
    fn masked(&mut self, number: Operand, stride: Stride, mask: Option<i64>) -> Option<Stride> {
        let mask = mask.filter(|mask| *mask != 0);
        let lowest = mask.map_or(1, |mask| mask & mask.wrapping_neg());
        match mask.and_then(|mask| mask.checked_add(lowest)) {
            // It keeps low bits, or some in the middle.
            Some(end) if end > 0 => self.row_of(number, stride, Some(end)),
            Some(_) => {}
            None => self.rows.ends = None,
        }
        self.divided(number, stride, Some(lowest)).times(Some(lowest))
    }

    /// The stride of a number divided by a constant. Where that is 0, the quotient stays the same for a row.
    fn divided(&mut self, number: Operand, stride: Stride, by: Option<i64>) -> Stride {
        let part = stride.divided(by);
        if part == Stride::By(0) {
            self.row_of(number, stride, by);
        }
        part
    }

    /// Notes where rows end: where a number is a multiple of `every`, it starts again, or its quotient changes.
    fn row_of(&mut self, number: Operand, stride: Stride, every: Option<i64>) {
        let (Stride::By(stride), Some(every)) = (stride, every) else {
            self.rows.ends = None;
            return;
        };
        if let Some(items) = every.unsigned_abs().checked_div(stride.unsigned_abs()) {
            self.rows.end_each(items, items.is_power_of_two() && self.is_place(number));
        }
    }

    /// Is it a work-item's id along x? For the first lane of a gang, that is a multiple of the gang's lanes.
    fn is_place(&self, mut number: Operand) -> bool {
        while let Operand::Inst(id) = number {
            let inst = self.function.inst(id);
            match (&inst.kind, inst.opcode) {
                (Kind::Query(query), _) => return query.has_unit_stride(),
                (_, Opcode::SExt | Opcode::ZExt | Opcode::Trunc) => number = inst.operands[0],
                _ => return false,
            }
        }
        false
    }

    /// The stride that all of several operands have. Uniform ones are bounds, and opposite strides are mirrored.
    fn one_of(&mut self, operands: &[Operand]) -> Option<Stride> {
        self.rows.ends = None;
        operands.iter().map(|operand| self.of(*operand)).reduce(|one, other| match (one?, other?) {
            (one, other) if one == other => Some(one),
            (Stride::By(0), other) => Some(other),
            (one, Stride::By(0)) => Some(one),
            (Stride::By(one), Stride::By(other)) if one == -other => Some(Stride::By(one.abs())),
            _ => None,
        })?
    }
}

impl Stride {
    fn plus(self, other: Stride) -> Option<Stride> {
        match (self, other) {
            (Stride::By(one), Stride::By(other)) => one.checked_add(other).map(Stride::By),
            _ => Some(Stride::Any),
        }
    }

    /// The stride of a product; `None` if the factor is needed and not known.
    fn times(self, factor: Option<i64>) -> Option<Stride> {
        match (self, factor) {
            (Stride::By(0), _) | (Stride::Any, _) => Some(self),
            (Stride::By(by), factor) => by.checked_mul(factor?).map(Stride::By),
        }
    }

    /// The stride of a quotient: 0 if the divisor is not known, which is mostly larger.
    fn divided(self, by: Option<i64>) -> Stride {
        match (self, by) {
            (Stride::By(stride), Some(by)) if by != 0 => Stride::By(stride.checked_div(by).unwrap_or(0)),
            (Stride::By(_), _) => Stride::By(0),
            (Stride::Any, _) => Stride::Any,
        }
    }
}
