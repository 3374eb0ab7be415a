//! `cl_khr_external_memory`.

use crate::device::cl_device_info;
use crate::event::cl_command_type;
use crate::handle::{cl_command_queue, cl_event, cl_mem};
use crate::memory::cl_mem_properties;
use crate::platform::cl_platform_info;
use crate::scalar::{cl_int, cl_uint};

abi! {
    types {
        cl_external_memory_handle_type_khr = cl_uint;
    }
    constants {
        cl_platform_info {
            CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR = 0x2044;
        }
        cl_device_info {
            CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR = 0x204F;
            CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR = 0x2052;
        }
        cl_mem_properties {
            CL_MEM_DEVICE_HANDLE_LIST_KHR = 0x2051;
            CL_MEM_DEVICE_HANDLE_LIST_END_KHR = 0;
        }
        cl_command_type {
            CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR = 0x2047;
            CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR = 0x2048;
        }
        // cl_khr_external_memory_dma_buf
        cl_external_memory_handle_type_khr {
            CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR = 0x2067;
        }
        // cl_khr_external_memory_opaque_fd
        cl_external_memory_handle_type_khr {
            CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR = 0x2060;
        }
    }
    functions {
        clEnqueueAcquireExternalMemObjectsKHR(
            command_queue: cl_command_queue, num_mem_objects: cl_uint, mem_objects: *const cl_mem,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
        clEnqueueReleaseExternalMemObjectsKHR(
            command_queue: cl_command_queue, num_mem_objects: cl_uint, mem_objects: *const cl_mem,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
    }
}
