//! Builds every SPIR-V file of a folder with each driver, creates every kernel, and says how long that took.
//!
//! Each file is one call of `clBuildProgram` in a process that goes on, without an on-disk cache: the cost of a cold
//! build once the driver runs. If a kernel crashes the process, another one replaces it, which builds an empty kernel
//! before its next file. If launches are asked for, the driver builds as it does by default, and the first kernel of
//! each file runs once: that is what an application waits for.

mod child;
mod launch;
mod processor;
mod report;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use child::{SERVE, SERVE_LAUNCHES, serve};

use crate::arguments::Arguments;
use crate::parent::{Scratch, Side};
use processor::Processor;
pub use processor::used;
use report::{Build, Outcome};

/// Files between two lines of progress.
const PROGRESS: usize = 1000;

/// Builds, measures, prints. A file that the first driver does not build makes it fail.
pub fn run(folder: &Path, arguments: &Arguments) -> Result<(), String> {
    let files = files(folder, arguments.every)?;
    if files.is_empty() {
        return Err(format!("{} has no .spv files", folder.display()));
    }
    let scratch = Scratch::new()?;
    let mut failed = 0;
    for (index, driver) in arguments.drivers.iter().enumerate() {
        // One driver after the other: they share nothing that a build could profit from.
        let mut processor = Processor::new()?;
        let mode = if arguments.launch { SERVE_LAUNCHES } else { SERVE };
        let mut side = Side::start(driver, &scratch.path().join(index.to_string()), mode, !arguments.all_cores)?;
        let mut builds = Vec::with_capacity(files.len());
        for (count, file) in files.iter().enumerate() {
            builds.push(build(&mut side, &mut processor, file));
            if count % PROGRESS == PROGRESS - 1 {
                eprintln!("{} of {}", count + 1, files.len());
            }
        }
        print!("{}", report::text(&driver.name, &builds, arguments.launch));
        if index == 0 {
            failed = builds.iter().filter(|build| build.outcome.is_err()).count();
        }
    }
    if failed == 0 { Ok(()) } else { Err(format!("{failed} files failed for {}", arguments.drivers[0].name)) }
}

/// The files to build, in order of their names.
fn files(folder: &Path, every: u32) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|e| e == "spv")).collect();
    files.sort_unstable();
    Ok(files.into_iter().step_by(every as usize).collect())
}

fn build(side: &mut Side, processor: &mut Processor, file: &Path) -> Build {
    processor.spent();
    let answer = side.ask(&file.display().to_string());
    let spent = processor.spent();
    let outcome = answer.and_then(|text| {
        let mut words = text.split(' ').map(str::parse::<u64>);
        match (words.next(), words.next(), words.next()) {
            (Some(Ok(built)), Some(Ok(kernels)), Some(Ok(run))) => {
                let [wall, first_run] = [built, run].map(Duration::from_nanos);
                Ok(Outcome { wall, first_run, processor: spent, kernels })
            }
            _ => Err(format!("the child answered '{text}'")),
        }
    });
    Build { file: file.file_name().unwrap_or_default().to_string_lossy().into_owned(), outcome }
}
