//! Commands on linear regions of buffers: read, write, copy, fill, map, unmap, migrate.
//!
//! Each checks its arguments in the order of the specification, describes what is to move, and enqueues that.

use std::sync::Arc;

use khronos_headers as cl;
use oxicl_device::{HostSpan, Pattern};

use super::Memory;
use super::flags;
use super::region::{check_range, ranges_overlap};
use super::transfer::{Move, SMALL, Transfer};
use crate::ApiError;
use crate::command::{Action, Work};
use crate::context::Context;
use crate::event::Event;
use crate::queue::Queue;

/// The queue and the memory object must be of the same context.
pub(super) fn check_context(queue: &Queue, memory: &Memory) -> Result<(), ApiError> {
    check_same(&queue.context, memory)
}

/// A command and the memory object must be of the same context.
pub(super) fn check_same(context: &Arc<Context>, memory: &Memory) -> Result<(), ApiError> {
    if Arc::ptr_eq(context, &memory.context) { Ok(()) } else { Err(ApiError::InvalidContext) }
}

/// A move as something to be done, once or many times, with what has to live as long as that.
pub(super) fn action<A: Send + Sync + 'static>(work: Move, alive: A) -> Action {
    match work.bytes() {
        0 => Action::Nothing,
        1..=SMALL => {
            let transfer = Transfer::new(work, alive);
            Action::Short(Arc::new(move || transfer.run_all()))
        }
        _ => Action::Job(Arc::new(Transfer::new(work, alive))),
    }
}

/// A move as work of a command, with what has to live until it is done.
pub(super) fn work<A: Send + Sync + 'static>(work: Move, alive: A) -> Work {
    action(work, alive).into()
}

/// Enqueues, and waits if the call is a blocking one.
pub(super) fn enqueue(
    queue: &Arc<Queue>,
    kind: cl::cl_command_type,
    waits: &[Arc<Event>],
    work: Work,
    blocking: bool,
) -> Result<Arc<Event>, ApiError> {
    let event = queue.enqueue(kind, waits, work)?;
    if blocking {
        event.wait()?;
    }
    Ok(event)
}

/// `clEnqueueReadBuffer`. `to` is none if the application's pointer is null.
pub fn read(
    queue: &Arc<Queue>,
    buffer: &Arc<Memory>,
    blocking: bool,
    offset: usize,
    to: Option<HostSpan>,
    size: usize,
    waits: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    check_context(queue, buffer)?;
    check_range(buffer.size(), offset, size)?;
    let to = to.ok_or_else(|| ApiError::InvalidValue.because("the pointer is null"))?;
    flags::check_host_read(buffer.flags())?;
    let from = buffer.span().part(offset, size).ok_or(ApiError::InvalidValue)?;
    let work = work(Move::Linear { from, to }, [Some(Arc::clone(buffer)), None]);
    enqueue(queue, cl::CL_COMMAND_READ_BUFFER, waits, work, blocking)
}

/// `clEnqueueWriteBuffer`. `from` is none if the application's pointer is null.
pub fn write(
    queue: &Arc<Queue>,
    buffer: &Arc<Memory>,
    blocking: bool,
    offset: usize,
    from: Option<HostSpan>,
    size: usize,
    waits: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    check_context(queue, buffer)?;
    check_range(buffer.size(), offset, size)?;
    let from = from.ok_or_else(|| ApiError::InvalidValue.because("the pointer is null"))?;
    flags::check_host_write(buffer.flags())?;
    let to = buffer.span().part(offset, size).ok_or(ApiError::InvalidValue)?;
    let work = work(Move::Linear { from, to }, [Some(Arc::clone(buffer)), None]);
    enqueue(queue, cl::CL_COMMAND_WRITE_BUFFER, waits, work, blocking)
}

/// `clEnqueueCopyBuffer`.
pub fn copy(
    queue: &Arc<Queue>,
    from: &Arc<Memory>,
    to: &Arc<Memory>,
    from_offset: usize,
    to_offset: usize,
    size: usize,
    waits: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    let action = copying(&queue.context, from, to, from_offset, to_offset, size)?;
    enqueue(queue, cl::CL_COMMAND_COPY_BUFFER, waits, action.into(), false)
}

/// What `clEnqueueCopyBuffer` and `clCommandCopyBufferKHR` do.
pub fn copying(
    context: &Arc<Context>,
    from: &Arc<Memory>,
    to: &Arc<Memory>,
    from_offset: usize,
    to_offset: usize,
    size: usize,
) -> Result<Action, ApiError> {
    check_same(context, from)?;
    check_same(context, to)?;
    check_range(from.size(), from_offset, size)?;
    check_range(to.size(), to_offset, size)?;
    // Bytes of one buffer must not be copied onto each other, whichever of its sub-buffers name them.
    let ((from_root, from_start), (to_root, to_start)) = (from.root(), to.root());
    let range = |start: usize| start..start + size;
    if std::ptr::eq(from_root, to_root)
        && ranges_overlap(&range(from_start + from_offset), &range(to_start + to_offset))
    {
        return Err(ApiError::MemCopyOverlap);
    }
    flags::check_modify(to.flags())?;
    let source = from.span().part(from_offset, size).ok_or(ApiError::InvalidValue)?;
    let target = to.span().part(to_offset, size).ok_or(ApiError::InvalidValue)?;
    let alive = [Some(Arc::clone(from)), Some(Arc::clone(to))];
    Ok(action(Move::Linear { from: source, to: target }, alive))
}

