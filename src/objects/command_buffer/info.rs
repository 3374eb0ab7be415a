//! Queries about command buffers and their commands.

use std::sync::Arc;

use khronos_headers as cl;

use super::dispatch::{Dispatch, Range};
use super::{CommandBuffer, MutableCommand, State};
use crate::{ApiError, InfoValue};

impl State {
    fn name(&self) -> cl::cl_command_buffer_state_khr {
        match self.graph {
            None => cl::CL_COMMAND_BUFFER_STATE_RECORDING_KHR,
            Some(_) if self.complete => cl::CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR,
            Some(_) => cl::CL_COMMAND_BUFFER_STATE_FINALIZED_KHR,
        }
    }
}

impl CommandBuffer {
    /// `clGetCommandBufferInfoKHR`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` if there is no such query.
    pub fn info(&self, name: cl::cl_command_buffer_info_khr) -> Result<InfoValue, ApiError> {
        Ok(match name {
            cl::CL_COMMAND_BUFFER_NUM_QUEUES_KHR => InfoValue::U32(1),
            cl::CL_COMMAND_BUFFER_QUEUES_KHR => InfoValue::Queue(Arc::clone(&self.queue)),
            cl::CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR => InfoValue::ReferenceCount,
            cl::CL_COMMAND_BUFFER_STATE_KHR => InfoValue::U32(self.state.lock().name()),
            cl::CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR => InfoValue::u64s(self.properties.words()),
            cl::CL_COMMAND_BUFFER_CONTEXT_KHR => InfoValue::Context(Arc::clone(&self.queue.context)),
            _ => return Err(ApiError::InvalidValue),
        })
    }
}

impl MutableCommand {
    /// Its command buffer, which the application may have released a moment ago.
    ///
    /// # Errors
    /// `CL_INVALID_MUTABLE_COMMAND_KHR` if it did.
    pub(super) fn buffer(&self) -> Result<Arc<CommandBuffer>, ApiError> {
        self.buffer.upgrade().ok_or(ApiError::InvalidMutableCommand)
    }

    /// Number of dimensions of its index space, if an update may say so: zero stands for that number.
    ///
    /// # Errors
    /// "CL_INVALID_OPERATION if work_dim is not zero and different from the work_dim set on command recording."
    pub fn dimensions(&self, said: u32) -> Result<u32, ApiError> {
        let dimensions = self.dispatch(|dispatch| dispatch.range.dimensions)?;
        if said == 0 || said == dimensions { Ok(dimensions) } else { Err(ApiError::InvalidOperation) }
    }

    /// `clGetMutableCommandInfoKHR`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` if there is no such query.
    pub fn info(&self, name: cl::cl_mutable_command_info_khr) -> Result<InfoValue, ApiError> {
        let sides = |select: fn(&Range) -> [usize; 3]| {
            self.dispatch(|dispatch| {
                let range = &dispatch.range;
                InfoValue::sizes(select(range).into_iter().take(range.dimensions as usize))
            })
        };
        Ok(match name {
            cl::CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR => InfoValue::Queue(Arc::clone(&self.buffer()?.queue)),
            cl::CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR => InfoValue::CommandBuffer(self.buffer()?),
            // Only launches have handles.
            cl::CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR => InfoValue::U32(cl::CL_COMMAND_NDRANGE_KERNEL),
            cl::CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR => {
                InfoValue::u64s(self.dispatch(|dispatch| dispatch.properties.words())?)
            }
            cl::CL_MUTABLE_DISPATCH_KERNEL_KHR => {
                InfoValue::Kernel(self.dispatch(|dispatch| Arc::clone(&dispatch.recorded))?)
            }
            cl::CL_MUTABLE_DISPATCH_DIMENSIONS_KHR => InfoValue::U32(self.dimensions(0)?),
            cl::CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR => sides(|range| range.offset)?,
            cl::CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR => sides(|range| range.global)?,
            // "If a local work-item size was not set, zero is returned for each element in the array."
            cl::CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR => sides(|range| range.local.unwrap_or_default())?,
            _ => return Err(ApiError::InvalidValue),
        })
    }

    fn dispatch<R>(&self, read: impl FnOnce(&Dispatch) -> R) -> Result<R, ApiError> {
        let buffer = self.buffer()?;
        let state = buffer.state.lock();
        let command = state.commands.get(self.index).and_then(|command| command.mutable.as_ref());
        command.map(|(_, dispatch)| read(dispatch)).ok_or(ApiError::InvalidMutableCommand)
    }
}
