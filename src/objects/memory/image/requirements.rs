//! `clGetImageRequirementsInfoEXT`: what an image would need, before there is one.

use khronos_headers as cl;
use oxicl_caps::{Feature, ImageLimits};
use oxicl_texel::Format;

use super::create::{check_format, check_levels};
use super::formats;
use super::geometry::{Geometry, ImageDesc, ImageType};
use crate::context::Context;
use crate::properties::PropertyList;
use crate::{ApiError, InfoValue};

/// Bytes of the largest texel.
const LARGEST_TEXEL: usize = 16;

/// The answer to a query about images with these properties, flags, format and description, of which the last two may be
/// anything if they are none.
///
/// # Errors
/// `CL_INVALID_OPERATION` if the device cannot answer; `CL_INVALID_PROPERTY`; `CL_INVALID_VALUE` for flags, for a query that
/// does not exist, and for the size of nothing; `CL_INVALID_IMAGE_FORMAT_DESCRIPTOR`; `CL_INVALID_IMAGE_DESCRIPTOR`.
pub fn image_requirements(
    context: &Context,
    properties: &PropertyList,
    flags: cl::cl_mem_flags,
    format: Option<cl::cl_image_format>,
    desc: Option<&ImageDesc>,
    name: cl::cl_image_requirements_info_ext,
) -> Result<InfoValue, ApiError> {
    if !context.has_feature(Feature::ImageRequirements) {
        return Err(ApiError::InvalidOperation.because("the device does not tell what images need"));
    }
    properties.check(&[], ApiError::InvalidProperty)?;
    formats::check_flags(flags)?;
    let format = format.map(|format| check_format(Some(format))).transpose()?;
    let limits = &context.devices.first().ok_or(ApiError::InvalidContext)?.caps.limits.images;
    let size = |desc: &ImageDesc, format: Format| {
        check_levels(context, desc)?;
        let geometry = Geometry::new(desc, format, limits, true).map_err(|_| ApiError::InvalidImageDescriptor)?;
        if !formats::exists(context, geometry.image_type, format) {
            return Err(ApiError::InvalidImageFormatDescriptor.because("images of this type cannot have the format"));
        }
        Ok(geometry.bytes())
    };
    let aligned = |texels: u32| {
        // What is wrong with the description is told, though the answer is the same for all.
        if let Some(desc) = desc {
            size(desc, format.map_or_else(|| check_format(Some(WIDEST)), Ok)?)?;
        }
        Ok(InfoValue::Size(format.map_or(LARGEST_TEXEL, Format::bytes) * (texels as usize).max(1)))
    };
    match name {
        cl::CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT => aligned(limits.base_align),
        cl::CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT | cl::CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT => {
            aligned(limits.pitch_align)
        }
        cl::CL_IMAGE_REQUIREMENTS_SIZE_EXT => match (format, desc) {
            (Some(format), Some(desc)) => size(desc, format).map(InfoValue::Size),
            _ => Err(ApiError::InvalidValue.because("nothing has no size")),
        },
        cl::CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT
        | cl::CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT
        | cl::CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT
        | cl::CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT => {
            let image_type = match desc.map_or(0, |desc| desc.image_type) {
                // Any type.
                0 => None,
                image_type => Some(ImageType::new(image_type).ok_or(ApiError::InvalidImageDescriptor)?),
            };
            most(name, image_type, limits)
                .map(InfoValue::U32)
                .ok_or_else(|| ApiError::InvalidImageDescriptor.because("images of this type have no such side"))
        }
        _ => Err(ApiError::InvalidValue.because("there is no such query")),
    }
}

/// The format with the largest texel.
const WIDEST: cl::cl_image_format =
    cl::cl_image_format { image_channel_order: cl::CL_RGBA, image_channel_data_type: cl::CL_FLOAT };

/// The longest that a side can be for images of a type, or for images of all types that have it.
fn most(name: cl::cl_image_requirements_info_ext, image_type: Option<ImageType>, limits: &ImageLimits) -> Option<u32> {
    let smallest = limits.max_2d.min(limits.max_3d).min(limits.max_buffer);
    match name {
        cl::CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT => Some(match image_type {
            None => smallest,
            Some(ImageType::Buffer) => limits.max_buffer,
            Some(ImageType::D3) => limits.max_3d,
            Some(_) => limits.max_2d,
        }),
        cl::CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT => match image_type {
            None => Some(smallest),
            Some(ImageType::D3) => Some(limits.max_3d),
            Some(image_type) => image_type.has_height().then_some(limits.max_2d),
        },
        cl::CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT => {
            image_type.is_none_or(|image_type| image_type == ImageType::D3).then_some(limits.max_3d)
        }
        _ => image_type.is_none_or(ImageType::is_array).then_some(limits.max_layers),
    }
}
