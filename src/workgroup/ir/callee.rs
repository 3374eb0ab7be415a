//! What is called: LLVM's intrinsics by their names, operations of the machine, and functions.

use oxicl_ops::MachineOperation;

use crate::ir::FastMath;

/// What a call has beside its operands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) callee: Callee,
    /// The name of the function; empty if that is not known.
    pub(crate) name: String,
    /// How many of the operands are arguments: the callee is one more.
    pub(crate) arguments: usize,
    /// It neither reads nor writes memory.
    pub(crate) is_pure: bool,
    pub(crate) fast_math: FastMath,
}

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Callee {
    Intrinsic(Intrinsic),
    /// An operation that some machines have an instruction for.
    Machine(MachineOperation),
    /// A function of this module, one that is compiled apart, or a named operation: the instruction's kind tells which.
    Function,
    /// A function that is called by its address, or inline assembly.
    Unknown,
}

impl Callee {
    /// What a function of this name is.
    pub(crate) fn of_name(name: &str) -> Callee {
        if name.starts_with("llvm.") {
            return Callee::Intrinsic(Intrinsic::of_name(name));
        }
        MachineOperation::parse(name).map_or(Callee::Function, Callee::Machine)
    }
}

impl Call {
    pub(crate) fn intrinsic(&self) -> Option<Intrinsic> {
        if let Callee::Intrinsic(intrinsic) = self.callee { Some(intrinsic) } else { None }
    }
}

/// An intrinsic whose vector form does the same to each element.
#[derive(Debug)]
pub(crate) struct Elementwise {
    pub(crate) intrinsic: Intrinsic,
    pub(crate) name: &'static str,
    /// Arguments whose types it is overloaded on.
    pub(crate) overloads: &'static [usize],
    /// Is it overloaded on its result's type first?
    pub(crate) result: bool,
    /// An argument that stays a scalar.
    pub(crate) scalar: Option<usize>,
}

macro_rules! intrinsics {
    ($($name:ident = $text:literal $form:tt),+ $(,)?) => {
        /// LLVM's intrinsics, as far as anybody tells them apart.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Intrinsic {
            $($name,)+
            /// Copies memory to where the first argument points from where the second does.
            MemCpy,
            MemMove,
            /// Fills memory.
            MemSet,
            Other,
        }

        const ELEMENTWISE: &[Elementwise] = &[$(intrinsics!(@row $name $text $form)),+];
    };
    (@row $name:ident $text:literal (first)) => { row(Intrinsic::$name, $text, &[0], false, None) };
    (@row $name:ident $text:literal (both)) => { row(Intrinsic::$name, $text, &[0, 1], false, None) };
    (@row $name:ident $text:literal (result)) => { row(Intrinsic::$name, $text, &[0], true, None) };
    (@row $name:ident $text:literal (flag)) => { row(Intrinsic::$name, $text, &[0], false, Some(1)) };
}

const fn row(
    intrinsic: Intrinsic,
    name: &'static str,
    overloads: &'static [usize],
    result: bool,
    scalar: Option<usize>,
) -> Elementwise {
    Elementwise { intrinsic, name, overloads, result, scalar }
}

