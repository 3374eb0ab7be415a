//! Events, command types and profiling.

use core::ffi::c_void;

use crate::callback::cl_event_notify;
use crate::handle::{cl_command_queue, cl_context, cl_event};
use crate::scalar::{cl_int, cl_uint};

abi! {
    types {
        cl_event_info = cl_uint;
        cl_command_type = cl_uint;
        cl_profiling_info = cl_uint;
    }
    constants {
        cl_profiling_info {
            CL_PROFILING_COMMAND_QUEUED = 0x1280;
            CL_PROFILING_COMMAND_SUBMIT = 0x1281;
            CL_PROFILING_COMMAND_START = 0x1282;
            CL_PROFILING_COMMAND_END = 0x1283;
            CL_PROFILING_COMMAND_COMPLETE = 0x1284;
        }
        cl_event_info {
            CL_EVENT_COMMAND_QUEUE = 0x11D0;
            CL_EVENT_COMMAND_TYPE = 0x11D1;
            CL_EVENT_REFERENCE_COUNT = 0x11D2;
            CL_EVENT_COMMAND_EXECUTION_STATUS = 0x11D3;
            CL_EVENT_CONTEXT = 0x11D4;
        }
        cl_command_type {
            CL_COMMAND_NDRANGE_KERNEL = 0x11F0;
            CL_COMMAND_TASK = 0x11F1;
            CL_COMMAND_NATIVE_KERNEL = 0x11F2;
            CL_COMMAND_READ_BUFFER = 0x11F3;
            CL_COMMAND_WRITE_BUFFER = 0x11F4;
            CL_COMMAND_COPY_BUFFER = 0x11F5;
            CL_COMMAND_READ_IMAGE = 0x11F6;
            CL_COMMAND_WRITE_IMAGE = 0x11F7;
            CL_COMMAND_COPY_IMAGE = 0x11F8;
            CL_COMMAND_COPY_IMAGE_TO_BUFFER = 0x11F9;
            CL_COMMAND_COPY_BUFFER_TO_IMAGE = 0x11FA;
            CL_COMMAND_MAP_BUFFER = 0x11FB;
            CL_COMMAND_MAP_IMAGE = 0x11FC;
            CL_COMMAND_UNMAP_MEM_OBJECT = 0x11FD;
            CL_COMMAND_MARKER = 0x11FE;
            CL_COMMAND_ACQUIRE_GL_OBJECTS = 0x11FF;
            CL_COMMAND_RELEASE_GL_OBJECTS = 0x1200;
            CL_COMMAND_READ_BUFFER_RECT = 0x1201;
            CL_COMMAND_WRITE_BUFFER_RECT = 0x1202;
            CL_COMMAND_COPY_BUFFER_RECT = 0x1203;
            CL_COMMAND_USER = 0x1204;
            CL_COMMAND_BARRIER = 0x1205;
            CL_COMMAND_MIGRATE_MEM_OBJECTS = 0x1206;
            CL_COMMAND_FILL_BUFFER = 0x1207;
            CL_COMMAND_FILL_IMAGE = 0x1208;
            CL_COMMAND_SVM_FREE = 0x1209;
            CL_COMMAND_SVM_MEMCPY = 0x120A;
            CL_COMMAND_SVM_MEMFILL = 0x120B;
            CL_COMMAND_SVM_MAP = 0x120C;
            CL_COMMAND_SVM_UNMAP = 0x120D;
            CL_COMMAND_SVM_MIGRATE_MEM = 0x120E;
        }
        cl_int {
            CL_COMPLETE = 0x0;
            CL_RUNNING = 0x1;
            CL_SUBMITTED = 0x2;
            CL_QUEUED = 0x3;
        }
    }
    functions {
        clWaitForEvents(num_events: cl_uint, event_list: *const cl_event) -> cl_int;
        clGetEventInfo(
            event: cl_event, param_name: cl_event_info, param_value_size: usize, param_value: *mut c_void,
            param_value_size_ret: *mut usize,
        ) -> cl_int;
        clRetainEvent(event: cl_event) -> cl_int;
        clReleaseEvent(event: cl_event) -> cl_int;
        clGetEventProfilingInfo(
            event: cl_event, param_name: cl_profiling_info, param_value_size: usize, param_value: *mut c_void,
            param_value_size_ret: *mut usize,
        ) -> cl_int;
        clEnqueueMarker(command_queue: cl_command_queue, event: *mut cl_event) -> cl_int;
        clEnqueueWaitForEvents(
            command_queue: cl_command_queue, num_events: cl_uint, event_list: *const cl_event,
        ) -> cl_int;
        clEnqueueBarrier(command_queue: cl_command_queue) -> cl_int;
        clCreateUserEvent(context: cl_context, errcode_ret: *mut cl_int) -> cl_event;
        clSetUserEventStatus(event: cl_event, execution_status: cl_int) -> cl_int;
        clSetEventCallback(
            event: cl_event, command_exec_callback_type: cl_int, pfn_notify: cl_event_notify, user_data: *mut c_void,
        ) -> cl_int;
        clEnqueueMarkerWithWaitList(
            command_queue: cl_command_queue, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
            event: *mut cl_event,
        ) -> cl_int;
        clEnqueueBarrierWithWaitList(
            command_queue: cl_command_queue, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
            event: *mut cl_event,
        ) -> cl_int;
    }
}
