//! Programs and kernels through a real loader: error codes per entry point, what queries answer, and what arguments,
//! binaries, specialisation constants and program-scope variables do to results.
//!
//! The loader is `libOpenCL.so.1`, or the library that `OXICL_TEST_LOADER` names.
#![allow(unsafe_code, reason = "calls of the C API")]

mod background;
mod binaries;
mod builds;
mod kernel_errors;
mod kernel_queries;
mod late;
mod linking;
#[path = "../memory/loader.rs"]
mod loader;
mod opencl_c;
mod opencl_c_information;
mod opencl_c_parts;
mod program_errors;
mod remarks;
mod results;
mod sources;
mod specialisation;
#[allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "shared with the tests of memory objects, which use the rest"
)]
#[path = "../memory/support.rs"]
mod support;
mod unreached;
mod untranslated;

#[test]
fn other_processors_agree() {
    oxicl_tests::again_on_other_processors();
}

#[test]
fn the_reference_device_agrees() {
    oxicl_tests::again_on_the_reference_device(&[]);
}
