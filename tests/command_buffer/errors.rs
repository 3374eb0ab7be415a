//! Error codes per entry point, but those of updates.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::recording::{Kernels, Recording, zeros};
use crate::support::{Setup, call, create, extension, ok, release_all, table};

/// A recording, another context's objects, and what else the tables need.
struct Case {
    setup: Setup,
    other: Setup,
    recording: Recording,
    finalized: Recording,
    kernels: Kernels,
    data: cl::cl_mem,
    more: cl::cl_mem,
    kernel: cl::cl_kernel,
}

impl Case {
    fn new() -> Case {
        let (setup, other) = (Setup::new(), Setup::new());
        let (data, more) = (zeros(&setup, 64), zeros(&setup, 64));
        let kernels = Kernels::new(&setup);
        let kernel = kernels.step(data, 1, 1);
        let recording = Recording::new(setup.queue);
        let finalized = Recording::new(setup.queue);
        finalized.finalize();
        Case { setup, other, recording, finalized, kernels, data, more, kernel }
    }
}

impl Drop for Case {
    fn drop(&mut self) {
        call!(clReleaseKernel(self.kernel));
        release_all(&[self.data, self.more]);
    }
}

fn create_code(count: u32, queues: *const cl::cl_command_queue, properties: &[u64]) -> cl::cl_int {
    let mut code = 1;
    let properties = if properties.is_empty() { null() } else { properties.as_ptr() };
    let handle = extension!(clCreateCommandBufferKHR(count, queues, properties, &mut code));
    assert_eq!(handle.is_null(), code != cl::CL_SUCCESS);
    if !handle.is_null() {
        assert_eq!(extension!(clReleaseCommandBufferKHR(handle)), cl::CL_SUCCESS);
    }
    code
}

#[test]
fn creation() {
    let setup = Setup::new();
    let two = [setup.queue, setup.queue];
    let flags = cl::CL_COMMAND_BUFFER_FLAGS_KHR;
    let asserts = cl::CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR;
    let one = |properties: &[u64]| create_code(1, two.as_ptr(), properties);
    let not_a_queue = [setup.context.cast()];
    table! {
        "no properties" => CL_SUCCESS, one(&[]);
        "an empty list" => CL_SUCCESS, one(&[0]);
        "every flag that is supported" => CL_SUCCESS, one(&[flags, 3, asserts, 1, 0]);
        "no queues" => CL_INVALID_VALUE, create_code(0, two.as_ptr(), &[]);
        "two queues" => CL_INVALID_VALUE, create_code(2, two.as_ptr(), &[]);
        "a null list of queues" => CL_INVALID_VALUE, create_code(1, null(), &[]);
        "a null queue" => CL_INVALID_COMMAND_QUEUE, create_code(1, &null_mut(), &[]);
        "a context for a queue" => CL_INVALID_COMMAND_QUEUE, create_code(1, not_a_queue.as_ptr(), &[]);
        // A list that has no end: nothing behind the unknown name is read.
        "an unknown name" => CL_INVALID_VALUE, one(&[u64::MAX]);
        "a name twice" => CL_INVALID_VALUE, one(&[flags, 2, flags]);
        "flags that do not exist" => CL_INVALID_VALUE, one(&[flags, u64::MAX, 0]);
        "promises that do not exist" => CL_INVALID_VALUE, one(&[asserts, 2, 0]);
        "synchronisation between devices" => CL_INVALID_PROPERTY,
            one(&[flags, cl::CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR, 0]);
    }
}

#[test]
fn life() {
    let case = Case::new();
    let gone = {
        let recording = Recording::new(case.setup.queue);
        recording.handle
    };
    table! {
        "retain null" => CL_INVALID_COMMAND_BUFFER_KHR, extension!(clRetainCommandBufferKHR(null_mut()));
        "release null" => CL_INVALID_COMMAND_BUFFER_KHR, extension!(clReleaseCommandBufferKHR(null_mut()));
        "release what is released" => CL_INVALID_COMMAND_BUFFER_KHR, extension!(clReleaseCommandBufferKHR(gone));
        "finalize null" => CL_INVALID_COMMAND_BUFFER_KHR, extension!(clFinalizeCommandBufferKHR(null_mut()));
        "finalize a queue" => CL_INVALID_COMMAND_BUFFER_KHR,
            extension!(clFinalizeCommandBufferKHR(case.setup.queue.cast()));
        "finalize twice" => CL_INVALID_OPERATION, extension!(clFinalizeCommandBufferKHR(case.finalized.handle));
        "retain" => CL_SUCCESS, extension!(clRetainCommandBufferKHR(case.finalized.handle));
        "release" => CL_SUCCESS, extension!(clReleaseCommandBufferKHR(case.finalized.handle));
    }
}

