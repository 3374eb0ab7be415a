//! The OpenCL 3.1 ABI as Rust: types, constants, signatures and the dispatch table.
//!
//! - **Takes**: nothing.
//! - **Gives**: for each area of the API a module with its types, structures, constants and the types of its entry
//!   points (`clFlush`), all reachable from the root; [`dispatch::cl_icd_dispatch`]; [`describe`], the same as data.
//! - **Never**: contains behaviour, or anything that this driver could not be asked about.
//! - **Spec**: the OpenCL API registry. The test holds sizes, offsets, values and signatures against the C headers of
//!   the system.
#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals, reason = "names are those of the C headers")]
#![allow(missing_docs, reason = "the specification documents its names")]

#[macro_use]
mod macros;

pub mod callback;
pub mod context;
pub mod describe;
pub mod device;
pub mod dispatch;
pub mod error;
pub mod event;
pub mod extensions;
pub mod handle;
pub mod image;
pub mod kernel;
pub mod limits;
pub mod memory;
pub mod pipe;
pub mod platform;
pub mod program;
pub mod queue;
pub mod sampler;
pub mod scalar;
pub mod version;

pub use callback::*;
pub use context::*;
pub use device::*;
pub use dispatch::*;
pub use error::*;
pub use event::*;
pub use extensions::*;
pub use handle::*;
pub use image::*;
pub use kernel::*;
pub use limits::*;
pub use memory::*;
pub use pipe::*;
pub use platform::*;
pub use program::*;
pub use queue::*;
pub use sampler::*;
pub use scalar::*;
pub use version::*;
