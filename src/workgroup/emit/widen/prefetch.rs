//! Prefetches in grid-stride loops, which go through memory by as many elements as the launch has work-items, each
//! element once. Hardware prefetchers follow streams from line to line; here each iteration is on another page.

use oxicl_llvm::{IntPredicate, Opcode, Value};
use oxicl_target::LINE;

use crate::bounds::CHAIN;
use crate::emit::vector::resized;
use crate::emit::widen::region::Widener;
use crate::failure::Result;
use crate::ir::{Kind, Operand};
use crate::recipe::{Access, Prefetch};

impl<'m> Widener<'_, '_, 'm> {
    /// Prefetches what a load reads in a later iteration of a grid-stride loop, if it is in one.
    pub(crate) fn prefetch(&self, access: &Access) -> Result<()> {
        let Some(Prefetch { stride, iterations }) = &access.prefetch else { return Ok(()) };
        let (address, bytes) = (access.address, access.request.elements.ty().size());
        let length = bytes * u64::from(self.lanes);
        let b = self.b;
        let (i32_type, i64_type) = (b.context().int_type(32), b.context().int_type(64));
        let again = |operand| self.again(operand, stride.number, CHAIN);
        let (Some(by), Some(end)) = (again(stride.by), again(stride.end)) else { return Ok(()) };
        let (first, counter) = (self.first(address)?, self.first(Operand::Inst(stride.counter))?);
        let Some(prefetch) = self.e.module.intrinsic("llvm.prefetch", &[first.ty()]) else { return Ok(()) };
        if [by, end, counter].iter().any(|number| !number.ty().is_int() || number.ty().int_width() > 64) {
            return Ok(());
        }
        let widened = |value| resized(b, value, i64_type, stride.signed);
        let is_longer = counter.ty().int_width() > end.ty().int_width();
        let counter = if is_longer { b.trunc(counter, end.ty()) } else { counter };
        let ahead = b.mul(widened(by), i64_type.const_int(*iterations));
        let predicate = if stride.signed { IntPredicate::Slt } else { IntPredicate::Ult };
        let goes_on = b.icmp(predicate, b.add(widened(counter), ahead), widened(end));
        // The last iterations have nothing to prefetch. (`freeze`: the first lane may be inactive and poison.)
        let [ask, done] = ["ahead", ""].map(|name| self.e.block(name));
        b.cond_br(b.freeze(goes_on), ask, done);
        b.position_at_end(ask);
        let ahead = b.mul(ahead, i64_type.const_int(bytes));
        for line in 0..length.div_ceil(LINE) {
            let offset = b.add(ahead, i64_type.const_int(line * LINE));
            let place = b.byte_offset(first, offset);
            // A read, into the second-level cache, which has more room for lines in flight.
            b.call(prefetch, &[place, i32_type.zero(), i32_type.const_int(2), i32_type.const_int(1)]);
        }
        b.br(done);
        b.position_at_end(done);
        Ok(())
    }

    /// A loop-invariant number; if the loop computes it, computed again where the builder is, `far` operands deep.
    fn again(&self, operand: Operand, number: usize, far: usize) -> Option<Value<'m>> {
        use Opcode::{Add, LShr, Mul, SExt, Shl, Sub, Trunc, ZExt};
        let Operand::Inst(id) = operand else { return self.first(operand).ok() };
        let inst = self.function.inst(id);
        if !self.graph.holds(number, inst.block) {
            return self.first(operand).ok();
        }
        let operand = |index: usize| self.again(*inst.operands.get(index)?, number, far.checked_sub(1)?);
        Some(match (&inst.kind, inst.opcode) {
            (Kind::Query(query), _) if !self.is_of_sub_group(*query) => self.scalar.places.answer(self.b, *query),
            (Kind::Plain, ZExt | SExt | Trunc) => self.b.cast(inst.opcode, operand(0)?, inst.llvm.ty()),
            (Kind::Plain, Add | Sub | Mul | Shl | LShr) => self.b.binary(inst.opcode, operand(0)?, operand(1)?),
            _ => return None,
        })
    }
}
