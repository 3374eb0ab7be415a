//! `clFinalizeCommandBufferKHR` and `clEnqueueCommandBufferKHR`.

use std::sync::Arc;

use khronos_headers as cl;

use super::{CommandBuffer, Graph};
use crate::ApiError;
use crate::command::Work;
use crate::event::Event;
use crate::queue::Queue;

impl CommandBuffer {
    /// `clFinalizeCommandBufferKHR`: nothing can be recorded any more.
    ///
    /// # Errors
    /// "CL_INVALID_OPERATION if command_buffer is not in the Recording state."
    pub fn finalize(&self) -> Result<(), ApiError> {
        let mut state = self.state.lock();
        if state.graph.is_some() {
            return Err(ApiError::InvalidOperation);
        }
        let order = Arc::new(state.sequence.finish());
        let commands = state.commands.iter().map(|command| command.action.clone()).collect();
        state.graph = Some(Arc::new(Graph { commands, order }));
        state.note_complete();
        Ok(())
    }

    /// `clEnqueueCommandBufferKHR`, to the queue that it was made for, or to another.
    ///
    /// # Errors
    /// "CL_INVALID_OPERATION if command_buffer is not in the Executable state"; `CL_INVALID_DEVICE` and
    /// `CL_INVALID_CONTEXT` if the other queue has not the device or the context of its own; those of [`Queue::enqueue`].
    pub fn enqueue(&self, other: Option<&Arc<Queue>>, wait_list: &[Arc<Event>]) -> Result<Arc<Event>, ApiError> {
        let graph = self.executable()?;
        let queue = other.unwrap_or(&self.queue);
        if !Arc::ptr_eq(&queue.device, &self.queue.device) {
            return Err(ApiError::InvalidDevice);
        }
        if !Arc::ptr_eq(&queue.context, &self.queue.context) {
            return Err(ApiError::InvalidContext);
        }
        queue.enqueue(cl::CL_COMMAND_COMMAND_BUFFER_KHR, wait_list, Work::Graph(graph))
    }

    /// What an enqueue executes.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION` if it is not in the Executable state.
    pub fn executable(&self) -> Result<Arc<Graph>, ApiError> {
        let state = self.state.lock();
        let graph = state.graph.as_ref().filter(|_| state.complete);
        graph.map(Arc::clone).ok_or(ApiError::InvalidOperation)
    }
}
