//! Native kernels: functions of the application that a queue calls in their turn.

use std::sync::Arc;

use khronos_headers as cl;
use oxicl_device::ArgumentBlock;
use oxicl_schedule::Foreign;

use crate::ApiError;
use crate::command::Work;
use crate::event::Event;
use crate::memory::Memory;
use crate::queue::Queue;

/// Makes a call of the function with the address of its copy of the arguments, 0 if it has none.
pub type Function = Box<dyn FnOnce(usize) -> Foreign + Send>;

/// A memory object among the arguments: where its address belongs, in bytes from their start.
#[derive(Clone)]
pub struct MemoryArgument {
    /// None stands for a null pointer.
    pub memory: Option<Arc<Memory>>,
    /// Offset in the arguments.
    pub offset: usize,
}

/// `clEnqueueNativeKernel`: the arguments are copied now, and the addresses of memory objects put in.
///
/// # Errors
/// `CL_INVALID_VALUE` if a memory object's place is outside the arguments; `CL_INVALID_CONTEXT` if one is of another
/// context.
pub fn enqueue(
    queue: &Arc<Queue>,
    function: Function,
    arguments: Option<&[u8]>,
    memory: Vec<MemoryArgument>,
    wait_list: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    let Some(bytes) = arguments else {
        return queue.enqueue(cl::CL_COMMAND_NATIVE_KERNEL, wait_list, Work::Native(function(0)));
    };
    let mut block = ArgumentBlock::new(bytes.len()).ok_or(ApiError::OutOfHostMemory)?;
    block.write(0, bytes).ok_or(ApiError::OutOfHostMemory)?;
    for argument in &memory {
        let address = argument.memory.as_ref().map_or(0, |memory| memory.address());
        let end = argument.offset.checked_add(size_of_val(&address)).ok_or(ApiError::InvalidValue)?;
        if end > bytes.len() {
            return Err(ApiError::InvalidValue.because("a place for a memory object is not among the arguments"));
        }
        if argument.memory.as_ref().is_some_and(|memory| !Arc::ptr_eq(&memory.context, &queue.context)) {
            return Err(ApiError::InvalidContext);
        }
        block.write(argument.offset, &address.to_ne_bytes()).ok_or(ApiError::InvalidValue)?;
    }
    let call = function(usize::try_from(block.address()).unwrap_or(0)).keeping(block).keeping(memory);
    queue.enqueue(cl::CL_COMMAND_NATIVE_KERNEL, wait_list, Work::Native(call))
}
