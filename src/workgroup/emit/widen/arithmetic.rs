//! Operations that LLVM would scalarise, or write with more than they need, written with the vector operations that it
//! has: conversions, operations on halves, upper halves of products, and comparisons of places.

use oxicl_llvm::{IntPredicate, Opcode, RealPredicate, TypeKind, Value};
use oxicl_target::Ability;

use crate::analyse::idioms::comparison::Comparison;
use crate::analyse::idioms::product::{BITS, Factor, HighProduct};
use crate::analyse::instructions::signedness;
use crate::emit::saturate::{Wanted, saturated};
use crate::emit::vector::resized;
use crate::emit::widen::region::{Active, Widener};
use crate::failure::Result;
use crate::ir::{Elementwise, Inst, Intrinsic};

/// Is the result for halves that for floats, rounded once more? It is exact, or has enough digits for the second
/// rounding to do no harm.
fn is_by_float(intrinsic: Intrinsic) -> bool {
    use Intrinsic::{
        Ceil, Floor, MaxNum, MaximumNum, MinNum, MinimumNum, NearbyInt, RInt, Round, RoundEven, Sqrt, Trunc,
    };
    let rounds = matches!(intrinsic, Floor | Ceil | Trunc | RInt | NearbyInt | Round | RoundEven);
    rounds || matches!(intrinsic, Sqrt | MinNum | MaxNum | MinimumNum | MaximumNum)
}

/// The limit of distances. Needed for correctness: clamped to it, they fit 32 bits with the distance between lanes.
const FAR: i64 = 1 << 30;

impl<'m> Widener<'_, '_, 'm> {
    /// A vector intrinsic written as other instructions; `None` if LLVM's own form is as good.
    pub(crate) fn rewritten(&self, inst: &Inst<'m>, row: &Elementwise, arguments: &[Value<'m>]) -> Option<Value<'m>> {
        let b = self.b;
        let first = *arguments.first()?;
        let by_float = first.ty().scalar().kind() == TypeKind::Half
            && !self.recipes.vectors.can(Ability::HalfArithmetic)
            && is_by_float(row.intrinsic);
        let float = b.context().float_type().vector(first.ty().length() as u32);
        match row.intrinsic {
            Intrinsic::FpToSiSat | Intrinsic::FpToUiSat => {
                let bits = inst.llvm.ty().scalar().int_width();
                saturated(b, first, Wanted { bits, is_signed: row.intrinsic == Intrinsic::FpToSiSat })
            }
            _ if by_float => {
                let intrinsic = self.e.module.intrinsic(row.name, &[float])?;
                // Without the fence, LLVM would see that the floats are extended halves, and go back to these.
                let fence = self.e.module.intrinsic("llvm.arithmetic.fence", &[float])?;
                let wide: Vec<_> =
                    arguments.iter().map(|x| b.call(fence, &[b.cast(Opcode::FPExt, *x, float)])).collect();
                let result = b.call(intrinsic, &wide);
                result.set_fast_math(inst.llvm.fast_math());
                Some(b.cast(Opcode::FPTrunc, result, first.ty()))
            }
            _ => None,
        }
    }

    /// Doubles as halves, by way of floats whose last bit is set if they are inexact, so that only one rounding counts.
    pub(crate) fn half_of_double(&self, value: Value<'m>) -> Result<Value<'m>> {
        let b = self.b;
        let context = b.context();
        let (float, bits_type) = (self.vector(context.float_type()), self.vector(context.int_type(32)));
        let near = b.cast(Opcode::FPTrunc, value, float);
        let back = b.cast(Opcode::FPExt, near, value.ty());
        let bits = b.bit_cast(near, bits_type);
        let word = |word: u64| self.splat(context.int_type(32).const_int(word));
        let exponent = word(0x7f80_0000);
        let finite = b.icmp(IntPredicate::Ne, b.and(bits, exponent), exponent);
        let magnitude = |value: Value<'m>| self.e.call_intrinsic("llvm.fabs", &[value.ty()], &[value]);
        let (wanted, got) = (magnitude(value)?, magnitude(back)?);
        let flag = |condition| b.zext(b.select(finite, condition, finite), bits_type);
        let lower = b.sub(bits, flag(b.fcmp(RealPredicate::Ogt, got, wanted)));
        let odd = b.or(lower, flag(b.fcmp(RealPredicate::One, got, wanted)));
        Ok(b.cast(Opcode::FPTrunc, b.bit_cast(odd, float), self.vector(context.half_type())))
    }

    /// The upper half of a product, as the instruction takes it. Scalar code takes it from a product of 128 bits; there
    /// are no vectors of 128-bit elements, so gangs add up products of 32-bit halves.
    pub(crate) fn high_product(&self, inst: &Inst<'m>, found: &HighProduct) -> Result<Value<'m>> {
        let b = self.b;
        let long = self.vector(b.context().int_type(BITS as u32));
        let factor = |factor: Factor| match factor {
            Factor::Constant(constant) => Ok(self.splat(long.scalar().const_int(constant))),
            Factor::Extended(operand) => Ok(resized(b, self.component(operand)?, long, found.signed)),
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
        Ok(resized(b, high, self.vector(inst.llvm.ty()), false))
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

    /// A comparison of an affine 64-bit number with a uniform one (is this place inside?) by 32-bit ones: the first
    /// lane's distance from the uniform number is a scalar, and the lanes' from the first are short. Lanes outside the
    /// mask may wrap, and the first lane too: its distance follows from that of the first lane inside.
    pub(crate) fn compare_short(&self, found: &Comparison, mask: Active<'m>) -> Result<Value<'m>> {
        let b = self.b;
        let (first, fixed) = (self.first(found.moving)?, self.first(found.fixed)?);
        let (i64_type, i32_type) = (first.ty(), b.context().int_type(32));
        let stride = i64_type.const_signed(found.stride);
        let first_inside = mask.filter(|_| found.promised).map(|mask| self.first_lane(Some(mask))).transpose()?;
        let offset = first_inside.map(|lane| b.mul(lane, stride));
        let inside = offset.map_or(first, |offset| b.add(first, offset));
        let intrinsic = |name, left, right| self.e.call_intrinsic(name, &[i64_type], &[left, right]);
        let (far, near) = (i64_type.const_signed(FAR), i64_type.const_signed(-FAR));
        let distance = match signedness(found.predicate) {
            Some(true) => {
                let distance = intrinsic("llvm.ssub.sat", fixed, inside)?;
                intrinsic("llvm.smax", intrinsic("llvm.smin", distance, far)?, near)?
            }
            _ => {
                let ahead = intrinsic("llvm.umin", intrinsic("llvm.usub.sat", fixed, inside)?, far)?;
                let behind = intrinsic("llvm.umin", intrinsic("llvm.usub.sat", inside, fixed)?, far)?;
                b.sub(ahead, behind)
            }
        };
        // The clamped distance leaves room for the distance between lanes.
        let distance = offset.map_or(distance, |offset| b.add(distance, offset));
        let predicate = match found.predicate {
            IntPredicate::Ult => IntPredicate::Slt,
            IntPredicate::Ule => IntPredicate::Sle,
            IntPredicate::Ugt => IntPredicate::Sgt,
            IntPredicate::Uge => IntPredicate::Sge,
            signed => signed,
        };
        let distance = self.splat(b.trunc(distance, i32_type));
        Ok(b.icmp(predicate, self.steps(i32_type, found.stride), distance))
    }
}
