//! The CPU as a device: kernels as machine code in this process.
//!
//! - **Takes**: what [`Backend`](oxicl_device::Backend) gives a device: a valid module, an index space, arguments.
//! - **Gives**: [`CpuBackend`]. Code comes from the compiler process, a kernel at a time and when it is needed, and
//!   runs as jobs of the scheduler.
//! - **Never**: knows an object of the API, or links LLVM.

mod code;
mod generate;
mod launch;
mod product;
mod program;
mod services;
#[cfg(test)]
mod tests;

pub use code::CpuKernel;
pub use launch::ProgramMemory;
pub use program::CpuBackend;
