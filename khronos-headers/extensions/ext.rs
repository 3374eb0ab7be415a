//! The multi-vendor (EXT) extensions.

use core::ffi::c_void;

use crate::device::cl_device_info;
use crate::event::cl_command_type;
use crate::handle::{cl_command_queue, cl_context, cl_device_id, cl_event, cl_kernel, cl_mem};
use crate::image::{cl_channel_type, cl_image_desc, cl_image_format};
use crate::kernel::cl_kernel_exec_info;
use crate::memory::{cl_mem_flags, cl_mem_info, cl_mem_properties};
use crate::scalar::{cl_bitfield, cl_int, cl_uint, cl_ulong};

abi! {
    types {
        cl_device_partition_property_ext = cl_ulong;
        cl_mem_migration_flags_ext = cl_bitfield;
        cl_mem_device_address_ext = cl_ulong;
        cl_device_fp_atomic_capabilities_ext = cl_bitfield;
        cl_image_requirements_info_ext = cl_uint;
    }
    constants {
        // cl_ext_device_fission
        cl_int {
            CL_DEVICE_PARTITION_FAILED_EXT = -1057;
            CL_INVALID_PARTITION_COUNT_EXT = -1058;
            CL_INVALID_PARTITION_NAME_EXT = -1059;
        }
        cl_device_info {
            CL_DEVICE_PARENT_DEVICE_EXT = 0x4054;
            CL_DEVICE_PARTITION_TYPES_EXT = 0x4055;
            CL_DEVICE_AFFINITY_DOMAINS_EXT = 0x4056;
            CL_DEVICE_REFERENCE_COUNT_EXT = 0x4057;
            CL_DEVICE_PARTITION_STYLE_EXT = 0x4058;
        }
        cl_device_partition_property_ext {
            CL_DEVICE_PARTITION_EQUALLY_EXT = 0x4050;
            CL_DEVICE_PARTITION_BY_COUNTS_EXT = 0x4051;
            CL_DEVICE_PARTITION_BY_NAMES_EXT = 0x4052;
            CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT = 0x4053;
            CL_AFFINITY_DOMAIN_L1_CACHE_EXT = 0x1;
            CL_AFFINITY_DOMAIN_L2_CACHE_EXT = 0x2;
            CL_AFFINITY_DOMAIN_L3_CACHE_EXT = 0x3;
            CL_AFFINITY_DOMAIN_L4_CACHE_EXT = 0x4;
            CL_AFFINITY_DOMAIN_NUMA_EXT = 0x10;
            CL_AFFINITY_DOMAIN_NEXT_FISSIONABLE_EXT = 0x100;
            CL_PROPERTIES_LIST_END_EXT = 0;
            CL_PARTITION_BY_COUNTS_LIST_END_EXT = 0;
            CL_PARTITION_BY_NAMES_LIST_END_EXT = cl_ulong::MAX;
        }
        // cl_ext_migrate_memobject
        cl_mem_migration_flags_ext {
            CL_MIGRATE_MEM_OBJECT_HOST_EXT = 1 << 0;
        }
        cl_command_type {
            CL_COMMAND_MIGRATE_MEM_OBJECT_EXT = 0x4040;
        }
        // cl_ext_cxx_for_opencl
        cl_device_info {
            CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT = 0x4230;
        }
        // cl_ext_buffer_device_address
        cl_mem_properties {
            CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT = 0x5000;
        }
        cl_mem_info {
            CL_MEM_DEVICE_ADDRESS_EXT = 0x5001;
        }
        cl_kernel_exec_info {
            CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT = 0x5002;
        }
        // cl_ext_float_atomics
        cl_device_fp_atomic_capabilities_ext {
            CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT = 1 << 0;
            CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT = 1 << 1;
            CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT = 1 << 2;
            CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT = 1 << 16;
            CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT = 1 << 17;
            CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT = 1 << 18;
        }
        cl_device_info {
            CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT = 0x4231;
            CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT = 0x4232;
            CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT = 0x4233;
        }
        // cl_ext_image_requirements_info
        cl_image_requirements_info_ext {
            CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT = 0x1292;
            CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT = 0x1290;
            CL_IMAGE_REQUIREMENTS_SIZE_EXT = 0x12B2;
            CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT = 0x12B3;
            CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT = 0x12B4;
            CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT = 0x12B5;
            CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT = 0x12B6;
        }
        // cl_ext_image_from_buffer
        cl_image_requirements_info_ext {
            CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT = 0x1291;
        }
        // cl_ext_image_raw10_raw12
        cl_channel_type {
            CL_UNSIGNED_INT_RAW10_EXT = 0x10E3;
            CL_UNSIGNED_INT_RAW12_EXT = 0x10E4;
        }
        // cl_ext_image_unorm_int_2_101010
        cl_channel_type {
            CL_UNORM_INT_2_101010_EXT = 0x10E5;
        }
        // cl_ext_immutable_memory_objects
        cl_mem_flags {
            CL_MEM_IMMUTABLE_EXT = 1 << 6;
        }
        // cl_ext_image_unsigned_10x6_12x4_14x2
        cl_channel_type {
            CL_UNSIGNED_INT10X6_EXT = 0x10E6;
            CL_UNSIGNED_INT12X4_EXT = 0x10E7;
            CL_UNSIGNED_INT14X2_EXT = 0x10E8;
            CL_UNORM_INT10X6_EXT = 0x10E1;
            CL_UNORM_INT12X4_EXT = 0x10E9;
            CL_UNORM_INT14X2_EXT = 0x10EA;
        }
    }
    functions {
        clReleaseDeviceEXT(device: cl_device_id) -> cl_int;
        clRetainDeviceEXT(device: cl_device_id) -> cl_int;
        clCreateSubDevicesEXT(
            in_device: cl_device_id, properties: *const cl_device_partition_property_ext, num_entries: cl_uint,
            out_devices: *mut cl_device_id, num_devices: *mut cl_uint,
        ) -> cl_int;
        clEnqueueMigrateMemObjectEXT(
            command_queue: cl_command_queue, num_mem_objects: cl_uint, mem_objects: *const cl_mem,
            flags: cl_mem_migration_flags_ext, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
            event: *mut cl_event,
        ) -> cl_int;
        clSetKernelArgDevicePointerEXT(
            kernel: cl_kernel, arg_index: cl_uint, arg_value: cl_mem_device_address_ext,
        ) -> cl_int;
        clGetImageRequirementsInfoEXT(
            context: cl_context, properties: *const cl_mem_properties, flags: cl_mem_flags,
            image_format: *const cl_image_format, image_desc: *const cl_image_desc,
            param_name: cl_image_requirements_info_ext, param_value_size: usize, param_value: *mut c_void,
            param_value_size_ret: *mut usize,
        ) -> cl_int;
    }
}
