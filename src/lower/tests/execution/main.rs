//! Every instruction executed, through the whole compiler, against the host.
#![allow(unsafe_code, reason = "the tests call what they compiled")]

mod conversions;
mod harness;
mod integers;
mod math;
mod memory;
mod relations;
