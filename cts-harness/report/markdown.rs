//! Markdown: the report of one run, and the page of the documentation.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Report, duration};
use crate::outcome::Outcome;

/// The report of one run, with what was unexpected first.
pub fn report(report: &Report) -> String {
    let mut text = format!("# Conformance: {} list, kernels as {}\n\n", report.list, report.mode);
    text += &facts(report);
    unexpected(report, &mut text);
    text += "\n## By binary\n\n";
    text += &table(report);
    known(report, &mut text);
    text
}

/// `docs/conformance.md`: a section for each report.
pub fn page(reports: &[Report]) -> String {
    let mut text = "# Conformance\n\n\
        Results of the Khronos OpenCL conformance suite. `cts-harness table` writes this page from the reports of\n\
        `cts-harness run`. What is not passed has its reason in `cts-harness/expect`.\n"
        .to_owned();
    for report in reports {
        let _ = write!(text, "\n## Kernels as {}\n\n", report.mode);
        text += &facts(report);
        text += "\n";
        text += &table(report);
        unexpected(report, &mut text);
        known(report, &mut text);
    }
    text
}

fn facts(report: &Report) -> String {
    let mut text = String::new();
    if let Some(device) = &report.device {
        let _ = writeln!(text, "- Device: {device}");
    }
    if let Some(suite) = &report.suite {
        let _ = writeln!(text, "- Suite: revision {suite}");
    }
    let _ = write!(text, "- List: {}, {} at a time", report.list, report.jobs);
    text += &if !report.complete {
        "; stopped before its end: sub-tests that have not run are not counted\n".to_owned()
    } else if report.resumed {
        ", interrupted and resumed\n".to_owned()
    } else {
        format!(", {}\n", duration(report.seconds))
    };
    text
}

fn table(report: &Report) -> String {
    let mut text = "| Binary | Passed | Failed | Crashed | Timed out | Skipped | Time |\n\
                    |---|--:|--:|--:|--:|--:|--:|\n"
        .to_owned();
    for entry in &report.entries {
        if entry.tests.is_empty() {
            let _ = writeln!(text, "| `{}` | | | | | | not run |", entry.command);
            continue;
        }
        let counts = Outcome::ALL.map(|outcome| entry.count(outcome).to_string()).join(" | ");
        let _ = writeln!(text, "| `{}` | {counts} | {} |", entry.command, duration(entry.seconds));
    }
    let counts = Outcome::ALL.map(|outcome| report.count(outcome).to_string()).join(" | ");
    let seconds = report.entries.iter().map(|entry| entry.seconds).sum();
    let _ = writeln!(text, "| all | {counts} | {} |", duration(seconds));
    text
}

fn unexpected(report: &Report, text: &mut String) {
    let mut rows = String::new();
    for (entry, test) in report.unexpected() {
        let what = if test.outcome == Outcome::Pass { "pass, not expected" } else { test.outcome.name() };
        let _ = writeln!(rows, "| {} | {} | {what} | {} |", entry.name, test.name, cell(headline(&test.detail)));
    }
    if !rows.is_empty() {
        let _ = write!(text, "\n### Unexpected\n\n| Run | Sub-test | Outcome | Says |\n|---|---|---|---|\n{rows}");
    }
}

/// The line that most likely says what went wrong.
fn headline(detail: &str) -> &str {
    let says = |line: &&str| line.contains("ERROR") || line.contains("failed") || line.contains("the process ");
    let mut lines = detail.lines().filter(|line| !line.trim().is_empty());
    lines.clone().find(says).or_else(|| lines.next_back()).unwrap_or_default()
}

/// Sub-tests that did not pass, by outcome and reason.
fn known(report: &Report, text: &mut String) {
    let mut groups: BTreeMap<(Outcome, &str), BTreeMap<&str, Vec<&str>>> = BTreeMap::new();
    for (entry, test) in report.tests().filter(|(_, test)| !test.unexpected && test.outcome != Outcome::Pass) {
        let key = (test.outcome, test.reason.as_deref().unwrap_or_default());
        groups.entry(key).or_default().entry(&entry.name).or_default().push(&test.name);
    }
    if groups.is_empty() {
        return;
    }
    *text += "\n### Known\n\n| Outcome | Reason | Sub-tests |\n|---|---|---|\n";
    for ((outcome, reason), entries) in groups {
        let names: Vec<String> =
            entries.iter().map(|(entry, tests)| format!("{entry}: {}", tests.join(", "))).collect();
        let _ = writeln!(text, "| {} | {} | {} |", outcome.name(), cell(reason), cell(&names.join("; ")));
    }
}

/// Text that stays within a cell of a table.
fn cell(text: &str) -> String {
    let short: String = text.chars().filter(|letter| !letter.is_control()).take(2000).collect();
    short.replace('|', "\\|").replace('<', "&lt;").trim().to_owned()
}
