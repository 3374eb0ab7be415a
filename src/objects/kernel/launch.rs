//! `clEnqueueNDRangeKernel` and `clEnqueueTask`.

use std::sync::Arc;

use khronos_headers as cl;

use super::Kernel;
use crate::ApiError;
use crate::command::Work;
use crate::event::Event;
use crate::ndrange::Request;
use crate::queue::Queue;

impl Kernel {
    /// Enqueues a launch with the arguments as they are now.
    ///
    /// # Errors
    /// "CL_INVALID_CONTEXT if context associated with command_queue and kernel are not the same"; "CL_INVALID_PROGRAM_EXECUTABLE
    /// if there is no successfully built program executable available for device associated with command_queue";
    /// `CL_INVALID_KERNEL_ARGS`; those of [`Rules::check`](crate::ndrange::Rules::check) and of [`Queue::enqueue`].
    pub fn enqueue(
        &self,
        queue: &Arc<Queue>,
        kind: cl::cl_command_type,
        request: Request<'_>,
        wait_list: &[Arc<Event>],
    ) -> Result<Arc<Event>, ApiError> {
        if !Arc::ptr_eq(&self.program().context, &queue.context) {
            return Err(ApiError::InvalidContext);
        }
        let index = self.index_of(&queue.device).ok_or(ApiError::InvalidProgramExecutable)?;
        let on = self.devices.get(index).ok_or(ApiError::InvalidProgramExecutable)?;
        let arguments = self.capture(&queue.device)?;
        let rules = self.rules(on, arguments.dynamic_local);
        let work = match rules.check(request)? {
            Some(range) => Arc::clone(&on.kernel).launch(&range, arguments)?,
            None => Work::Nothing,
        };
        queue.enqueue(kind, wait_list, work)
    }
}
