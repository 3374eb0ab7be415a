//! Classes of instructions that vectors of lanes treat alike.

use crate::ir::{Function, InstId, IntPredicate, Kind, Opcode};

/// Is it an operation on two integers that never traps?
pub(crate) fn is_integer_binary(opcode: Opcode) -> bool {
    use Opcode::{AShr, Add, And, LShr, Mul, Or, Shl, Sub, Xor};
    matches!(opcode, Add | Sub | Mul | Shl | LShr | AShr | And | Or | Xor)
}

pub(crate) fn is_division(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem)
}

/// Is it an operation on two numbers, but no division of integers?
pub(crate) fn is_binary(opcode: Opcode) -> bool {
    use Opcode::{FAdd, FDiv, FMul, FRem, FSub};
    is_integer_binary(opcode) || matches!(opcode, FAdd | FSub | FMul | FDiv | FRem)
}

/// Is the result of an operation poison if an operand is? (Of a select, if the condition is.)
pub(crate) fn hands_on(opcode: Opcode) -> bool {
    use Opcode::{AddrSpaceCast, GetElementPtr, ICmp, IntToPtr, PtrToInt, SExt, Select, Trunc, ZExt};
    let others = matches!(opcode, ICmp | Select | SExt | ZExt | Trunc | AddrSpaceCast | PtrToInt | IntToPtr);
    is_integer_binary(opcode) || others || opcode == GetElementPtr
}

/// May it write memory, or order accesses there, other than by a call?
pub(crate) fn changes_memory(opcode: Opcode) -> bool {
    use Opcode::{AtomicCmpXchg, AtomicRmw, Fence, Other, Store};
    matches!(opcode, Store | AtomicRmw | AtomicCmpXchg | Fence | Other)
}

pub(crate) fn is_cast(opcode: Opcode) -> bool {
    use Opcode::{
        AddrSpaceCast, FPExt, FPToSI, FPToUI, FPTrunc, IntToPtr, PtrToInt, SExt, SIToFP, Trunc, UIToFP, ZExt,
    };
    matches!(
        opcode,
        Trunc | ZExt | SExt | FPToUI | FPToSI | UIToFP | SIToFP | FPTrunc | FPExt | PtrToInt | IntToPtr | AddrSpaceCast
    )
}

/// Does a comparison treat its operands as signed? `None` for equality, where that does not matter.
pub(crate) fn signedness(predicate: IntPredicate) -> Option<bool> {
    use IntPredicate::{Eq, Ne, Uge, Ugt, Ule, Ult};
    (!matches!(predicate, Eq | Ne)).then_some(!matches!(predicate, Ult | Ule | Ugt | Uge))
}

/// The number of a shuffle's operand, of length `from`, and the element of it that the whole result repeats.
pub(crate) fn one_part(picked: &[Option<u32>], from: u32) -> Option<(usize, u32)> {
    let mut known = picked.iter().flatten();
    let first = *known.next()?;
    known.all(|index| *index == first).then_some(((first / from) as usize, first % from))
}

/// Is an instruction without effect, so that it may be left out or run again?
pub(crate) fn is_harmless(function: &Function<'_>, id: InstId) -> bool {
    let inst = function.inst(id);
    match (&inst.kind, inst.opcode) {
        (Kind::Query(_) | Kind::Alloca | Kind::Phi(_), _) => true,
        (Kind::Plain, Opcode::Load) => inst.is_ordinary(),
        (Kind::Plain, Opcode::Call) => inst.is_pure(),
        (Kind::Plain, opcode) => !changes_memory(opcode),
        _ => false,
    }
}
