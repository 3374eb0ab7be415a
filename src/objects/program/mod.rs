//! Programs: made from source, from SPIR-V or from binaries; built for devices; asked about.

mod binary;
mod build;
mod built_ins;
mod create;
mod flow;
mod info;
mod link;
mod options;
mod source;
mod specialise;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use oxicl_device::Executable;
use oxicl_protocol::{BuildFailure, SourceRequest};
use oxicl_validate::{ValidModule, ValidObject};
use parking_lot::Mutex;

use crate::context::Context;
use crate::device::Device;
use crate::{ApiError, HandleCell};

pub use binary::{Binary, BinaryKind};
pub use build::Done;
pub use create::LoadedBinary;
pub use link::Link;
pub use source::Header;

use options::Options;
use specialise::Specialisation;

/// A program.
pub struct Program {
    /// The application's handle.
    pub handle: HandleCell,
    /// The context that it was created in.
    pub context: Arc<Context>,
    /// Its devices.
    pub devices: Vec<Arc<Device>>,
    origin: Origin,
    specialisation: Specialisation,
    /// One per device, in the order of `devices`.
    targets: Mutex<Vec<Target>>,
    /// Kernel objects that are alive: a program that has some cannot be built again.
    kernels: AtomicUsize,
}

/// What a program was made from.
enum Origin {
    /// `clCreateProgramWithIL`: the bytes as they were given.
    Il(Vec<u8>),
    /// `clCreateProgramWithSource`: the text, without zeros.
    Source(Vec<u8>),
    /// `clCreateProgramWithBinary`.
    Binary,
    /// `clLinkProgram`.
    Link,
}

/// A module, checked when it came in. A bad one is kept: building it gives the log, which creating it could not.
type Checked = Result<Arc<ValidObject>, BuildFailure>;

/// A program on one of its devices.
#[derive(Default)]
struct Target {
    /// What is to be built; none for source that was not compiled yet.
    module: Option<Checked>,
    /// What asks for all of a program that was compiled, if the module has only what kernels reach.
    rest: Option<Arc<SourceRequest>>,
    /// What a binary says of itself.
    loaded: Option<Loaded>,
    build: Build,
}

/// Kind and options of a binary that was loaded.
#[derive(Clone)]
struct Loaded {
    kind: BinaryKind,
    options: Options,
}

/// The latest build on a device.
#[derive(Clone, Default)]
struct Build {
    status: BuildStatus,
    options: Options,
    log: String,
    /// What the build made, or which binary was loaded.
    kind: BinaryKind,
    executable: Option<Arc<dyn Executable>>,
    /// All of it was OpenCL C that this library compiled.
    from_source: bool,
}

/// `CL_PROGRAM_BUILD_STATUS`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum BuildStatus {
    #[default]
    None,
    /// By threads of the process of this generation (`oxicl_schedule::fork`). A child has none of them.
    InProgress(u32),
    Success,
    Error,
}

impl BuildStatus {
    /// A build that begins now.
    fn begun() -> Self {
        BuildStatus::InProgress(oxicl_schedule::fork::generation())
    }

    /// The status, with builds that a fork cut off as failed.
    fn now(self) -> Self {
        if matches!(self, BuildStatus::InProgress(_)) && self != BuildStatus::begun() {
            BuildStatus::Error
        } else {
            self
        }
    }

    fn is_in_progress(self) -> bool {
        matches!(self.now(), BuildStatus::InProgress(_))
    }
}

/// What a kernel needs of a program on one device.
pub(crate) struct BuiltTarget {
    pub(crate) device: Arc<Device>,
    pub(crate) module: Arc<ValidModule>,
    pub(crate) executable: Arc<dyn Executable>,
    pub(crate) uniform_work_groups: bool,
    pub(crate) from_source: bool,
}

impl Program {
    fn new(
        context: &Arc<Context>,
        devices: Vec<Arc<Device>>,
        origin: Origin,
        specialisation: Specialisation,
        targets: Vec<Target>,
    ) -> Arc<Program> {
        Arc::new(Program {
            handle: HandleCell::new(),
            context: Arc::clone(context),
            devices,
            origin,
            specialisation,
            targets: Mutex::new(targets),
            kernels: AtomicUsize::new(0),
        })
    }

    /// Whether it was made from SPIR-V.
    pub fn is_il(&self) -> bool {
        matches!(self.origin, Origin::Il(_))
    }

    /// Index of a device of the program.
    ///
    /// # Errors
    /// `CL_INVALID_DEVICE`.
    fn index_of(&self, device: &Arc<Device>) -> Result<usize, ApiError> {
        self.devices.iter().position(|own| Arc::ptr_eq(own, device)).ok_or(ApiError::InvalidDevice)
    }

    /// The devices that the program is built for.
    pub(crate) fn built(&self) -> Vec<BuiltTarget> {
        let targets = self.targets.lock();
        let built = self.devices.iter().zip(targets.iter()).filter_map(|(device, target)| {
            let executable = target.build.executable.as_ref()?;
            let Some(Ok(object)) = &target.module else { return None };
            Some(BuiltTarget {
                device: Arc::clone(device),
                module: object.complete().ok()?,
                executable: Arc::clone(executable),
                uniform_work_groups: target.build.options.compile.uniform_work_group_size,
                from_source: target.build.from_source,
            })
        });
        built.collect()
    }

    /// Names of the kernels, in the module's order.
    ///
    /// # Errors
    /// `CL_INVALID_PROGRAM_EXECUTABLE` if the program is built for none of its devices.
    pub fn kernel_names(&self) -> Result<Vec<String>, ApiError> {
        let built = self.built();
        let first = built.first().ok_or(ApiError::InvalidProgramExecutable)?;
        Ok(first.module.facts().kernels.iter().map(|kernel| kernel.name.clone()).collect())
    }
}

/// Counts a kernel object of a program while it lives.
pub(crate) struct Attached(Arc<Program>);

impl Attached {
    /// Counts.
    pub(crate) fn new(program: &Arc<Program>) -> Self {
        program.kernels.fetch_add(1, Ordering::Relaxed);
        Attached(Arc::clone(program))
    }

    /// The program.
    pub(crate) fn program(&self) -> &Arc<Program> {
        &self.0
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.0.kernels.fetch_sub(1, Ordering::Relaxed);
    }
}
