//! Contexts.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use khronos_headers as cl;

use crate::platform::platform;
use crate::support::{Setup, at, call, code_of, create, ok, table};

const PLATFORM: isize = cl::CL_CONTEXT_PLATFORM;

unsafe extern "C-unwind" fn ignore(_: *const c_char, _: *const c_void, _: usize, _: *mut c_void) {}

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

unsafe extern "C-unwind" fn ended(_: cl::cl_context, user_data: *mut c_void) {
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

/// What a context was told, as far as it was asked to collect it.
static TOLD: Mutex<Vec<(usize, String)>> = Mutex::new(Vec::new());

unsafe extern "C-unwind" fn collect(message: *const c_char, _: *const c_void, _: usize, user_data: *mut c_void) {
    // SAFETY: the message is a C string.
    let message = unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned();
    TOLD.lock().unwrap().push((user_data.addr(), message));
}

/// A context whose errors are collected under a number.
fn told(device: &cl::cl_device_id, number: usize) -> cl::cl_context {
    create!(clCreateContext(null(), 1, device, Some(collect), number as *mut c_void))
}

/// Takes what a context was told.
fn take(number: usize) -> Vec<String> {
    let mut all = TOLD.lock().unwrap();
    let (mine, others) = std::mem::take(&mut *all).into_iter().partition(|(other, _)| *other == number);
    *all = others;
    mine.into_iter().map(|(_, message): (usize, String)| message).collect()
}

#[test]
fn every_error_on_objects_of_a_context_is_told_in_one_sentence() {
    const NUMBER: usize = 11;
    let setup = Setup::new();
    let context = told(&setup.device, NUMBER);
    let queue = create!(clCreateCommandQueueWithProperties(context, setup.device, null()));
    let buffer = create!(clCreateBuffer(context, 0, 64, null_mut()));
    let event = create!(clCreateUserEvent(context));
    assert_eq!(take(NUMBER), [""; 0]);
    let (none, wait) = (null_mut(), null());
    // Status, created object, and a function that has no place for its code; objects of every type.
    let failing: [(&str, &str, &dyn Fn() -> bool); 9] = [
        ("clCreateBuffer", "CL_INVALID_BUFFER_SIZE", &|| {
            call!(clCreateBuffer(context, 0, 0, none, null_mut())).is_null()
        }),
        ("clGetContextInfo", "CL_INVALID_VALUE", &|| call!(clGetContextInfo(context, 1, 0, none, null_mut())) != 0),
        ("clGetMemObjectInfo", "CL_INVALID_VALUE", &|| call!(clGetMemObjectInfo(buffer, 1, 0, none, null_mut())) != 0),
        ("clEnqueueReadBuffer", "CL_INVALID_VALUE", &|| {
            let mut bytes = [0u8; 8];
            let place = bytes.as_mut_ptr().cast();
            call!(clEnqueueReadBuffer(queue, buffer, cl::CL_TRUE, 60, 8, place, 0, wait, none.cast())) != 0
        }),
        ("clEnqueueMarkerWithWaitList", "CL_INVALID_EVENT_WAIT_LIST", &|| {
            call!(clEnqueueMarkerWithWaitList(queue, 1, wait, none.cast())) != 0
        }),
        ("clSetUserEventStatus", "CL_INVALID_VALUE", &|| call!(clSetUserEventStatus(event, 1)) != 0),
        ("clFlush", "CL_INVALID_COMMAND_QUEUE", &|| call!(clFlush(buffer.cast())) != 0),
        ("clCreateProgramWithIL", "CL_INVALID_VALUE", &|| {
            call!(clCreateProgramWithIL(context, b"none".as_ptr().cast(), 4, null_mut())).is_null()
        }),
        ("clSVMAlloc", "CL_INVALID_BUFFER_SIZE", &|| call!(clSVMAlloc(context, 0, 0, 0)).is_null()),
    ];
    for (function, code, call) in failing {
        assert!(call(), "{function} succeeds");
        let sentences = take(NUMBER);
        if function == "clFlush" {
            assert_eq!(sentences, [""; 0], "no object of the context is among the arguments");
            continue;
        }
        assert_eq!(sentences.len(), 1, "{function}: {sentences:?}");
        let start = format!("{function}(");
        let middle = format!(") returns {code} because ");
        assert!(sentences[0].starts_with(&start) && sentences[0].contains(&middle), "{}", sentences[0]);
        assert!(sentences[0].ends_with('.'), "{}", sentences[0]);
    }
    ok!(clReleaseEvent(event));
    ok!(clReleaseMemObject(buffer));
    ok!(clReleaseCommandQueue(queue));
    ok!(clReleaseContext(context));
}

#[test]
fn the_reason_tells_faults_with_the_same_code_apart() {
    let setup = Setup::new();
    let context = told(&setup.device, 31);
    let queue = create!(clCreateCommandQueueWithProperties(context, setup.device, null()));
    let buffer = create!(clCreateBuffer(context, 0, 64, null_mut()));
    let mut bytes = [0u8; 8];
    let (place, wait) = (bytes.as_mut_ptr().cast::<c_void>(), null());
    for (offset, place) in [(60, place), (0, null_mut())] {
        let code = call!(clEnqueueReadBuffer(queue, buffer, cl::CL_TRUE, offset, 8, place, 0, wait, null_mut()));
        assert_eq!(code, cl::CL_INVALID_VALUE);
    }
    let sentences = take(31);
    let reasons: Vec<_> = sentences.iter().filter_map(|sentence| sentence.split_once(" because ")).collect();
    let [(beyond, first), (null, second)] = reasons[..] else { panic!("{sentences:?}") };
    assert_eq!((first, second), ("the region reaches beyond the buffer.", "the pointer is null."));
    assert!(beyond.contains("offset 60, size 8, ptr 0x") && null.contains("offset 0, size 8, ptr 0x0, "));
    ok!(clReleaseMemObject(buffer));
    ok!(clReleaseCommandQueue(queue));
    ok!(clReleaseContext(context));
}

#[test]
fn an_error_is_told_to_the_context_of_the_first_object() {
    let setup = Setup::new();
    let (first, second) = (told(&setup.device, 21), told(&setup.device, 22));
    let queue = create!(clCreateCommandQueueWithProperties(first, setup.device, null()));
    let event = create!(clCreateUserEvent(second));
    assert_eq!(call!(clEnqueueMarkerWithWaitList(queue, 1, &event, null_mut())), cl::CL_INVALID_CONTEXT);
    assert_eq!((take(21).len(), take(22).len()), (1, 0));
    ok!(clReleaseEvent(event));
    ok!(clReleaseCommandQueue(queue));
    ok!(clReleaseContext(first));
    ok!(clReleaseContext(second));
}

#[test]
fn the_log_has_what_no_context_is_told() {
    let again = |log: &str| {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "context::errors_of_using_a_context", "--nocapture"]).env("OXICL_LOG", log);
        let output = command.output().unwrap();
        assert!(output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let told = again("1");
    let (start, end) = ("oxicl: clRetainContext(context 0x", ") returns CL_INVALID_CONTEXT because ");
    assert!(told.lines().any(|line| line.starts_with(start) && line.contains(end)), "{told}");
    assert!(!again("off").contains("oxicl: "));
}
