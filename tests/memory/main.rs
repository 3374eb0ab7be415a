//! Memory objects through a real loader: error codes per entry point, and what the commands do to data.
//!
//! The loader is `libOpenCL.so.1`, or the library that `OXICL_TEST_LOADER` names. Nothing is compiled here but the
//! library itself.
#![allow(unsafe_code, reason = "calls of the C API")]

mod buffer_data;
mod buffer_errors;
mod device_address;
mod immutable;
mod kernel_arguments;
mod loader;
mod mapping;
mod rect_data;
mod support;
mod svm;
mod threads;
mod unified_svm;
mod usm;
mod usm_kernels;

#[test]
fn the_reference_device_agrees() {
    oxicl_tests::again_on_the_reference_device(&[]);
}
