//! A kernel is read, analysed, planned by the recipes of its instructions, and emitted. No stage knows of one that comes later, and
//! between reading and emitting nobody asks LLVM.

use std::fs;
use std::path::{Path, PathBuf};

/// The stages in their order: files or folders of the crate.
const STAGES: [&str; 6] = ["prices", "ir", "analyse", "recipe", "plan", "emit"];

/// The source files at or below a path.
fn sources(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.with_extension("rs")];
    }
    let entries = fs::read_dir(path).expect("readable").map(|entry| entry.expect("readable").path());
    // Tables lie beside the sources.
    entries.filter(|path| path.extension().is_none_or(|end| end == "rs")).flat_map(|path| sources(&path)).collect()
}

/// The files of stages, with their texts.
fn files(stages: &[&str]) -> Vec<(PathBuf, String)> {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let paths = stages.iter().flat_map(|stage| sources(&crate_folder.join(stage)));
    paths.map(|path| (path.clone(), fs::read_to_string(&path).expect("readable"))).collect()
}

#[test]
fn no_stage_imports_a_later_one() {
    let mut count = 0;
    for (number, stage) in STAGES.iter().enumerate() {
        for (path, text) in files(&[stage]) {
            for later in &STAGES[number + 1..] {
                assert!(!text.contains(&format!("crate::{later}")), "{} imports {later}", path.display());
            }
            count += 1;
        }
    }
    assert!(count > 60, "the stages are there: {count} files");
}

#[test]
fn between_reading_and_emitting_nobody_asks_llvm() {
    let all = files(&["analyse", "recipe", "plan"]);
    for (path, text) in &all {
        // The crate itself, and what instructions, parameters and constants hold of what was read, which is for `emit`.
        for name in ["oxicl_llvm", ".llvm", "llvm:", "llvm,", "llvm }", "llvm_constants"] {
            assert!(!text.contains(name), "{} has `{name}`", path.display());
        }
    }
    assert!(all.len() > 50, "the stages are there: {} files", all.len());
}
