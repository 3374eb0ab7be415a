//! Every function of the table with a first handle that is none, made from the description of the API.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use khronos_headers::{self as cl, cl_int};

use super::{REUSE, call, context, device, table};
use crate::dispatch;

/// Any function of the API: its parameters are integers and pointers, 13 at most, and the C calling convention lets a
/// caller pass more than a function takes.
type Any = unsafe extern "C" fn(
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
) -> usize;

/// The error for an address that is no handle of a type.
fn invalid(handle_type: &str) -> Option<cl_int> {
    Some(match handle_type {
        "cl_platform_id" => cl::CL_INVALID_PLATFORM,
        "cl_device_id" => cl::CL_INVALID_DEVICE,
        "cl_context" => cl::CL_INVALID_CONTEXT,
        "cl_command_queue" => cl::CL_INVALID_COMMAND_QUEUE,
        "cl_mem" => cl::CL_INVALID_MEM_OBJECT,
        "cl_sampler" => cl::CL_INVALID_SAMPLER,
        "cl_program" => cl::CL_INVALID_PROGRAM,
        "cl_kernel" => cl::CL_INVALID_KERNEL,
        "cl_event" => cl::CL_INVALID_EVENT,
        "cl_command_buffer_khr" => cl::CL_INVALID_COMMAND_BUFFER_KHR,
        "cl_semaphore_khr" => cl::CL_INVALID_SEMAPHORE_KHR,
        "cl_mutable_command_khr" => cl::CL_INVALID_MUTABLE_COMMAND_KHR,
        _ => return None,
    })
}

/// Calls a function with `handle` first and zeros for the rest; its status.
fn status_of(function: &cl::describe::Function, handle: usize) -> cl_int {
    let mut code: cl_int = 1;
    let creates = function.parameters.last() == Some(&"*mut cl_int");
    let mut arguments = [0usize; 14];
    arguments[0] = handle;
    if creates {
        arguments[function.parameters.len() - 1] = (&raw mut code).expose_provenance();
    }
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = arguments;
    let address = dispatch::find(function.name).unwrap_or_else(|| panic!("no {}", function.name));
    // SAFETY: see `Any`.
    let function: Any = unsafe { std::mem::transmute(address) };
    // SAFETY: nulls and zeros are arguments that every function checks; the status has its place.
    let result = unsafe { function(a, b, c, d, e, f, g, h, i, j, k, l, m, n) };
    if creates {
        assert_eq!(result, 0, "an object in spite of an error");
        code
    } else {
        result as cl_int
    }
}

/// Every function that has a slot and a handle first, with the error for a wrong one.
fn functions() -> Vec<(&'static cl::describe::Function, cl_int)> {
    let all = cl::describe::AREAS.iter().flat_map(|area| area.functions);
    all.filter(|function| dispatch::find(function.name).is_some())
        .filter_map(|function| Some((function, invalid(function.parameters.first()?)?)))
        // These have no status: nothing to see but that they return.
        .filter(|(function, _)| function.result == "cl_int" || function.parameters.last() == Some(&"*mut cl_int"))
        .collect()
}

/// Asserts that every function for which `is_wrong` holds refuses a handle.
fn assert_refused(handle: usize, what: &str, is_wrong: impl Fn(&str) -> bool) {
    for (function, expected) in functions() {
        if is_wrong(function.parameters[0]) {
            assert_eq!(status_of(function, handle), expected, "{}, {what}", function.name);
        }
    }
}

#[test]
fn the_description_has_the_functions() {
    assert!(functions().len() > 100, "{}", functions().len());
}

#[test]
fn no_function_takes_null() {
    assert_refused(0, "null", |_| true);
}

#[test]
fn no_function_reads_a_foreign_handle() {
    let other = [0u64; 8];
    for address in [8, 4096, usize::MAX - 7, other.as_ptr().addr(), other.as_ptr().addr() + 1] {
        assert_refused(address, "a foreign address", |_| true);
    }
}

/// A module without a kernel, which can be created as a program without a compiler.
const MODULE: &[u32] =
    &[0x0723_0203, 0x0001_0000, 0, 1, 0, 0x0002_0011, 4, 0x0002_0011, 6, 0x0002_0011, 5, 0x0003_000E, 2, 2];

/// One object of each type that can be made without a compiler, with its type and how it is released.
fn objects(context: cl::cl_context) -> Vec<(&'static str, *mut c_void, &'static str)> {
    let table = table();
    let mut codes = [1; 5];
    // SAFETY: handles are valid, out-parameters have their place, the module has its length.
    let objects = unsafe {
        [
            (
                "cl_command_queue",
                table.clCreateCommandQueueWithProperties.unwrap()(context, device(), null(), &mut codes[0]).cast(),
                "clReleaseCommandQueue",
            ),
            (
                "cl_mem",
                table.clCreateBuffer.unwrap()(context, 0, 64, null_mut(), &mut codes[1]).cast(),
                "clReleaseMemObject",
            ),
            ("cl_event", table.clCreateUserEvent.unwrap()(context, &mut codes[2]).cast(), "clReleaseEvent"),
            (
                "cl_program",
                table.clCreateProgramWithIL.unwrap()(
                    context,
                    MODULE.as_ptr().cast(),
                    size_of_val(MODULE),
                    &mut codes[3],
                )
                .cast(),
                "clReleaseProgram",
            ),
            ("cl_context", super::context().cast(), "clReleaseContext"),
        ]
    };
    assert_eq!(codes, [cl::CL_SUCCESS, cl::CL_SUCCESS, cl::CL_SUCCESS, cl::CL_SUCCESS, 1]);
    objects.to_vec()
}

#[test]
fn no_function_takes_an_object_of_another_type() {
    let context = context();
    for (own, object, release) in objects(context) {
        assert_refused(object.addr(), own, |wanted| wanted != own);
        assert_eq!(call(release, object), cl::CL_SUCCESS);
    }
    assert_eq!(call("clReleaseContext", context.cast()), cl::CL_SUCCESS);
}

#[test]
fn no_function_takes_a_released_object() {
    let _others = REUSE.read();
    let context = context();
    for (own, object, release) in objects(context) {
        assert_eq!(call(release, object), cl::CL_SUCCESS);
        assert_refused(object.addr(), own, |_| true);
    }
    assert_eq!(call("clReleaseContext", context.cast()), cl::CL_SUCCESS);
}
