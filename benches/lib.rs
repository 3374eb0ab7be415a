//! Kernels with their data, their host references and what they are measured by.
//!
//! - **Takes**: a [`Session`] on any driver and a problem size.
//! - **Gives**: a [`Workload`] that can be run again and again and checked; tests run the same ones at odd sizes.
//! - **Never**: knows a driver; every driver gets the same SPIR-V.

mod random;
mod session;
pub mod workloads;

/// The kernels as SPIR-V.
pub mod kernels {
    include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
}

pub use random::Random;
pub use session::{Failure, Session};
pub use workloads::{EDGES, GUARDS, Row, TABLE, Unit, Work, Workload};
