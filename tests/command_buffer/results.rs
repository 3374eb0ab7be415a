//! What executions do.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::recording::{Kernels, Recording, numbers, set, zeros};
use crate::support::{Setup, call, create, extension, ok, release_all};

#[test]
fn what_is_recorded_runs_each_time_that_it_is_enqueued() {
    let setup = Setup::new();
    let kernels = Kernels::new(&setup);
    let (data, copy) = (zeros(&setup, 1000), zeros(&setup, 1000));
    let step = kernels.step(data, 2, 1);
    let recording = Recording::new(setup.queue);
    recording.launch(step, 1000, &[]);
    recording.copy(data, copy, 4000, &[]);
    recording.fill(data, 7, 4, &[]);
    recording.finalize();
    for expected in [1, 3, 7, 15] {
        recording.enqueue();
        let found = numbers(&setup, copy);
        // The first element is 7 before every launch but the first.
        assert_eq!((found[0], found[1], found[999]), (if expected == 1 { 1 } else { 15 }, expected, expected));
    }
    assert_eq!(numbers(&setup, data)[..2], [7, 15]);
    ok!(clReleaseKernel(step));
    release_all(&[data, copy]);
}

#[test]
fn arguments_are_those_of_the_recording() {
    let setup = Setup::new();
    let kernels = Kernels::new(&setup);
    let data = zeros(&setup, 16);
    let step = kernels.step(data, 1, 5);
    let recording = Recording::new(setup.queue);
    recording.launch(step, 16, &[]);
    // For the second launch only.
    set(step, 2, &100);
    recording.launch(step, 16, &[]);
    recording.finalize();
    set(step, 2, &1000);
    recording.enqueue();
    assert_eq!(numbers(&setup, data), [105; 16]);
    ok!(clReleaseKernel(step));
    release_all(&[data]);
}

#[test]
fn everything_recorded_outlives_its_handles() {
    let setup = Setup::new();
    let (data, source) = (zeros(&setup, 64), setup.filled(&[1; 256]));
    let queue = create!(clCreateCommandQueueWithProperties(setup.context, setup.device, null()));
    let recording = Recording::new(queue);
    {
        let kernels = Kernels::new(&setup);
        let step = kernels.step(data, 2, 0);
        recording.copy(source, data, 256, &[]);
        recording.launch(step, 64, &[]);
        ok!(clReleaseKernel(step));
    }
    recording.finalize();
    release_all(&[source]);
    ok!(clReleaseCommandQueue(queue));
    let event = recording.enqueue_to(setup.queue, &[]);
    // Released while it is under way, perhaps.
    drop(recording);
    ok!(clWaitForEvents(1, &event));
    ok!(clReleaseEvent(event));
    assert_eq!(numbers(&setup, data), [0x0202_0202; 64]);
    release_all(&[data]);
}

#[test]
fn rectangles_and_shared_memory_are_recorded_too() {
    let setup = Setup::new();
    let (from, to) = (setup.filled(&(0..64).collect::<Vec<u8>>()), setup.filled(&[0; 64]));
    let shared: *mut u8 = call!(clSVMAlloc(setup.context, 0, 64, 0)).cast();
    let other: *mut u8 = call!(clSVMAlloc(setup.context, 0, 64, 0)).cast();
    let recording = Recording::new(setup.queue);
    let (origin, region) = ([1usize, 1, 0], [4usize, 2, 1]);
    let code = extension!(clCommandCopyBufferRectKHR(
        recording.handle,
        null_mut(),
        null(),
        from,
        to,
        origin.as_ptr(),
        [0usize; 3].as_ptr(),
        region.as_ptr(),
        8,
        0,
        4,
        0,
        0,
        null(),
        null_mut(),
        null_mut(),
    ));
    assert_eq!(code, cl::CL_SUCCESS);
    let pattern = [3u8, 4];
    let code = extension!(clCommandSVMMemFillKHR(
        recording.handle,
        null_mut(),
        null(),
        shared.cast(),
        pattern.as_ptr().cast(),
        2,
        64,
        0,
        null(),
        null_mut(),
        null_mut(),
    ));
    assert_eq!(code, cl::CL_SUCCESS);
    let code = extension!(clCommandSVMMemcpyKHR(
        recording.handle,
        null_mut(),
        null(),
        other.cast(),
        shared.cast::<c_void>().cast_const(),
        64,
        0,
        null(),
        null_mut(),
        null_mut(),
    ));
    assert_eq!(code, cl::CL_SUCCESS);
    recording.finalize();
    for _ in 0..2 {
        // SAFETY: the allocation has 64 bytes, and nothing is under way.
        unsafe { other.write_bytes(0, 64) };
        recording.enqueue();
        setup.finish();
        assert_eq!(setup.read(to)[..8], [9, 10, 11, 12, 17, 18, 19, 20]);
        // SAFETY: the allocation has 64 bytes, and the queue is finished.
        let found = unsafe { std::slice::from_raw_parts(other, 64) };
        assert_eq!(found, [3, 4].repeat(32));
    }
    drop(recording);
    call!(clSVMFree(setup.context, shared.cast()));
    call!(clSVMFree(setup.context, other.cast()));
    release_all(&[from, to]);
}

