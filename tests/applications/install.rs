//! Puts programs where they can run: system packages for the whole machine, everything else into a folder of the program.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use oxicl_cts_harness::{Fallible, about};

use crate::here;
use crate::program::{Packages, Program};

/// An installed program.
#[derive(Debug)]
pub struct Installed {
    /// Its folder.
    pub folder: PathBuf,
    /// The version of its first package.
    pub version: String,
}

impl Installed {
    /// A word of a command, with the places filled in.
    pub fn fill(&self, word: &str) -> String {
        let show = |path: PathBuf| path.display().to_string();
        word.replace("{python}", &show(self.folder.join("venv/bin/python")))
            .replace("{scripts}", &show(here().join("scripts")))
            .replace("{sources}", &show(self.folder.join("sources")))
            .replace("{here}", &show(self.folder.clone()))
    }

    /// A command with the places filled in.
    pub fn command(&self, words: &[String]) -> Fallible<Command> {
        let (program, arguments) = words.split_first().ok_or("an empty command")?;
        let mut command = Command::new(self.fill(program));
        command.args(arguments.iter().map(|word| self.fill(word)));
        Ok(command)
    }
}

/// Installs what is missing. A program whose packages are the same as at the last time is left as it is.
pub fn install(program: &Program, folder: &Path) -> Fallible<Installed> {
    let folder = folder.join(&program.name);
    about(std::fs::create_dir_all(folder.join("sources")), folder.display())?;
    let folder = about(folder.canonicalize(), folder.display())?;
    let packages = &program.packages;
    apt(&packages.apt)?;
    let mut installed = Installed { folder, version: String::new() };
    let mark = installed.folder.join("installed");
    let wanted = format!("{packages:?}\n{:?}\n", program.prepare);
    if std::fs::read_to_string(&mark).is_ok_and(|text| text == wanted) {
        installed.version = version(packages, &installed)?;
        return Ok(installed);
    }
    pip(packages, &installed)?;
    for name in &packages.crates {
        unpack_crate(name, &installed)?;
    }
    installed.version = version(packages, &installed)?;
    for words in &program.prepare {
        run(installed.command(words)?.current_dir(&installed.folder))?;
    }
    about(std::fs::write(&mark, wanted), mark.display())?;
    Ok(installed)
}

fn apt(packages: &[String]) -> Fallible {
    let missing: Vec<&String> = packages.iter().filter(|name| debian_version(name).is_none()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let mut command = Command::new("apt-get");
    // Recommended packages may be other OpenCL drivers.
    command.args(["install", "--yes", "--no-install-recommends"]).args(missing);
    run(command.env("DEBIAN_FRONTEND", "noninteractive"))
}

fn pip(packages: &Packages, installed: &Installed) -> Fallible {
    if packages.pip.is_empty() && packages.sources.is_empty() {
        return Ok(());
    }
    let venv = environment(&installed.folder, &packages.pip)?;
    let sources = installed.folder.join("sources");
    for source in &packages.sources {
        let name = source.split('=').next().unwrap_or_default();
        let download = ["download", "--no-deps", "--no-binary", name, "--dest"];
        run(pip_of(&venv).args(download).arg(&sources).arg(source))?;
    }
    for entry in about(std::fs::read_dir(&sources), sources.display())?.flatten() {
        if entry.file_name().to_string_lossy().ends_with(".tar.gz") {
            run(Command::new("tar").arg("-xzf").arg(entry.path()).arg("-C").arg(&sources))?;
        }
    }
    Ok(())
}

/// Makes the virtual environment `folder/venv`, if it is not there, and puts packages into it.
pub fn environment<Requirement: AsRef<OsStr>>(folder: &Path, packages: &[Requirement]) -> Fallible<PathBuf> {
    let venv = folder.join("venv");
    if !venv.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    }
    if !packages.is_empty() {
        run(pip_of(&venv).arg("install").args(packages))?;
    }
    about(venv.canonicalize(), venv.display())
}

fn pip_of(venv: &Path) -> Command {
    let mut command = Command::new(venv.join("bin/python"));
    command.args(["-m", "pip", "--quiet", "--disable-pip-version-check"]);
    command
}

/// Unpacks `name@version` into `sources/name`, as a workspace of its own.
fn unpack_crate(name: &str, installed: &Installed) -> Fallible {
    let (name, version) = name.split_once('@').ok_or_else(|| format!("{name}: a crate is name@version"))?;
    let asking = installed.folder.join("asking");
    about(std::fs::create_dir_all(&asking), asking.display())?;
    let manifest = format!(
        "[package]\nname = \"asking\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[lib]\npath = \"lib.rs\"\n\
         [dependencies]\n{name} = \"={version}\"\n[workspace]\n"
    );
    about(std::fs::write(asking.join("Cargo.toml"), manifest), asking.display())?;
    about(std::fs::write(asking.join("lib.rs"), ""), asking.display())?;
    let mut command = Command::new("cargo");
    let output = about(
        command.args(["metadata", "--format-version=1"]).current_dir(&asking).stderr(Stdio::inherit()).output(),
        "cargo metadata",
    )?;
    let metadata: serde_json::Value = about(serde_json::from_slice(&output.stdout), "cargo metadata")?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata has no packages")?;
    let of_name = packages.iter().find(|package| package["name"] == name);
    let manifest = of_name.and_then(|package| package["manifest_path"].as_str()).ok_or("cargo has no such crate")?;
    let from = Path::new(manifest).parent().unwrap_or(Path::new("/"));
    let to = installed.folder.join("sources").join(name);
    run(Command::new("cp").args(["--recursive", "--no-target-directory"]).arg(from).arg(&to))?;
    let manifest = to.join("Cargo.toml");
    let mut text = about(std::fs::read_to_string(&manifest), manifest.display())?;
    if !text.contains("[workspace]") {
        text.push_str("\n[workspace]\n");
    }
    about(std::fs::write(&manifest, text), manifest.display())
}

/// The version of the first package.
fn version(packages: &Packages, installed: &Installed) -> Fallible<String> {
    if let Some(name) = packages.apt.first() {
        return debian_version(name).ok_or_else(|| format!("{name} is not installed"));
    }
    if let Some((_, version)) = packages.crates.first().and_then(|name| name.split_once('@')) {
        return Ok(version.to_owned());
    }
    let named = packages.pip.iter().chain(&packages.sources).next().ok_or("a program without packages")?;
    let name = named.split(['=', '<', '>', '[']).next().unwrap_or_default();
    let ask = format!("import importlib.metadata as m; print(m.version({name:?}))");
    let mut python = Command::new(installed.fill("{python}"));
    let output = about(python.args(["-c", &ask]).output(), "python")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn debian_version(package: &str) -> Option<String> {
    let mut command = Command::new("dpkg-query");
    let output = command.args(["--show", "--showformat", "${db:Status-Status} ${Version}", package]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.strip_prefix("installed ").map(str::to_owned)
}

fn run(command: &mut Command) -> Fallible {
    let status = about(command.stdin(Stdio::null()).status(), command.get_program().display())?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}")) }
}
