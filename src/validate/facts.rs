//! What validation learns and later stages rely on.

pub(crate) mod addresses;
pub(crate) mod block;
pub(crate) mod calls;
pub(crate) mod kernels;

use oxicl_abi::{KernelSignature, ProgramBlock};

/// Facts about a valid module.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// One per OpEntryPoint of the Kernel model, in module order.
    pub kernels: Vec<KernelSignature>,
    /// Layout of the program-scope variables.
    pub program_block: ProgramBlock,
}
