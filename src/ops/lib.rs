//! What the stages of the compiler tell each other in LLVM IR: by names, operations, functions of the device library, functions that
//! a stage writes, and attributes; by numbers, address spaces.
//!
//! - **Takes**: an [`Operation`], or a name.
//! - **Gives**: its name, or the operation. No other crate has a name that begins as these do; a test reads the sources.
//! - **Never**: knows LLVM, SPIR-V or the machine.
#![forbid(unsafe_code)]

pub mod attribute;
mod collective;
pub mod library;
mod machine;
mod operation;
mod query;
pub mod space;
pub mod symbol;

pub use collective::{Collective, Combine, NamedBarrier, PARTS, SubGroup};
pub use machine::MachineOperation;
pub use operation::{NotAnOperation, Operation, is_collective};
pub use query::Query;

/// What all names begin with: SPIR-V's names of functions and variables are another's, and LLVM's begin otherwise.
const PREFIX: &str = "oxicl.";
