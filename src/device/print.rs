//! What kernels print.
#![allow(unsafe_code, reason = "writes to the C library's standard output")]

unsafe extern "C" {
    /// The C library's standard output.
    static stdout: *mut libc::FILE;
}

/// Writes a text in one piece through the C library; false if that fails. Its lock keeps the text whole, and its buffer
/// keeps the order with what the application prints through it.
pub fn write(text: &[u8]) -> bool {
    // SAFETY: the C library sets the variable before any code of ours runs; the text has the length given.
    text.is_empty() || unsafe { libc::fwrite(text.as_ptr().cast(), text.len(), 1, stdout) } == 1
}

/// Flushes what was written, so that everybody sees it.
pub fn flush() {
    // SAFETY: as above.
    unsafe { libc::fflush(stdout) };
}
