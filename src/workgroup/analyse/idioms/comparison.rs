//! Comparisons of affine 64-bit numbers with one number for all lanes, such as `x < n`. The first lane's distance from
//! that number is a scalar, and the other lanes' offsets from the first lane fit 32 bits.

use crate::ir::{Function, Inst, InstId, IntPredicate, Opcode, Operand};
use oxicl_protocol::Decision;

use crate::analyse::induction::{Wrap, wrap};
use crate::analyse::instructions::{hands_on, signedness};
use crate::analyse::shape::{Shape, Shapes};
use crate::bounds::NEARBY;

/// The longest stride. Needed for correctness: no lane's offset from the first is as large as a clamped distance.
const LONGEST_STRIDE: u64 = 1 << 20;

/// A comparison of an affine number, which does not wrap, with a number that lanes share.
pub(crate) struct Comparison {
    pub(crate) moving: Operand,
    pub(crate) stride: i64,
    pub(crate) fixed: Operand,
    /// With the moving number on the left.
    pub(crate) predicate: IntPredicate,
    /// Does the number keep from wrapping in active lanes alone, as a sum promises?
    pub(crate) promised: bool,
}

pub(crate) fn comparison(function: &Function<'_>, shapes: &Shapes, id: InstId) -> Option<Comparison> {
    let inst = function.inst(id);
    let [left, right] = inst.operands[..] else { return None };
    let predicate = inst.int_predicate().filter(|_| inst.opcode == Opcode::ICmp)?;
    if !function.type_at(inst, 0)?.is_int_of(64) {
        return None;
    }
    let (moving, stride, fixed, predicate) = match (shapes.of_operand(left), shapes.of_operand(right)) {
        (Shape::Affine(stride), shape) if shape.is_row_uniform() => (left, stride, right, predicate),
        (shape, Shape::Affine(stride)) if shape.is_row_uniform() => (right, stride, left, swapped(predicate)?),
        _ => return None,
    };
    let signed = signedness(predicate)?;
    if stride.unsigned_abs() > LONGEST_STRIDE {
        return None;
    }
    let promised = match wrap(function, shapes, moving, signed) {
        Wrap::Never => false,
        Wrap::Promised => true,
        Wrap::Possible => return None,
    };
    if promised && !decides(function, inst) || !function.allows(Decision::Comparisons, id) {
        return None;
    }
    let predicate = if function.switches.is_misled() { swapped(predicate)? } else { predicate };
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

/// Does the branch of its block depend on a comparison? Then no active lane has poison, so no sum breaks its promise.
fn decides(function: &Function<'_>, comparison: &Inst<'_>) -> bool {
    let mut seen: Vec<_> = function.condition(comparison.block).into_iter().collect();
    let mut next = 0;
    while let Some(operand) = seen.get(next).copied().filter(|_| next < NEARBY) {
        next += 1;
        let Some(inst) = function.made_by(operand) else { continue };
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
