//! Answers for images, pipes and samplers, which the device does not have.
//!
//! The entry points exist, check what they are given as far as it can be checked, and then say so. No object of these
//! kinds exists; a memory object is always a buffer.

use std::sync::Arc;

use khronos_headers as cl;

use crate::ApiError;
use crate::context::Context;
use crate::memory::Memory;

/// Flags that `clGetSupportedImageFormats` may be asked about.
const FORMAT_FLAGS: u64 = cl::CL_MEM_READ_WRITE
    | cl::CL_MEM_WRITE_ONLY
    | cl::CL_MEM_READ_ONLY
    | cl::CL_MEM_USE_HOST_PTR
    | cl::CL_MEM_ALLOC_HOST_PTR
    | cl::CL_MEM_COPY_HOST_PTR
    | cl::CL_MEM_HOST_WRITE_ONLY
    | cl::CL_MEM_HOST_READ_ONLY
    | cl::CL_MEM_HOST_NO_ACCESS
    | cl::CL_MEM_KERNEL_READ_AND_WRITE
    | cl::CL_MEM_IMMUTABLE_EXT;

/// "CL_INVALID_OPERATION if there are no devices in the context that support images."
///
/// # Errors
/// Always that.
pub fn create_image(_context: &Context) -> Result<Arc<Memory>, ApiError> {
    Err(ApiError::InvalidOperation)
}

/// "CL_INVALID_OPERATION if no device in the context supports pipes."
///
/// # Errors
/// Always that.
pub fn create_pipe(_context: &Context) -> Result<Arc<Memory>, ApiError> {
    Err(ApiError::InvalidOperation)
}

/// "CL_INVALID_OPERATION if images are not supported by any device associated with the context." Gives the error.
pub fn create_sampler(_context: &Context) -> ApiError {
    ApiError::InvalidOperation
}

/// A command on images: "CL_INVALID_OPERATION if the device associated with the queue does not support images." The
/// memory objects have been looked up before, so that handles which are none are told apart. Gives the error.
pub fn enqueue(_objects: &[Arc<Memory>]) -> ApiError {
    ApiError::InvalidOperation
}

/// A query about an image or pipe: "CL_INVALID_MEM_OBJECT if it is not a valid image object", and likewise for pipes.
/// Gives the error.
pub fn query(_object: &Memory) -> ApiError {
    ApiError::InvalidMemObject
}

/// `clGetSupportedImageFormats`: the formats, which are none.
///
/// # Errors
/// `CL_INVALID_VALUE` for flags or an image type that do not exist.
pub fn supported_formats(
    _context: &Context,
    flags: cl::cl_mem_flags,
    image_type: cl::cl_mem_object_type,
) -> Result<Vec<cl::cl_image_format>, ApiError> {
    let is_image = matches!(
        image_type,
        cl::CL_MEM_OBJECT_IMAGE1D
            | cl::CL_MEM_OBJECT_IMAGE1D_BUFFER
            | cl::CL_MEM_OBJECT_IMAGE1D_ARRAY
            | cl::CL_MEM_OBJECT_IMAGE2D
            | cl::CL_MEM_OBJECT_IMAGE2D_ARRAY
            | cl::CL_MEM_OBJECT_IMAGE3D
    );
    if !is_image {
        return Err(ApiError::InvalidValue.because("there is no such type of image"));
    }
    if flags & !FORMAT_FLAGS != 0 {
        return Err(ApiError::InvalidValue.because("flags are unknown"));
    }
    Ok(Vec::new())
}

#[cfg(test)]
mod tests {
    use super::supported_formats;
    use crate::ApiError;
    use crate::context::Context;
    use crate::properties::PropertyList;
    use khronos_headers as cl;

    #[test]
    fn formats_are_asked_for_by_flags_and_type() {
        let create = Context::create_from_type(PropertyList::absent(), |_| true, cl::CL_DEVICE_TYPE_ALL, None);
        let context = create.unwrap();
        let count = |flags, kind| supported_formats(&context, flags, kind).map(|formats| formats.len());
        assert_eq!(count(cl::CL_MEM_READ_ONLY, cl::CL_MEM_OBJECT_IMAGE3D), Ok(0));
        assert_eq!(count(cl::CL_MEM_READ_ONLY, cl::CL_MEM_OBJECT_BUFFER), Err(ApiError::InvalidValue));
        assert_eq!(count(1 << 40, cl::CL_MEM_OBJECT_IMAGE2D), Err(ApiError::InvalidValue));
    }
}
