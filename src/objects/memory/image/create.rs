//! `clCreateImageWithProperties` and its relatives.

use std::sync::Arc;

use khronos_headers as cl;
use oxicl_caps::{Feature, ImageLimits};
use oxicl_texel::Format;

use super::geometry::{Geometry, ImageDesc, ImageType};
use super::{HostBytes, Image, formats};
use crate::ApiError;
use crate::context::Context;
use crate::memory::buffer::Storage;
use crate::memory::{Memory, flags};
use crate::properties::PropertyList;

/// The arguments of `clCreateImageWithProperties`.
pub struct ImageRequest<'a> {
    /// The property list.
    pub properties: PropertyList,
    /// `cl_mem_flags`.
    pub flags: cl::cl_mem_flags,
    /// None if the pointer is null.
    pub format: Option<cl::cl_image_format>,
    /// None if the pointer is null.
    pub desc: Option<ImageDesc>,
    /// The buffer or image that the new image shows.
    pub parent: Option<Arc<Memory>>,
    /// The application's memory.
    pub host: HostBytes<'a>,
}

/// Channel orders of which an image can show the texels of another.
const VIEWS: &[(u32, u32)] = &[
    (cl::CL_sBGRA, cl::CL_BGRA),
    (cl::CL_BGRA, cl::CL_sBGRA),
    (cl::CL_sRGBA, cl::CL_RGBA),
    (cl::CL_RGBA, cl::CL_sRGBA),
    (cl::CL_DEPTH, cl::CL_R),
];

fn descriptor(why: &'static str) -> ApiError {
    ApiError::InvalidImageDescriptor.because(why)
}

fn format_descriptor(why: &'static str) -> ApiError {
    ApiError::InvalidImageFormatDescriptor.because(why)
}

/// Whether the description names no level of detail but the first, or images of the context may have more.
pub(super) fn check_levels(context: &Context, desc: &ImageDesc) -> Result<(), ApiError> {
    if desc.mip_levels != 0 && !context.has_feature(Feature::MipmapImages) {
        return Err(descriptor("images have no levels of detail"));
    }
    Ok(())
}

/// The format, if images of the context can have it.
pub(super) fn check_format(given: Option<cl::cl_image_format>) -> Result<Format, ApiError> {
    let given = given.ok_or_else(|| format_descriptor("the format is null"))?;
    let (order, data_type) = (given.image_channel_order, given.image_channel_data_type);
    match Format::new(order, data_type) {
        Some(format) => Ok(format),
        None if Format::could_be(order, data_type) => Err(ApiError::ImageFormatNotSupported),
        None => Err(format_descriptor("there are no such channels, or they do not go together")),
    }
}

