//! What all memory objects have in common.

use std::ffi::c_void;
use std::sync::Arc;

use khronos_headers::{
    cl_command_queue, cl_event, cl_mem, cl_mem_destructor, cl_mem_info, cl_mem_migration_flags, cl_uint,
};
use oxicl_objects::ApiError;
use oxicl_objects::memory::{self, Memory};
use oxicl_objects::queue::Queue;

use crate::call::Call;
use crate::callback;
use crate::entry::entries;

/// A buffer.
pub(super) fn buffer(call: &Call, handle: cl_mem) -> Result<Arc<Memory>, ApiError> {
    call.object::<Memory>(handle)?.as_buffer()
}

/// An image.
pub(super) fn image(call: &Call, handle: cl_mem) -> Result<Arc<Memory>, ApiError> {
    call.object::<Memory>(handle)?.into_image()
}

entries! {
    slots {
        status fn clRetainMemObject(call, memobj: cl_mem) {
            call.retain::<Memory>(memobj)
        }

        status fn clReleaseMemObject(call, memobj: cl_mem) {
            call.release::<Memory>(memobj)
        }

        status fn clGetMemObjectInfo(
            call, memobj: cl_mem, param_name: cl_mem_info, param_value_size: usize, param_value: *mut c_void,
            param_value_size_ret: *mut usize,
        ) {
            let object = call.object::<Memory>(memobj)?;
            let value = object.info(param_name)?;
            call.info(&object, value, param_value_size, param_value, param_value_size_ret)
        }

        status fn clSetMemObjectDestructorCallback(
            call, memobj: cl_mem, pfn_notify: cl_mem_destructor, user_data: *mut c_void,
        ) {
            let object = call.object::<Memory>(memobj)?;
            let function = pfn_notify.ok_or_else(|| ApiError::InvalidValue.because("there is no function to call"))?;
            object.on_destruction(callback::with_handle(function, memobj, user_data));
            Ok(())
        }

        status fn clEnqueueUnmapMemObject(
            call, command_queue: cl_command_queue, memobj: cl_mem, mapped_ptr: *mut c_void,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let object = call.object::<Memory>(memobj)?;
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let done = memory::unmap(&queue, &object, mapped_ptr.addr(), &waits)?;
            call.give_event(event, &done)
        }

        status fn clEnqueueMigrateMemObjects(
            call, command_queue: cl_command_queue, num_mem_objects: cl_uint, mem_objects: *const cl_mem,
            flags: cl_mem_migration_flags, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
            event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let objects = call.objects::<Memory>(num_mem_objects, mem_objects)?;
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let done = memory::migrate(&queue, &objects, flags, &waits)?;
            call.give_event(event, &done)
        }
    }
    others {}
    aliases {}
}
