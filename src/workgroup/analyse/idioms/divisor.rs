//! Divisors that lanes share.

use crate::ir::{Function, Inst, InstId, Opcode, Operand};
use oxicl_protocol::Decision;

use crate::analyse::shape::Shapes;

pub(crate) fn is_signed(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::SDiv | Opcode::SRem)
}

/// A divisor that lanes share.
pub(crate) struct SharedDivisor {
    pub(crate) number: Operand,
    /// Where this condition holds, the divisor is 1 instead, as the quotient would be too large.
    pub(crate) is_one: Option<Operand>,
}

/// The divisor of a division, if lanes share it.
pub(crate) fn shared_divisor(function: &Function<'_>, shapes: &Shapes, id: InstId) -> Option<SharedDivisor> {
    find(function, shapes, function.inst(id)).filter(|_| function.allows(Decision::Divisors, id))
}

fn find<'m>(function: &Function<'m>, shapes: &Shapes, inst: &Inst<'m>) -> Option<SharedDivisor> {
    let number = *inst.operands.get(1).filter(|_| inst.ty.is_int())?;
    let shared =
        |operand: Operand| shapes.of_operand(operand).is_row_uniform() && !matches!(operand, Operand::Constant(_));
    if shared(number) {
        return Some(SharedDivisor { number, is_one: None });
    }
    let chosen = function.made_by(number)?;
    match (chosen.opcode, &chosen.operands[..]) {
        (Opcode::Select, [is_one, Operand::Constant(one), number])
            if function.constant(*one).as_u64() == Some(1) && shared(*number) =>
        {
            Some(SharedDivisor { number: *number, is_one: Some(*is_one) })
        }
        _ => None,
    }
}
