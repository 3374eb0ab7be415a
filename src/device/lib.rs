//! What a device is to the objects of the API, and what devices have in common.
//!
//! - **Takes**: a valid module to build; an index space and arguments to launch a kernel with.
//! - **Gives**: [`Backend`], which each device implements, with what it builds: [`Executable`], [`DeviceKernel`],
//!   [`Pending`]; the memory of the host ([`HostMemory`], [`HostSpan`], [`Variables`]), the error codes, the log, and
//!   what kernels print.
//! - **Never**: knows an object of the API, but for what [`Surroundings`] and [`Waiter`] say of it.
//! - **Spec**: OpenCL API, the error codes.

mod backend;
mod error;
mod host;
mod log;
mod print;
mod stream;
mod variables;

pub use backend::{
    ArgumentBlock, Arguments, Backend, DeviceKernel, Executable, Lent, NdRange, Pending, Reach, Surroundings, Waiter,
};
pub use error::ApiError;
pub use host::{HostMemory, HostSpan, MIN_ALIGN, Pattern, poke, probe};
pub use log::{log, log_without_lock};
pub use print::{flush, write};
pub use stream::{end_streams, is_worth_streaming};
pub use variables::Variables;
