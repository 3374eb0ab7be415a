//! What happens around the body of every entry point: panics stop here, errors become codes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;

use khronos_headers::{CL_SUCCESS, cl_int};
use oxicl_objects::ApiError;

use crate::call::Call;

/// Runs a body; a panic in it is an error of ours, and the application goes on.
fn guarded<R>(name: &str, body: impl FnOnce(&Call) -> Result<R, ApiError>) -> Result<R, ApiError> {
    // While a thread is in here, nobody forks: so a child starts with no lock of ours held.
    let _section = oxicl_schedule::fork::enter();
    // A body changes objects only under locks that do not poison, and leaves out-parameters for the end: what a panic
    // interrupts is seen by others as a call that failed.
    let outcome = catch_unwind(AssertUnwindSafe(|| body(&Call::new())));
    outcome.unwrap_or_else(|_| {
        eprintln!("oxicl: internal error in {name}");
        Err(ApiError::OutOfResources)
    })
}

/// For functions that return a status.
pub fn status(name: &str, body: impl FnOnce(&Call) -> Result<(), ApiError>) -> cl_int {
    match guarded(name, body) {
        Ok(()) => CL_SUCCESS,
        Err(error) => error.code(),
    }
}

/// For functions that return a handle or a pointer and put the status into `errcode_ret`.
pub fn create<H: Nothing>(name: &str, errcode_ret: *mut cl_int, body: impl FnOnce(&Call) -> Result<H, ApiError>) -> H {
    let (handle, code) = match guarded(name, body) {
        Ok(handle) => (handle, CL_SUCCESS),
        Err(error) => (H::NOTHING, error.code()),
    };
    Call::new().write(errcode_ret, code);
    handle
}

/// For functions that return anything else.
pub fn value<R: Nothing>(name: &str, body: impl FnOnce(&Call) -> R) -> R {
    guarded(name, |call| Ok(body(call))).unwrap_or(R::NOTHING)
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
