//! Functions that a producer imports because they belong to its compiler: LLVM's intrinsics, which DPC++ leaves as
//! imports where SPIR-V has no instruction for them, and functions of OpenCL C that clang 22 does not know to be such.
//! No module defines them; their names say what they do.

use spirv::{FPRoundingMode, LinkageType};

use crate::module::{Id, Module};
use crate::types::{Type, TypeRef};

/// What an imported function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intrinsic {
    /// An operation of LLVM.
    Integer(IntegerOperation),
    /// An integer to a floating-point number, or each component of a vector. Whether the integer has a sign, and the
    /// direction of rounding.
    IntegerToFloat(bool, FPRoundingMode),
    /// A floating-point number to one of another width, or of the same.
    FloatToFloat(FPRoundingMode),
    /// OpenCL C's old fences: what the work-item wrote before is seen by its work-group before what it writes later.
    Fence,
}

/// An operation on integers, or on each component of vectors of them. All operands have the type of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are LLVM's, and its language reference says what they do")]
pub enum IntegerOperation {
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
const INTRINSICS: [(&str, usize, IntegerOperation); 13] = [
    ("llvm.uadd.sat", 2, IntegerOperation::UAddSat),
    ("llvm.sadd.sat", 2, IntegerOperation::SAddSat),
    ("llvm.usub.sat", 2, IntegerOperation::USubSat),
    ("llvm.ssub.sat", 2, IntegerOperation::SSubSat),
    ("llvm.umin", 2, IntegerOperation::UMin),
    ("llvm.umax", 2, IntegerOperation::UMax),
    ("llvm.smin", 2, IntegerOperation::SMin),
    ("llvm.smax", 2, IntegerOperation::SMax),
    ("llvm.bitreverse", 1, IntegerOperation::BitReverse),
    ("llvm.bswap", 1, IntegerOperation::ByteSwap),
    ("llvm.ctpop", 1, IntegerOperation::CountOnes),
    ("llvm.fshl", 3, IntegerOperation::FunnelShiftLeft),
    ("llvm.fshr", 3, IntegerOperation::FunnelShiftRight),
];

impl Intrinsic {
    /// The intrinsic that a function stands for, if it is imported under the name of one and has its type.
    pub fn of(module: &Module, function: Id) -> Option<Intrinsic> {
        let (name, LinkageType::Import) = module.linkage(function)? else { return None };
        let Type::Function { result, parameters } = module.types.get(module.type_of(function)?.0 as usize)? else {
            return None;
        };
        match name.strip_prefix("_Z") {
            Some(mangled) => opencl_c(module, mangled, *result, parameters),
            None => integer_operation(module, &name, *result, parameters).map(Intrinsic::Integer),
        }
    }
}

impl IntegerOperation {
    /// LLVM's name without the type.
    pub fn name(self) -> &'static str {
        INTRINSICS.iter().find(|(.., operation)| *operation == self).map_or("", |(name, ..)| *name)
    }
}

/// The type of the components, and how many there are; 1 of a scalar.
fn shape(module: &Module, ty: TypeRef) -> Option<(&Type, u32)> {
    Some(match module.types.get(ty.0 as usize)? {
        Type::Vector { component, count } => (module.types.get(component.0 as usize)?, *count),
        scalar => (scalar, 1),
    })
}

fn integer_operation(module: &Module, name: &str, result: TypeRef, parameters: &[TypeRef]) -> Option<IntegerOperation> {
    let (stem, suffix) = name.rsplit_once('.')?;
    let (_, operands, operation) = *INTRINSICS.iter().find(|(known, ..)| *known == stem)?;
    let (Type::Int { width, .. }, count) = shape(module, result)? else { return None };
    let expected = if count == 1 { format!("i{width}") } else { format!("v{count}i{width}") };
    let whole_bytes = operation != IntegerOperation::ByteSwap || width % 16 == 0;
    let same = parameters.len() == operands && parameters.iter().all(|parameter| *parameter == result);
    (whole_bytes && same && suffix == expected).then_some(operation)
}

/// A function of OpenCL C, by what follows `_Z` in its name: its length, itself, and its parameters' types.
fn opencl_c(module: &Module, mangled: &str, result: TypeRef, parameters: &[TypeRef]) -> Option<Intrinsic> {
    let (length, rest) = mangled.split_at(mangled.find(|c: char| !c.is_ascii_digit())?);
    let (name, types) = rest.split_at_checked(length.parse().ok()?)?;
    let [parameter] = parameters else { return None };
    if matches!(name, "mem_fence" | "read_mem_fence" | "write_mem_fence") {
        let is_void = matches!(module.types.get(result.0 as usize)?, Type::Void);
        return (is_void && types == "j").then_some(Intrinsic::Fence);
    }
    let (target, count) = shape(module, result)?;
    let (operand, operands) = shape(module, *parameter)?;
    let (to, mode) = match name.strip_prefix("convert_")?.split_once('_') {
        None => (name.strip_prefix("convert_")?, FPRoundingMode::RTE),
        Some((to, "rte")) => (to, FPRoundingMode::RTE),
        Some((to, "rtz")) => (to, FPRoundingMode::RTZ),
        Some((to, "rtp")) => (to, FPRoundingMode::RTP),
        Some((to, "rtn")) => (to, FPRoundingMode::RTN),
        Some(_) => return None,
    };
    let format = match target {
        Type::Float { width: 16, .. } => "half",
        Type::Float { width: 32, .. } => "float",
        Type::Float { width: 64, .. } => "double",
        _ => return None,
    };
    let (vector, digits) =
        if count == 1 { (String::new(), String::new()) } else { (format!("Dv{count}_"), count.to_string()) };
    let letter = types.strip_prefix(vector.as_str())?;
    let intrinsic = match (operand, letter) {
        (Type::Int { .. }, "c" | "a" | "s" | "i" | "l" | "x") => Intrinsic::IntegerToFloat(true, mode),
        (Type::Int { .. }, "h" | "t" | "j" | "m" | "y") => Intrinsic::IntegerToFloat(false, mode),
        (Type::Float { .. }, "Dh" | "f" | "d") => Intrinsic::FloatToFloat(mode),
        _ => return None,
    };
    (to.strip_prefix(format) == Some(&digits) && operands == count).then_some(intrinsic)
}
