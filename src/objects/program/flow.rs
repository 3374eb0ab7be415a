//! The flow line: what happens to a program between its text or words and its kernels, one call a stage.
//!
//! The first and the last call cross into the compiler process: one comes back with a module, as good as anybody's, the
//! other, behind lower, optimize and workgroup, with kernels that are loaded.

use std::collections::HashMap;
use std::sync::Arc;

use oxicl_caps::DeviceCaps;
use oxicl_caps::config::Config;
use oxicl_compiler_client::COMPILER;
use oxicl_device::{Executable, log};
use oxicl_protocol::{BuildFailure, CompileOptions, Diagnostic, SourceModule, SourceRequest, Stage};
use oxicl_spirv::{DecodeError, Module};
use oxicl_validate::{ValidObject, Violation};

use super::built_ins;
use crate::context::Context;
use crate::device::Device;

/// OpenCL C to a module that nobody has checked.
///
/// # Errors
/// The build log.
pub fn compile_source(request: &SourceRequest) -> Result<SourceModule, BuildFailure> {
    COMPILER.compile_source(request)
}

/// The build log of a failure. What is no fault of the program's, but of the compiler process, is told on standard error, too,
/// if the environment asks for a log: applications that do not show build logs would keep it from the user.
pub fn log_of(failure: &BuildFailure) -> String {
    if failure.stage == Stage::CompilerProcess {
        failure.diagnostics.iter().for_each(|diagnostic| log(&diagnostic.message));
    }
    failure.to_string()
}

/// A module to one that is proved valid, but may have imports. `constants` are the values that the application gave, by `SpecId`.
///
/// # Errors
/// The build log: what cannot be specialised, or every rule that is broken.
pub fn check(
    module: Module,
    constants: &HashMap<u32, u64>,
    caps: &DeviceCaps,
) -> Result<Arc<ValidObject>, BuildFailure> {
    let valid = oxicl_validate::validate_specialised(module, constants, caps).map_err(|violations| BuildFailure {
        stage: Stage::Validate,
        diagnostics: violations.iter().map(Violation::to_diagnostic).collect(),
    })?;
    Ok(Arc::new(valid))
}

/// [`check`] from words.
///
/// # Errors
/// The build log, in which what breaks the grammar comes first.
pub fn check_words(
    words: &[u32],
    constants: &HashMap<u32, u64>,
    caps: &DeviceCaps,
) -> Result<Arc<ValidObject>, BuildFailure> {
    let module = oxicl_spirv::decode(words).map_err(|error| failure(Stage::Decode, error))?;
    check(module, constants, caps)
}

/// Valid objects to one. A library may keep imports open; elsewhere those that are functions of OpenCL C are given.
///
/// # Errors
/// The build log: names that are missing, given twice or of different types.
pub fn link(objects: &[Arc<ValidObject>], library: bool, caps: &DeviceCaps) -> Result<Arc<ValidObject>, BuildFailure> {
    let objects = if library { objects.to_vec() } else { built_ins::served(objects, caps)? };
    if let [only] = objects.as_slice() {
        return Ok(Arc::clone(only));
    }
    let modules: Vec<&Module> = objects.iter().map(|object| object.module()).collect();
    let words = oxicl_spirv::link(&modules, library).map_err(|errors| BuildFailure {
        stage: Stage::Link,
        diagnostics: errors.iter().map(|error| Diagnostic::error(error.to_string())).collect(),
    })?;
    check_words(&words, &HashMap::new(), caps)
}

/// A valid object without imports to kernels of a device, as a context wants them.
///
/// # Errors
/// The build log.
pub fn build(
    object: &ValidObject,
    context: &Context,
    device: &Device,
    options: &CompileOptions,
) -> Result<Arc<dyn Executable>, BuildFailure> {
    let module = object.complete().map_err(|imports| {
        let missing = |name: &String| Diagnostic::error(format!("`{name}` is imported, and no module defines it"));
        BuildFailure { stage: Stage::Link, diagnostics: imports.iter().map(missing).collect() }
    })?;
    let options = CompileOptions {
        zero_private: context.begins_as_zeros().private,
        switches: Config::get().switches.clone(),
        ..options.clone()
    };
    device.backend.build(&module, device.caps, &options)
}

/// What was accepted with a warning, as lines of a build log.
pub fn warnings(object: &ValidObject) -> String {
    object.warnings().iter().map(|warning| format!("{warning}\n")).collect()
}

/// The build log of an instruction that breaks the grammar.
pub fn failure(stage: Stage, error: DecodeError) -> BuildFailure {
    BuildFailure { stage, diagnostics: vec![Violation::from(&error).to_diagnostic()] }
}
