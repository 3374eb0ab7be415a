//! Division of integers, which no machine has for vectors: it goes through floating point where that is exact.

use oxicl_llvm::{IntPredicate, Opcode, RealPredicate, Type, Value};

use crate::analyse::idioms::divisor::{SharedDivisor, is_signed};
use crate::emit::widen::region::{Active, Widener};
use crate::failure::Result;
use crate::ir::Inst;
use crate::recipe::{Division, Quotient};

/// Needed for correctness, like the next three: for numbers below this power of two, a quotient of doubles rounded
/// towards zero is exact, since the next integer is farther off than the rounding error.
const EXACT_BITS: u64 = 53;
/// For a dividend `n` below this power of two and the slightly enlarged inverse of `d`, the product lies from `n / d`
/// to just below `(n + 1) / d`, so it has the quotient's integer part.
const INVERSE_BITS: u64 = 48;
/// The factor that enlarges the inverse, as double and as float. It outweighs three roundings, and is small enough for
/// dividends of 48 bits and of 16 bits.
const MORE: f64 = 1.0 + 1.0 / (1u64 << 50) as f64;
const MORE_AS_FLOAT: f64 = 1.0 + 1.0 / (1u64 << 22) as f64;

/// The casts of a division's operands to floating point, and of its quotient back.
fn conversions(opcode: Opcode) -> (Opcode, Opcode) {
    if is_signed(opcode) { (Opcode::SIToFP, Opcode::FPToSI) } else { (Opcode::UIToFP, Opcode::FPToUI) }
}

/// What is divided, and for which lanes.
#[derive(Clone, Copy)]
pub(crate) struct Dividend<'m> {
    pub(crate) opcode: Opcode,
    pub(crate) number: Value<'m>,
    pub(crate) mask: Active<'m>,
}

/// Needed for correctness, like the next: the factor that shrinks an inverse. It outweighs the five roundings of an
/// estimate, so that no estimate exceeds the quotient. An estimate falls short by at most 14 parts in 2^53.
const LESS: f64 = 1.0 - 1.0 / (1u64 << 50) as f64;
/// An estimate below this power of two falls short of the quotient by less than one: its integer part is the quotient's
/// or one less. A larger one may fall short by nearly 2^15; then the remainder is divided the same way.
const CLOSE_BITS: u64 = 48;

