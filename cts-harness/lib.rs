//! Runs the Khronos conformance suite against the library and compares the results with what is expected.
//!
//! - **Takes**: the folder of a built suite, `liboxicl.so`, a list of suites.
//! - **Gives**: an outcome for every sub-test, as they end in a journal and at the end as Markdown, JSON and JUnit.
//! - **Never**: knows what a sub-test does, builds the suite, or loses what has run when it is interrupted.
//! - **Spec**: the suite's own conventions: `--list`, names of sub-tests as arguments, one line when a sub-test starts
//!   and one when it ends, and a JSON file of results where `CL_CONFORMANCE_RESULTS_FILENAME` says.
#![forbid(unsafe_code)]

pub mod arguments;
pub mod catalogue;
pub mod environment;
pub mod expectations;
pub mod journal;
pub mod outcome;
pub mod plan;
pub mod process;
pub mod progress;
pub mod report;
pub mod run;
pub mod shard;
pub mod transcript;

/// A result whose error is a sentence for people.
pub type Fallible<T = ()> = Result<T, String>;

/// Adds to an error what it is about, which is usually a path.
pub fn about<T, E: std::fmt::Display>(result: Result<T, E>, what: impl std::fmt::Display) -> Fallible<T> {
    result.map_err(|error| format!("{what}: {error}"))
}
