//! The smaller Khronos extensions.

use core::ffi::{c_char, c_void};

use crate::context::cl_context_properties;
use crate::device::cl_device_info;
use crate::handle::{cl_command_queue, cl_context, cl_device_id, cl_kernel, cl_program};
use crate::kernel::cl_kernel_sub_group_info;
use crate::platform::cl_platform_info;
use crate::program::{cl_program_binary_type, cl_program_info};
use crate::queue::cl_queue_properties;
use crate::sampler::cl_sampler_properties;
use crate::scalar::{cl_bitfield, cl_bool, cl_int, cl_properties, cl_uint};

abi! {
    types {
        cl_context_memory_initialize_khr = cl_bitfield;
        cl_device_terminate_capability_khr = cl_bitfield;
        cl_queue_properties_khr = cl_properties;
        cl_queue_priority_khr = cl_uint;
        cl_queue_throttle_khr = cl_uint;
        cl_version_khr = cl_uint;
        cl_device_integer_dot_product_capabilities_khr = cl_bitfield;
        cl_device_kernel_clock_capabilities_khr = cl_bitfield;
    }
    structs {
        cl_name_version_khr {
            version: cl_version_khr,
            name: [c_char; CL_NAME_VERSION_MAX_NAME_SIZE_KHR],
        }
        cl_device_pci_bus_info_khr {
            pci_domain: cl_uint,
            pci_bus: cl_uint,
            pci_device: cl_uint,
            pci_function: cl_uint,
        }
        cl_device_integer_dot_product_acceleration_properties_khr {
            signed_accelerated: cl_bool,
            unsigned_accelerated: cl_bool,
            mixed_signedness_accelerated: cl_bool,
            accumulating_saturating_signed_accelerated: cl_bool,
            accumulating_saturating_unsigned_accelerated: cl_bool,
            accumulating_saturating_mixed_signedness_accelerated: cl_bool,
        }
    }
    constants {
        // cl_khr_fp16
        cl_device_info {
            CL_DEVICE_HALF_FP_CONFIG = 0x1033;
        }
        // cl_khr_il_program
        cl_device_info {
            CL_DEVICE_IL_VERSION_KHR = 0x105B;
        }
        cl_program_info {
            CL_PROGRAM_IL_KHR = 0x1169;
        }
        // cl_khr_image2d_from_buffer
        cl_device_info {
            CL_DEVICE_IMAGE_PITCH_ALIGNMENT_KHR = 0x104A;
            CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT_KHR = 0x104B;
        }
        // cl_khr_initialize_memory
        cl_context_properties {
            CL_CONTEXT_MEMORY_INITIALIZE_KHR = 0x2030;
        }
        cl_context_memory_initialize_khr {
            CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR = 1 << 0;
            CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR = 1 << 1;
        }
        // cl_khr_terminate_context
        cl_device_info {
            CL_DEVICE_TERMINATE_CAPABILITY_KHR = 0x2031;
        }
        cl_context_properties {
            CL_CONTEXT_TERMINATE_KHR = 0x2032;
        }
        cl_device_terminate_capability_khr {
            CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR = 1 << 0;
        }
        cl_int {
            CL_CONTEXT_TERMINATED_KHR = -1121;
        }
        // cl_khr_spir
        cl_device_info {
            CL_DEVICE_SPIR_VERSIONS = 0x40E0;
        }
        cl_program_binary_type {
            CL_PROGRAM_BINARY_TYPE_INTERMEDIATE = 0x40E1;
        }
        // cl_khr_mipmap_image
        cl_sampler_properties {
            CL_SAMPLER_MIP_FILTER_MODE_KHR = 0x1155;
            CL_SAMPLER_LOD_MIN_KHR = 0x1156;
            CL_SAMPLER_LOD_MAX_KHR = 0x1157;
        }
        // cl_khr_subgroups
        cl_kernel_sub_group_info {
            CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE_KHR = 0x2033;
            CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE_KHR = 0x2034;
        }
        // cl_khr_priority_hints
        cl_queue_properties {
            CL_QUEUE_PRIORITY_KHR = 0x1096;
        }
        cl_queue_priority_khr {
            CL_QUEUE_PRIORITY_HIGH_KHR = 1 << 0;
            CL_QUEUE_PRIORITY_MED_KHR = 1 << 1;
            CL_QUEUE_PRIORITY_LOW_KHR = 1 << 2;
        }
        // cl_khr_throttle_hints
        cl_queue_properties {
            CL_QUEUE_THROTTLE_KHR = 0x1097;
        }
        cl_queue_throttle_khr {
            CL_QUEUE_THROTTLE_HIGH_KHR = 1 << 0;
            CL_QUEUE_THROTTLE_MED_KHR = 1 << 1;
            CL_QUEUE_THROTTLE_LOW_KHR = 1 << 2;
        }
        // cl_khr_subgroup_named_barrier
        cl_device_info {
            CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR = 0x2035;
        }
        // cl_khr_device_uuid
        usize {
            CL_UUID_SIZE_KHR = 16;
            CL_LUID_SIZE_KHR = 8;
        }
        cl_device_info {
            CL_DEVICE_UUID_KHR = 0x106A;
            CL_DRIVER_UUID_KHR = 0x106B;
            CL_DEVICE_LUID_VALID_KHR = 0x106C;
            CL_DEVICE_LUID_KHR = 0x106D;
            CL_DEVICE_NODE_MASK_KHR = 0x106E;
        }
        // cl_khr_extended_versioning
        cl_uint {
            CL_VERSION_MAJOR_BITS_KHR = 10;
            CL_VERSION_MINOR_BITS_KHR = 10;
            CL_VERSION_PATCH_BITS_KHR = 12;
        }
        usize {
            CL_NAME_VERSION_MAX_NAME_SIZE_KHR = 64;
        }
        cl_platform_info {
            CL_PLATFORM_NUMERIC_VERSION_KHR = 0x0906;
            CL_PLATFORM_EXTENSIONS_WITH_VERSION_KHR = 0x0907;
        }
        cl_device_info {
            CL_DEVICE_NUMERIC_VERSION_KHR = 0x105E;
            CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR = 0x105F;
            CL_DEVICE_EXTENSIONS_WITH_VERSION_KHR = 0x1060;
            CL_DEVICE_ILS_WITH_VERSION_KHR = 0x1061;
            CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION_KHR = 0x1062;
        }
        // cl_khr_pci_bus_info
        cl_device_info {
            CL_DEVICE_PCI_BUS_INFO_KHR = 0x410F;
        }
        // cl_khr_integer_dot_product
        cl_device_integer_dot_product_capabilities_khr {
            CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR = 1 << 1;
            CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR = 1 << 0;
        }
        cl_device_info {
            CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR = 0x1073;
            CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR = 0x1074;
            CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR = 0x1075;
        }
        // cl_khr_kernel_clock
        cl_device_info {
            CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR = 0x1076;
        }
        cl_device_kernel_clock_capabilities_khr {
            CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR = 1 << 0;
            CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR = 1 << 1;
            CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR = 1 << 2;
        }
        // cl_khr_spirv_queries
        cl_device_info {
            CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR = 0x12B9;
            CL_DEVICE_SPIRV_EXTENSIONS_KHR = 0x12BA;
            CL_DEVICE_SPIRV_CAPABILITIES_KHR = 0x12BB;
        }
    }
    functions {
        clCreateProgramWithILKHR(
            context: cl_context, il: *const c_void, length: usize, errcode_ret: *mut cl_int,
        ) -> cl_program;
        clTerminateContextKHR(context: cl_context) -> cl_int;
        clCreateCommandQueueWithPropertiesKHR(
            context: cl_context, device: cl_device_id, properties: *const cl_queue_properties_khr,
            errcode_ret: *mut cl_int,
        ) -> cl_command_queue;
        clGetKernelSubGroupInfoKHR(
            in_kernel: cl_kernel, in_device: cl_device_id, param_name: cl_kernel_sub_group_info,
            input_value_size: usize, input_value: *const c_void, param_value_size: usize, param_value: *mut c_void,
            param_value_size_ret: *mut usize,
        ) -> cl_int;
        clGetKernelSuggestedLocalWorkSizeKHR(
            command_queue: cl_command_queue, kernel: cl_kernel, work_dim: cl_uint, global_work_offset: *const usize,
            global_work_size: *const usize, suggested_local_work_size: *mut usize,
        ) -> cl_int;
    }
}