#[test]
fn enqueue() {
    let case = Case::new();
    let (setup, other) = (&case.setup, &case.other);
    let user = create!(clCreateUserEvent(other.context));
    let enqueue = |count: u32, queues: &[cl::cl_command_queue], buffer, waits: u32, events: *const cl::cl_event| {
        let queues: *mut cl::cl_command_queue = if queues.is_empty() { null_mut() } else { queues.as_ptr().cast_mut() };
        extension!(clEnqueueCommandBufferKHR(count, queues, buffer, waits, events, null_mut()))
    };
    let buffer = case.finalized.handle;
    table! {
        "its own queue" => CL_SUCCESS, enqueue(0, &[], buffer, 0, null());
        "its own queue by name" => CL_SUCCESS, enqueue(1, &[setup.queue], buffer, 0, null());
        "no command buffer" => CL_INVALID_COMMAND_BUFFER_KHR, enqueue(0, &[], null_mut(), 0, null());
        "one that is not finalised" => CL_INVALID_OPERATION, enqueue(0, &[], case.recording.handle, 0, null());
        "a count without queues" => CL_INVALID_VALUE, enqueue(1, &[], buffer, 0, null());
        "queues without a count" => CL_INVALID_VALUE, enqueue(0, &[setup.queue], buffer, 0, null());
        "more queues than it was made for" => CL_INVALID_VALUE,
            enqueue(2, &[setup.queue, setup.queue], buffer, 0, null());
        "a null queue" => CL_INVALID_COMMAND_QUEUE, enqueue(1, &[null_mut()], buffer, 0, null());
        "a queue of another context" => CL_INVALID_CONTEXT, enqueue(1, &[other.queue], buffer, 0, null());
        "an event of another context" => CL_INVALID_CONTEXT, enqueue(0, &[], buffer, 1, &user);
        "a count without events" => CL_INVALID_EVENT_WAIT_LIST, enqueue(0, &[], buffer, 1, null());
        "events without a count" => CL_INVALID_EVENT_WAIT_LIST, enqueue(0, &[], buffer, 0, &user);
        "a null event" => CL_INVALID_EVENT_WAIT_LIST, enqueue(0, &[], buffer, 1, &null_mut());
    }
    ok!(clReleaseEvent(user));
}

/// A sub-device is another device.
#[test]
fn a_replacement_queue_has_the_same_device() {
    let setup = Setup::new();
    if setup.device_number::<u32>(cl::CL_DEVICE_MAX_COMPUTE_UNITS) < 2 {
        return;
    }
    let list = [cl::CL_DEVICE_PARTITION_BY_COUNTS, 1, cl::CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0];
    let mut part = null_mut();
    ok!(clCreateSubDevices(setup.device, list.as_ptr(), 1, &mut part, null_mut()));
    let devices = [setup.device, part];
    let context = create!(clCreateContext(null(), 2, devices.as_ptr(), None, null_mut()));
    let queues = devices.map(|device| create!(clCreateCommandQueueWithProperties(context, device, null())));
    let recording = Recording::new(queues[0]);
    recording.finalize();
    let mut queue = queues[1];
    let code = extension!(clEnqueueCommandBufferKHR(1, &mut queue, recording.handle, 0, null(), null_mut()));
    assert_eq!(code, cl::CL_INVALID_DEVICE);
    for queue in queues {
        ok!(clReleaseCommandQueue(queue));
    }
    ok!(clReleaseContext(context));
    ok!(clReleaseDevice(part));
}

