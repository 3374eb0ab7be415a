//! The CPU as a device: kernels as machine code in this process.

mod build;
mod launch;
mod services;
#[cfg(test)]
mod tests;
mod variables;

pub use build::CpuBackend;
pub use launch::{CONTEXT_LIMIT, CpuKernel, CpuLaunch, ProgramMemory};
pub(crate) use services::{flush, write};
pub(crate) use variables::Variables;
