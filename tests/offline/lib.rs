//! OpenCL C to SPIR-V by clang 22, for build scripts and tests.
//!
//! - **Takes**: `.cl` files or source text.
//! - **Gives**: SPIR-V modules, or what clang had to say.
//! - **Never**: looks at the library under test; to it the modules come from a foreign compiler.
#![forbid(unsafe_code)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// How much clang does to a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// What the front end makes: every variable in memory. The library's own OpenCL C front end works like this.
    Plain,
    /// After clang's optimiser.
    Optimised,
}

/// Compiles `source` to a module beside `out`'s other files.
pub fn compile_file(source: &Path, out: &Path, level: Level) -> Result<(), String> {
    let clang = clang()?;
    let mut command = Command::new(&clang);
    command.args(["-c", "-target", "spirv64", "-x", "cl", "-cl-std=CL3.0", "-Xclang", "-finclude-default-header"]);
    // Without it clang 22 refuses modules in which two functions print.
    command.args(["-mllvm", "--spirv-ext=+SPV_EXT_relaxed_printf_string_address_space"]);
    match level {
        Level::Plain => command.args(["-O0", "-Xclang", "-disable-O0-optnone"]),
        Level::Optimised => command.arg("-O2"),
    };
    let output = command
        .arg("-o")
        .arg(out)
        .arg(source)
        .output()
        .map_err(|error| format!("cannot run {}: {error}", clang.display()))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(format!("{}:\n{}", source.display(), String::from_utf8_lossy(&output.stderr)))
    }
}

/// Compiles source text to a module.
pub fn compile(source: &str, level: Level) -> Result<Vec<u8>, String> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let base = std::env::temp_dir().join(format!("oxicl-offline-{}-{number}", std::process::id()));
    let (text, module) = (base.with_extension("cl"), base.with_extension("spv"));
    std::fs::write(&text, source).map_err(|error| error.to_string())?;
    let result =
        compile_file(&text, &module, level).and_then(|()| std::fs::read(&module).map_err(|error| error.to_string()));
    for file in [text, module] {
        // Either file may be absent after a failure.
        let _ = std::fs::remove_file(file);
    }
    result
}

/// Assembles SPIR-V text with spirv-as, without validating it: tests need invalid modules too.
pub fn assemble(text: &str) -> Result<Vec<u8>, String> {
    assemble_as(text, 4)
}

/// As [`assemble`], as a module of SPIR-V 1.`minor`, which need not have every instruction of the text.
pub fn assemble_as(text: &str, minor: u8) -> Result<Vec<u8>, String> {
    use std::io::Write as _;
    let mut child = Command::new("spirv-as")
        .args(["--target-env", "spv1.6", "--preserve-numeric-ids", "-o", "-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot run spirv-as: {error}"))?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(text.as_bytes()).map_err(|error| error.to_string())?;
    }
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let mut bytes = output.stdout;
    // The second word of the header: 0, major, minor, 0.
    if let Some(byte) = bytes.get_mut(5) {
        *byte = minor;
    }
    Ok(bytes)
}

/// A module in both forms that clang gives it.
#[derive(Clone, Copy, Debug)]
pub struct Module {
    /// At [`Level::Plain`].
    pub plain: &'static [u8],
    /// At [`Level::Optimised`].
    pub optimised: &'static [u8],
}

impl Module {
    /// Its words at a level.
    pub fn at(self, level: Level) -> &'static [u8] {
        match level {
            Level::Plain => self.plain,
            Level::Optimised => self.optimised,
        }
    }
}

/// For build scripts: compiles every `.cl` file of `folder` (relative to the manifest) at both levels and writes
/// `kernels.rs` into `OUT_DIR`: a `pub static NAME: Module` per file, named after it.
pub fn build_folder(folder: &str) -> Result<(), String> {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set: this is for build scripts")?);
    println!("cargo::rerun-if-changed={folder}");
    let mut sources: Vec<PathBuf> = std::fs::read_dir(folder)
        .map_err(|error| format!("{folder}: {error}"))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "cl"))
        .collect();
    sources.sort();
    let mut text = String::from("use oxicl_offline::Module;\n");
    for source in &sources {
        println!("cargo::rerun-if-changed={}", source.display());
        let stem = source.file_stem().and_then(|stem| stem.to_str()).ok_or("a kernel file's name is not UTF-8")?;
        let (plain, optimised) = (out.join(format!("{stem}.spv")), out.join(format!("{stem}.o2.spv")));
        compile_file(source, &plain, Level::Plain)?;
        compile_file(source, &optimised, Level::Optimised)?;
        let name = stem.to_uppercase();
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "/// `{stem}.cl` as SPIR-V.\npub static {name}: Module = Module {{\n    \
             plain: include_bytes!({plain:?}),\n    optimised: include_bytes!({optimised:?}),\n}};",
        );
    }
    std::fs::write(out.join("kernels.rs"), text).map_err(|error| error.to_string())
}

/// clang 22: from the path, or where Debian keeps it.
fn clang() -> Result<PathBuf, String> {
    ["clang-22", "/usr/lib/llvm-22/bin/clang", "clang"]
        .into_iter()
        .map(PathBuf::from)
        .find(|candidate| {
            let version = Command::new(candidate).arg("--version").output();
            version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("clang version 22"))
        })
        .ok_or_else(|| "clang 22 is not installed; `cargo xtask setup` does that".to_owned())
}
