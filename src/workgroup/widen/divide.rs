//! Division of integers, which no machine has for vectors: by way of floating point where that is exact.

use oxicl_llvm::{IntPredicate, Opcode, Type, Value};

use crate::failure::{Failure, failure};
use crate::widen::piece::Widener;

/// Quotients of numbers below this power of two, as doubles rounded towards zero, are right: the next integer is farther
/// off than the rounding.
const EXACT_BITS: u64 = 53;

impl<'m> Widener<'_, '_, 'm> {
    /// Quotient or remainder of vectors of integers. What lanes outside the mask get does not matter.
    pub(crate) fn divide(
        &self,
        opcode: Opcode,
        left: Value<'m>,
        right: Value<'m>,
        mask: Option<Value<'m>>,
    ) -> Result<Value<'m>, Failure> {
        let b = self.b;
        // LLVM multiplies instead.
        if self.is_constant_divisor(right) {
            return Ok(b.binary(opcode, left, right));
        }
        let (context, bits) = (b.context(), left.ty().scalar().int_width());
        match bits {
            0..=16 => return Ok(self.by_float(opcode, left, right, context.float_type())),
            17..=32 => return Ok(self.by_float(opcode, left, right, context.double_type())),
            64 => {}
            _ => return self.one_by_one(opcode, left, right, mask),
        }
        // Most numbers of 64 bits are small.
        let is_signed = matches!(opcode, Opcode::SDiv | Opcode::SRem);
        let both = if is_signed { b.or(self.magnitude(left), self.magnitude(right)) } else { b.or(left, right) };
        let limit = self.splat(context.int_type(64).const_int(1 << EXACT_BITS));
        let large = b.icmp(IntPredicate::Uge, both, limit);
        let large = self.narrow(mask, large);
        let (short, long, done) = (self.e.block(""), self.e.block("long"), self.e.block(""));
        b.cond_br(self.any(large), long, short);
        b.position_at_end(short);
        let from_short = self.by_float(opcode, left, right, context.double_type());
        b.br(done);
        b.position_at_end(long);
        let from_long = self.one_by_one(opcode, left, right, mask)?;
        let Some(long_end) = b.block() else { return failure("no place to write to") };
        b.br(done);
        b.position_at_end(done);
        let result = b.phi(left.ty());
        result.add_incoming(from_short, short);
        result.add_incoming(from_long, long_end);
        Ok(result)
    }

    fn is_constant_divisor(&self, divisor: Value<'m>) -> bool {
        let i64_type = self.b.context().int_type(64);
        let element = |lane: u32| self.b.extract_element(divisor, i64_type.const_int(u64::from(lane))).as_u64();
        divisor.is_constant() && (0..self.lanes).all(|lane| element(lane).is_some_and(|number| number != 0))
    }

    /// By the machine's division of single numbers, in a loop: written out for every lane it is half of a kernel's code.
    fn one_by_one(
        &self,
        opcode: Opcode,
        left: Value<'m>,
        right: Value<'m>,
        mask: Option<Value<'m>>,
    ) -> Result<Value<'m>, Failure> {
        let (left_row, right_row) = (self.in_memory(left), self.in_memory(right));
        let results = self.each_lane(mask, &[left.ty()], |widener, lane| {
            let (left, right) = (widener.lane_of(left_row, lane), widener.lane_of(right_row, lane));
            Ok(vec![widener.b.binary(opcode, left, right)])
        })?;
        results.first().copied().map_or_else(|| failure("a loop over lanes without a result"), Ok)
    }

    fn magnitude(&self, value: Value<'m>) -> Value<'m> {
        let b = self.b;
        let negative = b.icmp(IntPredicate::Slt, value, value.ty().zero());
        b.select(negative, b.neg(value), value)
    }

    /// By floating-point numbers that have both operands exactly.
    fn by_float(&self, opcode: Opcode, left: Value<'m>, right: Value<'m>, float: Type<'m>) -> Value<'m> {
        let b = self.b;
        let is_signed = matches!(opcode, Opcode::SDiv | Opcode::SRem);
        let (to, from) = if is_signed { (Opcode::SIToFP, Opcode::FPToSI) } else { (Opcode::UIToFP, Opcode::FPToUI) };
        let wide = self.vector(float);
        let quotient = b.fdiv(b.cast(to, left, wide), b.cast(to, right, wide));
        let quotient = b.cast(from, quotient, left.ty());
        match opcode {
            Opcode::URem | Opcode::SRem => b.sub(left, b.mul(quotient, right)),
            _ => quotient,
        }
    }
}
