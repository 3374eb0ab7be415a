//! Atomic operations of a gang: lanes that change the same place change it once, together.

use oxicl_ops::Combine;

use crate::analyse::idioms::speculated::may_be_apart_by;
use crate::analyse::shape::Shape;
use crate::ir::{Inst, InstId, Opcode, RmwOp, Type, space};
use crate::recipe::Recipes;
use crate::recipe::phrase::Phrase;

/// An atomic operation of lanes that change one place, or may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Atomic {
    pub(crate) places: Places,
    pub(crate) change: Change,
}

/// Which places lanes change together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Places {
    /// They share an address.
    One,
    /// They may share it, as with sets of bits, where neighbours share a word.
    MaybeOne,
}

/// How one place is changed by all lanes at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// By the lanes' values combined; the result is not used.
    Combined { op: RmwOp, by: Combine },
    /// The same, and each lane's result is the old value changed by the lanes before it.
    Scanned { op: RmwOp, by: Combine },
    /// By one lane after the other in a copy of the old value; a compare-exchange writes the copy back if memory has
    /// not changed meanwhile. `None` if the operation itself is a compare-exchange.
    InTurn(Option<RmwOp>),
}

impl Change {
    pub(super) fn phrase(self) -> Phrase {
        match self {
            Change::Combined { .. } => Phrase::Combined,
            Change::Scanned { .. } => Phrase::Scanned,
            Change::InTurn(_) => Phrase::InTurn,
        }
    }
}

impl<'m> Recipes<'_, 'm> {
    /// How lanes change one place together; `None` if each does so by itself.
    pub(super) fn atomic(&self, id: InstId) -> Option<Atomic> {
        let inst = self.function.inst(id);
        let at = inst.operands[0];
        let places = match self.shape(at) {
            _ if inst.is_volatile() => return None,
            Shape::Uniform | Shape::Row => Places::One,
            Shape::Wrapping(_) | Shape::Varying if may_be_apart_by(self.function, self.shapes, at, 0).is_some() => {
                Places::MaybeOne
            }
            _ => return None,
        };
        Some(Atomic { places, change: self.change(id, inst)? })
    }

    /// How one place is changed once for all lanes; `None` if that is impossible, or lanes by themselves are as fast.
    fn change(&self, id: InstId, inst: &Inst<'m>) -> Option<Change> {
        let op = inst.memory().operation.filter(|_| inst.opcode == Opcode::AtomicRmw);
        let ty = self.function.type_at(inst, 1)?;
        let is_int = ty.is_int_up_to(64);
        if let Some(by) = op.filter(|_| is_int).and_then(combines_by) {
            let op = op?;
            return Some(if self.function.is_used(id) {
                Change::Scanned { op, by }
            } else {
                Change::Combined { op, by }
            });
        }
        // In local memory no atomic instruction is needed, so lanes by themselves are as fast.
        let is_local = self.function.type_at(inst, 0)?.address_space() == space::LOCAL;
        let is_whole = match ty {
            Type::Scalar(scalar) if scalar.is_int() => u64::from(scalar.bits()) == 8 * ty.size(),
            Type::Scalar(scalar) => scalar.is_float(),
            _ => false,
        };
        let has_form = inst.opcode == Opcode::AtomicCmpXchg || op.is_some_and(is_plain);
        (has_form && is_whole && !is_local).then_some(Change::InTurn(op))
    }
}

/// How lanes' values are combined before one operation changes memory.
fn combines_by(op: RmwOp) -> Option<Combine> {
    Some(match op {
        // Subtracting several values subtracts their sum.
        RmwOp::Add | RmwOp::Sub => Combine::Add,
        RmwOp::And => Combine::And,
        RmwOp::Or => Combine::Or,
        RmwOp::Xor => Combine::Xor,
        RmwOp::Max => Combine::SMax,
        RmwOp::Min => Combine::SMin,
        RmwOp::UMax => Combine::UMax,
        RmwOp::UMin => Combine::UMin,
        _ => return None,
    })
}

/// Can plain instructions do the operation?
pub(crate) fn is_plain(op: RmwOp) -> bool {
    use RmwOp::{FMax, FMin, Other, UDecWrap, UIncWrap};
    !matches!(op, FMax | FMin | UIncWrap | UDecWrap | Other)
}
