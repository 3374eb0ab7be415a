//! Commands on unified shared memory.

use std::sync::Arc;

use khronos_headers as cl;
use oxicl_device::HostSpan;

use super::commands::enqueue;
use super::flags;
use super::svm_commands::{copy_as, fill_as};
use crate::ApiError;
use crate::command::Work;
use crate::event::Event;
use crate::queue::Queue;

/// Values of advice that are set aside for advice to come.
const FUTURE_ADVICE: std::ops::RangeInclusive<cl::cl_mem_advice_intel> = 0x4208..=0x420F;

/// `clEnqueueMemcpyINTEL`. A span is none if the application's pointer is null.
pub fn usm_copy(
    queue: &Arc<Queue>,
    blocking: bool,
    to: Option<HostSpan>,
    from: Option<HostSpan>,
    waits: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    copy_as(queue, cl::CL_COMMAND_MEMCPY_INTEL, blocking, to, from, waits)
}

/// `clEnqueueMemFillINTEL` and `clEnqueueMemsetINTEL`.
pub fn usm_fill(
    queue: &Arc<Queue>,
    to: Option<HostSpan>,
    pattern: Option<&[u8]>,
    waits: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    fill_as(queue, cl::CL_COMMAND_MEMFILL_INTEL, to, pattern, waits)
}

/// `clEnqueueMigrateMemINTEL`, a hint: nothing moves, and the command only keeps its place in the queue. No flags at all
/// mean the queue's device, as for other migrations.
pub fn usm_migrate(
    queue: &Arc<Queue>,
    migration_flags: cl::cl_mem_migration_flags,
    waits: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    flags::check_migration(migration_flags)?;
    enqueue(queue, cl::CL_COMMAND_MIGRATEMEM_INTEL, waits, Work::Nothing, false)
}

/// `clEnqueueMemAdviseINTEL`, a hint. Advice that is not followed is ignored; what can never be advice is an error.
pub fn usm_advise(
    queue: &Arc<Queue>,
    advice: cl::cl_mem_advice_intel,
    waits: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    if advice != 0 && !FUTURE_ADVICE.contains(&advice) {
        return Err(ApiError::InvalidValue.because("there is no such advice"));
    }
    enqueue(queue, cl::CL_COMMAND_MEMADVISE_INTEL, waits, Work::Nothing, false)
}
