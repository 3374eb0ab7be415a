//! What a run found, in the forms that people and other programs read.

pub mod junit;
pub mod markdown;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::expectations::{Expectations, Verdict};
use crate::outcome::{Outcome, Record};

/// A whole run; its JSON form is this.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The list.
    pub list: String,
    /// How kernels reached the library.
    pub mode: String,
    /// The library.
    pub library: String,
    /// The device, as the suite names it.
    pub device: Option<String>,
    /// Revision of the suite, if its build tells.
    pub suite: Option<String>,
    /// Processes at a time.
    pub jobs: usize,
    /// Seconds by the clock, those of earlier parts of a resumed run left out.
    pub seconds: f64,
    /// Whether there were earlier parts.
    #[serde(default)]
    pub resumed: bool,
    /// Whether every sub-test of the list has an outcome.
    pub complete: bool,
    /// In the order of the list.
    pub entries: Vec<EntryReport>,
}

/// One entry of the list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EntryReport {
    /// Its name.
    pub name: String,
    /// The binary, with the arguments of the list.
    pub command: String,
    /// Seconds of all its sub-tests.
    pub seconds: f64,
    /// Sub-tests by outcome.
    pub counts: BTreeMap<Outcome, usize>,
    /// Its sub-tests by name.
    pub tests: Vec<TestReport>,
}

/// One sub-test.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TestReport {
    /// Its name.
    pub name: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Seconds.
    pub seconds: f64,
    /// Whether somebody has to look at it.
    pub unexpected: bool,
    /// Why it was expected not to pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its last lines, unless it passed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

impl EntryReport {
    /// Gathers the records of an entry.
    pub fn new(name: &str, command: String, records: &[Record], expectations: &Expectations) -> EntryReport {
        let mut counts = BTreeMap::new();
        let mut tests = Vec::new();
        for record in records.iter().filter(|record| record.entry == name) {
            *counts.entry(record.outcome).or_insert(0) += 1;
            let verdict = expectations.judge(record);
            tests.push(TestReport {
                name: record.test.clone(),
                outcome: record.outcome,
                seconds: record.seconds,
                unexpected: verdict.is_unexpected(),
                reason: match verdict {
                    Verdict::Known(reason) | Verdict::UnexpectedPass(reason) => Some(reason),
                    Verdict::Good | Verdict::Unexpected => None,
                },
                detail: record.detail.clone(),
            });
        }
        tests.sort_by(|a, b| a.name.cmp(&b.name));
        let seconds = tests.iter().map(|test| test.seconds).sum();
        EntryReport { name: name.to_owned(), command, seconds, counts, tests }
    }

    /// Sub-tests with an outcome.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.counts.get(&outcome).copied().unwrap_or(0)
    }
}

impl Report {
    /// Sub-tests with an outcome, of all entries.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.entries.iter().map(|entry| entry.count(outcome)).sum()
    }

    /// Sub-tests that somebody has to look at, with their entries.
    pub fn unexpected(&self) -> impl Iterator<Item = (&EntryReport, &TestReport)> {
        self.tests().filter(|(_, test)| test.unexpected)
    }

    /// Every sub-test with its entry.
    pub fn tests(&self) -> impl Iterator<Item = (&EntryReport, &TestReport)> {
        self.entries.iter().flat_map(|entry| entry.tests.iter().map(move |test| (entry, test)))
    }
}

/// Seconds for people: `7 s`, `3 min 20 s`, `2 h 5 min`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, _) if seconds < 10.0 => format!("{seconds:.1} s"),
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn durations_are_told_in_two_units() {
        let told = [0.04, 9.94, 59.6, 200.0, 7500.0].map(duration);
        assert_eq!(told, ["0.0 s", "9.9 s", "1 min 0 s", "3 min 20 s", "2 h 5 min"]);
    }
}
