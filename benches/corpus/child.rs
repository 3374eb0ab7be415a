//! A driver's side: builds the files that it is told.

use std::io::BufRead;
use std::time::Instant;

use oxicl_client::{Context, Program};

use crate::protocol::{Answer, write_answer};

/// First argument of a child that builds files.
pub const SERVE: &str = "--serve-corpus";

/// Builds until the parent closes the pipe.
pub fn serve() -> Result<(), String> {
    let mut out = std::io::stdout();
    let context = match Context::first() {
        Ok(context) => context,
        Err(error) => return write_answer(&mut out, &Err(error.to_string())),
    };
    write_answer(&mut out, &context.device().name().map_err(|error| error.to_string()))?;
    for line in std::io::stdin().lock().lines() {
        let path = line.map_err(|error| error.to_string())?;
        write_answer(&mut out, &build(&context, &path))?;
    }
    Ok(())
}

/// Answers with the nanoseconds that it took and the number of kernels.
fn build(context: &Context, path: &str) -> Answer {
    let words = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    let start = Instant::now();
    let program = Program::build(context, &words, "").map_err(|error| error.to_string())?;
    let kernels = program.kernels().map_err(|error| error.to_string())?;
    Ok(format!("{} {}", start.elapsed().as_nanos(), kernels.len()))
}
