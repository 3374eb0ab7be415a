//! Semaphores: `cl_khr_semaphore`.

use std::ffi::c_void;

use khronos_headers::{
    CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR, CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, CL_SEMAPHORE_TYPE_KHR,
    cl_command_queue, cl_context, cl_device_id, cl_event, cl_external_semaphore_handle_type_khr, cl_semaphore_info_khr,
    cl_semaphore_khr, cl_semaphore_payload_khr, cl_semaphore_properties_khr, cl_uint,
};
use oxicl_objects::ApiError;
use oxicl_objects::context::Context;
use oxicl_objects::device::Device;
use oxicl_objects::queue::Queue;
use oxicl_objects::semaphore::{self, Properties, Semaphore};

use crate::call::Call;
use crate::entry::entries;

/// More devices than any list names; it may name but one.
const MOST_DEVICES: usize = 4096;

/// A property list, in which one property has a list of its own. The first name that is not to be there is the last thing
/// that is read.
fn properties(call: &Call, list: *const cl_semaphore_properties_khr) -> Result<Properties, ApiError> {
    const KIND: u64 = CL_SEMAPHORE_TYPE_KHR as u64;
    const DEVICES: u64 = CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR as u64;
    const END: u64 = CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR as u64;
    let mut read = Properties::default();
    let mut next = list;
    // "CL_INVALID_VALUE if sema_props is NULL."
    while let Some(name) = call.read(next) {
        read.words.push(name);
        next = next.wrapping_add(1);
        match name {
            0 => return Ok(read),
            KIND if read.kind.is_none() => {
                read.kind = call.read(next);
                read.words.extend(read.kind);
                next = next.wrapping_add(1);
            }
            DEVICES if read.devices.is_none() => {
                let handles = call.until(next, END, MOST_DEVICES).map_err(|_| ApiError::InvalidDevice)?;
                next = next.wrapping_add(handles.len() + 1);
                let device =
                    |handle: &u64| call.object::<Device>(std::ptr::with_exposed_provenance_mut(*handle as usize));
                read.devices = Some(handles.iter().map(device).collect::<Result<_, _>>()?);
                read.words.extend(handles.iter().chain(&[END]));
            }
            _ => return Err(ApiError::InvalidProperty),
        }
    }
    Err(ApiError::InvalidValue)
}

entries! {
    slots {}
    others {
        create fn clCreateSemaphoreWithPropertiesKHR(
            call, context: cl_context, sema_props: *const cl_semaphore_properties_khr,
        ) -> cl_semaphore_khr {
            let context = call.object::<Context>(context)?;
            let properties = properties(call, sema_props)?;
            call.give(&Semaphore::create(&context, properties)?)
        }

        // Binary semaphores take no payload.
        status fn clEnqueueWaitSemaphoresKHR(
            call, command_queue: cl_command_queue, num_sema_objects: cl_uint, sema_objects: *const cl_semaphore_khr,
            _sema_payload_list: *const cl_semaphore_payload_khr, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let semaphores = call.objects::<Semaphore>(num_sema_objects, sema_objects)?;
            let wait_list = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            call.give_event(event, &semaphore::wait(&queue, &semaphores, &wait_list)?)
        }

        status fn clEnqueueSignalSemaphoresKHR(
            call, command_queue: cl_command_queue, num_sema_objects: cl_uint, sema_objects: *const cl_semaphore_khr,
            _sema_payload_list: *const cl_semaphore_payload_khr, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let semaphores = call.objects::<Semaphore>(num_sema_objects, sema_objects)?;
            let wait_list = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            call.give_event(event, &semaphore::signal(&queue, &semaphores, &wait_list)?)
        }

        status fn clGetSemaphoreInfoKHR(
            call, sema_object: cl_semaphore_khr, param_name: cl_semaphore_info_khr, param_value_size: usize,
            param_value: *mut c_void, param_value_size_ret: *mut usize,
        ) {
            let semaphore = call.object::<Semaphore>(sema_object)?;
            call.info(&semaphore, semaphore.info(param_name)?, param_value_size, param_value, param_value_size_ret)
        }

        status fn clReleaseSemaphoreKHR(call, sema_object: cl_semaphore_khr) {
            call.release::<Semaphore>(sema_object)
        }

        status fn clRetainSemaphoreKHR(call, sema_object: cl_semaphore_khr) {
            call.retain::<Semaphore>(sema_object)
        }

        // Of cl_khr_external_semaphore, which is not offered; clients look it up together with the others.
        status fn clGetSemaphoreHandleForTypeKHR(
            call, sema_object: cl_semaphore_khr, device: cl_device_id,
            _handle_type: cl_external_semaphore_handle_type_khr, _handle_size: usize, _handle_ptr: *mut c_void,
            _handle_size_ret: *mut usize,
        ) {
            let semaphore = call.object::<Semaphore>(sema_object)?;
            Err(semaphore.export(&*call.object::<Device>(device)?))
        }
    }
    aliases {}
}
