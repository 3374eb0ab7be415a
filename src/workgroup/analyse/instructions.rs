//! What sort of instruction it is, as far as vectors of lanes treat it alike.

use oxicl_llvm::{Opcode, Ordering, Value};
use oxicl_ops::MachineOperation;

use crate::analyse::shape::is_pure;
use crate::arena::{Function, InstId, Kind};

/// An intrinsic whose vector form does the same to each element.
pub(crate) struct Elementwise {
    pub(crate) name: &'static str,
    /// Arguments whose types it is overloaded on.
    pub(crate) overloads: &'static [usize],
    /// Is it overloaded on its result's type first?
    pub(crate) result: bool,
    /// An argument that stays a scalar.
    pub(crate) scalar: Option<usize>,
}

/// The intrinsic that a call is of, if it does the same to each element.
pub(crate) fn elementwise(call: Value<'_>) -> Option<&'static Elementwise> {
    let name = call.called_function()?.name();
    ELEMENTWISE.iter().find(|row| is_overload(&name, row.name))
}

const fn on_first(name: &'static str) -> Elementwise {
    Elementwise { name, overloads: &[0], result: false, scalar: None }
}

const fn with_flag(name: &'static str, scalar: usize) -> Elementwise {
    Elementwise { name, overloads: &[0], result: false, scalar: Some(scalar) }
}

const ELEMENTWISE: &[Elementwise] = &[
    on_first("llvm.fma"),
    on_first("llvm.fmuladd"),
    on_first("llvm.sqrt"),
    on_first("llvm.fabs"),
    on_first("llvm.floor"),
    on_first("llvm.ceil"),
    on_first("llvm.trunc"),
    on_first("llvm.rint"),
    on_first("llvm.nearbyint"),
    on_first("llvm.round"),
    on_first("llvm.roundeven"),
    on_first("llvm.copysign"),
    on_first("llvm.minnum"),
    on_first("llvm.maxnum"),
    on_first("llvm.minimum"),
    on_first("llvm.maximum"),
    on_first("llvm.minimumnum"),
    on_first("llvm.maximumnum"),
    on_first("llvm.canonicalize"),
    on_first("llvm.ctpop"),
    on_first("llvm.bswap"),
    on_first("llvm.bitreverse"),
    on_first("llvm.fshl"),
    on_first("llvm.fshr"),
    on_first("llvm.smin"),
    on_first("llvm.smax"),
    on_first("llvm.umin"),
    on_first("llvm.umax"),
    on_first("llvm.sadd.sat"),
    on_first("llvm.uadd.sat"),
    on_first("llvm.ssub.sat"),
    on_first("llvm.usub.sat"),
    on_first("llvm.sadd.with.overflow"),
    on_first("llvm.uadd.with.overflow"),
    on_first("llvm.ssub.with.overflow"),
    on_first("llvm.usub.with.overflow"),
    on_first("llvm.smul.with.overflow"),
    on_first("llvm.umul.with.overflow"),
    on_first("llvm.arithmetic.fence"),
    with_flag("llvm.abs", 1),
    with_flag("llvm.ctlz", 1),
    with_flag("llvm.cttz", 1),
    with_flag("llvm.is.fpclass", 1),
    Elementwise { name: "llvm.fptosi.sat", overloads: &[0], result: true, scalar: None },
    Elementwise { name: "llvm.fptoui.sat", overloads: &[0], result: true, scalar: None },
    Elementwise { name: "llvm.scmp", overloads: &[0], result: true, scalar: None },
    Elementwise { name: "llvm.ucmp", overloads: &[0], result: true, scalar: None },
    Elementwise { name: "llvm.ldexp", overloads: &[0, 1], result: false, scalar: None },
];

/// Is it a call of such a function?
pub(crate) fn is_machine_call(call: Value<'_>) -> bool {
    call.called_function().is_some_and(|function| MachineOperation::parse(&function.name()).is_some())
}

/// Is `name` the intrinsic `base` with types behind it?
fn is_overload(name: &str, base: &str) -> bool {
    let Some(types) = name.strip_prefix(base).and_then(|rest| rest.strip_prefix('.')) else { return false };
    types.split('.').all(|ty| {
        let element = ty.trim_start_matches('v').trim_start_matches(|c: char| c.is_ascii_digit());
        let letters = element.trim_end_matches(|c: char| c.is_ascii_digit());
        matches!(letters, "i" | "f" | "bf") && letters.len() < element.len()
    })
}

/// A load or store that is neither atomic nor volatile.
pub(crate) fn is_ordinary(value: Value<'_>) -> bool {
    !value.is_volatile() && value.ordering() == Ordering::NotAtomic
}

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
        (Kind::Plain, Opcode::Load) => !inst.value.is_volatile() && inst.value.ordering() == Ordering::NotAtomic,
        (Kind::Plain, Opcode::Call) => is_pure(inst.value),
        (Kind::Plain, _) => true,
        _ => false,
    }
}
