//! Command queues, and the commands that run kernels.

use core::ffi::c_void;

use crate::callback::cl_native_kernel;
use crate::handle::{cl_command_queue, cl_context, cl_device_id, cl_event, cl_kernel, cl_mem};
use crate::scalar::{cl_bitfield, cl_bool, cl_int, cl_properties, cl_uint};

abi! {
    types {
        cl_command_queue_properties = cl_bitfield;
        cl_command_queue_info = cl_uint;
        cl_queue_properties = cl_properties;
    }
    constants {
        cl_command_queue_properties {
            CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE = 1 << 0;
            CL_QUEUE_PROFILING_ENABLE = 1 << 1;
            CL_QUEUE_ON_DEVICE = 1 << 2;
            CL_QUEUE_ON_DEVICE_DEFAULT = 1 << 3;
        }
        cl_command_queue_info {
            CL_QUEUE_CONTEXT = 0x1090;
            CL_QUEUE_DEVICE = 0x1091;
            CL_QUEUE_REFERENCE_COUNT = 0x1092;
            CL_QUEUE_PROPERTIES = 0x1093;
            CL_QUEUE_SIZE = 0x1094;
            CL_QUEUE_DEVICE_DEFAULT = 0x1095;
            CL_QUEUE_PROPERTIES_ARRAY = 0x1098;
        }
    }
    functions {
        clRetainCommandQueue(command_queue: cl_command_queue) -> cl_int;
        clReleaseCommandQueue(command_queue: cl_command_queue) -> cl_int;
        clGetCommandQueueInfo(
            command_queue: cl_command_queue, param_name: cl_command_queue_info, param_value_size: usize,
            param_value: *mut c_void, param_value_size_ret: *mut usize,
        ) -> cl_int;
        clFlush(command_queue: cl_command_queue) -> cl_int;
        clFinish(command_queue: cl_command_queue) -> cl_int;
        clEnqueueNDRangeKernel(
            command_queue: cl_command_queue, kernel: cl_kernel, work_dim: cl_uint, global_work_offset: *const usize,
            global_work_size: *const usize, local_work_size: *const usize, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
        clEnqueueNativeKernel(
            command_queue: cl_command_queue, user_func: cl_native_kernel, args: *mut c_void, cb_args: usize,
            num_mem_objects: cl_uint, mem_list: *const cl_mem, args_mem_loc: *mut *const c_void,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
        clSetCommandQueueProperty(
            command_queue: cl_command_queue, properties: cl_command_queue_properties, enable: cl_bool,
            old_properties: *mut cl_command_queue_properties,
        ) -> cl_int;
        clCreateCommandQueue(
            context: cl_context, device: cl_device_id, properties: cl_command_queue_properties,
            errcode_ret: *mut cl_int,
        ) -> cl_command_queue;
        clEnqueueTask(
            command_queue: cl_command_queue, kernel: cl_kernel, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
        clCreateCommandQueueWithProperties(
            context: cl_context, device: cl_device_id, properties: *const cl_queue_properties,
            errcode_ret: *mut cl_int,
        ) -> cl_command_queue;
        clSetDefaultDeviceCommandQueue(
            context: cl_context, device: cl_device_id, command_queue: cl_command_queue,
        ) -> cl_int;
    }
}
