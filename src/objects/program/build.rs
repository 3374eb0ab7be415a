//! `clBuildProgram` and `clCompileProgram`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use oxicl_caps::Feature;
use oxicl_device::Executable;
use oxicl_protocol::{BuildFailure, Diagnostic, SourceRequest};

use super::options::{BadOption, Options, Purpose};
use super::source::{Front, Header};
use super::{BinaryKind, Build, BuildStatus, Checked, Loaded, Origin, Program, Target, flow, source};
use crate::ApiError;
use crate::device::Device;

/// The application's function for the end of a build.
pub type Done = oxicl_schedule::Foreign;

/// A build that has begun, on one device.
struct Job {
    index: usize,
    device: Arc<Device>,
    /// What is built; none for source.
    module: Option<Checked>,
    options: Options,
}

impl Program {
    /// `clBuildProgram`, for `devices` or, without any, for all of the program. Without `options`, binaries are built as
    /// they were before. With `done`, the build goes on in the background when it has begun, and tells nobody else that it
    /// failed.
    ///
    /// # Errors
    /// Those of `Program::begin`; `CL_INVALID_BUILD_OPTIONS`; `CL_BUILD_PROGRAM_FAILURE` if the build fails, with the log
    /// kept.
    pub fn build(
        self: &Arc<Self>,
        devices: Option<&[Arc<Device>]>,
        options: Option<&str>,
        done: Option<Done>,
    ) -> Result<(), ApiError> {
        let indices = self.indices(devices)?;
        // "CL_INVALID_BINARY if program is created with clCreateProgramWithBinary and devices ... do not have a valid
        // program binary loaded", which "must be an executable binary (not a compiled binary or library)".
        if matches!(self.origin, Origin::Binary) {
            let targets = self.targets.lock();
            let is_executable =
                |target: &Target| target.loaded.as_ref().is_some_and(|loaded| loaded.kind == BinaryKind::Executable);
            if !indices.iter().all(|index| targets.get(*index).is_some_and(is_executable)) {
                return Err(ApiError::InvalidBinary);
            }
        }
        let options = options.map(|text| Options::parse(text, Purpose::Build)).transpose().map_err(|bad| {
            self.refuse(&indices, &bad);
            ApiError::InvalidBuildOptions.because(bad.0)
        })?;
        self.specialise();
        let jobs = self.begin(&indices, options.as_ref())?;
        let source = SourceRequest { whole: true, ..source::request() };
        run(
            self,
            done,
            move |program| {
                if program.build_jobs(&jobs, source) { Ok(()) } else { Err(ApiError::BuildProgramFailure) }
            },
        )
    }

    /// Does what a build began; true if all of it went well.
    fn build_jobs(&self, jobs: &[Job], source: SourceRequest) -> bool {
        let fronts = self.fronts(jobs, source);
        let mut all_good = true;
        for (job, front) in jobs.iter().zip(fronts) {
            // What is built for a device is good for its sub-devices, too.
            if jobs.iter().any(|other| !Arc::ptr_eq(&other.device, &job.device) && job.device.is_within(&other.device))
            {
                continue;
            }
            let linked = front.module.clone().and_then(|module| flow::link(&[module], false, job.device.caps));
            let built = linked.and_then(|module| {
                let executable = flow::build(&module, &self.context, &job.device, &job.options.compile)?;
                Ok((module, executable))
            });
            all_good &= built.is_ok();
            let (front, built) = match built {
                Ok((module, executable)) => {
                    (Front { module: Ok(module), ..front }, Ok((BinaryKind::Executable, Some(executable))))
                }
                Err(failure) => (front, Err(failure)),
            };
            self.finish(job, front, built);
        }
        all_good
    }

