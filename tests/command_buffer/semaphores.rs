//! Semaphores between queues; the errors of their entry points.

use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::recording::{Kernels, numbers, zeros};
use crate::support::{Setup, call, create, extension, ok, release_all, table};

const BINARY: [u64; 3] = [cl::CL_SEMAPHORE_TYPE_KHR as u64, cl::CL_SEMAPHORE_TYPE_BINARY_KHR as u64, 0];

/// A semaphore, or the code.
fn create_with(context: cl::cl_context, properties: *const u64) -> Result<cl::cl_semaphore_khr, cl::cl_int> {
    let mut code = 1;
    let semaphore = extension!(clCreateSemaphoreWithPropertiesKHR(context, properties, &mut code));
    assert_eq!(semaphore.is_null(), code != cl::CL_SUCCESS);
    if semaphore.is_null() { Err(code) } else { Ok(semaphore) }
}

fn semaphore(setup: &Setup) -> cl::cl_semaphore_khr {
    create_with(setup.context, BINARY.as_ptr()).unwrap()
}

fn release(semaphore: cl::cl_semaphore_khr) {
    assert_eq!(extension!(clReleaseSemaphoreKHR(semaphore)), cl::CL_SUCCESS);
}

/// A list with its length, null if it is empty.
fn list<T>(values: &[T]) -> (cl::cl_uint, *const T) {
    (values.len() as cl::cl_uint, if values.is_empty() { null() } else { values.as_ptr() })
}

fn signal(queue: cl::cl_command_queue, semaphores: &[cl::cl_semaphore_khr], waits: &[cl::cl_event]) -> cl::cl_event {
    let ((count, semaphores), (events, waits), mut event) = (list(semaphores), list(waits), null_mut());
    let code = extension!(clEnqueueSignalSemaphoresKHR(queue, count, semaphores, null(), events, waits, &mut event));
    assert_eq!(code, cl::CL_SUCCESS);
    event
}

fn wait(queue: cl::cl_command_queue, semaphores: &[cl::cl_semaphore_khr], waits: &[cl::cl_event]) -> cl::cl_event {
    let ((count, semaphores), (events, waits), mut event) = (list(semaphores), list(waits), null_mut());
    let code = extension!(clEnqueueWaitSemaphoresKHR(queue, count, semaphores, null(), events, waits, &mut event));
    assert_eq!(code, cl::CL_SUCCESS);
    event
}

fn payload(semaphore: cl::cl_semaphore_khr) -> u64 {
    let mut value = 99u64;
    let memory = (&raw mut value).cast();
    let code = extension!(clGetSemaphoreInfoKHR(semaphore, cl::CL_SEMAPHORE_PAYLOAD_KHR, 8, memory, null_mut()));
    assert_eq!(code, cl::CL_SUCCESS);
    value
}

fn status(event: cl::cl_event) -> cl::cl_int {
    let mut status = 1;
    let name = cl::CL_EVENT_COMMAND_EXECUTION_STATUS;
    ok!(clGetEventInfo(event, name, 4, (&raw mut status).cast(), null_mut()));
    status
}

fn kind(event: cl::cl_event) -> cl::cl_command_type {
    let mut kind = 0;
    ok!(clGetEventInfo(event, cl::CL_EVENT_COMMAND_TYPE, 4, (&raw mut kind).cast(), null_mut()));
    kind
}

fn release_events(events: &[cl::cl_event]) {
    for &event in events {
        ok!(clReleaseEvent(event));
    }
}

#[test]
fn a_wait_ends_when_the_signal_has_run_whichever_is_enqueued_first() {
    let setup = Setup::new();
    let other = create!(clCreateCommandQueueWithProperties(setup.context, setup.device, null()));
    let semaphore = semaphore(&setup);
    for wait_first in [false, true, true, false] {
        let user = create!(clCreateUserEvent(setup.context));
        let early = wait_first.then(|| wait(other, &[semaphore], &[]));
        let signaled = signal(setup.queue, &[semaphore], &[user]);
        let waited = early.unwrap_or_else(|| wait(other, &[semaphore], &[]));
        ok!(clFlush(other));
        assert!(status(waited) > cl::CL_COMPLETE && status(signaled) > cl::CL_COMPLETE);
        assert_eq!(payload(semaphore), 0);
        ok!(clSetUserEventStatus(user, cl::CL_COMPLETE));
        ok!(clWaitForEvents(1, &waited));
        assert_eq!((status(signaled), status(waited), payload(semaphore)), (0, 0, 0));
        assert_eq!(kind(signaled), cl::CL_COMMAND_SEMAPHORE_SIGNAL_KHR);
        assert_eq!(kind(waited), cl::CL_COMMAND_SEMAPHORE_WAIT_KHR);
        release_events(&[user, signaled, waited]);
    }
    release(semaphore);
    ok!(clReleaseCommandQueue(other));
}

