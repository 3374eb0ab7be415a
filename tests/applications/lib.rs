//! Runs programs of other projects on the library and on other drivers.
//!
//! - **Takes**: `programs/*.toml`, one program each: its packages, its command, what its failures are known to be.
//! - **Gives**: `results/*.toml`, what the last run of each program found, and `docs/applications.md`, which is made of both.
//! - **Never**: lets a run see the caches or the settings of another, or of who runs it.

pub mod document;
pub mod driver;
pub mod install;
pub mod program;
pub mod reading;
pub mod results;
pub mod run;

use std::path::Path;

/// The folder of this package, with `programs`, `scripts` and `results`.
pub fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
