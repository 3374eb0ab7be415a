//! The table of programs: one file each in `programs`.

use std::collections::BTreeMap;

use oxicl_cts_harness::{Fallible, about};
use serde::Deserialize;

use crate::here;

/// One program, as its file has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// The name of the file, by which the program is asked for.
    #[serde(skip)]
    pub name: String,
    /// The program's own name.
    pub title: String,
    /// What is run, in a sentence.
    pub about: String,
    /// Where it comes from.
    pub packages: Packages,
    /// Commands that follow the installation, such as compiling, whose time is not counted.
    #[serde(default)]
    pub prepare: Vec<Vec<String>>,
    /// What is run and measured. `{python}`, `{scripts}`, `{sources}` and `{here}` stand for the interpreter of the program's
    /// virtual environment, our scripts, unpacked sources, and the folder where it is installed.
    pub command: Vec<String>,
    /// Where it runs, if it cannot run in an empty folder.
    pub directory: Option<String>,
    /// What its output looks like.
    #[serde(default)]
    pub reader: Reader,
    /// Seconds after which it is ended.
    pub limit: u64,
    /// Variables that it needs; `{library}` stands for the driver, where a loader wants the file and no folder.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// How it is told to use a device of a CPU, or that it need not be told.
    pub device: String,
    /// Why some of its tests fail.
    #[serde(default)]
    pub known: Vec<Known>,
    /// What else there is to say.
    #[serde(default)]
    pub note: String,
}

/// Packages of registries. The program's version is that of the first.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Packages {
    /// Debian packages, for the whole system.
    pub apt: Vec<String>,
    /// Requirements of pip, for a virtual environment of the program's own.
    pub pip: Vec<String>,
    /// Source distributions of pip, each `name==version`, unpacked into `{sources}`.
    pub sources: Vec<String>,
    /// Crates, each `name@version`, unpacked into `{sources}/NAME`.
    pub crates: Vec<String>,
}

/// The looks of an output.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Reader {
    /// Lines of our scripts: `pass TEST`, `fail TEST: WHY`, `skip TEST`, `speed NAME SECONDS`; `passed COUNT` and
    /// `skipped COUNT` of programs that only count.
    #[default]
    Lines,
    /// Lines of Rust's test runner.
    Cargo,
}

/// Why some tests fail.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// Parts of the tests' names.
    pub tests: Vec<String>,
    /// Why, in a sentence.
    pub reason: String,
}

impl Program {
    /// Why a test is known to fail.
    pub fn reason(&self, test: &str) -> Option<&str> {
        let names = |known: &&Known| known.tests.iter().any(|part| test.contains(part.as_str()));
        self.known.iter().find(names).map(|known| known.reason.as_str())
    }
}

/// A program that cannot be installed from a registry, so that it is not looked for again.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Absent {
    /// The program's own name.
    pub title: String,
    /// Where it was looked for and what is there.
    pub looked: String,
}

/// The programs of `absent.toml`.
pub fn absent() -> Fallible<Vec<Absent>> {
    #[derive(Deserialize)]
    struct File {
        absent: Vec<Absent>,
    }
    let path = here().join("absent.toml");
    let text = about(std::fs::read_to_string(&path), path.display())?;
    let file: File = about(toml::from_str(&text), path.display())?;
    Ok(file.absent)
}

/// All programs, by name.
pub fn programs() -> Fallible<Vec<Program>> {
    let folder = here().join("programs");
    let mut all = Vec::new();
    for entry in about(std::fs::read_dir(&folder), folder.display())? {
        let path = about(entry, folder.display())?.path();
        let text = about(std::fs::read_to_string(&path), path.display())?;
        let mut program: Program = about(toml::from_str(&text), path.display())?;
        program.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        all.push(program);
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(all)
}
