//! Kernels.

use core::ffi::{c_char, c_void};

use crate::handle::{cl_command_queue, cl_device_id, cl_kernel, cl_program};
use crate::scalar::{cl_bitfield, cl_int, cl_uint};

abi! {
    types {
        cl_kernel_info = cl_uint;
        cl_kernel_work_group_info = cl_uint;
        cl_kernel_arg_info = cl_uint;
        cl_kernel_arg_address_qualifier = cl_uint;
        cl_kernel_arg_access_qualifier = cl_uint;
        cl_kernel_arg_type_qualifier = cl_bitfield;
        cl_kernel_exec_info = cl_uint;
        cl_kernel_sub_group_info = cl_uint;
    }
    constants {
        cl_kernel_info {
            CL_KERNEL_FUNCTION_NAME = 0x1190;
            CL_KERNEL_NUM_ARGS = 0x1191;
            CL_KERNEL_REFERENCE_COUNT = 0x1192;
            CL_KERNEL_CONTEXT = 0x1193;
            CL_KERNEL_PROGRAM = 0x1194;
            CL_KERNEL_ATTRIBUTES = 0x1195;
        }
        cl_kernel_work_group_info {
            CL_KERNEL_WORK_GROUP_SIZE = 0x11B0;
            CL_KERNEL_COMPILE_WORK_GROUP_SIZE = 0x11B1;
            CL_KERNEL_LOCAL_MEM_SIZE = 0x11B2;
            CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE = 0x11B3;
            CL_KERNEL_PRIVATE_MEM_SIZE = 0x11B4;
            CL_KERNEL_GLOBAL_WORK_SIZE = 0x11B5;
        }
        cl_kernel_arg_info {
            CL_KERNEL_ARG_ADDRESS_QUALIFIER = 0x1196;
            CL_KERNEL_ARG_ACCESS_QUALIFIER = 0x1197;
            CL_KERNEL_ARG_TYPE_NAME = 0x1198;
            CL_KERNEL_ARG_TYPE_QUALIFIER = 0x1199;
            CL_KERNEL_ARG_NAME = 0x119A;
        }
        cl_kernel_arg_address_qualifier {
            CL_KERNEL_ARG_ADDRESS_GLOBAL = 0x119B;
            CL_KERNEL_ARG_ADDRESS_LOCAL = 0x119C;
            CL_KERNEL_ARG_ADDRESS_CONSTANT = 0x119D;
            CL_KERNEL_ARG_ADDRESS_PRIVATE = 0x119E;
        }
        cl_kernel_arg_access_qualifier {
            CL_KERNEL_ARG_ACCESS_READ_ONLY = 0x11A0;
            CL_KERNEL_ARG_ACCESS_WRITE_ONLY = 0x11A1;
            CL_KERNEL_ARG_ACCESS_READ_WRITE = 0x11A2;
            CL_KERNEL_ARG_ACCESS_NONE = 0x11A3;
        }
        cl_kernel_arg_type_qualifier {
            CL_KERNEL_ARG_TYPE_NONE = 0;
            CL_KERNEL_ARG_TYPE_CONST = 1 << 0;
            CL_KERNEL_ARG_TYPE_RESTRICT = 1 << 1;
            CL_KERNEL_ARG_TYPE_VOLATILE = 1 << 2;
            CL_KERNEL_ARG_TYPE_PIPE = 1 << 3;
        }
        cl_kernel_exec_info {
            CL_KERNEL_EXEC_INFO_SVM_PTRS = 0x11B6;
            CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM = 0x11B7;
        }
        cl_kernel_sub_group_info {
            CL_KERNEL_MAX_NUM_SUB_GROUPS = 0x11B9;
            CL_KERNEL_COMPILE_NUM_SUB_GROUPS = 0x11BA;
            CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE = 0x2033;
            CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE = 0x2034;
            CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT = 0x11B8;
        }
    }
    functions {
        clCreateKernel(program: cl_program, kernel_name: *const c_char, errcode_ret: *mut cl_int) -> cl_kernel;
        clCreateKernelsInProgram(
            program: cl_program, num_kernels: cl_uint, kernels: *mut cl_kernel, num_kernels_ret: *mut cl_uint,
        ) -> cl_int;
        clRetainKernel(kernel: cl_kernel) -> cl_int;
        clReleaseKernel(kernel: cl_kernel) -> cl_int;
        clSetKernelArg(kernel: cl_kernel, arg_index: cl_uint, arg_size: usize, arg_value: *const c_void) -> cl_int;
        clGetKernelInfo(
            kernel: cl_kernel, param_name: cl_kernel_info, param_value_size: usize, param_value: *mut c_void,
            param_value_size_ret: *mut usize,
        ) -> cl_int;
        clGetKernelWorkGroupInfo(
            kernel: cl_kernel, device: cl_device_id, param_name: cl_kernel_work_group_info, param_value_size: usize,
            param_value: *mut c_void, param_value_size_ret: *mut usize,
        ) -> cl_int;
        clGetKernelArgInfo(
            kernel: cl_kernel, arg_index: cl_uint, param_name: cl_kernel_arg_info, param_value_size: usize,
            param_value: *mut c_void, param_value_size_ret: *mut usize,
        ) -> cl_int;
        clSetKernelArgSVMPointer(kernel: cl_kernel, arg_index: cl_uint, arg_value: *const c_void) -> cl_int;
        clSetKernelExecInfo(
            kernel: cl_kernel, param_name: cl_kernel_exec_info, param_value_size: usize, param_value: *const c_void,
        ) -> cl_int;
        clCloneKernel(source_kernel: cl_kernel, errcode_ret: *mut cl_int) -> cl_kernel;
        clGetKernelSubGroupInfo(
            kernel: cl_kernel, device: cl_device_id, param_name: cl_kernel_sub_group_info, input_value_size: usize,
            input_value: *const c_void, param_value_size: usize, param_value: *mut c_void,
            param_value_size_ret: *mut usize,
        ) -> cl_int;
        clGetKernelSuggestedLocalWorkSize(
            command_queue: cl_command_queue, kernel: cl_kernel, work_dim: cl_uint, global_work_offset: *const usize,
            global_work_size: *const usize, suggested_local_work_size: *mut usize,
        ) -> cl_int;
    }
}