/// A divisor of 64 bits, and what estimates of quotients are computed with. No double holds these exactly: a double
/// gives an estimate, and the remainder that it leaves corrects it.
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
    /// Quotients or remainders of integers. What lanes outside the mask get does not matter.
    pub(crate) fn division(&self, inst: &Inst<'m>, division: &Division, mask: Active<'m>) -> Result<Vec<Value<'m>>> {
        match division {
            Division::Shared(found, quotient) => Ok(vec![self.divide_by_shared(inst, found, *quotient, mask)?]),
            Division::Each { quotient, is_constant } => {
                let (left, right) = (self.components(inst.operands[0])?, self.components(inst.operands[1])?);
                let each = left.into_iter().zip(right).map(|(number, right)| {
                    let dividend = Dividend { opcode: inst.opcode, number, mask };
                    let constant = if *is_constant { self.constant_divisor(right) } else { None };
                    match constant {
                        Some(constant) => self.divide_by_constant(dividend, constant, *quotient),
                        None => self.divide(dividend, right, *quotient),
                    }
                });
                each.collect()
            }
        }
    }

    /// Divides all lanes by a constant that is not zero.
    fn divide_by_constant(&self, dividend: Dividend<'m>, number: Value<'m>, quotient: Quotient) -> Result<Value<'m>> {
        let opcode = dividend.opcode;
        let magnitude = self.unsigned(opcode, number);
        if quotient.estimates() && !magnitude.as_u64().is_some_and(u64::is_power_of_two) {
            return self.divide_long(dividend, self.divisor(opcode, number));
        }
        Ok(self.b.binary(opcode, dividend.number, self.splat(number)))
    }

    fn divide(&self, dividend: Dividend<'m>, right: Value<'m>, quotient: Quotient) -> Result<Value<'m>> {
        let Dividend { opcode, number: left, mask } = dividend;
        let (b, context) = (self.b, self.b.context());
        let estimates = match quotient {
            Quotient::Float => return Ok(self.by_float(opcode, left, right, context.float_type())),
            Quotient::Double => return Ok(self.by_float(opcode, left, right, context.double_type())),
            Quotient::ByLane => return self.one_by_one(dividend, right),
            Quotient::Estimate => return self.divide_long(dividend, self.divisor(opcode, right)),
            Quotient::DoubleUnlessLarge { estimates } => estimates,
        };
        let both =
            if is_signed(opcode) { b.or(self.magnitude(left), self.magnitude(right)) } else { b.or(left, right) };
        let limit = self.splat(context.int_type(64).const_int(1 << EXACT_BITS));
        let large = b.icmp(IntPredicate::Uge, both, limit);
        let short = || self.by_float(opcode, left, right, context.double_type());
        self.short_or_long(self.narrow(mask, large), short, || match estimates {
            true => Ok(self.divide_far(dividend, self.divisor(opcode, right))),
            false => self.one_by_one(dividend, right),
        })
    }

    /// Quotient or remainder by a uniform number: a multiplication with its inverse, which is computed once.
    fn divide_by_shared(
        &self,
        inst: &Inst<'m>,
        found: &SharedDivisor,
        by: Quotient,
        mask: Active<'m>,
    ) -> Result<Value<'m>> {
        let (b, ty, opcode) = (self.b, inst.llvm.ty(), inst.opcode);
        let context = b.context();
        let (float, more) = match by {
            Quotient::Float => (context.float_type(), MORE_AS_FLOAT),
            _ => (context.double_type(), MORE),
        };
        let (to, from) = conversions(opcode);
        let number = self.first(found.number)?;
        let number = b.select(b.icmp(IntPredicate::Eq, number, ty.zero()), ty.const_int(1), number);
        let inverse = b.fdiv(float.const_float(1.0), b.cast(to, number, float));
        let inverse = self.splat(b.fmul(inverse, float.const_float(more)));
        let (left, right) = (self.component(inst.operands[0])?, self.splat(number));
        let dividend = Dividend { opcode, number: left, mask };
        let remainder = matches!(opcode, Opcode::URem | Opcode::SRem);
        let short = || {
            let quotient = b.cast(from, b.fmul(b.cast(to, left, self.vector(float)), inverse), left.ty());
            if remainder { b.sub(left, b.mul(quotient, right)) } else { quotient }
        };
        let result = match by {
            Quotient::Estimate => self.divide_long(dividend, self.divisor(opcode, number))?,
            Quotient::DoubleUnlessLarge { estimates } => {
                let limit = |bits: u64| self.splat(ty.const_int(1 << bits));
                let large = b.or(
                    b.icmp(IntPredicate::Uge, self.unsigned(opcode, left), limit(INVERSE_BITS)),
                    b.icmp(IntPredicate::Uge, self.unsigned(opcode, right), limit(EXACT_BITS)),
                );
                self.short_or_long(self.narrow(mask, large), short, || match estimates {
                    true => Ok(self.divide_far(dividend, self.divisor(opcode, number))),
                    // By each lane's own divisor: the machine's division traps where the shared one is not to be taken.
                    false => self.one_by_one(dividend, self.component(inst.operands[1])?),
                })?
            }
            _ => short(),
        };
        let Some(is_one) = found.is_one else { return Ok(result) };
        let by_one = if remainder { left.ty().zero() } else { left };
        Ok(b.select(self.component(is_one)?, by_one, result))
    }

    /// The constant that all lanes are divided by, if there is one and it is not zero.
    fn constant_divisor(&self, divisor: Value<'m>) -> Option<Value<'m>> {
        let i64_type = self.b.context().int_type(64);
        let element = |lane: u32| self.b.extract_element(divisor, i64_type.const_int(u64::from(lane)));
        let first = Some(divisor).filter(|divisor| divisor.is_constant()).map(|_| element(0))?;
        let same = (0..self.lanes).all(|lane| element(lane) == first);
        (same && first.as_u64().is_some_and(|number| number != 0)).then_some(first)
    }

    /// Divides lane by lane with the machine's scalar division, in a loop: unrolled, it is half of a kernel's code.
    fn one_by_one(&self, dividend: Dividend<'m>, right: Value<'m>) -> Result<Value<'m>> {
        let (left_row, right_row) = (self.in_memory(dividend.number), self.in_memory(right));
        // A result overwrites its dividend: inserted into a vector of several registers, it would move all of them.
        self.each_lane(dividend.mask, &[], |widener, lane| {
            let (left, right) = (widener.lane_of(left_row, lane), widener.lane_of(right_row, lane));
            widener.set_lane(left_row, lane, widener.b.binary(dividend.opcode, left, right));
            Ok(Vec::new())
        })?;
        Ok(self.all_lanes(left_row))
    }

    pub(crate) fn magnitude(&self, value: Value<'m>) -> Value<'m> {
        let b = self.b;
        let negative = b.icmp(IntPredicate::Slt, value, value.ty().zero());
        b.select(negative, b.neg(value), value)
    }

    /// Divides in a floating-point type that holds both operands exactly.
    fn by_float(&self, opcode: Opcode, left: Value<'m>, right: Value<'m>, float: Type<'m>) -> Value<'m> {
        let b = self.b;
        let (to, from) = conversions(opcode);
        let wide = self.vector(float);
        let quotient = b.fdiv(b.cast(to, left, wide), b.cast(to, right, wide));
        let quotient = b.cast(from, quotient, left.ty());
        match opcode {
            Opcode::URem | Opcode::SRem => b.sub(left, b.mul(quotient, right)),
            _ => quotient,
        }
    }

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

    /// Quotient or remainder by an estimate. The remainder is divided too if a lane's is not below 2^`CLOSE_BITS`.
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
