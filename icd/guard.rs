//! What happens around the body of every entry point: panics stop here, errors become codes, and whoever wants to know
//! is told why.

use std::fmt::{self, Debug, Display, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;

use khronos_headers::{CL_SUCCESS, cl_int};
use oxicl_caps::config::Config;
use oxicl_device::{log, log_without_lock};
use oxicl_objects::ApiError;
use oxicl_schedule::fork;

use crate::call::Call;

/// The arguments of a call as text.
#[derive(Default)]
pub struct Arguments(String);

impl Arguments {
    /// Adds an argument.
    pub fn add(&mut self, name: &str, value: &dyn Debug) {
        let name = name.trim_start_matches('_');
        let separator = if self.0.is_empty() { "" } else { ", " };
        let text = format!("{value:?}");
        // A value of a bit field or an enumeration is known by its hexadecimal digits; addresses have them anyway.
        let hexadecimal = ["name", "flags", "type", "properties"].iter().any(|word| name.ends_with(word));
        let _ = match text.parse::<u64>() {
            Ok(number) if hexadecimal => write!(self.0, "{separator}{name} {number:#x}"),
            _ => write!(self.0, "{separator}{name} {text}"),
        };
    }
}

impl Display for Arguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Runs a body; a panic in it is an error of ours, and the application goes on.
fn guarded<R>(
    name: &str,
    list: impl FnOnce(&mut Arguments),
    body: impl FnOnce(&Call) -> Result<R, ApiError>,
) -> Result<R, ApiError> {
    if fork::locked_out() {
        return Err(refuse(name));
    }
    // While a thread is in here, nobody forks: so a child starts with no lock of ours held.
    let _section = fork::enter();
    let call = Call::new();
    // A body changes objects only under locks that do not poison, and leaves out-parameters for the end: what a panic
    // interrupts is seen by others as a call that failed.
    let outcome = catch_unwind(AssertUnwindSafe(|| body(&call)));
    let outcome =
        outcome.unwrap_or_else(|_| Err(ApiError::OutOfResources.because("of an error in the driver, which is a bug")));
    let error = match &outcome {
        Err(error) => Some(error.clone()),
        Ok(_) => call.failure(),
    };
    if let Some(error) = error {
        tell(name, list, &call, &error);
    }
    outcome
}

/// Every call ends here in a process in which locks are held by nobody: any of them could wait for ever.
#[cold]
fn refuse(name: &str) -> ApiError {
    let error = ApiError::OutOfResources.because(
        "this process was forked while another thread was stuck in the library, so that locks in it may never be free; \
         only a process that starts afresh can use the library",
    );
    log_without_lock(&format!("{name} returns {error} because {}.", error.why()));
    error
}

/// One sentence for the context that the call was about, and for the log: function, code, reason, arguments.
#[cold]
fn tell(name: &str, list: impl FnOnce(&mut Arguments), call: &Call, error: &ApiError) {
    let listener = call.listener();
    if listener.is_none() && !Config::get().log {
        return;
    }
    let mut arguments = Arguments::default();
    list(&mut arguments);
    let sentence = format!("{name}({arguments}) returns {error} because {}.", error.why());
    match listener {
        Some(context) => context.notify(&sentence),
        None => log(&sentence),
    }
}

/// For functions that return a status.
pub fn status(
    name: &str,
    list: impl FnOnce(&mut Arguments),
    body: impl FnOnce(&Call) -> Result<(), ApiError>,
) -> cl_int {
    match guarded(name, list, body) {
        Ok(()) => CL_SUCCESS,
        Err(error) => error.code(),
    }
}

/// For functions that return a handle or a pointer and put the status into `errcode_ret`.
pub fn create<H: Nothing>(
    name: &str,
    list: impl FnOnce(&mut Arguments),
    errcode_ret: *mut cl_int,
    body: impl FnOnce(&Call) -> Result<H, ApiError>,
) -> H {
    let (handle, code) = match guarded(name, list, body) {
        Ok(handle) => (handle, CL_SUCCESS),
        Err(error) => (H::NOTHING, error.code()),
    };
    Call::new().write(errcode_ret, code);
    handle
}

/// For functions that return anything else.
pub fn value<R: Nothing>(name: &str, list: impl FnOnce(&mut Arguments), body: impl FnOnce(&Call) -> R) -> R {
    guarded(name, list, |call| Ok(body(call))).unwrap_or(R::NOTHING)
}

/// What a function returns if it failed.
pub trait Nothing {
    /// That value.
    const NOTHING: Self;
}

impl<T> Nothing for *mut T {
    const NOTHING: Self = null_mut();
}

impl Nothing for () {
    const NOTHING: Self = ();
}
