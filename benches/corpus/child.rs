//! A driver's side: builds the files that it is told to, and launches the first kernel of each if asked to.

use std::io::BufRead;
use std::time::Instant;

use oxicl_benches::kernels;
use oxicl_client::{Context, Program};

use super::launch::Launcher;
use crate::protocol::{Answer, write_answer};
use crate::watch::Watch;

/// First argument of a child that builds files.
pub const SERVE: &str = "--serve-corpus";

/// First argument of a child that builds files and launches the first kernel of each.
pub const SERVE_LAUNCHES: &str = "--serve-first-launches";

/// Builds until the parent closes the pipe.
pub fn serve(launches: bool) -> Result<(), String> {
    let mut out = std::io::stdout();
    let context = match Context::first() {
        Ok(context) => context,
        Err(error) => return write_answer(&mut out, &Err(error.to_string())),
    };
    let launcher = if launches { Some(Launcher::new(&context)?) } else { None };
    // A kernel whose arguments are all zeros may run for ever.
    let watch = Watch::start();
    // The driver's start is not to count for any file.
    build(&context, launcher.as_ref(), kernels::EMPTY.plain)?;
    write_answer(&mut out, &context.device().name().map_err(|error| error.to_string()))?;
    for line in std::io::stdin().lock().lines() {
        let path = line.map_err(|error| error.to_string())?;
        let module = std::fs::read(&path).map_err(|error| format!("{path}: {error}"));
        let built = watch.over(|| module.and_then(|module| build(&context, launcher.as_ref(), &module)));
        write_answer(&mut out, &built)?;
    }
    Ok(())
}

/// Answers with the nanoseconds of the build, the number of kernels, and the nanoseconds until the first kernel has
/// run. If none is launched, both times are those of the build and the creation of the kernels.
fn build(context: &Context, launcher: Option<&Launcher>, module: &[u8]) -> Answer {
    let start = Instant::now();
    let program = Program::build(context, module, "").map_err(|error| error.to_string())?;
    let built = start.elapsed();
    let kernels = program.kernels().map_err(|error| error.to_string())?;
    if let (Some(launcher), Some(kernel)) = (launcher, kernels.first()) {
        launcher.launch(kernel)?;
    }
    let all = start.elapsed();
    let wall = if launcher.is_some() { built } else { all };
    Ok(format!("{} {} {}", wall.as_nanos(), kernels.len(), all.as_nanos()))
}
