//! `clBuildProgram` and `clCompileProgram`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use oxicl_protocol::BuildFailure;

use super::options::{Options, Purpose};
use super::{BinaryKind, Build, BuildStatus, Checked, Origin, Program, flow};
use crate::ApiError;
use crate::backend::Executable;
use crate::device::Device;

/// The application's function for the end of a build.
pub type Done = Box<dyn FnOnce() + Send>;

impl Program {
    /// `clBuildProgram`, for `devices` or, without any, for all of the program.
    ///
    /// # Errors
    /// Those of `Program::begin`; `CL_BUILD_PROGRAM_FAILURE` if the build fails, with the log kept.
    pub fn build(&self, devices: Option<&[Arc<Device>]>, options: &str, done: Option<Done>) -> Result<(), ApiError> {
        let options = Options::parse(options, Purpose::Build).map_err(|bad| {
            self.context.notify(&format!("clBuildProgram: {}", bad.0));
            ApiError::InvalidBuildOptions
        })?;
        self.specialise();
        let jobs = self.begin(devices, &options)?;
        let mut all_good = true;
        let devices: Vec<Arc<Device>> = jobs.iter().map(|job| Arc::clone(&job.1)).collect();
        for (index, device, module) in jobs {
            // What is built for a device is good for its sub-devices, too.
            if devices.iter().any(|other| !Arc::ptr_eq(other, &device) && device.is_within(other)) {
                continue;
            }
            let warnings = module.as_ref().map(|module| flow::warnings(module)).unwrap_or_default();
            let result = module.and_then(|module| flow::build(&module, &device, &options.compile));
            all_good &= result.is_ok();
            self.finish(index, result.map(|executable| (BinaryKind::Executable, Some(executable))), warnings);
            self.share(index, &device);
        }
        report(done);
        if all_good { Ok(()) } else { Err(ApiError::BuildProgramFailure) }
    }

    /// `clCompileProgram`. A module in SPIR-V is compiled when it is valid.
    ///
    /// # Errors
    /// Those of `Program::begin`; `CL_COMPILE_PROGRAM_FAILURE` if the module is not valid, with the log kept.
    pub fn compile(&self, devices: Option<&[Arc<Device>]>, options: &str, done: Option<Done>) -> Result<(), ApiError> {
        let options = Options::parse(options, Purpose::Compile).map_err(|bad| {
            self.context.notify(&format!("clCompileProgram: {}", bad.0));
            ApiError::InvalidCompilerOptions
        })?;
        // "CL_INVALID_OPERATION if program has no source or IL available, i.e. it has not been created with
        // clCreateProgramWithSource or clCreateProgramWithIL."
        if !matches!(self.origin, Origin::Il(_) | Origin::Source(_)) {
            return Err(ApiError::InvalidOperation);
        }
        self.specialise();
        let jobs = self.begin(devices, &options)?;
        let mut all_good = true;
        for (index, device, module) in jobs {
            all_good &= module.is_ok();
            let warnings = module.as_ref().map(|module| flow::warnings(module)).unwrap_or_default();
            self.finish(index, module.map(|_| (BinaryKind::Object, None)), warnings);
            self.share(index, &device);
        }
        report(done);
        if all_good { Ok(()) } else { Err(ApiError::CompileProgramFailure) }
    }

    /// Marks builds as in progress, and gives what they work on.
    ///
    /// # Errors
    /// `CL_INVALID_DEVICE` for a device that is not the program's; `CL_COMPILER_NOT_AVAILABLE` for source;
    /// `CL_INVALID_BINARY` where no binary was loaded for a device; `CL_INVALID_OPERATION` while another build runs or
    /// kernels of the program exist.
    fn begin(
        &self,
        devices: Option<&[Arc<Device>]>,
        options: &Options,
    ) -> Result<Vec<(usize, Arc<Device>, Checked)>, ApiError> {
        let devices = devices.unwrap_or(&self.devices);
        let mut indices = Vec::new();
        for device in devices {
            let index = self.index_of(device)?;
            if !indices.contains(&index) {
                indices.push(index);
            }
        }
        if matches!(self.origin, Origin::Source(_)) {
            return Err(ApiError::CompilerNotAvailable);
        }
        let mut targets = self.targets.lock();
        let busy = targets.iter().any(|target| target.build.status == BuildStatus::InProgress);
        if busy || self.kernels.load(Ordering::Relaxed) > 0 {
            return Err(ApiError::InvalidOperation);
        }
        let mut jobs = Vec::new();
        for index in indices {
            let (Some(target), Some(device)) = (targets.get(index), self.devices.get(index)) else { continue };
            let module = target.module.clone().ok_or(ApiError::InvalidBinary)?;
            jobs.push((index, Arc::clone(device), module));
        }
        for (index, _, _) in &jobs {
            if let Some(target) = targets.get_mut(*index) {
                target.build = Build { status: BuildStatus::InProgress, options: options.clone(), ..Build::default() };
            }
        }
        Ok(jobs)
    }

    /// Keeps the outcome of a build; `warnings` begin the log of one that succeeded.
    fn finish(
        &self,
        index: usize,
        result: Result<(BinaryKind, Option<Arc<dyn Executable>>), BuildFailure>,
        warnings: String,
    ) {
        let mut targets = self.targets.lock();
        let Some(target) = targets.get_mut(index) else { return };
        match result {
            Ok((kind, executable)) => {
                target.build.status = BuildStatus::Success;
                let remarks = executable.as_ref().map(|executable| executable.remarks()).unwrap_or_default();
                target.build.log = warnings + &remarks;
                target.build.kind = kind;
                target.build.executable = executable;
            }
            Err(failure) => {
                target.build.status = BuildStatus::Error;
                target.build.log = failure.to_string();
            }
        }
    }
}

impl Program {
    /// Makes the latest build on a device that of the program's sub-devices of it: "a program executable built for a
    /// device can be used by all sub-devices of it".
    fn share(&self, index: usize, device: &Arc<Device>) {
        let mut targets = self.targets.lock();
        let Some(build) = targets.get(index).map(|target| target.build.clone()) else { return };
        for (other, target) in self.devices.iter().zip(targets.iter_mut()) {
            if !Arc::ptr_eq(other, device) && other.is_within(device) {
                target.build = build.clone();
            }
        }
    }
}

/// Tells the application that a build is over; callbacks have a thread of their own.
pub fn report(done: Option<Done>) {
    if let Some(done) = done {
        oxicl_schedule::post_callback(done);
    }
}
