//! The CPU as a device: kernels as machine code in this process.

mod build;
mod code;
mod generate;
mod launch;
mod services;
#[cfg(test)]
mod tests;

pub use build::CpuBackend;
pub use code::CpuKernel;
pub(crate) use generate::forget_unwanted;
pub use launch::ProgramMemory;
