//! Contexts.

use core::ffi::c_void;

use crate::callback::{cl_context_destructor, cl_context_notify};
use crate::device::cl_device_type;
use crate::handle::{cl_context, cl_device_id};
use crate::scalar::{cl_int, cl_uint};

abi! {
    types {
        cl_context_properties = isize;
        cl_context_info = cl_uint;
    }
    constants {
        cl_context_info {
            CL_CONTEXT_REFERENCE_COUNT = 0x1080;
            CL_CONTEXT_DEVICES = 0x1081;
            CL_CONTEXT_PROPERTIES = 0x1082;
            CL_CONTEXT_NUM_DEVICES = 0x1083;
        }
        cl_context_properties {
            CL_CONTEXT_PLATFORM = 0x1084;
            CL_CONTEXT_INTEROP_USER_SYNC = 0x1085;
        }
    }
    functions {
        clCreateContext(
            properties: *const cl_context_properties, num_devices: cl_uint, devices: *const cl_device_id,
            pfn_notify: cl_context_notify, user_data: *mut c_void, errcode_ret: *mut cl_int,
        ) -> cl_context;
        clCreateContextFromType(
            properties: *const cl_context_properties, device_type: cl_device_type, pfn_notify: cl_context_notify,
            user_data: *mut c_void, errcode_ret: *mut cl_int,
        ) -> cl_context;
        clRetainContext(context: cl_context) -> cl_int;
        clReleaseContext(context: cl_context) -> cl_int;
        clGetContextInfo(
            context: cl_context, param_name: cl_context_info, param_value_size: usize, param_value: *mut c_void,
            param_value_size_ret: *mut usize,
        ) -> cl_int;
        clSetContextDestructorCallback(
            context: cl_context, pfn_notify: cl_context_destructor, user_data: *mut c_void,
        ) -> cl_int;
    }
}
