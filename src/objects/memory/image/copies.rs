//! Commands that copy and fill images. Each is there twice: as a command of a queue, and as what it does, for command
//! buffers.

use std::sync::Arc;

use khronos_headers as cl;
use oxicl_device::Pattern;
use oxicl_texel::{Color, Format, Kind};

use super::geometry::{Geometry, ImageRegion};
use super::of;
use crate::ApiError;
use crate::command::Action;
use crate::context::Context;
use crate::event::Event;
use crate::memory::commands::{action, check_same, enqueue};
use crate::memory::region::{Extent, Placement, RectCopy, check_range, rects_overlap};
use crate::memory::transfer::Move;
use crate::memory::{Memory, flags};
use crate::queue::Queue;

/// `clEnqueueCopyImage`.
///
/// # Errors
/// Those of [`copying_image`].
pub fn copy_image(
    queue: &Arc<Queue>,
    from: &Arc<Memory>,
    to: &Arc<Memory>,
    parts: [ImageRegion; 2],
    waits: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    let action = copying_image(&queue.context, from, to, parts)?;
    enqueue(queue, cl::CL_COMMAND_COPY_IMAGE, waits, action.into(), false)
}

/// What `clEnqueueCopyImage` and `clCommandCopyImageKHR` do. The two parts have the same region.
///
/// # Errors
/// `CL_INVALID_CONTEXT`; `CL_INVALID_OPERATION` if the device has no images, or the target is immutable;
/// `CL_INVALID_MEM_OBJECT` for a buffer; `CL_IMAGE_FORMAT_MISMATCH`; `CL_INVALID_MIP_LEVEL`; `CL_INVALID_VALUE` for a
/// region that does not fit; `CL_MEM_COPY_OVERLAP`.
pub fn copying_image(
    context: &Arc<Context>,
    from: &Arc<Memory>,
    to: &Arc<Memory>,
    [from_part, to_part]: [ImageRegion; 2],
) -> Result<Action, ApiError> {
    let (source, target) = (of(context, from)?, of(context, to)?);
    if source.format != target.format {
        return Err(ApiError::ImageFormatMismatch);
    }
    let (extent, in_source) = source.place(from_part)?;
    let (_, in_target) = target.place(to_part)?;
    let same = Arc::ptr_eq(from, to) && from_part.level == to_part.level;
    if same && rects_overlap(extent, in_source, in_target) {
        return Err(ApiError::MemCopyOverlap);
    }
    flags::check_modify(to.flags())?;
    let copy = RectCopy { extent, from: in_source, to: in_target };
    Ok(action(Move::rect(from.span(), to.span(), copy), [Arc::clone(from), Arc::clone(to)]))
}

/// Between an image and a buffer: where the texels are in the image, and where, one after the other, in the buffer.
fn beside_buffer(
    context: &Arc<Context>,
    image: &Arc<Memory>,
    part: ImageRegion,
    buffer: &Arc<Memory>,
    offset: usize,
) -> Result<(Extent, Placement, Placement), ApiError> {
    check_same(context, buffer)?;
    let geometry = of(context, image)?;
    if image.parent().is_some_and(|parent| Arc::ptr_eq(parent, buffer))
        && geometry.image_type == super::ImageType::Buffer
    {
        return Err(ApiError::InvalidMemObject.because("the image is the buffer"));
    }
    let (extent, in_image) = geometry.place(part)?;
    // A region of an image is no larger than memory.
    let slice = extent.width * extent.height;
    check_range(buffer.size(), offset, slice * extent.depth)?;
    Ok((extent, in_image, Placement { start: offset, row_pitch: extent.width, slice_pitch: slice }))
}

/// `clEnqueueCopyImageToBuffer`.
///
/// # Errors
/// Those of [`copying_image_to_buffer`].
pub fn copy_image_to_buffer(
    queue: &Arc<Queue>,
    image: &Arc<Memory>,
    buffer: &Arc<Memory>,
    part: ImageRegion,
    offset: usize,
    waits: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    let action = copying_image_to_buffer(&queue.context, image, buffer, part, offset)?;
    enqueue(queue, cl::CL_COMMAND_COPY_IMAGE_TO_BUFFER, waits, action.into(), false)
}