impl Memory {
    /// `clCreateImageWithProperties`.
    ///
    /// # Errors
    /// "CL_INVALID_OPERATION if there are no devices in context that support images"; `CL_INVALID_PROPERTY` for any
    /// property; `CL_INVALID_VALUE` for flags; `CL_INVALID_IMAGE_FORMAT_DESCRIPTOR`, `CL_INVALID_IMAGE_DESCRIPTOR`,
    /// `CL_INVALID_IMAGE_SIZE`, `CL_INVALID_HOST_PTR`, `CL_INVALID_CONTEXT` for a memory object of another,
    /// `CL_IMAGE_FORMAT_NOT_SUPPORTED`,
    /// `CL_MEM_OBJECT_ALLOCATION_FAILURE`.
    pub fn create_image(context: &Arc<Context>, request: ImageRequest<'_>) -> Result<Arc<Memory>, ApiError> {
        context.check_images()?;
        request.properties.check(&[], ApiError::InvalidProperty)?;
        let flags = match &request.parent {
            None => {
                flags::check_buffer(request.flags)?;
                request.flags
            }
            Some(parent) => flags::inherit_into_image(parent.flags(), request.flags)?,
        };
        let format = check_format(request.format)?;
        let desc = request.desc.ok_or_else(|| descriptor("the description is null"))?;
        check_levels(context, &desc)?;
        let several = desc.mip_levels > 1;
        let device = context.devices.first().ok_or(ApiError::InvalidContext)?;
        let limits = &device.caps.limits;
        let exists = |geometry: &Geometry| {
            if formats::exists(context, geometry.image_type, format) {
                Ok(())
            } else {
                Err(ApiError::ImageFormatNotSupported)
            }
        };
        let Some(parent) = request.parent else {
            let given = (request.host)(1).is_some();
            let geometry = Geometry::new(&desc, format, &limits.images, given)?;
            if geometry.image_type == ImageType::Buffer {
                return Err(descriptor("there is no buffer for the image"));
            }
            flags::check_host_pointer(flags, given)?;
            if given && several {
                return Err(ApiError::InvalidHostPtr.because("an image with levels of detail has no host pointer"));
            }
            exists(&geometry)?;
            let (bytes, reach) = (geometry.bytes(), geometry.reach());
            let host = if given { (request.host)(reach) } else { None };
            if given != host.is_some() {
                return Err(ApiError::InvalidHostPtr.because("no object is as long at the host pointer"));
            }
            if bytes as u64 > limits.max_alloc_bytes {
                return Err(ApiError::MemObjectAllocationFailure.because("no device allocates as much"));
            }
            let (span, storage, host_pointer) = Storage::new(context, flags, bytes, host).map_err(|error| {
                if error == ApiError::InvalidBufferSize { ApiError::InvalidImageSize } else { error }
            })?;
            let image = Image::new(geometry, span).ok_or(ApiError::OutOfHostMemory)?;
            return Ok(Self::make(context, request.properties, flags, span, storage, host_pointer, Some(image)));
        };
        if (request.host)(1).is_some() {
            return Err(ApiError::InvalidHostPtr.because("an image of a memory object has no host pointer"));
        }
        if !Arc::ptr_eq(&parent.context, context) {
            return Err(ApiError::InvalidContext);
        }
        if several || parent.image().is_some_and(|image| image.geometry().levels > 1) {
            return Err(descriptor("an image with levels of detail shows no other memory object, nor is it shown"));
        }
        let geometry = match parent.image() {
            None => in_buffer(context, &parent, &desc, format, &limits.images)?,
            Some(image) => of_image(image.geometry(), &desc, format, &limits.images)?,
        };
        exists(&geometry)?;
        let span = parent.span().part(0, geometry.reach()).ok_or(ApiError::InvalidImageSize)?;
        let image = Image::new(geometry, span).ok_or(ApiError::OutOfHostMemory)?;
        let host_pointer = parent.host_pointer();
        let storage = Storage::Part(parent, 0);
        Ok(Self::make(context, request.properties, flags, span, storage, host_pointer, Some(image)))
    }
}

/// An image that is a buffer.
fn in_buffer(
    context: &Context,
    buffer: &Memory,
    desc: &ImageDesc,
    format: Format,
    limits: &ImageLimits,
) -> Result<Geometry, ApiError> {
    let image_type = ImageType::new(desc.image_type);
    if image_type != Some(ImageType::Buffer) && !context.has_feature(Feature::ImageFromBuffer) {
        return Err(descriptor("images of this type are no buffers"));
    }
    let texels = |count: u32| (count as usize).max(1) * format.bytes();
    let has_slices = image_type.is_some_and(ImageType::has_slices);
    let pitches = [desc.row_pitch, if has_slices { desc.slice_pitch } else { 0 }];
    if pitches.iter().any(|pitch| !pitch.is_multiple_of(texels(limits.pitch_align))) {
        return Err(format_descriptor("a pitch is no multiple of CL_DEVICE_IMAGE_PITCH_ALIGNMENT"));
    }
    if !buffer.address().is_multiple_of(texels(limits.base_align)) {
        return Err(format_descriptor("the buffer is not aligned to CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT"));
    }
    let geometry = Geometry::new(desc, format, limits, true)?;
    // One row has no gap behind it.
    let rows = !matches!(geometry.image_type, ImageType::D1 | ImageType::Buffer);
    if (if rows { geometry.bytes() } else { geometry.reach() }) > buffer.size() {
        return Err(ApiError::InvalidImageSize.because("the buffer is smaller than the image"));
    }
    Ok(geometry)
}

/// An image that shows the texels of another.
fn of_image(parent: &Geometry, desc: &ImageDesc, format: Format, limits: &ImageLimits) -> Result<Geometry, ApiError> {
    let geometry = Geometry::new(desc, format, limits, true)?;
    if parent.image_type != ImageType::D2 || geometry.image_type != ImageType::D2 {
        return Err(descriptor("only two-dimensional images show others"));
    }
    let (ours, theirs) = (format.order(), parent.format.order());
    if format.data_type() != parent.format.data_type() || !(ours == theirs || VIEWS.contains(&(ours, theirs))) {
        return Err(format_descriptor("the format is none that shows texels of the other image"));
    }
    let row_pitch = if desc.row_pitch == 0 { parent.row_pitch } else { desc.row_pitch };
    if (geometry.width, geometry.height, row_pitch) != (parent.width, parent.height, parent.row_pitch) {
        return Err(descriptor("the image differs in shape from the one that it shows"));
    }
    Ok(Geometry { format, ..*parent })
}
