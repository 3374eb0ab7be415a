//! The main job end to end, as a client program: modules that clang made, a platform that the loader found.
//!
//! - **Takes**: a picture, or none.
//! - **Gives**: three jobs (a filter chain, an N-body step, a matrix product), each compared with the same work on one
//!   host thread, and pictures before and after.
//! - **Never**: links the library that runs the kernels.

mod filters;
mod job;
mod jobs;
mod picture;
mod progress;

/// The demo's own kernels as SPIR-V.
pub mod kernels {
    include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
}

pub use filters::Filters;
pub use job::{Job, Report, heading};
pub use jobs::{matrix_product, n_body};
pub use picture::Picture;
pub use progress::Progress;
