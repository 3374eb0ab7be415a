//! `clSetKernelArg` and `clSetKernelArgSVMPointer`.

use std::sync::{Arc, Weak};

use khronos_headers as cl;
use oxicl_abi::ArgumentKind;
use oxicl_caps::Feature;
use oxicl_spirv::grammar::{AccessQualifier, Dim};

use super::{Argument, Kernel, names};
use crate::memory::{ImageType, Memory};
use crate::sampler::Sampler;
use crate::{ApiError, InfoValue};

/// What the application's `arg_value` points to; which of the two is meant, the kernel knows.
pub trait ArgumentSource {
    /// `size` bytes; none if the pointer is null.
    fn bytes(&self, size: usize) -> Option<&[u8]>;

    /// The memory object whose handle is there; none if the pointer or the handle is null.
    ///
    /// # Errors
    /// `CL_INVALID_MEM_OBJECT`.
    fn memory(&self) -> Result<Option<Arc<Memory>>, ApiError>;

    /// The sampler whose handle is there.
    ///
    /// # Errors
    /// `CL_INVALID_SAMPLER`.
    fn sampler(&self) -> Result<Arc<Sampler>, ApiError>;

    /// Whether the pointer is null.
    fn is_null(&self) -> bool;
}

impl Kernel {
    /// `clSetKernelArg`.
    ///
    /// # Errors
    /// `CL_INVALID_ARG_INDEX`; `CL_INVALID_ARG_SIZE` if `size` is not that of the argument; `CL_INVALID_ARG_VALUE` for no
    /// value, a value for local memory, an immutable buffer that the kernel may write, or an image that kernels may not
    /// access as it does; `CL_INVALID_MEM_OBJECT` for a handle that is no buffer or image, whichever it is to be, for a null
    /// image, and for an image of another type than the argument; `CL_INVALID_SAMPLER`; `CL_INVALID_CONTEXT` for an object
    /// of another context; `CL_MAX_SIZE_RESTRICTION_EXCEEDED` for more memory than the module takes.
    pub fn set_argument(&self, index: u32, size: usize, source: &dyn ArgumentSource) -> Result<(), ApiError> {
        let index = index as usize;
        let argument = self.signature.arguments.get(index).ok_or(ApiError::InvalidArgIndex)?;
        let value = match argument.kind {
            ArgumentKind::Value | ArgumentKind::ByValue => {
                if size != argument.size as usize {
                    return Err(ApiError::InvalidArgSize);
                }
                Argument::Bytes(source.bytes(size).ok_or(ApiError::InvalidArgValue)?.into())
            }
            ArgumentKind::Global | ArgumentKind::Constant => {
                // A handle is as large as a pointer.
                if size != size_of::<usize>() {
                    return Err(ApiError::InvalidArgSize);
                }
                let memory = source.memory()?.map(Memory::as_buffer).transpose()?;
                if memory.as_ref().is_some_and(|memory| !Arc::ptr_eq(&memory.context, &self.program().context)) {
                    return Err(ApiError::InvalidContext);
                }
                if memory.as_ref().is_some_and(|memory| memory.is_immutable()) && !self.only_reads(index)? {
                    let why = "the buffer is immutable, and the kernel does not promise only to read it";
                    return Err(ApiError::InvalidArgValue.because(why));
                }
                self.check_size(index, memory.as_ref().map_or(0, |memory| memory.size() as u64))?;
                Argument::Memory(memory.as_ref().map(Arc::downgrade))
            }
            ArgumentKind::Image(wanted) => {
                if size != size_of::<usize>() {
                    return Err(ApiError::InvalidArgSize);
                }
                let memory =
                    source.memory()?.ok_or_else(|| ApiError::InvalidMemObject.because("an image is not null"))?;
                if !Arc::ptr_eq(&memory.context, &self.program().context) {
                    return Err(ApiError::InvalidContext);
                }
                check_image(&memory, wanted)?;
                Argument::Memory(Some(Arc::downgrade(&memory)))
            }
            ArgumentKind::Sampler => {
                if size != size_of::<usize>() {
                    return Err(ApiError::InvalidArgSize);
                }
                let sampler = source.sampler()?;
                if !Arc::ptr_eq(&sampler.context, &self.program().context) {
                    return Err(ApiError::InvalidContext);
                }
                Argument::Bytes(sampler.bits().bits().to_ne_bytes().into())
            }
            ArgumentKind::Local { .. } => {
                if !source.is_null() {
                    return Err(ApiError::InvalidArgValue);
                }
                // "For OpenCL 3.1 and newer, arg_size may be zero."
                self.check_size(index, size as u64)?;
                Argument::Local(size as u64)
            }
        };
        self.store(index, value)
    }

