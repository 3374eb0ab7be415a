//! Shared virtual memory.

use std::ffi::c_void;
use std::ptr::{null_mut, with_exposed_provenance_mut};
use std::sync::Arc;

use khronos_headers::{
    cl_bool, cl_command_queue, cl_context, cl_device_id, cl_event, cl_map_flags, cl_mem_migration_flags,
    cl_svm_alloc_properties_khr, cl_svm_capabilities_khr, cl_svm_free_flags_khr, cl_svm_free_notify,
    cl_svm_free_properties_khr, cl_svm_mem_flags, cl_svm_pointer_info_khr, cl_uint,
};
use oxicl_objects::ApiError;
use oxicl_objects::context::Context;
use oxicl_objects::device::Device;
use oxicl_objects::memory;
use oxicl_objects::properties::PropertyList;
use oxicl_objects::queue::Queue;

use crate::call::Call;
use crate::callback;
use crate::entry::entries;

/// The addresses in an array; `CL_INVALID_VALUE` if only one of array and count says that there are any.
fn addresses(call: &Call, count: cl_uint, pointers: *const *const c_void) -> Result<Vec<usize>, ApiError> {
    if (count == 0) != pointers.is_null() {
        return Err(ApiError::InvalidValue.because("the list of pointers and its length disagree"));
    }
    Ok(call.slice(pointers, count as usize)?.iter().map(|pointer| pointer.expose_provenance()).collect())
}

/// A property list, and the device that it names.
fn properties(
    call: &Call,
    list: *const cl_svm_alloc_properties_khr,
) -> Result<(PropertyList, Option<Arc<Device>>), ApiError> {
    let list = call.properties(list)?;
    let device = list.get(memory::SVM_DEVICE);
    let device =
        device.map(|handle| call.object::<Device>(with_exposed_provenance_mut(handle as usize))).transpose()?;
    Ok((list, device))
}

entries! {
    slots {
        value fn clSVMAlloc(
            call, context: cl_context, flags: cl_svm_mem_flags, size: usize, alignment: cl_uint,
        ) -> *mut c_void {
            let allocated = call
                .object::<Context>(context)
                .and_then(|context| context.svm.allocate(&context, flags, size, alignment as usize));
            allocated.map_or_else(
                |error| {
                    call.failed(error);
                    null_mut()
                },
                with_exposed_provenance_mut,
            )
        }

        value fn clSVMFree(call, context: cl_context, svm_pointer: *mut c_void) {
            if let Ok(context) = call.object::<Context>(context) {
                context.svm.free(svm_pointer.addr());
            }
        }

        status fn clEnqueueSVMFree(
            call, command_queue: cl_command_queue, num_svm_pointers: cl_uint, svm_pointers: *mut *mut c_void,
            pfn_free_func: cl_svm_free_notify, user_data: *mut c_void, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let pointers = addresses(call, num_svm_pointers, svm_pointers.cast())?;
            let done = match pfn_free_func {
                Some(function) => {
                    let callback = callback::svm_free_notify(function, command_queue, pointers, user_data);
                    memory::svm_free_by(&queue, callback, &waits)?
                }
                None => memory::svm_free(&queue, pointers, &waits)?,
            };
            call.give_event(event, &done)
        }

        status fn clEnqueueSVMMemcpy(
            call, command_queue: cl_command_queue, blocking_copy: cl_bool, dst_ptr: *mut c_void,
            src_ptr: *const c_void, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
            event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let (to, from) = (call.span(dst_ptr, size), call.span(src_ptr, size));
            let done = memory::svm_copy(&queue, blocking_copy != 0, to, from, &waits)?;
            call.give_event(event, &done)
        }

        status fn clEnqueueSVMMemFill(
            call, command_queue: cl_command_queue, svm_ptr: *mut c_void, pattern: *const c_void, pattern_size: usize,
            size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let pattern = call.pattern(pattern, pattern_size);
            let done = memory::svm_fill(&queue, call.span(svm_ptr, size), pattern, &waits)?;
            call.give_event(event, &done)
        }

        status fn clEnqueueSVMMap(
            call, command_queue: cl_command_queue, blocking_map: cl_bool, flags: cl_map_flags, svm_ptr: *mut c_void,
            size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let done = memory::svm_map(&queue, blocking_map != 0, flags, call.span(svm_ptr, size), &waits)?;
            call.give_event(event, &done)
        }

        status fn clEnqueueSVMUnmap(
            call, command_queue: cl_command_queue, svm_ptr: *mut c_void, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let done = memory::svm_unmap(&queue, svm_ptr.addr(), &waits)?;
            call.give_event(event, &done)
        }

        status fn clEnqueueSVMMigrateMem(
            call, command_queue: cl_command_queue, num_svm_pointers: cl_uint, svm_pointers: *mut *const c_void,
            sizes: *const usize, flags: cl_mem_migration_flags, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let pointers = addresses(call, num_svm_pointers, svm_pointers)?;
            // No array of sizes means the whole allocation for each.
            let sizes = if sizes.is_null() { &[] } else { call.slice(sizes, pointers.len())? };
            let sizes = sizes.iter().copied().chain(std::iter::repeat(0));
            let ranges: Vec<(usize, usize)> = pointers.into_iter().zip(sizes).collect();
            let done = memory::svm_migrate(&queue, &ranges, flags, &waits)?;
            call.give_event(event, &done)
        }
    }
    others {
        create fn clSVMAllocWithPropertiesKHR(
            call, context: cl_context, properties: *const cl_svm_alloc_properties_khr, svm_type_index: cl_uint,
            size: usize,
        ) -> *mut c_void {
            let context = call.object::<Context>(context)?;
            let (list, device) = self::properties(call, properties)?;
            let address = context.allocate_unified_svm(svm_type_index, device, list, size)?;
            Ok(with_exposed_provenance_mut(address))
        }

        status fn clSVMFreeWithPropertiesKHR(
            call, context: cl_context, properties: *const cl_svm_free_properties_khr, flags: cl_svm_free_flags_khr,
            ptr: *mut c_void,
        ) {
            let context = call.object::<Context>(context)?;
            context.free_unified_svm(&call.properties(properties)?, flags, ptr.addr())
        }

        status fn clGetSVMPointerInfoKHR(
            call, context: cl_context, device: cl_device_id, ptr: *const c_void, param_name: cl_svm_pointer_info_khr,
            param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize,
        ) {
            let context = call.object::<Context>(context)?;
            let device = call.optional_object::<Device>(device)?;
            let value = context.svm_pointer_info(device.as_ref(), ptr.addr(), param_name)?;
            call.info(&context, value, param_value_size, param_value, param_value_size_ret)
        }

        status fn clGetSVMSuggestedTypeIndexKHR(
            call, context: cl_context, required_capabilities: cl_svm_capabilities_khr,
            desired_capabilities: cl_svm_capabilities_khr, properties: *const cl_svm_alloc_properties_khr, size: usize,
            suggested_svm_type_index: *mut cl_uint,
        ) {
            let context = call.object::<Context>(context)?;
            let (list, device) = self::properties(call, properties)?;
            let (required, desired) = (required_capabilities, desired_capabilities);
            let index = context.suggested_svm_type(required, desired, device.as_ref(), &list, size)?;
            if suggested_svm_type_index.is_null() {
                return Err(ApiError::InvalidValue);
            }
            call.write(suggested_svm_type_index, index);
            Ok(())
        }
    }
    aliases {}
}
