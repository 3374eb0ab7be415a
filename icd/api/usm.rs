//! Unified shared memory: `cl_intel_unified_shared_memory`.

use std::ffi::c_void;
use std::ptr::with_exposed_provenance_mut;

use khronos_headers::{
    cl_bool, cl_command_queue, cl_context, cl_device_id, cl_event, cl_int, cl_kernel, cl_mem_advice_intel,
    cl_mem_info_intel, cl_mem_migration_flags, cl_mem_properties_intel, cl_uint,
};
use oxicl_objects::ApiError;
use oxicl_objects::context::Context;
use oxicl_objects::device::Device;
use oxicl_objects::kernel::Kernel;
use oxicl_objects::memory::{self, UsmType};
use oxicl_objects::queue::Queue;

use crate::call::Call;
use crate::entry::entries;

/// The arguments that all three kinds of allocation have in common.
struct Allocation {
    context: cl_context,
    properties: *const cl_mem_properties_intel,
    size: usize,
    alignment: cl_uint,
}

/// `device` is none where the function has no such parameter, and null where the application named no device.
fn allocate(
    call: &Call,
    owner: UsmType,
    device: Option<cl_device_id>,
    what: &Allocation,
) -> Result<*mut c_void, ApiError> {
    let context = call.object::<Context>(what.context)?;
    let device = match (device, owner) {
        (None, _) => None,
        (Some(device), UsmType::Shared) => call.optional_object::<Device>(device)?,
        (Some(device), _) => Some(call.object::<Device>(device)?),
    };
    let properties = call.properties(what.properties)?;
    let address = context.allocate_usm(owner, device, &properties, what.size, what.alignment as usize)?;
    Ok(with_exposed_provenance_mut(address))
}

fn free(call: &Call, context: cl_context, ptr: *mut c_void, blocking: bool) -> Result<(), ApiError> {
    call.object::<Context>(context)?.free_usm(ptr.addr(), blocking)
}

entries! {
    slots {}

    others {
        create fn clHostMemAllocINTEL(
            call, context: cl_context, properties: *const cl_mem_properties_intel, size: usize, alignment: cl_uint,
        ) -> *mut c_void {
            allocate(call, UsmType::Host, None, &Allocation { context, properties, size, alignment })
        }

        create fn clDeviceMemAllocINTEL(
            call, context: cl_context, device: cl_device_id, properties: *const cl_mem_properties_intel, size: usize,
            alignment: cl_uint,
        ) -> *mut c_void {
            allocate(call, UsmType::Device, Some(device), &Allocation { context, properties, size, alignment })
        }

        create fn clSharedMemAllocINTEL(
            call, context: cl_context, device: cl_device_id, properties: *const cl_mem_properties_intel, size: usize,
            alignment: cl_uint,
        ) -> *mut c_void {
            allocate(call, UsmType::Shared, Some(device), &Allocation { context, properties, size, alignment })
        }

        status fn clMemFreeINTEL(call, context: cl_context, ptr: *mut c_void) {
            free(call, context, ptr, false)
        }

        status fn clMemBlockingFreeINTEL(call, context: cl_context, ptr: *mut c_void) {
            free(call, context, ptr, true)
        }

        status fn clGetMemAllocInfoINTEL(
            call, context: cl_context, ptr: *const c_void, param_name: cl_mem_info_intel, param_value_size: usize,
            param_value: *mut c_void, param_value_size_ret: *mut usize,
        ) {
            let context = call.object::<Context>(context)?;
            let value = context.usm_info(ptr.addr(), param_name)?;
            call.info(&context, value, param_value_size, param_value, param_value_size_ret)
        }

        status fn clSetKernelArgMemPointerINTEL(
            call, kernel: cl_kernel, arg_index: cl_uint, arg_value: *const c_void,
        ) {
            call.object::<Kernel>(kernel)?.set_svm_argument(arg_index, arg_value.expose_provenance())
        }

        status fn clEnqueueMemFillINTEL(
            call, command_queue: cl_command_queue, dst_ptr: *mut c_void, pattern: *const c_void, pattern_size: usize,
            size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let pattern = call.pattern(pattern, pattern_size);
            let done = memory::usm_fill(&queue, call.span(dst_ptr, size), pattern, &waits)?;
            call.give_event(event, &done)
        }

        status fn clEnqueueMemsetINTEL(
            call, command_queue: cl_command_queue, dst_ptr: *mut c_void, value: cl_int, size: usize,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            // As of `memset`: the value's lowest byte.
            let pattern = [value as u8];
            let done = memory::usm_fill(&queue, call.span(dst_ptr, size), Some(&pattern), &waits)?;
            call.give_event(event, &done)
        }

        status fn clEnqueueMemcpyINTEL(
            call, command_queue: cl_command_queue, blocking: cl_bool, dst_ptr: *mut c_void, src_ptr: *const c_void,
            size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let (to, from) = (call.span(dst_ptr, size), call.span(src_ptr, size));
            let done = memory::usm_copy(&queue, blocking != 0, to, from, &waits)?;
            call.give_event(event, &done)
        }

        status fn clEnqueueMigrateMemINTEL(
            call, command_queue: cl_command_queue, _ptr: *const c_void, _size: usize, flags: cl_mem_migration_flags,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let done = memory::usm_migrate(&queue, flags, &waits)?;
            call.give_event(event, &done)
        }

        status fn clEnqueueMemAdviseINTEL(
            call, command_queue: cl_command_queue, _ptr: *const c_void, _size: usize, advice: cl_mem_advice_intel,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let done = memory::usm_advise(&queue, advice, &waits)?;
            call.give_event(event, &done)
        }
    }

    aliases {}
}
