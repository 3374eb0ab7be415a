//! Commands between images and the application's memory: read, write, map.

use std::sync::Arc;

use khronos_headers as cl;
use oxicl_device::HostSpan;

use super::geometry::{Geometry, ImageRegion};
use super::{HostBytes, of};
use crate::ApiError;
use crate::command::Work;
use crate::event::Event;
use crate::memory::commands::{enqueue, work};
use crate::memory::region::{Extent, Placement, RectCopy};
use crate::memory::transfer::Move;
use crate::memory::{Memory, flags};
use crate::queue::Queue;

/// The application's side of a read or write.
#[derive(Clone, Copy)]
pub struct HostSide<'a> {
    /// Bytes from a row to the next; zero for tightly packed.
    pub row_pitch: usize,
    /// Bytes from a slice or an image to the next; zero for tightly packed.
    pub slice_pitch: usize,
    /// The memory.
    pub bytes: HostBytes<'a>,
}

/// Both sides of a read or write: the extent, the place in the image, and that in the application's memory.
fn sides(
    image: &Geometry,
    part: ImageRegion,
    host: &HostSide<'_>,
) -> Result<(Extent, Placement, Placement, HostSpan), ApiError> {
    let (extent, in_image) = image.place(part)?;
    let in_host = image.host_place(extent, host.row_pitch, host.slice_pitch)?;
    let reach = in_host.end(extent).ok_or(ApiError::InvalidValue)?;
    let span = (host.bytes)(reach).ok_or_else(|| ApiError::InvalidValue.because("the pointer is null"))?;
    Ok((extent, in_image, in_host, span))
}

/// `clEnqueueReadImage`.
///
/// # Errors
/// `CL_INVALID_CONTEXT`; `CL_INVALID_MEM_OBJECT`; `CL_INVALID_MIP_LEVEL`; `CL_INVALID_VALUE` for a region or pitches that do not fit, and for a
/// null pointer; "CL_INVALID_OPERATION if the device does not support images", or if the host may not read it.
pub fn read_image(
    queue: &Arc<Queue>,
    image: &Arc<Memory>,
    blocking: bool,
    part: ImageRegion,
    host: HostSide<'_>,
    waits: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    let geometry = of(&queue.context, image)?;
    let (extent, from, to, span) = sides(&geometry, part, &host)?;
    flags::check_host_read(image.flags())?;
    let work = work(Move::rect(image.span(), span, RectCopy { extent, from, to }), Arc::clone(image));
    enqueue(queue, cl::CL_COMMAND_READ_IMAGE, waits, work, blocking)
}

/// `clEnqueueWriteImage`.
///
/// # Errors
/// Those of [`read_image`].
pub fn write_image(
    queue: &Arc<Queue>,
    image: &Arc<Memory>,
    blocking: bool,
    part: ImageRegion,
    host: HostSide<'_>,
    waits: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    let geometry = of(&queue.context, image)?;
    let (extent, to, from, span) = sides(&geometry, part, &host)?;
    flags::check_host_write(image.flags())?;
    let work = work(Move::rect(span, image.span(), RectCopy { extent, from, to }), Arc::clone(image));
    enqueue(queue, cl::CL_COMMAND_WRITE_IMAGE, waits, work, blocking)
}

/// What `clEnqueueMapImage` is to map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapRequest {
    /// `cl_map_flags`.
    pub flags: cl::cl_map_flags,
    /// Which texels.
    pub part: ImageRegion,
    /// The application has a place for the row pitch, which it must.
    pub has_row_pitch: bool,
    /// It has one for the slice pitch, which it must if the image has slices.
    pub has_slice_pitch: bool,
}

/// `clEnqueueMapImage`; the event and the address. The pitches are those of the image's level.
///
/// # Errors
/// Those of [`read_image`]; `CL_INVALID_VALUE` for flags, and where a pitch has no place; `CL_INVALID_OPERATION` if the region is mapped for writing.
pub fn map_image(
    queue: &Arc<Queue>,
    image: &Arc<Memory>,
    blocking: bool,
    request: MapRequest,
    waits: &[Arc<Event>],
) -> Result<(Arc<Event>, usize), ApiError> {
    let geometry = of(&queue.context, image)?;
    let (extent, place) = geometry.place(request.part)?;
    let access = flags::check_map(request.flags)?;
    if access.read {
        flags::check_host_read(image.flags())?;
    }
    if access.write {
        flags::check_host_write(image.flags())?;
    }
    if !request.has_row_pitch || (geometry.image_type.has_slices() && !request.has_slice_pitch) {
        return Err(ApiError::InvalidValue.because("a pitch has no place to be written to"));
    }
    let reach = place.end(extent).ok_or(ApiError::InvalidValue)?;
    let address = image.span().part(place.start, 1).ok_or(ApiError::InvalidValue)?.address();
    image.add_image_map(request.part, place.start, reach, access.write)?;
    let alive = Arc::clone(image);
    let kept = Work::Inline(Box::new(move || {
        drop(alive);
        Ok(())
    }));
    match enqueue(queue, cl::CL_COMMAND_MAP_IMAGE, waits, kept, blocking) {
        Ok(event) => Ok((event, address)),
        Err(error) => {
            // The application has no pointer to unmap.
            let _ = image.take_map(address);
            Err(error)
        }
    }
}
