//! What the stages of the compiler agree on in LLVM IR: the names of operations, of the device library's functions, of
//! functions that a stage writes and of attributes, the numbers of address spaces, and how many regions a kernel may have.
//!
//! - **Takes**: an [`Operation`], or a name.
//! - **Gives**: its name, or the operation. No other crate spells a name with this prefix; a test reads the sources.
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

/// A bound on compile time: the most regions between barriers that each have loops of their own over the work-items.
/// LLVM takes more than linear time for many loops in one function.
pub const REGIONS: usize = 32;

/// The prefix of all names. Names of SPIR-V's functions and variables, and LLVM's, begin otherwise.
const PREFIX: &str = "oxicl.";
