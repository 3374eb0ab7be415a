//! Why an execution stopped.

use std::fmt;

use oxicl_spirv::grammar::Op;

/// What the reference device cannot execute, or what the kernel did that has no defined meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An access outside every memory object.
    Address {
        /// Address.
        address: u64,
        /// Size of the access, in bytes.
        size: usize,
    },
    /// OpUnreachable was reached.
    Unreachable,
    /// Work-items of a group wait at different barriers, or some returned while others wait for ever.
    DivergentBarrier,
    /// An instruction that is not implemented here.
    Instruction(Op),
    /// A function of OpenCL.std that is not implemented here, by its number.
    LibraryFunction(u32),
    /// No entry point has this name.
    NoKernel(String),
    /// There is not so much memory, or more of it than the reference device gives.
    Memory,
    /// More steps than the caller allowed.
    StepLimit,
    /// The module is not what `validate` promises; a defect of ours.
    Malformed(&'static str),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Address { address, size } => write!(f, "access of {size} bytes at {address:#x} is outside memory"),
            Fault::Unreachable => write!(f, "OpUnreachable was reached"),
            Fault::DivergentBarrier => write!(f, "work-items of one group wait at different barriers"),
            Fault::Instruction(op) => write!(f, "the reference device does not execute Op{op:?}"),
            Fault::LibraryFunction(number) => {
                write!(f, "the reference device does not execute instruction {number} of OpenCL.std")
            }
            Fault::NoKernel(name) => write!(f, "no kernel is called {name}"),
            Fault::Memory => write!(f, "there is not enough memory"),
            Fault::StepLimit => write!(f, "the step limit was reached"),
            Fault::Malformed(what) => write!(f, "not a valid module: {what}"),
        }
    }
}

impl std::error::Error for Fault {}
