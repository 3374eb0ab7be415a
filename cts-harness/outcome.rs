//! What became of a sub-test.

use serde::{Deserialize, Serialize};

/// How a sub-test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The suite says that it passed.
    Pass,
    /// The suite says that it failed, or its process ended while it ran without a signal.
    Fail,
    /// The suite says that the device lacks what it needs.
    Skip,
    /// A signal ended its process.
    Crash,
    /// It ran longer than its limit, or the limit of its binary was over before it could start.
    TimeOut,
}

impl Outcome {
    /// All of them, in the order of reports.
    pub const ALL: [Outcome; 5] = [Outcome::Pass, Outcome::Fail, Outcome::Crash, Outcome::TimeOut, Outcome::Skip];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Pass => "pass",
            Outcome::Fail => "fail",
            Outcome::Skip => "skip",
            Outcome::Crash => "crash",
            Outcome::TimeOut => "time-out",
        }
    }
}

/// A sub-test that has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Name of the list's entry.
    pub entry: String,
    /// Name of the sub-test.
    pub test: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Seconds that it took.
    pub seconds: f64,
    /// The last lines that it wrote, unless it passed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}
