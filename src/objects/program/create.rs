//! Ways to make a program.

use std::collections::HashMap;
use std::sync::Arc;

use oxicl_caps::Feature;
use oxicl_protocol::{BuildFailure, Stage};
use oxicl_spirv::Module;

use super::binary::{Binary, BinaryKind};
use super::options::{Options, Purpose};
use super::specialise::Specialisation;
use super::{Build, BuildStatus, Loaded, Origin, Program, Target, flow};
use crate::ApiError;
use crate::context::Context;
use crate::device::Device;

/// What became of one of the binaries given.
pub type LoadedBinary = Result<(), ApiError>;

impl Program {
    /// `clCreateProgramWithIL`.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION` if no device takes SPIR-V; `CL_INVALID_VALUE` if `il` is empty, or is no SPIR-V at all. A module
    /// that breaks other rules makes a program whose build fails with the whole log.
    pub fn from_il(context: &Arc<Context>, il: &[u8]) -> Result<Arc<Program>, ApiError> {
        if !context.devices.iter().any(|device| device.caps.has(Feature::IlProgram)) {
            return Err(ApiError::InvalidOperation.because("no device of the context takes SPIR-V"));
        }
        let words =
            oxicl_spirv::words_from_bytes(il).map_err(|error| ApiError::InvalidValue.because(error.to_string()))?;
        let module = match oxicl_spirv::decode(&words) {
            Err(error) if error.physical => return Err(ApiError::InvalidValue.because(error.to_string())),
            decoded => decoded.map_err(|error| flow::failure(Stage::Decode, error)),
        };
        let mut own = Vec::new();
        own.try_reserve_exact(il.len()).map_err(|_| ApiError::OutOfHostMemory)?;
        own.extend_from_slice(il);
        let specialisation = module.as_ref().map(Specialisation::of).unwrap_or_default();
        let targets = check_for_each(context, module);
        Ok(Program::new(context, context.devices.clone(), Origin::Il(own), specialisation, targets))
    }

    /// `clCreateProgramWithSource`: "a concatenation of all source strings", which "strips any nulls".
    ///
    /// # Errors
    /// `CL_OUT_OF_HOST_MEMORY`; the caller checks the strings.
    pub fn from_source(context: &Arc<Context>, strings: &[&[u8]]) -> Result<Arc<Program>, ApiError> {
        let mut source = Vec::new();
        let length = strings.iter().map(|string| string.len()).sum();
        source.try_reserve_exact(length).map_err(|_| ApiError::OutOfHostMemory)?;
        source.extend(strings.iter().copied().flatten().filter(|byte| **byte != 0));
        let targets = context.devices.iter().map(|_| Target::default()).collect();
        Ok(Program::new(context, context.devices.clone(), Origin::Source(source), Specialisation::default(), targets))
    }

    /// `clCreateProgramWithBinary`: a binary per device. Second is what became of each.
    ///
    /// # Errors
    /// `CL_INVALID_DEVICE` if a device is not the context's or comes twice; `CL_INVALID_VALUE` for an empty binary,
    /// `CL_INVALID_BINARY` for one that is not ours or not valid.
    pub fn from_binaries(
        context: &Arc<Context>,
        devices: Vec<Arc<Device>>,
        binaries: &[Option<&[u8]>],
    ) -> (Vec<LoadedBinary>, Result<Arc<Program>, ApiError>) {
        for (index, device) in devices.iter().enumerate() {
            let earlier = devices.iter().take(index);
            if !context.has_device(device) || earlier.into_iter().any(|other| Arc::ptr_eq(other, device)) {
                return (Vec::new(), Err(ApiError::InvalidDevice));
            }
        }
        let loaded: Vec<Result<Target, ApiError>> =
            devices.iter().zip(binaries).map(|(device, binary)| load(device, *binary)).collect();
        let statuses = loaded.iter().map(|target| target.as_ref().map(|_| ()).map_err(Clone::clone)).collect();
        let targets: Result<Vec<Target>, ApiError> = loaded.into_iter().collect();
        (
            statuses,
            targets.map(|targets| Program::new(context, devices, Origin::Binary, Specialisation::default(), targets)),
        )
    }
}

/// Checks a module for each device of a context, once for those with the same capabilities.
fn check_for_each(context: &Context, module: Result<Module, BuildFailure>) -> Vec<Target> {
    let mut targets: Vec<Target> = Vec::with_capacity(context.devices.len());
    for (index, device) in context.devices.iter().enumerate() {
        let same = context.devices.iter().take(index).position(|other| std::ptr::eq(other.caps, device.caps));
        let module = match same.and_then(|same| targets.get(same)) {
            Some(target) => target.module.clone(),
            None => Some(module.clone().and_then(|module| flow::check(module, &HashMap::new(), device.caps))),
        };
        targets.push(Target { module, ..Target::default() });
    }
    targets
}

fn load(device: &Device, bytes: Option<&[u8]>) -> Result<Target, ApiError> {
    let bytes = bytes.filter(|bytes| !bytes.is_empty()).ok_or(ApiError::InvalidValue)?;
    let binary = Binary::from_bytes(bytes).ok_or(ApiError::InvalidBinary)?;
    let module = flow::check_words(&binary.words, &HashMap::new(), device.caps.whole())
        .map_err(|_: BuildFailure| ApiError::InvalidBinary)?;
    let mut options = Options::parse(&binary.options, Purpose::Build)
        .or_else(|_| Options::parse(&binary.options, Purpose::Link))
        .map_err(|_| ApiError::InvalidBinary)?;
    options.compile = binary.compile;
    let loaded = Loaded { kind: binary.kind, options };
    // What was compiled or linked counts as built so far: only an executable still needs its machine code.
    let build = match binary.kind {
        BinaryKind::Object | BinaryKind::Library => {
            Build { status: BuildStatus::Success, options: loaded.options.clone(), ..Build::default() }
        }
        BinaryKind::None | BinaryKind::Executable => Build::default(),
    };
    let build = Build { kind: binary.kind, ..build };
    Ok(Target { module: Some(Ok(module)), rest: None, loaded: Some(loaded), build })
}
