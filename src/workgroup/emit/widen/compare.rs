//! Comparisons of an affine 64-bit number with a uniform one: is this place inside? The first lane's distance from the
//! uniform number is a scalar, and the lanes' distances from the first lane are short, so lanes compare 32-bit numbers.

use oxicl_llvm::{IntPredicate, Value};

use crate::analyse::idioms::comparison::Comparison;
use crate::analyse::instructions::signedness;
use crate::emit::widen::region::Widener;
use crate::failure::Result;

/// The limit of distances. Needed for correctness: clamped to it, they fit 32 bits with the distance between lanes.
const FAR: i64 = 1 << 30;

impl<'m> Widener<'_, '_, 'm> {
    /// A comparison of 64-bit numbers by 32-bit ones. Lanes outside the mask may wrap, and the first lane may be one of
    /// them: its distance is derived from that of the first lane inside.
    pub(crate) fn compare_short(&self, found: &Comparison, mask: Option<Value<'m>>) -> Result<Value<'m>> {
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
