//! Reads what a binary of the suite writes: which sub-test runs, how the last one ended, and what it had to say.

use std::collections::VecDeque;
use std::time::Instant;

use crate::outcome::Outcome;

/// Lines kept of a sub-test.
const KEPT: usize = 30;

/// Lines of the suite about its offline compiler, three for each kernel, which say nothing of a result.
const NOISE: [&str; 3] =
    ["Saved kernel ", "Executing command: ", "offlineCompiler: clCreateProgramWithSource replaced"];

/// A sub-test that the transcript has seen start.
#[derive(Clone, Debug)]
pub struct Section {
    /// Its name.
    pub test: String,
    /// How it ended, as far as it said so.
    pub outcome: Option<Outcome>,
    /// When it started.
    pub started: Instant,
    /// When it ended, or the next one started.
    pub ended: Option<Instant>,
    lines: VecDeque<String>,
}

impl Section {
    /// Its last lines.
    pub fn detail(&self) -> String {
        self.lines.iter().map(String::as_str).collect::<Vec<_>>().join("\n")
    }

    /// Seconds that it ran, up to `now` if it did not end.
    pub fn seconds(&self, now: Instant) -> f64 {
        self.ended.unwrap_or(now).duration_since(self.started).as_secs_f64()
    }
}

/// What a process has written so far.
#[derive(Debug)]
pub struct Transcript {
    tests: Vec<String>,
    sections: Vec<Section>,
    /// Lines before the first sub-test.
    opening: VecDeque<String>,
    /// The line in which the suite names the device.
    pub device: Option<String>,
}

impl Transcript {
    /// A transcript of a process that was told to run `tests`.
    pub fn new(tests: &[String]) -> Transcript {
        Transcript { tests: tests.to_vec(), sections: Vec::new(), opening: VecDeque::new(), device: None }
    }

    /// Takes in a line, without its end. Gives the name of a sub-test that starts with it.
    pub fn line(&mut self, line: &str, now: Instant) -> Option<&str> {
        if let Some(started) = self.starting(line) {
            if let Some(last) = self.sections.last_mut() {
                last.ended.get_or_insert(now);
            }
            self.sections.push(Section {
                test: started,
                outcome: None,
                started: now,
                ended: None,
                lines: VecDeque::new(),
            });
            return self.sections.last().map(|section| section.test.as_str());
        }
        if let Some(device) = line.strip_prefix("Compute Device Name = ") {
            self.device.get_or_insert_with(|| device.to_owned());
        }
        let kept = match self.sections.last_mut() {
            Some(section) => {
                if let Some(outcome) = ending(line, &section.test) {
                    section.outcome = Some(outcome);
                    section.ended = Some(now);
                }
                &mut section.lines
            }
            None => &mut self.opening,
        };
        if !line.trim().is_empty() && !NOISE.iter().any(|noise| line.starts_with(noise)) {
            if kept.len() == KEPT {
                kept.pop_front();
            }
            kept.push_back(line.to_owned());
        }
        None
    }

    fn starting(&self, line: &str) -> Option<String> {
        let name = line.strip_suffix("...")?;
        let fresh = !self.sections.iter().any(|section| section.test == name);
        (fresh && self.tests.iter().any(|test| test == name)).then(|| name.to_owned())
    }

    /// The section of a sub-test, if it has started.
    pub fn section(&self, test: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.test == test)
    }

    /// The sub-test that started last.
    pub fn last(&self) -> Option<&Section> {
        self.sections.last()
    }

    /// The sub-test before the last one and how it said that it ended.
    pub fn ended_last(&self) -> Option<(&Section, Outcome)> {
        let section = self.sections.iter().rev().nth(1)?;
        Some((section, section.outcome?))
    }

    /// The last lines before any sub-test started.
    pub fn opening(&self) -> String {
        self.opening.iter().map(String::as_str).collect::<Vec<_>>().join("\n")
    }
}

/// How a line says that `test` ended. What a sub-test writes without a line end may stand before it.
fn ending(line: &str, test: &str) -> Option<Outcome> {
    let said = |words: &str| {
        line.strip_suffix(words)
            .and_then(|line| line.strip_suffix(test))
            .is_some_and(|before| !before.ends_with(|last: char| last.is_alphanumeric() || last == '_'))
    };
    let without_a_run =
        [format!("{test} skipped (requires "), format!("Subtest {test} tests is not supported in offline compiler")];
    let skipped = said(" test not supported")
        || said(" test currently not implemented")
        || without_a_run.iter().any(|beginning| line.starts_with(beginning));
    match (said(" passed"), said(" FAILED"), skipped) {
        (true, _, _) => Some(Outcome::Pass),
        (_, true, _) => Some(Outcome::Fail),
        (_, _, true) => Some(Outcome::Skip),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(tests: &[&str], text: &str) -> Transcript {
        let tests: Vec<String> = tests.iter().map(|&test| test.to_owned()).collect();
        let mut transcript = Transcript::new(&tests);
        for line in text.lines() {
            transcript.line(line, Instant::now());
        }
        transcript
    }

    #[test]
    fn each_way_to_end_is_told_apart() {
        let text = "a...\na passed\nb...\nb FAILED\nc...\nc test not supported\n\
                    d...\nd skipped (requires at least OpenCL version 3.1, but ...)\ne...\n";
        let transcript = read(&["a", "b", "c", "d", "e"], text);
        let outcome = |test: &str| transcript.section(test).and_then(|section| section.outcome);
        assert_eq!(outcome("a"), Some(Outcome::Pass));
        assert_eq!(outcome("b"), Some(Outcome::Fail));
        assert_eq!(outcome("c"), Some(Outcome::Skip));
        assert_eq!(outcome("d"), Some(Outcome::Skip));
        assert_eq!(transcript.last().map(|section| section.test.as_str()), Some("e"));
    }

    #[test]
    fn what_a_sub_test_prints_does_not_end_it() {
        let transcript = read(&["dot"], "dot...\ngeom_dot passed\n   dot double passed\nxdot FAILED\n");
        assert_eq!(transcript.section("dot").and_then(|section| section.outcome), None);
    }

    #[test]
    fn an_ending_behind_unfinished_output_counts() {
        let transcript = read(&["dot"], "dot...\n......dot passed\n");
        assert_eq!(transcript.section("dot").and_then(|section| section.outcome), Some(Outcome::Pass));
    }

    #[test]
    fn a_name_that_was_not_asked_for_starts_nothing() {
        let transcript = read(&["one"], "two...\nCompute Device Name = X, and more\n");
        assert!(transcript.last().is_none());
        assert!(transcript.opening().contains("two..."));
        assert_eq!(transcript.device.as_deref(), Some("X, and more"));
    }

    #[test]
    fn the_last_lines_are_kept_without_the_offline_compiler() {
        let mut text = "one...\nExecuting command: clang\n".to_owned();
        for number in 0..100 {
            text += &format!("line {number}\n");
        }
        let detail = read(&["one"], &text).section("one").map(Section::detail).expect("it started");
        assert_eq!(detail.lines().count(), KEPT);
        assert!(detail.ends_with("line 99") && !detail.contains("Executing"));
    }
}
