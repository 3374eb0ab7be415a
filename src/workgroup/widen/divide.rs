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
            _ => return Ok(b.binary(opcode, left, self.safe(right, mask))),
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
        let from_long = b.binary(opcode, left, self.safe(right, mask));
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

    /// Divisors, of which those outside the mask are not zero.
    fn safe(&self, divisor: Value<'m>, mask: Option<Value<'m>>) -> Value<'m> {
        let one = self.splat(divisor.ty().scalar().const_int(1));
        mask.map_or(divisor, |mask| self.b.select(mask, divisor, one))
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
