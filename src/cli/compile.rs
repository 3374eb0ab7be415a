//! `oxicl compile`: the compiler as a command.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};

use oxicl_validate::command::print;

use crate::arguments::{Compile, Emit};
use crate::host::Host;
use crate::locate;

/// Why nothing was made: the exit status, and a message that is empty if the compiler has said all.
struct Failure {
    status: u8,
    message: String,
}

impl Failure {
    fn new(status: u8, message: impl Into<String>) -> Failure {
        Failure { status, message: message.into() }
    }
}

/// Compiles, and prints or writes what was asked for.
pub fn compile(arguments: &Compile) -> ExitCode {
    let made =
        locate::any_compiler(&Host::new(Path::new("/"))).map_err(|why| Failure::new(2, why)).and_then(|compiler| {
            match arguments.emit {
                Emit::Spirv => spirv(&compiler, arguments),
                _ => code(&compiler, arguments),
            }
        });
    match made {
        Ok(status) => status,
        Err(failure) => {
            if !failure.message.is_empty() {
                eprintln!("oxicl compile: {}.", failure.message);
            }
            ExitCode::from(failure.status)
        }
    }
}

fn is_source(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "cl")
}

/// The module, which the compiler writes itself.
fn spirv(compiler: &Path, arguments: &Compile) -> Result<ExitCode, Failure> {
    let file = &arguments.file;
    if !is_source(file) {
        let message =
            format!("{} is no OpenCL C, as its name does not end with .cl, so no SPIR-V is made of it", file.display());
        return Err(Failure::new(1, message));
    }
    let output = match &arguments.output {
        Some(output) => output.clone(),
        None => PathBuf::from(file.file_stem().unwrap_or_default()).with_extension("spv"),
    };
    let mut command = Command::new(compiler);
    command.arg("--emit-spirv").arg(path_argument(file)).arg("-o").arg(output).arg("--").args(&arguments.options);
    let status = command.status().map_err(|error| Failure::new(2, format!("{}: {error}", compiler.display())))?;
    if status.success() { Ok(ExitCode::SUCCESS) } else { Err(Failure::new(1, "")) }
}

/// Text that the compiler prints.
fn code(compiler: &Path, arguments: &Compile) -> Result<ExitCode, Failure> {
    let mut command = Command::new(compiler);
    command.arg("--compile").arg(path_argument(&arguments.file));
    if let Some(target) = &arguments.target {
        command.arg("--target").arg(target);
    }
    match arguments.emit {
        Emit::Ir => drop(command.args(["--dump", "codegen"])),
        Emit::Asm => drop(command.arg("--assembly")),
        Emit::Spirv | Emit::Remarks => {}
    }
    command.arg("--").args(&arguments.options).stdin(Stdio::null());
    let output = command.output().map_err(|error| Failure::new(2, format!("{}: {error}", compiler.display())))?;
    let Output { status, stdout, stderr } = output;
    // Remarks are what the compiler says beside what it makes.
    let text = if status.success() && arguments.emit == Emit::Remarks {
        stderr
    } else {
        eprint!("{}", String::from_utf8_lossy(&stderr));
        stdout
    };
    if !status.success() {
        return Err(Failure::new(1, ""));
    }
    match &arguments.output {
        Some(path) => fs::write(path, text)
            .map(|()| ExitCode::SUCCESS)
            .map_err(|error| Failure::new(1, format!("{}: {error}", path.display()))),
        None => Ok(print("oxicl compile", &text, ExitCode::SUCCESS)),
    }
}

/// A path that is no option, whatever it begins with.
fn path_argument(path: &Path) -> PathBuf {
    if path.is_absolute() { path.to_owned() } else { Path::new(".").join(path) }
}
