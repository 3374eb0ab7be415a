//! What the stages of the compiler tell each other by names in LLVM IR: operations, and attributes.
//!
//! - **Takes**: names.
//! - **Gives**: [`Operation`], what a call of a named function asks for; the names of [`attribute`]s and of metadata.
//! - **Never**: knows LLVM, SPIR-V or the machine.
#![forbid(unsafe_code)]

pub mod attribute;
mod operation;

pub use operation::{Collective, Combine, Operation, PARTS, Query, SubGroup, recognise};
