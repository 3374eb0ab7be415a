//! The command `oxicl`, beside the library under test.

mod commands;
mod setups;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder for one test, beside the library so that files can be linked there; removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let library = oxicl_tests::library();
        let path = library.with_file_name(format!("command-{name}-{}", std::process::id()));
        // Left by a process that had our number.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file, and the folders above it.
    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(&path, text).expect("written");
        path
    }

    /// A vendors folder with one `.icd` file.
    fn vendors(&self, text: &str) -> PathBuf {
        self.file("vendors/oxicl.icd", text);
        self.path("vendors")
    }

    /// The library under test in a folder that has nothing else of oxicl's.
    fn lone_library(&self) -> PathBuf {
        let path = self.path("lone/liboxicl.so");
        fs::create_dir_all(self.path("lone")).expect("made");
        fs::hard_link(oxicl_tests::library(), &path).expect("linked");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays is no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The command, in an environment that is whole: a loader, the library under test, and a cache of the test's own.
fn oxicl(folder: &Folder) -> Command {
    let library = oxicl_tests::library();
    let mut command = Command::new(library.with_file_name("oxicl"));
    let strange =
        |name: &str| ["OXICL_", "OCL_ICD_", "OPENCL_", "LD_LIBRARY_PATH"].iter().any(|start| name.starts_with(start));
    for (name, _) in std::env::vars().filter(|(name, _)| strange(name)) {
        command.env_remove(name);
    }
    let vendors = folder.file("whole/oxicl.icd", &format!("{}\n", library.display()));
    command.env("OCL_ICD_VENDORS", vendors.parent().expect("a folder"));
    command.env("OXICL_CACHE_DIR", folder.path("cache"));
    // No environment of the machine's, and no Python that is started to ask for one.
    command.env("VIRTUAL_ENV", folder.path("python"));
    command
}

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The file of the loader that programs get.
fn loader() -> PathBuf {
    let folders = ["/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"];
    let path = folders.iter().map(|folder| Path::new(folder).join("libOpenCL.so.1")).find(|path| path.is_file());
    path.expect("a loader of the system")
}
