//! `clCreateKernel`, `clCreateKernelsInProgram`, `clCloneKernel`, and a kernel's device side.

use std::sync::{Arc, Weak};

use oxicl_device::DeviceKernel;
use parking_lot::Mutex;

use super::{ExecInfo, Kernel, OnDevice, State};
use crate::device::Device;
use crate::program::{Attached, Program};
use crate::{ApiError, HandleCell};

impl Kernel {
    /// `clCreateKernel`.
    ///
    /// # Errors
    /// `CL_INVALID_PROGRAM_EXECUTABLE` if the program is built for none of its devices; `CL_INVALID_KERNEL_NAME` if it
    /// has no kernel of this name; `CL_INVALID_KERNEL_DEFINITION` if its arguments differ between devices.
    pub fn create(program: &Arc<Program>, name: &str) -> Result<Arc<Kernel>, ApiError> {
        // First of all, so that no build can begin meanwhile.
        let attached = Attached::new(program);
        let built = program.built();
        let first = built.first().ok_or(ApiError::InvalidProgramExecutable)?;
        let mut signature = None;
        let mut devices = Vec::with_capacity(built.len());
        for target in &built {
            let here = target.module.facts().kernels.iter().find(|kernel| kernel.name == name);
            let here = here.ok_or(ApiError::InvalidKernelName)?;
            match &signature {
                None => signature = Some(here.clone()),
                Some(signature) if signature.arguments == here.arguments => {}
                Some(_) => return Err(ApiError::InvalidKernelDefinition),
            }
            let kernel = target.executable.kernel(name).ok_or(ApiError::InvalidKernelName)?;
            devices.push(OnDevice { device: Arc::clone(&target.device), kernel, uniform: target.uniform_work_groups });
        }
        let signature = signature.ok_or(ApiError::InvalidKernelName)?;
        let state = State {
            arguments: vec![None; signature.arguments.len()],
            captured: devices.iter().map(|_| Weak::new()).collect(),
            exec_info: ExecInfo::default(),
        };
        Ok(Arc::new(Kernel {
            handle: HandleCell::new(),
            program: attached,
            module: Arc::clone(&first.module),
            signature,
            devices,
            from_source: first.from_source,
            state: Mutex::new(state),
        }))
    }

    /// `clCreateKernelsInProgram`.
    ///
    /// # Errors
    /// Those of [`Kernel::create`].
    pub fn create_all(program: &Arc<Program>) -> Result<Vec<Arc<Kernel>>, ApiError> {
        program.kernel_names()?.iter().map(|name| Kernel::create(program, name)).collect()
    }

    /// `clCloneKernel`: the same kernel with its own arguments, which start as copies.
    ///
    /// # Errors
    /// None.
    pub fn duplicate(&self) -> Result<Arc<Kernel>, ApiError> {
        let state = self.state.lock();
        Ok(Arc::new(Kernel {
            handle: HandleCell::new(),
            program: Attached::new(self.program()),
            module: Arc::clone(&self.module),
            signature: self.signature.clone(),
            devices: self.devices.clone(),
            from_source: self.from_source,
            state: Mutex::new(State {
                arguments: state.arguments.clone(),
                captured: state.captured.clone(),
                exec_info: state.exec_info.clone(),
            }),
        }))
    }

    /// Index of a device that the kernel can run on, or of the device that it is a part of.
    pub(super) fn index_of(&self, device: &Device) -> Option<usize> {
        let itself = self.devices.iter().position(|on| std::ptr::eq(Arc::as_ptr(&on.device), device));
        itself.or_else(|| self.devices.iter().position(|on| device.is_within(&on.device)))
    }

    /// The compiled kernel.
    ///
    /// # Errors
    /// `CL_INVALID_PROGRAM_EXECUTABLE` if the program was not built for the device.
    pub fn for_device(&self, device: &Device) -> Result<Arc<dyn DeviceKernel>, ApiError> {
        let index = self.index_of(device).ok_or(ApiError::InvalidProgramExecutable)?;
        let on = self.devices.get(index).ok_or(ApiError::InvalidProgramExecutable)?;
        Ok(Arc::clone(&on.kernel))
    }

    /// Whether the last work-group of a dimension may be smaller than the others.
    pub fn allows_non_uniform(&self, device: &Device) -> bool {
        self.index_of(device).and_then(|index| self.devices.get(index)).is_some_and(|on| !on.uniform)
    }
}
