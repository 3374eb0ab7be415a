//! The reference device: executes a valid module one work-item at a time. The oracle of the tests.
//!
//! - **Takes**: a [`ValidModule`](oxicl_validate::ValidModule), a kernel's name, an ND-range, an argument block as the
//!   compiled kernel would get it, and a [`Memory`] in which global addresses mean something.
//! - **Gives**: the stores that the kernel makes to that memory, or a [`Fault`].
//! - **Never**: is clever. No optimisation, no shared code with `lower` or `workgroup`: what both get wrong in the same
//!   way would go unseen.
//! - **Spec**: SPIR-V 1.6 section 3 (instructions), OpenCL SPIR-V environment (numerical behaviour), OpenCL C section
//!   6.15 for the functions of OpenCL.std.
//!
//! A work-group runs as a set of work-items that are stepped in linear order until each has returned or waits at a
//! barrier; when all wait or have returned, the barrier opens.
#![forbid(unsafe_code)]

mod arithmetic;
mod atomic;
mod bit;
mod builtin_variable;
mod collective;
mod composite;
mod constant;
mod conversion;
mod dispatch;
mod fault;
mod float;
mod group;
mod image;
mod intrinsic;
mod kernel;
mod library;
mod machine;
mod memory;
mod order;
mod pointer;
mod program;
mod real;
mod relational;
mod value;

pub use fault::Fault;
pub use group::{Launch, NdRange};
pub use kernel::Kernel;
pub use memory::{FlatMemory, Memory};
pub use program::Program;
