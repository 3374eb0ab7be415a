//! Which machine operation an instruction is, for each number of its values.

use crate::analyse::instructions::is_binary;
use crate::ir::{Function, Inst, Intrinsic, Opcode, Operand};
use crate::prices::{Number, Operation};

/// An operation, and how many times a result takes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Done {
    pub(super) operation: Operation,
    pub(super) number: Number,
    pub(super) times: f64,
}

impl Done {
    fn once(operation: Operation, number: Number) -> Option<Done> {
        Some(Done { operation, number, times: 1.0 })
    }

    fn twice(operation: Operation, number: Number) -> Option<Done> {
        Some(Done { operation, number, times: 2.0 })
    }
}

/// What an instruction does to each number, if it is no access, move or call; `None` if it only renames the bits.
pub(super) fn operation(function: &Function<'_>, inst: &Inst<'_>) -> Option<Done> {
    use Opcode::{
        FCmp, FNeg, FPExt, FPToSI, FPToUI, FPTrunc, GetElementPtr, ICmp, SDiv, SExt, SIToFP, SRem, Select, Trunc, UDiv,
        UIToFP, URem, ZExt,
    };
    let result = Number::of(&inst.ty);
    let first = function.type_at(inst, 0).map_or(result, Number::of);
    match inst.opcode {
        UDiv | SDiv | URem | SRem => Done::once(arithmetic(inst), result),
        FNeg => Done::once(Operation::Arithmetic(FNeg), result),
        opcode if is_binary(opcode) => Done::once(arithmetic(inst), result),
        // A comparison gives a mask of the numbers' width. Both types may be priced as the same number, too.
        ZExt | SExt if function.type_at(inst, 0).is_some_and(|ty| ty.is_int_of(1)) => {
            Done::once(Operation::Arithmetic(Opcode::And), result)
        }
        Trunc | ZExt | SExt if first == result => Done::once(Operation::Arithmetic(Opcode::And), result),
        Trunc | ZExt | SExt | FPToUI | FPToSI | UIToFP | SIToFP | FPTrunc | FPExt => {
            Done::once(Operation::Cast(inst.opcode, result), first)
        }
        ICmp | FCmp => Done::once(Operation::Compare, first),
        Select => Done::once(Operation::Select, result),
        // An addition, which scales the index as well.
        GetElementPtr => Done::once(Operation::Arithmetic(Opcode::Add), Number::Int(64)),
        Opcode::Call if inst.is_machine_call() => Done::once(Operation::Arithmetic(Opcode::FMul), first),
        Opcode::Call => intrinsic(inst, first, result),
        _ => None,
    }
}

fn arithmetic(inst: &Inst<'_>) -> Operation {
    match inst.operands.get(1) {
        Some(Operand::Constant(_)) => Operation::ByConstant(inst.opcode),
        _ => Operation::Arithmetic(inst.opcode),
    }
}

/// The operation of an elementwise intrinsic. Intrinsics that LLVM or `emit` makes of others count as these.
fn intrinsic(inst: &Inst<'_>, first: Number, result: Number) -> Option<Done> {
    let elementwise = inst.elementwise()?;
    match elementwise.intrinsic {
        Intrinsic::ArithmeticFence => None,
        Intrinsic::Canonicalize => Done::once(Operation::Arithmetic(Opcode::FMul), first),
        // The power of two, and the product with it.
        Intrinsic::LdExp => Done::twice(Operation::Arithmetic(Opcode::FMul), first),
        // The conversion, and the comparison with what is too large.
        Intrinsic::FpToSiSat => Done::twice(Operation::Cast(Opcode::FPToSI, result), first),
        Intrinsic::FpToUiSat => Done::twice(Operation::Cast(Opcode::FPToUI, result), first),
        Intrinsic::IsFpClass | Intrinsic::SCmp | Intrinsic::UCmp => Done::twice(Operation::Compare, first),
        Intrinsic::SMulWithOverflow | Intrinsic::UMulWithOverflow => {
            Done::twice(Operation::Arithmetic(Opcode::Mul), first)
        }
        Intrinsic::SAddWithOverflow
        | Intrinsic::UAddWithOverflow
        | Intrinsic::SSubWithOverflow
        | Intrinsic::USubWithOverflow => Done::twice(Operation::Arithmetic(Opcode::Add), first),
        _ => Done::once(Operation::Intrinsic(elementwise.name, inst.arguments().len()), first),
    }
}
