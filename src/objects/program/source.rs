//! OpenCL C on its way to a module: what is asked of the compiler, and what comes back.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use oxicl_caps::config::Config;
use oxicl_caps::{DeviceCaps, Feature};
use oxicl_protocol::{BuildFailure, SourceModule, SourceRequest, Stage, Standard};
use oxicl_validate::ValidObject;

use super::{Checked, Origin, Program, flow};
use crate::ApiError;

/// An embedded header: the name by which sources include it, and its text.
pub type Header = (String, Vec<u8>);

/// A module before its machine code, and what the log has of it so far.
#[derive(Clone)]
pub(super) struct Front {
    pub(super) module: Checked,
    /// Warnings.
    pub(super) log: String,
    /// What asks for all of the program, if the module has only what kernels reach.
    pub(super) rest: Option<Arc<SourceRequest>>,
}

impl Front {
    /// A module that came with the program, with what was accepted of it with a warning.
    pub(super) fn given(module: Checked) -> Front {
        let log = module.as_ref().map(|module| flow::warnings(module)).unwrap_or_default();
        Front { module, log, rest: None }
    }
}

/// A request that has no text and no options yet.
pub(super) fn request() -> SourceRequest {
    // Where there is no current folder, relative names find nothing.
    let folder = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    SourceRequest { folder, include: Config::get().include, ..SourceRequest::default() }
}

/// Compiles source for devices with `caps`, each distinct one once.
pub(super) fn compile<'c>(request: &SourceRequest, caps: impl IntoIterator<Item = &'c DeviceCaps>) -> Vec<Front> {
    let mut compiled: Option<Result<SourceModule, BuildFailure>> = None;
    let mut done: Vec<(*const DeviceCaps, Front)> = Vec::new();
    for caps in caps {
        let front = match done.iter().find(|(other, _)| std::ptr::eq(*other, caps)) {
            Some((_, front)) => front.clone(),
            None => {
                let module = available(request.options.standard, caps).and_then(|()| {
                    let compiled = compiled.get_or_insert_with(|| flow::compile_source(request));
                    compiled.clone()
                });
                match module {
                    Err(failure) => Front { module: Err(failure), log: String::new(), rest: None },
                    Ok(SourceModule { spirv, log, rest, .. }) => {
                        let module = flow::check_words(&spirv, &HashMap::new(), caps.whole());
                        Front { module, log, rest: rest_of(request, rest) }
                    }
                }
            }
        };
        done.push((caps, front));
    }
    done.into_iter().map(|(_, front)| front).collect()
}

/// The request for all of a program, of which `rest` came with a module that lacks some of it.
fn rest_of(request: &SourceRequest, rest: Vec<u8>) -> Option<Arc<SourceRequest>> {
    if rest.is_empty() {
        return None;
    }
    let folder = request.folder.clone();
    Some(Arc::new(SourceRequest { text: rest, folder, is_rest: true, ..SourceRequest::default() }))
}

/// A module with all of its program.
///
/// # Errors
/// The build log.
pub(super) fn complete(
    module: &Arc<ValidObject>,
    rest: Option<&Arc<SourceRequest>>,
    caps: &DeviceCaps,
) -> Result<Arc<ValidObject>, BuildFailure> {
    let Some(rest) = rest else { return Ok(Arc::clone(module)) };
    flow::check_words(&flow::compile_source(rest)?.spirv, &HashMap::new(), caps.whole())
}

/// Whether a device has the language that is asked for: "calls with the -cl-std option will fail to compile the program
/// for any devices" that do not list its version. Without the option it is OpenCL C 1.x, which all devices have.
fn available(standard: Option<Standard>, caps: &DeviceCaps) -> Result<(), BuildFailure> {
    let Some(standard) = standard else { return Ok(()) };
    let version = match standard {
        Standard::C10 => (1, 0),
        Standard::C11 => (1, 1),
        Standard::C12 => (1, 2),
        Standard::C20 => (2, 0),
        Standard::C30 => (3, 0),
        Standard::C31 => (3, 1),
        Standard::Cpp10 | Standard::Cpp2021 if caps.has(Feature::CppForOpencl) => return Ok(()),
        Standard::Cpp10 | Standard::Cpp2021 => {
            return Err(BuildFailure::new(Stage::OpenclC, "the device does not support C++ for OpenCL"));
        }
    };
    if caps.c_versions().iter().any(|known| (known.0, known.1) == version) {
        return Ok(());
    }
    let known: Vec<String> = caps.c_versions().iter().map(|known| format!("{}.{}", known.0, known.1)).collect();
    let message = format!(
        "the device does not support all of OpenCL C {}.{}; it supports OpenCL C {}",
        version.0,
        version.1,
        known.join(", ")
    );
    Err(BuildFailure::new(Stage::OpenclC, message))
}

impl Program {
    /// The text of a program that serves as an embedded header.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION` if it was not created from source.
    pub(super) fn header_text(&self) -> Result<Vec<u8>, ApiError> {
        match &self.origin {
            Origin::Source(text) => Ok(text.clone()),
            _ => Err(ApiError::InvalidOperation),
        }
    }
}
