//! The command `oxicl`: what a user asks of an installation.
//!
//! - **Takes**: a command line ([`arguments`]), and for `doctor` the system that it describes ([`System`]).
//! - **Gives**: sentences or JSON, compiled files, or a program that runs with oxicl as its platform.
//! - **Never**: opens a driver or a loader of others in its own process; links LLVM; changes the system: what is to be
//!   mended is said, as a command. (`doctor` makes the cache's folder if there is none, as the first build would.)
//! - **Spec**: OpenCL API, `cl_khr_icd`: where a loader looks for drivers; ld.so(8): where programs look for a loader.

pub mod arguments;
pub mod cache;
pub mod child;
pub mod compile;
pub mod doctor;
pub mod host;
pub mod icd;
pub mod info;
pub mod loader;
pub mod locate;
pub mod machine;
pub mod opencl;
pub mod probe;
pub mod run;
pub mod system;

pub use host::Host;
pub use system::System;
