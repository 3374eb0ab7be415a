//! Commands that run kernels.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use oxicl_tests::client::sys::{
    CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT,
    CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_GLOBAL_OFFSET, CL_INVALID_KERNEL, CL_INVALID_KERNEL_ARGS,
    CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE, CL_INVALID_WORK_DIMENSION, CL_INVALID_WORK_GROUP_SIZE,
    CL_INVALID_WORK_ITEM_SIZE, CL_SUCCESS, cl_int, cl_kernel, cl_mem, cl_uint, clCreateUserEvent,
    clEnqueueNDRangeKernel, clEnqueueNativeKernel, clEnqueueTask, clFinish, clReleaseEvent, clSetUserEventStatus,
    clWaitForEvents,
};
use oxicl_tests::{Case, Fixture, check_table};

/// Launches the fixture's kernel; the code.
fn launch(
    f: &Fixture,
    dimensions: cl_uint,
    offset: Option<&[usize]>,
    global: &[usize],
    local: Option<&[usize]>,
) -> cl_int {
    let pointer = |sizes: Option<&[usize]>| sizes.map_or(null(), <[usize]>::as_ptr);
    // SAFETY: the arrays have as many sizes as there are dimensions, where that number is a valid one.
    unsafe {
        clEnqueueNDRangeKernel(
            f.queue(),
            f.kernel(),
            dimensions,
            pointer(offset),
            global.as_ptr(),
            pointer(local),
            0,
            null(),
            null_mut(),
        )
    }
}

/// Launches some kernel on one work-item; the code.
fn launch_one(f: &Fixture, kernel: cl_kernel) -> cl_int {
    // SAFETY: the array has one size.
    unsafe { clEnqueueNDRangeKernel(f.queue(), kernel, 1, null(), [1].as_ptr(), null(), 0, null(), null_mut()) }
}

#[test]
fn enqueue_nd_range_kernel() {
    check_table(
        "clEnqueueNDRangeKernel",
        &[
            Case {
                name: "a size that the work-group does not divide",
                expected: CL_SUCCESS,
                call: |f| launch(f, 1, None, &[1000], Some(&[64])),
            },
            Case {
                name: "no work-items along a dimension",
                expected: CL_SUCCESS,
                call: |f| launch(f, 2, None, &[16, 0], None),
            },
            Case {
                name: "a context instead of a queue",
                expected: CL_INVALID_COMMAND_QUEUE,
                call: |f| {
                    let (queue, size) = (f.context(), [1]);
                    let sizes = size.as_ptr();
                    // SAFETY: the handles are ours; the array has one size.
                    unsafe {
                        clEnqueueNDRangeKernel(queue, f.kernel(), 1, null(), sizes, null(), 0, null(), null_mut())
                    }
                },
            },
            Case {
                name: "a program instead of a kernel",
                expected: CL_INVALID_KERNEL,
                call: |f| launch_one(f, f.program()),
            },
            Case {
                name: "a kernel of another context",
                expected: CL_INVALID_CONTEXT,
                call: |f| launch_one(f, Fixture::new().kernel()),
            },
            Case {
                name: "arguments that are not set",
                expected: CL_INVALID_KERNEL_ARGS,
                call: |f| match f.program.kernel("triad") {
                    Ok(kernel) => launch_one(f, kernel.raw()),
                    Err(_) => CL_INVALID_KERNEL,
                },
            },
            Case {
                name: "no dimension",
                expected: CL_INVALID_WORK_DIMENSION,
                call: |f| launch(f, 0, None, &[1], None),
            },
            Case {
                name: "more dimensions than there are",
                expected: CL_INVALID_WORK_DIMENSION,
                call: |f| launch(f, 4, None, &[1, 1, 1, 1], None),
            },
            Case {
                name: "an empty work-group",
                expected: CL_INVALID_WORK_GROUP_SIZE,
                call: |f| launch(f, 1, None, &[16], Some(&[0])),
            },
            Case {
                name: "a work-group that is too large along a dimension",
                expected: CL_INVALID_WORK_ITEM_SIZE,
                call: |f| launch(f, 1, None, &[1 << 24], Some(&[1 << 24])),
            },
            Case {
                name: "a work-group that is too large in all",
                expected: CL_INVALID_WORK_GROUP_SIZE,
                call: |f| launch(f, 2, None, &[4096, 4096], Some(&[4096, 4096])),
            },
            Case {
                name: "ids that do not fit",
                expected: CL_INVALID_GLOBAL_OFFSET,
                call: |f| launch(f, 1, Some(&[usize::MAX]), &[16], None),
            },
        ],
    );
}

