//! Which outcomes other than a pass are expected, each with its reason.

use serde::Deserialize;

use crate::arguments::Mode;
use crate::catalogue::matches;
use crate::outcome::{Outcome, Record};
use crate::{Fallible, about};

/// A row of a file of expectations.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// Entry of a list, by name or pattern.
    entry: String,
    /// Sub-tests by name or pattern.
    #[serde(default = "all")]
    tests: Vec<String>,
    /// How they end.
    outcome: Outcome,
    /// Or they pass: it is a matter of luck.
    #[serde(default)]
    or_pass: bool,
    /// Why.
    reason: String,
}

fn all() -> Vec<String> {
    vec!["*".to_owned()]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    expect: Vec<Row>,
}

/// Expected outcomes.
#[derive(Clone, Debug, Default)]
pub struct Expectations {
    rows: Vec<Row>,
}

/// What an outcome is, seen from what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A pass, as always hoped for.
    Good,
    /// No pass, and the reason why that is known.
    Known(String),
    /// No pass, and nobody knew.
    Unexpected,
    /// A pass that was expected to end otherwise: the expectation is out of date.
    UnexpectedPass(String),
}

impl Verdict {
    /// Whether somebody has to look at it.
    pub fn is_unexpected(&self) -> bool {
        matches!(self, Verdict::Unexpected | Verdict::UnexpectedPass(_))
    }
}

impl Expectations {
    /// Reads what the command line names: nothing for the file kept for the mode, `none`, or a path.
    pub fn load(argument: Option<&str>, mode: Mode) -> Fallible<Expectations> {
        match argument {
            Some("none") => Ok(Expectations::default()),
            Some(path) => Expectations::parse(path, &about(std::fs::read_to_string(path), path)?),
            None => match mode {
                Mode::Source => Expectations::parse("cpu-source.toml", include_str!("expect/cpu-source.toml")),
                Mode::SpirV => Expectations::parse("cpu-spir-v.toml", include_str!("expect/cpu-spir-v.toml")),
            },
        }
    }

    fn parse(name: &str, text: &str) -> Fallible<Expectations> {
        let file: File = about(toml::from_str(text), name)?;
        for row in &file.expect {
            if row.outcome == Outcome::Pass {
                return Err(format!("{name}: {} is expected to pass, which needs no row", row.entry));
            }
            if row.reason.trim().is_empty() {
                return Err(format!("{name}: {} has no reason", row.entry));
            }
        }
        Ok(Expectations { rows: file.expect })
    }

    /// Judges an outcome. Of several rows for a sub-test any may hold.
    pub fn judge(&self, record: &Record) -> Verdict {
        let mut rows = self.rows.iter().filter(|row| {
            matches(&row.entry, &record.entry) && row.tests.iter().any(|pattern| matches(pattern, &record.test))
        });
        if record.outcome == Outcome::Pass {
            return rows
                .find(|row| !row.or_pass)
                .map_or(Verdict::Good, |row| Verdict::UnexpectedPass(row.reason.clone()));
        }
        match rows.find(|row| row.outcome == record.outcome) {
            Some(row) => Verdict::Known(row.reason.clone()),
            None => Verdict::Unexpected,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
        [[expect]]
        entry = "lucky"
        outcome = "fail"
        or_pass = true
        reason = "a race"
        [[expect]]
        entry = "basic"
        tests = ["image*", "exact"]
        outcome = "skip"
        reason = "no images"
        [[expect]]
        entry = "pipes"
        outcome = "time-out"
        reason = "slow"
    "#;

    fn judge(entry: &str, test: &str, outcome: Outcome) -> Verdict {
        let record =
            Record { entry: entry.to_owned(), test: test.to_owned(), outcome, seconds: 0.0, detail: String::new() };
        Expectations::parse("test", FILE).expect("it parses").judge(&record)
    }

    #[test]
    fn only_the_outcome_that_was_foreseen_is_known() {
        assert_eq!(judge("basic", "image_r", Outcome::Skip), Verdict::Known("no images".to_owned()));
        assert_eq!(judge("basic", "image_r", Outcome::Fail), Verdict::Unexpected);
        assert_eq!(judge("basic", "other", Outcome::Skip), Verdict::Unexpected);
        assert_eq!(judge("pipes", "any", Outcome::TimeOut), Verdict::Known("slow".to_owned()));
        assert_eq!(judge("pipes", "any", Outcome::Crash), Verdict::Unexpected);
    }

    #[test]
    fn a_pass_against_a_row_is_told() {
        assert_eq!(judge("basic", "exact", Outcome::Pass), Verdict::UnexpectedPass("no images".to_owned()));
        assert_eq!(judge("basic", "image_r", Outcome::Pass), Verdict::UnexpectedPass("no images".to_owned()));
        assert_eq!(judge("basic", "other", Outcome::Pass), Verdict::Good);
    }

    #[test]
    fn luck_may_have_it_that_a_sub_test_passes() {
        assert_eq!(judge("lucky", "any", Outcome::Pass), Verdict::Good);
        assert_eq!(judge("lucky", "any", Outcome::Fail), Verdict::Known("a race".to_owned()));
        assert_eq!(judge("lucky", "any", Outcome::Crash), Verdict::Unexpected);
    }

    #[test]
    fn a_row_needs_a_reason_and_an_outcome_that_is_no_pass() {
        let row = |outcome: &str, reason: &str| {
            let text = format!("[[expect]]\nentry = \"a\"\noutcome = \"{outcome}\"\nreason = \"{reason}\"\n");
            Expectations::parse("test", &text).is_ok()
        };
        assert!(row("fail", "because") && !row("fail", " ") && !row("pass", "because") && !row("nonsense", "because"));
    }

    #[test]
    fn the_kept_files_parse() {
        for mode in [Mode::Source, Mode::SpirV] {
            Expectations::load(None, mode).expect("it parses");
        }
    }
}
