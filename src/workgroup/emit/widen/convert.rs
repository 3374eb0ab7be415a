//! Conversions, and operations on halves, that LLVM would scalarise: written with the vector operations that it has.

use oxicl_llvm::{IntPredicate, Opcode, RealPredicate, TypeKind, Value};
use oxicl_target::Ability;

use crate::emit::saturate::{Wanted, saturated};
use crate::emit::widen::region::Widener;
use crate::failure::Result;
use crate::ir::Inst;

/// Intrinsics whose result for halves is that for floats, rounded once more: it is exact, or has enough digits for the
/// second rounding to do no harm. For machines without half arithmetic.
const BY_FLOAT: &[&str] = &[
    "llvm.sqrt",
    "llvm.floor",
    "llvm.ceil",
    "llvm.trunc",
    "llvm.rint",
    "llvm.nearbyint",
    "llvm.round",
    "llvm.roundeven",
    "llvm.minnum",
    "llvm.maxnum",
    "llvm.minimumnum",
    "llvm.maximumnum",
];

impl<'m> Widener<'_, '_, 'm> {
    /// A vector intrinsic written as other instructions; `None` if LLVM's own form is as good.
    pub(crate) fn rewritten(&self, inst: &Inst<'m>, name: &str, arguments: &[Value<'m>]) -> Option<Value<'m>> {
        let b = self.b;
        let first = *arguments.first()?;
        let by_float = first.ty().scalar().kind() == TypeKind::Half
            && !self.recipes.vectors.can(Ability::HalfArithmetic)
            && BY_FLOAT.contains(&name);
        let float = b.context().float_type().vector(first.ty().length() as u32);
        match name {
            "llvm.fptosi.sat" | "llvm.fptoui.sat" => {
                let bits = inst.llvm.ty().scalar().int_width();
                saturated(b, first, Wanted { bits, is_signed: name == "llvm.fptosi.sat" })
            }
            _ if by_float => {
                let intrinsic = self.e.module.intrinsic(name, &[float])?;
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
}
