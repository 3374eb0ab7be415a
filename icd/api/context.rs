//! Contexts.

use std::ffi::c_void;

use khronos_headers::{
    cl_context, cl_context_destructor, cl_context_info, cl_context_notify, cl_context_properties, cl_device_id,
    cl_device_type, cl_uint,
};
use oxicl_objects::ApiError;
use oxicl_objects::context::Context;
use oxicl_objects::device::Device;

use crate::callback::{self, Notify};
use crate::entry::entries;
use crate::{devices, handle};

/// Whether the value of `CL_CONTEXT_PLATFORM` is the platform's handle.
fn is_platform(value: u64) -> bool {
    handle::handle_of(devices::platform()).is_ok_and(|handle| handle.as_opaque().addr() as u64 == value)
}

/// The callback for errors. "CL_INVALID_VALUE if pfn_notify is NULL but user_data is not NULL."
fn notify(function: cl_context_notify, user_data: *mut c_void) -> Result<Option<Notify>, ApiError> {
    if function.is_none() && !user_data.is_null() {
        return Err(ApiError::InvalidValue.because("there is data for a callback, but no callback"));
    }
    Ok(callback::context_notify(function, user_data))
}

entries! {
    slots {
        create fn clCreateContext(
            call, properties: *const cl_context_properties, num_devices: cl_uint, devices: *const cl_device_id,
            pfn_notify: cl_context_notify, user_data: *mut c_void,
        ) -> cl_context {
            let notify = notify(pfn_notify, user_data)?;
            let properties = call.properties(properties)?;
            let devices = call.objects::<Device>(num_devices, devices)?;
            call.give(&Context::create(properties, is_platform, devices, notify)?)
        }

        create fn clCreateContextFromType(
            call, properties: *const cl_context_properties, device_type: cl_device_type,
            pfn_notify: cl_context_notify, user_data: *mut c_void,
        ) -> cl_context {
            let notify = notify(pfn_notify, user_data)?;
            let properties = call.properties(properties)?;
            call.give(&Context::create_from_type(devices::platform(), properties, is_platform, device_type, notify)?)
        }

        status fn clRetainContext(call, context: cl_context) {
            call.retain::<Context>(context)
        }

        status fn clReleaseContext(call, context: cl_context) {
            call.release::<Context>(context)
        }

        status fn clGetContextInfo(
            call, context: cl_context, param_name: cl_context_info, param_value_size: usize,
            param_value: *mut c_void, param_value_size_ret: *mut usize,
        ) {
            let context = call.object::<Context>(context)?;
            call.info(&context, context.info(param_name)?, param_value_size, param_value, param_value_size_ret)
        }

        status fn clSetContextDestructorCallback(
            call, context: cl_context, pfn_notify: cl_context_destructor, user_data: *mut c_void,
        ) {
            let object = call.object::<Context>(context)?;
            let function = pfn_notify.ok_or_else(|| ApiError::InvalidValue.because("there is no function to call"))?;
            object.on_destruction(callback::with_handle(function, context, user_data));
            Ok(())
        }
    }
    others {}
    aliases {}
}
