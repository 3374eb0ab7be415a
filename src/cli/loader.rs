//! Which OpenCL loaders there are, in the order in which the dynamic linker finds them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::child;
use crate::host::{Host, listed};
use crate::probe::Opened;

/// The name by which programs ask for a loader.
pub const NAME: &str = "libOpenCL.so.1";

/// Where the dynamic linker looks in the end, on the systems that there are.
const FOLDERS: &[&str] =
    &["/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"];

/// Why a loader is one that programs find.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// `LD_LIBRARY_PATH`.
    SearchPath,
    /// The dynamic linker's cache or folders.
    #[default]
    System,
    /// A Python environment, whose packages load it.
    Python,
}

/// A loader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loader {
    /// Its file.
    pub path: PathBuf,
    /// Who finds it.
    pub origin: Origin,
    /// What it is and gives, or why it does not open.
    pub opened: Result<Opened, String>,
}

impl Loader {
    /// What pyopencl sets in front of loading the loader that it brings, which dies without.
    pub fn variables(&self) -> Vec<(&'static str, PathBuf)> {
        let folder = self.path.parent().filter(|_| self.origin == Origin::Python);
        let package = match folder {
            Some(folder) if folder.ends_with("pyopencl/.libs") => folder.parent().map(Path::to_owned),
            Some(folder) if folder.ends_with("pyopencl.libs") => Some(folder.with_file_name("pyopencl")),
            _ => None,
        };
        package.map(|package| ("PYOPENCL_HOME", package)).into_iter().collect()
    }

    /// What it is, in words.
    pub fn kind(&self) -> String {
        match &self.opened {
            Err(error) => format!("does not open ({error})"),
            Ok(opened) if opened.is_driver => "is no loader but a driver under its name".to_owned(),
            Ok(opened) if opened.name.is_empty() => "is a loader that does not say which".to_owned(),
            Ok(opened) => format!("is {} {}", opened.name.trim(), opened.version.trim()).trim_end().to_owned(),
        }
    }
}

/// All loaders, each file once, not opened yet.
pub fn loaders(host: &Host, python: &[PathBuf]) -> Vec<Loader> {
    let search = host.variable("LD_LIBRARY_PATH").map(std::env::split_paths).into_iter().flatten();
    let search = search.map(|folder| (folder.join(NAME), Origin::SearchPath));
    let system = cached(host).into_iter().chain(FOLDERS.iter().map(|folder| Path::new(folder).join(NAME)));
    let system = system.map(|path| (host.path(path), Origin::System));
    let python = python.iter().flat_map(|prefix| of_python(prefix)).map(|path| (path, Origin::Python));
    let mut found: Vec<(PathBuf, Loader)> = Vec::new();
    for (path, origin) in search.chain(system).chain(python) {
        let Ok(file) = path.canonicalize() else { continue };
        if found.iter().all(|(known, _)| *known != file) {
            found.push((file, Loader { path, origin, opened: Err("it was not tried".to_owned()) }));
        }
    }
    found.into_iter().map(|(_, loader)| loader).collect()
}

/// What the dynamic linker's cache has.
fn cached(host: &Host) -> Vec<PathBuf> {
    let cache = host.path("/etc/ld.so.cache");
    let tool = ["/sbin/ldconfig", "/usr/sbin/ldconfig"].into_iter().find(|tool| Path::new(tool).is_file());
    let Some(tool) = tool.filter(|_| cache.is_file()) else { return Vec::new() };
    let Ok(printed) = child::run(Command::new(tool).arg("-p").arg("-C").arg(cache)) else { return Vec::new() };
    let ours = |line: &&str| line.split_whitespace().next() == Some(NAME) && line.contains("x86-64");
    printed.output.lines().filter(ours).filter_map(|line| Some(line.split_once("=> ")?.1.trim().into())).collect()
}

/// Loaders that packages of a Python environment bring, or the environment itself.
fn of_python(prefix: &Path) -> Vec<PathBuf> {
    let is_loader = |path: &PathBuf| {
        path.file_name().is_some_and(|name| {
            let name = name.to_string_lossy();
            name.starts_with("libOpenCL") && name.contains(".so")
        })
    };
    let versions = listed(&prefix.join("lib")).into_iter();
    let versions = versions.filter(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("python")));
    let packages = versions.map(|path| path.join("site-packages"));
    // Where the tool that repairs wheels puts libraries: inside the package, or beside it.
    let wheels = packages.flat_map(|path| {
        [path.join("pyopencl").join(".libs"), path.join("pyopencl.libs")].into_iter().flat_map(|folder| listed(&folder))
    });
    wheels.filter(is_loader).chain([prefix.join("lib").join(NAME)]).collect()
}

/// The folders of the Python environments that are active: those that variables name and the one that the command is installed
/// in, else that of `python3`.
pub fn python_environments(host: &Host) -> Vec<PathBuf> {
    let named = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(|name| host.variable(name));
    let mut prefixes: Vec<PathBuf> = named.map(PathBuf::from).collect();
    // PREFIX/lib/pythonX.Y/site-packages has packages.
    let packages = host.command.ancestors().find(|path| path.ends_with("site-packages"));
    let own = packages.and_then(|path| path.ancestors().nth(3)).map(Path::to_owned);
    prefixes.extend(own.filter(|own| !prefixes.contains(own)));
    if prefixes.is_empty() && host.is_real() {
        let python = child::run(Command::new("python3").args(["-c", "import sys; print(sys.prefix)"]));
        let prefix = python.ok().filter(|printed| printed.success).map(|printed| printed.output.trim().to_owned());
        // The system's own has the system's loader.
        prefixes.extend(prefix.filter(|prefix| !prefix.is_empty() && prefix != "/usr").map(PathBuf::from));
    }
    prefixes
}

#[cfg(test)]
mod tests {
    use super::{Host, python_environments};
    use std::path::PathBuf;

    #[test]
    fn a_command_that_pip_installed_knows_its_environment() {
        let at = |command: &str| Host { root: "/nowhere".into(), command: command.into(), ..Host::default() };
        let packed = at("/venv/lib/python3.11/site-packages/oxicl/lib/oxicl");
        assert_eq!(python_environments(&packed), [PathBuf::from("/venv")]);
        let mut active = packed.clone();
        active.variables.insert("VIRTUAL_ENV".into(), "/venv".into());
        assert_eq!(python_environments(&active), [PathBuf::from("/venv")]);
        assert!(python_environments(&at("/usr/lib/oxicl/oxicl")).is_empty());
    }
}
