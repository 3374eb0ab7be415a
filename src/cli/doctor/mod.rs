//! `oxicl doctor`: what a program would see, and what keeps it from oxicl. Each check is a function of the [`System`].

mod drivers;
mod loaders;
mod machine;
mod own;
mod variables;

pub use machine::size;

use std::fmt::Write;
use std::process::ExitCode;

use oxicl_validate::command::print;
use serde::Serialize;

use crate::arguments::Doctor;
use crate::host::Host;
use crate::system::System;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// As it should be.
    Ok,
    /// It works, and something about it is worth knowing.
    Note,
    /// Something does not work.
    Problem,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked at, in a word or two.
    pub about: &'static str,
    /// How much it matters.
    pub level: Level,
    /// One sentence.
    pub sentence: String,
    /// A command that mends it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mend: Option<String>,
}

impl Finding {
    fn ok(about: &'static str, sentence: impl Into<String>) -> Finding {
        Finding { about, level: Level::Ok, sentence: sentence.into(), mend: None }
    }

    fn note(about: &'static str, sentence: impl Into<String>) -> Finding {
        Finding { level: Level::Note, ..Finding::ok(about, sentence) }
    }

    fn problem(about: &'static str, sentence: impl Into<String>) -> Finding {
        Finding { level: Level::Problem, ..Finding::ok(about, sentence) }
    }

    fn mend(self, command: impl Into<String>) -> Finding {
        Finding { mend: Some(command.into()), ..self }
    }
}

/// A check.
pub type Check = fn(&System) -> Vec<Finding>;

/// All checks, in the order in which a program meets what they look at.
pub const CHECKS: &[Check] = &[
    loaders::loaders,
    drivers::vendors,
    drivers::named,
    drivers::environments,
    drivers::seen,
    own::library,
    own::compiler,
    own::build,
    own::cache,
    own::executable_memory,
    own::noexec,
    machine::cpus,
    machine::level,
    machine::memory,
    machine::limits,
    machine::huge_pages,
    variables::set,
    variables::unknown,
    variables::misunderstood,
];

/// All that was found.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Whether a program would see oxicl.
    pub seen: bool,
    /// Whether a kernel could be built with it.
    pub builds: bool,
    /// Both in a sentence.
    pub verdict: String,
    /// Everything.
    pub findings: Vec<Finding>,
}

/// Judges a system.
pub fn examine(system: &System) -> Report {
    let seen = system.is_seen();
    let builds = matches!(system.build, Some(Ok(_)));
    let verdict = match (seen, builds) {
        (true, true) => "A program sees oxicl and can build kernels with it.",
        (true, false) => "A program sees oxicl but cannot build kernels with it.",
        (false, true) => {
            "A program does not see oxicl, whose library itself works; `oxicl run -- PROGRAM` lets one see it."
        }
        (false, false) => "A program does not see oxicl.",
    };
    let findings = CHECKS.iter().flat_map(|check| check(system)).collect();
    Report { seen, builds, verdict: verdict.to_owned(), findings }
}

/// The report for people: a line for each finding, and its mend below it.
pub fn text(report: &Report) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        let level = match finding.level {
            Level::Ok => "ok",
            Level::Note => "note",
            Level::Problem => "PROBLEM",
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{level:<8} {:<12} {}", finding.about, finding.sentence);
        if let Some(mend) = &finding.mend {
            let _ = writeln!(text, "{:<21} mend: {mend}", "");
        }
    }
    let count = |level, what: &str| {
        let count = report.findings.iter().filter(|finding| finding.level == level).count();
        counted(count as u64, what)
    };
    let _ =
        writeln!(text, "\n{}, {}. {}", count(Level::Problem, "problem"), count(Level::Note, "note"), report.verdict);
    text
}

/// How many there are, in words.
pub fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Looks, and prints.
pub fn doctor(arguments: &Doctor) -> ExitCode {
    let report = examine(&System::look(&Host::new(&arguments.root)));
    let shown = if arguments.json {
        format!("{}\n", serde_json::to_string_pretty(&report).unwrap_or_default())
    } else {
        text(&report)
    };
    print("oxicl doctor", shown.as_bytes(), ExitCode::from(u8::from(!(report.seen && report.builds))))
}
