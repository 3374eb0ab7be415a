//! What the tests of the built library have in common.
//!
//! - **Takes**: nothing; the library is built on first use, with the profile of the tests.
//! - **Gives**: a loader that finds the library, sessions, fixtures of handles, tables of error codes, child processes.
//! - **Never**: reaches into the library. Tests see what an application sees.
//!
//! With `OCL_ICD_VENDORS` in the environment nothing is built and whatever it names is tested.

mod driver;
mod fixture;
mod resident;
mod table;

/// Kernels of the guest scenarios as SPIR-V.
pub mod kernels {
    include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
}

pub use driver::{
    again_on_other_processors, again_on_the_reference_device, again_with_checked_stacks, built_folder, driver, guest,
    is_reference, library, session,
};
pub use fixture::Fixture;
pub use oxicl_client as client;
pub use oxicl_offline as offline;
pub use resident::resident;
pub use table::{Case, check_table};
