//! The command `cts-harness`.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Parser;
use oxicl_cts_harness::arguments::{Arguments, Command, RunArguments};
use oxicl_cts_harness::outcome::Outcome;
use oxicl_cts_harness::report::{Report, duration, markdown};
use oxicl_cts_harness::{Fallible, catalogue, run};

/// Exit statuses beside success.
const UNEXPECTED: u8 = 1;
const BROKEN: u8 = 2;
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Run(arguments) => run_suites(&arguments),
        Command::Lists => lists().map(|()| 0),
        Command::Table { reports } => table(&reports).map(|()| 0),
    };
    match outcome {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            eprintln!("cts-harness: {error}");
            ExitCode::from(BROKEN)
        }
    }
}

fn run_suites(arguments: &RunArguments) -> Fallible<u8> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&interrupted)).map_err(|error| format!("signals: {error}"))?;
    }
    let report = run::run(arguments, &interrupted)?;
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&report).map_err(|error| error.to_string())?);
    } else {
        summary(&report, arguments);
    }
    Ok(if interrupted.load(Ordering::Relaxed) {
        INTERRUPTED
    } else if report.unexpected().next().is_some() {
        UNEXPECTED
    } else {
        0
    })
}

fn summary(report: &Report, arguments: &RunArguments) {
    let counts: Vec<String> =
        Outcome::ALL.iter().map(|&outcome| format!("{} {}", report.count(outcome), outcome.name())).collect();
    println!("{} in {}", counts.join(", "), duration(report.seconds));
    let unexpected = report.unexpected().count();
    if !report.complete {
        println!("interrupted: --resume goes on");
    } else if unexpected == 0 {
        println!("everything as expected");
    } else {
        println!("{unexpected} not expected:");
    }
    for (entry, test) in report.unexpected() {
        println!("  {:<8} {}:{}", test.outcome.name(), entry.name, test.name);
    }
    println!("reports: {}/report.md, report.json, junit.xml, logs/", arguments.out.display());
}

fn lists() -> Fallible {
    for (name, _) in catalogue::LISTS {
        println!("{name}:");
        for entry in catalogue::entries(name)? {
            println!(
                "  {:<28} {} {}",
                entry.name,
                entry.suite.binary,
                [entry.arguments, entry.tests].concat().join(" ")
            );
        }
    }
    Ok(())
}

fn table(paths: &[std::path::PathBuf]) -> Fallible {
    let mut reports = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let report: Report = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        reports.push(report);
    }
    print!("{}", markdown::page(&reports));
    Ok(())
}
