//! Calls through the dispatch table itself: what no loader lets through, and what loaders rely on.
#![allow(unsafe_code, reason = "calls C functions, and looks into handles as a loader does")]

mod every_function;
mod pointers;

use std::collections::HashSet;
use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};

use khronos_headers::{self as cl, cl_int};
use parking_lot::RwLock;

use crate::{dispatch, handle};

/// Held for reading by tests of released handles, and for writing by those that use handles up so fast that a released
/// one is soon given again.
static REUSE: RwLock<()> = RwLock::new(());

fn table() -> &'static cl::cl_icd_dispatch {
    // SAFETY: the table is a static that nobody writes to.
    unsafe { &*dispatch::table() }
}

fn slot(index: usize) -> usize {
    // SAFETY: each slot is a word, and there are as many as there are names.
    unsafe { dispatch::table().cast::<usize>().add(index).read() }
}

fn platform() -> cl::cl_platform_id {
    let mut platform = null_mut();
    let get = dispatch::find("clIcdGetPlatformIDsKHR").unwrap();
    // SAFETY: the address is that of the function of this name, whose type this is.
    let get: cl::clIcdGetPlatformIDsKHR = unsafe { std::mem::transmute(get) };
    // SAFETY: the out-parameter is valid.
    assert_eq!(unsafe { get(1, &mut platform, null_mut()) }, cl::CL_SUCCESS);
    platform
}

fn device() -> cl::cl_device_id {
    let mut device = null_mut();
    // SAFETY: the out-parameter is valid.
    let code =
        unsafe { table().clGetDeviceIDs.unwrap()(platform(), cl::CL_DEVICE_TYPE_ALL, 1, &mut device, null_mut()) };
    assert_eq!(code, cl::CL_SUCCESS);
    device
}

fn context() -> cl::cl_context {
    let mut code = 1;
    // SAFETY: the list has one device, the out-parameter is valid.
    let context = unsafe { table().clCreateContext.unwrap()(null(), 1, &device(), None, null_mut(), &mut code) };
    assert_eq!(code, cl::CL_SUCCESS);
    context
}

/// A function that takes nothing but a handle.
type OnHandle = unsafe extern "C" fn(*mut c_void) -> cl_int;

fn call(name: &str, handle: *mut c_void) -> cl_int {
    let function = dispatch::find(name).unwrap_or_else(|| panic!("no {name}"));
    // SAFETY: every name in this file that comes here is that of a function of this type.
    let function: OnHandle = unsafe { std::mem::transmute(function) };
    // SAFETY: these functions take any address.
    unsafe { function(handle) }
}

/// Retain and release of each object type, and the error for what is no such object.
const COUNTED: &[(&str, &str, cl_int)] = &[
    ("clRetainDevice", "clReleaseDevice", cl::CL_INVALID_DEVICE),
    ("clRetainContext", "clReleaseContext", cl::CL_INVALID_CONTEXT),
    ("clRetainCommandQueue", "clReleaseCommandQueue", cl::CL_INVALID_COMMAND_QUEUE),
    ("clRetainMemObject", "clReleaseMemObject", cl::CL_INVALID_MEM_OBJECT),
    ("clRetainSampler", "clReleaseSampler", cl::CL_INVALID_SAMPLER),
    ("clRetainProgram", "clReleaseProgram", cl::CL_INVALID_PROGRAM),
    ("clRetainKernel", "clReleaseKernel", cl::CL_INVALID_KERNEL),
    ("clRetainEvent", "clReleaseEvent", cl::CL_INVALID_EVENT),
    ("clRetainSemaphoreKHR", "clReleaseSemaphoreKHR", cl::CL_INVALID_SEMAPHORE_KHR),
    ("clRetainCommandBufferKHR", "clReleaseCommandBufferKHR", cl::CL_INVALID_COMMAND_BUFFER_KHR),
];

