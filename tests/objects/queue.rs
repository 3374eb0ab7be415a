//! Queues and events by the functions of older versions, events that fail, and queues of parts of a device.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use khronos_headers as cl;
use oxicl_tests::offline::{Level, compile};

use crate::support::{Setup, call, code_of, create, ok, table};

const OUT_OF_ORDER: cl::cl_command_queue_properties = cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
const PROFILING: cl::cl_command_queue_properties = cl::CL_QUEUE_PROFILING_ENABLE;

/// A number that a query about an event answers with.
fn event_number(event: cl::cl_event, name: cl::cl_event_info) -> i32 {
    let mut number = 0i32;
    ok!(clGetEventInfo(event, name, 4, (&raw mut number).cast(), null_mut()));
    number
}

fn properties_of(queue: cl::cl_command_queue) -> cl::cl_command_queue_properties {
    let mut bits = 0;
    ok!(clGetCommandQueueInfo(queue, cl::CL_QUEUE_PROPERTIES, 8, (&raw mut bits).cast(), null_mut()));
    bits
}

#[test]
fn a_queue_of_version_1_takes_a_bit_field_and_switches_its_properties() {
    let setup = Setup::new();
    let (context, device) = (setup.context, setup.device);
    let create = |properties| {
        let mut code = 1;
        let queue = call!(clCreateCommandQueue(context, device, properties, &mut code));
        if !queue.is_null() {
            assert_eq!(properties_of(queue), properties);
            ok!(clReleaseCommandQueue(queue));
        }
        code
    };
    let queue = create!(clCreateCommandQueue(context, device, PROFILING));
    let mut old = 1 << 40;
    table! {
        "no property" => CL_SUCCESS, create(0);
        "both properties" => CL_SUCCESS, create(OUT_OF_ORDER | PROFILING);
        "unknown property" => CL_INVALID_VALUE, create(1 << 30);
        "on the device" => CL_INVALID_QUEUE_PROPERTIES, create(OUT_OF_ORDER | cl::CL_QUEUE_ON_DEVICE);
        "queue as context" => CL_INVALID_CONTEXT, code_of!(clCreateCommandQueue(queue.cast(), device, 0));
        "context as device" => CL_INVALID_DEVICE, code_of!(clCreateCommandQueue(context, context.cast(), 0));
        "switching on" => CL_SUCCESS, call!(clSetCommandQueueProperty(queue, OUT_OF_ORDER, cl::CL_TRUE, &mut old));
        "switching an unknown one" => CL_INVALID_VALUE,
            call!(clSetCommandQueueProperty(queue, 1 << 30, cl::CL_TRUE, null_mut()));
        "switching what is not supported" => CL_INVALID_QUEUE_PROPERTIES,
            call!(clSetCommandQueueProperty(queue, cl::CL_QUEUE_ON_DEVICE, cl::CL_TRUE, null_mut()));
        "switching a context" => CL_INVALID_COMMAND_QUEUE,
            call!(clSetCommandQueueProperty(context.cast(), PROFILING, cl::CL_TRUE, null_mut()));
    }
    assert_eq!((old, properties_of(queue)), (PROFILING, PROFILING | OUT_OF_ORDER));
    ok!(clSetCommandQueueProperty(queue, PROFILING | OUT_OF_ORDER, cl::CL_FALSE, null_mut()));
    assert_eq!(properties_of(queue), 0);
    // A list can be asked for only if there was one.
    let mut size = 1;
    ok!(clGetCommandQueueInfo(queue, cl::CL_QUEUE_PROPERTIES_ARRAY, 0, null_mut(), &mut size));
    assert_eq!(size, 0);
    ok!(clReleaseCommandQueue(queue));
    ok!(clUnloadCompiler());
}

