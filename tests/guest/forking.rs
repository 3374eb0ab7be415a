//! A fork at a bad moment.

use std::ptr::null_mut;
use std::sync::Arc;
use std::time::Duration;

use oxicl_tests::client::sys::{CL_INVALID_VALUE, CL_OUT_OF_RESOURCES, cl_int, clGetContextInfo};
use oxicl_tests::client::{Context, Platform};

use crate::Outcome;
use crate::builders::build_run_check;
use crate::process::fork_once;

/// The descriptor of standard error.
const ERRORS: libc::c_int = 2;

/// One thread is stuck in a call: it writes to the log, which nobody reads. A child made meanwhile cannot use the library, nor
/// can its children, and all are told so. The parent goes on, and its later children do.
pub fn forks_beside_a_stuck_call() -> Outcome {
    let context = Context::first().map_err(|error| error.to_string())?;
    let queue = context.queue().map_err(|error| error.to_string())?;
    build_run_check(&context, &queue, 1)?;
    let log = Log::full()?;
    let shared = Arc::new(context);
    let context = Arc::clone(&shared);
    let stuck = std::thread::spawn(move || wrong_call(&shared));
    std::thread::sleep(Duration::from_millis(500));
    if stuck.is_finished() {
        return Err("the call did not wait for its log to be read".to_owned());
    }
    let refused = fork_once(0, || {
        log.give_back();
        is_refused(&context)?;
        fork_once(1, || is_refused(&context))
    });
    let code = log.drain().and_then(|()| stuck.join().map_err(|_| "the stuck thread panicked".to_owned()));
    refused?;
    if code? != CL_INVALID_VALUE {
        return Err("the stuck call gave another error".to_owned());
    }
    build_run_check(&context, &queue, 2)?;
    fork_once(2, || build_run_check(&context, &queue, 3))
}

/// A call with an error, for which there is a line in the log.
fn wrong_call(context: &Context) -> cl_int {
    // SAFETY: there is no query 0, and nothing is written.
    unsafe { clGetContextInfo(context.raw(), 0, 0, null_mut(), null_mut()) }
}

/// Every call says that the library cannot be used.
fn is_refused(context: &Context) -> Outcome {
    let (code, devices) = (wrong_call(context), Platform::first().map(|platform| platform.devices().map(|_| ())));
    match devices {
        Ok(Err(error)) if code == CL_OUT_OF_RESOURCES && error.code == CL_OUT_OF_RESOURCES => Ok(()),
        devices => Err(format!("clGetContextInfo gives {code}, the devices are {devices:?}")),
    }
}

/// A pipe in place of standard error.
struct Log {
    reader: libc::c_int,
    before: libc::c_int,
}

impl Log {
    /// One that takes nothing more until it is read.
    fn full() -> Result<Log, String> {
        let mut ends = [0; 2];
        // SAFETY: the array has room for the two ends; they are this process's to write and to change.
        unsafe {
            if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC | libc::O_NONBLOCK) != 0 {
                return Err(std::io::Error::last_os_error().to_string());
            }
            while libc::write(ends[1], [b'.'; 4096].as_ptr().cast(), 4096) > 0 {}
            libc::fcntl(ends[1], libc::F_SETFL, 0);
            let log = Log { reader: ends[0], before: libc::dup(ERRORS) };
            libc::dup2(ends[1], ERRORS);
            libc::close(ends[1]);
            Ok(log)
        }
    }

    /// Standard error is standard output from here on, where the test reads it.
    fn give_back(&self) {
        // SAFETY: both are open.
        unsafe { libc::dup2(1, ERRORS) };
    }

    /// Standard error is what it was, and what waits for the pipe goes on.
    fn drain(&self) -> Outcome {
        // SAFETY: the descriptors are open, and the array has the size that is passed. Without a writer the pipe ends; before,
        // what is there is read without waiting.
        unsafe {
            libc::dup2(self.before, ERRORS);
            let mut bytes = [0; 4096];
            while libc::read(self.reader, bytes.as_mut_ptr().cast(), bytes.len()) > 0 {}
        }
        Ok(())
    }
}
