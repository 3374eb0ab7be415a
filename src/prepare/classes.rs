//! Rewrites tests for classes of floating-point numbers (`llvm.is.fpclass`, as of `isnormal` or `x > 0 && x <
//! INFINITY`) as comparisons of their bits. Only for vectors on machines that have no instruction for such tests: there
//! LLVM's code generator tests for one class after the other.

use std::ops::Range;

use oxicl_llvm::{Builder, IntPredicate, Module, TypeKind, Value};
use oxicl_target::{Ability, Target};

/// The classes in the order of their numbers' bits as unsigned integers: zero, subnormal, normal, infinite, signalling
/// and quiet NaN; first the positive ones, then the negative ones. Each of these *segments* is given by its bit in
/// LLVM's mask of classes (language reference, `llvm.is.fpclass`).
const CLASSES: [u32; 12] = [6, 7, 8, 9, 0, 1, 5, 4, 3, 2, 0, 1];
/// How many segments have the same sign.
const OF_SIGN: usize = 6;

/// Rewrites the tests of vectors, unless the machine has an instruction for them.
pub(crate) fn compare_bits(module: &Module<'_>, target: &Target) {
    if target.can(Ability::Masks) {
        return;
    }
    let b = Builder::new(module.context());
    let tests = module.functions().into_iter().filter(|function| function.name().starts_with("llvm.is.fpclass."));
    for test in tests.flat_map(|function| function.users()).filter(|test| test.ty().is_vector()).collect::<Vec<_>>() {
        let (Some(number), Some(classes)) = (test.operand(0), test.operand(1).and_then(|classes| classes.as_u64()))
        else {
            continue;
        };
        b.position_before(test);
        test.replace_uses_with(written(&b, number, classes));
    }
}

/// Which elements of `number` are of one of `classes`, a mask of LLVM's.
fn written<'m>(b: &Builder<'m>, number: Value<'m>, classes: u64) -> Value<'m> {
    let (bits, mantissa) = match number.ty().scalar().kind() {
        TypeKind::Half => (16, 10),
        TypeKind::Float => (32, 23),
        _ => (64, 52),
    };
    let lanes = number.ty().length() as u32;
    let integer = b.context().int_type(bits);
    let splat = |value: u64| b.context().const_vector(&vec![integer.const_int(value); lanes as usize]);
    let meant = CLASSES.map(|class| classes >> class & 1 == 1);
    let (positive, negative) = meant.split_at(OF_SIGN);
    let number = b.bit_cast(number, integer.vector(lanes));
    let (meant, number) =
        if positive == negative { (positive, b.and(number, splat(sign(bits) - 1))) } else { (&meant[..], number) };
    let least = |segment: usize| least(segment, bits, mantissa);
    let is_in_any = |wanted: bool| {
        let each = ranges(meant, wanted).into_iter().map(|range| {
            let (first, end) = (least(range.start), least(range.end));
            if first == 0 && meant.len() == OF_SIGN {
                return b.icmp(IntPredicate::Slt, number, splat(end));
            }
            // One signed comparison, which machines have, tells whether a number is in the range: the addition moves
            // `first` to the least signed integer.
            let by = sign(bits).wrapping_sub(first);
            let moved = if by == 0 { number } else { b.add(number, splat(by)) };
            b.icmp(IntPredicate::Slt, moved, splat(end.wrapping_add(by)))
        });
        each.reduce(|any, other| b.or(any, other)).unwrap_or_else(|| b.context().int_type(1).vector(lanes).zero())
    };
    if ranges(meant, false).len() < ranges(meant, true).len() { b.not(is_in_any(false)) } else { is_in_any(true) }
}

/// The integer with the sign bit alone.
fn sign(bits: u32) -> u64 {
    1 << (bits - 1)
}

/// The least integer of a segment, or the end of the last one.
fn least(segment: usize, bits: u32, mantissa: u32) -> u64 {
    let infinity = (sign(bits) - 1) >> mantissa << mantissa;
    let least = [0, 1, 1 << mantissa, infinity, infinity + 1, infinity | 1 << (mantissa - 1)];
    sign(bits).wrapping_mul((segment / OF_SIGN) as u64).wrapping_add(least[segment % OF_SIGN])
}

/// The ranges of segments that are meant, or, if not `wanted`, of those that are not.
fn ranges(meant: &[bool], wanted: bool) -> Vec<Range<usize>> {
    let begins = |segment: &usize| meant[*segment] == wanted && (*segment == 0 || meant[*segment - 1] != wanted);
    let length = |first: usize| meant[first..].iter().take_while(|meant| **meant == wanted).count();
    (0..meant.len()).filter(begins).map(|first| first..first + length(first)).collect()
}

#[cfg(test)]
mod tests {
    use oxicl_llvm::Context;
    use oxicl_target::Target;

    use super::*;
    use crate::rewritten;

    /// The first and the last number of each segment, with its class, for a type of `bits` bits.
    fn edges(bits: u32, mantissa: u32) -> Vec<(u32, u64)> {
        let segments = CLASSES.into_iter().enumerate();
        let edges = segments.flat_map(|(segment, class)| {
            let end = least(segment + 1, bits, mantissa);
            [(class, least(segment, bits, mantissa)), (class, end.wrapping_sub(1) & (u64::MAX >> (64 - bits)))]
        });
        edges.collect()
    }

    #[test]
    fn every_set_of_classes_is_told_by_the_bits() {
        let context = Context::new();
        let b = Builder::new(&context);
        for (ty, bits, mantissa) in
            [(context.half_type(), 16, 10), (context.float_type(), 32, 23), (context.double_type(), 64, 52)]
        {
            let edges = edges(bits, mantissa);
            let numbers: Vec<_> = edges.iter().map(|(_, number)| context.int_type(bits).const_int(*number)).collect();
            let numbers = b.bit_cast(context.const_vector(&numbers), ty.vector(numbers.len() as u32));
            for classes in 0..1 << 10 {
                let found = written(&b, numbers, classes);
                for (lane, (class, number)) in edges.iter().enumerate() {
                    let truth = b.extract_element(found, context.int_type(64).const_int(lane as u64));
                    assert_eq!(truth.as_u64(), Some(classes >> class & 1), "{bits} bits: {classes:#x} of {number:#x}");
                }
            }
        }
    }

    #[test]
    fn machines_without_the_instruction_compare() {
        let compared = |classes: u32, machine: &str| {
            let text = format!(
                "define <4 x i1> @k(<4 x float> %x) {{
                %r = call <4 x i1> @llvm.is.fpclass.v4f32(<4 x float> %x, i32 {classes})
                ret <4 x i1> %r }}
                declare <4 x i1> @llvm.is.fpclass.v4f32(<4 x float>, i32)"
            );
            rewritten(&text, |module| compare_bits(module, &Target::named(machine).expect("known")))
                .lines()
                .filter(|line| line.contains("%") && line.contains(" = "))
                .count()
        };
        // All but positive finite numbers; finite numbers; all but NaN; normal numbers. The test itself, which is dead,
        // counts as one.
        for (classes, operations) in [(0x27f, 4 + 1), (0x1f8, 3 + 1), (0x3fc, 3 + 1), (0x108, 4 + 1)] {
            assert_eq!(compared(classes, "x86-64-v3"), operations, "{classes:#x}");
            assert_eq!(compared(classes, "x86-64-v4"), 1, "{classes:#x}");
        }
    }
}
