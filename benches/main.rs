//! Compares OpenCL drivers, kernel by kernel.
//!
//! - **Takes**: drivers, as vendors folders or libraries.
//! - **Gives**: a table of medians with their noise and the ratios per row, and the same as JSON; with
//!   `--programs`, such a table of the OpenCL C files of a folder, whose results are compared, too; with `--corpus`, how
//!   long every module of a folder takes to build, and why some do not.
//! - **Never**: measures two drivers in one process or at once. A loader is per process, so each driver has a child,
//!   and the children take turns, A B A B.

mod arguments;
mod child;
mod corpus;
mod parent;
mod program;
mod protocol;
mod report;
mod statistics;
mod watch;

use std::process::ExitCode;

use arguments::Arguments;

fn main() -> ExitCode {
    let outcome = match std::env::args().nth(1).as_deref() {
        Some(child::SERVE) => child::serve(std::env::args().nth(2).unwrap_or_default()),
        Some(child::BUILD) => child::build(),
        Some(corpus::SERVE) => corpus::serve(false),
        Some(corpus::SERVE_LAUNCHES) => corpus::serve(true),
        _ => compare(&Arguments::read()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("oxicl-bench: {message}");
            ExitCode::FAILURE
        }
    }
}

fn compare(arguments: &Arguments) -> Result<(), String> {
    match (&arguments.corpus, &arguments.programs) {
        (Some(folder), _) => corpus::run(folder, arguments),
        (None, Some(folder)) => program::compare(folder, arguments),
        (None, None) => parent::compare(arguments),
    }
}
