//! One program on one driver: an environment without anybody's settings, empty caches, and an end.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use oxicl_cts_harness::process::{End, run as run_process};
use oxicl_cts_harness::{Fallible, about};

use crate::driver::Driver;
use crate::install::Installed;
use crate::program::Program;
use crate::reading::Tests;
use crate::results::{Failure, Run};

/// Runs a program to its end or its limit.
pub fn run(program: &Program, installed: &Installed, driver: &Driver, interrupted: &AtomicBool) -> Fallible<Run> {
    let folder = installed.folder.join("runs").join(&driver.name);
    if folder.exists() {
        about(std::fs::remove_dir_all(&folder), folder.display())?;
    }
    let home = folder.join("home");
    let work = folder.join("work");
    for folder in [&home, &work] {
        about(std::fs::create_dir_all(folder), folder.display())?;
    }
    let vendors = driver.vendors(&folder)?;
    let mut command = installed.command(&program.command)?;
    environment(&mut command, &home);
    command.env("OCL_ICD_VENDORS", &vendors);
    for (name, value) in &program.environment {
        command.env(name, installed.fill(value).replace("{library}", &driver.library.display().to_string()));
    }
    command.current_dir(program.directory.as_ref().map_or(work, |path| PathBuf::from(installed.fill(path))));
    let mut output = Vec::new();
    let start = Instant::now();
    let limit = Duration::from_secs(program.limit);
    let end = run_process(command, interrupted, |line| {
        output.extend_from_slice(line.unwrap_or_default());
        start.elapsed() > limit
    })?;
    let seconds = start.elapsed().as_secs_f64();
    if end == End::Interrupted {
        return Err("interrupted".to_owned());
    }
    let log = folder.join("log.txt");
    about(std::fs::write(&log, &output), log.display())?;
    let tests = Tests::read(program.reader, &String::from_utf8_lossy(&output));
    let mut run = Run {
        driver: driver.name.clone(),
        driver_version: driver.version(&vendors),
        seconds: (seconds * 10.0).round() / 10.0,
        passed: tests.passed,
        skipped: tests.skipped,
        ended: None,
        speeds: tests.speeds,
        failed: tests.failed,
    };
    run.ended = ended(end, program.limit, !run.failed.is_empty());
    if let Some(ended) = &run.ended {
        // What it had not come to has no name.
        run.failed.push(Failure { test: "the program itself".to_owned(), why: ended.clone() });
    } else if run.passed == 0 && run.failed.is_empty() {
        let why = format!("no test was seen in {}", log.display());
        run.failed.push(Failure { test: "the program itself".to_owned(), why });
    }
    Ok(run)
}

/// Everything that a program keeps goes into a home of its own; of the settings around us, those of OpenCL are not passed on.
fn environment(command: &mut Command, home: &Path) {
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if ["OXICL_", "OCL_", "XDG_", "PYOPENCL_", "CL_"].iter().any(|start| name.starts_with(start)) {
            command.env_remove(name);
        }
    }
    let own = std::env::var_os("HOME").map_or(PathBuf::from("/"), PathBuf::from);
    // Rust's tools are found by the home of who installed them.
    for (name, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
        command.env(name, std::env::var_os(name).map_or(own.join(folder), PathBuf::from));
    }
    command.env("HOME", home).env("TMPDIR", home).env("PYTHONUNBUFFERED", "1");
    command.env("XDG_CACHE_HOME", home.join("cache")).env("XDG_CONFIG_HOME", home.join("config"));
    command.env("XDG_DATA_HOME", home.join("data")).env("OXICL_CACHE_DIR", home.join("oxicl"));
}

/// A failing status alone says nothing new where tests have failed.
fn ended(end: End, limit: u64, tests_failed: bool) -> Option<String> {
    match end {
        End::Exit(0) => None,
        End::Exit(_) if tests_failed => None,
        End::Exit(status) => Some(format!("ended with status {status}")),
        End::Signal(signal) => Some(format!("killed by signal {signal}")),
        End::Late | End::Interrupted => Some(format!("not done after {limit} s")),
    }
}
