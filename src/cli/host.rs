//! Where the files and variables of a system are looked for.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// A system as this process sees it, or a folder that stands for one.
#[derive(Clone, Debug, Default)]
pub struct Host {
    /// What `/` is.
    pub root: PathBuf,
    /// The environment.
    pub variables: BTreeMap<String, OsString>,
    /// The command that runs, an absolute path without links.
    pub command: PathBuf,
}

impl Host {
    /// The system that this process runs in, with the files of the system below `root`.
    pub fn new(root: &Path) -> Host {
        let variables = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        let command = std::env::current_exe().and_then(|path| path.canonicalize()).unwrap_or_default();
        Host { root: root.to_owned(), variables: variables.collect(), command }
    }

    /// Whether the files of the system are those that the dynamic linker and the kernel see.
    pub fn is_real(&self) -> bool {
        self.root == Path::new("/")
    }

    /// Where a file of the system is: an absolute path.
    pub fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        self.root.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// The text of a file of the system.
    pub fn read(&self, path: impl AsRef<Path>) -> Option<String> {
        fs::read_to_string(self.path(path)).ok()
    }

    /// A variable that is set and not empty.
    pub fn variable(&self, name: &str) -> Option<&OsString> {
        self.variables.get(name).filter(|value| !value.is_empty())
    }

    /// Variables of oxicl as the library reads them.
    pub fn config(&self) -> oxicl_caps::config::Config {
        oxicl_caps::config::Config::from_variables(|name| self.variables.get(name).map(PathBuf::from))
    }
}

/// The entries of a folder, sorted; none if it cannot be read.
pub fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
