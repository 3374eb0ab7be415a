//! `clEnqueueNDRangeKernel` and `clEnqueueTask`.

use std::sync::Arc;

use khronos_headers as cl;

use super::{Kernel, OnDevice};
use crate::ApiError;
use crate::command::Action;
use crate::context::Context;
use crate::device::Device;
use crate::event::Event;
use crate::ndrange::Request;
use crate::queue::Queue;

impl Kernel {
    /// Enqueues a launch with the arguments as they are now.
    ///
    /// # Errors
    /// Those of [`Kernel::dispatch`] and of [`Queue::enqueue`].
    pub fn enqueue(
        &self,
        queue: &Arc<Queue>,
        kind: cl::cl_command_type,
        request: Request<'_>,
        wait_list: &[Arc<Event>],
    ) -> Result<Arc<Event>, ApiError> {
        let action = self.dispatch(&queue.context, &queue.device, request)?;
        queue.enqueue(kind, wait_list, action.into())
    }

    /// A launch with the arguments as they are now.
    ///
    /// # Errors
    /// "CL_INVALID_CONTEXT if context associated with command_queue and kernel are not the same"; "CL_INVALID_PROGRAM_EXECUTABLE
    /// if there is no successfully built program executable available for device associated with command_queue";
    /// `CL_INVALID_KERNEL_ARGS`; those of [`Rules::check`](crate::ndrange::Rules::check).
    pub fn dispatch(
        &self,
        context: &Arc<Context>,
        device: &Arc<Device>,
        request: Request<'_>,
    ) -> Result<Action, ApiError> {
        let on = self.in_context(context, device)?;
        let facts = on.kernel.facts()?;
        let arguments = self.capture(device)?;
        let Some(range) = self.rules(on, facts, arguments.dynamic_local).check(request)? else {
            return Ok(Action::Nothing);
        };
        let job = Arc::clone(&on.kernel).launch(&range, arguments)?;
        Ok(match on.kernel.pending() {
            Some(code) => Action::Launch(job, code),
            None => Action::Job(job),
        })
    }

    /// Checks an index space while arguments are missing.
    ///
    /// # Errors
    /// Those of [`Kernel::dispatch`] but for the arguments.
    pub fn check_range(
        &self,
        context: &Arc<Context>,
        device: &Arc<Device>,
        request: Request<'_>,
    ) -> Result<(), ApiError> {
        let on = self.in_context(context, device)?;
        let facts = on.kernel.facts()?;
        self.rules(on, facts, self.dynamic_local(facts)).check(request).map(drop)
    }

    fn in_context(&self, context: &Arc<Context>, device: &Arc<Device>) -> Result<&OnDevice, ApiError> {
        if !Arc::ptr_eq(&self.program().context, context) {
            return Err(ApiError::InvalidContext);
        }
        let index = self.index_of(device).ok_or(ApiError::InvalidProgramExecutable)?;
        self.devices.get(index).ok_or(ApiError::InvalidProgramExecutable)
    }
}
