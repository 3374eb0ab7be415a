//! Where oxicl's own files are.

use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::child;
use crate::host::Host;
use crate::icd;

/// Name of the library.
pub const LIBRARY: &str = "liboxicl.so";
/// Name of the compiler.
pub const COMPILER: &str = "oxicl-compiler";

/// What to do where the library is nowhere.
pub const NO_LIBRARY: &str = "liboxicl.so is neither beside this command, nor in ../lib/oxicl or ../lib from there, nor named by an \
    .icd file; install oxicl, or set OCL_ICD_VENDORS to the folder of an .icd file that names it";

/// The library beside the command, or where an installation has it.
pub fn beside(command: &Path) -> Option<PathBuf> {
    let folder = command.parent()?;
    let above = folder.parent().unwrap_or(folder);
    let folders = [folder.to_owned(), above.join("lib").join("oxicl"), above.join("lib")];
    folders.into_iter().map(|folder| folder.join(LIBRARY)).find(|path| path.is_file())
}

/// The library: beside the command, else what an `.icd` file names by its name.
///
/// # Errors
/// A sentence with what to do.
pub fn library(host: &Host) -> Result<PathBuf, String> {
    let named = || {
        let named = icd::vendors(host).named.into_iter().filter_map(|named| named.library.ok());
        let ours = |path: &PathBuf| path.is_file() && path.file_name().is_some_and(|name| name == LIBRARY);
        named.into_iter().find(ours)
    };
    beside(&host.command).or_else(named).ok_or_else(|| NO_LIBRARY.to_owned())
}

/// The compiler that a library starts.
pub fn compiler(host: &Host, library: &Path) -> PathBuf {
    let real = library.canonicalize().unwrap_or_else(|_| library.to_owned());
    host.config().compiler.unwrap_or_else(|| real.with_file_name(COMPILER))
}

/// The compiler, for commands that need no library: that of the library, else the one beside the command.
///
/// # Errors
/// A sentence with what to do.
pub fn any_compiler(host: &Host) -> Result<PathBuf, String> {
    let path = match library(host) {
        Ok(library) => compiler(host, &library),
        Err(_) => host.config().compiler.unwrap_or_else(|| host.command.with_file_name(COMPILER)),
    };
    match is_executable(&path) {
        Ok(()) => Ok(path),
        Err(why) => Err(format!("{} {why}; install oxicl again, or set OXICL_COMPILER to its path", path.display())),
    }
}

/// Why a program does not run. Printed, it is the end of a sentence about its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotRun {
    /// There is no such file.
    Missing,
    /// Its mode does not let it run, or it is no plain file.
    NotExecutable,
    /// It was tried.
    Failed(String),
}

impl fmt::Display for NotRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotRun::Missing => f.write_str("is not there"),
            NotRun::NotExecutable => f.write_str("is not executable"),
            NotRun::Failed(why) => write!(f, "does not run: {why}"),
        }
    }
}

/// Whether a file can be run, by what is known of it.
///
/// # Errors
/// Why not.
pub fn is_executable(path: &Path) -> Result<(), NotRun> {
    match path.metadata() {
        Err(_) => Err(NotRun::Missing),
        Ok(metadata) if !metadata.is_file() || metadata.permissions().mode() & 0o111 == 0 => Err(NotRun::NotExecutable),
        Ok(_) => Ok(()),
    }
}

/// What a compiler says it is: version and build, and LLVM's version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Version {
    /// Version and build, as `CL_DRIVER_VERSION` has them.
    pub build: String,
    /// The LLVM in it.
    pub llvm: String,
}

/// Asks a compiler what it is.
///
/// # Errors
/// Why it does not say.
pub fn version(compiler: &Path) -> Result<Version, NotRun> {
    is_executable(compiler)?;
    let printed = child::run(Command::new(compiler).arg("--version")).map_err(NotRun::Failed)?;
    let words: Vec<&str> = printed.output.split_whitespace().collect();
    match words.as_slice() {
        [COMPILER, build, "(LLVM", llvm] if printed.success => {
            Ok(Version { build: (*build).to_owned(), llvm: llvm.trim_end_matches(')').to_owned() })
        }
        _ if printed.last_error.is_empty() => Err(NotRun::Failed(format!("it ended with {}", printed.end))),
        _ => Err(NotRun::Failed(printed.last_error)),
    }
}
