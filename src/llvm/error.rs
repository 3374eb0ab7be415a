//! Errors, and the strings that LLVM hands out.
#![allow(unsafe_code, reason = "turns strings owned by LLVM into Rust's")]

use std::ffi::{CStr, CString, c_char};
use std::fmt;
use std::sync::OnceLock;

use llvm_sys::core::LLVMDisposeMessage;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage};

/// What LLVM said went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(pub String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// A C string for a name; a NUL inside ends it.
pub(crate) fn c_string(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text.as_bytes()[..end]).unwrap_or_default()
}

/// Copies a message and gives it back to LLVM. A null pointer is the empty message.
///
/// # Safety
/// `message` is null or was returned by LLVM for `LLVMDisposeMessage`.
pub(crate) unsafe fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: by the contract, a NUL-terminated string of LLVM that is ours to dispose of, once.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}

/// Turns an `LLVMErrorRef` into a result, consuming it.
///
/// # Safety
/// `error` is null or an error that nobody consumed.
pub(crate) unsafe fn check(error: LLVMErrorRef) -> Result<(), Error> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: by the contract; the message is copied before it is disposed of.
    unsafe {
        let message = LLVMGetErrorMessage(error);
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(message);
        Err(Error(text))
    }
}

/// Bytes of `length` at `text`, which LLVM keeps.
///
/// # Safety
/// `text` is null or points to `length` bytes that live as long as `'a`.
pub(crate) unsafe fn bytes_at<'a>(text: *const c_char, length: usize) -> &'a [u8] {
    if text.is_null() {
        return &[];
    }
    // SAFETY: by the contract.
    unsafe { std::slice::from_raw_parts(text.cast(), length) }
}

/// Gives LLVM something that it ends the process of, as it does of what it cannot translate: for tests of what becomes of that.
pub fn end_process() -> ! {
    // SAFETY: a C string, which is no description of a data layout.
    unsafe { llvm_sys::target::LLVMCreateTargetData(c"no layout".as_ptr()) };
    std::process::abort()
}

static FATAL: OnceLock<fn(&str)> = OnceLock::new();

extern "C" fn on_fatal(reason: *const c_char) {
    // SAFETY: LLVM passes a NUL-terminated string that lives during the call.
    let reason = unsafe { CStr::from_ptr(reason) }.to_string_lossy();
    if let Some(handler) = FATAL.get() {
        handler(&reason);
    }
}

/// Calls `handler` with LLVM's reason when it finds no way on. LLVM ends the process when the handler returns. Only the
/// first handler of a process is kept.
pub fn install_fatal_error_handler(handler: fn(&str)) {
    if FATAL.set(handler).is_ok() {
        // SAFETY: the handler is a static function of the right type; LLVM allows one, and this is the first.
        unsafe { llvm_sys::error_handling::LLVMInstallFatalErrorHandler(Some(on_fatal)) };
    }
}
