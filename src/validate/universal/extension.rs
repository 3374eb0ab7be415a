//! Instructions of extensions that belong to no section of their own.

use oxicl_spirv::Def;
use oxicl_spirv::grammar::StorageClass;

use crate::at::{At, Scalar, Shape};
use crate::violation::Check;

/// OpArithmeticFenceEXT: floating-point numbers, given as they are.
pub(crate) fn arithmetic_fence(at: &At<'_>) -> Check {
    let shape = at.result_shape()?;
    at.require(shape.scalar.is_float(), || "gives no floating-point numbers".to_owned())?;
    at.operand_is(0, at.result()?)
}

/// OpFPGARegALTERA: any value, given as it is.
pub(crate) fn register(at: &At<'_>) -> Check {
    at.operand_is(0, at.result()?)
}

/// OpConvertFToBF16INTEL: floats of 32 bits to the bits of as many bfloat16.
pub(crate) fn to_bfloat16(at: &At<'_>) -> Check {
    let Shape { scalar: Scalar::Int(16), count } = at.result_shape()? else {
        return at.fault("gives no 16-bit integers");
    };
    at.operand_has(0, Shape { scalar: Scalar::Float(32), count })
}

/// OpConvertBF16ToFINTEL: the other way.
pub(crate) fn from_bfloat16(at: &At<'_>) -> Check {
    let Shape { scalar: Scalar::Float(32), count } = at.result_shape()? else {
        return at.fault("gives no 32-bit floats");
    };
    at.operand_has(0, Shape { scalar: Scalar::Int(16), count })
}

/// OpBitwiseFunctionINTEL: three integers of the result's type, and a constant of 8 bits that says which function.
pub(crate) fn ternary(at: &At<'_>) -> Check {
    let shape = at.result_shape()?;
    at.require(shape.scalar.is_int(), || "gives no integers".to_owned())?;
    (0..3).try_for_each(|index| at.operand_is(index, at.result()?))?;
    let function = at.id(3)?;
    at.operand_has(3, Shape { scalar: Scalar::Int(32), count: 1 })?;
    at.require(matches!(at.module().def(function), Def::Constant(_)), || {
        "has a function that is no constant".to_owned()
    })
}

fn is_specific(storage: StorageClass) -> bool {
    matches!(storage, StorageClass::DeviceOnlyALTERA | StorageClass::HostOnlyALTERA)
}

/// OpPtrCastToCrossWorkgroupALTERA: from memory of the device or the host only.
pub(crate) fn to_global(at: &At<'_>) -> Check {
    let ((to, to_pointee), (from, from_pointee)) = (at.result_pointer()?, at.pointer(0)?);
    at.require(to == StorageClass::CrossWorkgroup, || "gives no CrossWorkgroup pointer".to_owned())?;
    at.require(is_specific(from), || format!("cannot take a pointer to {from:?}"))?;
    at.require(to_pointee == from_pointee, || "changes the type pointed to".to_owned())
}

/// OpCrossWorkgroupCastToPtrALTERA: the other way.
pub(crate) fn from_global(at: &At<'_>) -> Check {
    let ((to, to_pointee), (from, from_pointee)) = (at.result_pointer()?, at.pointer(0)?);
    at.require(from == StorageClass::CrossWorkgroup, || "takes no CrossWorkgroup pointer".to_owned())?;
    at.require(is_specific(to), || format!("cannot give a pointer to {to:?}"))?;
    at.require(to_pointee == from_pointee, || "changes the type pointed to".to_owned())
}
