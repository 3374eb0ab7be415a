//! Images: memory objects with a shape and a format.
//!
//! An image is stored as it looks from the host, row after row, so mapping, and images that are buffers, cost nothing.

mod commands;
mod copies;
mod create;
mod formats;
mod geometry;
mod requirements;

use std::sync::Arc;

use khronos_headers as cl;
use oxicl_abi::ImageDescriptor;
use oxicl_device::{HostMemory, HostSpan};

use super::Memory;
use crate::context::Context;
use crate::{ApiError, InfoValue};

pub use commands::{HostSide, MapRequest, map_image, read_image, write_image};
pub use copies::{
    copy_buffer_to_image, copy_image, copy_image_to_buffer, copying_buffer_to_image, copying_image,
    copying_image_to_buffer, fill_image, filling_image,
};
pub use create::ImageRequest;
pub use formats::{Access, supported_formats};
pub use geometry::{Geometry, ImageDesc, ImageRegion, ImageType};
pub use requirements::image_requirements;

/// The memory of the application at a pointer, as many bytes as asked for; none for a null pointer.
pub type HostBytes<'a> = &'a dyn Fn(usize) -> Option<HostSpan>;

/// What makes an image of a memory object.
#[derive(Debug)]
pub struct Image {
    geometry: Geometry,
    /// What kernels read: an [`ImageDescriptor`] for each level of detail.
    descriptor: HostMemory,
}

impl Image {
    fn new(geometry: Geometry, texels: HostSpan) -> Option<Self> {
        let number = |side: usize| u32::try_from(side).ok();
        let format = geometry.format;
        let mut bytes = Vec::new();
        for (level, start) in geometry.all_levels() {
            let descriptor = ImageDescriptor {
                base: texels.address() as u64 + start as u64,
                row_pitch: level.row_pitch as u64,
                slice_pitch: level.slice_pitch as u64,
                width: number(level.width)?,
                height: number(level.height)?,
                depth: number(level.depth)?,
                layers: number(level.layers)?,
                order: format.order(),
                data_type: format.data_type(),
                texel_bytes: number(format.bytes())?,
                levels: geometry.levels.max(1),
            };
            bytes.extend(descriptor.to_bytes());
        }
        let descriptor = HostMemory::new(bytes.len(), 1)?;
        descriptor.span().write(&bytes);
        Some(Image { geometry, descriptor })
    }

    /// Its shape.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Whether kernels may access it so.
    pub fn allows(&self, context: &Context, access: Access) -> bool {
        formats::allows(context, self.geometry.image_type, self.geometry.format, access)
    }

    /// Where the [`ImageDescriptor`]s lie that kernels get the address of.
    pub fn descriptor(&self) -> HostSpan {
        self.descriptor.span()
    }

    /// Bytes of the colour that fills it: one number for depths, else four.
    pub fn color_bytes(&self) -> usize {
        if self.geometry.format.is_depth() { 4 } else { 16 }
    }
}

impl Memory {
    /// A command's or query's image.
    ///
    /// # Errors
    /// "CL_INVALID_OPERATION if the device associated with the queue does not support images"; else
    /// `CL_INVALID_MEM_OBJECT` if it is a buffer.
    pub fn as_image(&self) -> Result<&Image, ApiError> {
        self.context.check_images()?;
        self.image().ok_or_else(|| ApiError::InvalidMemObject.because("the memory object is no image"))
    }

    /// The same, as the object itself: for commands, which keep it.
    ///
    /// # Errors
    /// Those of [`Memory::as_image`].
    pub fn into_image(self: Arc<Self>) -> Result<Arc<Self>, ApiError> {
        self.as_image()?;
        Ok(self)
    }

    /// The memory object, if it is a buffer.
    ///
    /// # Errors
    /// `CL_INVALID_MEM_OBJECT` for an image.
    pub fn as_buffer(self: Arc<Self>) -> Result<Arc<Self>, ApiError> {
        match self.image() {
            None => Ok(self),
            Some(_) => Err(ApiError::InvalidMemObject.because("the memory object is an image, and no buffer")),
        }
    }

    /// `clGetImageInfo`.
    ///
    /// # Errors
    /// "CL_INVALID_MEM_OBJECT if image is not a valid image object"; `CL_INVALID_VALUE` for a query that does not exist.
    pub fn image_info(&self, name: cl::cl_image_info) -> Result<InfoValue, ApiError> {
        let image = self.image().ok_or_else(|| ApiError::InvalidMemObject.because("the memory object is no image"))?;
        let geometry = image.geometry();
        let kind = geometry.image_type;
        let only = |there: bool, side: usize| InfoValue::Size(if there { side } else { 0 });
        Ok(match name {
            cl::CL_IMAGE_FORMAT => InfoValue::u32s([geometry.format.order(), geometry.format.data_type()]),
            cl::CL_IMAGE_ELEMENT_SIZE => InfoValue::Size(geometry.format.bytes()),
            cl::CL_IMAGE_ROW_PITCH => InfoValue::Size(geometry.row_pitch),
            cl::CL_IMAGE_SLICE_PITCH => only(kind.has_slices(), geometry.slice_pitch),
            cl::CL_IMAGE_WIDTH => InfoValue::Size(geometry.width),
            cl::CL_IMAGE_HEIGHT => only(kind.has_height(), geometry.height),
            cl::CL_IMAGE_DEPTH => only(kind == ImageType::D3, geometry.depth),
            cl::CL_IMAGE_ARRAY_SIZE => only(kind.is_array(), geometry.layers),
            cl::CL_IMAGE_BUFFER => match self.parent() {
                Some(parent) if parent.image().is_none() => InfoValue::Memory(Arc::clone(parent)),
                _ => InfoValue::Null,
            },
            cl::CL_IMAGE_NUM_MIP_LEVELS => InfoValue::U32(geometry.levels),
            cl::CL_IMAGE_NUM_SAMPLES => InfoValue::U32(0),
            _ => return Err(ApiError::InvalidValue.because("there is no such query")),
        })
    }
}

/// The image of a command, which must be of the same context.
fn of(context: &Arc<Context>, memory: &Memory) -> Result<Geometry, ApiError> {
    super::commands::check_same(context, memory)?;
    memory.as_image().map(|image| *image.geometry())
}
