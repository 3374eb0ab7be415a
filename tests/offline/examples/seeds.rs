//! `seeds FOLDER`: the project's own kernels and test modules as `.spv` files, for fuzzers to start from.
//! Run from the top of the repository.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use oxicl_offline::{Level, assemble, compile_file};

const FOLDERS: &[&str] = &["benches/kernels", "src/validate/tests/corpus", "src/lower/cases", "src/workgroup/cases"];

fn main() -> Result<(), String> {
    let out = PathBuf::from(std::env::args_os().nth(1).ok_or("usage: seeds FOLDER")?);
    std::fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    let mut count = 0;
    for folder in FOLDERS {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        for entry in entries {
            count += seeds_of(&entry.map_err(|error| error.to_string())?.path(), &out)?;
        }
    }
    println!("{count} modules in {}", out.display());
    Ok(())
}

/// Makes the seeds of one source; gives their number.
fn seeds_of(source: &Path, out: &Path) -> Result<usize, String> {
    let stem = source.file_stem().and_then(OsStr::to_str).ok_or("a file name is not UTF-8")?;
    match source.extension().and_then(OsStr::to_str) {
        Some("cl") => {
            compile_file(source, &out.join(format!("{stem}.spv")), Level::Plain)?;
            compile_file(source, &out.join(format!("{stem}.o2.spv")), Level::Optimised)?;
            Ok(2)
        }
        Some("spvasm") => {
            let text = std::fs::read_to_string(source).map_err(|error| format!("{}: {error}", source.display()))?;
            let file = out.join(format!("{stem}.asm.spv"));
            std::fs::write(&file, assemble(&text)?).map_err(|error| format!("{}: {error}", file.display()))?;
            Ok(1)
        }
        _ => Ok(0),
    }
}
