//! System packages: which are missing, and how they are installed.

use std::io::{IsTerminal, Write};
use std::process::{Command, Stdio};

use crate::process::{Outcome, exists, run};

/// Debian packages, each with what it is for.
const PACKAGES: &[(&str, &str)] = &[
    ("build-essential", "a linker, and the C compiler of the ABI tests"),
    ("llvm-22-dev", "the code generator of oxicl-compiler; llc, one of the producers of the tests"),
    ("clang-22", "OpenCL C of the demo, benches and tests to SPIR-V; the device library"),
    ("libclang-22-dev", "clang's headers, for the front end of oxicl-compiler; the library comes with it"),
    ("libclang-common-22-dev", "the OpenCL C header that clang reads"),
    ("ocl-icd-opencl-dev", "the OpenCL loader that demo, benches and tests link"),
    ("opencl-c-headers", "the C headers that the ABI is held against"),
    ("mlir-22-tools", "MLIR's SPIR-V dialect, one of the producers of the tests"),
    ("spirv-tools", "the assembler of the tests' SPIR-V"),
    ("clinfo", "shows every property that the platform reports"),
    ("python3-venv", "runs the manual's programs in Python"),
];

/// Installs what is missing. Asks first, unless `yes` is set, `CI` is in the environment or there is no terminal.
pub fn ensure(yes: bool) -> Outcome {
    if !exists("dpkg-query") {
        eprintln!(
            "xtask: this is no Debian system; LLVM 22, clang 22 and an OpenCL loader have to be installed already"
        );
        return Ok(());
    }
    let missing: Vec<_> = PACKAGES.iter().filter(|(name, _)| !installed(name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    println!("These system packages are missing:");
    for (name, reason) in &missing {
        println!("  {name:<24} {reason}");
    }
    if !yes && std::env::var_os("CI").is_none() && std::io::stdin().is_terminal() && !confirmed()? {
        return Err("nothing was installed".to_owned());
    }
    run(apt().arg("update"))?;
    let names = missing.iter().map(|(name, _)| name);
    run(apt().args(["install", "--yes", "--no-install-recommends"]).args(names))
}

fn installed(name: &str) -> bool {
    let query = Command::new("dpkg-query")
        .args(["--show", "--showformat=${db:Status-Status}", name])
        .stderr(Stdio::null())
        .output();
    query.is_ok_and(|output| output.stdout == b"installed")
}

fn confirmed() -> Outcome<bool> {
    print!("Install them with apt-get? [Y/n] ");
    std::io::stdout().flush().map_err(|error| error.to_string())?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).map_err(|error| error.to_string())?;
    Ok(matches!(answer.trim(), "" | "y" | "Y" | "yes"))
}

/// `apt-get`, through `sudo` for anybody but root.
fn apt() -> Command {
    let root = std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    let mut command = if root {
        Command::new("env")
    } else {
        let mut sudo = Command::new("sudo");
        sudo.arg("env");
        sudo
    };
    command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get"]);
    command
}
