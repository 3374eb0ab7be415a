//! `clLinkProgram`.

use std::sync::Arc;

use oxicl_validate::ValidObject;

use super::options::{Options, Purpose};
use super::specialise::Specialisation;
use super::{BinaryKind, Build, BuildStatus, Origin, Program, Target, flow};
use crate::ApiError;
use crate::context::Context;
use crate::device::Device;

/// A linked program, and whether linking succeeded: a program that could not be linked exists, with its log.
pub type Linked = (Option<Arc<Program>>, Result<(), ApiError>);

impl Program {
    /// `clLinkProgram`, for `devices` or, without any, for all of the context.
    pub fn link(
        context: &Arc<Context>,
        devices: Option<Vec<Arc<Device>>>,
        options: &str,
        inputs: &[Arc<Program>],
    ) -> Linked {
        let options = match Options::parse(options, Purpose::Link) {
            Ok(options) => options,
            Err(bad) => {
                context.notify(&format!("clLinkProgram: {}", bad.0));
                return (None, Err(ApiError::InvalidLinkerOptions));
            }
        };
        let devices = devices.unwrap_or_else(|| context.devices.clone());
        if devices.iter().any(|device| !context.has_device(device)) {
            return (None, Err(ApiError::InvalidDevice));
        }
        if inputs.iter().any(|input| !Arc::ptr_eq(&input.context, context)) {
            return (None, Err(ApiError::InvalidProgram));
        }
        let mut targets = Vec::with_capacity(devices.len());
        for device in &devices {
            match objects_for(inputs, device) {
                Ok(objects) => targets.push(link_for(&objects, device, &options)),
                Err(error) => return (None, Err(error)),
            }
        }
        let good = targets.iter().all(|target| target.build.status == BuildStatus::Success);
        let program = Program::new(context, devices, Origin::Link, Specialisation::default(), targets);
        (Some(program), if good { Ok(()) } else { Err(ApiError::LinkProgramFailure) })
    }
}

/// The compiled modules of all inputs for a device.
///
/// # Errors
/// "CL_INVALID_OPERATION if ... a device does not have a compiled program binary or library in all of the input programs."
fn objects_for(inputs: &[Arc<Program>], device: &Arc<Device>) -> Result<Vec<Arc<ValidObject>>, ApiError> {
    let mut objects = Vec::with_capacity(inputs.len());
    for input in inputs {
        let index = input.index_of(device).map_err(|_| ApiError::InvalidOperation)?;
        let targets = input.targets.lock();
        let target = targets.get(index).ok_or(ApiError::InvalidOperation)?;
        match (&target.module, target.build.kind) {
            (Some(Ok(module)), BinaryKind::Object | BinaryKind::Library) => objects.push(Arc::clone(module)),
            _ => return Err(ApiError::InvalidOperation),
        }
    }
    Ok(objects)
}

/// Links for one device, and builds the result unless it is a library.
fn link_for(objects: &[Arc<ValidObject>], device: &Arc<Device>, options: &Options) -> Target {
    let kind = if options.create_library { BinaryKind::Library } else { BinaryKind::Executable };
    let module = flow::link(objects, options.create_library, device.caps);
    let executable = match (&module, kind) {
        (Ok(module), BinaryKind::Executable) => flow::build(module, device, &options.compile).map(Some),
        (Ok(_), _) => Ok(None),
        (Err(failure), _) => Err(failure.clone()),
    };
    let build = match executable {
        Ok(executable) => {
            let log = module.as_ref().map(|module| flow::warnings(module)).unwrap_or_default();
            Build { status: BuildStatus::Success, options: options.clone(), log, kind, executable }
        }
        Err(failure) => {
            Build { status: BuildStatus::Error, options: options.clone(), log: failure.to_string(), ..Build::default() }
        }
    };
    Target { module: Some(module), build }
}