// All elementwise intrinsics, by what they are overloaded on: the type of the first argument, of both, or of the result
// and the first argument. The second argument of `flag` ones stays a scalar.
intrinsics! {
    Fma = "llvm.fma" (first),
    FMulAdd = "llvm.fmuladd" (first),
    Sqrt = "llvm.sqrt" (first),
    FAbs = "llvm.fabs" (first),
    Floor = "llvm.floor" (first),
    Ceil = "llvm.ceil" (first),
    Trunc = "llvm.trunc" (first),
    RInt = "llvm.rint" (first),
    NearbyInt = "llvm.nearbyint" (first),
    Round = "llvm.round" (first),
    RoundEven = "llvm.roundeven" (first),
    CopySign = "llvm.copysign" (first),
    MinNum = "llvm.minnum" (first),
    MaxNum = "llvm.maxnum" (first),
    Minimum = "llvm.minimum" (first),
    Maximum = "llvm.maximum" (first),
    MinimumNum = "llvm.minimumnum" (first),
    MaximumNum = "llvm.maximumnum" (first),
    Canonicalize = "llvm.canonicalize" (first),
    CtPop = "llvm.ctpop" (first),
    BSwap = "llvm.bswap" (first),
    BitReverse = "llvm.bitreverse" (first),
    FShl = "llvm.fshl" (first),
    FShr = "llvm.fshr" (first),
    SMin = "llvm.smin" (first),
    SMax = "llvm.smax" (first),
    UMin = "llvm.umin" (first),
    UMax = "llvm.umax" (first),
    SAddSat = "llvm.sadd.sat" (first),
    UAddSat = "llvm.uadd.sat" (first),
    SSubSat = "llvm.ssub.sat" (first),
    USubSat = "llvm.usub.sat" (first),
    SAddWithOverflow = "llvm.sadd.with.overflow" (first),
    UAddWithOverflow = "llvm.uadd.with.overflow" (first),
    SSubWithOverflow = "llvm.ssub.with.overflow" (first),
    USubWithOverflow = "llvm.usub.with.overflow" (first),
    SMulWithOverflow = "llvm.smul.with.overflow" (first),
    UMulWithOverflow = "llvm.umul.with.overflow" (first),
    ArithmeticFence = "llvm.arithmetic.fence" (first),
    Abs = "llvm.abs" (flag),
    CtLz = "llvm.ctlz" (flag),
    CtTz = "llvm.cttz" (flag),
    IsFpClass = "llvm.is.fpclass" (flag),
    FpToSiSat = "llvm.fptosi.sat" (result),
    FpToUiSat = "llvm.fptoui.sat" (result),
    SCmp = "llvm.scmp" (result),
    UCmp = "llvm.ucmp" (result),
    LdExp = "llvm.ldexp" (both),
}

impl Intrinsic {
    fn of_name(name: &str) -> Intrinsic {
        let of_memory = [
            ("llvm.memcpy.", Intrinsic::MemCpy),
            ("llvm.memmove.", Intrinsic::MemMove),
            ("llvm.memset.", Intrinsic::MemSet),
        ];
        if let Some((_, intrinsic)) = of_memory.iter().find(|(prefix, _)| name.starts_with(prefix)) {
            return *intrinsic;
        }
        ELEMENTWISE.iter().find(|row| is_overload(name, row.name)).map_or(Intrinsic::Other, |row| row.intrinsic)
    }

    /// Its elementwise form, if it does the same to each element of a vector.
    pub(crate) fn elementwise(self) -> Option<&'static Elementwise> {
        ELEMENTWISE.iter().find(|row| row.intrinsic == self)
    }

    /// Does it copy memory, or fill it?
    pub(crate) fn is_of_memory(self) -> bool {
        matches!(self, Intrinsic::MemCpy | Intrinsic::MemMove | Intrinsic::MemSet)
    }

    /// Is it the minimum or maximum of two integers?
    pub(crate) fn is_bound(self) -> bool {
        matches!(self, Intrinsic::SMin | Intrinsic::SMax | Intrinsic::UMin | Intrinsic::UMax)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intrinsics_are_known_by_their_names_with_types() {
        for (name, intrinsic) in [
            ("llvm.fma.f32", Intrinsic::Fma),
            ("llvm.fma.v4f64", Intrinsic::Fma),
            ("llvm.fmuladd.bf16", Intrinsic::FMulAdd),
            ("llvm.fptosi.sat.i32.f32", Intrinsic::FpToSiSat),
            ("llvm.trunc.f32", Intrinsic::Trunc),
            ("llvm.memcpy.p0.p1.i64", Intrinsic::MemCpy),
            ("llvm.memmove.p0.p0.i64", Intrinsic::MemMove),
            ("llvm.fma", Intrinsic::Other),
            ("llvm.vector.reduce.fadd.v4f32", Intrinsic::Other),
        ] {
            assert_eq!(Callee::of_name(name), Callee::Intrinsic(intrinsic), "{name}");
        }
        assert_eq!(Callee::of_name("oxicl.machine.scale.f32"), Callee::Machine(MachineOperation::Scale));
        assert_eq!(Callee::of_name("oxicl.scale.f32"), Callee::Function);
    }
}
