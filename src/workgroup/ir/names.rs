//! LLVM's words for operations in text, and lists.

use crate::ir::{IntPredicate, Opcode, Ordering, RealPredicate, RmwOp};

/// Declares functions from variants of an enumeration to their words, and back.
macro_rules! words {
    ($name:ident, $to:ident, $from:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        /// The word of a variant.
        pub(super) fn $to(of: $name) -> &'static str {
            #[allow(unreachable_patterns, reason = "some have more than are read")]
            match of {
                $($name::$variant => $word,)+
                _ => "other",
            }
        }

        /// The variant of a word.
        pub(super) fn $from(word: &str) -> Option<$name> {
            Some(match word {
                $($word => $name::$variant,)+
                _ => return None,
            })
        }
    };
}

words! { Opcode, opcode, opcode_of {
    FNeg = "fneg", Add = "add", FAdd = "fadd", Sub = "sub", FSub = "fsub", Mul = "mul", FMul = "fmul", UDiv = "udiv",
    SDiv = "sdiv", FDiv = "fdiv", URem = "urem", SRem = "srem", FRem = "frem", Shl = "shl", LShr = "lshr", AShr = "ashr",
    And = "and", Or = "or", Xor = "xor", Alloca = "alloca", Load = "load", Store = "store",
    GetElementPtr = "getelementptr", Trunc = "trunc", ZExt = "zext", SExt = "sext", FPToUI = "fptoui",
    FPToSI = "fptosi", UIToFP = "uitofp", SIToFP = "sitofp", FPTrunc = "fptrunc", FPExt = "fpext",
    PtrToInt = "ptrtoint", PtrToAddr = "ptrtoaddr", IntToPtr = "inttoptr", BitCast = "bitcast",
    AddrSpaceCast = "addrspacecast", ICmp = "icmp", FCmp = "fcmp", Phi = "phi", Call = "call", Select = "select",
    ExtractElement = "extractelement", InsertElement = "insertelement", ShuffleVector = "shufflevector",
    ExtractValue = "extractvalue", InsertValue = "insertvalue", Freeze = "freeze", Fence = "fence",
    AtomicCmpXchg = "cmpxchg", AtomicRmw = "atomicrmw",
} }

words! { IntPredicate, int_predicate, int_predicate_of {
    Eq = "eq", Ne = "ne", Ugt = "ugt", Uge = "uge", Ult = "ult", Ule = "ule", Sgt = "sgt", Sge = "sge", Slt = "slt",
    Sle = "sle",
} }

words! { RealPredicate, real_predicate, real_predicate_of {
    False = "false", Oeq = "oeq", Ogt = "ogt", Oge = "oge", Olt = "olt", Ole = "ole", One = "one", Ord = "ord",
    Uno = "uno", Ueq = "ueq", Ugt = "ugt", Uge = "uge", Ult = "ult", Ule = "ule", Une = "une", True = "true",
} }

words! { Ordering, ordering, ordering_of {
    NotAtomic = "not_atomic", Unordered = "unordered", Monotonic = "monotonic", Acquire = "acquire",
    Release = "release", AcquireRelease = "acq_rel", SequentiallyConsistent = "seq_cst",
} }

words! { RmwOp, rmw_op, rmw_op_of {
    Xchg = "xchg", Add = "add", Sub = "sub", And = "and", Nand = "nand", Or = "or", Xor = "xor", Max = "max",
    Min = "min", UMax = "umax", UMin = "umin", FAdd = "fadd", FSub = "fsub", FMax = "fmax", FMin = "fmin",
    UIncWrap = "uinc_wrap", UDecWrap = "udec_wrap", Other = "other",
} }

/// Items as text, with commas between them.
pub(crate) fn listed(items: impl IntoIterator<Item = impl ToString>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}

/// The words of fast-math flags, from the lowest bit on.
pub(super) const FAST_MATH: [&str; 7] = ["reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn"];