#[test]
fn markers_and_barriers_of_version_1_wait_for_what_was_enqueued_and_for_what_they_are_given() {
    let setup = Setup::new();
    let (context, wrong) = (setup.context, setup.context.cast());
    let queue = create!(clCreateCommandQueue(context, setup.device, OUT_OF_ORDER));
    let user = create!(clCreateUserEvent(context));
    let other = Setup::new();
    let foreign = create!(clCreateUserEvent(other.context));
    let mixed = [user, queue.cast()];
    let (mut before, mut behind) = (null_mut(), null_mut());
    table! {
        "marker of a context" => CL_INVALID_COMMAND_QUEUE, call!(clEnqueueMarker(wrong, &mut before));
        "marker without an event" => CL_INVALID_VALUE, call!(clEnqueueMarker(queue, null_mut()));
        "barrier of a context" => CL_INVALID_COMMAND_QUEUE, call!(clEnqueueBarrier(wrong));
        "waiting by a context" => CL_INVALID_COMMAND_QUEUE, call!(clEnqueueWaitForEvents(wrong, 1, &user));
        "waiting for nothing" => CL_INVALID_VALUE, call!(clEnqueueWaitForEvents(queue, 0, null()));
        "waiting for no events" => CL_INVALID_VALUE, call!(clEnqueueWaitForEvents(queue, 1, null()));
        "waiting for a queue" => CL_INVALID_EVENT, call!(clEnqueueWaitForEvents(queue, 2, mixed.as_ptr()));
        "waiting for an event of another context" => CL_INVALID_CONTEXT,
            call!(clEnqueueWaitForEvents(queue, 1, &foreign));
        "a marker before" => CL_SUCCESS, call!(clEnqueueMarker(queue, &mut before));
        "waiting" => CL_SUCCESS, call!(clEnqueueWaitForEvents(queue, 1, &user));
        "a barrier" => CL_SUCCESS, call!(clEnqueueBarrier(queue));
        "a marker behind" => CL_SUCCESS, call!(clEnqueueMarker(queue, &mut behind));
        "a flush" => CL_SUCCESS, call!(clFlush(queue));
        "the marker before ends" => CL_SUCCESS, call!(clWaitForEvents(1, &before));
    }
    assert_ne!(event_number(behind, cl::CL_EVENT_COMMAND_EXECUTION_STATUS), cl::CL_COMPLETE);
    ok!(clSetUserEventStatus(user, cl::CL_COMPLETE));
    ok!(clWaitForEvents(1, &behind));
    assert_eq!(event_number(behind, cl::CL_EVENT_COMMAND_TYPE), cl::CL_COMMAND_MARKER as i32);
    for event in [user, foreign, before, behind] {
        ok!(clRetainEvent(event));
        assert_eq!(event_number(event, cl::CL_EVENT_REFERENCE_COUNT), 2);
        ok!(clReleaseEvent(event));
        ok!(clReleaseEvent(event));
    }
    ok!(clReleaseCommandQueue(queue));
}

/// What callbacks reported: the number that each was registered with, and the status.
static REPORTS: Mutex<Vec<(usize, cl::cl_int)>> = Mutex::new(Vec::new());

unsafe extern "C-unwind" fn report(_: cl::cl_event, status: cl::cl_int, number: *mut c_void) {
    REPORTS.lock().unwrap().push((number.addr(), status));
}

