//! Works around a bug of LLVM's vectorizer by hiding narrow induction variables from it.
//!
//! Where `x` is a loop's counter, `x & 3` is an induction variable of two bits for as long as it does not wrap. The
//! vectorizer takes it for one if it can check that at run time. LLVM 22 omits the check if it makes the same check for
//! a wider induction variable, although that one wraps later, and then reads `table[x & 3]` beyond the table. (LLVM 23
//! makes both checks.) So where a function has induction variables of several widths, the narrow ones are rewritten
//! such that LLVM does not recognise them: the bits that do not matter are set and flipped. LLVM's next clean-up
//! removes that again.

use oxicl_llvm::{Builder, Context, Module, Opcode, Place, Value};
use oxicl_ops::attribute;

/// Induction variables of this many bits or more do not wrap within a work-group, whatever their scale. They stay as
/// they are: they are the usual 32-bit ids.
const WIDE: u32 = 32;
/// A bound on compile time: how many values are looked at to find out whether one is an induction variable. If there
/// are more, it is taken for one.
const FAR: usize = 64;

/// A value that may be an induction variable of `bits` bits, fewer than the type of its instruction has.
struct Induction<'m> {
    instruction: Value<'m>,
    bits: u32,
}

/// Hides the narrow induction variables of all functions that have wider ones and that the vectorizer looks at.
pub(crate) fn hide(module: &Module<'_>, context: &Context) {
    let b = Builder::new(context);
    let is_searched = |function: &Value<'_>| function.attribute_text(Place::Function, attribute::GANGS).is_none();
    for function in module.functions().into_iter().filter(is_searched) {
        let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
        let inductions: Vec<_> = instructions.filter_map(induction).collect();
        let Some(widest) = inductions.iter().map(|induction| induction.bits).max() else { continue };
        for induction in inductions.iter().filter(|induction| induction.bits < widest.min(WIDE)) {
            hide_one(&b, induction);
        }
    }
}

/// The narrow induction variable that LLVM may see in an instruction: it takes the instruction for the extension of a
/// narrower number.
fn induction(instruction: Value<'_>) -> Option<Induction<'_>> {
    let ty = instruction.ty();
    if !ty.is_int() || ty.int_width() > 64 {
        return None;
    }
    let bits = match instruction.opcode()? {
        Opcode::And => {
            let mask = instruction.operand(1)?.as_u64()?;
            let above = mask.leading_zeros().saturating_sub(64 - ty.int_width());
            (ty.int_width() - above).saturating_sub(mask.trailing_zeros())
        }
        Opcode::ZExt | Opcode::SExt => instruction.operand(0)?.ty().int_width(),
        // A sign extension, if its operand was shifted left before, and perhaps added to.
        Opcode::AShr if matches!(instruction.operand(0)?.opcode(), Some(Opcode::Shl | Opcode::Add)) => {
            ty.int_width().saturating_sub(u32::try_from(instruction.operand(1)?.as_u64()?).ok()?)
        }
        _ => return None,
    };
    // A single bit is a truth value.
    (bits > 1 && bits < ty.int_width() && may_be_induction(instruction)).then_some(Induction { instruction, bits })
}

/// May a value be an induction variable: is it computed from a phi, by operations that may keep it one?
fn may_be_induction(value: Value<'_>) -> bool {
    let mut open = vec![value];
    for _ in 0..FAR {
        let Some(value) = open.pop() else { return false };
        match value.opcode() {
            Some(Opcode::Phi) => return true,
            Some(
                Opcode::Add
                | Opcode::Sub
                | Opcode::Mul
                | Opcode::Shl
                | Opcode::LShr
                | Opcode::AShr
                | Opcode::UDiv
                | Opcode::And
                | Opcode::Or
                | Opcode::Xor
                | Opcode::Trunc
                | Opcode::ZExt
                | Opcode::SExt,
            ) => open.extend(value.operands()),
            _ => {}
        }
    }
    true
}

/// Rewrites an instruction such that LLVM does not see an induction variable in it.
fn hide_one<'m>(b: &Builder<'m>, induction: &Induction<'m>) {
    let (old, ty) = (induction.instruction, induction.instruction.ty());
    let flip = |value: Value<'m>, bits: u64| {
        let bits = ty.const_int(bits);
        b.xor(b.or(value, bits), bits)
    };
    match (old.opcode(), old.operand(0), old.next_instruction()) {
        (Some(Opcode::And), Some(operand), _) => {
            let Some(mask) = old.operand(1).and_then(|mask| mask.as_u64()) else { return };
            b.position_before(old);
            old.set_operand(0, flip(operand, !mask));
        }
        // The bit that is flipped is shifted out.
        (Some(Opcode::AShr), Some(operand), _) => {
            b.position_before(old);
            old.set_operand(0, flip(operand, 1));
        }
        (Some(extension @ (Opcode::ZExt | Opcode::SExt)), Some(operand), Some(next)) => {
            b.position_before(next);
            let hidden = flip(b.cast(Opcode::ZExt, operand, ty), u64::MAX << induction.bits);
            let sign = ty.const_int(1 << (induction.bits - 1));
            let signed = extension == Opcode::SExt;
            old.replace_uses_with(if signed { b.sub(b.xor(hidden, sign), sign) } else { hidden });
        }
        _ => {}
    }
}
