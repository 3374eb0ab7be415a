//! A kernel is read, analysed, planned by the recipes of its instructions, and emitted. No module knows of one that comes later, and
//! between reading and emitting nobody asks LLVM.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules of the crate in their order: files or folders. What is at its root, `lib.rs`, comes last.
const MODULES: [&str; 11] =
    ["bounds", "failure", "declined", "switches", "prices", "ir", "analyse", "recipe", "plan", "emit", "lib"];

/// The source files at or below a path.
fn sources(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.with_extension("rs")];
    }
    let entries = fs::read_dir(path).expect("readable").map(|entry| entry.expect("readable").path());
    // Tables lie beside the sources.
    entries.filter(|path| path.extension().is_none_or(|end| end == "rs")).flat_map(|path| sources(&path)).collect()
}

/// The files of modules, with their texts.
fn files(modules: &[&str]) -> Vec<(PathBuf, String)> {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let paths = modules.iter().flat_map(|module| sources(&crate_folder.join(module)));
    paths.map(|path| (path.clone(), fs::read_to_string(&path).expect("readable"))).collect()
}

/// The names that follow a word in a text.
fn names_behind<'t>(text: &'t str, word: &str) -> impl Iterator<Item = &'t str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    text.split(word).skip(1).map(move |rest| rest.split(|c| !is_name(c)).next().unwrap_or_default())
}

#[test]
fn no_module_imports_a_later_one() {
    let mut count = 0;
    for (number, module) in MODULES.iter().enumerate() {
        for (path, text) in files(&[module]) {
            for name in names_behind(&text, "crate::") {
                assert!(MODULES[..=number].contains(&name), "{} imports `{name}`", path.display());
            }
            count += 1;
        }
    }
    assert!(count > 150, "the modules are there: {count} files");
}

#[test]
fn each_module_has_its_place_in_the_order() {
    let [(_, root)] = &files(&["lib"])[..] else { panic!("one root") };
    let mut modules: Vec<_> = names_behind(root, "\nmod ").collect();
    let mut known = MODULES[..MODULES.len() - 1].to_vec();
    modules.sort_unstable();
    known.sort_unstable();
    assert_eq!(modules, known);
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
