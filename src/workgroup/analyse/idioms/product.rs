//! Upper halves of products of 64-bit numbers, which scalar code takes from products of 128 bits.

use crate::ir::{Function, Inst, InstId, Opcode, Operand};
use oxicl_protocol::Decision;

/// Bits of the factors.
pub(crate) const BITS: u64 = 64;

/// The upper half of a product, or bits of it.
pub(crate) struct HighProduct {
    pub(crate) factors: [Factor; 2],
    pub(crate) signed: bool,
    /// How many of the upper half's lowest bits are left out.
    pub(crate) shift: u64,
}

#[derive(Clone, Copy)]
pub(crate) enum Factor {
    /// A number that is extended to 128 bits.
    Extended(Operand),
    Constant(u64),
}

/// The product of which an instruction takes the upper half.
pub(crate) fn high_product(function: &Function<'_>, id: InstId) -> Option<HighProduct> {
    find(function, function.inst(id)).filter(|_| function.allows(Decision::Products, id))
}

fn find<'m>(function: &Function<'m>, inst: &Inst<'m>) -> Option<HighProduct> {
    let of = |operand: &Operand, opcode: Opcode| function.made_by(*operand).filter(|inst| inst.opcode == opcode);
    let ty = &inst.ty;
    if inst.opcode != Opcode::Trunc || !ty.is_int() || u64::from(ty.int_width()) > BITS {
        return None;
    }
    let shifted = of(inst.operands.first()?, Opcode::LShr)?;
    if u64::from(shifted.ty.int_width()) != 2 * BITS {
        return None;
    }
    let shift = narrow(function, *shifted.operands.get(1)?, Opcode::ZExt)?;
    let product = of(shifted.operands.first()?, Opcode::Mul)?;
    let shift = shift.checked_sub(BITS).filter(|shift| *shift < BITS)?;
    [Opcode::ZExt, Opcode::SExt].into_iter().find_map(|extension| {
        let factor = |index: usize| {
            if let Some(extended) = of(product.operands.get(index)?, extension) {
                let from = function.type_at(extended, 0)?;
                let fits = from.is_int() && u64::from(from.int_width()) <= BITS;
                return extended.operands.first().filter(|_| fits).map(|operand| Factor::Extended(*operand));
            }
            narrow(function, product.operands[index], extension).map(Factor::Constant)
        };
        Some(HighProduct { factors: [factor(0)?, factor(1)?], signed: extension == Opcode::SExt, shift })
    })
}

/// The low 64 bits of a constant of 128 bits, if they extend to it.
fn narrow(function: &Function<'_>, operand: Operand, extension: Opcode) -> Option<u64> {
    let constant = function.as_constant(operand)?.as_u128()?;
    let low = constant as u64;
    let extended = if extension == Opcode::SExt { i128::from(low as i64) as u128 } else { u128::from(low) };
    (constant == extended).then_some(low)
}
