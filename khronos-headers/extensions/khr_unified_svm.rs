//! `cl_khr_unified_svm`.

use core::ffi::c_void;

use crate::device::cl_device_info;
use crate::handle::{cl_context, cl_device_id};
use crate::kernel::cl_kernel_exec_info;
use crate::platform::cl_platform_info;
use crate::scalar::{cl_bitfield, cl_int, cl_properties, cl_uint};

abi! {
    types {
        cl_svm_capabilities_khr = cl_bitfield;
        cl_svm_alloc_properties_khr = cl_properties;
        cl_svm_alloc_access_flags_khr = cl_bitfield;
        cl_svm_free_properties_khr = cl_properties;
        cl_svm_free_flags_khr = cl_bitfield;
        cl_svm_pointer_info_khr = cl_uint;
    }
    constants {
        cl_platform_info {
            CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR = 0x0909;
        }
        cl_device_info {
            CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR = 0x1077;
        }
        cl_svm_capabilities_khr {
            CL_SVM_CAPABILITY_SINGLE_ADDRESS_SPACE_KHR = 1 << 0;
            CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR = 1 << 1;
            CL_SVM_CAPABILITY_DEVICE_OWNED_KHR = 1 << 2;
            CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR = 1 << 3;
            CL_SVM_CAPABILITY_CONTEXT_ACCESS_KHR = 1 << 4;
            CL_SVM_CAPABILITY_HOST_OWNED_KHR = 1 << 5;
            CL_SVM_CAPABILITY_HOST_READ_KHR = 1 << 6;
            CL_SVM_CAPABILITY_HOST_WRITE_KHR = 1 << 7;
            CL_SVM_CAPABILITY_HOST_MAP_KHR = 1 << 8;
            CL_SVM_CAPABILITY_DEVICE_READ_KHR = 1 << 9;
            CL_SVM_CAPABILITY_DEVICE_WRITE_KHR = 1 << 10;
            CL_SVM_CAPABILITY_DEVICE_ATOMIC_ACCESS_KHR = 1 << 11;
            CL_SVM_CAPABILITY_CONCURRENT_ACCESS_KHR = 1 << 12;
            CL_SVM_CAPABILITY_CONCURRENT_ATOMIC_ACCESS_KHR = 1 << 13;
            CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR = 1 << 14;
        }
        cl_svm_alloc_properties_khr {
            CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR = 0x2078;
            CL_SVM_ALLOC_ACCESS_FLAGS_KHR = 0x2079;
            CL_SVM_ALLOC_ALIGNMENT_KHR = 0x207A;
        }
        cl_svm_alloc_access_flags_khr {
            CL_SVM_ALLOC_ACCESS_HOST_NOREAD_KHR = 1 << 0;
            CL_SVM_ALLOC_ACCESS_HOST_NOWRITE_KHR = 1 << 1;
            CL_SVM_ALLOC_ACCESS_DEVICE_NOREAD_KHR = 1 << 8;
            CL_SVM_ALLOC_ACCESS_DEVICE_NOWRITE_KHR = 1 << 9;
        }
        cl_svm_pointer_info_khr {
            CL_SVM_INFO_TYPE_INDEX_KHR = 0x2088;
            CL_SVM_INFO_CAPABILITIES_KHR = 0x2089;
            CL_SVM_INFO_PROPERTIES_KHR = 0x208A;
            CL_SVM_INFO_ACCESS_FLAGS_KHR = 0x208B;
            CL_SVM_INFO_BASE_PTR_KHR = 0x419B;
            CL_SVM_INFO_SIZE_KHR = 0x419C;
            CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR = 0x419D;
        }
        cl_kernel_exec_info {
            CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR = 0x11BB;
        }
        cl_svm_capabilities_khr {
            CL_SVM_TYPE_MACRO_COARSE_GRAIN_BUFFER_KHR = CL_SVM_CAPABILITY_SINGLE_ADDRESS_SPACE_KHR
                | CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR
                | CL_SVM_CAPABILITY_CONTEXT_ACCESS_KHR
                | CL_SVM_CAPABILITY_HOST_MAP_KHR
                | CL_SVM_CAPABILITY_DEVICE_READ_KHR
                | CL_SVM_CAPABILITY_DEVICE_WRITE_KHR
                | CL_SVM_CAPABILITY_DEVICE_ATOMIC_ACCESS_KHR;
            CL_SVM_TYPE_MACRO_FINE_GRAIN_BUFFER_KHR = CL_SVM_CAPABILITY_SINGLE_ADDRESS_SPACE_KHR
                | CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR
                | CL_SVM_CAPABILITY_CONTEXT_ACCESS_KHR
                | CL_SVM_CAPABILITY_HOST_READ_KHR
                | CL_SVM_CAPABILITY_HOST_WRITE_KHR
                | CL_SVM_CAPABILITY_HOST_MAP_KHR
                | CL_SVM_CAPABILITY_DEVICE_READ_KHR
                | CL_SVM_CAPABILITY_DEVICE_WRITE_KHR
                | CL_SVM_CAPABILITY_DEVICE_ATOMIC_ACCESS_KHR
                | CL_SVM_CAPABILITY_CONCURRENT_ACCESS_KHR;
            CL_SVM_TYPE_MACRO_DEVICE_KHR = CL_SVM_CAPABILITY_SINGLE_ADDRESS_SPACE_KHR
                | CL_SVM_CAPABILITY_DEVICE_OWNED_KHR
                | CL_SVM_CAPABILITY_DEVICE_READ_KHR
                | CL_SVM_CAPABILITY_DEVICE_WRITE_KHR
                | CL_SVM_CAPABILITY_DEVICE_ATOMIC_ACCESS_KHR
                | CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR;
            CL_SVM_TYPE_MACRO_HOST_KHR = CL_SVM_CAPABILITY_SINGLE_ADDRESS_SPACE_KHR
                | CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR
                | CL_SVM_CAPABILITY_CONTEXT_ACCESS_KHR
                | CL_SVM_CAPABILITY_HOST_OWNED_KHR
                | CL_SVM_CAPABILITY_HOST_READ_KHR
                | CL_SVM_CAPABILITY_HOST_WRITE_KHR
                | CL_SVM_CAPABILITY_DEVICE_READ_KHR
                | CL_SVM_CAPABILITY_DEVICE_WRITE_KHR
                | CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR;
            CL_SVM_TYPE_MACRO_SINGLE_DEVICE_SHARED_KHR = CL_SVM_CAPABILITY_SINGLE_ADDRESS_SPACE_KHR
                | CL_SVM_CAPABILITY_HOST_READ_KHR
                | CL_SVM_CAPABILITY_HOST_WRITE_KHR
                | CL_SVM_CAPABILITY_DEVICE_READ_KHR
                | CL_SVM_CAPABILITY_DEVICE_WRITE_KHR
                | CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR;
            CL_SVM_TYPE_MACRO_SYSTEM_KHR = CL_SVM_CAPABILITY_SINGLE_ADDRESS_SPACE_KHR
                | CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR
                | CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR
                | CL_SVM_CAPABILITY_CONTEXT_ACCESS_KHR
                | CL_SVM_CAPABILITY_HOST_READ_KHR
                | CL_SVM_CAPABILITY_HOST_WRITE_KHR
                | CL_SVM_CAPABILITY_HOST_MAP_KHR
                | CL_SVM_CAPABILITY_DEVICE_READ_KHR
                | CL_SVM_CAPABILITY_DEVICE_WRITE_KHR
                | CL_SVM_CAPABILITY_DEVICE_ATOMIC_ACCESS_KHR
                | CL_SVM_CAPABILITY_CONCURRENT_ACCESS_KHR
                | CL_SVM_CAPABILITY_CONCURRENT_ATOMIC_ACCESS_KHR
                | CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR;
        }
    }
    functions {
        clSVMAllocWithPropertiesKHR(
            context: cl_context, properties: *const cl_svm_alloc_properties_khr, svm_type_index: cl_uint, size: usize,
            errcode_ret: *mut cl_int,
        ) -> *mut c_void;
        clSVMFreeWithPropertiesKHR(
            context: cl_context, properties: *const cl_svm_free_properties_khr, flags: cl_svm_free_flags_khr,
            ptr: *mut c_void,
        ) -> cl_int;
        clGetSVMPointerInfoKHR(
            context: cl_context, device: cl_device_id, ptr: *const c_void, param_name: cl_svm_pointer_info_khr,
            param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize,
        ) -> cl_int;
        clGetSVMSuggestedTypeIndexKHR(
            context: cl_context, required_capabilities: cl_svm_capabilities_khr,
            desired_capabilities: cl_svm_capabilities_khr, properties: *const cl_svm_alloc_properties_khr,
            size: usize, suggested_svm_type_index: *mut cl_uint,
        ) -> cl_int;
    }
}
