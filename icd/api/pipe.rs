//! Pipes: the device has none.

use std::ffi::c_void;

use khronos_headers::{cl_context, cl_mem, cl_mem_flags, cl_pipe_info, cl_pipe_properties, cl_uint};
use oxicl_objects::context::Context;
use oxicl_objects::memory::Memory;
use oxicl_objects::pipe;

use crate::entry::entries;

entries! {
    slots {
        create fn clCreatePipe(
            call, context: cl_context, _flags: cl_mem_flags, _pipe_packet_size: cl_uint,
            _pipe_max_packets: cl_uint, _properties: *const cl_pipe_properties,
        ) -> cl_mem {
            call.give(&pipe::create_pipe(&*call.object::<Context>(context)?)?)
        }

        status fn clGetPipeInfo(
            call, pipe: cl_mem, _param_name: cl_pipe_info, _param_value_size: usize, _param_value: *mut c_void,
            _param_value_size_ret: *mut usize,
        ) {
            Err(oxicl_objects::pipe::query(&*call.object::<Memory>(pipe)?))
        }
    }
    others {}
    aliases {}
}
