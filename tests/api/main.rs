//! Error codes of every entry point, a module per object, and what else an application can ask for.
#![allow(unsafe_code, reason = "the calls are wrong on purpose, which no safe layer allows")]

mod device;
mod event;
mod execute;
mod platform;
mod queue;

#[test]
fn the_reference_device_agrees() {
    oxicl_tests::again_on_the_reference_device(&[]);
}
