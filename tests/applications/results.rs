//! What runs found, and the files that keep it: one a program, so that each can be run again alone.

use std::collections::BTreeMap;
use std::path::Path;

use oxicl_cts_harness::{Fallible, about};
use serde::{Deserialize, Serialize};

use crate::here;

/// What the last run of a program found.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// The program's version.
    pub version: String,
    /// One a driver: the library's, then the peer's if there was one.
    pub runs: Vec<Run>,
}

/// A program on one driver.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The driver's name.
    pub driver: String,
    /// Its version.
    pub driver_version: String,
    /// From start to end, with empty caches.
    pub seconds: f64,
    /// How many tests passed.
    pub passed: u64,
    /// How many tests did not want to run.
    pub skipped: u64,
    /// Why it did not end as it should, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// Seconds by what took them, as the program measured them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub speeds: BTreeMap<String, f64>,
    /// What failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<Failure>,
}

/// A test that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Its name.
    pub test: String,
    /// What it said.
    pub why: String,
}

impl Run {
    /// One line.
    pub fn summary(&self) -> String {
        let ended = self.ended.as_ref().map_or(String::new(), |ended| format!(", {ended}"));
        let Run { passed, skipped, seconds, .. } = self;
        format!("{passed} passed, {} failed, {skipped} skipped in {seconds:.1} s{ended}", self.failed.len())
    }
}

impl Results {
    /// The run of the library.
    pub fn own(&self) -> Option<&Run> {
        self.runs.first()
    }

    /// The run of the driver that it is compared with.
    pub fn peer(&self) -> Option<&Run> {
        self.runs.get(1)
    }

    /// Writes the file of a program.
    pub fn keep(&self, folder: &Path, program: &str) -> Fallible {
        let file = folder.join(format!("{program}.toml"));
        let text = about(toml::to_string(self), file.display())?;
        about(std::fs::write(&file, text), file.display())
    }
}

/// The results that are kept, by program.
pub fn results() -> Fallible<BTreeMap<String, Results>> {
    let folder = here().join("results");
    let mut all = BTreeMap::new();
    for entry in about(std::fs::read_dir(&folder), folder.display())? {
        let path = about(entry, folder.display())?.path();
        let text = about(std::fs::read_to_string(&path), path.display())?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        all.insert(name, about(toml::from_str(&text), path.display())?);
    }
    Ok(all)
}