    /// `clSetKernelArgSVMPointer`.
    ///
    /// # Errors
    /// `CL_INVALID_ARG_INDEX`; `CL_INVALID_ARG_VALUE` if the argument is no pointer to global or constant memory.
    pub fn set_svm_argument(&self, index: u32, address: usize) -> Result<(), ApiError> {
        let index = index as usize;
        let argument = self.signature.arguments.get(index).ok_or(ApiError::InvalidArgIndex)?;
        match argument.kind {
            // Every address of the process is shared with the device, so each is a valid one.
            ArgumentKind::Global | ArgumentKind::Constant => self.store(index, Argument::Svm(address)),
            _ => Err(ApiError::InvalidArgValue),
        }
    }

    /// `clSetKernelArgDevicePointerEXT`. Any address is taken; only using it can be wrong.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION` if no device has device addresses; `CL_INVALID_ARG_INDEX`, also if the argument is no
    /// pointer to global memory.
    pub fn set_device_pointer(&self, index: u32, address: usize) -> Result<(), ApiError> {
        if !self.program().context.has_feature(Feature::BufferDeviceAddress) {
            return Err(ApiError::InvalidOperation);
        }
        let index = index as usize;
        match self.signature.arguments.get(index).map(|argument| argument.kind) {
            Some(ArgumentKind::Global) => self.store(index, Argument::Svm(address)),
            Some(_) => Err(ApiError::InvalidArgIndex.because("the argument is no pointer to global memory")),
            None => Err(ApiError::InvalidArgIndex),
        }
    }

    /// "CL_MAX_SIZE_RESTRICTION_EXCEEDED if the size in bytes of the memory object ... or arg_size ... exceeds a
    /// language-specified maximum size restriction for this argument, such as the MaxByteOffset SPIR-V decoration."
    fn check_size(&self, index: usize, bytes: u64) -> Result<(), ApiError> {
        let module = self.module.module();
        let most = names::parameter(module, self.signature.function, index)
            .and_then(|parameter| names::most_bytes(module, parameter));
        match most {
            Some(most) if bytes > most => Err(ApiError::MaxSizeRestrictionExceeded
                .because(format!("the argument takes {most} bytes at most, and this is {bytes}"))),
            _ => Ok(()),
        }
    }

    /// Whether a pointer argument is known to be one to what the kernel does not write.
    fn only_reads(&self, index: usize) -> Result<bool, ApiError> {
        let index = u32::try_from(index).map_err(|_| ApiError::InvalidArgIndex)?;
        let qualifiers = self.argument_info(index, cl::CL_KERNEL_ARG_TYPE_QUALIFIER)?;
        Ok(matches!(qualifiers, InfoValue::U64(bits) if bits & cl::CL_KERNEL_ARG_TYPE_CONST != 0))
    }

    /// Whether every argument was set.
    pub fn has_all_arguments(&self) -> bool {
        self.state.lock().arguments.iter().all(Option::is_some)
    }

    fn store(&self, index: usize, value: Argument) -> Result<(), ApiError> {
        let mut state = self.state.lock();
        *state.arguments.get_mut(index).ok_or(ApiError::InvalidArgIndex)? = Some(value);
        state.captured.fill(Weak::new());
        Ok(())
    }
}

/// Whether an image may be an argument of a type.
///
/// # Errors
/// `CL_INVALID_MEM_OBJECT` for a buffer, and for an image of another type, which "is not valid for the kernel argument";
/// `CL_INVALID_ARG_VALUE` for an image whose flags forbid what the argument's access qualifier says.
fn check_image(memory: &Memory, wanted: oxicl_spirv::ImageType) -> Result<(), ApiError> {
    let image = memory.image().ok_or_else(|| ApiError::InvalidMemObject.because("the argument is an image"))?;
    let geometry = image.geometry();
    let dim = match geometry.image_type {
        ImageType::D1 | ImageType::D1Array => Dim::Dim1D,
        ImageType::Buffer => Dim::DimBuffer,
        ImageType::D2 | ImageType::D2Array => Dim::Dim2D,
        ImageType::D3 => Dim::Dim3D,
    };
    let ours = (dim, geometry.image_type.is_array(), geometry.format.is_depth());
    if ours != (wanted.dim, wanted.arrayed, wanted.depth) {
        return Err(ApiError::InvalidMemObject.because("the image is of another type than the argument"));
    }
    let flags = memory.flags();
    let forbidden = match wanted.access {
        AccessQualifier::ReadOnly => cl::CL_MEM_WRITE_ONLY,
        AccessQualifier::WriteOnly => cl::CL_MEM_READ_ONLY | cl::CL_MEM_IMMUTABLE_EXT,
        AccessQualifier::ReadWrite => cl::CL_MEM_READ_ONLY | cl::CL_MEM_WRITE_ONLY | cl::CL_MEM_IMMUTABLE_EXT,
    };
    if flags & forbidden != 0 {
        return Err(ApiError::InvalidArgValue.because("the image was not created for what the kernel does with it"));
    }
    Ok(())
}
