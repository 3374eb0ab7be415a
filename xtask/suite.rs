//! What runs on the built library: tests, demo, benches, lint.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use crate::driver::{Profile, build, build_with, target_folder, vendors};
use crate::process::{Outcome, cargo, exists, run};
use crate::python;

/// The interpreter of the manual's programs, for their tests.
const PYTHON: &str = "OXICL_TEST_PYTHON";

/// rustfmt, clippy and rustdoc over everything, and what can be said of the manual; a warning is an error.
pub fn lint() -> Outcome {
    // The fuzz targets are a workspace of their own.
    const FUZZ: [&str; 2] = ["--manifest-path", "fuzz/Cargo.toml"];
    crate::manual::check()?;
    crate::mca::check()?;
    run(cargo().args(["fmt", "--all", "--check"]))?;
    run(cargo().args(["fmt", "--check"]).args(FUZZ))?;
    run(cargo().args(["clippy", "--workspace", "--all-targets", "--quiet", "--", "--deny", "warnings"]))?;
    let mut fuzz = cargo();
    fuzz.args(["clippy", "--quiet"]).args(FUZZ).arg("--target-dir").arg(target_folder()?);
    run(fuzz.args(["--", "--deny", "warnings"]))?;
    run(cargo().args(["doc", "--workspace", "--no-deps", "--quiet"]).env("RUSTDOCFLAGS", "--deny warnings"))
}

/// All tests, by cargo-nextest where it is installed. `long` adds the suites that are ignored otherwise.
pub fn test(arguments: &[String], long: bool) -> Outcome {
    let folder = vendors(&build(Profile::Dev)?)?;
    let mut command = cargo();
    if exists("cargo-nextest") {
        command.args(["nextest", "run", "--workspace", "--no-fail-fast"]);
        if long {
            command.args(["--run-ignored", "all"]);
        }
        command.args(arguments);
    } else {
        command.args(["test", "--workspace", "--all-targets", "--no-fail-fast"]).args(arguments);
        if long {
            command.args(["--", "--include-ignored"]);
        }
    }
    let mut closing = Vec::new();
    if std::env::var_os(PYTHON).is_none() {
        match python::interpreter() {
            Ok(interpreter) => _ = command.env(PYTHON, interpreter),
            Err(why) => {
                closing.push(format!("skipped: the manual's Python programs that python3 has no packages for: {why}"))
            }
        }
    }
    closing_lines(command.env("OCL_ICD_VENDORS", folder), closing)
}

/// The demonstration.
pub fn demo(arguments: &[String]) -> Outcome {
    let built = build_with(Profile::Release, &["oxicl-demo"])?;
    let out = target_folder()?.join("demo");
    let mut command = Command::new(built.join("oxicl-demo"));
    command.arg("--out").arg(out).args(arguments).env("OCL_ICD_VENDORS", vendors(&built)?);
    run(&mut command)
}

/// The benches, alone or against the drivers that `arguments` name.
pub fn bench(arguments: &[String]) -> Outcome {
    let built = build_with(Profile::Dist, &["oxicl-benches"])?;
    let own = format!("oxicl={}", vendors(&built)?.display());
    run(Command::new(built.join("oxicl-bench")).args(["--driver", &own]).args(arguments))
}

/// Programs of other projects, alone or on another driver too.
pub fn applications(arguments: &[String]) -> Outcome {
    let built = build_with(Profile::Dist, &["oxicl-applications", "oxicl-validate"])?;
    let mut command = Command::new(built.join("oxicl-applications"));
    command.arg("--library").arg(built.join("liboxicl.so")).arg("--folder").arg(target_folder()?.join("applications"));
    run(command.args(arguments).current_dir(crate::process::root()))
}

/// Measures the functions of OpenCL.std. Measurements are kept in the target folder, so that a run can go on where it stopped.
pub fn accuracy(arguments: &[String]) -> Outcome {
    let keep = target_folder()?.join("accuracy.tsv");
    let mut command = cargo();
    command.args(["run", "--release", "--package", "oxicl-accuracy", "--", "--out", "docs/accuracy.md", "--keep"]);
    run(command.arg(keep).args(arguments))
}

/// What the platform reports.
pub fn clinfo(arguments: &[String]) -> Outcome {
    let built = build(Profile::Release)?;
    run(Command::new("clinfo").args(arguments).env("OCL_ICD_VENDORS", vendors(&built)?))
}

/// Runs a test runner, passes on what it prints, and repeats the lines that sum up at the end, behind those of `closing`.
fn closing_lines(command: &mut Command, mut closing: Vec<String>) -> Outcome {
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(|error| format!("tests: {error}"))?;
    let errors = child.stderr.take().ok_or("tests: no standard error")?;
    let lines = child.stdout.take().ok_or("tests: no standard output")?;
    let second = std::thread::spawn(move || pass_on(BufReader::new(errors)));
    closing.extend(pass_on(BufReader::new(lines)));
    closing.extend(second.join().unwrap_or_default());
    let status = child.wait().map_err(|error| format!("tests: {error}"))?;
    println!("\nIn short:");
    for line in &closing {
        println!("{line}");
    }
    if status.success() { Ok(()) } else { Err(format!("tests: {status}")) }
}

fn pass_on(mut from: impl BufRead) -> Vec<String> {
    let mut closing = Vec::new();
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        // A reader of ours that has gone away must not end the tests.
        let _ = std::io::stdout().write_all(&line);
        let text = String::from_utf8_lossy(&line);
        let start = text.trim_start();
        // Crates without tests have a closing line too, which says nothing.
        let is_result = text.starts_with("test result:") && !text.starts_with("test result: ok. 0 passed; 0 failed");
        if is_result || ["Summary [", "FAIL [", "skipped: "].iter().any(|word| start.starts_with(word)) {
            closing.push(text.trim_end().to_owned());
        }
        line.clear();
    }
    closing
}
