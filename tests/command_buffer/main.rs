//! Command buffers through a real loader: what is recorded runs each time, in the order that was asked for; errors;
//! updates of recorded launches. And semaphores, which order commands of several queues.
#![allow(unsafe_code, reason = "calls of the C API")]

mod errors;
#[path = "../memory/loader.rs"]
mod loader;
mod order;
mod recording;
mod results;
mod semaphores;
#[allow(dead_code, unused_imports, unused_macros, reason = "shared with the tests of memory objects")]
#[path = "../memory/support.rs"]
mod support;
mod threads;
mod update_errors;
mod updates;

#[test]
fn the_reference_device_agrees() {
    oxicl_tests::again_on_the_reference_device(&[]);
}
