//! Packages that run without a build and without LLVM on the user's machine: `cargo xtask package FORMAT...`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::driver::{Profile, target_folder};
use crate::process::{Outcome, cargo, exists, output, root, run};

/// What can be made, in the order in which it is made.
const FORMATS: &[&str] = &["wheel", "deb", "tarball"];

/// Makes the packages that `arguments` name, or all; `test` tries out those that were made.
pub fn package(arguments: &[String]) -> Outcome {
    let folder = target_folder()?.join("package");
    let out = folder.join("out");
    if arguments.first().is_some_and(|argument| argument == "test") {
        return run(Command::new("sh").arg(root().join("packaging/test.sh")).arg(&out).args(&arguments[1..]));
    }
    if let Some(unknown) = arguments.iter().find(|argument| !FORMATS.contains(&argument.as_str())) {
        return Err(format!("no format named {unknown}; name some of {}, or test", FORMATS.join(", ")));
    }
    let formats: Vec<_> = FORMATS
        .iter()
        .filter(|format| arguments.is_empty() || arguments.iter().any(|argument| argument == *format))
        .collect();
    if !exists("python3") {
        return Err("python3 is missing, which writes the packages".to_owned());
    }
    let built = build(&folder)?;
    let mut writer = Command::new("python3");
    writer.arg(root().join("packaging/package.py")).args(formats).arg("--built").arg(built);
    writer.arg("--out").arg(out).args(["--version", env!("CARGO_PKG_VERSION")]).current_dir(root());
    run(writer.env("SOURCE_DATE_EPOCH", epoch()?))
}

/// Builds with LLVM inside and without paths of this machine, so that equal sources give equal files.
fn build(folder: &Path) -> Outcome<PathBuf> {
    let mut command = cargo();
    command
        .arg("build")
        .args(["oxicl", "oxicl-compiler", "oxicl-validate", "oxicl-cli"].map(|name| format!("--package={name}")));
    command.args(Profile::Dist.arguments()).arg("--target-dir").arg(folder).env("OXICL_LINK_LLVM", "static");
    command.env("CARGO_PROFILE_DIST_STRIP", "symbols").env("CARGO_PROFILE_DIST_DEBUG", "0");
    command.env("CARGO_INCREMENTAL", "0");
    // The last that fits wins: the target folder is in the repository unless told otherwise.
    let sysroot = output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let places = [
        (PathBuf::from(sysroot.trim()), "/rust"),
        (cargo_home()?, "/cargo"),
        (root().to_owned(), "/oxicl"),
        (folder.to_owned(), "/build"),
    ];
    let flags: Vec<_> =
        places.iter().map(|(path, name)| format!("--remap-path-prefix={}={name}", path.display())).collect();
    run(command.env_remove("RUSTFLAGS").env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f")))?;
    Ok(folder.join("dist"))
}

fn cargo_home() -> Outcome<PathBuf> {
    let own = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    own.or_else(|| std::env::home_dir().map(|home| home.join(".cargo"))).ok_or_else(|| "there is no HOME".to_owned())
}

/// The time that everything in the packages has: that of the commit, unless the environment has one.
fn epoch() -> Outcome<String> {
    if let Ok(epoch) = std::env::var("SOURCE_DATE_EPOCH") {
        return Ok(epoch);
    }
    let text = output(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root()))?;
    Ok(text.trim().to_owned())
}
