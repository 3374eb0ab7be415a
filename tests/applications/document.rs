//! The page `docs/applications.md`.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::program::{Absent, Program};
use crate::results::{Results, Run};

/// A peer that is faster by less than this is not named: what a shared machine adds or takes is more.
const SLOWER: f64 = 1.5;

/// How many failures, or speeds, of one program are named.
const NAMED: usize = 12;

const HEAD: &str = "\
# Programs that were run

Written by `cargo xtask applications --peer intel --write docs/applications.md`, which installs each program from its registry
and runs it with its own tests or with tasks whose results are compared with those of code that does not use OpenCL.
`tests/applications/programs` has the commands.

The peer is Intel's CPU runtime. *Time* is from the start of the program to its end, with empty caches: every kernel is
built. Program and peer ran one after the other on a machine with two cores that had other work, so a time may be off by half,
and only the ratio of two times in a row means something. *Speed* is the median of what the program measured itself after
its kernels were built; above 1 the peer is faster.

| Program | Version | Passed | Failed | Skipped | Time | Peer: passed | failed | Time | Time / peer's | Speed / peer's |
|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|
";

/// The whole page, in the order of the programs.
pub fn page(programs: &[Program], results: &BTreeMap<String, Results>, absent: &[Absent]) -> String {
    let mut text = HEAD.to_owned();
    let found: Vec<(&Program, &Results)> =
        programs.iter().filter_map(|program| Some((program, results.get(&program.name)?))).collect();
    for (program, results) in &found {
        text.push_str(&row(program, results));
    }
    for (program, results) in &found {
        text.push_str(&section(program, results));
    }
    text.push_str("\n## Not run\n\n");
    for Absent { title, looked } in absent {
        let _ = writeln!(text, "- {title}: {looked}.");
    }
    text
}

fn row(program: &Program, results: &Results) -> String {
    let link = program.title.to_lowercase().replace(' ', "-").replace(['(', ')', '.', '\'', ','], "");
    let mut row = format!("| [{}](#{link}) | {} ", program.title, results.version);
    match results.own() {
        Some(run) => {
            let _ = write!(row, "| {} | {} | {} | {} ", run.passed, run.failed.len(), run.skipped, time(run));
        }
        None => row.push_str("| | | | "),
    }
    match results.peer() {
        Some(run) => {
            let _ = write!(row, "| {} | {} | {} ", run.passed, run.failed.len(), time(run));
        }
        None => row.push_str("| | | "),
    }
    let ratio = results.own().zip(results.peer()).filter(|(own, peer)| own.ended.is_none() && peer.ended.is_none());
    let ratio = ratio.map(|(own, peer)| format!("{:.2}", own.seconds / peer.seconds.max(0.1))).unwrap_or_default();
    let speed = median(results).map(|ratio| format!("{ratio:.2}")).unwrap_or_default();
    let _ = writeln!(row, "| {ratio} | {speed} |");
    row
}

fn time(run: &Run) -> String {
    match &run.ended {
        Some(ended) => ended.clone(),
        None if run.seconds < 10.0 => format!("{:.1} s", run.seconds),
        None => format!("{:.0} s", run.seconds),
    }
}

/// How many times the peer's time the library takes, for each thing that both measured, the slowest first.
fn ratios(results: &Results) -> Vec<(&str, f64)> {
    let (Some(own), Some(peer)) = (results.own(), results.peer()) else { return Vec::new() };
    let both = own.speeds.iter().filter_map(|(name, seconds)| Some((name, seconds, peer.speeds.get(name)?)));
    let mut ratios: Vec<(&str, f64)> =
        both.filter(|(_, _, peer)| **peer > 0.0).map(|(name, own, peer)| (name.as_str(), own / peer)).collect();
    ratios.sort_by(|a, b| b.1.total_cmp(&a.1));
    ratios
}

fn median(results: &Results) -> Option<f64> {
    let ratios = ratios(results);
    ratios.get(ratios.len() / 2).map(|(_, ratio)| *ratio)
}

fn section(program: &Program, results: &Results) -> String {
    let mut text = format!("\n## {}\n\n{}", program.title, program.about);
    let _ = write!(text, " Command: `{}`. Device: {}.", program.command.join(" "), program.device);
    if !program.note.is_empty() {
        let _ = write!(text, " {}", program.note);
    }
    text.push('\n');
    if let Some(own) = results.own() {
        text.push_str(&failures(program, own, results.peer()));
    }
    text.push_str(&speeds(results));
    if let Some(run) = results.own() {
        let _ = write!(text, "\nDriver {}", run.driver_version);
        if let Some(peer) = results.peer() {
            let _ = write!(text, ", {} {}", peer.driver, peer.driver_version);
        }
        text.push_str(".\n");
    }
    text
}

/// One line a reason, or for each failure that has none.
fn failures(program: &Program, own: &Run, peer: Option<&Run>) -> String {
    let mut by_reason: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for failure in &own.failed {
        let on_both = peer.is_some_and(|peer| peer.failed.iter().any(|other| other.test == failure.test));
        let reason = program.reason(&failure.test).unwrap_or("not known yet").to_owned();
        let test = if on_both { format!("`{}` (on both)", failure.test) } else { format!("`{}`", failure.test) };
        by_reason.entry(reason).or_default().push(test);
    }
    let mut text = String::new();
    for (reason, tests) in by_reason {
        let _ = write!(text, "\n- Failed: {}", listed(&tests));
        let _ = writeln!(text, " - {reason}");
    }
    let only_peer: Vec<String> = peer
        .map(|peer| {
            let others = peer.failed.iter().filter(|failure| own.failed.iter().all(|other| other.test != failure.test));
            others.map(|failure| format!("`{}`", failure.test)).collect()
        })
        .unwrap_or_default();
    if !only_peer.is_empty() {
        let _ = writeln!(text, "\n- Failed on the peer only: {}", listed(&only_peer));
    }
    text
}

fn listed(tests: &[String]) -> String {
    let more = tests.len().saturating_sub(NAMED);
    let mut text = tests.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    if more > 0 {
        let _ = write!(text, " and {more} more");
    }
    text
}

fn speeds(results: &Results) -> String {
    let ratios = ratios(results);
    if ratios.is_empty() {
        return String::new();
    }
    let slower: Vec<String> =
        ratios.iter().filter(|(_, ratio)| *ratio >= SLOWER).map(|(name, ratio)| format!("{name} {ratio:.1}")).collect();
    let behind = ratios.iter().filter(|(_, ratio)| *ratio > 1.0).count();
    let mut text = format!("\nSpeed: {} things measured, slower than the peer in {behind}.", ratios.len());
    if !slower.is_empty() {
        let _ = write!(text, " By {SLOWER} times or more: {}.", listed(&slower));
    }
    text.push('\n');
    text
}
