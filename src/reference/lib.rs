//! The reference device: kernels are interpreted, one work-item at a time. `OXICL_DEVICE=reference` chooses it.
//!
//! - **Takes**: what [`Backend`](oxicl_device::Backend) gives a device: a valid module, an index space, arguments.
//! - **Gives**: [`ReferenceBackend`]. The CPU's results are compared with it, so it is strict where the CPU cannot be:
//!   a kernel reads and writes the buffers among its arguments, shared virtual memory, and program-scope variables;
//!   memory of the application only if the application lent all of it. Any other address fails the command, and the
//!   context's callback is told which.
//! - **Never**: knows an object of the API; shares code with the CPU beyond what all devices have.
#![forbid(unsafe_code)]

mod launch;
mod program;
mod view;

pub use program::ReferenceBackend;
