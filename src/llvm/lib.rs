//! Thin, safe wrappers over LLVM's C API; the only crate that links LLVM.
//!
//! - **Takes**: calls that build or read LLVM IR, pass pipelines as text, a target description.
//! - **Gives**: [`Context`] and [`Module`], which own; [`Type`], [`Value`], [`Block`], which are `Copy` handles;
//!   [`Builder`]; [`TargetMachine`], which makes object code in memory, and says what it takes of the stack; [`Costs`] of
//!   operations on it.
//! - **Never**: deletes something that a handle still names. Whatever deletes (passes, linking, removal of functions)
//!   takes `&mut Module`, and handles borrow the module that they were taken from. Knows nothing of OpenCL or SPIR-V.
//! - **Spec**: LLVM 22, `llvm-c/*.h`.
//!
//! What LLVM itself requires of its callers stays the callers' duty, as without assertions LLVM does not check it:
//! operand types must fit the instruction, and handles of two contexts must not be mixed. [`Module::verify`] finds the
//! former.

mod attribute;
mod block;
mod builder;
mod constant;
mod context;
mod cost;
mod error;
mod function;
mod global;
mod instruction;
mod kinds;
mod machine;
mod module;
mod types;
mod value;

pub use attribute::{Attribute, Place};
pub use block::Block;
pub use builder::Builder;
pub use constant::ConstantKind;
pub use context::{Context, DiagnosticMessage, DiagnosticSeverity, Metadata};
pub use cost::{Access, Address, Costs, OwnedCosts, Shuffle, VectorRegisters};
pub use error::{Error, end_process, install_fatal_error_handler};
pub use function::CallConv;
pub use global::{Linkage, UnnamedAddr, Visibility};
pub use instruction::{FastMath, GepFlags};
pub use kinds::{IntPredicate, Opcode, Ordering, RealPredicate, RmwOp, TypeKind};
pub use machine::{
    CodegenLevel, Frame, MachineOptions, ObjectCode, TargetMachine, host_cpu_features, host_triple, version,
};
pub use module::{Module, PassOptions};
pub use types::Type;
pub use value::{Value, ValueKind};
