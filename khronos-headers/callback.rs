//! Functions of the application that the driver calls.

use core::ffi::{c_char, c_void};

use crate::handle::{cl_command_queue, cl_context, cl_event, cl_mem, cl_program};
use crate::scalar::{cl_int, cl_uint};

abi! {
    callbacks {
        cl_context_notify(errinfo: *const c_char, private_info: *const c_void, cb: usize, user_data: *mut c_void);
        cl_context_destructor(context: cl_context, user_data: *mut c_void);
        cl_mem_destructor(memobj: cl_mem, user_data: *mut c_void);
        cl_program_notify(program: cl_program, user_data: *mut c_void);
        cl_event_notify(event: cl_event, event_command_status: cl_int, user_data: *mut c_void);
        cl_native_kernel(args: *mut c_void);
        cl_svm_free_notify(
            queue: cl_command_queue, num_svm_pointers: cl_uint, svm_pointers: *mut *mut c_void, user_data: *mut c_void,
        );
    }
}
