//! Proves a [`Module`](oxicl_spirv::Module) valid against the universal rules and the OpenCL environment.
//!
//! - **Takes**: a decoded module and the device's capabilities.
//! - **Gives**: a [`ValidModule`] with the facts learned on the way, or every [`Violation`] found.
//! - **Never**: panics; lets anything pass that a later stage cannot compile or would have to refuse.
//! - **Spec**: SPIR-V 1.6 section 2.16 (universal/), OpenCL SPIR-V environment specification (opencl/).
#![forbid(unsafe_code)]

mod facts;

pub use facts::{Argument, ArgumentKind, Facts, KernelSignature, ProgramBlock};
