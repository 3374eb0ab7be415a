//! Pipes.

use core::ffi::c_void;

use crate::handle::{cl_context, cl_mem};
use crate::memory::cl_mem_flags;
use crate::scalar::{cl_int, cl_uint};

abi! {
    types {
        cl_pipe_properties = isize;
        cl_pipe_info = cl_uint;
    }
    constants {
        cl_pipe_info {
            CL_PIPE_PACKET_SIZE = 0x1120;
            CL_PIPE_MAX_PACKETS = 0x1121;
            CL_PIPE_PROPERTIES = 0x1122;
        }
    }
    functions {
        clCreatePipe(
            context: cl_context, flags: cl_mem_flags, pipe_packet_size: cl_uint, pipe_max_packets: cl_uint,
            properties: *const cl_pipe_properties, errcode_ret: *mut cl_int,
        ) -> cl_mem;
        clGetPipeInfo(
            pipe: cl_mem, param_name: cl_pipe_info, param_value_size: usize, param_value: *mut c_void,
            param_value_size_ret: *mut usize,
        ) -> cl_int;
    }
}
