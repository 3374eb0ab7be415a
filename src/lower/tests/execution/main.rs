//! Every instruction executed, through the whole compiler, against the host.
#![allow(unsafe_code, reason = "the tests call what they compiled")]

mod assembled;
mod constants;
mod conversions;
mod everything;
mod groups;
mod halves;
mod harness;
mod integers;
mod inventory;
mod math;
mod memory;
mod reference;
mod relations;
