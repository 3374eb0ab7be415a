//! Measures programs of OpenCL C that describe their own launch.
//!
//! The lines at the head of a file that begin with `//!` are directives, which `benches/programs/README.md` describes. All
//! buffers are compared after the kernel has run once. As it is measured by running it again on what it left, it should
//! come to the same result again.

mod child;
mod compare;
mod fill;
mod header;
mod scalar;
mod signature;

use std::path::{Path, PathBuf};

pub use child::Launch;
use header::Header;

use crate::arguments::Arguments;
use crate::parent::{Comparison, Scratch, Side, take_turns};
use crate::report::{Line, Missing};
use crate::statistics::Sample;

/// Compares, measures, prints, writes. A program that a driver does not run, or not as the first does, makes it fail.
pub fn compare(folder: &Path, arguments: &Arguments) -> Result<(), String> {
    let mut files = Vec::new();
    find(folder, &mut files)?;
    files.sort_unstable();
    let mut programs: Vec<Program> = files.into_iter().map(|file| Program::new(folder, file)).collect();
    programs.retain(|program| arguments.wants(&program.name));
    if programs.is_empty() {
        return Err(format!("{} has no .cl files of such names", folder.display()));
    }
    let scratch = Scratch::new()?;
    let results = scratch.path().join("results");
    let mut comparison = Comparison::start(arguments, &scratch, programs.iter().map(|program| program.name.as_str()))?;
    for program in &programs {
        comparison.add(&program.name, |sides| program.measure(sides, &results, arguments));
    }
    let lines = comparison.finish(arguments)?;
    let bad = lines.iter().filter(|line| line.drivers.iter().any(Result::is_err)).count();
    if bad == 0 { Ok(()) } else { Err(format!("{bad} of {} programs failed or differ", lines.len())) }
}

/// Adds the .cl files of a folder and of those in it.
fn find(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let told = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(told)? {
        let path = entry.map_err(told)?.path();
        if path.is_dir() {
            find(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "cl") {
            files.push(path);
        }
    }
    Ok(())
}

/// A file to measure.
struct Program {
    /// Its path in the folder, without the ending.
    name: String,
    file: PathBuf,
}

impl Program {
    fn new(folder: &Path, file: PathBuf) -> Program {
        let name = file.strip_prefix(folder).unwrap_or(&file).with_extension("").display().to_string();
        Program { name, file }
    }

    /// Has each driver leave what its buffers hold in `results`, compares that, and measures.
    fn measure(&self, sides: &mut [Side], results: &Path, arguments: &Arguments) -> Line {
        let mut line = Line::new(&self.name);
        let header = match Header::read(&self.file) {
            Ok(source) => source.header,
            Err(reason) => {
                line.drivers = sides.iter().map(|_| Err(Missing::Failed(reason.clone()))).collect();
                return line;
            }
        };
        let request = format!("program {} {}\t{}", arguments.seconds, results.display(), self.file.display());
        let mut first: Option<Vec<u8>> = None;
        for (index, side) in sides.iter_mut().enumerate() {
            let ran = side.ask(&request).and_then(|work| {
                line.describe(&work);
                std::fs::read(results).map_err(|error| format!("{}: {error}", results.display()))
            });
            let driver = ran.map_err(Missing::Failed).and_then(|found| {
                // Nothing is compared if the first driver has failed.
                match first.as_ref().and_then(|first| compare::difference(&header, first, &found)) {
                    Some(difference) => return Err(Missing::Different(difference)),
                    None if index == 0 => first = Some(found),
                    None => {}
                }
                Ok(Sample::default())
            });
            line.drivers.push(driver);
        }
        take_turns(sides, &mut line, arguments);
        line
    }
}
