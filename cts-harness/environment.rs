//! What surrounds a binary of the suite: the loader and its vendors folder, the library's cache, the offline compiler, a
//! folder to run in.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::arguments::{Mode, RunArguments};
use crate::catalogue::Suite;
use crate::{Fallible, about};

/// Everything that the processes of a run share.
#[derive(Debug)]
pub struct Environment {
    /// Folder of the built suite.
    pub cts: PathBuf,
    /// Folder of results.
    pub out: PathBuf,
    library: PathBuf,
    loader: Option<PathBuf>,
    mode: Mode,
    offline_compiler: String,
    spirv_validator: Option<PathBuf>,
    line_buffered: bool,
}

impl Environment {
    /// Looks at the paths of the command line and makes the folders.
    pub fn new(arguments: &RunArguments) -> Fallible<Environment> {
        let absolute = |path: &Path| about(path.canonicalize(), path.display());
        let library = absolute(&arguments.library)?;
        let cts = absolute(&arguments.cts)?;
        about(std::fs::create_dir_all(&arguments.out), arguments.out.display())?;
        let out = absolute(&arguments.out)?;
        let loader = arguments.loader.as_deref().map(absolute).transpose()?;
        let compiler = library.with_file_name("oxicl-compiler");
        let environment = Environment {
            offline_compiler: arguments
                .offline_compiler
                .clone()
                .unwrap_or_else(|| format!("'{}' --emit-spirv", compiler.display())),
            loader: loader.map(|path| if path.is_dir() { path } else { path.with_file_name("") }),
            spirv_validator: arguments.spirv_validator.clone(),
            mode: arguments.mode,
            line_buffered: exists("stdbuf"),
            cts,
            out,
            library,
        };
        for folder in ["vendors", "cache", "spirv", "logs", "work"] {
            let folder = environment.out.join(folder);
            about(std::fs::create_dir_all(&folder), folder.display())?;
        }
        let file = environment.out.join("vendors").join("oxicl.icd");
        about(std::fs::write(&file, format!("{}\n", environment.library.display())), file.display())?;
        Ok(environment)
    }

    /// Where a suite's binary lies.
    pub fn binary(&self, suite: &Suite) -> PathBuf {
        self.cts.join(&suite.binary)
    }

    /// The binary without arguments, with the environment that leads it to the library and to nothing else.
    pub fn command(&self, suite: &Suite) -> Command {
        let binary = self.binary(suite);
        // The suite flushes its output where a sub-test starts; of one that crashes, the last lines matter most.
        let mut command = if self.line_buffered {
            let mut command = Command::new("stdbuf");
            command.arg("-oL").arg(binary);
            command
        } else {
            Command::new(binary)
        };
        command.env("OCL_ICD_VENDORS", self.out.join("vendors")).env("OXICL_CACHE_DIR", self.out.join("cache"));
        for filter in ["OCL_ICD_FILENAMES", "CL_DEVICE_TYPE", "CL_DEVICE_INDEX", "CL_PLATFORM_INDEX", "CL_WIMPY_MODE"] {
            command.env_remove(filter);
        }
        if let Some(folder) = &self.loader {
            let mut path = OsString::from(folder);
            if let Some(others) = std::env::var_os("LD_LIBRARY_PATH") {
                path.push(":");
                path.push(others);
            }
            command.env("LD_LIBRARY_PATH", path);
        }
        command
    }

    /// Arguments that a binary needs whatever it runs.
    pub fn arguments(&self, suite: &Suite) -> Vec<String> {
        let binary = self.binary(suite);
        let folder = binary.parent().unwrap_or(&self.cts).display().to_string();
        let mut arguments: Vec<String> =
            suite.arguments.iter().map(|argument| argument.replace("{folder}", &folder)).collect();
        if self.mode == Mode::SpirV {
            let kernels = self.out.join("spirv").display().to_string();
            let words = ["--compilation-mode", "spir-v", "--compilation-program", &self.offline_compiler];
            arguments.extend(words.map(str::to_owned));
            arguments.extend(["--compilation-cache-path".to_owned(), kernels]);
            match &self.spirv_validator {
                Some(path) => arguments.extend(["--spirv-validator".to_owned(), path.display().to_string()]),
                None => arguments.push("--disable-spirv-validation".to_owned()),
            }
        }
        arguments
    }

    /// Makes an empty folder to run a binary in, as some write files, with links to what lies beside the binary, as some
    /// read files.
    pub fn work_folder(&self, suite: &Suite, name: &str) -> Fallible<PathBuf> {
        let folder = self.out.join("work").join(name);
        if folder.exists() {
            about(std::fs::remove_dir_all(&folder), folder.display())?;
        }
        about(std::fs::create_dir_all(&folder), folder.display())?;
        let binary = self.binary(suite);
        let beside = binary.parent().unwrap_or(&self.cts);
        for entry in about(std::fs::read_dir(beside), beside.display())?.flatten() {
            if entry.path() != binary && entry.file_name() != "CMakeFiles" {
                let link = folder.join(entry.file_name());
                about(std::os::unix::fs::symlink(entry.path(), &link), link.display())?;
            }
        }
        Ok(folder)
    }

    /// The suite's revision, from the source folder that its build names.
    pub fn revision(&self) -> Option<String> {
        let cache = std::fs::read_to_string(self.cts.parent()?.join("CMakeCache.txt")).ok()?;
        let source = cache.lines().find_map(|line| line.strip_prefix("CMAKE_HOME_DIRECTORY:INTERNAL="))?;
        let output = Command::new("git").args(["-C", source, "log", "-1", "--format=%h of %cs"]).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }
}

fn exists(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}