/// What every command refuses, shown of the barrier.
#[test]
fn commands_in_general() {
    let case = Case::new();
    let buffer = case.recording.handle;
    let point = case.recording.barrier(&[]);
    let barrier = |buffer, queue, properties: &[u64], waits: u32, points: *const u32, handle: *mut _| {
        let properties = if properties.is_empty() { null() } else { properties.as_ptr() };
        extension!(clCommandBarrierWithWaitListKHR(buffer, queue, properties, waits, points, null_mut(), handle))
    };
    let (queue, none) = (case.setup.queue, null_mut());
    let mut handle = null_mut();
    table! {
        "a barrier" => CL_SUCCESS, barrier(buffer, none, &[], 1, &point, none.cast());
        "an empty list of properties" => CL_SUCCESS, barrier(buffer, none, &[0], 0, null(), none.cast());
        "no command buffer, and a queue" => CL_INVALID_COMMAND_BUFFER_KHR,
            barrier(null_mut(), queue, &[], 0, null(), none.cast());
        "a queue" => CL_INVALID_COMMAND_QUEUE, barrier(buffer, queue, &[], 0, null(), none.cast());
        "a finalised command buffer" => CL_INVALID_OPERATION,
            barrier(case.finalized.handle, none, &[], 0, null(), none.cast());
        "a property" => CL_INVALID_VALUE, barrier(buffer, none, &[u64::MAX], 0, null(), none.cast());
        "a property of launches" => CL_INVALID_VALUE,
            barrier(buffer, none, &[cl::CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, 1, 0], 0, null(), none.cast());
        "a handle" => CL_INVALID_VALUE, barrier(buffer, none, &[], 0, null(), &mut handle);
        "a count without points" => CL_INVALID_SYNC_POINT_WAIT_LIST_KHR,
            barrier(buffer, none, &[], 1, null(), none.cast());
        "points without a count" => CL_INVALID_SYNC_POINT_WAIT_LIST_KHR,
            barrier(buffer, none, &[], 0, &point, none.cast());
        "a point that is none" => CL_INVALID_SYNC_POINT_WAIT_LIST_KHR,
            barrier(buffer, none, &[], 1, &0, none.cast());
        "a point to come" => CL_INVALID_SYNC_POINT_WAIT_LIST_KHR,
            barrier(buffer, none, &[], 1, &1000, none.cast());
        "a list that no memory holds" => CL_INVALID_SYNC_POINT_WAIT_LIST_KHR,
            barrier(buffer, none, &[], u32::MAX, std::ptr::without_provenance(usize::MAX - 3), none.cast());
    }
}

#[test]
fn copies_and_fills() {
    let case = Case::new();
    let (data, more, foreign) = (case.data, case.more, zeros(&case.other, 64));
    let copy = |from, to, at, size| {
        let buffer = case.recording.handle;
        let (none, points) = (null_mut(), null_mut());
        extension!(clCommandCopyBufferKHR(buffer, none, null(), from, to, at, 0, size, 0, null(), points, null_mut()))
    };
    let fill = |to, pattern: *const c_void, width, at, size| {
        let buffer = case.recording.handle;
        let (none, points) = (null_mut(), null_mut());
        extension!(clCommandFillBufferKHR(
            buffer,
            none,
            null(),
            to,
            pattern,
            width,
            at,
            size,
            0,
            null(),
            points,
            null_mut()
        ))
    };
    let rect = |from, to, region: *const usize| {
        let (buffer, origin) = (case.recording.handle, [0usize; 3].as_ptr());
        extension!(clCommandCopyBufferRectKHR(
            buffer,
            null_mut(),
            null(),
            from,
            to,
            origin,
            origin,
            region,
            0,
            0,
            0,
            0,
            0,
            null(),
            null_mut(),
            null_mut()
        ))
    };
    let pattern: *const c_void = (&raw const case.data).cast();
    table! {
        "a copy" => CL_SUCCESS, copy(data, more, 0, 256);
        "a copy from nothing" => CL_INVALID_MEM_OBJECT, copy(null_mut(), more, 0, 4);
        "a copy to nothing" => CL_INVALID_MEM_OBJECT, copy(data, null_mut(), 0, 4);
        "a copy from another context" => CL_INVALID_CONTEXT, copy(foreign, more, 0, 4);
        "a copy to another context" => CL_INVALID_CONTEXT, copy(data, foreign, 0, 4);
        "a copy past the end" => CL_INVALID_VALUE, copy(data, more, 4, 256);
        "a copy onto itself" => CL_MEM_COPY_OVERLAP, copy(data, data, 4, 8);
        "a fill" => CL_SUCCESS, fill(data, pattern, 4, 8, 16);
        "a fill of nothing" => CL_INVALID_MEM_OBJECT, fill(null_mut(), pattern, 4, 0, 16);
        "a fill of another context" => CL_INVALID_CONTEXT, fill(foreign, pattern, 4, 0, 16);
        "a fill past the end" => CL_INVALID_VALUE, fill(data, pattern, 4, 252, 8);
        "a fill without a pattern" => CL_INVALID_VALUE, fill(data, null(), 4, 0, 16);
        "a pattern of three bytes" => CL_INVALID_VALUE, fill(data, pattern, 3, 0, 12);
        "a fill that is no whole number of patterns" => CL_INVALID_VALUE, fill(data, pattern, 4, 0, 6);
        "a rectangle" => CL_SUCCESS, rect(data, more, [4, 4, 1].as_ptr());
        "a rectangle without a region" => CL_INVALID_VALUE, rect(data, more, null());
        "a rectangle without a row" => CL_INVALID_VALUE, rect(data, more, [4, 0, 1].as_ptr());
        "a rectangle past the end" => CL_INVALID_VALUE, rect(data, more, [64, 5, 1].as_ptr());
        "a rectangle from nothing" => CL_INVALID_MEM_OBJECT, rect(null_mut(), more, [4, 4, 1].as_ptr());
        "a rectangle of another context" => CL_INVALID_CONTEXT, rect(data, foreign, [4, 4, 1].as_ptr());
    }
    release_all(&[foreign]);
}