#[test]
fn the_payload_is_one_between_the_signal_and_the_wait() {
    let setup = Setup::new();
    let semaphore = semaphore(&setup);
    assert_eq!(payload(semaphore), 0);
    for _ in 0..3 {
        let signaled = signal(setup.queue, &[semaphore], &[]);
        ok!(clWaitForEvents(1, &signaled));
        assert_eq!(payload(semaphore), 1);
        // What is signaled can be signaled again, to no effect.
        let again = signal(setup.queue, &[semaphore], &[]);
        ok!(clWaitForEvents(1, &again));
        assert_eq!(payload(semaphore), 1);
        let waited = wait(setup.queue, &[semaphore], &[]);
        ok!(clWaitForEvents(1, &waited));
        assert_eq!(payload(semaphore), 0);
        release_events(&[signaled, again, waited]);
    }
    release(semaphore);
}

/// Two queues that hand work to each other: each step of one waits for the last of the other.
#[test]
fn queues_take_turns_by_two_semaphores() {
    let setup = Setup::new();
    let other = create!(clCreateCommandQueueWithProperties(setup.context, setup.device, null()));
    let kernels = Kernels::new(&setup);
    let data = zeros(&setup, 2000);
    let (there, back) = (semaphore(&setup), semaphore(&setup));
    let steps = [kernels.step(data, 3, 1), kernels.step(data, 1, 2)];
    let mut events = vec![signal(setup.queue, &[back], &[])];
    let mut expected = 0i32;
    let launch = |queue, step| {
        let items = 2000usize;
        ok!(clEnqueueNDRangeKernel(queue, step, 1, null(), &items, null(), 0, null(), null_mut()));
    };
    for _ in 0..15 {
        events.push(wait(setup.queue, &[back], &[]));
        launch(setup.queue, steps[0]);
        events.push(signal(setup.queue, &[there], &[]));
        events.push(wait(other, &[there], &[]));
        launch(other, steps[1]);
        events.push(signal(other, &[back], &[]));
        expected = expected.wrapping_mul(3).wrapping_add(3);
    }
    ok!(clFinish(other));
    assert_eq!(numbers(&setup, data), [expected; 2000]);
    release_events(&events);
    for step in steps {
        ok!(clReleaseKernel(step));
    }
    release(there);
    release(back);
    ok!(clReleaseCommandQueue(other));
    release_all(&[data]);
}

#[test]
fn several_semaphores_are_signaled_and_awaited_by_one_command() {
    let setup = Setup::new();
    let queue = setup.out_of_order();
    let semaphores = [semaphore(&setup), semaphore(&setup), semaphore(&setup)];
    let both = wait(queue, &semaphores[..2], &[]);
    let first = signal(queue, &semaphores[1..], &[]);
    ok!(clWaitForEvents(1, &first));
    assert!(status(both) > cl::CL_COMPLETE);
    let second = signal(queue, &semaphores[..1], &[]);
    ok!(clWaitForEvents(1, &both));
    assert_eq!(semaphores.map(payload), [0, 0, 1]);
    release_events(&[both, first, second]);
    for semaphore in semaphores {
        release(semaphore);
    }
    ok!(clReleaseCommandQueue(queue));
}

