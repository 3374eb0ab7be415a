//! What crosses the wall between the application's process and the compiler process.
//!
//! - **Takes**: nothing; these are plain data types with one serialised form (postcard).
//! - **Gives**: [`SourceRequest`] and [`SourceResponse`]; [`CompileRequest`] and [`CompileResponse`], with a [`Proof`];
//!   the frames that they are sent in; [`Standstill`], by which either side knows that the other does nothing any more.
//! - **Never**: knows OpenCL objects, LLVM or sockets.
#![forbid(unsafe_code)]

mod failure;
mod frame;
mod request;
mod source;
mod source_options;
mod standstill;

pub use oxicl_abi::Tier;
pub use oxicl_caps::{Decision, Limit, Switches};

pub use failure::{BuildFailure, Diagnostic, Severity, Stage};
pub use frame::{ALIVE_EVERY, BUILD_ARGUMENT, FrameHeader, FrameKind, LARGEST_FRAME, Progress, decode, encode};
pub use request::{CompileOptions, CompileRequest, CompileResponse, Proof, instruction_count};
pub use source::{FileSeen, SourceModule, SourceRequest, SourceResponse};
pub use source_options::{SourceOptions, Standard};
pub use standstill::Standstill;