/// Checks a fill pattern, which is none if the application's pointer is null, and the size that it is to fill.
pub(super) fn check_pattern(pattern: Option<&[u8]>, size: usize) -> Result<Pattern, ApiError> {
    let pattern = pattern.and_then(Pattern::new).ok_or_else(|| {
        ApiError::InvalidValue.because("the pattern is null, or its size is no power of two up to 128")
    })?;
    if size.is_multiple_of(pattern.size()) {
        Ok(pattern)
    } else {
        Err(ApiError::InvalidValue.because("the size is no multiple of that of the pattern"))
    }
}

/// `clEnqueueFillBuffer`.
pub fn fill(
    queue: &Arc<Queue>,
    buffer: &Arc<Memory>,
    pattern: Option<&[u8]>,
    offset: usize,
    size: usize,
    waits: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    let action = filling(&queue.context, buffer, pattern, offset, size)?;
    enqueue(queue, cl::CL_COMMAND_FILL_BUFFER, waits, action.into(), false)
}

/// What `clEnqueueFillBuffer` and `clCommandFillBufferKHR` do.
pub fn filling(
    context: &Arc<Context>,
    buffer: &Arc<Memory>,
    pattern: Option<&[u8]>,
    offset: usize,
    size: usize,
) -> Result<Action, ApiError> {
    check_same(context, buffer)?;
    check_range(buffer.size(), offset, size)?;
    let pattern = check_pattern(pattern, size)?;
    if !offset.is_multiple_of(pattern.size()) {
        return Err(ApiError::InvalidValue.because("the offset is no multiple of the size of the pattern"));
    }
    flags::check_modify(buffer.flags())?;
    let to = buffer.span().part(offset, size).ok_or(ApiError::InvalidValue)?;
    Ok(action(Move::Fill { to, pattern }, [Some(Arc::clone(buffer)), None]))
}

/// `clEnqueueMapBuffer`; the event and the address.
pub fn map(
    queue: &Arc<Queue>,
    buffer: &Arc<Memory>,
    blocking: bool,
    map_flags: cl::cl_map_flags,
    offset: usize,
    size: usize,
    waits: &[Arc<Event>],
) -> Result<(Arc<Event>, usize), ApiError> {
    check_context(queue, buffer)?;
    check_range(buffer.size(), offset, size)?;
    if size == 0 {
        return Err(ApiError::InvalidValue.because("the size is zero"));
    }
    let access = flags::check_map(map_flags)?;
    if access.read {
        flags::check_host_read(buffer.flags())?;
    }
    if access.write {
        flags::check_host_write(buffer.flags())?;
    }
    let address = buffer.span().part(offset, size).ok_or(ApiError::InvalidValue)?.address();
    buffer.add_map(offset, size, access.write)?;
    let alive = Arc::clone(buffer);
    let kept = Work::Inline(Box::new(move || {
        drop(alive);
        Ok(())
    }));
    match enqueue(queue, cl::CL_COMMAND_MAP_BUFFER, waits, kept, blocking) {
        Ok(event) => Ok((event, address)),
        Err(error) => {
            // The application has no pointer to unmap.
            let _ = buffer.take_map(address);
            Err(error)
        }
    }
}

/// `clEnqueueUnmapMemObject`.
pub fn unmap(
    queue: &Arc<Queue>,
    memory: &Arc<Memory>,
    address: usize,
    waits: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    check_context(queue, memory)?;
    // Taken now, not when the command runs, so that unmapping twice is seen.
    let mapping = memory.take_map(address)?;
    let alive = Arc::clone(memory);
    let kept = Work::Inline(Box::new(move || {
        drop(alive);
        Ok(())
    }));
    let enqueued = enqueue(queue, cl::CL_COMMAND_UNMAP_MEM_OBJECT, waits, kept, false);
    if enqueued.is_err() {
        memory.put_back_map(mapping);
    }
    enqueued
}

/// `clEnqueueMigrateMemObjects`. All devices share the host's memory, so nothing moves.
pub fn migrate(
    queue: &Arc<Queue>,
    objects: &[Arc<Memory>],
    migration_flags: cl::cl_mem_migration_flags,
    waits: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    if objects.is_empty() {
        return Err(ApiError::InvalidValue.because("there are no memory objects"));
    }
    for object in objects {
        check_context(queue, object)?;
    }
    flags::check_migration(migration_flags)?;
    enqueue(queue, cl::CL_COMMAND_MIGRATE_MEM_OBJECTS, waits, Work::Nothing, false)
}