#[test]
fn a_signal_that_fails_fails_the_wait_and_leaves_the_semaphore_as_it_was() {
    let setup = Setup::new();
    let semaphore = semaphore(&setup);
    let queue = setup.out_of_order();
    let user = create!(clCreateUserEvent(setup.context));
    let signaled = signal(queue, &[semaphore], &[user]);
    let waited = wait(queue, &[semaphore], &[]);
    ok!(clSetUserEventStatus(user, -7));
    assert_eq!(call!(clWaitForEvents(1, &waited)), cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert!(status(signaled) < 0 && status(waited) < 0);
    assert_eq!(payload(semaphore), 0);
    let next = [signal(queue, &[semaphore], &[]), wait(queue, &[semaphore], &[])];
    ok!(clWaitForEvents(2, next.as_ptr()));
    release_events(&next);
    release_events(&[user, signaled, waited]);
    release(semaphore);
    ok!(clReleaseCommandQueue(queue));
}

#[test]
fn a_semaphore_lives_as_long_as_commands_use_it() {
    let setup = Setup::new();
    let queue = setup.out_of_order();
    let semaphore = semaphore(&setup);
    let user = create!(clCreateUserEvent(setup.context));
    let events = [signal(queue, &[semaphore], &[user]), wait(queue, &[semaphore], &[])];
    release(semaphore);
    ok!(clSetUserEventStatus(user, cl::CL_COMPLETE));
    ok!(clWaitForEvents(2, events.as_ptr()));
    release_events(&events);
    release_events(&[user]);
    ok!(clReleaseCommandQueue(queue));
}

#[test]
fn many_signals_and_waits_from_two_threads_find_each_other() {
    let setup = Setup::new();
    let semaphore = semaphore(&setup);
    let rounds = 500;
    let queues = [setup.out_of_order(), setup.out_of_order()].map(|queue| queue.addr());
    let handle = semaphore.addr();
    std::thread::scope(|scope| {
        for (number, queue) in queues.into_iter().enumerate() {
            scope.spawn(move || {
                let queue = std::ptr::with_exposed_provenance_mut(queue);
                let semaphore = std::ptr::with_exposed_provenance_mut(handle);
                for _ in 0..rounds {
                    let event =
                        if number == 0 { signal(queue, &[semaphore], &[]) } else { wait(queue, &[semaphore], &[]) };
                    ok!(clWaitForEvents(1, &event));
                    // No second signal before a wait has taken the first.
                    while number == 0 && payload(semaphore) != 0 {
                        std::thread::yield_now();
                    }
                    ok!(clReleaseEvent(event));
                }
                ok!(clFinish(queue));
            });
        }
    });
    assert_eq!(payload(semaphore), 0);
    release(semaphore);
    for queue in queues {
        ok!(clReleaseCommandQueue(std::ptr::with_exposed_provenance_mut(queue)));
    }
}

#[test]
fn creation() {
    let setup = Setup::new();
    let kind = cl::CL_SEMAPHORE_TYPE_KHR as u64;
    let devices = cl::CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR as u64;
    let device = setup.device.expose_provenance() as u64;
    let with = |context, list: &[u64]| match create_with(context, list.as_ptr()) {
        Ok(semaphore) => {
            release(semaphore);
            cl::CL_SUCCESS
        }
        Err(code) => code,
    };
    let one = |list: &[u64]| with(setup.context, list);
    table! {
        "a type" => CL_SUCCESS, one(&[kind, 1, 0]);
        "a type and a device" => CL_SUCCESS, one(&[kind, 1, devices, device, 0, 0]);
        "a device and a type" => CL_SUCCESS, one(&[devices, device, 0, kind, 1, 0]);
        "no context" => CL_INVALID_CONTEXT, with(null_mut(), &[kind, 1, 0]);
        "no list" => CL_INVALID_VALUE, create_with(setup.context, null()).map_or_else(|code| code, |_| 1);
        "an empty list" => CL_INVALID_VALUE, one(&[0]);
        "no type" => CL_INVALID_VALUE, one(&[devices, device, 0, 0]);
        "a type that does not exist" => CL_INVALID_PROPERTY, one(&[kind, u64::MAX, 0]);
        "an unknown name" => CL_INVALID_PROPERTY, one(&[u64::MAX]);
        "a name twice" => CL_INVALID_PROPERTY, one(&[kind, 1, kind, 0]);
        "devices twice" => CL_INVALID_PROPERTY, one(&[devices, device, 0, devices, 0]);
        "no device" => CL_INVALID_DEVICE, one(&[kind, 1, devices, 0, 0]);
        "two devices" => CL_INVALID_DEVICE, one(&[kind, 1, devices, device, device, 0, 0]);
        "what is no device" => CL_INVALID_DEVICE, one(&[kind, 1, devices, 64, 0, 0]);
    }
}

/// A context with two parts of the device.
#[test]
fn a_semaphore_is_of_one_device() {
    let setup = Setup::new();
    if setup.device_number::<u32>(cl::CL_DEVICE_MAX_COMPUTE_UNITS) < 2 {
        return;
    }
    let counts = [cl::CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, cl::CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0];
    let mut parts = [null_mut(); 2];
    ok!(clCreateSubDevices(setup.device, counts.as_ptr(), 2, parts.as_mut_ptr(), null_mut()));
    let context = create!(clCreateContext(null(), 2, parts.as_ptr(), None, null_mut()));
    let queues = parts.map(|part| create!(clCreateCommandQueueWithProperties(context, part, null())));
    assert_eq!(create_with(context, BINARY.as_ptr()), Err(cl::CL_INVALID_PROPERTY));
    let named = |device: cl::cl_device_id| {
        let devices = cl::CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR as u64;
        let list = [BINARY[0], BINARY[1], devices, device.expose_provenance() as u64, 0, 0];
        create_with(context, list.as_ptr())
    };
    assert_eq!(named(setup.device), Err(cl::CL_INVALID_DEVICE));
    let semaphore = named(parts[1]).unwrap();
    let mut answer = null_mut::<u8>();
    let name = cl::CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR;
    let code = extension!(clGetSemaphoreInfoKHR(semaphore, name, 8, (&raw mut answer).cast(), null_mut()));
    assert_eq!((code, answer), (cl::CL_SUCCESS, parts[1].cast()));
    for (queue, expected) in queues.into_iter().zip([cl::CL_INVALID_COMMAND_QUEUE, cl::CL_SUCCESS]) {
        let none = (null(), null(), null_mut());
        assert_eq!(extension!(clEnqueueSignalSemaphoresKHR(queue, 1, &semaphore, none.0, 0, none.1, none.2)), expected);
        assert_eq!(extension!(clEnqueueWaitSemaphoresKHR(queue, 1, &semaphore, none.0, 0, none.1, none.2)), expected);
        ok!(clFinish(queue));
        ok!(clReleaseCommandQueue(queue));
    }
    // A queue of the whole device, in another context, may signal.
    let signaled = signal(setup.queue, &[semaphore], &[]);
    ok!(clWaitForEvents(1, &signaled));
    assert_eq!(payload(semaphore), 1);
    release_events(&[signaled]);
    let code = extension!(clEnqueueWaitSemaphoresKHR(setup.queue, 1, &semaphore, null(), 0, null(), null_mut()));
    assert_eq!(code, cl::CL_INVALID_COMMAND_QUEUE);
    release(semaphore);
    ok!(clReleaseContext(context));
    for part in parts {
        ok!(clReleaseDevice(part));
    }
}

#[test]
fn signals_and_waits() {
    let (setup, other) = (Setup::new(), Setup::new());
    let (semaphore, foreign) = (semaphore(&setup), semaphore(&other));
    let failed = create!(clCreateUserEvent(setup.context));
    ok!(clSetUserEventStatus(failed, -1));
    let away = create!(clCreateUserEvent(other.context));
    type Enqueue = fn(cl::cl_command_queue, u32, *const cl::cl_semaphore_khr, u32, *const cl::cl_event) -> cl::cl_int;
    let signals: Enqueue = |queue, count, semaphores, events, list| {
        extension!(clEnqueueSignalSemaphoresKHR(queue, count, semaphores, null(), events, list, null_mut()))
    };
    let waits: Enqueue = |queue, count, semaphores, events, list| {
        extension!(clEnqueueWaitSemaphoresKHR(queue, count, semaphores, null(), events, list, null_mut()))
    };
    for enqueue in [signals, waits] {
        let one = |semaphore: cl::cl_semaphore_khr| enqueue(setup.queue, 1, &semaphore, 0, null());
        table! {
            "a semaphore" => CL_SUCCESS, one(semaphore);
            "no queue" => CL_INVALID_COMMAND_QUEUE, enqueue(null_mut(), 1, &semaphore, 0, null());
            "no semaphores" => CL_INVALID_VALUE, enqueue(setup.queue, 0, null(), 0, null());
            "a list without a count" => CL_INVALID_VALUE, enqueue(setup.queue, 0, &semaphore, 0, null());
            "a count without a list" => CL_INVALID_VALUE, enqueue(setup.queue, 1, null(), 0, null());
            "a null semaphore" => CL_INVALID_SEMAPHORE_KHR, one(null_mut());
            "a queue for a semaphore" => CL_INVALID_SEMAPHORE_KHR, one(setup.queue.cast());
            "a semaphore of another context" => CL_INVALID_CONTEXT, one(foreign);
            "an event of another context" => CL_INVALID_CONTEXT, enqueue(setup.queue, 1, &semaphore, 1, &away);
            "a count without events" => CL_INVALID_EVENT_WAIT_LIST, enqueue(setup.queue, 1, &semaphore, 1, null());
            "events without a count" => CL_INVALID_EVENT_WAIT_LIST, enqueue(setup.queue, 1, &semaphore, 0, &failed);
            "a null event" => CL_INVALID_EVENT_WAIT_LIST, enqueue(setup.queue, 1, &semaphore, 1, &null_mut());
            "an event that has failed" => CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
                enqueue(setup.queue, 1, &semaphore, 1, &failed);
        }
    }
    setup.finish();
    release_events(&[failed, away]);
    release(semaphore);
    release(foreign);
}

#[test]
fn queries_and_references() {
    let setup = Setup::new();
    let semaphore = semaphore(&setup);
    let info = |name, size| {
        let (mut bytes, mut needed) = ([0u8; 64], 0);
        let code = extension!(clGetSemaphoreInfoKHR(semaphore, name, size, bytes.as_mut_ptr().cast(), &mut needed));
        (code, bytes[..needed.min(64)].to_vec())
    };
    let is = |bytes: &[u8]| (cl::CL_SUCCESS, bytes.to_vec());
    assert_eq!(info(cl::CL_SEMAPHORE_CONTEXT_KHR, 8), is(&setup.context.addr().to_ne_bytes()));
    assert_eq!(info(cl::CL_SEMAPHORE_TYPE_KHR, 4), is(&1u32.to_ne_bytes()));
    assert_eq!(info(cl::CL_SEMAPHORE_PROPERTIES_KHR, 24), is(&BINARY.map(u64::to_ne_bytes).concat()));
    assert_eq!(info(cl::CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, 8), is(&setup.device.addr().to_ne_bytes()));
    assert_eq!(info(cl::CL_SEMAPHORE_REFERENCE_COUNT_KHR, 4), is(&1u32.to_ne_bytes()));
    assert_eq!(extension!(clRetainSemaphoreKHR(semaphore)), cl::CL_SUCCESS);
    assert_eq!(info(cl::CL_SEMAPHORE_REFERENCE_COUNT_KHR, 4), is(&2u32.to_ne_bytes()));
    release(semaphore);
    for (name, size) in [(cl::CL_SEMAPHORE_TYPE_KHR, 3), (cl::CL_SEMAPHORE_PROPERTIES_KHR, 8), (0, 64), (u32::MAX, 64)]
    {
        assert_eq!(info(name, size).0, cl::CL_INVALID_VALUE, "{name:#x} with {size} bytes");
    }
    let export = |device| {
        let kind = cl::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR;
        extension!(clGetSemaphoreHandleForTypeKHR(semaphore, device, kind, 0, null_mut(), null_mut()))
    };
    table! {
        "a handle to export" => CL_INVALID_VALUE, export(setup.device);
        "a handle for no device" => CL_INVALID_DEVICE, export(null_mut());
    }
    release(semaphore);
    table! {
        "a query of what is released" => CL_INVALID_SEMAPHORE_KHR, info(cl::CL_SEMAPHORE_TYPE_KHR, 4).0;
        "export what is released" => CL_INVALID_SEMAPHORE_KHR, export(setup.device);
        "retain what is released" => CL_INVALID_SEMAPHORE_KHR, extension!(clRetainSemaphoreKHR(semaphore));
        "release what is released" => CL_INVALID_SEMAPHORE_KHR, extension!(clReleaseSemaphoreKHR(semaphore));
        "release null" => CL_INVALID_SEMAPHORE_KHR, extension!(clReleaseSemaphoreKHR(null_mut()));
    }
}
