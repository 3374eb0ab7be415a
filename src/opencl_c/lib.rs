//! The front end for OpenCL C and C++ for OpenCL: source text in, SPIR-V out.
//!
//! - **Takes**: a [`SourceRequest`]: text, embedded headers, options.
//! - **Gives**: a [`SourceModule`], whose words are not validated, or the build log in clang's words
//!   with the user's line numbers.
//! - **Never**: runs in the application's process, where clang could take it down; has a feature of the language that
//!   `caps` does not list.
//! - **Spec**: OpenCL C, OpenCL API (build options), the SPIR-V environment.

mod arguments;
mod facts;
mod imports;
mod prelude;
mod shim;

use std::ffi::c_int;

use oxicl_caps::DeviceCaps;
use oxicl_protocol::{BuildFailure, SourceModule, SourceRequest, Stage};

use shim::{File, How, Output};

/// What the program is called in diagnostics and by `__FILE__`.
const PROGRAM: &str = "<source>";
/// Folder of the headers that every program starts with.
const OWN_FOLDER: &str = "/<oxicl>";
/// Folder of embedded headers.
const HEADER_FOLDER: &str = "<header>";

/// Clang's declarations of the types and constants of OpenCL C; its functions are built in.
const BASE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/base.h"));

/// Compiles.
///
/// # Errors
/// The build log: clang's diagnostics, or what of the program has no translation.
///
/// From the first call on, this process explains on standard error what it dies of.
pub fn compile(request: &SourceRequest, caps: &DeviceCaps) -> Result<SourceModule, BuildFailure> {
    run(request, caps, false, &mut |_| ())
}

/// As [`compile`], and tells `size` again and again how many tokens have been read of the preprocessed source: most of the
/// time passes behind the last call.
///
/// # Errors
/// Those of [`compile`].
pub fn compile_and_tell(
    request: &SourceRequest,
    caps: &DeviceCaps,
    size: &mut dyn FnMut(u32),
) -> Result<SourceModule, BuildFailure> {
    run(request, caps, false, size)
}

/// Compiles, in a process that dies as it did before. Those that are forked from it find clang warm.
///
/// # Errors
/// Those of [`compile`].
pub fn rehearse(request: &SourceRequest, caps: &DeviceCaps) -> Result<(), BuildFailure> {
    run(request, caps, true, &mut |_| ()).map(|_| ())
}

fn run(
    request: &SourceRequest,
    caps: &DeviceCaps,
    rehearsal: bool,
    size: &mut dyn FnMut(u32),
) -> Result<SourceModule, BuildFailure> {
    let include = request.include as c_int;
    let how = How { whole: request.whole, defers: request.defers, rehearsal, include };
    if request.is_rest {
        let output = shim::translate(&request.text, &arguments::spirv_extensions(caps), how);
        return module_of(output.map_err(|message| BuildFailure::new(Stage::OpenclC, message))?);
    }
    let arguments = arguments::of(&request.options, request.include, caps);
    let texts = std::iter::once(request.text.as_slice()).chain(request.headers.iter().map(|(_, text)| text.as_slice()));
    let defines = request.options.defines.iter().map(String::as_bytes);
    let parts = prelude::Parts::of(texts.chain(defines), &request.options);
    let prelude = prelude::text(&request.options, caps, parts);
    // A mark of the byte order is none behind the first line.
    let text = request.text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&request.text);
    let program = [format!("#line 1 \"{PROGRAM}\"\n").as_bytes(), text].concat();
    let mut files = vec![
        // Beside embedded headers: what is beside a file is found before what is in the folders that are searched.
        File { name: format!("{HEADER_FOLDER}/{PROGRAM}"), text: &program },
        File { name: format!("{OWN_FOLDER}/base.h"), text: BASE },
        File { name: format!("{OWN_FOLDER}/prelude.h"), text: prelude.as_bytes() },
    ];
    files.extend(
        request
            .headers
            .iter()
            .map(|(name, text)| File { name: format!("{HEADER_FOLDER}/{name}"), text: text.as_slice() }),
    );
    let output = shim::compile(&arguments, &files, &request.folder, &arguments::spirv_extensions(caps), how, size)
        .map_err(|message| BuildFailure::new(Stage::OpenclC, message))?;
    module_of(output)
}

/// What the shim made.
fn module_of(output: Output) -> Result<SourceModule, BuildFailure> {
    let log = String::from_utf8_lossy(&output.log).into_owned();
    if !output.good {
        return Err(BuildFailure::verbatim(Stage::OpenclC, log));
    }
    let spirv = imports::replaced(facts::with_strings(&output.spirv, &output.facts, &output.line_files));
    Ok(SourceModule { spirv, log, files: output.files, has_time: output.has_time, rest: output.rest })
}
