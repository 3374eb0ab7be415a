//! `cl_khr_semaphore` and `cl_khr_external_semaphore`.

use core::ffi::{c_int, c_void};

use crate::device::cl_device_info;
use crate::event::cl_command_type;
use crate::handle::{cl_command_queue, cl_context, cl_device_id, cl_event, cl_semaphore_khr};
use crate::platform::cl_platform_info;
use crate::scalar::{cl_int, cl_properties, cl_uint, cl_ulong};

abi! {
    types {
        cl_semaphore_properties_khr = cl_properties;
        cl_semaphore_info_khr = cl_uint;
        cl_semaphore_type_khr = cl_uint;
        cl_semaphore_payload_khr = cl_ulong;
        cl_external_semaphore_handle_type_khr = cl_uint;
        cl_semaphore_reimport_properties_khr = cl_properties;
    }
    constants {
        cl_semaphore_type_khr {
            CL_SEMAPHORE_TYPE_BINARY_KHR = 1;
        }
        cl_platform_info {
            CL_PLATFORM_SEMAPHORE_TYPES_KHR = 0x2036;
        }
        cl_device_info {
            CL_DEVICE_SEMAPHORE_TYPES_KHR = 0x204C;
        }
        cl_semaphore_info_khr {
            CL_SEMAPHORE_CONTEXT_KHR = 0x2039;
            CL_SEMAPHORE_REFERENCE_COUNT_KHR = 0x203A;
            CL_SEMAPHORE_PROPERTIES_KHR = 0x203B;
            CL_SEMAPHORE_PAYLOAD_KHR = 0x203C;
        }
        cl_semaphore_info_khr {
            CL_SEMAPHORE_TYPE_KHR = 0x203D;
            CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR = 0x2053;
            CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR = 0;
        }
        cl_command_type {
            CL_COMMAND_SEMAPHORE_WAIT_KHR = 0x2042;
            CL_COMMAND_SEMAPHORE_SIGNAL_KHR = 0x2043;
        }
        cl_int {
            CL_INVALID_SEMAPHORE_KHR = -1142;
        }
        // cl_khr_external_semaphore
        cl_platform_info {
            CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR = 0x2037;
            CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR = 0x2038;
        }
        cl_device_info {
            CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR = 0x204D;
            CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR = 0x204E;
        }
        cl_semaphore_properties_khr {
            CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR = 0x203F;
            CL_SEMAPHORE_EXPORT_HANDLE_TYPES_LIST_END_KHR = 0;
        }
        cl_semaphore_info_khr {
            CL_SEMAPHORE_EXPORTABLE_KHR = 0x2054;
        }
        // cl_khr_external_semaphore_opaque_fd
        cl_external_semaphore_handle_type_khr {
            CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR = 0x2055;
        }
        // cl_khr_external_semaphore_sync_fd
        cl_external_semaphore_handle_type_khr {
            CL_SEMAPHORE_HANDLE_SYNC_FD_KHR = 0x2058;
        }
    }
    functions {
        clCreateSemaphoreWithPropertiesKHR(
            context: cl_context, sema_props: *const cl_semaphore_properties_khr, errcode_ret: *mut cl_int,
        ) -> cl_semaphore_khr;
        clEnqueueWaitSemaphoresKHR(
            command_queue: cl_command_queue, num_sema_objects: cl_uint, sema_objects: *const cl_semaphore_khr,
            sema_payload_list: *const cl_semaphore_payload_khr, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
        clEnqueueSignalSemaphoresKHR(
            command_queue: cl_command_queue, num_sema_objects: cl_uint, sema_objects: *const cl_semaphore_khr,
            sema_payload_list: *const cl_semaphore_payload_khr, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
        clGetSemaphoreInfoKHR(
            sema_object: cl_semaphore_khr, param_name: cl_semaphore_info_khr, param_value_size: usize,
            param_value: *mut c_void, param_value_size_ret: *mut usize,
        ) -> cl_int;
        clReleaseSemaphoreKHR(sema_object: cl_semaphore_khr) -> cl_int;
        clRetainSemaphoreKHR(sema_object: cl_semaphore_khr) -> cl_int;
        clGetSemaphoreHandleForTypeKHR(
            sema_object: cl_semaphore_khr, device: cl_device_id, handle_type: cl_external_semaphore_handle_type_khr,
            handle_size: usize, handle_ptr: *mut c_void, handle_size_ret: *mut usize,
        ) -> cl_int;
        clReImportSemaphoreSyncFdKHR(
            sema_object: cl_semaphore_khr, reimport_props: *mut cl_semaphore_reimport_properties_khr, fd: c_int,
        ) -> cl_int;
    }
}
