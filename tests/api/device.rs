//! clGetDeviceIDs, clGetDeviceInfo.

use std::ptr::null_mut;

use oxicl_tests::client::sys::{
    CL_DEVICE_NAME, CL_DEVICE_NOT_FOUND, CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_GPU, CL_INVALID_DEVICE,
    CL_INVALID_DEVICE_TYPE, CL_INVALID_PLATFORM, CL_INVALID_VALUE, cl_device_id, clGetDeviceIDs, clGetDeviceInfo,
};
use oxicl_tests::{Case, check_table};

#[test]
fn get_device_ids() {
    check_table(
        "clGetDeviceIDs",
        &[
            Case {
                name: "a context instead of a platform",
                expected: CL_INVALID_PLATFORM,
                call: |f| {
                    let mut count = 0;
                    // SAFETY: the handle is one of ours; the out-parameter is valid.
                    unsafe { clGetDeviceIDs(f.context(), CL_DEVICE_TYPE_ALL, 0, null_mut(), &mut count) }
                },
            },
            Case {
                name: "a type without bits",
                expected: CL_INVALID_DEVICE_TYPE,
                call: |f| {
                    let mut count = 0;
                    // SAFETY: the out-parameter is valid.
                    unsafe { clGetDeviceIDs(f.platform(), 0, 0, null_mut(), &mut count) }
                },
            },
            Case {
                name: "a type that there is none of",
                expected: CL_DEVICE_NOT_FOUND,
                call: |f| {
                    let mut count = 0;
                    // SAFETY: the out-parameter is valid.
                    unsafe { clGetDeviceIDs(f.platform(), CL_DEVICE_TYPE_GPU, 0, null_mut(), &mut count) }
                },
            },
            Case {
                name: "a list of no entries",
                expected: CL_INVALID_VALUE,
                call: |f| {
                    let mut device: cl_device_id = null_mut();
                    // SAFETY: the list is valid memory.
                    unsafe { clGetDeviceIDs(f.platform(), CL_DEVICE_TYPE_ALL, 0, &mut device, null_mut()) }
                },
            },
            Case {
                name: "neither a list nor a count",
                expected: CL_INVALID_VALUE,
                // SAFETY: nulls are allowed arguments.
                call: |f| unsafe { clGetDeviceIDs(f.platform(), CL_DEVICE_TYPE_ALL, 0, null_mut(), null_mut()) },
            },
        ],
    );
}

#[test]
fn get_device_info() {
    check_table(
        "clGetDeviceInfo",
        &[
            Case {
                name: "no such property",
                expected: CL_INVALID_VALUE,
                // SAFETY: nulls are allowed arguments.
                call: |f| unsafe { clGetDeviceInfo(f.device(), 0xdead, 0, null_mut(), null_mut()) },
            },
            Case {
                name: "a value that is too small",
                expected: CL_INVALID_VALUE,
                call: |f| {
                    let mut value = 0u8;
                    // SAFETY: the value has the size that is passed.
                    unsafe { clGetDeviceInfo(f.device(), CL_DEVICE_NAME, 1, (&raw mut value).cast(), null_mut()) }
                },
            },
            Case {
                name: "a queue instead of a device",
                expected: CL_INVALID_DEVICE,
                // SAFETY: the handle is one of ours, so that reading its dispatch table is sound.
                call: |f| unsafe { clGetDeviceInfo(f.queue(), CL_DEVICE_NAME, 0, null_mut(), null_mut()) },
            },
        ],
    );
}
