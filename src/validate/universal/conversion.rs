//! Conversion Instructions.

use oxicl_spirv::grammar::{Op, StorageClass};

use crate::at::{At, Scalar};
use crate::opencl::images;
use crate::quirk::Quirk;
use crate::violation::Check;

/// From one kind of number to another, component by component.
fn numbers(at: &At<'_>, from: fn(Scalar) -> bool, to: fn(Scalar) -> bool) -> Check {
    let (result, operand) = (at.result_shape()?, at.shape(0)?);
    at.require(to(result.scalar), || "gives the wrong kind of number".to_owned())?;
    at.require(from(operand.scalar), || "takes the wrong kind of number".to_owned())?;
    at.require(result.count == operand.count, || "changes the number of components".to_owned())
}

/// OpConvertFToU, OpConvertFToS.
pub(crate) fn float_to_int(at: &At<'_>) -> Check {
    numbers(at, Scalar::is_float, Scalar::is_int)
}

/// OpConvertSToF, OpConvertUToF.
pub(crate) fn int_to_float(at: &At<'_>) -> Check {
    numbers(at, Scalar::is_int, Scalar::is_float)
}

/// OpUConvert, OpSConvert: of another width.
pub(crate) fn int_to_int(at: &At<'_>) -> Check {
    numbers(at, Scalar::is_int, Scalar::is_int)?;
    equal_widths(at)
}

/// Conversions between equal types are accepted; saturated ones may be that.
fn equal_widths(at: &At<'_>) -> Check {
    let saturated = matches!(at.instruction.op, Op::SatConvertSToU | Op::SatConvertUToS);
    if !saturated && at.result_shape()?.scalar == at.shape(0)?.scalar {
        at.accept(Quirk::EqualWidths, "converts to the width that its operand has");
    }
    Ok(())
}

/// OpFConvert: of another width.
pub(crate) fn float_to_float(at: &At<'_>) -> Check {
    numbers(at, Scalar::is_float, Scalar::is_float)?;
    equal_widths(at)
}

/// OpConvertPtrToU.
pub(crate) fn pointer_to_int(at: &At<'_>) -> Check {
    let shape = at.result_shape()?;
    let (_, _, count) = at.pointers(at.operand(0)?)?;
    at.require(shape.scalar.is_int() && shape.count == count, || "gives no integer".to_owned())?;
    images::not_converted(at, at.operand(0)?)
}

/// OpConvertUToPtr.
pub(crate) fn int_to_pointer(at: &At<'_>) -> Check {
    let (_, _, count) = at.pointers(at.result()?)?;
    let shape = at.shape(0)?;
    at.require(shape.scalar.is_int() && shape.count == count, || "takes no integer".to_owned())?;
    images::not_converted(at, at.result()?)
}

fn is_specific(storage: StorageClass) -> bool {
    matches!(
        storage,
        StorageClass::Function
            | StorageClass::Workgroup
            | StorageClass::CrossWorkgroup
            | StorageClass::DeviceOnlyALTERA
            | StorageClass::HostOnlyALTERA
    )
}

/// OpPtrCastToGeneric: to a Generic pointer to the same type.
pub(crate) fn to_generic(at: &At<'_>) -> Check {
    let ((to, to_pointee), (from, from_pointee)) = (at.result_pointer()?, at.pointer(0)?);
    at.require(to == StorageClass::Generic, || "gives no Generic pointer".to_owned())?;
    at.require(is_specific(from), || format!("cannot take a pointer to {from:?}"))?;
    at.require(to_pointee == from_pointee, || "changes the type pointed to".to_owned())
}

/// OpGenericCastToPtr, and OpGenericCastToPtrExplicit, whose literal repeats the storage class.
pub(crate) fn from_generic(at: &At<'_>) -> Check {
    let ((to, to_pointee), (from, from_pointee)) = (at.result_pointer()?, at.pointer(0)?);
    at.require(from == StorageClass::Generic, || "takes no Generic pointer".to_owned())?;
    at.require(is_specific(to), || format!("cannot give a pointer to {to:?}"))?;
    at.require(to_pointee == from_pointee, || "changes the type pointed to".to_owned())?;
    match at.instruction.word(at.module(), 1) {
        Some(word) => at.require(StorageClass::from_u32(word) == Some(to), || {
            "names another storage class than its result has".to_owned()
        }),
        None => Ok(()),
    }
}

/// OpBitcast: numbers of as many bits, a pointer to a pointer of the same storage class, or a pointer from or to an
/// integer of its width.
pub(crate) fn bitcast(at: &At<'_>) -> Check {
    let (to, from) = (at.result()?, at.operand(0)?);
    images::bitcast(at)?;
    let subject = at.subject;
    let bits = |ty| subject.shape(ty).and_then(|shape| shape.scalar.width()?.checked_mul(shape.count));
    match (subject.pointer(to), subject.pointer(from)) {
        (Some((to, _)), Some((from, _))) => {
            at.require(to == from, || format!("changes a pointer to {from:?} to one to {to:?}"))
        }
        (Some(_), None) => at
            .require(bits(from) == Some(64) && subject.shape(from).is_some_and(|s| s.scalar.is_int()), || {
                format!("makes a pointer of a {}", subject.describe(from))
            }),
        (None, Some(_)) => at
            .require(bits(to) == Some(64) && subject.shape(to).is_some_and(|s| s.scalar.is_int()), || {
                format!("makes a {} of a pointer", subject.describe(to))
            }),
        (None, None) => at.require(bits(to).is_some() && bits(to) == bits(from), || {
            format!("makes a {} of a {}", subject.describe(to), subject.describe(from))
        }),
    }
}
