//! What a program's output says of its tests.

use std::collections::BTreeMap;

use crate::program::Reader;
use crate::results::Failure;

/// The longest reason of a failure that is kept, in bytes.
const WHY: usize = 200;

/// Counts and failures.
#[derive(Debug, Default, PartialEq)]
pub struct Tests {
    /// How many passed.
    pub passed: u64,
    /// How many did not want to run.
    pub skipped: u64,
    /// The others.
    pub failed: Vec<Failure>,
    /// Seconds by what took them, as the program measured them.
    pub speeds: BTreeMap<String, f64>,
}

impl Tests {
    /// Reads a whole output.
    pub fn read(reader: Reader, output: &str) -> Tests {
        let mut tests = Tests::default();
        for line in output.lines() {
            match reader {
                Reader::Lines => tests.line(line),
                Reader::Cargo => tests.cargo(line),
            }
        }
        tests
    }

    fn line(&mut self, line: &str) {
        let Some((word, rest)) = line.split_once(' ') else { return };
        match word {
            "pass" => self.passed += 1,
            "skip" => self.skipped += 1,
            "passed" => self.passed += rest.trim().parse().unwrap_or(0),
            "skipped" => self.skipped += rest.trim().parse().unwrap_or(0),
            "fail" => {
                let (test, why) = rest.split_once(": ").unwrap_or((rest, ""));
                self.fail(test, why);
            }
            "speed" => {
                if let Some((name, seconds)) = rest.rsplit_once(' ')
                    && let Ok(seconds) = seconds.parse()
                {
                    self.speeds.insert(name.to_owned(), seconds);
                }
            }
            _ => {}
        }
    }

    /// `test path::name ... ok`.
    fn cargo(&mut self, line: &str) {
        let Some((test, outcome)) = line.strip_prefix("test ").and_then(|rest| rest.rsplit_once(" ... ")) else {
            return;
        };
        match outcome.split([',', ' ']).next().unwrap_or_default() {
            "ok" => self.passed += 1,
            "ignored" => self.skipped += 1,
            "FAILED" => self.fail(test, ""),
            _ => {}
        }
    }

    fn fail(&mut self, test: &str, why: &str) {
        let end = (0..=why.len().min(WHY)).rev().find(|&end| why.is_char_boundary(end)).unwrap_or_default();
        self.failed.push(Failure { test: test.trim().to_owned(), why: why[..end].trim().to_owned() });
    }
}