#[test]
fn every_function_of_the_core_has_its_slot_and_its_name() {
    let marks = ["clGetPlatformIDs", "clUnloadCompiler"];
    let unused = ["GL", "D3D", "DX9", "EGL", "EXT", "clGetKernelSubGroupInfoKHR"];
    for (index, name) in cl::DISPATCH_SLOTS.iter().enumerate() {
        if unused.iter().any(|part| name.contains(part)) {
            continue;
        }
        assert!(dispatch::find(name).is_some(), "no function {name}");
        if marks.contains(name) {
            assert_eq!(slot(index) as isize, cl::CL_ICD2_TAG_KHR, "{name}");
        } else {
            assert_eq!(Some(slot(index)), dispatch::find(name).map(|function| function.addr()), "{name}");
        }
    }
    assert_eq!(cl::DISPATCH_SLOTS.len(), 150);
}

#[test]
fn extensions_have_their_functions_by_name() {
    for name in [
        "clIcdGetPlatformIDsKHR",
        "clIcdGetFunctionAddressForPlatformKHR",
        "clIcdSetPlatformDispatchDataKHR",
        "clCreateCommandQueueWithPropertiesKHR",
        "clCreateProgramWithILKHR",
        "clGetKernelSuggestedLocalWorkSizeKHR",
        "clCreateCommandBufferKHR",
        "clEnqueueCommandBufferKHR",
        "clUpdateMutableCommandsKHR",
        "clCreateSemaphoreWithPropertiesKHR",
        "clEnqueueWaitSemaphoresKHR",
    ] {
        assert!(dispatch::find(name).is_some(), "{name}");
    }
    assert!(dispatch::find("clNoSuchFunction").is_none() && dispatch::find("").is_none());
}

#[test]
fn no_name_is_given_twice() {
    let names = dispatch::names();
    assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
}

#[test]
fn names_are_looked_up_for_our_platform_only() {
    let name = CString::new("clFlush").unwrap();
    for function in ["clGetExtensionFunctionAddressForPlatform", "clIcdGetFunctionAddressForPlatformKHR"] {
        // SAFETY: the address is that of a function of this type.
        let find: cl::clIcdGetFunctionAddressForPlatformKHR =
            unsafe { std::mem::transmute(dispatch::find(function).unwrap()) };
        // SAFETY: the name is a string.
        unsafe {
            assert_eq!(find(platform(), name.as_ptr()).addr(), dispatch::find("clFlush").unwrap().addr());
            assert!(find(null_mut(), name.as_ptr()).is_null());
            assert!(find(platform(), null()).is_null());
        }
    }
}

#[test]
fn null_and_foreign_handles_are_refused_unread() {
    // The first page is not mapped, the last is the kernel's: reading either would end the process. The third is memory
    // of ours that is no handle.
    let other = [0u64; 8];
    for foreign in [0usize, 8, 4096, usize::MAX, usize::MAX - 63, other.as_ptr().addr(), other.as_ptr().addr() + 3] {
        for (retain, release, expected) in COUNTED {
            assert_eq!(call(retain, foreign as *mut c_void), *expected, "{retain} {foreign:#x}");
            assert_eq!(call(release, foreign as *mut c_void), *expected, "{release} {foreign:#x}");
        }
        assert_eq!(call("clUnloadPlatformCompiler", foreign as *mut c_void), cl::CL_INVALID_PLATFORM);
        assert_eq!(call("clFlush", foreign as *mut c_void), cl::CL_INVALID_COMMAND_QUEUE);
        assert_eq!(call("clFinish", foreign as *mut c_void), cl::CL_INVALID_COMMAND_QUEUE);
    }
}

#[test]
fn handles_of_another_type_are_refused() {
    let context = context();
    for wrong in [platform().cast(), device().cast(), context.cast::<c_void>()] {
        for (retain, _, expected) in COUNTED {
            let right = (wrong == context.cast() && *expected == cl::CL_INVALID_CONTEXT)
                || (wrong == device().cast() && *expected == cl::CL_INVALID_DEVICE);
            if !right {
                assert_eq!(call(retain, wrong), *expected, "{retain}");
            }
        }
    }
    // An address inside a handle is no handle.
    assert_eq!(call("clRetainContext", context.wrapping_byte_add(8).cast()), cl::CL_INVALID_CONTEXT);
    assert_eq!(call("clReleaseContext", context.cast()), cl::CL_SUCCESS);
}

