//! Platform, device and context through a real loader: error codes per entry point, and what queries answer; and the
//! answers of everything that the device does not have.
//!
//! The loader is `libOpenCL.so.1`, or the library that `OXICL_TEST_LOADER` names.
#![allow(unsafe_code, reason = "calls of the C API")]

mod absent;
mod context;
mod device;
#[path = "../memory/loader.rs"]
mod loader;
mod platform;
mod queue;
#[allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "shared with the tests of memory objects, which use the rest"
)]
#[path = "../memory/support.rs"]
mod support;