#[test]
fn wait_lists_of_launches() {
    check_table(
        "clEnqueueNDRangeKernel, clEnqueueTask",
        &[
            Case {
                name: "a count without a list",
                expected: CL_INVALID_EVENT_WAIT_LIST,
                // SAFETY: nulls are allowed arguments.
                call: |f| unsafe { clEnqueueTask(f.queue(), f.kernel(), 1, null(), null_mut()) },
            },
            Case {
                name: "a launch whose wait list fails later",
                expected: CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
                call: |f| {
                    // SAFETY: valid handles, each released once; the lists have one event.
                    unsafe {
                        let user = clCreateUserEvent(f.context(), null_mut());
                        let mut event = null_mut();
                        assert_eq!(clEnqueueTask(f.queue(), f.kernel(), 1, &user, &mut event), CL_SUCCESS);
                        assert_eq!(clSetUserEventStatus(user, -1), CL_SUCCESS);
                        let code = clWaitForEvents(1, &event);
                        assert_eq!(clFinish(f.queue()), CL_SUCCESS);
                        clReleaseEvent(user);
                        clReleaseEvent(event);
                        code
                    }
                },
            },
            Case {
                name: "a task",
                expected: CL_SUCCESS,
                call: |f| {
                    let event = f.event();
                    // SAFETY: the list has one event.
                    unsafe { clEnqueueTask(f.queue(), f.kernel(), 1, &event, null_mut()) }
                },
            },
        ],
    );
}

/// The arguments of the native kernel: a buffer of floats, and where to put the first.
#[repr(C)]
#[derive(Clone, Copy)]
struct Native {
    buffer: *const f32,
    first: *mut f32,
}

extern "C" fn take_first(arguments: *mut c_void) {
    // SAFETY: the tests enqueue this function with these arguments, which are valid until the queue is finished.
    unsafe {
        let arguments = arguments.cast::<Native>().read();
        *arguments.first = *arguments.buffer;
    }
}

/// Enqueues the native kernel with `count` memory objects and waits; the code.
fn native(f: &Fixture, memory: &[cl_mem], place: impl Fn(&Native) -> *const c_void) -> (cl_int, f32) {
    let mut first = 0.0;
    let mut arguments = Native { buffer: null(), first: &mut first };
    let places = vec![place(&arguments); memory.len()];
    let lists = if memory.is_empty() { (null(), null()) } else { (memory.as_ptr(), places.as_ptr()) };
    // SAFETY: the arguments have the size that is passed; the lists have `count` entries; `first` outlives the command.
    unsafe {
        let code = clEnqueueNativeKernel(
            f.queue(),
            Some(take_first),
            (&raw mut arguments).cast(),
            size_of::<Native>(),
            memory.len() as cl_uint,
            lists.0,
            lists.1,
            0,
            null(),
            null_mut(),
        );
        assert_eq!(clFinish(f.queue()), CL_SUCCESS);
        (code, first)
    }
}

#[test]
fn a_native_kernel_gets_its_arguments_with_the_address_of_the_buffer() {
    let f = Fixture::new();
    let (code, first) = native(&f, &[f.buffer()], |arguments| (&raw const arguments.buffer).cast());
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(Some(first), f.queue.read(&f.buffer).expect("reads").first().copied());
}

#[test]
fn enqueue_native_kernel() {
    check_table(
        "clEnqueueNativeKernel",
        &[
            Case {
                name: "no function",
                expected: CL_INVALID_VALUE,
                call: |f| {
                    // SAFETY: nulls are allowed arguments.
                    unsafe {
                        let (list, places) = (null(), null());
                        clEnqueueNativeKernel(f.queue(), None, null_mut(), 0, 0, list, places, 0, null(), null_mut())
                    }
                },
            },
            Case {
                name: "a size without arguments",
                expected: CL_INVALID_VALUE,
                call: |f| {
                    // SAFETY: as above.
                    unsafe {
                        let (function, list, places) = (Some(take_first as _), null(), null());
                        clEnqueueNativeKernel(
                            f.queue(),
                            function,
                            null_mut(),
                            8,
                            0,
                            list,
                            places,
                            0,
                            null(),
                            null_mut(),
                        )
                    }
                },
            },
            Case {
                name: "a queue instead of a buffer",
                expected: CL_INVALID_MEM_OBJECT,
                call: |f| native(f, &[f.queue()], |arguments| (&raw const arguments.buffer).cast()).0,
            },
            Case {
                name: "a place outside the arguments",
                expected: CL_INVALID_VALUE,
                call: |f| native(f, &[f.buffer()], |arguments| std::ptr::from_ref(arguments).wrapping_add(1).cast()).0,
            },
        ],
    );
}