#[test]
fn a_released_handle_is_refused_and_not_soon_given_again() {
    let _others = REUSE.read();
    let first = context();
    assert_eq!(call("clRetainContext", first.cast()), cl::CL_SUCCESS);
    assert_eq!(call("clReleaseContext", first.cast()), cl::CL_SUCCESS);
    assert_eq!(call("clReleaseContext", first.cast()), cl::CL_SUCCESS);
    for _ in 0..100 {
        assert_eq!(call("clRetainContext", first.cast()), cl::CL_INVALID_CONTEXT);
        assert_eq!(call("clReleaseContext", first.cast()), cl::CL_INVALID_CONTEXT);
        let other = context();
        assert_ne!(other, first);
        assert_eq!(call("clReleaseContext", other.cast()), cl::CL_SUCCESS);
    }
}

#[test]
fn root_devices_are_not_counted() {
    for _ in 0..3 {
        assert_eq!(call("clReleaseDevice", device().cast()), cl::CL_SUCCESS);
    }
    assert_eq!(call("clRetainDevice", device().cast()), cl::CL_SUCCESS);
    let mut count = 0u32;
    // SAFETY: the out-parameter is four bytes long.
    let code = unsafe {
        table().clGetDeviceInfo.unwrap()(
            device(),
            cl::CL_DEVICE_REFERENCE_COUNT,
            4,
            (&raw mut count).cast(),
            null_mut(),
        )
    };
    assert_eq!((code, count), (cl::CL_SUCCESS, 1));
}

#[test]
fn every_handle_begins_with_the_table_and_the_loaders_word() {
    let before = context();
    // SAFETY: the address is that of the function of this name.
    let set: cl::clIcdSetPlatformDispatchDataKHR =
        unsafe { std::mem::transmute(dispatch::find("clIcdSetPlatformDispatchDataKHR").unwrap()) };
    let mut word = 0u64;
    let word: *mut c_void = (&raw mut word).cast();
    // SAFETY: the word is only kept.
    unsafe {
        assert_eq!(set(null_mut(), word), cl::CL_INVALID_PLATFORM);
        assert_eq!(set(platform(), word), cl::CL_SUCCESS);
    }
    let after = context();
    for object in [platform().cast(), device().cast(), after.cast::<*mut c_void>()] {
        // SAFETY: a handle begins with two words that a loader may read.
        let (first, second) = unsafe { (object.read(), object.add(1).read()) };
        assert_eq!(first, dispatch::table().cast());
        assert_eq!(second, word);
    }
    handle::set_dispatch_data(null_mut());
    for context in [before, after] {
        assert_eq!(call("clReleaseContext", context.cast()), cl::CL_SUCCESS);
    }
}

#[test]
fn a_query_writes_no_more_than_it_was_given() {
    let info = table().clGetDeviceInfo.unwrap();
    let mut memory = [0xAAu8; 64];
    let mut size = 0usize;
    // SAFETY: every size passed is at most that of the memory.
    unsafe {
        let value = memory.as_mut_ptr().cast();
        assert_eq!(info(device(), cl::CL_DEVICE_TYPE, 7, value, &mut size), cl::CL_INVALID_VALUE);
        assert_eq!((memory, size), ([0xAA; 64], 0));
        assert_eq!(info(device(), cl::CL_DEVICE_TYPE, 64, value, &mut size), cl::CL_SUCCESS);
        assert_eq!(info(device(), cl::CL_DEVICE_TYPE, 0, null_mut(), &mut size), cl::CL_SUCCESS);
        assert_eq!(info(device(), cl::CL_DEVICE_TYPE, 0, null_mut(), null_mut()), cl::CL_SUCCESS);
    }
    assert_eq!(size, 8);
    assert_eq!(u64::from_ne_bytes(memory[..8].try_into().unwrap()), cl::CL_DEVICE_TYPE_CPU);
    assert_eq!(memory[8..], [0xAA; 56]);
}

#[test]
fn a_context_that_a_queue_keeps_stays_valid_after_its_last_release() {
    let _others = REUSE.read();
    let context = context();
    let mut code = 1;
    // SAFETY: the handles are valid, as is the out-parameter.
    let queue = unsafe { table().clCreateCommandQueueWithProperties.unwrap()(context, device(), null(), &mut code) };
    assert_eq!(code, cl::CL_SUCCESS);
    assert_eq!(call("clReleaseContext", context.cast()), cl::CL_SUCCESS);
    // Nothing of the application's is left to release, but the context is there, and can be had again.
    assert_eq!(call("clReleaseContext", context.cast()), cl::CL_INVALID_CONTEXT);
    assert_eq!(call("clRetainContext", context.cast()), cl::CL_SUCCESS);
    assert_eq!(call("clReleaseCommandQueue", queue.cast()), cl::CL_SUCCESS);
    assert_eq!(call("clReleaseContext", context.cast()), cl::CL_SUCCESS);
    assert_eq!(call("clRetainContext", context.cast()), cl::CL_INVALID_CONTEXT);
}

