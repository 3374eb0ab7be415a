//! Commands on rectangular regions of buffers.

use std::sync::Arc;

use khronos_headers as cl;
use oxicl_device::HostSpan;

use super::Memory;
use super::commands::{action, check_context, check_same, enqueue, work};
use super::flags;
use super::region::{Extent, Placement, RectCopy, rects_overlap};
use super::transfer::Move;
use crate::ApiError;
use crate::command::Action;
use crate::context::Context;
use crate::event::Event;
use crate::queue::Queue;

/// The arguments that describe a rectangle on one side, as the application gave them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RectArguments {
    /// Bytes, rows and slices before it.
    pub origin: [usize; 3],
    /// Bytes from a row to the next; zero for tightly packed.
    pub row_pitch: usize,
    /// Bytes from a slice to the next; zero for tightly packed.
    pub slice_pitch: usize,
}

impl RectArguments {
    fn place(&self, extent: Extent) -> Result<Placement, ApiError> {
        Placement::new(self.origin, extent, self.row_pitch, self.slice_pitch)
    }

    /// Number of bytes from the start of the memory that a rectangle command may touch: what the application's pointer
    /// has to be valid for. `InvalidValue` if the arguments are not valid.
    pub fn reach(&self, region: [usize; 3]) -> Result<usize, ApiError> {
        let extent = Extent::new(region)?;
        self.place(extent)?.end(extent).ok_or(ApiError::InvalidValue)
    }
}

/// Both sides of a read or write: the extent, the placement in the buffer, and that in the application's memory.
fn host_transfer(
    buffer: &Memory,
    region: [usize; 3],
    in_buffer: RectArguments,
    in_host: RectArguments,
    host: Option<HostSpan>,
) -> Result<(Extent, Placement, Placement, HostSpan), ApiError> {
    let extent = Extent::new(region)?;
    let buffer_place = in_buffer.place(extent)?;
    buffer_place.check(extent, buffer.size())?;
    let host_place = in_host.place(extent)?;
    let host = host.ok_or_else(|| ApiError::InvalidValue.because("the pointer is null"))?;
    host_place.check(extent, host.len())?;
    Ok((extent, buffer_place, host_place, host))
}

/// `clEnqueueReadBufferRect`. `to` are the bytes at the application's pointer that the rectangle
/// [reaches](RectArguments::reach); none for a null pointer.
#[allow(clippy::too_many_arguments, reason = "the arguments of the C function, grouped as far as they belong together")]
pub fn read_rect(
    queue: &Arc<Queue>,
    buffer: &Arc<Memory>,
    blocking: bool,
    region: [usize; 3],
    in_buffer: RectArguments,
    in_host: RectArguments,
    to: Option<HostSpan>,
    waits: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    check_context(queue, buffer)?;
    let (extent, from_place, to_place, to) = host_transfer(buffer, region, in_buffer, in_host, to)?;
    flags::check_host_read(buffer.flags())?;
    let copy = RectCopy { extent, from: from_place, to: to_place };
    let work = work(Move::rect(buffer.span(), to, copy), [Some(Arc::clone(buffer)), None]);
    enqueue(queue, cl::CL_COMMAND_READ_BUFFER_RECT, waits, work, blocking)
}

/// `clEnqueueWriteBufferRect`. `from` is as in [`read_rect`].
#[allow(clippy::too_many_arguments, reason = "the arguments of the C function, grouped as far as they belong together")]
pub fn write_rect(
    queue: &Arc<Queue>,
    buffer: &Arc<Memory>,
    blocking: bool,
    region: [usize; 3],
    in_buffer: RectArguments,
    in_host: RectArguments,
    from: Option<HostSpan>,
    waits: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    check_context(queue, buffer)?;
    let (extent, to_place, from_place, from) = host_transfer(buffer, region, in_buffer, in_host, from)?;
    flags::check_host_write(buffer.flags())?;
    let copy = RectCopy { extent, from: from_place, to: to_place };
    let work = work(Move::rect(from, buffer.span(), copy), [Some(Arc::clone(buffer)), None]);
    enqueue(queue, cl::CL_COMMAND_WRITE_BUFFER_RECT, waits, work, blocking)
}

/// `clEnqueueCopyBufferRect`.
pub fn copy_rect(
    queue: &Arc<Queue>,
    from: &Arc<Memory>,
    to: &Arc<Memory>,
    region: [usize; 3],
    in_source: RectArguments,
    in_target: RectArguments,
    waits: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    let action = copying_rect(&queue.context, from, to, region, in_source, in_target)?;
    enqueue(queue, cl::CL_COMMAND_COPY_BUFFER_RECT, waits, action.into(), false)
}

/// What `clEnqueueCopyBufferRect` and `clCommandCopyBufferRectKHR` do.
pub fn copying_rect(
    context: &Arc<Context>,
    from: &Arc<Memory>,
    to: &Arc<Memory>,
    region: [usize; 3],
    in_source: RectArguments,
    in_target: RectArguments,
) -> Result<Action, ApiError> {
    check_same(context, from)?;
    check_same(context, to)?;
    let extent = Extent::new(region)?;
    let source = in_source.place(extent)?;
    let target = in_target.place(extent)?;
    source.check(extent, from.size())?;
    target.check(extent, to.size())?;
    if Arc::ptr_eq(from, to) && (source.row_pitch, source.slice_pitch) != (target.row_pitch, target.slice_pitch) {
        return Err(ApiError::InvalidValue);
    }
    let ((from_root, from_start), (to_root, to_start)) = (from.root(), to.root());
    if std::ptr::eq(from_root, to_root) {
        let in_root = |place: Placement, start: usize| place.shifted(start).ok_or(ApiError::InvalidValue);
        if rects_overlap(extent, in_root(source, from_start)?, in_root(target, to_start)?) {
            return Err(ApiError::MemCopyOverlap);
        }
    }
    flags::check_modify(to.flags())?;
    let copy = RectCopy { extent, from: source, to: target };
    let alive = [Some(Arc::clone(from)), Some(Arc::clone(to))];
    Ok(action(Move::rect(from.span(), to.span(), copy), alive))
}
