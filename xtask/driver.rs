//! Building the library and its compiler, and making them visible to a loader.

use std::path::{Path, PathBuf};

use crate::process::{Outcome, cargo, output, run};

/// How to build.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// Quick to build: for tests.
    Dev,
    /// Optimised crate by crate: for the demonstration.
    Release,
    /// Optimised as a whole, which takes minutes: for benches and installation.
    Dist,
}

impl Profile {
    /// Arguments for cargo.
    pub fn arguments(self) -> &'static [&'static str] {
        match self {
            Profile::Dev => &[],
            Profile::Release => &["--release"],
            Profile::Dist => &["--profile", "dist"],
        }
    }

    fn folder(self) -> &'static str {
        match self {
            Profile::Dev => "debug",
            Profile::Release => "release",
            Profile::Dist => "dist",
        }
    }
}

/// Builds `liboxicl.so`, `oxicl-compiler`, `oxicl-validate` and the command `oxicl`, which lie side by side; gives the folder
/// they lie in.
pub fn build(profile: Profile) -> Outcome<PathBuf> {
    build_with(profile, &["oxicl-validate", "oxicl-cli"])
}

/// Builds the library and its compiler, with the programs of other packages beside them.
pub fn build_with(profile: Profile, others: &[&str]) -> Outcome<PathBuf> {
    let packages = ["oxicl", "oxicl-compiler"].iter().chain(others).flat_map(|package| ["--package", package]);
    run(cargo().arg("build").args(packages).args(profile.arguments()))?;
    Ok(target_folder()?.join(profile.folder()))
}

/// Cargo's target folder.
pub fn target_folder() -> Outcome<PathBuf> {
    let metadata = output(cargo().args(["metadata", "--format-version=1", "--no-deps"]))?;
    // The one field that is needed does not justify a JSON parser: paths with quotes or backslashes are refused.
    let key = "\"target_directory\":\"";
    let start = metadata.find(key).ok_or("cargo metadata names no target_directory")? + key.len();
    let rest = metadata.get(start..).unwrap_or_default();
    let end = rest.find('"').ok_or("cargo metadata is cut off")?;
    match rest.get(..end) {
        Some(path) if !path.contains('\\') => Ok(PathBuf::from(path)),
        _ => Err("the target folder has a quote or a backslash in its name".to_owned()),
    }
}

/// Writes a vendors folder beside the library, as a value of `OCL_ICD_VENDORS`, and gives its path.
pub fn vendors(build: &Path) -> Outcome<PathBuf> {
    let folder = build.join("vendors");
    let file = folder.join("oxicl.icd");
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let library = format!("{}\n", build.join("liboxicl.so").display());
    if std::fs::read_to_string(&file).is_ok_and(|text| text == library) {
        return Ok(folder);
    }
    std::fs::write(&file, library).map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    Ok(folder)
}