    /// `clCompileProgram`. A module in SPIR-V is compiled when it is valid; it has no use for headers. With `done`, it goes on
    /// in the background when it has begun.
    ///
    /// # Errors
    /// `CL_INVALID_CONTEXT` for a header of another context; those of `Program::begin`; `CL_INVALID_COMPILER_OPTIONS`;
    /// `CL_INVALID_OPERATION` if there is nothing to compile, or a header is no source; `CL_COMPILE_PROGRAM_FAILURE` if
    /// the source or the module is not valid, with the log kept.
    pub fn compile(
        self: &Arc<Self>,
        devices: Option<&[Arc<Device>]>,
        options: &str,
        headers: &[(String, Arc<Program>)],
        done: Option<Done>,
    ) -> Result<(), ApiError> {
        if headers.iter().any(|(_, header)| !Arc::ptr_eq(&header.context, &self.context)) {
            return Err(ApiError::InvalidContext);
        }
        let indices = self.indices(devices)?;
        let options = Options::parse(options, Purpose::Compile).map_err(|bad| {
            self.refuse(&indices, &bad);
            ApiError::InvalidCompilerOptions.because(bad.0)
        })?;
        // "CL_INVALID_OPERATION if program has no source or IL available, i.e. it has not been created with
        // clCreateProgramWithSource or clCreateProgramWithIL."
        if !matches!(self.origin, Origin::Il(_) | Origin::Source(_)) {
            return Err(ApiError::InvalidOperation);
        }
        let mut texts: Vec<Header> = Vec::new();
        for (name, header) in headers {
            let text = header.header_text()?;
            // "If multiple entries in header_include_names refer to the same header name, the first one encountered will
            // be used."
            if texts.iter().all(|(other, _)| other != name) {
                texts.push((name.clone(), text));
            }
        }
        self.specialise();
        let jobs = self.begin(&indices, Some(&options))?;
        let source = SourceRequest { headers: texts, defers: true, ..source::request() };
        run(self, done, move |program| {
            let mut all_good = true;
            for (job, front) in jobs.iter().zip(program.fronts(&jobs, source)) {
                all_good &= front.module.is_ok();
                let compiled = front.module.clone().map(|_| (BinaryKind::Object, None));
                program.finish(job, front, compiled);
            }
            if all_good { Ok(()) } else { Err(ApiError::CompileProgramFailure) }
        })
    }

    /// Which of the program's devices are meant: all of them if none are named.
    ///
    /// # Errors
    /// `CL_INVALID_DEVICE` for a device that is not the program's.
    fn indices(&self, devices: Option<&[Arc<Device>]>) -> Result<Vec<usize>, ApiError> {
        let mut indices = Vec::new();
        for device in devices.unwrap_or(&self.devices) {
            let index = self.index_of(device)?;
            if !indices.contains(&index) {
                indices.push(index);
            }
        }
        Ok(indices)
    }

    /// Tells in the log what is wrong with options, where there is no good build that its place would be needed for.
    fn refuse(&self, indices: &[usize], bad: &BadOption) {
        let mut targets = self.targets.lock();
        for index in indices {
            let Some(target) = targets.get_mut(*index) else { continue };
            if target.build.kind == BinaryKind::None && !target.build.status.is_in_progress() {
                let log = format!("{}\n", Diagnostic::error(bad.0.clone()));
                target.build = Build { status: BuildStatus::Error, log, ..Build::default() };
            }
        }
    }

    /// Marks builds as in progress, and gives what they work on.
    ///
    /// # Errors
    /// `CL_COMPILER_NOT_AVAILABLE` for source where no device compiles it; `CL_INVALID_OPERATION` for the product of a
    /// link, while another build runs, or while kernels of the program exist.
    fn begin(&self, indices: &[usize], options: Option<&Options>) -> Result<Vec<Job>, ApiError> {
        let is_source = matches!(self.origin, Origin::Source(_));
        if is_source && self.devices.iter().any(|device| !device.caps.has(Feature::OpenclC)) {
            return Err(ApiError::CompilerNotAvailable);
        }
        // "CL_INVALID_OPERATION if program was not created with clCreateProgramWithSource, clCreateProgramWithIL or
        // clCreateProgramWithBinary."
        if matches!(self.origin, Origin::Link) {
            return Err(ApiError::InvalidOperation);
        }
        let mut targets = self.targets.lock();
        let busy = targets.iter().any(|target| target.build.status.is_in_progress());
        if busy || self.kernels.load(Ordering::Relaxed) > 0 {
            return Err(ApiError::InvalidOperation);
        }
        let mut jobs = Vec::new();
        for index in indices {
            let (Some(target), Some(device)) = (targets.get_mut(*index), self.devices.get(*index)) else { continue };
            // "If the program was created using clCreateProgramWithBinary and options is a NULL pointer, the program will
            // be built as if options were the same as when the program binary was originally built."
            let loaded = || target.loaded.as_ref().map(|Loaded { options, .. }| options.clone());
            let options = options.cloned().or_else(loaded).unwrap_or_default();
            let build = Build {
                status: BuildStatus::begun(),
                options: options.clone(),
                from_source: is_source,
                ..Build::default()
            };
            target.build = build;
            let module = if is_source { None } else { target.module.clone() };
            jobs.push(Job { index: *index, device: Arc::clone(device), module, options });
        }
        Ok(jobs)
    }

