//! `clSetKernelExecInfo`.

use std::sync::Weak;

use oxicl_caps::Feature;
use oxicl_device::Reach;

use super::Kernel;
use crate::ApiError;

/// Pointers that a kernel may use although they are no arguments: which kind the application speaks of. Each kind is a
/// set of its own, which a call replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointers {
    /// `CL_KERNEL_EXEC_INFO_SVM_PTRS`.
    Svm,
    /// `CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL`.
    Usm,
    /// `CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT`.
    Device,
}

/// Memory that a kernel may use without any pointer into it being given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indirect {
    /// `CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM`.
    System,
    /// `CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR`.
    Svm,
    /// `CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL`.
    Host,
    /// `CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL`.
    Device,
    /// `CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL`.
    Shared,
}

/// What the application said about indirect use of shared memory. The CPU sees all memory anyway; the reference device
/// reads and writes only what it may.
#[derive(Clone, Debug, Default)]
pub(super) struct ExecInfo {
    svm: Vec<usize>,
    usm: Vec<usize>,
    device_pointers: Vec<usize>,
    system: bool,
    all_svm: bool,
    host: bool,
    device: bool,
    shared: bool,
}

impl ExecInfo {
    /// What a launch may use because of it.
    pub(super) fn reach(&self) -> Reach {
        Reach {
            system: self.system,
            svm: self.all_svm,
            host: self.host,
            device: self.device,
            shared: self.shared,
            pointers: self.svm.iter().chain(&self.usm).chain(&self.device_pointers).copied().collect(),
        }
    }
}

impl Kernel {
    /// Replaces a set of pointers.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION` if no device has such memory.
    pub fn set_pointers(&self, kind: Pointers, pointers: Vec<usize>) -> Result<(), ApiError> {
        let (feature, place): (_, fn(&mut ExecInfo) -> &mut Vec<usize>) = match kind {
            Pointers::Svm => (Feature::SvmCoarse, |info| &mut info.svm),
            Pointers::Usm => (Feature::UnifiedSharedMemory, |info| &mut info.usm),
            Pointers::Device => (Feature::BufferDeviceAddress, |info| &mut info.device_pointers),
        };
        self.change(feature, |info| *place(info) = pointers)
    }

    /// Allows or forbids indirect use of some memory.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION` if no device has such memory; for system memory only if it is wanted.
    pub fn set_indirect(&self, memory: Indirect, wanted: bool) -> Result<(), ApiError> {
        let (feature, place): (_, fn(&mut ExecInfo) -> &mut bool) = match memory {
            Indirect::System if !wanted => (Feature::Base, |info| &mut info.system),
            Indirect::System => (Feature::SvmSystem, |info| &mut info.system),
            Indirect::Svm => (Feature::UnifiedSvm, |info| &mut info.all_svm),
            Indirect::Host => (Feature::UnifiedSharedMemory, |info| &mut info.host),
            Indirect::Device => (Feature::UnifiedSharedMemory, |info| &mut info.device),
            Indirect::Shared => (Feature::UnifiedSharedMemory, |info| &mut info.shared),
        };
        self.change(feature, |info| *place(info) = wanted)
    }

    fn change(&self, feature: Feature, change: impl FnOnce(&mut ExecInfo)) -> Result<(), ApiError> {
        if !self.devices.iter().any(|on| on.device.caps.has(feature)) {
            return Err(ApiError::InvalidOperation);
        }
        let mut state = self.state.lock();
        change(&mut state.exec_info);
        state.captured.fill(Weak::new());
        Ok(())
    }
}
