//! Upper halves of 64-bit products. Scalar code takes them from products of 128 bits; there are no vectors of 128-bit
//! elements, so gangs add up products of 32-bit halves.

use oxicl_llvm::{Opcode, Value};

use crate::analyse::idioms::product::{BITS, Factor, HighProduct};
use crate::emit::widen::region::Widener;
use crate::failure::Result;
use crate::ir::Inst;

impl<'m> Widener<'_, '_, 'm> {
    /// The upper half of a product, as the instruction takes it.
    pub(crate) fn high_product(&self, inst: &Inst<'m>, found: &HighProduct) -> Result<Value<'m>> {
        let b = self.b;
        let long = self.vector(b.context().int_type(BITS as u32));
        let extension = if found.signed { Opcode::SExt } else { Opcode::ZExt };
        let factor = |factor: Factor| match factor {
            Factor::Constant(constant) => Ok(self.splat(long.scalar().const_int(constant))),
            Factor::Extended(operand) => {
                let component = self.component(operand)?;
                Ok(if component.ty() == long { component } else { b.cast(extension, component, long) })
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
        let to = self.vector(inst.llvm.ty());
        Ok(if to == long { high } else { b.trunc(high, to) })
    }

    /// The upper halves of unsigned products.
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
