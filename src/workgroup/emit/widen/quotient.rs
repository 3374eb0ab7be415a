//! Quotients of 64-bit integers, which no double holds exactly, on machines with vector conversions between the two: a
//! double gives an estimate, and the remainder that it leaves corrects it.

use oxicl_llvm::{IntPredicate, Opcode, RealPredicate, Value};

use crate::analyse::idioms::divisor::is_signed;
use crate::emit::widen::divide::Dividend;
use crate::emit::widen::region::Widener;
use crate::failure::Result;

/// Needed for correctness, like the next: the factor that shrinks an inverse. It outweighs the five roundings of an
/// estimate, so that no estimate exceeds the quotient. An estimate falls short by at most 14 parts in 2^53.
const LESS: f64 = 1.0 - 1.0 / (1u64 << 50) as f64;
/// An estimate below this power of two falls short of the quotient by less than one: its integer part is the quotient's
/// or one less. A larger one may fall short by nearly 2^15; then the remainder is divided the same way.
const CLOSE_BITS: u64 = 48;

/// A divisor, and what estimates are computed with.
#[derive(Clone, Copy)]
pub(crate) struct Divisor<'m> {
    /// The divisor as it is, in each lane.
    pub(crate) number: Value<'m>,
    /// Its absolute value.
    magnitude: Value<'m>,
    inverse: Value<'m>,
    /// Is it so large that every estimate is below 2^`CLOSE_BITS`?
    is_large: bool,
}

impl<'m> Widener<'_, '_, 'm> {
    /// A divisor of 64 bits, from a scalar if it is uniform, else from a vector of lanes.
    pub(crate) fn divisor(&self, opcode: Opcode, number: Value<'m>) -> Divisor<'m> {
        let b = self.b;
        let magnitude = self.unsigned(opcode, number);
        let double = b.context().double_type();
        let splat = |value: Value<'m>| if number.ty().is_vector() { value } else { self.splat(value) };
        let of = |constant: f64| {
            let constant = double.const_float(constant);
            if number.ty().is_vector() { self.splat(constant) } else { constant }
        };
        let ty = if number.ty().is_vector() { self.vector(double) } else { double };
        let inverse = b.fmul(b.fdiv(of(1.0), b.cast(Opcode::UIToFP, magnitude, ty)), of(LESS));
        let is_large = magnitude.as_u64().is_some_and(|number| number >= 1 << (64 - CLOSE_BITS));
        Divisor { number: splat(number), magnitude: splat(magnitude), inverse: splat(inverse), is_large }
    }

    /// Quotient or remainder by an estimate: the short path if all lanes' estimates are below 2^`CLOSE_BITS`, else a
    /// long one, which divides the remainder too.
    pub(crate) fn divide_long(&self, dividend: Dividend<'m>, divisor: Divisor<'m>) -> Result<Value<'m>> {
        let b = self.b;
        let number = self.unsigned(dividend.opcode, dividend.number);
        let estimate = self.estimate(number, divisor);
        let way = |twice: bool| self.mended(dividend.opcode, number, divisor, estimate, twice);
        let result = if divisor.is_large {
            way(false)
        } else {
            let limit = b.context().double_type().const_float((1u64 << CLOSE_BITS) as f64);
            let far = b.fcmp(RealPredicate::Oge, estimate, self.splat(limit));
            self.short_or_long(self.narrow(dividend.mask, far), || way(false), || Ok(way(true)))?
        };
        Ok(self.signed(dividend, divisor, result))
    }

    /// The long path of `divide_long`, for callers that have a short path of their own.
    pub(crate) fn divide_far(&self, dividend: Dividend<'m>, divisor: Divisor<'m>) -> Value<'m> {
        let number = self.unsigned(dividend.opcode, dividend.number);
        let result = self.mended(dividend.opcode, number, divisor, self.estimate(number, divisor), true);
        self.signed(dividend, divisor, result)
    }

    /// The absolute value of a number if the division is signed, else the number.
    pub(crate) fn unsigned(&self, opcode: Opcode, number: Value<'m>) -> Value<'m> {
        if is_signed(opcode) { self.magnitude(number) } else { number }
    }

    fn estimate(&self, dividend: Value<'m>, divisor: Divisor<'m>) -> Value<'m> {
        self.b.fmul(self.b.cast(Opcode::UIToFP, dividend, divisor.inverse.ty()), divisor.inverse)
    }

    /// Quotient or remainder of unsigned numbers: the estimate corrected by the remainder, divided too if `twice`.
    fn mended(
        &self,
        opcode: Opcode,
        dividend: Value<'m>,
        divisor: Divisor<'m>,
        estimate: Value<'m>,
        twice: bool,
    ) -> Value<'m> {
        let (b, ty) = (self.b, dividend.ty());
        let whole = |estimate: Value<'m>| b.cast(Opcode::FPToUI, estimate, ty);
        let mut quotient = whole(estimate);
        let mut rest = b.sub(dividend, b.mul(quotient, divisor.magnitude));
        if twice {
            let more = whole(self.estimate(rest, divisor));
            quotient = b.add(quotient, more);
            rest = b.sub(rest, b.mul(more, divisor.magnitude));
        }
        let goes = b.icmp(IntPredicate::Uge, rest, divisor.magnitude);
        match opcode {
            Opcode::URem | Opcode::SRem => b.select(goes, b.sub(rest, divisor.magnitude), rest),
            _ => b.select(goes, b.add(quotient, self.splat(ty.scalar().const_int(1))), quotient),
        }
    }

    /// The result with the sign that follows from the operands.
    fn signed(&self, dividend: Dividend<'m>, divisor: Divisor<'m>, result: Value<'m>) -> Value<'m> {
        let b = self.b;
        let sign = match dividend.opcode {
            Opcode::SDiv => b.xor(dividend.number, divisor.number),
            Opcode::SRem => dividend.number,
            _ => return result,
        };
        let is_negative = b.icmp(IntPredicate::Slt, sign, sign.ty().zero());
        b.select(is_negative, b.neg(result), result)
    }
}
