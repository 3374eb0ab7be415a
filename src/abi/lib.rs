//! What compiled code and the runtime agree on.
//!
//! - **Takes**: nothing; these are plain data types.
//! - **Gives**: [`KernelSignature`] and [`ProgramBlock`], where arguments and program-scope variables lie;
//!   [`LaunchRecord`], [`GroupRecord`] and [`Entry`], by which a compiled kernel is called; [`Services`], what it may
//!   call; [`ImageDescriptor`] and [`SamplerBits`], what it is given for images and samplers; [`Image`], the finished
//!   object code of one or more kernels, with [`KernelFacts`].
//! - **Never**: knows OpenCL objects, LLVM, what makes a module valid, or how any of it gets from process to process.
#![forbid(unsafe_code)]

mod descriptor;
mod image;
mod launch;
mod signature;

pub use descriptor::{Addressing, ImageDescriptor, SamplerBits};
pub use image::{Image, KernelFacts, PAGE, Tier};
pub use launch::{
    AlongY, COALESCED_ITEMS, CONTEXT_ALIGN, Entry, Fiber, GroupRecord, GroupStyle, LaunchAddress, LaunchRecord,
    MakeNamedBarrier, Pause, Printf, RunFibers, Services, WaitAtNamedBarrier,
};
pub use signature::{Argument, ArgumentKind, KernelSignature, LaunchPromise, ProgramBlock, behind};
