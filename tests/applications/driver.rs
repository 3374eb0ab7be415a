//! The drivers that programs run on, each alone in a vendors folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use oxicl_cts_harness::{Fallible, about};

use crate::install;

/// Intel's runtime for CPUs and the libraries that it needs, in pip's names.
const INTEL: [&str; 2] = ["intel-opencl-rt==2026.2.0", "intel-cmplr-lib-rt==2026.2.0"];

/// A driver's library and what it is called.
#[derive(Debug)]
pub struct Driver {
    /// `oxicl`, or the peer's name.
    pub name: String,
    /// Its library.
    pub library: PathBuf,
}

impl Driver {
    /// The library of this project.
    pub fn oxicl(library: &Path) -> Fallible<Driver> {
        let library = about(library.canonicalize(), library.display())?;
        Ok(Driver { name: "oxicl".to_owned(), library })
    }

    /// `NAME=LIBRARY`, or `intel`, which is installed below `folder`.
    pub fn peer(text: &str, folder: &Path) -> Fallible<Driver> {
        let (name, library) = match text.split_once('=') {
            Some((name, library)) => (name, PathBuf::from(library)),
            None if text == "intel" => (text, install::environment(&folder.join("peer-intel"), &INTEL)?),
            None => return Err(format!("{text}: a peer is NAME=LIBRARY, or intel")),
        };
        let library = if library.is_dir() { library.join("lib/libintelocl.so") } else { library };
        let library = about(library.canonicalize(), library.display())?;
        Ok(Driver { name: name.to_owned(), library })
    }

    /// Writes a vendors folder that has this driver only, and gives its path.
    pub fn vendors(&self, folder: &Path) -> Fallible<PathBuf> {
        let folder = folder.join("vendors");
        about(std::fs::create_dir_all(&folder), folder.display())?;
        let file = folder.join(format!("{}.icd", self.name));
        about(std::fs::write(&file, format!("{}\n", self.library.display())), file.display())?;
        Ok(folder)
    }

    /// What its device says of its version; nothing if it has no device.
    pub fn version(&self, vendors: &Path) -> String {
        let output = Command::new("clinfo").arg("--raw").env("OCL_ICD_VENDORS", vendors).output();
        let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
        let version = text.lines().find_map(|line| line.split_once("CL_DRIVER_VERSION"));
        version.map(|(_, version)| version.trim().to_owned()).unwrap_or_default()
    }
}
