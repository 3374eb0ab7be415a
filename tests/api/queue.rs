//! Queues.

use std::ptr::{null, null_mut};

use oxicl_tests::client::sys::{
    CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT, CL_INVALID_DEVICE, CL_INVALID_QUEUE_PROPERTIES, CL_INVALID_VALUE,
    CL_QUEUE_ON_DEVICE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROPERTIES, CL_QUEUE_SIZE, CL_SUCCESS,
    cl_command_queue, cl_context, cl_device_id, cl_int, clCreateCommandQueueWithProperties, clFinish, clFlush,
    clGetCommandQueueInfo, clReleaseCommandQueue, clRetainCommandQueue,
};
use oxicl_tests::{Case, check_table};

/// Creates a queue, and releases it if that succeeds; the code.
fn create(context: cl_context, device: cl_device_id, properties: &[u64]) -> cl_int {
    let mut code = CL_SUCCESS;
    // SAFETY: the list ends with a zero; the out-parameter is valid.
    let queue = unsafe { clCreateCommandQueueWithProperties(context, device, properties.as_ptr(), &mut code) };
    if !queue.is_null() {
        // SAFETY: the queue was made above.
        unsafe { clReleaseCommandQueue(queue) };
    }
    code
}

const PROPERTIES: u64 = CL_QUEUE_PROPERTIES as u64;

#[test]
fn create_command_queue() {
    check_table(
        "clCreateCommandQueueWithProperties",
        &[
            Case {
                name: "out of order",
                expected: CL_SUCCESS,
                call: |f| create(f.context(), f.device(), &[PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0]),
            },
            Case {
                name: "a queue instead of a context",
                expected: CL_INVALID_CONTEXT,
                call: |f| create(f.queue(), f.device(), &[0]),
            },
            Case {
                name: "a context instead of a device",
                expected: CL_INVALID_DEVICE,
                call: |f| create(f.context(), f.context(), &[0]),
            },
            Case {
                name: "an unknown property",
                expected: CL_INVALID_VALUE,
                call: |f| create(f.context(), f.device(), &[0xdead, 1, 0]),
            },
            Case {
                name: "an unknown bit",
                expected: CL_INVALID_VALUE,
                call: |f| create(f.context(), f.device(), &[PROPERTIES, 1 << 40, 0]),
            },
            Case {
                name: "a size without a device queue",
                expected: CL_INVALID_VALUE,
                call: |f| create(f.context(), f.device(), &[u64::from(CL_QUEUE_SIZE), 1024, 0]),
            },
            Case {
                name: "a device queue that is in order",
                expected: CL_INVALID_VALUE,
                call: |f| create(f.context(), f.device(), &[PROPERTIES, CL_QUEUE_ON_DEVICE, 0]),
            },
            Case {
                name: "a device queue",
                expected: CL_INVALID_QUEUE_PROPERTIES,
                call: |f| {
                    let bits = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
                    create(f.context(), f.device(), &[PROPERTIES, bits, 0])
                },
            },
        ],
    );
}

#[test]
fn get_command_queue_info() {
    check_table(
        "clGetCommandQueueInfo",
        &[
            Case {
                name: "no such property",
                expected: CL_INVALID_VALUE,
                // SAFETY: nulls are allowed arguments.
                call: |f| unsafe { clGetCommandQueueInfo(f.queue(), 0xdead, 0, null_mut(), null_mut()) },
            },
            Case {
                name: "the size of a queue that is not on the device",
                expected: CL_INVALID_COMMAND_QUEUE,
                // SAFETY: nulls are allowed arguments.
                call: |f| unsafe { clGetCommandQueueInfo(f.queue(), CL_QUEUE_SIZE, 0, null_mut(), null_mut()) },
            },
            Case {
                name: "a value that is too small",
                expected: CL_INVALID_VALUE,
                call: |f| {
                    let mut value = 0u8;
                    let memory = (&raw mut value).cast();
                    // SAFETY: the value has the size that is passed.
                    unsafe { clGetCommandQueueInfo(f.queue(), CL_QUEUE_PROPERTIES, 1, memory, null_mut()) }
                },
            },
        ],
    );
}

/// A queue that was released as often as it was made and retained.
fn released(f: &oxicl_tests::Fixture) -> cl_command_queue {
    // SAFETY: valid handles; the queue's own functions follow.
    unsafe {
        let queue = clCreateCommandQueueWithProperties(f.context(), f.device(), null(), null_mut());
        assert_eq!(clRetainCommandQueue(queue), CL_SUCCESS);
        assert_eq!(clReleaseCommandQueue(queue), CL_SUCCESS);
        assert_eq!(clReleaseCommandQueue(queue), CL_SUCCESS);
        queue
    }
}

#[test]
fn flush_and_finish() {
    check_table(
        "clFlush, clFinish",
        &[
            Case {
                name: "a context instead of a queue to flush",
                expected: CL_INVALID_COMMAND_QUEUE,
                // SAFETY: the handle is one of ours, so that reading its dispatch table is sound.
                call: |f| unsafe { clFlush(f.context()) },
            },
            Case {
                name: "an event instead of a queue to finish",
                expected: CL_INVALID_COMMAND_QUEUE,
                // SAFETY: as above.
                call: |f| unsafe { clFinish(f.event()) },
            },
            Case {
                name: "a released queue to flush",
                expected: CL_INVALID_COMMAND_QUEUE,
                // SAFETY: handles are never unmapped.
                call: |f| unsafe { clFlush(released(f)) },
            },
            Case {
                name: "a released queue to release",
                expected: CL_INVALID_COMMAND_QUEUE,
                // SAFETY: as above.
                call: |f| unsafe { clReleaseCommandQueue(released(f)) },
            },
        ],
    );
}
