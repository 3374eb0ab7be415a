//! `clLinkProgram`.

use std::sync::Arc;

use oxicl_caps::DeviceCaps;
use oxicl_protocol::{BuildFailure, SourceRequest};
use oxicl_validate::ValidObject;

use super::options::{self, Options, Purpose};
use super::specialise::Specialisation;
use super::{BinaryKind, Build, BuildStatus, Done, Origin, Program, Target, build, flow, source};
use crate::ApiError;
use crate::context::Context;
use crate::device::Device;

/// A link that can begin.
pub struct Link {
    /// The program that it makes. It exists even if it cannot be linked: it has the log then.
    pub program: Arc<Program>,
    options: Options,
    inputs: Vec<Option<Inputs>>,
}

/// What the inputs have for one device.
#[derive(Default)]
struct Inputs {
    objects: Vec<Arc<ValidObject>>,
    /// What asks for all of each, where it has only what kernels reach.
    rests: Vec<Option<Arc<SourceRequest>>>,
    options: Vec<Options>,
    /// All of them were OpenCL C.
    from_source: bool,
}

impl Program {
    /// `clLinkProgram`, for `devices` or, without any, for all of the context.
    ///
    /// # Errors
    /// Those of `prepare`: there is no program then.
    pub fn link(
        context: &Arc<Context>,
        devices: Option<Vec<Arc<Device>>>,
        options: &str,
        inputs: &[Arc<Program>],
    ) -> Result<Link, ApiError> {
        let (devices, options, inputs) = prepare(context, devices, options, inputs)?;
        let begun = |inputs: &Option<Inputs>| {
            let status = if inputs.is_some() { BuildStatus::begun() } else { BuildStatus::None };
            Target { build: Build { status, ..Build::default() }, ..Target::default() }
        };
        let targets = inputs.iter().map(begun).collect();
        let program = Program::new(context, devices, Origin::Link, Specialisation::default(), targets);
        Ok(Link { program, options, inputs })
    }
}

impl Link {
    /// Links. With `done`, in the background, and told of by that.
    ///
    /// # Errors
    /// `CL_LINK_PROGRAM_FAILURE`, with the log kept.
    pub fn run(self, done: Option<Done>) -> Result<(), ApiError> {
        let Link { program, options, inputs } = self;
        build::run(&program, done, move |program| {
            let mut all_good = true;
            for (index, (device, inputs)) in program.devices.iter().zip(inputs).enumerate() {
                let Some(inputs) = inputs else { continue };
                let linked = link_for(inputs, &program.context, device, &options);
                all_good &= linked.build.status != BuildStatus::Error;
                if let Some(target) = program.targets.lock().get_mut(index) {
                    *target = linked;
                }
            }
            if all_good { Ok(()) } else { Err(ApiError::LinkProgramFailure) }
        })
    }
}

/// What can be known before the link begins: devices, options, and what there is to link for each device.
type Prepared = (Vec<Arc<Device>>, Options, Vec<Option<Inputs>>);

/// Checks what a link is asked to do.
///
/// # Errors
/// `CL_INVALID_CONTEXT`, `CL_INVALID_DEVICE`, `CL_INVALID_LINKER_OPTIONS`, and `CL_INVALID_OPERATION` if the inputs are
/// not all compiled.
fn prepare(
    context: &Arc<Context>,
    devices: Option<Vec<Arc<Device>>>,
    options: &str,
    inputs: &[Arc<Program>],
) -> Result<Prepared, ApiError> {
    // "CL_INVALID_CONTEXT if the context associated with programs in input_programs is not the same as context."
    if inputs.iter().any(|input| !Arc::ptr_eq(&input.context, context)) {
        return Err(ApiError::InvalidContext);
    }
    let devices = devices.unwrap_or_else(|| context.devices.clone());
    if devices.iter().any(|device| !context.has_device(device)) {
        return Err(ApiError::InvalidDevice);
    }
    let options =
        Options::parse(options, Purpose::Link).map_err(|bad| ApiError::InvalidLinkerOptions.because(bad.0))?;
    let found = devices.iter().map(|device| inputs_for(inputs, device)).collect::<Result<Vec<_>, ApiError>>()?;
    if found.iter().all(Option::is_none) {
        return Err(ApiError::InvalidOperation);
    }
    Ok((devices, options, found))
}

/// The compiled modules of all inputs for a device; none if no input has one: then "no link is performed and there will be
/// no program executable generated for this device".
///
/// # Errors
/// `CL_INVALID_OPERATION` if some inputs have one and others do not, or are being built.
fn inputs_for(programs: &[Arc<Program>], device: &Arc<Device>) -> Result<Option<Inputs>, ApiError> {
    let mut inputs = Inputs { from_source: true, ..Inputs::default() };
    for program in programs {
        let Ok(index) = program.index_of(device) else { continue };
        let targets = program.targets.lock();
        let target = targets.get(index).ok_or(ApiError::InvalidOperation)?;
        if target.build.status.is_in_progress() {
            return Err(ApiError::InvalidOperation);
        }
        if let (Some(Ok(module)), BinaryKind::Object | BinaryKind::Library) = (&target.module, target.build.kind) {
            inputs.objects.push(Arc::clone(module));
            inputs.rests.push(target.rest.clone());
            inputs.options.push(target.build.options.clone());
            inputs.from_source &= target.build.from_source;
        }
    }
    match inputs.objects.len() {
        0 => Ok(None),
        count if count == programs.len() => Ok(Some(inputs)),
        _ => Err(ApiError::InvalidOperation),
    }
}

/// The inputs as the link needs them: of a program that is linked with no other, what its kernels reach is enough.
///
/// # Errors
/// The build log.
fn complete(inputs: &Inputs, library: bool, caps: &DeviceCaps) -> Result<Vec<Arc<ValidObject>>, BuildFailure> {
    if inputs.objects.len() == 1 && !library {
        return Ok(inputs.objects.clone());
    }
    let all = inputs.objects.iter().zip(&inputs.rests);
    all.map(|(module, rest)| source::complete(module, rest.as_ref(), caps)).collect()
}

/// Links for one device, and builds the result unless it is a library.
fn link_for(inputs: Inputs, context: &Context, device: &Arc<Device>, options: &Options) -> Target {
    let kind = if options.create_library { BinaryKind::Library } else { BinaryKind::Executable };
    let compile = options::linked(&inputs.options, options);
    let caps = device.caps.whole();
    let module = complete(&inputs, options.create_library, caps)
        .and_then(|objects| flow::link(&objects, options.create_library, caps));
    let executable = match (&module, kind) {
        (Ok(module), BinaryKind::Executable) => flow::build(module, context, device, &compile).map(Some),
        (Ok(_), _) => Ok(None),
        (Err(failure), _) => Err(failure.clone()),
    };
    let options = Options { compile, ..options.clone() };
    let build = match executable {
        Ok(executable) => {
            // Of source the compiler has warned already.
            let warnings =
                |module: &Arc<ValidObject>| if inputs.from_source { String::new() } else { flow::warnings(module) };
            let log = module.as_ref().map(warnings).unwrap_or_default();
            let remarks = executable.as_ref().map(|executable| executable.remarks()).unwrap_or_default();
            Build { status: BuildStatus::Success, log: log + &remarks, kind, executable, ..Build::default() }
        }
        Err(failure) => Build { status: BuildStatus::Error, log: flow::log_of(&failure), ..Build::default() },
    };
    let build = Build { options, from_source: inputs.from_source, ..build };
    Target { module: Some(module), rest: None, loaded: None, build }
}