/// What was reported under numbers from `first` to `first + 9`, once there are `count` reports.
fn reports(first: usize, count: usize) -> Vec<(usize, cl::cl_int)> {
    let start = Instant::now();
    loop {
        let all = REPORTS.lock().unwrap();
        let mine: Vec<_> = all.iter().filter(|(number, _)| (first..first + 10).contains(number)).copied().collect();
        if mine.len() >= count || start.elapsed() > Duration::from_secs(60) {
            return mine;
        }
        drop(all);
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn callbacks_come_for_every_state_of_a_command_also_when_they_are_late() {
    let setup = Setup::new();
    let user = create!(clCreateUserEvent(setup.context));
    let mut event = null_mut();
    ok!(clEnqueueMarkerWithWaitList(setup.queue, 1, &user, &mut event));
    let states = [cl::CL_SUBMITTED, cl::CL_RUNNING, cl::CL_COMPLETE];
    for (index, state) in states.into_iter().enumerate() {
        ok!(clSetEventCallback(event, state, Some(report), (10 + index) as *mut c_void));
    }
    ok!(clSetUserEventStatus(user, cl::CL_COMPLETE));
    let expected: Vec<_> = states.into_iter().enumerate().map(|(index, state)| (10 + index, state)).collect();
    assert_eq!(reports(10, 3), expected);
    for (index, state) in states.into_iter().enumerate() {
        ok!(clSetEventCallback(event, state, Some(report), (20 + index) as *mut c_void));
    }
    let mut late = reports(20, 3);
    late.sort_unstable();
    assert_eq!(late, [(20, cl::CL_SUBMITTED), (21, cl::CL_RUNNING), (22, cl::CL_COMPLETE)]);
    ok!(clReleaseEvent(event));
    ok!(clReleaseEvent(user));
}

#[test]
fn what_waits_for_a_failed_user_event_fails_and_says_so() {
    let setup = Setup::new();
    let (queue, user) = (setup.queue, create!(clCreateUserEvent(setup.context)));
    let buffer = setup.buffer(0, 64);
    let (mut event, mut behind) = (null_mut(), null_mut());
    let pattern = 3u8;
    let pointer = (&raw const pattern).cast();
    ok!(clEnqueueFillBuffer(queue, buffer, pointer, 1, 0, 64, 1, &user, &mut event));
    ok!(clEnqueueMarkerWithWaitList(queue, 1, &event, &mut behind));
    ok!(clSetEventCallback(user, cl::CL_COMPLETE, Some(report), 30 as *mut c_void));
    ok!(clSetEventCallback(behind, cl::CL_COMPLETE, Some(report), 31 as *mut c_void));
    ok!(clFlush(queue));
    ok!(clSetUserEventStatus(user, -77));
    let failed = cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    let mut told = reports(30, 2);
    told.sort_unstable();
    assert_eq!(told, [(30, -77), (31, failed)]);
    let mut bytes = [0u8; 64];
    let place = bytes.as_mut_ptr().cast();
    table! {
        "waiting for the user event" => CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, call!(clWaitForEvents(1, &user));
        "waiting for the command" => CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, call!(clWaitForEvents(1, &event));
        "a blocking read that waits for it" => CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
            call!(clEnqueueReadBuffer(queue, buffer, cl::CL_TRUE, 0, 64, place, 1, &event, null_mut()));
        "finishing" => CL_SUCCESS, call!(clFinish(queue));
        "a second status" => CL_INVALID_OPERATION, call!(clSetUserEventStatus(user, cl::CL_COMPLETE));
    }
    assert_eq!(event_number(user, cl::CL_EVENT_COMMAND_EXECUTION_STATUS), -77);
    assert_eq!(event_number(event, cl::CL_EVENT_COMMAND_EXECUTION_STATUS), failed);
    for event in [user, event, behind] {
        ok!(clReleaseEvent(event));
    }
    ok!(clReleaseMemObject(buffer));
}

/// Each work-group says that it is there, notes how many are there, and stays a while.
const COUNTING: &str = "
    kernel void count_groups(volatile global int *now, global int *seen) {
        seen[get_group_id(0)] = atomic_add(now, 1) + 1;
        for (volatile int spin = 0; spin < 20000; ++spin) {}
        atomic_sub(now, 1);
    }";
/// Work-groups of a launch.
const GROUPS: usize = 64;

#[test]
fn no_more_work_groups_run_at_once_than_a_part_of_the_device_has_compute_units() {
    let setup = Setup::new();
    let units: u32 = setup.device_number(cl::CL_DEVICE_MAX_COMPUTE_UNITS);
    if units < 2 {
        return;
    }
    let list = [cl::CL_DEVICE_PARTITION_BY_COUNTS, 1, units as isize - 1, 0, 0];
    let mut parts = [null_mut(); 2];
    ok!(clCreateSubDevices(setup.device, list.as_ptr(), 2, parts.as_mut_ptr(), null_mut()));
    let context = create!(clCreateContext(null(), 2, parts.as_ptr(), None, null_mut()));
    let words = compile(COUNTING, Level::Plain).unwrap();
    let program = create!(clCreateProgramWithIL(context, words.as_ptr().cast(), words.len()));
    ok!(clBuildProgram(program, 0, null(), null(), None, null_mut()));
    let kernel = create!(clCreateKernel(program, c"count_groups".as_ptr()));
    for (part, units) in parts.into_iter().zip([1, units - 1]) {
        let queue = create!(clCreateCommandQueueWithProperties(context, part, null()));
        let mut seen = [0i32; GROUPS];
        let place = seen.as_mut_ptr().cast();
        let zeroed = || create!(clCreateBuffer(context, cl::CL_MEM_COPY_HOST_PTR, size_of_val(&seen), place));
        let (now, most) = (zeroed(), zeroed());
        ok!(clSetKernelArg(kernel, 0, size_of::<cl::cl_mem>(), (&raw const now).cast()));
        ok!(clSetKernelArg(kernel, 1, size_of::<cl::cl_mem>(), (&raw const most).cast()));
        ok!(clEnqueueNDRangeKernel(queue, kernel, 1, null(), &GROUPS, &1, 0, null(), null_mut()));
        ok!(clEnqueueReadBuffer(queue, most, cl::CL_TRUE, 0, size_of_val(&seen), place, 0, null(), null_mut()));
        let most_seen = seen.iter().max().copied();
        assert!(seen.iter().all(|here| *here >= 1), "a work-group did not run");
        assert!(most_seen <= Some(units as i32), "{most_seen:?} work-groups at once on {units} compute units");
        ok!(clReleaseMemObject(now));
        ok!(clReleaseMemObject(most));
        ok!(clReleaseCommandQueue(queue));
    }
    ok!(clReleaseKernel(kernel));
    ok!(clReleaseProgram(program));
    ok!(clReleaseContext(context));
    for part in parts {
        ok!(clReleaseDevice(part));
    }
}
