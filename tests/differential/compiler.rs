//! Who compiles: this process, or the executable that `OXICL_COMPILER` names, such as the one of a package.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use oxicl_abi::Image;
use oxicl_caps::DeviceCaps;
use oxicl_caps::config::Config;
use oxicl_compiler::flow::{self, Observer};
use oxicl_compiler_client::{Compiler, Settings};
use oxicl_protocol::{CompileRequest, Progress, SourceRequest};

struct Silent;

impl Observer for Silent {
    fn begin(&mut self, _progress: Progress) {}
}

/// The object code of a module.
pub(crate) fn image(request: &CompileRequest) -> Result<Image, String> {
    let image = match named()? {
        Some(compiler) => compiler.compile(request).map(|compiled| compiled.image),
        None => flow::compile(request, &mut Silent),
    };
    image.map_err(|failure| failure.to_string())
}

/// The words of the module that the front end makes of a source.
pub(crate) fn module(request: &SourceRequest) -> Result<Vec<u32>, String> {
    let module = match named()? {
        Some(compiler) => compiler.compile_source(request),
        None => oxicl_opencl_c::compile(request, DeviceCaps::host()),
    };
    module.map(|module| module.spirv).map_err(|failure| failure.to_string())
}

/// The executable that is named, if any, as a process that stays.
fn named() -> Result<Option<&'static Compiler>, String> {
    static NAMED: OnceLock<Result<Option<Compiler>, String>> = OnceLock::new();
    let start = || {
        let Some(path) = &Config::get().compiler else { return Ok(None) };
        Ok(Some(Compiler::new(Settings { build: build(path)?, cache: None, ..Settings::default() })))
    };
    NAMED.get_or_init(start).as_ref().map(Option::as_ref).map_err(Clone::clone)
}

/// The build that a compiler says it is of: it serves no other.
fn build(path: &Path) -> Result<String, String> {
    let output =
        Command::new(path).arg("--version").output().map_err(|error| format!("{}: {error}", path.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let build = text.strip_prefix("oxicl-compiler ").and_then(|rest| rest.split(' ').next());
    build.map(str::to_owned).ok_or_else(|| format!("{} is no compiler of oxicl's", path.display()))
}
