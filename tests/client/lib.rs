//! An OpenCL client: what demo, benches and tests have in common.
//!
//! - **Takes**: whatever platform the loader finds.
//! - **Gives**: owned objects that release themselves, and errors that name the call and the code.
//! - **Never**: knows which driver it talks to, or calls one past the loader.
//!
//! It is a thin layer over `cl-sys` for trusted kernels: a kernel that is launched with arguments it does not expect
//! may do anything, as in every OpenCL host API.

mod error;
mod event;
mod image;
mod memory;
mod platform;
mod program;
mod queue;

pub use cl_sys as sys;
pub use error::{Error, Result, code_name};
pub use event::Event;
pub use image::Image;
pub use memory::{Buffer, Plain};
pub use platform::{Context, Device, Platform};
pub use program::{BuildError, Kernel, Program};
pub use queue::Queue;
