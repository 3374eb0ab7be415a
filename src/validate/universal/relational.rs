//! Relational and Logical Instructions.

use crate::at::{At, Scalar, Shape, shape_name};
use crate::quirk::Quirk;
use crate::violation::Check;

/// The result is a boolean, or a vector of these; gives the number of components.
fn boolean_result(at: &At<'_>) -> Check<u32> {
    let shape = at.result_shape()?;
    at.require(shape.scalar == Scalar::Bool, || "gives no boolean".to_owned())?;
    Ok(shape.count)
}

/// OpAny and OpAll: a vector of booleans.
pub(crate) fn reduction(at: &At<'_>) -> Check {
    at.require(boolean_result(at)? == 1, || "gives a vector".to_owned())?;
    let vector = at.shape(0)?;
    if vector.scalar.is_int() {
        at.accept(Quirk::AnyOfIntegers, format!("has {} as operand", shape_name(vector)));
        return Ok(());
    }
    at.require(vector.scalar == Scalar::Bool && vector.count > 1, || "has no vector of booleans".to_owned())
}

/// Comparisons and classifications of numbers: all operands of one type, as many components as the result.
fn numbers(at: &At<'_>, wanted: fn(Scalar) -> bool, kind: &str) -> Check {
    let count = boolean_result(at)?;
    let shape = at.shape(0)?;
    at.require(wanted(shape.scalar), || format!("compares no {kind}"))?;
    at.require(shape.count == count, || "has another number of components than its operands".to_owned())?;
    at.operands_are(1, at.operand(0)?)
}

/// Comparisons of integers.
pub(crate) fn integers(at: &At<'_>) -> Check {
    numbers(at, Scalar::is_int, "integers")
}

/// Comparisons and classifications of floating-point numbers.
pub(crate) fn floats(at: &At<'_>) -> Check {
    numbers(at, Scalar::is_float, "floating-point numbers")
}

/// Logic on booleans.
pub(crate) fn logical(at: &At<'_>) -> Check {
    boolean_result(at)?;
    at.operands_are(0, at.result()?)
}

/// OpSelect: condition, and two objects of the result's type.
pub(crate) fn select(at: &At<'_>) -> Check {
    let ty = at.result()?;
    let condition = at.shape(0)?;
    at.require(condition.scalar == Scalar::Bool, || "has no boolean condition".to_owned())?;
    match at.subject.shape(ty) {
        Some(Shape { count, .. }) => {
            let fits = condition.count == count || condition.count == 1 && at.module().version >= (1, 4);
            at.require(fits, || "has another number of conditions than components".to_owned())?;
        }
        None => {
            at.require(condition.count == 1, || "has a vector of conditions for one object".to_owned())?;
            let allowed = at.subject.pointer(ty).is_some() || at.module().version >= (1, 4);
            at.require(allowed, || format!("cannot select a {}", at.subject.describe(ty)))?;
            let sized = at.subject.layouts.get(ty).is_some();
            at.require(sized, || format!("cannot select a {}", at.subject.describe(ty)))?;
        }
    }
    at.operand_is(1, ty)?;
    at.operand_is(2, ty)
}

/// OpPtrEqual and OpPtrNotEqual: two pointers of one type.
pub(crate) fn pointers(at: &At<'_>) -> Check {
    at.require(boolean_result(at)? == 1, || "gives a vector".to_owned())?;
    at.pointer(0)?;
    at.operand_is(1, at.operand(0)?)
}

/// OpPtrDiff: two pointers of one type, an integer result.
pub(crate) fn pointer_difference(at: &At<'_>) -> Check {
    let shape = at.result_shape()?;
    at.require(shape.scalar.is_int() && shape.count == 1, || "gives no integer".to_owned())?;
    let (_, pointee) = at.pointer(0)?;
    at.require(at.subject.layouts.size_of(pointee).is_some_and(|size| size > 0), || {
        "has pointers to what has no size".to_owned()
    })?;
    at.operand_is(1, at.operand(0)?)
}
