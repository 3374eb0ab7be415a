//! Commands on shared virtual memory.

use std::sync::Arc;

use khronos_headers as cl;
use oxicl_device::HostSpan;
use oxicl_schedule::Foreign;

use super::commands::{action, check_pattern, enqueue};
use super::flags;
use super::transfer::Move;
use crate::ApiError;
use crate::command::{Action, Work};
use crate::context::Context;
use crate::event::Event;
use crate::queue::Queue;

/// `clEnqueueSVMMemcpy`. A span is none if the application's pointer is null.
pub fn svm_copy(
    queue: &Arc<Queue>,
    blocking: bool,
    to: Option<HostSpan>,
    from: Option<HostSpan>,
    waits: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    copy_as(queue, cl::CL_COMMAND_SVM_MEMCPY, blocking, to, from, waits)
}

/// A copy between any memory that the host and the device share.
pub(super) fn copy_as(
    queue: &Arc<Queue>,
    kind: cl::cl_command_type,
    blocking: bool,
    to: Option<HostSpan>,
    from: Option<HostSpan>,
    waits: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    let action = svm_copying(&queue.context, to, from)?;
    enqueue(queue, kind, waits, action.into(), blocking)
}

/// What `clEnqueueSVMMemcpy` and `clCommandSVMMemcpyKHR` do.
pub fn svm_copying(context: &Context, to: Option<HostSpan>, from: Option<HostSpan>) -> Result<Action, ApiError> {
    let (Some(to), Some(from)) = (to, from) else { return Err(ApiError::InvalidValue) };
    let alive = [context.svm.check(to)?, context.svm.check(from)?];
    if to.overlaps(&from) {
        return Err(ApiError::MemCopyOverlap);
    }
    Ok(action(Move::Linear { from, to }, alive))
}

/// `clEnqueueSVMMemFill`.
pub fn svm_fill(
    queue: &Arc<Queue>,
    to: Option<HostSpan>,
    pattern: Option<&[u8]>,
    waits: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    fill_as(queue, cl::CL_COMMAND_SVM_MEMFILL, to, pattern, waits)
}

/// A fill of any memory that the host and the device share.
pub(super) fn fill_as(
    queue: &Arc<Queue>,
    kind: cl::cl_command_type,
    to: Option<HostSpan>,
    pattern: Option<&[u8]>,
    waits: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    let action = svm_filling(&queue.context, to, pattern)?;
    enqueue(queue, kind, waits, action.into(), false)
}

/// What `clEnqueueSVMMemFill` and `clCommandSVMMemFillKHR` do.
pub fn svm_filling(context: &Context, to: Option<HostSpan>, pattern: Option<&[u8]>) -> Result<Action, ApiError> {
    let to = to.ok_or(ApiError::InvalidValue)?;
    let pattern = check_pattern(pattern, to.len())?;
    if !to.address().is_multiple_of(pattern.size()) {
        return Err(ApiError::InvalidValue);
    }
    let alive = context.svm.check(to)?;
    Ok(action(Move::Fill { to, pattern }, alive))
}

/// `clEnqueueSVMMap`. The host sees the memory always; the command only keeps its place in the queue.
pub fn svm_map(
    queue: &Arc<Queue>,
    blocking: bool,
    map_flags: cl::cl_map_flags,
    region: Option<HostSpan>,
    waits: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    let region = region.filter(|region| !region.is_empty()).ok_or(ApiError::InvalidValue)?;
    flags::check_map(map_flags)?;
    queue.context.svm.check(region)?;
    enqueue(queue, cl::CL_COMMAND_SVM_MAP, waits, Work::Nothing, blocking)
}

/// `clEnqueueSVMUnmap`.
pub fn svm_unmap(queue: &Arc<Queue>, address: usize, waits: &[Arc<Event>]) -> Result<Arc<Event>, ApiError> {
    if address == 0 {
        return Err(ApiError::InvalidValue);
    }
    enqueue(queue, cl::CL_COMMAND_SVM_UNMAP, waits, Work::Nothing, false)
}

/// `clEnqueueSVMMigrateMem`. `ranges` are the addresses with the sizes given for them, zero for the whole allocation.
pub fn svm_migrate(
    queue: &Arc<Queue>,
    ranges: &[(usize, usize)],
    migration_flags: cl::cl_mem_migration_flags,
    waits: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    if ranges.is_empty() {
        return Err(ApiError::InvalidValue);
    }
    flags::check_migration(migration_flags)?;
    // A range must lie inside one allocation.
    let svm = &queue.context.svm;
    if ranges.iter().any(|&(address, size)| size != 0 && !svm.contains(address, size)) {
        return Err(ApiError::InvalidValue);
    }
    enqueue(queue, cl::CL_COMMAND_SVM_MIGRATE_MEM, waits, Work::Nothing, false)
}

/// `clEnqueueSVMFree` without a callback: the allocations end when the command runs.
pub fn svm_free(queue: &Arc<Queue>, addresses: Vec<usize>, waits: &[Arc<Event>]) -> Result<Arc<Event>, ApiError> {
    let context = Arc::clone(&queue.context);
    let work = Work::Inline(Box::new(move || {
        for address in addresses {
            context.svm.free(address);
        }
        Ok(())
    }));
    enqueue(queue, cl::CL_COMMAND_SVM_FREE, waits, work, false)
}

/// `clEnqueueSVMFree` with a callback, which frees what it was told to.
pub fn svm_free_by(queue: &Arc<Queue>, callback: Foreign, waits: &[Arc<Event>]) -> Result<Arc<Event>, ApiError> {
    enqueue(queue, cl::CL_COMMAND_SVM_FREE, waits, Work::Native(callback), false)
}