/// What `clEnqueueCopyImageToBuffer` and `clCommandCopyImageToBufferKHR` do.
///
/// # Errors
/// `CL_INVALID_CONTEXT`; `CL_INVALID_OPERATION` if the device has no images, or the target is immutable;
/// `CL_INVALID_MEM_OBJECT` for a buffer as image, or the buffer that the image is; `CL_INVALID_MIP_LEVEL`;
/// `CL_INVALID_VALUE` for a region that does not fit.
pub fn copying_image_to_buffer(
    context: &Arc<Context>,
    image: &Arc<Memory>,
    buffer: &Arc<Memory>,
    part: ImageRegion,
    offset: usize,
) -> Result<Action, ApiError> {
    let (extent, from, to) = beside_buffer(context, image, part, buffer, offset)?;
    flags::check_modify(buffer.flags())?;
    let copy = RectCopy { extent, from, to };
    Ok(action(Move::rect(image.span(), buffer.span(), copy), [Arc::clone(image), Arc::clone(buffer)]))
}

/// `clEnqueueCopyBufferToImage`.
///
/// # Errors
/// Those of [`copying_buffer_to_image`].
pub fn copy_buffer_to_image(
    queue: &Arc<Queue>,
    buffer: &Arc<Memory>,
    image: &Arc<Memory>,
    offset: usize,
    part: ImageRegion,
    waits: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    let action = copying_buffer_to_image(&queue.context, buffer, image, offset, part)?;
    enqueue(queue, cl::CL_COMMAND_COPY_BUFFER_TO_IMAGE, waits, action.into(), false)
}

/// What `clEnqueueCopyBufferToImage` and `clCommandCopyBufferToImageKHR` do.
///
/// # Errors
/// Those of [`copying_image_to_buffer`].
pub fn copying_buffer_to_image(
    context: &Arc<Context>,
    buffer: &Arc<Memory>,
    image: &Arc<Memory>,
    offset: usize,
    part: ImageRegion,
) -> Result<Action, ApiError> {
    let (extent, to, from) = beside_buffer(context, image, part, buffer, offset)?;
    flags::check_modify(image.flags())?;
    let copy = RectCopy { extent, from, to };
    Ok(action(Move::rect(buffer.span(), image.span(), copy), [Arc::clone(buffer), Arc::clone(image)]))
}

/// `clEnqueueFillImage`. `color` are as many bytes as the image says, none if the application's pointer is null.
///
/// # Errors
/// Those of [`filling_image`].
pub fn fill_image(
    queue: &Arc<Queue>,
    image: &Arc<Memory>,
    color: Option<&[u8]>,
    part: ImageRegion,
    waits: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    let action = filling_image(&queue.context, image, color, part)?;
    enqueue(queue, cl::CL_COMMAND_FILL_IMAGE, waits, action.into(), false)
}

/// What `clEnqueueFillImage` and `clCommandFillImageKHR` do.
///
/// # Errors
/// `CL_INVALID_CONTEXT`; `CL_INVALID_OPERATION` if the device has no images, or this is immutable;
/// `CL_INVALID_MEM_OBJECT` for a buffer; `CL_INVALID_MIP_LEVEL`; `CL_INVALID_VALUE` for no colour or a region that does
/// not fit.
pub fn filling_image(
    context: &Arc<Context>,
    image: &Arc<Memory>,
    color: Option<&[u8]>,
    part: ImageRegion,
) -> Result<Action, ApiError> {
    let geometry: Geometry = of(context, image)?;
    let color = color.ok_or_else(|| ApiError::InvalidValue.because("the colour is null"))?;
    let (extent, place) = geometry.place(part)?;
    flags::check_modify(image.flags())?;
    let format = geometry.format;
    let texel = format.encode(read_color(format, color));
    let pattern = texel.get(..format.bytes()).and_then(Pattern::new).ok_or(ApiError::InvalidValue)?;
    Ok(action(Move::fill_rect(image.span(), pattern, extent, place), Arc::clone(image)))
}

/// The colour in the application's memory. A depth is one number.
fn read_color(format: Format, bytes: &[u8]) -> Color {
    let words: [[u8; 4]; 4] = std::array::from_fn(|index| {
        bytes.get(index * 4..).and_then(|rest| rest.first_chunk()).copied().unwrap_or_default()
    });
    match format.kind() {
        Kind::Float => Color::Float(words.map(f32::from_ne_bytes)),
        Kind::Signed => Color::Signed(words.map(i32::from_ne_bytes)),
        Kind::Unsigned => Color::Unsigned(words.map(u32::from_ne_bytes)),
    }
}
