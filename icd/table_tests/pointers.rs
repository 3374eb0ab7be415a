//! What becomes of pointers, counts and panics at the entry.

use std::ptr::{null, null_mut};

use khronos_headers::{self as cl, cl_int};
use oxicl_objects::ApiError;
use oxicl_objects::properties::PropertyList;

use super::{REUSE, call, context, device, table};
use crate::call::Call;
use crate::guard::{self, Arguments};

/// The list of a call without arguments.
fn none(_: &mut Arguments) {}

#[test]
fn a_panic_becomes_a_code_and_the_next_call_works() {
    let mut code: cl_int = 1;
    assert_eq!(guard::status("status", none, |_| panic!("on purpose")), cl::CL_OUT_OF_RESOURCES);
    let handle =
        guard::create("create", none, &raw mut code, |_| -> Result<cl::cl_context, ApiError> { panic!("on purpose") });
    assert_eq!((handle, code), (null_mut(), cl::CL_OUT_OF_RESOURCES));
    assert_eq!(guard::value("value", none, |_| -> *mut u8 { panic!("on purpose") }), null_mut());
    assert_eq!(call("clReleaseContext", context().cast()), cl::CL_SUCCESS);
}

#[test]
fn a_status_goes_where_it_is_wanted_or_nowhere() {
    let fail = |_: &Call| -> Result<cl::cl_context, ApiError> { Err(ApiError::InvalidValue) };
    let mut code: cl_int = 1;
    assert!(guard::create("create", none, &raw mut code, fail).is_null());
    assert_eq!(code, cl::CL_INVALID_VALUE);
    assert!(guard::create("create", none, null_mut(), fail).is_null());
}

#[test]
fn arguments_are_listed_by_name_with_flags_in_hexadecimal() {
    let mut list = Arguments::default();
    list.add("context", &null_mut::<u8>());
    list.add("flags", &255u64);
    list.add("_size", &255usize);
    list.add("pfn_notify", &None::<extern "C" fn()>);
    assert_eq!(list.to_string(), "context 0x0, flags 0xff, size 255, pfn_notify None");
}

#[test]
fn arrays_are_null_only_when_they_are_empty() {
    let call = Call::new();
    let words = [1u32, 2, 3];
    assert_eq!(call.slice(words.as_ptr(), 3), Ok(&words[..]));
    assert_eq!(call.slice(null::<u32>(), 0), Ok(&[][..]));
    assert_eq!(call.slice(null::<u32>(), 1), Err(ApiError::InvalidValue));
    assert_eq!(call.slice(words.as_ptr().wrapping_byte_add(1), 1), Err(ApiError::InvalidValue));
    assert_eq!(call.slice(words.as_ptr(), usize::MAX), Err(ApiError::InvalidValue));
    assert_eq!(call.slice(words.as_ptr(), usize::MAX / 4), Err(ApiError::InvalidValue));
}

#[test]
fn property_lists_end_with_a_zero_and_soon() {
    let call = Call::new();
    assert_eq!(call.properties(null::<u64>()), Ok(PropertyList::absent()));
    assert_eq!(call.properties([0u64].as_ptr()), Ok(PropertyList::new(Vec::new())));
    assert_eq!(call.properties([5isize, -1, 0].as_ptr()), Ok(PropertyList::new(vec![(5, u64::MAX)])));
    let endless = vec![7u64; 2 * PropertyList::MAX_PAIRS + 2];
    assert_eq!(call.properties(endless.as_ptr()), Err(ApiError::InvalidProperty));
}

#[test]
fn a_wait_list_is_all_events_or_an_error() {
    let call_ = Call::new();
    let context = context();
    let mut code = 1;
    // SAFETY: the handle is valid, the out-parameter has its place.
    let event = unsafe { table().clCreateUserEvent.unwrap()(context, &mut code) };
    assert_eq!(code, cl::CL_SUCCESS);
    let wrong = [event, device().cast()];
    let length = |count, list| call_.wait_list(count, list).map(|events| events.len());
    assert_eq!(length(0, null()), Ok(0));
    assert_eq!(length(1, wrong.as_ptr()), Ok(1));
    assert_eq!(length(2, wrong.as_ptr()), Err(ApiError::InvalidEventWaitList));
    assert_eq!(length(0, wrong.as_ptr()), Err(ApiError::InvalidEventWaitList));
    assert_eq!(length(1, null()), Err(ApiError::InvalidEventWaitList));
    assert_eq!(call("clReleaseEvent", event.cast()), cl::CL_SUCCESS);
    assert_eq!(call("clReleaseContext", context.cast()), cl::CL_SUCCESS);
}

#[test]
fn slabs_grow_and_no_handle_moves() {
    let _alone = REUSE.write();
    let contexts: Vec<cl::cl_context> = (0..1500).map(|_| context()).collect();
    let mut addresses: Vec<usize> = contexts.iter().map(|context| context.addr()).collect();
    addresses.sort_unstable();
    addresses.dedup();
    assert_eq!(addresses.len(), contexts.len());
    for context in &contexts {
        assert_eq!(call("clRetainContext", context.cast()), cl::CL_SUCCESS);
        assert_eq!(call("clReleaseContext", context.cast()), cl::CL_SUCCESS);
        assert_eq!(call("clReleaseContext", context.cast()), cl::CL_SUCCESS);
    }
    for context in &contexts {
        assert_eq!(call("clRetainContext", context.cast()), cl::CL_INVALID_CONTEXT);
    }
}
