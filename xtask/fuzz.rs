//! Fuzzing: `cargo xtask fuzz TARGET [SECONDS] [FOLDER...]`.

use crate::driver::target_folder;
use crate::process::{Outcome, cargo, exists, run};

/// The targets, each a file of `fuzz/`.
const TARGETS: &[&str] = &["decode", "validate", "link", "binaries", "compile", "request"];

/// Seconds that a run takes unless told otherwise.
const SECONDS: &str = "60";

/// Runs one target, starting from the project's own modules and the `.spv` files of further folders. An input that
/// brings it down stays in `target/fuzz/artifacts`.
pub fn fuzz(arguments: &[String]) -> Outcome {
    let target = arguments.first().map(String::as_str).unwrap_or_default();
    if !TARGETS.contains(&target) {
        return Err(format!("name one of the targets: {}", TARGETS.join(", ")));
    }
    if !exists("cargo-fuzz") {
        run(cargo().args(["install", "cargo-fuzz", "--locked"]))?;
    }
    let folder = target_folder()?.join("fuzz");
    let (seeds, found, artifacts) = (folder.join("seeds"), folder.join(target), folder.join("artifacts"));
    for folder in [&found, &artifacts] {
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    run(cargo().args(["run", "--quiet", "--package", "oxicl-offline", "--example", "seeds"]).arg(&seeds))?;
    let mut command = cargo();
    // No sanitizer: safe Rust needs none, and they ask for a nightly compiler.
    command.args(["fuzz", "run", "--sanitizer", "none", "--fuzz-dir", "fuzz", target]).arg(&found).arg(&seeds);
    command.args(arguments.iter().skip(2)).args(["--", "-rss_limit_mb=512", "-timeout=10", "-max_len=262144"]);
    command.arg(format!("-max_total_time={}", arguments.get(1).map_or(SECONDS, String::as_str)));
    command.arg(format!("-artifact_prefix={}/{target}-", artifacts.display()));
    run(&mut command)
}
