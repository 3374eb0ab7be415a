//! Queries about events.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use khronos_headers as cl;

use super::{Event, Owner};
use crate::{ApiError, InfoValue};

impl Event {
    /// `clGetEventInfo`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` if there is no such query.
    pub fn info(self: &Arc<Self>, name: cl::cl_event_info) -> Result<InfoValue, ApiError> {
        match name {
            cl::CL_EVENT_COMMAND_QUEUE => Ok(match &self.owner {
                Owner::Queue(queue) => InfoValue::Queue(queue.clone()),
                // "For user events this value is NULL."
                Owner::Context(_) => InfoValue::Null,
            }),
            cl::CL_EVENT_CONTEXT => Ok(InfoValue::Context(self.context().clone())),
            cl::CL_EVENT_COMMAND_TYPE => Ok(InfoValue::U32(self.kind)),
            cl::CL_EVENT_COMMAND_EXECUTION_STATUS => {
                self.bury();
                // Who asks again and again until the command has ended has not always flushed.
                if let Some(queue) = self.queue()
                    && self.is_held()
                    && self.ended().is_none()
                {
                    queue.flush();
                }
                Ok(InfoValue::U32(self.status.load(Ordering::Acquire).cast_unsigned()))
            }
            cl::CL_EVENT_REFERENCE_COUNT => Ok(InfoValue::ReferenceCount),
            _ => Err(ApiError::InvalidValue.because("there is no such query")),
        }
    }

    /// `clGetEventProfilingInfo`: "CL_PROFILING_INFO_NOT_AVAILABLE if the CL_QUEUE_PROFILING_ENABLE flag is not set for
    /// the command-queue, if the execution status of the command identified by event is not CL_COMPLETE or if event is a
    /// user event object".
    ///
    /// # Errors
    /// As said; `CL_INVALID_VALUE` if there is no such query.
    pub fn profiling_info(&self, name: cl::cl_profiling_info) -> Result<InfoValue, ApiError> {
        let times = &self.times;
        let time = match name {
            cl::CL_PROFILING_COMMAND_QUEUED => &times.queued,
            cl::CL_PROFILING_COMMAND_SUBMIT => &times.submit,
            cl::CL_PROFILING_COMMAND_START => &times.start,
            // No command has children: nothing is enqueued by kernels.
            cl::CL_PROFILING_COMMAND_END | cl::CL_PROFILING_COMMAND_COMPLETE => &times.end,
            _ => return Err(ApiError::InvalidValue.because("there is no such query")),
        };
        let profiles = self.queue().is_some_and(|queue| queue.profiles());
        if !profiles || self.ended() != Some(cl::CL_COMPLETE) {
            return Err(ApiError::ProfilingInfoNotAvailable);
        }
        Ok(InfoValue::U64(time.load(Ordering::Relaxed)))
    }
}
