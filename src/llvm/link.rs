//! How LLVM and clang come into the executables that use them. The build scripts of `llvm` and `opencl_c` are its users.

use std::path::Path;
use std::process::Command;

/// Chooses between the two: `shared`, which is what an unset variable means, or `static`.
const VARIABLE: &str = "OXICL_LINK_LLVM";

/// LLVM's components that we and clang's libraries use; `llvm-config` adds what those need. The linker takes out of the
/// archives what is used.
const COMPONENTS: &[&str] = &[
    "x86codegen",
    "x86asmparser",
    "spirvcodegen",
    "passes",
    "irreader",
    "linker",
    "lto",
    "option",
    "coverage",
    "frontenddriver",
    "frontendhlsl",
    "frontendopenmp",
    "frontendoffloading",
    "windowsdriver",
];

/// What `lto` has for LLVM's own tools: an optimizer that there is no archive of, and the list of such extensions.
const PLUGINS: &[&str] = &["LLVMExtensions", "Polly", "PollyISL"];

/// What of LLVM and clang an executable has in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Linkage {
    /// Nothing: the system's shared libraries are loaded, which links in a moment.
    Shared,
    /// All that it uses, from the system's archives, so that it runs where no LLVM is installed.
    Static,
}

impl Linkage {
    /// What the environment of the build asks for.
    ///
    /// # Errors
    /// The variable has another value.
    pub fn chosen() -> Result<Self, String> {
        println!("cargo::rerun-if-env-changed={VARIABLE}");
        match std::env::var(VARIABLE).as_deref() {
            Err(_) | Ok("shared") => Ok(Linkage::Shared),
            Ok("static") => Ok(Linkage::Static),
            Ok(other) => Err(format!("{VARIABLE} is {other}, which is neither shared nor static")),
        }
    }

    /// Adds to a shim what LLVM's archives need and nobody else has. Each shim has it: it is in front of the archives only
    /// in the library that names them, and of equal files the linker takes the first.
    pub fn complete(self, shim: &mut cc::Build) {
        if self == Linkage::Static {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../llvm/shim/without.cpp");
            println!("cargo::rerun-if-changed={}", file.display());
            shim.file(file).cpp_link_stdlib(None);
        }
    }

    /// Tells cargo to link LLVM, which is installed under `prefix`.
    ///
    /// # Errors
    /// `llvm-config` or the C++ compiler does not answer.
    pub fn link_llvm(self, prefix: &Path) -> Result<(), String> {
        println!("cargo::rustc-link-search=native={}", prefix.join("lib").display());
        if self == Linkage::Shared {
            println!("cargo::rustc-link-lib=dylib=LLVM-22");
            return Ok(());
        }
        let mut config = Command::new(prefix.join("bin/llvm-config"));
        let names = text(config.args(["--link-static", "--libnames"]).args(COMPONENTS))?;
        for name in names.split_whitespace() {
            let name = name.strip_prefix("lib").and_then(|name| name.strip_suffix(".a"));
            let name = name.ok_or("llvm-config names something that is no archive")?;
            if !PLUGINS.contains(&name) {
                link_archive(name);
            }
        }
        link_cpp_runtime()
    }
}

/// Tells cargo to link an archive. It is left to the linker of the executable, as copies of all archives in our own
/// libraries would be gigabytes.
pub fn link_archive(name: &str) {
    println!("cargo::rustc-link-lib=static:-bundle={name}");
}

/// The C++ standard library, as an archive: an older one on the user's machine would lack symbols.
fn link_cpp_runtime() -> Result<(), String> {
    let path = text(Command::new("c++").arg("-print-file-name=libstdc++.a"))?;
    let folder = Path::new(path.trim()).parent().filter(|folder| folder.is_absolute());
    let folder = folder.ok_or("the C++ compiler has no libstdc++.a")?;
    println!("cargo::rustc-link-search=native={}", folder.display());
    link_archive("stdc++");
    Ok(())
}

fn text(command: &mut Command) -> Result<String, String> {
    let shown = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{shown}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{shown}: {}", output.status));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("{shown}: its output is not UTF-8"))
}
