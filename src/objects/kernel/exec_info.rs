//! `clSetKernelExecInfo`.

use std::sync::Weak;

use oxicl_caps::Feature;

use super::Kernel;
use crate::ApiError;

/// What the application said about indirect use of shared virtual memory. The CPU sees all memory anyway; the reference
/// device reads and writes memory of the application only if it may.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExecInfo {
    /// `CL_KERNEL_EXEC_INFO_SVM_PTRS`.
    pub pointers: Vec<usize>,
    /// `CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM`.
    pub fine_grain_system: bool,
}

impl Kernel {
    /// `CL_KERNEL_EXEC_INFO_SVM_PTRS`.
    pub fn set_svm_pointers(&self, pointers: Vec<usize>) {
        self.state.lock().exec_info.pointers = pointers;
    }

    /// `CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM`.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION` if it is wanted and no device has it.
    pub fn set_fine_grain_system(&self, wanted: bool) -> Result<(), ApiError> {
        if wanted && !self.devices.iter().any(|on| on.device.caps.has(Feature::SvmSystem)) {
            return Err(ApiError::InvalidOperation);
        }
        let mut state = self.state.lock();
        state.exec_info.fine_grain_system = wanted;
        state.captured.fill(Weak::new());
        Ok(())
    }
}
