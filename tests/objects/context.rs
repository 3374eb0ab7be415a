//! Contexts.

use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use khronos_headers as cl;

use crate::platform::platform;
use crate::support::{Setup, at, call, code_of, create, ok, table};

const PLATFORM: isize = cl::CL_CONTEXT_PLATFORM;

unsafe extern "C" fn ignore(_: *const c_char, _: *const c_void, _: usize, _: *mut c_void) {}

#[test]
fn errors_of_creating_a_context() {
    let setup = Setup::new();
    let device = setup.device;
    let both = [device, null_mut()];
    let word = 0;
    // With our platform in the list, so that a loader that looks there comes to us.
    let with = |list: &[isize]| {
        let mut code = 1;
        let context = call!(clCreateContext(list.as_ptr(), 1, &device, None, null_mut(), &mut code));
        if !context.is_null() {
            ok!(clReleaseContext(context));
        }
        code
    };
    let ours = platform().addr() as isize;
    table! {
        "our platform" => CL_SUCCESS, with(&[PLATFORM, ours, 0]);
        "platform twice" => CL_INVALID_PROPERTY, with(&[PLATFORM, ours, PLATFORM, ours, 0]);
        "unknown property" => CL_INVALID_PROPERTY, with(&[PLATFORM, ours, 0x7777, 1, 0]);
        "value that is no boolean" => CL_INVALID_PROPERTY,
            with(&[PLATFORM, ours, cl::CL_CONTEXT_INTEROP_USER_SYNC, 7, 0]);
        "no devices" => CL_INVALID_VALUE, code_of!(clCreateContext(null(), 0, null(), None, null_mut()));
        "null list of devices" => CL_INVALID_VALUE, code_of!(clCreateContext(null(), 1, null(), None, null_mut()));
        "null device" => CL_INVALID_DEVICE, code_of!(clCreateContext(null(), 2, both.as_ptr(), None, null_mut()));
        "queue as device" => CL_INVALID_DEVICE,
            code_of!(clCreateContext(null(), 1, &setup.queue.cast(), None, null_mut()));
        "data without callback" => CL_INVALID_VALUE,
            code_of!(clCreateContext(null(), 1, &device, None, at(&word)));
    }
}

#[test]
fn errors_of_creating_a_context_from_a_type() {
    let ours = [PLATFORM, platform().addr() as isize, 0];
    let word = 0;
    let of = |kind| code_of!(clCreateContextFromType(ours.as_ptr(), kind, None, null_mut()));
    table! {
        "no type" => CL_INVALID_DEVICE_TYPE, of(0);
        "unknown type" => CL_INVALID_DEVICE_TYPE, of(1 << 20);
        "absent type" => CL_DEVICE_NOT_FOUND, of(cl::CL_DEVICE_TYPE_ACCELERATOR);
        "data without callback" => CL_INVALID_VALUE,
            code_of!(clCreateContextFromType(ours.as_ptr(), cl::CL_DEVICE_TYPE_CPU, None, at(&word)));
    }
    for kind in [cl::CL_DEVICE_TYPE_CPU, cl::CL_DEVICE_TYPE_DEFAULT, cl::CL_DEVICE_TYPE_ALL] {
        let context = create!(clCreateContextFromType(ours.as_ptr(), kind, Some(ignore), null_mut()));
        ok!(clReleaseContext(context));
    }
}

#[test]
fn errors_of_using_a_context() {
    let setup = Setup::new();
    let wrong: cl::cl_context = setup.queue.cast();
    let name = cl::CL_CONTEXT_DEVICES;
    let mut place = 0u8;
    table! {
        "retaining null" => CL_INVALID_CONTEXT, call!(clRetainContext(null_mut()));
        "releasing null" => CL_INVALID_CONTEXT, call!(clReleaseContext(null_mut()));
        "asking null" => CL_INVALID_CONTEXT, call!(clGetContextInfo(null_mut(), name, 0, null_mut(), null_mut()));
        "retaining a queue" => CL_INVALID_CONTEXT, call!(clRetainContext(wrong));
        "releasing a queue" => CL_INVALID_CONTEXT, call!(clReleaseContext(wrong));
        "asking a queue" => CL_INVALID_CONTEXT, call!(clGetContextInfo(wrong, name, 0, null_mut(), null_mut()));
        "no such query" => CL_INVALID_VALUE, call!(clGetContextInfo(setup.context, 1, 0, null_mut(), null_mut()));
        "memory too small" => CL_INVALID_VALUE,
            call!(clGetContextInfo(setup.context, name, 1, (&raw mut place).cast(), null_mut()));
        "destructor of a queue" => CL_INVALID_CONTEXT,
            call!(clSetContextDestructorCallback(wrong, Some(ended), null_mut()));
        "null destructor" => CL_INVALID_VALUE,
            call!(clSetContextDestructorCallback(setup.context, None, null_mut()));
    }
}

/// Order in which destructor callbacks were called: one decimal digit each.
static ORDER: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn ended(_: cl::cl_context, user_data: *mut c_void) {
    let digit = user_data.addr();
    ORDER.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |order| Some(order * 10 + digit)).unwrap();
}

#[test]
fn destructor_callbacks_come_when_nothing_needs_the_context_the_last_first() {
    let setup = Setup::new();
    let context = create!(clCreateContext(null(), 1, &setup.device, None, null_mut()));
    let queue = create!(clCreateCommandQueueWithProperties(context, setup.device, null()));
    for digit in 1..=3 {
        ok!(clSetContextDestructorCallback(context, Some(ended), digit as *mut c_void));
    }
    ok!(clReleaseContext(context));
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(ORDER.load(Ordering::SeqCst), 0, "the queue still needs it");
    ok!(clReleaseCommandQueue(queue));
    let start = Instant::now();
    while ORDER.load(Ordering::SeqCst) < 100 && start.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(ORDER.load(Ordering::SeqCst), 321);
}

#[test]
fn a_context_answers_with_what_it_was_given() {
    let setup = Setup::new();
    let list = [PLATFORM, platform().addr() as isize, 0];
    let devices = [setup.device, setup.device];
    let context = create!(clCreateContext(list.as_ptr(), 2, devices.as_ptr(), None, null_mut()));
    let info = |context, name| {
        let mut words = [0usize; 8];
        let mut size = 0;
        let place = words.as_mut_ptr().cast();
        ok!(clGetContextInfo(context, name, size_of_val(&words), place, &mut size));
        words[..size.div_ceil(size_of::<usize>())].to_vec()
    };
    assert_eq!(info(context, cl::CL_CONTEXT_DEVICES), [setup.device.addr()]);
    assert_eq!(info(context, cl::CL_CONTEXT_NUM_DEVICES), [1]);
    assert_eq!(info(context, cl::CL_CONTEXT_PROPERTIES), list.map(|word| word as usize));
    assert_eq!(info(setup.context, cl::CL_CONTEXT_PROPERTIES), [0usize; 0]);
    assert_eq!(info(context, cl::CL_CONTEXT_REFERENCE_COUNT), [1]);
    ok!(clRetainContext(context));
    assert_eq!(info(context, cl::CL_CONTEXT_REFERENCE_COUNT), [2]);
    ok!(clReleaseContext(context));
    ok!(clReleaseContext(context));
}
