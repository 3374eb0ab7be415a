//! Programs.

use core::ffi::{c_char, c_void};

use crate::callback::cl_program_notify;
use crate::handle::{cl_context, cl_device_id, cl_program};
use crate::scalar::{cl_int, cl_uint};

abi! {
    types {
        cl_program_info = cl_uint;
        cl_program_build_info = cl_uint;
        cl_build_status = cl_int;
        cl_program_binary_type = cl_uint;
    }
    constants {
        cl_program_info {
            CL_PROGRAM_REFERENCE_COUNT = 0x1160;
            CL_PROGRAM_CONTEXT = 0x1161;
            CL_PROGRAM_NUM_DEVICES = 0x1162;
            CL_PROGRAM_DEVICES = 0x1163;
            CL_PROGRAM_SOURCE = 0x1164;
            CL_PROGRAM_BINARY_SIZES = 0x1165;
            CL_PROGRAM_BINARIES = 0x1166;
            CL_PROGRAM_NUM_KERNELS = 0x1167;
            CL_PROGRAM_KERNEL_NAMES = 0x1168;
            CL_PROGRAM_IL = 0x1169;
            CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT = 0x116A;
            CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT = 0x116B;
        }
        cl_program_build_info {
            CL_PROGRAM_BUILD_STATUS = 0x1181;
            CL_PROGRAM_BUILD_OPTIONS = 0x1182;
            CL_PROGRAM_BUILD_LOG = 0x1183;
            CL_PROGRAM_BINARY_TYPE = 0x1184;
            CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE = 0x1185;
        }
        cl_build_status {
            CL_BUILD_SUCCESS = 0;
            CL_BUILD_NONE = -1;
            CL_BUILD_ERROR = -2;
            CL_BUILD_IN_PROGRESS = -3;
        }
        cl_program_binary_type {
            CL_PROGRAM_BINARY_TYPE_NONE = 0x0;
            CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT = 0x1;
            CL_PROGRAM_BINARY_TYPE_LIBRARY = 0x2;
            CL_PROGRAM_BINARY_TYPE_EXECUTABLE = 0x4;
        }
    }
    functions {
        clCreateProgramWithSource(
            context: cl_context, count: cl_uint, strings: *mut *const c_char, lengths: *const usize,
            errcode_ret: *mut cl_int,
        ) -> cl_program;
        clCreateProgramWithBinary(
            context: cl_context, num_devices: cl_uint, device_list: *const cl_device_id, lengths: *const usize,
            binaries: *mut *const u8, binary_status: *mut cl_int, errcode_ret: *mut cl_int,
        ) -> cl_program;
        clRetainProgram(program: cl_program) -> cl_int;
        clReleaseProgram(program: cl_program) -> cl_int;
        clBuildProgram(
            program: cl_program, num_devices: cl_uint, device_list: *const cl_device_id, options: *const c_char,
            pfn_notify: cl_program_notify, user_data: *mut c_void,
        ) -> cl_int;
        clGetProgramInfo(
            program: cl_program, param_name: cl_program_info, param_value_size: usize, param_value: *mut c_void,
            param_value_size_ret: *mut usize,
        ) -> cl_int;
        clGetProgramBuildInfo(
            program: cl_program, device: cl_device_id, param_name: cl_program_build_info, param_value_size: usize,
            param_value: *mut c_void, param_value_size_ret: *mut usize,
        ) -> cl_int;
        clCreateProgramWithBuiltInKernels(
            context: cl_context, num_devices: cl_uint, device_list: *const cl_device_id, kernel_names: *const c_char,
            errcode_ret: *mut cl_int,
        ) -> cl_program;
        clCompileProgram(
            program: cl_program, num_devices: cl_uint, device_list: *const cl_device_id, options: *const c_char,
            num_input_headers: cl_uint, input_headers: *const cl_program, header_include_names: *mut *const c_char,
            pfn_notify: cl_program_notify, user_data: *mut c_void,
        ) -> cl_int;
        clLinkProgram(
            context: cl_context, num_devices: cl_uint, device_list: *const cl_device_id, options: *const c_char,
            num_input_programs: cl_uint, input_programs: *const cl_program, pfn_notify: cl_program_notify,
            user_data: *mut c_void, errcode_ret: *mut cl_int,
        ) -> cl_program;
        clCreateProgramWithIL(
            context: cl_context, il: *const c_void, length: usize, errcode_ret: *mut cl_int,
        ) -> cl_program;
        clSetProgramSpecializationConstant(
            program: cl_program, spec_id: cl_uint, spec_size: usize, spec_value: *const c_void,
        ) -> cl_int;
        clSetProgramReleaseCallback(
            program: cl_program, pfn_notify: cl_program_notify, user_data: *mut c_void,
        ) -> cl_int;
    }
}