    /// The modules of jobs: those that came with the program, or what the compiler makes of the source, where `source` has
    /// neither text nor options yet.
    fn fronts(&self, jobs: &[Job], source: SourceRequest) -> Vec<Front> {
        match (&self.origin, jobs.first()) {
            (Origin::Source(text), Some(first)) => {
                let hidden = first.device.caps.hidden().iter().map(|name| (*name).to_owned()).collect();
                let options = first.options.source.clone();
                let source = SourceRequest { text: text.clone(), options, hidden, ..source };
                source::compile(&source, jobs.iter().map(|job| job.device.caps))
            }
            _ => jobs.iter().filter_map(|job| job.module.clone()).map(Front::given).collect(),
        }
    }

    /// Ends what is in progress, after an error of ours.
    fn give_up(&self) {
        let log = format!("{}\n", Diagnostic::error("the build ended in an unexpected way"));
        for target in self.targets.lock().iter_mut().filter(|target| target.build.status.is_in_progress()) {
            target.build = Build { status: BuildStatus::Error, log: log.clone(), ..Build::default() };
        }
    }

    /// Keeps the outcome of a build. A log begins with the warnings.
    fn finish(&self, job: &Job, front: Front, result: Result<(BinaryKind, Option<Arc<dyn Executable>>), BuildFailure>) {
        let mut targets = self.targets.lock();
        let Some(target) = targets.get_mut(job.index) else { return };
        target.module = Some(front.module);
        target.rest = front.rest;
        match result {
            Ok((kind, executable)) => {
                target.build.status = BuildStatus::Success;
                let remarks = executable.as_ref().map(|executable| executable.remarks()).unwrap_or_default();
                target.build.log = front.log + &remarks;
                target.build.kind = kind;
                target.build.executable = executable;
            }
            Err(failure) => {
                target.build.status = BuildStatus::Error;
                target.build.log = front.log + &flow::log_of(&failure);
            }
        }
        let (module, rest, build) = (target.module.clone(), target.rest.clone(), target.build.clone());
        // "A program binary built for a parent device can be used by all its sub-devices."
        for (other, target) in self.devices.iter().zip(targets.iter_mut()) {
            if !Arc::ptr_eq(other, &job.device) && other.is_within(&job.device) {
                target.module = module.clone();
                target.rest = rest.clone();
                target.build = build.clone();
            }
        }
    }
}

/// Does the `work` of a build that has begun. With `done`, it is done in the background, and told of by that.
pub(super) fn run(
    program: &Arc<Program>,
    done: Option<Done>,
    work: impl FnOnce(&Program) -> Result<(), ApiError> + Send + 'static,
) -> Result<(), ApiError> {
    let Some(done) = done else { return work(program) };
    let program = Arc::clone(program);
    oxicl_schedule::post_work(Box::new(move || {
        // The program has the outcome, for whoever asks it.
        let finished = catch_unwind(AssertUnwindSafe(|| drop(work(&program))));
        if finished.is_err() {
            program.give_up();
        }
        // Callbacks have a thread of their own.
        oxicl_schedule::post_callback(done);
    }));
    Ok(())
}