#[test]
fn handles_come_and_go_on_many_threads() {
    let _alone = REUSE.write();
    let shared = context().addr();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..2000 {
                    let own = context();
                    assert_ne!(own.addr(), shared);
                    assert_eq!(call("clRetainContext", shared as *mut c_void), cl::CL_SUCCESS);
                    assert_eq!(call("clReleaseContext", own.cast()), cl::CL_SUCCESS);
                    assert_eq!(call("clReleaseContext", shared as *mut c_void), cl::CL_SUCCESS);
                }
            });
        }
    });
    assert_eq!(call("clReleaseContext", shared as *mut c_void), cl::CL_SUCCESS);
    assert_eq!(call("clReleaseContext", shared as *mut c_void), cl::CL_INVALID_CONTEXT);
}

#[test]
fn sub_devices_are_counted_and_share_no_compute_unit() {
    let _others = REUSE.read();
    let create = table().clCreateSubDevices.unwrap();
    let equally = [cl::CL_DEVICE_PARTITION_EQUALLY, 1, 0];
    let mut count = 0;
    // SAFETY: the list ends with a zero, the out-parameter is valid.
    let code = unsafe { create(device(), equally.as_ptr(), 0, null_mut(), &mut count) };
    if code == cl::CL_DEVICE_PARTITION_FAILED {
        return; // One CPU.
    }
    assert_eq!(code, cl::CL_SUCCESS);
    let mut parts = vec![null_mut(); count as usize];
    // SAFETY: as above, and the array has `count` places.
    unsafe {
        assert_eq!(create(device(), equally.as_ptr(), count - 1, parts.as_mut_ptr(), null_mut()), cl::CL_INVALID_VALUE);
        assert_eq!(create(device(), equally.as_ptr(), count, parts.as_mut_ptr(), null_mut()), cl::CL_SUCCESS);
    }
    for (list, expected) in [
        (&[0][..], cl::CL_INVALID_VALUE),
        (&[cl::CL_DEVICE_PARTITION_EQUALLY, 0, 0], cl::CL_INVALID_VALUE),
        (&[cl::CL_DEVICE_PARTITION_EQUALLY, 1, 1, 0], cl::CL_INVALID_VALUE),
        (&[cl::CL_DEVICE_PARTITION_EQUALLY, -1, 0], cl::CL_INVALID_VALUE),
        (&[cl::CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, 3, 0], cl::CL_INVALID_VALUE),
        (&[cl::CL_DEVICE_PARTITION_BY_COUNTS, -1, 0, 0], cl::CL_INVALID_DEVICE_PARTITION_COUNT),
        (&[cl::CL_DEVICE_PARTITION_BY_COUNTS, 1 << 20, 0, 0], cl::CL_INVALID_DEVICE_PARTITION_COUNT),
        (&[cl::CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, 0, 0], cl::CL_SUCCESS),
        (&[cl::CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, 0, 7], cl::CL_SUCCESS),
    ] {
        // SAFETY: as above.
        assert_eq!(unsafe { create(device(), list.as_ptr(), 0, null_mut(), &mut count) }, expected, "{list:?}");
    }
    // SAFETY: as above.
    assert_eq!(unsafe { create(device(), null(), 0, null_mut(), &mut count) }, cl::CL_INVALID_VALUE);
    for part in parts {
        assert_eq!(call("clRetainDevice", part.cast()), cl::CL_SUCCESS);
        assert_eq!(call("clReleaseDevice", part.cast()), cl::CL_SUCCESS);
        assert_eq!(call("clReleaseDevice", part.cast()), cl::CL_SUCCESS);
        assert_eq!(call("clReleaseDevice", part.cast()), cl::CL_INVALID_DEVICE);
    }
}
