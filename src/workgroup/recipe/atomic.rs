//! Atomic operations of a gang: lanes that change one place change it once.

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

/// Where lanes change memory that go there together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Places {
    /// They share an address.
    One,
    /// They may: words of bits, of which neighbours share one.
    MaybeOne,
}

/// How one place is changed by all lanes at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// By the lanes' values combined. Nobody asks what was there.
    Combined { op: RmwOp, by: Combine },
    /// The same; what each lane finds is what was there, changed by the lanes before it.
    Scanned { op: RmwOp, by: Combine },
    /// By one lane after the other, in a copy of what is there, which takes its place if nobody has changed that meanwhile.
    /// `None` is a compare-exchange.
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

    /// How one place is changed once for all lanes; `None` where the result depends on more than their order.
    fn change(&self, id: InstId, inst: &Inst<'m>) -> Option<Change> {
        let op = inst.memory().operation.filter(|_| inst.opcode == Opcode::AtomicRmw);
        let ty = self.function.type_at(inst, 1)?;
        let is_int = ty.is_int() && ty.int_width() <= 64;
        if let Some(by) = op.filter(|_| is_int).and_then(combines_by) {
            let op = op?;
            return Some(if self.function.is_used(id) {
                Change::Scanned { op, by }
            } else {
                Change::Combined { op, by }
            });
        }
        // In local memory, where there is no atomic instruction, lanes by themselves are as fast.
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

/// How the values of lanes combine before memory is changed by them.
fn combines_by(op: RmwOp) -> Option<Combine> {
    Some(match op {
        // What several subtract is their sum.
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

/// Has the operation a form in plain instructions?
pub(crate) fn is_plain(op: RmwOp) -> bool {
    use RmwOp::{FMax, FMin, Other, UDecWrap, UIncWrap};
    !matches!(op, FMax | FMin | UIncWrap | UDecWrap | Other)
}
