//! Error codes of every entry point, a module per object, and what else an application can ask for.
#![allow(unsafe_code, reason = "the calls are wrong on purpose, which no safe layer allows")]

mod device;
mod event;
mod execute;
mod platform;
mod queue;
