//! Comparisons of long numbers that go on by a stride with one number for all lanes: is this place inside? How far the first
//! lane is from that number is a scalar, and how far lanes go on from the first is short: lanes compare numbers of 32 bits.

use oxicl_llvm::{IntPredicate, Opcode, Value};

use crate::analyse::induction::{Wrap, wrap};
use crate::analyse::shape::{Shape, Shapes, hands_on};
use crate::arena::{Function, Inst, Operand, Terminator};
use crate::failure::{Failure, failure};
use crate::widen::piece::Widener;

/// The longest stride, so that no lane is as far from the first as a clamped distance.
const LONGEST_STRIDE: u64 = 1 << 20;
/// What distances are clamped to.
const FAR: i64 = 1 << 30;

/// A comparison of what goes on by a stride, and does not wrap, with what lanes share.
struct Comparison<'m> {
    moving: Operand<'m>,
    stride: i64,
    fixed: Operand<'m>,
    /// With the moving number on the left.
    predicate: IntPredicate,
    /// Only lanes that run it do not wrap: a sum promises so.
    promised: bool,
}

/// Is a comparison one of short numbers, though its operands are long?
pub(super) fn is_short(function: &Function<'_>, shapes: &Shapes, inst: &Inst<'_>) -> bool {
    comparison(function, shapes, inst).is_some()
}

fn comparison<'m>(function: &Function<'m>, shapes: &Shapes, inst: &Inst<'m>) -> Option<Comparison<'m>> {
    let [left, right] = inst.operands[..] else { return None };
    let predicate = inst.value.int_predicate().filter(|_| inst.opcode == Opcode::ICmp)?;
    let ty = inst.value.operand(0)?.ty();
    if !ty.is_int() || ty.int_width() != 64 {
        return None;
    }
    let (moving, stride, fixed, predicate) = match (shapes.of_operand(left), shapes.of_operand(right)) {
        (Shape::Affine(stride), shape) if shape.is_row_uniform() => (left, stride, right, predicate),
        (shape, Shape::Affine(stride)) if shape.is_row_uniform() => (right, stride, left, swapped(predicate)?),
        _ => return None,
    };
    let signed = match predicate {
        IntPredicate::Slt | IntPredicate::Sle | IntPredicate::Sgt | IntPredicate::Sge => true,
        IntPredicate::Ult | IntPredicate::Ule | IntPredicate::Ugt | IntPredicate::Uge => false,
        _ => return None,
    };
    if stride.unsigned_abs() > LONGEST_STRIDE {
        return None;
    }
    let promised = match wrap(function, shapes, moving, signed) {
        Wrap::Never => false,
        Wrap::Promised => true,
        Wrap::Possible => return None,
    };
    if promised && !decides(function, inst) {
        return None;
    }
    Some(Comparison { moving, stride, fixed, predicate, promised })
}

fn swapped(predicate: IntPredicate) -> Option<IntPredicate> {
    Some(match predicate {
        IntPredicate::Slt => IntPredicate::Sgt,
        IntPredicate::Sle => IntPredicate::Sge,
        IntPredicate::Sgt => IntPredicate::Slt,
        IntPredicate::Sge => IntPredicate::Sle,
        IntPredicate::Ult => IntPredicate::Ugt,
        IntPredicate::Ule => IntPredicate::Uge,
        IntPredicate::Ugt => IntPredicate::Ult,
        IntPredicate::Uge => IntPredicate::Ule,
        _ => return None,
    })
}

/// Does how its block ends depend on a comparison? Then it is one in each lane of the block's mask: a sum that breaks its promise
/// gives none.
fn decides(function: &Function<'_>, comparison: &Inst<'_>) -> bool {
    /// Instructions that are looked at.
    const MOST: usize = 16;
    let end = &function.block(comparison.block).terminator;
    let Terminator::Branch { condition: Some(condition), .. } = end else { return false };
    let mut seen = vec![*condition];
    let mut next = 0;
    while let Some(operand) = seen.get(next).copied().filter(|_| next < MOST) {
        next += 1;
        let Operand::Inst(id) = operand else { continue };
        let inst = function.inst(id);
        if std::ptr::eq(inst, comparison) {
            return true;
        }
        if inst.block == comparison.block && hands_on(inst.opcode) {
            let count = if inst.opcode == Opcode::Select { 1 } else { inst.operands.len() };
            seen.extend_from_slice(&inst.operands[..count]);
        }
    }
    false
}

impl<'m> Widener<'_, '_, 'm> {
    /// The result of a comparison of long numbers by short ones, where that is possible. Lanes outside the mask may wrap, and the
    /// first may be one: how far it is comes from the first lane inside.
    pub(crate) fn compare_short(&self, inst: &Inst<'m>, mask: Option<Value<'m>>) -> Result<Option<Value<'m>>, Failure> {
        let Some(found) = comparison(self.function, &self.e.plan.shapes, inst) else { return Ok(None) };
        let b = self.b;
        let (first, fixed) = (self.first(found.moving)?, self.first(found.fixed)?);
        let (i64_type, i32_type) = (first.ty(), b.context().int_type(32));
        let offset = mask
            .filter(|_| found.promised)
            .map(|mask| b.mul(self.first_lane(mask), i64_type.const_signed(found.stride)));
        let inside = offset.map_or(first, |offset| b.add(first, offset));
        let intrinsic = |name: &str, left: Value<'m>, right: Value<'m>| match self.e.module.intrinsic(name, &[i64_type])
        {
            Some(function) => Ok(b.call(function, &[left, right])),
            None => failure("LLVM has no such operation on numbers"),
        };
        let (far, near) = (i64_type.const_signed(FAR), i64_type.const_signed(-FAR));
        let distance = match found.predicate {
            IntPredicate::Slt | IntPredicate::Sle | IntPredicate::Sgt | IntPredicate::Sge => {
                let distance = intrinsic("llvm.ssub.sat", fixed, inside)?;
                intrinsic("llvm.smax", intrinsic("llvm.smin", distance, far)?, near)?
            }
            _ => {
                let ahead = intrinsic("llvm.umin", intrinsic("llvm.usub.sat", fixed, inside)?, far)?;
                let behind = intrinsic("llvm.umin", intrinsic("llvm.usub.sat", inside, fixed)?, far)?;
                b.sub(ahead, behind)
            }
        };
        // Clamped, it has room for as far as lanes are from each other.
        let distance = offset.map_or(distance, |offset| b.add(distance, offset));
        let predicate = match found.predicate {
            IntPredicate::Ult => IntPredicate::Slt,
            IntPredicate::Ule => IntPredicate::Sle,
            IntPredicate::Ugt => IntPredicate::Sgt,
            IntPredicate::Uge => IntPredicate::Sge,
            signed => signed,
        };
        let distance = self.splat(b.trunc(distance, i32_type));
        Ok(Some(b.icmp(predicate, self.steps(i32_type, found.stride), distance)))
    }
}
