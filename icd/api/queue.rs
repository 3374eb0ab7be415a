//! Command queues.

use std::ffi::c_void;

use khronos_headers::{
    cl_bool, cl_command_queue, cl_command_queue_info, cl_command_queue_properties, cl_context, cl_device_id,
    cl_queue_properties,
};
use oxicl_objects::ApiError;
use oxicl_objects::context::Context;
use oxicl_objects::device::Device;
use oxicl_objects::queue::Queue;

use crate::entry::entries;

entries! {
    slots {
        create fn clCreateCommandQueueWithProperties(
            call, context: cl_context, device: cl_device_id, properties: *const cl_queue_properties,
        ) -> cl_command_queue {
            let context = call.object::<Context>(context)?;
            let device = call.object::<Device>(device)?;
            let properties = call.properties(properties).map_err(|_| ApiError::InvalidValue)?;
            call.give(&Queue::create(&context, &device, properties)?)
        }

        create fn clCreateCommandQueue(
            call, context: cl_context, device: cl_device_id, properties: cl_command_queue_properties,
        ) -> cl_command_queue {
            let context = call.object::<Context>(context)?;
            let device = call.object::<Device>(device)?;
            call.give(&Queue::create_plain(&context, &device, properties)?)
        }

        status fn clRetainCommandQueue(call, command_queue: cl_command_queue) {
            call.retain::<Queue>(command_queue)
        }

        // "clReleaseCommandQueue performs an implicit flush".
        status fn clReleaseCommandQueue(call, command_queue: cl_command_queue) {
            call.object::<Queue>(command_queue)?.flush();
            call.release::<Queue>(command_queue)
        }

        status fn clGetCommandQueueInfo(
            call, command_queue: cl_command_queue, param_name: cl_command_queue_info, param_value_size: usize,
            param_value: *mut c_void, param_value_size_ret: *mut usize,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            call.info(&queue, queue.info(param_name)?, param_value_size, param_value, param_value_size_ret)
        }

        status fn clSetCommandQueueProperty(
            call, command_queue: cl_command_queue, properties: cl_command_queue_properties, enable: cl_bool,
            old_properties: *mut cl_command_queue_properties,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            call.write(old_properties, queue.set_property(properties, enable != 0)?);
            Ok(())
        }

        status fn clSetDefaultDeviceCommandQueue(
            call, context: cl_context, device: cl_device_id, command_queue: cl_command_queue,
        ) {
            let context = call.object::<Context>(context)?;
            if !context.has_device(&call.object::<Device>(device)?) {
                return Err(ApiError::InvalidDevice.because("the device is not of the context"));
            }
            // "CL_INVALID_OPERATION if device does not support a replaceable default on-device queue." Whatever the queue
            // is, it is none on the device.
            let _ = command_queue;
            Err(ApiError::InvalidOperation.because("the device has no queues of its own"))
        }

        status fn clFlush(call, command_queue: cl_command_queue) {
            call.object::<Queue>(command_queue)?.flush();
            Ok(())
        }

        status fn clFinish(call, command_queue: cl_command_queue) {
            call.object::<Queue>(command_queue)?.finish()
        }
    }
    others {}
    aliases {
        clCreateCommandQueueWithPropertiesKHR = clCreateCommandQueueWithProperties;
    }
}
