//! `oxicl run`: becomes a program that sees oxicl.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use oxicl_caps::{CpuFeature, choose};

use crate::arguments::{Device, Run};
use crate::host::Host;
use crate::locate;

/// What a loader needs to give a program the driver `library` alone. ocl-icd takes a library in place of a folder; Khronos'
/// loader finds no folder there and takes what the second variable names. So nothing has to be written that would be left.
pub fn variables(library: &Path, arguments: &Run) -> Vec<(&'static str, OsString)> {
    let mut variables = vec![("OCL_ICD_VENDORS", library.into()), ("OCL_ICD_FILENAMES", library.into())];
    if arguments.device == Some(Device::Reference) {
        variables.push(("OXICL_DEVICE", "reference".into()));
    }
    variables.extend(arguments.cpu.as_ref().map(|cpu| ("OXICL_CPU", cpu.into())));
    variables
}

/// Becomes the program; comes back only if that fails.
pub fn run(arguments: &Run) -> ExitCode {
    let host = Host::new(Path::new("/"));
    let library: PathBuf = match locate::library(&host) {
        Ok(library) => library.canonicalize().unwrap_or(library),
        Err(why) => {
            eprintln!("oxicl run: {why}.");
            return ExitCode::from(2);
        }
    };
    // The library would only ignore it.
    if let Some(Err(why)) = arguments.cpu.as_deref().map(|cpu| choose(cpu, &CpuFeature::of_host())) {
        eprintln!("oxicl run: {why}.");
        return ExitCode::from(2);
    }
    let mut command = Command::new(&arguments.program);
    command.args(&arguments.arguments).envs(variables(&library, arguments));
    let error = command.exec();
    eprintln!("oxicl run: {}: {error}", arguments.program.display());
    ExitCode::from(if error.kind() == std::io::ErrorKind::NotFound { 127 } else { 126 })
}
