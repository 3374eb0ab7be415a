//! A kernel is read, analysed, planned by the recipes of its instructions, and emitted. No stage knows of one that comes later.

use std::fs;
use std::path::{Path, PathBuf};

/// The stages in their order: files or folders of the crate.
const STAGES: [&str; 6] = ["prices", "arena", "analyse", "recipe", "plan", "emit"];

/// The source files at or below a path.
fn sources(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.with_extension("rs")];
    }
    let entries = fs::read_dir(path).expect("readable").map(|entry| entry.expect("readable").path());
    // Tables lie beside the sources.
    entries.filter(|path| path.extension().is_none_or(|end| end == "rs")).flat_map(|path| sources(&path)).collect()
}

#[test]
fn no_stage_imports_a_later_one() {
    let mut files = 0;
    for (number, stage) in STAGES.iter().enumerate() {
        for path in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(stage)) {
            let text = fs::read_to_string(&path).expect("readable");
            for later in &STAGES[number + 1..] {
                assert!(!text.contains(&format!("crate::{later}")), "{} imports {later}", path.display());
            }
            files += 1;
        }
    }
    assert!(files > 60, "the stages are there: {files} files");
}
