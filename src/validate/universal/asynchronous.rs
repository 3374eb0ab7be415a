//! Asynchronous copies: OpGroupAsyncCopy and OpGroupWaitEvents of the Group and Subgroup Instructions.

use oxicl_spirv::grammar::StorageClass;
use oxicl_spirv::{Type, TypeRef};

use super::barrier::execution_scope;
use super::group::is_number;
use crate::at::At;
use crate::quirk::Quirk;
use crate::violation::Check;

fn event(at: &At<'_>, ty: TypeRef) -> Check {
    at.require(at.subject.declaration(ty) == Some(&Type::Event), || {
        format!("has a {} where it needs an event", at.subject.describe(ty))
    })
}

/// Operand `index` as a number of elements, of as many bits as an address has.
fn count(at: &At<'_>, index: usize, what: &str) -> Check {
    match at.int_scalar(index)? {
        64 => Ok(()),
        32 => {
            at.accept(Quirk::AsyncCopyStride, format!("has 32 bits of {what}"));
            Ok(())
        }
        other => at.fault(format!("has {other} bits of {what}, where addresses have 64")),
    }
}

/// OpGroupAsyncCopy: execution scope, destination, source, number of elements, stride, event.
pub(crate) fn copy(at: &At<'_>) -> Check {
    event(at, at.result()?)?;
    execution_scope(at, 0)?;
    let ((to, element), (from, other)) = (at.pointer(1)?, at.pointer(2)?);
    let (declared, [element, other]) = (element, [element, other].map(|ty| at.module().innermost(ty)));
    at.require(element == other, || "copies between pointers to different types".to_owned())?;
    if element != declared || at.pointer(2)?.1 != other {
        at.accept(Quirk::AsyncCopyArray, "copies by a pointer to an array");
    }
    let number = at.subject.shape(element).is_some_and(is_number);
    at.require(number, || format!("copies elements that are a {}", at.subject.describe(element)))?;
    let allowed = matches!(
        (to, from),
        (StorageClass::Workgroup, StorageClass::CrossWorkgroup)
            | (StorageClass::CrossWorkgroup, StorageClass::Workgroup)
    );
    at.require(allowed, || format!("copies from {from:?} to {to:?} memory"))?;
    count(at, 3, "the number of elements")?;
    count(at, 4, "the stride")?;
    event(at, at.operand(5)?)
}

/// OpGroupWaitEvents: execution scope, number of events, the events.
pub(crate) fn wait(at: &At<'_>) -> Check {
    execution_scope(at, 0)?;
    at.require(at.int_scalar(1)? == 32, || "has no 32-bit number of events".to_owned())?;
    let (_, pointee) = at.pointer(2)?;
    event(at, pointee)
}