#[test]
fn shared_memory() {
    let case = Case::new();
    let shared: *mut c_void = call!(clSVMAlloc(case.setup.context, 0, 64, 0));
    let buffer = case.recording.handle;
    let copy = |to: *mut c_void, from: *const c_void, size| {
        let queue = null_mut();
        extension!(clCommandSVMMemcpyKHR(buffer, queue, null(), to, from, size, 0, null(), null_mut(), null_mut()))
    };
    let fill = |to: *mut c_void, pattern: *const c_void, width, size| {
        let queue = null_mut();
        extension!(clCommandSVMMemFillKHR(
            buffer,
            queue,
            null(),
            to,
            pattern,
            width,
            size,
            0,
            null(),
            null_mut(),
            null_mut()
        ))
    };
    let pattern: *const c_void = (&raw const case.data).cast();
    table! {
        "a copy" => CL_SUCCESS, copy(shared, shared.wrapping_byte_add(32), 32);
        "a copy to null" => CL_INVALID_VALUE, copy(null_mut(), shared, 4);
        "a copy from null" => CL_INVALID_VALUE, copy(shared, null(), 4);
        "a copy past the end" => CL_INVALID_VALUE, copy(shared, shared.wrapping_byte_add(60), 8);
        "a copy onto itself" => CL_MEM_COPY_OVERLAP, copy(shared, shared.wrapping_byte_add(2), 8);
        "a fill" => CL_SUCCESS, fill(shared, pattern, 8, 64);
        "a fill of null" => CL_INVALID_VALUE, fill(null_mut(), pattern, 8, 64);
        "a fill that is not aligned" => CL_INVALID_VALUE, fill(shared.wrapping_byte_add(1), pattern, 8, 8);
        "a fill without a pattern" => CL_INVALID_VALUE, fill(shared, null(), 8, 64);
        "a fill that is no whole number of patterns" => CL_INVALID_VALUE, fill(shared, pattern, 8, 12);
    }
    call!(clSVMFree(case.setup.context, shared));
}

#[test]
fn launches() {
    let case = Case::new();
    let other = Kernels::new(&case.other);
    let (foreign, unset) = (other.kernel(c"step"), case.kernels.kernel(c"step"));
    let fields = cl::CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR;
    let asserts = cl::CL_MUTABLE_DISPATCH_ASSERTS_KHR;
    let arguments = cl::CL_MUTABLE_DISPATCH_ARGUMENTS_KHR;
    let launch = |buffer, properties: &[u64], kernel, dimensions, global: usize, local: Option<&usize>| {
        let properties = if properties.is_empty() { null() } else { properties.as_ptr() };
        let global = [global; 3];
        let local = local.map_or(null(), std::ptr::from_ref);
        let (offset, points, handle) = (null(), null_mut(), null_mut());
        extension!(clCommandNDRangeKernelKHR(
            buffer,
            null_mut(),
            properties,
            kernel,
            dimensions,
            offset,
            global.as_ptr(),
            local,
            0,
            null(),
            points,
            handle
        ))
    };
    let (buffer, kernel) = (case.recording.handle, case.kernel);
    table! {
        "a launch" => CL_SUCCESS, launch(buffer, &[], kernel, 1, 64, None);
        "a launch of nothing" => CL_SUCCESS, launch(buffer, &[], kernel, 1, 0, None);
        "no command buffer" => CL_INVALID_COMMAND_BUFFER_KHR, launch(null_mut(), &[], kernel, 1, 64, None);
        "a finalised command buffer" => CL_INVALID_OPERATION, launch(case.finalized.handle, &[], kernel, 1, 64, None);
        "no kernel" => CL_INVALID_KERNEL, launch(buffer, &[], null_mut(), 1, 64, None);
        "a kernel of another context, without arguments" => CL_INVALID_CONTEXT,
            launch(buffer, &[], foreign, 1, 64, None);
        "a kernel without arguments" => CL_INVALID_KERNEL_ARGS, launch(buffer, &[], unset, 1, 64, None);
        "arguments that nobody can set later" => CL_INVALID_KERNEL_ARGS,
            launch(buffer, &[fields, arguments, 0], unset, 1, 64, None);
        "no dimensions" => CL_INVALID_WORK_DIMENSION, launch(buffer, &[], kernel, 0, 64, None);
        "four dimensions" => CL_INVALID_WORK_DIMENSION, launch(buffer, &[], kernel, 4, 64, None);
        "an empty work-group" => CL_INVALID_WORK_GROUP_SIZE, launch(buffer, &[], kernel, 1, 64, Some(&0));
        "a huge work-group" => CL_INVALID_WORK_ITEM_SIZE, launch(buffer, &[], kernel, 1, 64, Some(&(1 << 40)));
        "an unknown property" => CL_INVALID_VALUE, launch(buffer, &[u64::MAX], kernel, 1, 64, None);
        "a property twice" => CL_INVALID_VALUE, launch(buffer, &[fields, 1, fields], kernel, 1, 64, None);
        "fields that do not exist" => CL_INVALID_VALUE, launch(buffer, &[fields, 1 << 27, 0], kernel, 1, 64, None);
        "promises that do not exist" => CL_INVALID_VALUE, launch(buffer, &[asserts, 4, 0], kernel, 1, 64, Some(&8));
        "no more work-groups of a size that is not known" => CL_INVALID_VALUE,
            launch(buffer, &[asserts, 1, 0], kernel, 1, 64, None);
        "no more work-groups of a size that is known" => CL_SUCCESS,
            launch(buffer, &[asserts, 1, 0], kernel, 1, 64, Some(&8));
    }
    for kernel in [foreign, unset] {
        ok!(clReleaseKernel(kernel));
    }
}

