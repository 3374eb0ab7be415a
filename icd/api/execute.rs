//! Commands that run kernels.

use std::ffi::c_void;

use khronos_headers::{
    CL_COMMAND_NDRANGE_KERNEL, CL_COMMAND_TASK, cl_command_queue, cl_event, cl_kernel, cl_mem, cl_native_kernel,
    cl_uint,
};
use oxicl_objects::ApiError;
use oxicl_objects::kernel::Kernel;
use oxicl_objects::memory::Memory;
use oxicl_objects::native::{self, MemoryArgument};
use oxicl_objects::ndrange::Request;
use oxicl_objects::queue::Queue;

use crate::call::Call;
use crate::callback::native_kernel;
use crate::entry::entries;

/// The memory objects of a native kernel, and where in its arguments their addresses belong.
fn native_memory(
    call: &Call,
    args: *mut c_void,
    count: cl_uint,
    mem_list: *const cl_mem,
    args_mem_loc: *mut *const c_void,
) -> Result<Vec<MemoryArgument>, ApiError> {
    // "CL_INVALID_VALUE if num_mem_objects > 0 and mem_list or args_mem_loc are NULL", "if num_mem_objects = 0 and
    // mem_list or args_mem_loc are not NULL."
    if (count == 0) != mem_list.is_null() || (count == 0) != args_mem_loc.is_null() {
        return Err(ApiError::InvalidValue.because("the memory objects, their places and their number disagree"));
    }
    let handles = call.slice(mem_list, count as usize)?;
    let places = call.slice(args_mem_loc.cast_const(), count as usize)?;
    let mut memory = Vec::new();
    memory.try_reserve_exact(handles.len()).map_err(|_| ApiError::OutOfHostMemory)?;
    for (handle, place) in handles.iter().zip(places) {
        let offset = place
            .addr()
            .checked_sub(args.addr())
            .ok_or_else(|| ApiError::InvalidValue.because("a place for a memory object is not among the arguments"))?;
        memory.push(MemoryArgument { memory: call.optional_object::<Memory>(*handle)?, offset });
    }
    Ok(memory)
}

/// The sizes of an index space; none for a null pointer.
pub(super) fn sizes(call: &Call, pointer: *const usize, dimensions: cl_uint) -> Result<Option<&[usize]>, ApiError> {
    if pointer.is_null() { Ok(None) } else { call.slice(pointer, dimensions as usize).map(Some) }
}

entries! {
    slots {
        status fn clEnqueueNDRangeKernel(
            call, command_queue: cl_command_queue, kernel: cl_kernel, work_dim: cl_uint,
            global_work_offset: *const usize, global_work_size: *const usize, local_work_size: *const usize,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let kernel = call.object::<Kernel>(kernel)?;
            // Before anything is read that this number says the length of.
            if !(1..=3).contains(&work_dim) {
                return Err(ApiError::InvalidWorkDimension);
            }
            let request = Request {
                dimensions: work_dim,
                offset: sizes(call, global_work_offset, work_dim)?,
                global: sizes(call, global_work_size, work_dim)?,
                local: sizes(call, local_work_size, work_dim)?,
            };
            let wait_list = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            call.give_event(event, &kernel.enqueue(&queue, CL_COMMAND_NDRANGE_KERNEL, request, &wait_list)?)
        }

        status fn clEnqueueTask(
            call, command_queue: cl_command_queue, kernel: cl_kernel, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let kernel = call.object::<Kernel>(kernel)?;
            let wait_list = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let request = Request { dimensions: 1, offset: None, global: Some(&[1]), local: Some(&[1]) };
            call.give_event(event, &kernel.enqueue(&queue, CL_COMMAND_TASK, request, &wait_list)?)
        }

        status fn clEnqueueNativeKernel(
            call, command_queue: cl_command_queue, user_func: cl_native_kernel, args: *mut c_void, cb_args: usize,
            num_mem_objects: cl_uint, mem_list: *const cl_mem, args_mem_loc: *mut *const c_void,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let function = user_func.ok_or_else(|| ApiError::InvalidValue.because("there is no function to call"))?;
            // "CL_INVALID_VALUE if args is a NULL value and cb_args > 0, or if args is a NULL value and
            // num_mem_objects > 0", "if args is not NULL and cb_args is 0".
            if args.is_null() != (cb_args == 0) || (args.is_null() && num_mem_objects > 0) {
                return Err(ApiError::InvalidValue.because("the arguments and their size disagree"));
            }
            let memory = native_memory(call, args, num_mem_objects, mem_list, args_mem_loc)?;
            let wait_list = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let arguments = call.bytes(args, cb_args);
            call.give_event(event, &native::enqueue(&queue, native_kernel(function), arguments, memory, &wait_list)?)
        }
    }
    others {}
    aliases {}
}
