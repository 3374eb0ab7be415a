//! `cl_intel_unified_shared_memory`.

use core::ffi::c_void;

use crate::device::cl_device_info;
use crate::event::cl_command_type;
use crate::handle::{cl_command_queue, cl_context, cl_device_id, cl_event, cl_kernel};
use crate::kernel::cl_kernel_exec_info;
use crate::memory::cl_mem_migration_flags;
use crate::scalar::{cl_bitfield, cl_bool, cl_int, cl_properties, cl_uint};

abi! {
    types {
        cl_device_unified_shared_memory_capabilities_intel = cl_bitfield;
        cl_mem_properties_intel = cl_properties;
        cl_mem_alloc_flags_intel = cl_bitfield;
        cl_mem_info_intel = cl_uint;
        cl_unified_shared_memory_type_intel = cl_uint;
        cl_mem_advice_intel = cl_uint;
    }
    constants {
        cl_device_info {
            CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL = 0x4190;
            CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL = 0x4191;
            CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL = 0x4192;
            CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL = 0x4193;
            CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL = 0x4194;
        }
        cl_device_unified_shared_memory_capabilities_intel {
            CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL = 1 << 0;
            CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL = 1 << 1;
            CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL = 1 << 2;
            CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL = 1 << 3;
        }
        cl_mem_properties_intel {
            CL_MEM_ALLOC_FLAGS_INTEL = 0x4195;
        }
        cl_mem_alloc_flags_intel {
            CL_MEM_ALLOC_WRITE_COMBINED_INTEL = 1 << 0;
            CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL = 1 << 1;
            CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL = 1 << 2;
        }
        cl_mem_info_intel {
            CL_MEM_ALLOC_TYPE_INTEL = 0x419A;
            CL_MEM_ALLOC_BASE_PTR_INTEL = 0x419B;
            CL_MEM_ALLOC_SIZE_INTEL = 0x419C;
            CL_MEM_ALLOC_DEVICE_INTEL = 0x419D;
        }
        cl_unified_shared_memory_type_intel {
            CL_MEM_TYPE_UNKNOWN_INTEL = 0x4196;
            CL_MEM_TYPE_HOST_INTEL = 0x4197;
            CL_MEM_TYPE_DEVICE_INTEL = 0x4198;
            CL_MEM_TYPE_SHARED_INTEL = 0x4199;
        }
        cl_kernel_exec_info {
            CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL = 0x4200;
            CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL = 0x4201;
            CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL = 0x4202;
            CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL = 0x4203;
        }
        cl_command_type {
            CL_COMMAND_MEMFILL_INTEL = 0x4204;
            CL_COMMAND_MEMCPY_INTEL = 0x4205;
            CL_COMMAND_MIGRATEMEM_INTEL = 0x4206;
            CL_COMMAND_MEMADVISE_INTEL = 0x4207;
        }
    }
    functions {
        clHostMemAllocINTEL(
            context: cl_context, properties: *const cl_mem_properties_intel, size: usize, alignment: cl_uint,
            errcode_ret: *mut cl_int,
        ) -> *mut c_void;
        clDeviceMemAllocINTEL(
            context: cl_context, device: cl_device_id, properties: *const cl_mem_properties_intel, size: usize,
            alignment: cl_uint, errcode_ret: *mut cl_int,
        ) -> *mut c_void;
        clSharedMemAllocINTEL(
            context: cl_context, device: cl_device_id, properties: *const cl_mem_properties_intel, size: usize,
            alignment: cl_uint, errcode_ret: *mut cl_int,
        ) -> *mut c_void;
        clMemFreeINTEL(context: cl_context, ptr: *mut c_void) -> cl_int;
        clMemBlockingFreeINTEL(context: cl_context, ptr: *mut c_void) -> cl_int;
        clGetMemAllocInfoINTEL(
            context: cl_context, ptr: *const c_void, param_name: cl_mem_info_intel, param_value_size: usize,
            param_value: *mut c_void, param_value_size_ret: *mut usize,
        ) -> cl_int;
        clSetKernelArgMemPointerINTEL(kernel: cl_kernel, arg_index: cl_uint, arg_value: *const c_void) -> cl_int;
        clEnqueueMemFillINTEL(
            command_queue: cl_command_queue, dst_ptr: *mut c_void, pattern: *const c_void, pattern_size: usize,
            size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
        clEnqueueMemcpyINTEL(
            command_queue: cl_command_queue, blocking: cl_bool, dst_ptr: *mut c_void, src_ptr: *const c_void,
            size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
        clEnqueueMemAdviseINTEL(
            command_queue: cl_command_queue, ptr: *const c_void, size: usize, advice: cl_mem_advice_intel,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
        clEnqueueMigrateMemINTEL(
            command_queue: cl_command_queue, ptr: *const c_void, size: usize, flags: cl_mem_migration_flags,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
        clEnqueueMemsetINTEL(
            command_queue: cl_command_queue, dst_ptr: *mut c_void, value: cl_int, size: usize,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
    }
}
