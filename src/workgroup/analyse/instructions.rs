//! What sort of instruction it is, as far as vectors of lanes treat it alike.

use crate::ir::{Function, InstId, Kind, Opcode};

pub(crate) fn is_binary(opcode: Opcode) -> bool {
    use Opcode::{AShr, Add, And, FAdd, FDiv, FMul, FRem, FSub, LShr, Mul, Or, Shl, Sub, Xor};
    matches!(opcode, Add | FAdd | Sub | FSub | Mul | FMul | FDiv | FRem | Shl | LShr | AShr | And | Or | Xor)
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

/// The operand of a shuffle and the part of it that all of the result is.
pub(crate) fn one_part(picked: &[Option<u32>], from: u32) -> Option<(usize, u32)> {
    let mut known = picked.iter().flatten();
    let first = *known.next()?;
    known.all(|index| *index == first).then_some(((first / from) as usize, first % from))
}

/// Does nobody see whether an instruction is run?
pub(crate) fn is_harmless(function: &Function<'_>, id: InstId) -> bool {
    let inst = function.inst(id);
    match (&inst.kind, inst.opcode) {
        (Kind::Query(_) | Kind::Alloca | Kind::Phi(_), _) => true,
        (Kind::Plain, Opcode::Store | Opcode::AtomicRmw | Opcode::AtomicCmpXchg | Opcode::Fence | Opcode::Other) => {
            false
        }
        (Kind::Plain, Opcode::Load) => inst.is_ordinary(),
        (Kind::Plain, Opcode::Call) => inst.is_pure(),
        (Kind::Plain, _) => true,
        _ => false,
    }
}
