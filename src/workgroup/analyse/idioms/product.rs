//! Upper halves of products of numbers of 64 bits, which single work-items have as products of 128 bits.

use oxicl_llvm::{Opcode, Value};
use oxicl_protocol::Decision;

use crate::arena::{Function, Inst, Operand};

/// Bits of what is multiplied.
pub(crate) const BITS: u64 = 64;

/// The upper half of a product, or bits of it.
pub(crate) struct HighProduct<'m> {
    pub(crate) factors: [Factor<'m>; 2],
    pub(crate) signed: bool,
    /// How many of its lowest bits are left out.
    pub(crate) shift: u64,
}

#[derive(Clone, Copy)]
pub(crate) enum Factor<'m> {
    /// What is extended to 128 bits.
    Extended(Operand<'m>),
    Constant(u64),
}

/// The product of which an instruction takes the upper half.
pub(crate) fn high_product<'m>(function: &Function<'m>, inst: &Inst<'m>) -> Option<HighProduct<'m>> {
    find(function, inst).filter(|_| function.allows_for(Decision::Products, inst))
}

fn find<'m>(function: &Function<'m>, inst: &Inst<'m>) -> Option<HighProduct<'m>> {
    let of = |operand: &Operand<'m>, opcode: Opcode| match operand {
        Operand::Inst(id) => Some(function.inst(*id)).filter(|inst| inst.opcode == opcode),
        _ => None,
    };
    let ty = inst.value.ty();
    if inst.opcode != Opcode::Trunc || !ty.is_int() || u64::from(ty.int_width()) > BITS {
        return None;
    }
    let shifted = of(inst.operands.first()?, Opcode::LShr)?;
    let wide = shifted.value.ty();
    if !wide.is_int() || u64::from(wide.int_width()) != 2 * BITS {
        return None;
    }
    let shift = narrow(shifted.value.operand(1)?, Opcode::ZExt)?;
    let product = of(shifted.operands.first()?, Opcode::Mul)?;
    let shift = shift.checked_sub(BITS).filter(|shift| *shift < BITS)?;
    [Opcode::ZExt, Opcode::SExt].into_iter().find_map(|extension| {
        let factor = |index: usize| {
            if let Some(extended) = of(product.operands.get(index)?, extension) {
                let from = extended.value.operand(0)?.ty();
                let fits = from.is_int() && u64::from(from.int_width()) <= BITS;
                return extended.operands.first().filter(|_| fits).map(|operand| Factor::Extended(*operand));
            }
            narrow(product.value.operand(index as u32)?, extension).map(Factor::Constant)
        };
        Some(HighProduct { factors: [factor(0)?, factor(1)?], signed: extension == Opcode::SExt, shift })
    })
}

/// A constant of 128 bits as 64 bits, if it is what they extend to.
fn narrow(constant: Value<'_>, extension: Opcode) -> Option<u64> {
    let low = constant.low_word()?;
    let above = if extension == Opcode::SExt && (low as i64) < 0 { u64::MAX } else { 0 };
    (constant == constant.ty().const_words(&[low, above])).then_some(low)
}
