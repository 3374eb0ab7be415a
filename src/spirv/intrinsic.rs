//! Functions that a producer imports because they belong to its compiler: LLVM's intrinsics, which DPC++ leaves as
//! imports where SPIR-V has no instruction for them. No module defines them; their names say what they do.

use spirv::LinkageType;

use crate::module::{Id, Module};
use crate::types::Type;

/// An operation on integers, or on each component of vectors of them. All operands have the type of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are LLVM's, and its language reference says what they do")]
pub enum Intrinsic {
    UAddSat,
    SAddSat,
    USubSat,
    SSubSat,
    UMin,
    UMax,
    SMin,
    SMax,
    BitReverse,
    ByteSwap,
    CountOnes,
    FunnelShiftLeft,
    FunnelShiftRight,
}

/// Name up to the type, number of operands, operation.
const INTRINSICS: [(&str, usize, Intrinsic); 13] = [
    ("llvm.uadd.sat", 2, Intrinsic::UAddSat),
    ("llvm.sadd.sat", 2, Intrinsic::SAddSat),
    ("llvm.usub.sat", 2, Intrinsic::USubSat),
    ("llvm.ssub.sat", 2, Intrinsic::SSubSat),
    ("llvm.umin", 2, Intrinsic::UMin),
    ("llvm.umax", 2, Intrinsic::UMax),
    ("llvm.smin", 2, Intrinsic::SMin),
    ("llvm.smax", 2, Intrinsic::SMax),
    ("llvm.bitreverse", 1, Intrinsic::BitReverse),
    ("llvm.bswap", 1, Intrinsic::ByteSwap),
    ("llvm.ctpop", 1, Intrinsic::CountOnes),
    ("llvm.fshl", 3, Intrinsic::FunnelShiftLeft),
    ("llvm.fshr", 3, Intrinsic::FunnelShiftRight),
];

impl Intrinsic {
    /// The intrinsic that a function stands for, if it is imported under the name of one and has its type.
    pub fn of(module: &Module, function: Id) -> Option<Intrinsic> {
        let (name, LinkageType::Import) = module.linkage(function)? else { return None };
        let (stem, suffix) = name.rsplit_once('.')?;
        let (_, operands, intrinsic) = *INTRINSICS.iter().find(|(known, ..)| *known == stem)?;
        let Type::Function { result, parameters } = module.types.get(module.type_of(function)?.0 as usize)? else {
            return None;
        };
        let (width, expected) = match module.types.get(result.0 as usize)? {
            Type::Int { width, .. } => (*width, format!("i{width}")),
            Type::Vector { component, count } => match module.types.get(component.0 as usize)? {
                Type::Int { width, .. } => (*width, format!("v{count}i{width}")),
                _ => return None,
            },
            _ => return None,
        };
        let whole_bytes = intrinsic != Intrinsic::ByteSwap || width % 16 == 0;
        let same = parameters.len() == operands && parameters.iter().all(|parameter| parameter == result);
        (whole_bytes && same && suffix == expected).then_some(intrinsic)
    }

    /// LLVM's name without the type.
    pub fn name(self) -> &'static str {
        INTRINSICS.iter().find(|(.., intrinsic)| *intrinsic == self).map_or("", |(name, ..)| *name)
    }
}