#[test]
fn an_empty_command_buffer_ends_after_what_it_waits_for() {
    let setup = Setup::new();
    let recording = Recording::new(setup.queue);
    recording.finalize();
    let user = create!(clCreateUserEvent(setup.context));
    let event = recording.enqueue_to(setup.queue, &[user]);
    let status = |event| {
        let mut status = 1;
        let name = cl::CL_EVENT_COMMAND_EXECUTION_STATUS;
        ok!(clGetEventInfo(event, name, size_of::<cl::cl_int>(), (&raw mut status).cast(), null_mut()));
        status
    };
    assert!(status(event) > cl::CL_COMPLETE);
    ok!(clSetUserEventStatus(user, cl::CL_COMPLETE));
    ok!(clWaitForEvents(1, &event));
    assert_eq!(status(event), cl::CL_COMPLETE);
    ok!(clReleaseEvent(user));
    ok!(clReleaseEvent(event));
}

#[test]
fn a_failed_wait_list_fails_the_execution_and_runs_none_of_it() {
    let setup = Setup::new();
    let data = zeros(&setup, 4);
    let recording = Recording::new(setup.queue);
    recording.fill(data, 1, 16, &[]);
    recording.finalize();
    let user = create!(clCreateUserEvent(setup.context));
    let event = recording.enqueue_to(setup.queue, &[user]);
    ok!(clSetUserEventStatus(user, -5));
    assert_eq!(call!(clWaitForEvents(1, &event)), cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_eq!(numbers(&setup, data), [0; 4]);
    recording.enqueue();
    assert_eq!(numbers(&setup, data), [1; 4]);
    ok!(clReleaseEvent(user));
    ok!(clReleaseEvent(event));
    release_all(&[data]);
}

#[test]
fn one_event_tells_type_queue_and_times_of_an_execution() {
    let setup = Setup::new();
    let list = [cl::cl_queue_properties::from(cl::CL_QUEUE_PROPERTIES), cl::CL_QUEUE_PROFILING_ENABLE, 0];
    let queue = create!(clCreateCommandQueueWithProperties(setup.context, setup.device, list.as_ptr()));
    let data = zeros(&setup, 4096);
    let kernels = Kernels::new(&setup);
    let step = kernels.step(data, 1, 1);
    let recording = Recording::new(setup.queue);
    for _ in 0..10 {
        recording.launch(step, 4096, &[]);
    }
    recording.finalize();
    let event = recording.enqueue_to(queue, &[]);
    ok!(clWaitForEvents(1, &event));
    let (mut kind, mut of): (cl::cl_command_type, cl::cl_command_queue) = (0, null_mut());
    ok!(clGetEventInfo(event, cl::CL_EVENT_COMMAND_TYPE, 4, (&raw mut kind).cast(), null_mut()));
    ok!(clGetEventInfo(event, cl::CL_EVENT_COMMAND_QUEUE, 8, (&raw mut of).cast(), null_mut()));
    assert_eq!((kind, of), (cl::CL_COMMAND_COMMAND_BUFFER_KHR, queue));
    let times = [
        cl::CL_PROFILING_COMMAND_QUEUED,
        cl::CL_PROFILING_COMMAND_SUBMIT,
        cl::CL_PROFILING_COMMAND_START,
        cl::CL_PROFILING_COMMAND_END,
        cl::CL_PROFILING_COMMAND_COMPLETE,
    ]
    .map(|name| {
        let mut time = 0u64;
        ok!(clGetEventProfilingInfo(event, name, 8, (&raw mut time).cast(), null_mut()));
        time
    });
    assert!(times[0] > 0 && times.is_sorted() && times[2] < times[3], "{times:?}");
    assert_eq!(numbers(&setup, data), [10; 4096]);
    ok!(clReleaseEvent(event));
    ok!(clReleaseKernel(step));
    ok!(clReleaseCommandQueue(queue));
    release_all(&[data]);
}
