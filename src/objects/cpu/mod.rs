//! The CPU as a device: kernels as machine code in this process.

mod launch;
#[cfg(test)]
mod tests;

pub use launch::{CONTEXT_LIMIT, CpuKernel, CpuLaunch, ProgramMemory};

/// The CPU as a device.
pub struct CpuBackend;

impl crate::backend::Backend for CpuBackend {}
