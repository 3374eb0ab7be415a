//! Functions of the application that end the thread that they are called on.

use std::ffi::c_void;
use std::mem::transmute;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use oxicl_tests::client::sys::{
    CL_COMPLETE, CL_MEM_READ_WRITE, CL_SUCCESS, cl_event, cl_int, clCreateBuffer, clCreateUserEvent,
    clEnqueueNativeKernel, clReleaseEvent, clReleaseMemObject, clSetEventCallback, clSetMemObjectDestructorCallback,
    clSetUserEventStatus, clWaitForEvents,
};
use oxicl_tests::client::{Context, Queue};

use crate::Outcome;
use crate::builders::build_run_check;
use crate::process::fork_once;

unsafe extern "C-unwind" {
    fn pthread_exit(value: *mut c_void) -> !;
}

/// How often functions were called.
static CALLED: AtomicU32 = AtomicU32::new(0);

/// Whether a call whose number is `word` ends its thread: every second does.
fn called(word: *mut c_void) {
    CALLED.fetch_add(1, Ordering::SeqCst);
    if word.addr().is_multiple_of(2) {
        // SAFETY: no frame of this thread that is ours has anything to drop.
        unsafe { pthread_exit(null_mut()) }
    }
}

// Functions as they are, and as the client's declarations have them.
type OnEvent = extern "C-unwind" fn(cl_event, cl_int, *mut c_void);
type DeclaredOnEvent = extern "C" fn(cl_event, cl_int, *mut c_void);
type OnObject = extern "C-unwind" fn(*mut c_void, *mut c_void);
type DeclaredOnObject = extern "C" fn(*mut c_void, *mut c_void);
type Native = extern "C-unwind" fn(*mut c_void);
type DeclaredNative = extern "C" fn(*mut c_void);

extern "C-unwind" fn on_event(_: cl_event, _: cl_int, word: *mut c_void) {
    called(word);
}

extern "C-unwind" fn on_object(_: *mut c_void, word: *mut c_void) {
    called(word);
}

/// Its arguments are a number.
extern "C-unwind" fn native(arguments: *mut c_void) {
    // SAFETY: it is enqueued with a number.
    called(std::ptr::without_provenance_mut(unsafe { *arguments.cast::<usize>() }));
}

/// How many functions of each kind are called.
const ROUNDS: u32 = 6;

/// Waits until so many functions were called.
fn expect_calls(kind: &str, count: u32) -> Outcome {
    let start = Instant::now();
    while CALLED.load(Ordering::SeqCst) < count {
        if start.elapsed() > Duration::from_secs(10) {
            return Err(format!("{kind}: {} of {count} calls came", CALLED.load(Ordering::SeqCst)));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    CALLED.store(0, Ordering::SeqCst);
    Ok(())
}

fn good(function: &str, code: cl_int) -> Outcome {
    if code == CL_SUCCESS { Ok(()) } else { Err(format!("{function}: {code}")) }
}

/// Callbacks and native kernels that end their threads: those that come later still do, and the library goes on.
pub fn callbacks_end_their_threads() -> Outcome {
    let context = Context::first().map_err(|error| error.to_string())?;
    let queue = context.queue().map_err(|error| error.to_string())?;
    events(&context)?;
    objects(&context)?;
    native_kernels(&queue)?;
    build_run_check(&context, &queue, 1)?;
    fork_once(0, || build_run_check(&context, &queue, 2))
}

/// Leaves by `exit` in a callback, with another to come.
pub fn exits_in_a_callback() -> Outcome {
    extern "C-unwind" fn leave(_: cl_event, _: cl_int, _: *mut c_void) {
        std::process::exit(0);
    }
    extern "C-unwind" fn late(_: cl_event, _: cl_int, _: *mut c_void) {
        // SAFETY: ends the process at once.
        unsafe { libc::_exit(1) }
    }
    let context = Context::first().map_err(|error| error.to_string())?;
    let mut code = 0;
    // SAFETY: the handle is valid, and the out-parameter; the functions do not unwind.
    unsafe {
        let event = clCreateUserEvent(context.raw(), &mut code);
        good("clCreateUserEvent", code)?;
        for function in [leave as OnEvent, late] {
            let function = transmute::<OnEvent, DeclaredOnEvent>(function);
            good("clSetEventCallback", clSetEventCallback(event, CL_COMPLETE, Some(function), null_mut()))?;
        }
        good("clSetUserEventStatus", clSetUserEventStatus(event, CL_COMPLETE))?;
    }
    std::thread::sleep(Duration::from_secs(10));
    Err("the process is still there".to_owned())
}

fn events(context: &Context) -> Outcome {
    let mut code = 0;
    // SAFETY: the handle is valid, and the out-parameter.
    let event = unsafe { clCreateUserEvent(context.raw(), &mut code) };
    good("clCreateUserEvent", code)?;
    for number in 0..ROUNDS as usize {
        let word = std::ptr::without_provenance_mut(number);
        // SAFETY: the function differs from the type in that it may unwind, which is between it and its caller.
        let code = unsafe {
            clSetEventCallback(event, CL_COMPLETE, Some(transmute::<OnEvent, DeclaredOnEvent>(on_event)), word)
        };
        good("clSetEventCallback", code)?;
    }
    // SAFETY: the event is valid and released once.
    unsafe {
        good("clSetUserEventStatus", clSetUserEventStatus(event, CL_COMPLETE))?;
        good("clReleaseEvent", clReleaseEvent(event))?;
    }
    expect_calls("events", ROUNDS)
}

fn objects(context: &Context) -> Outcome {
    let mut code = 0;
    // SAFETY: the handle is valid, and the out-parameter; there is no host pointer.
    let buffer = unsafe { clCreateBuffer(context.raw(), CL_MEM_READ_WRITE, 64, null_mut(), &mut code) };
    good("clCreateBuffer", code)?;
    for number in 0..ROUNDS as usize {
        let word = std::ptr::without_provenance_mut(number);
        // SAFETY: as for events.
        let code = unsafe {
            clSetMemObjectDestructorCallback(buffer, Some(transmute::<OnObject, DeclaredOnObject>(on_object)), word)
        };
        good("clSetMemObjectDestructorCallback", code)?;
    }
    // SAFETY: the buffer is valid and released once.
    good("clReleaseMemObject", unsafe { clReleaseMemObject(buffer) })?;
    expect_calls("objects", ROUNDS)
}

fn native_kernels(queue: &Queue) -> Outcome {
    for number in 0..ROUNDS as usize {
        let mut arguments = number;
        let mut event = null_mut();
        // SAFETY: the arguments have the size that is passed and are copied; the function is as for events.
        let code = unsafe {
            clEnqueueNativeKernel(
                queue.raw(),
                Some(transmute::<Native, DeclaredNative>(native)),
                (&raw mut arguments).cast(),
                size_of::<usize>(),
                0,
                null(),
                null(),
                0,
                null(),
                &mut event,
            )
        };
        good("clEnqueueNativeKernel", code)?;
        // SAFETY: the event is valid and released once.
        let waited = unsafe {
            let waited = clWaitForEvents(1, &event);
            clReleaseEvent(event);
            waited
        };
        if (waited == CL_SUCCESS) != (number % 2 == 1) {
            return Err(format!("native kernel {number}: waiting gives {waited}"));
        }
    }
    expect_calls("native kernels", ROUNDS)
}
