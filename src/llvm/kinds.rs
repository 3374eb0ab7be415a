//! Names for LLVM's enumerations, each with its conversion from and to the C API's constants.

use llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate, LLVMTypeKind};

/// Declares an enumeration that mirrors one of the C API.
macro_rules! mirror {
    ($(#[$doc:meta])* $name:ident = $raw:ident { $($variant:ident = $raw_variant:ident),+ $(,)? } $(else $other:ident)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the names are LLVM's")]
        pub enum $name { $($variant),+ $(, $other)? }

        impl $name {
            #[allow(dead_code, reason = "every mirror has both directions")]
            pub(crate) fn from_raw(raw: $raw) -> Self {
                match raw {
                    $($raw::$raw_variant => $name::$variant,)+
                    $(_ => $name::$other,)?
                }
            }
        }

        impl $name {
            mirror!(@to_raw $name $raw { $($variant = $raw_variant),+ } $($other)?);
        }
    };
    (@to_raw $name:ident $raw:ident { $($variant:ident = $raw_variant:ident),+ }) => {
        #[allow(dead_code, reason = "every mirror has both directions")]
        pub(crate) fn to_raw(self) -> $raw {
            match self { $($name::$variant => $raw::$raw_variant),+ }
        }
    };
    (@to_raw $name:ident $raw:ident { $($variant:ident = $raw_variant:ident),+ } $other:ident) => {
        #[allow(dead_code, reason = "every mirror has both directions")]
        pub(crate) fn to_raw(self) -> Option<$raw> {
            match self { $($name::$variant => Some($raw::$raw_variant),)+ $name::$other => None }
        }
    };
}

mirror! {
    /// What an instruction does.
    Opcode = LLVMOpcode {
        Ret = LLVMRet, Br = LLVMBr, Switch = LLVMSwitch, Unreachable = LLVMUnreachable,
        FNeg = LLVMFNeg, Add = LLVMAdd, FAdd = LLVMFAdd, Sub = LLVMSub, FSub = LLVMFSub, Mul = LLVMMul,
        FMul = LLVMFMul, UDiv = LLVMUDiv, SDiv = LLVMSDiv, FDiv = LLVMFDiv, URem = LLVMURem, SRem = LLVMSRem,
        FRem = LLVMFRem, Shl = LLVMShl, LShr = LLVMLShr, AShr = LLVMAShr, And = LLVMAnd, Or = LLVMOr, Xor = LLVMXor,
        Alloca = LLVMAlloca, Load = LLVMLoad, Store = LLVMStore, GetElementPtr = LLVMGetElementPtr,
        Trunc = LLVMTrunc, ZExt = LLVMZExt, SExt = LLVMSExt, FPToUI = LLVMFPToUI, FPToSI = LLVMFPToSI,
        UIToFP = LLVMUIToFP, SIToFP = LLVMSIToFP, FPTrunc = LLVMFPTrunc, FPExt = LLVMFPExt,
        PtrToInt = LLVMPtrToInt, PtrToAddr = LLVMPtrToAddr, IntToPtr = LLVMIntToPtr, BitCast = LLVMBitCast,
        AddrSpaceCast = LLVMAddrSpaceCast, ICmp = LLVMICmp, FCmp = LLVMFCmp, Phi = LLVMPHI, Call = LLVMCall,
        Select = LLVMSelect, ExtractElement = LLVMExtractElement, InsertElement = LLVMInsertElement,
        ShuffleVector = LLVMShuffleVector, ExtractValue = LLVMExtractValue, InsertValue = LLVMInsertValue,
        Freeze = LLVMFreeze, Fence = LLVMFence, AtomicCmpXchg = LLVMAtomicCmpXchg, AtomicRmw = LLVMAtomicRMW,
    } else Other
}

mirror! {
    /// Integer comparisons.
    IntPredicate = LLVMIntPredicate {
        Eq = LLVMIntEQ, Ne = LLVMIntNE, Ugt = LLVMIntUGT, Uge = LLVMIntUGE, Ult = LLVMIntULT, Ule = LLVMIntULE,
        Sgt = LLVMIntSGT, Sge = LLVMIntSGE, Slt = LLVMIntSLT, Sle = LLVMIntSLE,
    }
}

mirror! {
    /// Floating-point comparisons.
    RealPredicate = LLVMRealPredicate {
        False = LLVMRealPredicateFalse, Oeq = LLVMRealOEQ, Ogt = LLVMRealOGT, Oge = LLVMRealOGE, Olt = LLVMRealOLT,
        Ole = LLVMRealOLE, One = LLVMRealONE, Ord = LLVMRealORD, Uno = LLVMRealUNO, Ueq = LLVMRealUEQ,
        Ugt = LLVMRealUGT, Uge = LLVMRealUGE, Ult = LLVMRealULT, Ule = LLVMRealULE, Une = LLVMRealUNE,
        True = LLVMRealPredicateTrue,
    }
}

mirror! {
    /// Memory orderings.
    Ordering = LLVMAtomicOrdering {
        NotAtomic = LLVMAtomicOrderingNotAtomic, Unordered = LLVMAtomicOrderingUnordered,
        Monotonic = LLVMAtomicOrderingMonotonic, Acquire = LLVMAtomicOrderingAcquire,
        Release = LLVMAtomicOrderingRelease, AcquireRelease = LLVMAtomicOrderingAcquireRelease,
        SequentiallyConsistent = LLVMAtomicOrderingSequentiallyConsistent,
    }
}

impl Ordering {
    /// What is left of it where nothing is written: a load, or an exchange that fails, cannot release.
    pub fn of_reads(self) -> Self {
        match self {
            Ordering::AcquireRelease => Ordering::Acquire,
            Ordering::Release => Ordering::Monotonic,
            other => other,
        }
    }
}

mirror! {
    /// Operations of `atomicrmw`.
    RmwOp = LLVMAtomicRMWBinOp {
        Xchg = LLVMAtomicRMWBinOpXchg, Add = LLVMAtomicRMWBinOpAdd, Sub = LLVMAtomicRMWBinOpSub,
        And = LLVMAtomicRMWBinOpAnd, Nand = LLVMAtomicRMWBinOpNand, Or = LLVMAtomicRMWBinOpOr,
        Xor = LLVMAtomicRMWBinOpXor, Max = LLVMAtomicRMWBinOpMax, Min = LLVMAtomicRMWBinOpMin,
        UMax = LLVMAtomicRMWBinOpUMax, UMin = LLVMAtomicRMWBinOpUMin, FAdd = LLVMAtomicRMWBinOpFAdd,
        FSub = LLVMAtomicRMWBinOpFSub, FMax = LLVMAtomicRMWBinOpFMax, FMin = LLVMAtomicRMWBinOpFMin,
        UIncWrap = LLVMAtomicRMWBinOpUIncWrap, UDecWrap = LLVMAtomicRMWBinOpUDecWrap,
    } else Other
}

mirror! {
    /// Kinds of type.
    TypeKind = LLVMTypeKind {
        Void = LLVMVoidTypeKind, Half = LLVMHalfTypeKind, BFloat = LLVMBFloatTypeKind, Float = LLVMFloatTypeKind,
        Double = LLVMDoubleTypeKind, Integer = LLVMIntegerTypeKind, Function = LLVMFunctionTypeKind,
        Struct = LLVMStructTypeKind, Array = LLVMArrayTypeKind, Pointer = LLVMPointerTypeKind,
        Vector = LLVMVectorTypeKind, Label = LLVMLabelTypeKind, Metadata = LLVMMetadataTypeKind,
    } else Other
}
