//! Queries about programs and builds.

use std::sync::Arc;

use khronos_headers as cl;

use super::binary::{Binary, BinaryKind};
use super::{BuildStatus, Origin, Program, Target, source};
use crate::device::Device;
use crate::{ApiError, InfoValue};

impl Program {
    /// `clGetProgramInfo`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for a query that does not exist; `CL_INVALID_PROGRAM_EXECUTABLE` for the kernels of a program
    /// that is not built.
    pub fn info(&self, name: cl::cl_program_info) -> Result<InfoValue, ApiError> {
        Ok(match name {
            cl::CL_PROGRAM_REFERENCE_COUNT => InfoValue::ReferenceCount,
            cl::CL_PROGRAM_CONTEXT => InfoValue::Context(Arc::clone(&self.context)),
            cl::CL_PROGRAM_NUM_DEVICES => InfoValue::U32(u32::try_from(self.devices.len()).unwrap_or(u32::MAX)),
            cl::CL_PROGRAM_DEVICES => InfoValue::Devices(self.devices.clone()),
            cl::CL_PROGRAM_SOURCE => {
                let text: &[u8] = if let Origin::Source(text) = &self.origin { text } else { &[] };
                InfoValue::Bytes([text, &[0]].concat())
            }
            cl::CL_PROGRAM_IL => InfoValue::Bytes(match &self.origin {
                Origin::Il(il) => il.clone(),
                _ => Vec::new(),
            }),
            cl::CL_PROGRAM_BINARY_SIZES => InfoValue::sizes(self.binaries().iter().map(Vec::len)),
            cl::CL_PROGRAM_BINARIES => InfoValue::Binaries(self.binaries()),
            cl::CL_PROGRAM_NUM_KERNELS => InfoValue::Size(self.kernel_names()?.len()),
            cl::CL_PROGRAM_KERNEL_NAMES => InfoValue::Str(self.kernel_names()?.join(";")),
            // Constructors and destructors of program-scope objects exist in C++ only, and need a feature that is not
            // there.
            cl::CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT | cl::CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT => {
                InfoValue::Bool(false)
            }
            _ => return Err(ApiError::InvalidValue),
        })
    }

    /// The binary for each device; an empty one where there is none.
    fn binaries(&self) -> Vec<Vec<u8>> {
        self.complete();
        self.targets.lock().iter().map(|target| binary(target).map_or(Vec::new(), |binary| binary.to_bytes())).collect()
    }

    /// Gives targets the rest of their programs, which a binary has to have. What has none keeps what it has.
    fn complete(&self) {
        // The compiler is asked outside of the lock.
        let open = |target: &Target| Some((target.module.clone()?.ok()?, target.rest.clone()?));
        let all: Vec<_> = self.targets.lock().iter().map(open).collect();
        for (index, (device, open)) in self.devices.iter().zip(all).enumerate() {
            let Some((module, rest)) = open else { continue };
            let Ok(complete) = source::complete(&module, Some(&rest), device.caps) else { continue };
            if let Some(target) = self.targets.lock().get_mut(index)
                && target.rest.as_ref().is_some_and(|now| Arc::ptr_eq(now, &rest))
            {
                target.module = Some(Ok(complete));
                target.rest = None;
            }
        }
    }

    /// `clGetProgramBuildInfo`.
    ///
    /// # Errors
    /// `CL_INVALID_DEVICE` if the device is not the program's; `CL_INVALID_VALUE` for a query that does not exist.
    pub fn build_info(&self, device: &Arc<Device>, name: cl::cl_program_build_info) -> Result<InfoValue, ApiError> {
        let index = self.index_of(device)?;
        let targets = self.targets.lock();
        let target = targets.get(index).ok_or(ApiError::InvalidDevice)?;
        let build = &target.build;
        Ok(match name {
            cl::CL_PROGRAM_BUILD_STATUS => InfoValue::U32(match build.status.now() {
                BuildStatus::None => cl::CL_BUILD_NONE,
                BuildStatus::InProgress(_) => cl::CL_BUILD_IN_PROGRESS,
                BuildStatus::Success => cl::CL_BUILD_SUCCESS,
                BuildStatus::Error => cl::CL_BUILD_ERROR,
            } as u32),
            cl::CL_PROGRAM_BUILD_OPTIONS => InfoValue::Str(build.options.text.clone()),
            cl::CL_PROGRAM_BUILD_LOG => InfoValue::Str(build.log.clone()),
            cl::CL_PROGRAM_BINARY_TYPE => InfoValue::U32(match build.kind {
                BinaryKind::None => cl::CL_PROGRAM_BINARY_TYPE_NONE,
                BinaryKind::Object => cl::CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
                BinaryKind::Library => cl::CL_PROGRAM_BINARY_TYPE_LIBRARY,
                BinaryKind::Executable => cl::CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
            }),
            cl::CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE => {
                let bytes = match (&target.module, &build.executable) {
                    (Some(Ok(object)), Some(_)) => {
                        object.complete().map_or(0, |module| module.facts().program_block.global_bytes)
                    }
                    _ => 0,
                };
                InfoValue::Size(usize::try_from(bytes).unwrap_or(usize::MAX))
            }
            _ => return Err(ApiError::InvalidValue),
        })
    }
}

/// The binary of the latest build, or the one that was loaded.
fn binary(target: &Target) -> Option<Binary> {
    let Some(Ok(module)) = &target.module else { return None };
    if target.build.kind == BinaryKind::None {
        return None;
    }
    let options = match &target.loaded {
        Some(loaded) if target.build.status == BuildStatus::None => &loaded.options,
        _ => &target.build.options,
    };
    Some(Binary {
        kind: target.build.kind,
        options: options.text.clone(),
        compile: options.compile.clone(),
        words: module.module().words.as_slice().into(),
    })
}
