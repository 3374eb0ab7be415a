//! Events, markers and barriers.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use oxicl_tests::client::sys::{
    CL_COMPLETE, CL_EVENT_COMMAND_TYPE, CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT, CL_INVALID_EVENT,
    CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_OPERATION, CL_INVALID_VALUE, CL_PROFILING_COMMAND_END,
    CL_PROFILING_INFO_NOT_AVAILABLE, CL_QUEUED, CL_RUNNING, CL_SUCCESS, cl_event, cl_int, clCreateUserEvent,
    clEnqueueBarrierWithWaitList, clEnqueueMarkerWithWaitList, clGetEventInfo, clGetEventProfilingInfo, clReleaseEvent,
    clSetEventCallback, clSetUserEventStatus, clWaitForEvents,
};
use oxicl_tests::{Case, Fixture, check_table};

/// Does something with a user event, which is complete in the end; the code.
fn with_user_event(f: &Fixture, run: impl FnOnce(cl_event) -> cl_int) -> cl_int {
    // SAFETY: valid handles; the event is released once.
    unsafe {
        let event = clCreateUserEvent(f.context(), null_mut());
        let code = run(event);
        clSetUserEventStatus(event, CL_COMPLETE);
        clReleaseEvent(event);
        code
    }
}

#[test]
fn user_events() {
    check_table(
        "clCreateUserEvent, clSetUserEventStatus",
        &[
            Case {
                name: "a queue instead of a context",
                expected: CL_INVALID_CONTEXT,
                call: |f| {
                    let mut code = CL_SUCCESS;
                    // SAFETY: the handle is one of ours; the out-parameter is valid.
                    unsafe { clCreateUserEvent(f.queue(), &mut code) };
                    code
                },
            },
            Case {
                name: "the event of a command",
                expected: CL_INVALID_EVENT,
                // SAFETY: a valid handle.
                call: |f| unsafe { clSetUserEventStatus(f.event(), CL_COMPLETE) },
            },
            Case {
                name: "a status that is neither complete nor an error",
                expected: CL_INVALID_VALUE,
                // SAFETY: a valid handle.
                call: |f| with_user_event(f, |event| unsafe { clSetUserEventStatus(event, CL_RUNNING) }),
            },
            Case {
                name: "a second status",
                expected: CL_INVALID_OPERATION,
                call: |f| {
                    // SAFETY: a valid handle.
                    with_user_event(f, |event| unsafe {
                        clSetUserEventStatus(event, CL_COMPLETE);
                        clSetUserEventStatus(event, -1)
                    })
                },
            },
        ],
    );
}

#[test]
fn waiting_and_queries() {
    check_table(
        "clWaitForEvents, clGetEventInfo, clGetEventProfilingInfo",
        &[
            Case {
                name: "no events",
                expected: CL_INVALID_VALUE,
                // SAFETY: nulls are allowed arguments.
                call: |_| unsafe { clWaitForEvents(0, null()) },
            },
            Case {
                name: "a null list",
                expected: CL_INVALID_VALUE,
                // SAFETY: nulls are allowed arguments.
                call: |_| unsafe { clWaitForEvents(1, null()) },
            },
            Case {
                name: "a queue among the events",
                expected: CL_INVALID_EVENT,
                call: |f| {
                    let events = [f.event(), f.queue()];
                    // SAFETY: the list has two handles of ours.
                    unsafe { clWaitForEvents(2, events.as_ptr()) }
                },
            },
            Case {
                name: "no such property",
                expected: CL_INVALID_VALUE,
                // SAFETY: nulls are allowed arguments.
                call: |f| unsafe { clGetEventInfo(f.event(), 0xdead, 0, null_mut(), null_mut()) },
            },
            Case {
                name: "a value that is too small",
                expected: CL_INVALID_VALUE,
                call: |f| {
                    let mut value = 0u8;
                    let memory = (&raw mut value).cast();
                    // SAFETY: the value has the size that is passed.
                    unsafe { clGetEventInfo(f.event(), CL_EVENT_COMMAND_TYPE, 1, memory, null_mut()) }
                },
            },
            Case {
                name: "no such time",
                expected: CL_INVALID_VALUE,
                // SAFETY: nulls are allowed arguments.
                call: |f| unsafe { clGetEventProfilingInfo(f.event(), 0xdead, 0, null_mut(), null_mut()) },
            },
            Case {
                name: "times of a user event",
                expected: CL_PROFILING_INFO_NOT_AVAILABLE,
                call: |f| {
                    // SAFETY: a valid handle; nulls are allowed arguments.
                    with_user_event(f, |event| unsafe {
                        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 0, null_mut(), null_mut())
                    })
                },
            },
        ],
    );
}

extern "C" fn ignore(_: cl_event, _: cl_int, _: *mut c_void) {}

#[test]
fn callbacks() {
    check_table(
        "clSetEventCallback",
        &[
            Case {
                name: "no function",
                expected: CL_INVALID_VALUE,
                // SAFETY: nulls are allowed arguments.
                call: |f| unsafe { clSetEventCallback(f.event(), CL_COMPLETE, None, null_mut()) },
            },
            Case {
                name: "a status that cannot be waited for",
                expected: CL_INVALID_VALUE,
                // SAFETY: the function ignores its arguments.
                call: |f| unsafe { clSetEventCallback(f.event(), CL_QUEUED, Some(ignore), null_mut()) },
            },
            Case {
                name: "a queue instead of an event",
                expected: CL_INVALID_EVENT,
                // SAFETY: as above.
                call: |f| unsafe { clSetEventCallback(f.queue(), CL_COMPLETE, Some(ignore), null_mut()) },
            },
        ],
    );
}

#[test]
fn markers_and_barriers() {
    check_table(
        "clEnqueueMarkerWithWaitList, clEnqueueBarrierWithWaitList",
        &[
            Case {
                name: "a buffer instead of a queue",
                expected: CL_INVALID_COMMAND_QUEUE,
                // SAFETY: the handle is one of ours; nulls are allowed arguments.
                call: |f| unsafe { clEnqueueMarkerWithWaitList(f.buffer(), 0, null(), null_mut()) },
            },
            Case {
                name: "a count without a list",
                expected: CL_INVALID_EVENT_WAIT_LIST,
                // SAFETY: nulls are allowed arguments.
                call: |f| unsafe { clEnqueueMarkerWithWaitList(f.queue(), 1, null(), null_mut()) },
            },
            Case {
                name: "a list without a count",
                expected: CL_INVALID_EVENT_WAIT_LIST,
                call: |f| {
                    let events = [f.event()];
                    // SAFETY: the list is longer than the count says.
                    unsafe { clEnqueueBarrierWithWaitList(f.queue(), 0, events.as_ptr(), null_mut()) }
                },
            },
            Case {
                name: "a kernel in the list",
                expected: CL_INVALID_EVENT_WAIT_LIST,
                call: |f| {
                    let events = [f.kernel()];
                    // SAFETY: the list has one handle of ours.
                    unsafe { clEnqueueBarrierWithWaitList(f.queue(), 1, events.as_ptr(), null_mut()) }
                },
            },
            Case {
                name: "an event of another context",
                expected: CL_INVALID_CONTEXT,
                call: |f| {
                    let other = Fixture::new();
                    let events = [other.event()];
                    // SAFETY: the list has one handle of ours.
                    unsafe { clEnqueueBarrierWithWaitList(f.queue(), 1, events.as_ptr(), null_mut()) }
                },
            },
        ],
    );
}
