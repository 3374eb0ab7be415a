//! Upper halves of products of numbers of 64 bits, which single work-items have as products of 128 bits: lanes add up products of
//! halves, as there is no vector of 128 bits each.

use oxicl_llvm::{Opcode, Value};

use crate::arena::{Function, Inst, Operand};
use crate::failure::Failure;
use crate::widen::piece::Widener;

/// Bits of what is multiplied.
const BITS: u64 = 64;

/// The upper half of a product, or bits of it.
struct HighProduct<'m> {
    factors: [Factor<'m>; 2],
    signed: bool,
    /// How many of its lowest bits are left out.
    shift: u64,
}

#[derive(Clone, Copy)]
enum Factor<'m> {
    /// What is extended to 128 bits.
    Extended(Operand<'m>),
    Constant(u64),
}

/// Is it the instruction that takes the upper half of a product?
pub(super) fn is_high_product(function: &Function<'_>, inst: &Inst<'_>) -> bool {
    high_product(function, inst).is_some()
}

fn high_product<'m>(function: &Function<'m>, inst: &Inst<'m>) -> Option<HighProduct<'m>> {
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

impl<'m> Widener<'_, '_, 'm> {
    /// The upper half of a product, if that is what an instruction takes.
    pub(super) fn high_product(&self, inst: &Inst<'m>) -> Result<Option<Value<'m>>, Failure> {
        let Some(found) = high_product(self.function, inst) else { return Ok(None) };
        let b = self.b;
        let long = self.vector(b.context().int_type(BITS as u32));
        let extension = if found.signed { Opcode::SExt } else { Opcode::ZExt };
        let factor = |factor: Factor<'m>| match factor {
            Factor::Constant(constant) => Ok(self.splat(long.scalar().const_int(constant))),
            Factor::Extended(operand) => {
                let leaf = self.leaf(operand)?;
                Ok(if leaf.ty() == long { leaf } else { b.cast(extension, leaf, long) })
            }
        };
        let [left, right] = found.factors;
        let (left, right) = (factor(left)?, factor(right)?);
        let mut high = self.high_half(left, right);
        if found.signed {
            let sign = self.splat(long.scalar().const_int(BITS - 1));
            for (one, other) in [(left, right), (right, left)] {
                high = b.sub(high, b.and(b.binary(Opcode::AShr, one, sign), other));
            }
        }
        if found.shift > 0 {
            high = b.lshr(high, self.splat(long.scalar().const_int(found.shift)));
        }
        let to = self.vector(inst.value.ty());
        Ok(Some(if to == long { high } else { b.trunc(high, to) }))
    }

    /// The upper halves of products of numbers without sign.
    fn high_half(&self, left: Value<'m>, right: Value<'m>) -> Value<'m> {
        let b = self.b;
        let constant = |value: u64| self.splat(left.ty().scalar().const_int(value));
        let low = |value: Value<'m>| b.and(value, constant(u64::from(u32::MAX)));
        let high = |value: Value<'m>| b.lshr(value, constant(BITS / 2));
        let carried = high(b.mul(low(left), low(right)));
        let middle = b.add(b.mul(high(left), low(right)), carried);
        let other = b.add(b.mul(low(left), high(right)), low(middle));
        b.add(b.add(b.mul(high(left), high(right)), high(middle)), high(other))
    }
}
