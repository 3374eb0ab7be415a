//! clGetPlatformIDs, clGetPlatformInfo.

use std::ptr::null_mut;

use oxicl_tests::client::sys::{
    CL_INVALID_PLATFORM, CL_INVALID_VALUE, CL_PLATFORM_NAME, cl_platform_id, clGetPlatformIDs, clGetPlatformInfo,
};
use oxicl_tests::{Case, check_table};

#[test]
fn get_platform_ids() {
    check_table(
        "clGetPlatformIDs",
        &[
            Case {
                name: "neither a list nor a count",
                expected: CL_INVALID_VALUE,
                // SAFETY: nulls are allowed arguments.
                call: |_| unsafe { clGetPlatformIDs(0, null_mut(), null_mut()) },
            },
            Case {
                name: "a list of no entries",
                expected: CL_INVALID_VALUE,
                call: |_| {
                    let mut platform: cl_platform_id = null_mut();
                    // SAFETY: the list is valid memory.
                    unsafe { clGetPlatformIDs(0, &mut platform, null_mut()) }
                },
            },
        ],
    );
}

#[test]
fn get_platform_info() {
    check_table(
        "clGetPlatformInfo",
        &[
            Case {
                name: "no such property",
                expected: CL_INVALID_VALUE,
                // SAFETY: nulls are allowed arguments.
                call: |f| unsafe { clGetPlatformInfo(f.platform(), 0xdead, 0, null_mut(), null_mut()) },
            },
            Case {
                name: "a value that is too small",
                expected: CL_INVALID_VALUE,
                call: |f| {
                    let mut value = 0u8;
                    // SAFETY: the value has the size that is passed.
                    unsafe { clGetPlatformInfo(f.platform(), CL_PLATFORM_NAME, 1, (&raw mut value).cast(), null_mut()) }
                },
            },
            Case {
                name: "a context instead of a platform",
                expected: CL_INVALID_PLATFORM,
                // SAFETY: the handle is one of ours, so that reading its dispatch table is sound.
                call: |f| unsafe { clGetPlatformInfo(f.context(), CL_PLATFORM_NAME, 0, null_mut(), null_mut()) },
            },
        ],
    );
}
