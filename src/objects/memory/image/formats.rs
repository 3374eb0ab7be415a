//! Which formats the images of a context may have.

use khronos_headers as cl;
use oxicl_caps::Feature;
use oxicl_texel::Format;

use super::geometry::ImageType;
use crate::ApiError;
use crate::context::Context;

/// Flags that `clGetSupportedImageFormats` may be asked about.
const FLAGS: u64 = cl::CL_MEM_READ_WRITE
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

/// Checks flags of images that are not there yet.
pub(super) fn check_flags(flags: cl::cl_mem_flags) -> Result<(), ApiError> {
    if flags & !FLAGS != 0 { Err(ApiError::InvalidValue.because("flags are unknown")) } else { Ok(()) }
}

/// Whether images of a type can have a format at all.
pub(super) fn exists(context: &Context, image_type: ImageType, format: Format) -> bool {
    let flat = matches!(image_type, ImageType::D2 | ImageType::D2Array);
    let ten = format.data_type() == cl::CL_UNORM_INT_2_101010_EXT;
    context.has_feature(Feature::Images)
        && (!format.is_depth() || (flat && context.has_feature(Feature::DepthImages)))
        && (!ten || context.has_feature(Feature::Unorm2101010))
}

/// What a kernel does with an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads it.
    Read,
    /// Writes it.
    Write,
    /// Reads what it may have written.
    Both,
}

/// Whether kernels may access images of a type and a format so.
pub(super) fn allows(context: &Context, image_type: ImageType, format: Format, access: Access) -> bool {
    let curved = match access {
        Access::Read => return true,
        Access::Write => context.has_feature(Feature::SrgbImageWrites),
        Access::Both => false,
    };
    (curved || !format.is_srgb()) && (image_type != ImageType::D3 || context.has_feature(Feature::ImageWrites3d))
}

/// `clGetSupportedImageFormats`.
///
/// # Errors
/// `CL_INVALID_VALUE` for flags or an image type that do not exist.
pub fn supported_formats(
    context: &Context,
    flags: cl::cl_mem_flags,
    image_type: cl::cl_mem_object_type,
) -> Result<Vec<cl::cl_image_format>, ApiError> {
    let image_type =
        ImageType::new(image_type).ok_or_else(|| ApiError::InvalidValue.because("there is no such type of image"))?;
    check_flags(flags)?;
    let in_one_kernel = flags & cl::CL_MEM_KERNEL_READ_AND_WRITE != 0;
    if in_one_kernel && !context.has_feature(Feature::ReadWriteImages) {
        return Ok(Vec::new());
    }
    let access = if in_one_kernel {
        Access::Both
    } else if flags & (cl::CL_MEM_READ_ONLY | cl::CL_MEM_IMMUTABLE_EXT) != 0 {
        Access::Read
    } else {
        Access::Write
    };
    let fits = |format: &Format| exists(context, image_type, *format) && allows(context, image_type, *format, access);
    let raw = |format: Format| cl::cl_image_format {
        image_channel_order: format.order(),
        image_channel_data_type: format.data_type(),
    };
    Ok(Format::all().filter(fits).map(raw).collect())
}

#[cfg(test)]
mod tests {
    use super::supported_formats;
    use crate::{ApiError, testing};
    use khronos_headers as cl;

    #[test]
    fn formats_are_asked_for_by_flags_and_type() {
        let context = testing::context();
        let count = |flags, kind| supported_formats(&context, flags, kind).map(|formats| formats.len());
        assert!(count(cl::CL_MEM_READ_ONLY, cl::CL_MEM_OBJECT_IMAGE3D).is_ok_and(|count| count > 80));
        assert_eq!(count(cl::CL_MEM_READ_ONLY, cl::CL_MEM_OBJECT_BUFFER), Err(ApiError::InvalidValue));
        assert_eq!(count(1 << 40, cl::CL_MEM_OBJECT_IMAGE2D), Err(ApiError::InvalidValue));
    }
}
