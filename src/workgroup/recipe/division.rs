//! Integer division, which no machine has for vectors: done in floating point where that is exact.

use oxicl_target::Ability;

use crate::analyse::idioms::divisor::{SharedDivisor, is_signed, shared_divisor};
use crate::ir::{InstId, Operand};
use crate::recipe::Recipes;

/// How quotients or remainders are computed.
pub(crate) enum Division {
    /// By the inverse of a divisor that lanes share, computed once.
    Shared(SharedDivisor, Quotient),
    /// By each lane's own divisor, component by component. LLVM multiplies if the divisor is a constant, but the upper
    /// halves of 64-bit products take longer than estimates.
    Each { quotient: Quotient, is_constant: bool },
}

/// The numbers in which quotients are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quotient {
    /// Floats, which hold the operands exactly.
    Float,
    /// Doubles, which hold the operands exactly.
    Double,
    /// Doubles. Where a lane has a number that none holds, estimates are corrected (`estimates`), or each lane divides.
    DoubleUnlessLarge { estimates: bool },
    /// Estimates in doubles, corrected by the remainder.
    Estimate,
    /// Each lane divides.
    ByLane,
}

impl Quotient {
    /// Are quotients of 64 bits estimated and corrected?
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