#[test]
fn queries() {
    let case = Case::new();
    let properties = [cl::CL_COMMAND_BUFFER_FLAGS_KHR, cl::CL_COMMAND_BUFFER_MUTABLE_KHR, 0];
    let recording = Recording::with(case.setup.queue, &properties);
    let mut bytes = [0u8; 64];
    let mut info = |name, size| {
        let (mut needed, memory) = (0, bytes.as_mut_ptr().cast());
        let code = extension!(clGetCommandBufferInfoKHR(recording.handle, name, size, memory, &mut needed));
        (code, needed, bytes)
    };
    let expect = |(code, size, bytes): (cl::cl_int, usize, [u8; 64]), expected: &[u8]| {
        assert_eq!((code, &bytes[..size]), (cl::CL_SUCCESS, expected));
    };
    expect(info(cl::CL_COMMAND_BUFFER_NUM_QUEUES_KHR, 4), &1u32.to_ne_bytes());
    expect(info(cl::CL_COMMAND_BUFFER_QUEUES_KHR, 8), &case.setup.queue.addr().to_ne_bytes());
    expect(info(cl::CL_COMMAND_BUFFER_CONTEXT_KHR, 8), &case.setup.context.addr().to_ne_bytes());
    expect(info(cl::CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, 24), &properties.map(u64::to_ne_bytes).concat());
    expect(info(cl::CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR, 4), &1u32.to_ne_bytes());
    assert_eq!(extension!(clRetainCommandBufferKHR(recording.handle)), cl::CL_SUCCESS);
    expect(info(cl::CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR, 64), &2u32.to_ne_bytes());
    assert_eq!(extension!(clReleaseCommandBufferKHR(recording.handle)), cl::CL_SUCCESS);
    assert_eq!(recording.state(), cl::CL_COMMAND_BUFFER_STATE_RECORDING_KHR);
    recording.finalize();
    assert_eq!(recording.state(), cl::CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    for (name, size) in [
        (cl::CL_COMMAND_BUFFER_NUM_QUEUES_KHR, 3),
        (cl::CL_COMMAND_BUFFER_QUEUES_KHR, 7),
        (cl::CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, 23),
        (cl::CL_COMMAND_BUFFER_CONTEXT_KHR, 0),
        (0x1234, 64),
    ] {
        assert_eq!(info(name, size).0, cl::CL_INVALID_VALUE, "{name:#x} with {size} bytes");
    }
    let plain = Recording::new(case.setup.queue);
    let mut size = 1;
    let name = cl::CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR;
    let code = extension!(clGetCommandBufferInfoKHR(plain.handle, name, 0, null_mut(), &mut size));
    assert_eq!((code, size), (cl::CL_SUCCESS, 0));
}
