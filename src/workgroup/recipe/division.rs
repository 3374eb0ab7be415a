//! Division of integers, which no machine has for vectors: by way of floating point where that is exact.

use oxicl_target::Ability;

use crate::analyse::idioms::divisor::{SharedDivisor, is_signed, shared_divisor};
use crate::ir::{InstId, Operand};
use crate::recipe::Recipes;

/// How quotients or remainders are found.
pub(crate) enum Division {
    /// By the inverse of a number that lanes share, which is found once.
    Shared(SharedDivisor, Quotient),
    /// By each lane's own number, part by part. By a constant LLVM multiplies instead; but upper halves of long products take
    /// longer than estimates.
    Each { quotient: Quotient, is_constant: bool },
}

/// By which numbers quotients are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quotient {
    /// Floats have the operands.
    Float,
    /// Doubles have them.
    Double,
    /// Doubles have most numbers of 64 bits. Where lanes have larger ones, estimates are mended, or each lane divides.
    DoubleUnlessLarge { estimates: bool },
    /// Estimates are mended by what remains.
    Estimate,
    /// Each lane divides.
    ByLane,
}

impl Quotient {
    /// Are there estimates of long quotients?
    pub(crate) fn estimates(self) -> bool {
        matches!(self, Quotient::Estimate | Quotient::DoubleUnlessLarge { estimates: true })
    }
}

impl<'m> Recipes<'_, 'm> {
    pub(super) fn division(&self, id: InstId) -> Division {
        let inst = self.function.inst(id);
        let estimates = self.vectors.can(Ability::ConvertLong);
        let quotient = match inst.ty.element_int_width().unwrap_or(0) {
            0..=16 => Quotient::Float,
            17..=32 => Quotient::Double,
            64 if estimates && !is_signed(inst.opcode) => Quotient::Estimate,
            64 => Quotient::DoubleUnlessLarge { estimates },
            _ => Quotient::ByLane,
        };
        let is_constant = matches!(inst.operands[1], Operand::Constant(_));
        match shared_divisor(self.function, self.shapes, id).filter(|_| quotient != Quotient::ByLane) {
            Some(shared) => Division::Shared(shared, quotient),
            None => Division::Each { quotient, is_constant },
        }
    }
}
