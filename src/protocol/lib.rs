//! What crosses the wall between the application's process and the compiler process, and what generated code is told.
//!
//! - **Takes**: nothing; these are plain data types with one serialised form (postcard).
//! - **Gives**: [`SourceRequest`] and [`SourceResponse`]; [`CompileRequest`] and [`CompileResponse`], with a [`Proof`]; [`Image`], the finished object code of one or more kernels;
//!   [`LaunchRecord`], [`GroupRecord`], [`ImageDescriptor`], [`SamplerBits`] and [`Entry`], the binary interface of a
//!   compiled kernel; [`Standstill`], by which either side knows that the other does nothing any more.
//! - **Never**: knows OpenCL objects, LLVM or sockets.
#![forbid(unsafe_code)]

mod descriptor;
mod failure;
mod frame;
mod image;
mod launch;
mod request;
mod source;
mod source_options;
mod standstill;

pub use descriptor::{Addressing, ImageDescriptor, SamplerBits};
pub use failure::{BuildFailure, Diagnostic, Severity, Stage};
pub use frame::{ALIVE_EVERY, BUILD_ARGUMENT, FrameHeader, FrameKind, LARGEST_FRAME, Progress, decode, encode};
pub use image::{Image, KernelFacts, PAGE};
pub use launch::{
    AlongY, CONTEXT_ALIGN, Entry, Fiber, GroupRecord, GroupStyle, LaunchAddress, LaunchRecord, PACKED_ITEMS, Pause,
    Printf, RunFibers, Services,
};
pub use request::{CompileOptions, CompileRequest, CompileResponse, Proof, Tier, instruction_count};
pub use source::{FileSeen, SourceModule, SourceRequest, SourceResponse};
pub use source_options::{SourceOptions, Standard};
pub use standstill::Standstill;
