//! The smaller Intel extensions that clients ask for.

use core::ffi::c_void;

use crate::context::cl_context_properties;
use crate::device::{cl_device_info, cl_device_partition_property};
use crate::extensions::intel_unified_shared_memory::{cl_mem_properties_intel, cl_unified_shared_memory_type_intel};
use crate::handle::{cl_context, cl_mem};
use crate::kernel::{cl_kernel_sub_group_info, cl_kernel_work_group_info};
use crate::memory::cl_mem_flags;
use crate::queue::cl_command_queue_properties;
use crate::scalar::{cl_bitfield, cl_int};

abi! {
    types {
        cl_diagnostic_verbose_level_intel = cl_bitfield;
        cl_device_feature_capabilities_intel = cl_bitfield;
    }
    structs {
        cl_kernel_allocation_info_intel {
            base: *mut c_void,
            size: usize,
            r#type: cl_unified_shared_memory_type_intel,
            arg_index: cl_int,
        }
    }
    constants {
        // cl_intel_exec_by_local_thread
        cl_command_queue_properties {
            CL_QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL = 1 << 31;
        }
        // cl_intel_device_partition_by_names
        cl_device_partition_property {
            CL_DEVICE_PARTITION_BY_NAMES_INTEL = 0x4052;
            CL_PARTITION_BY_NAMES_LIST_END_INTEL = -1;
        }
        // cl_intel_required_subgroup_size
        cl_device_info {
            CL_DEVICE_SUB_GROUP_SIZES_INTEL = 0x4108;
        }
        cl_kernel_work_group_info {
            CL_KERNEL_SPILL_MEM_SIZE_INTEL = 0x4109;
        }
        cl_kernel_sub_group_info {
            CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL = 0x410A;
        }
        // cl_intel_driver_diagnostics
        cl_context_properties {
            CL_CONTEXT_SHOW_DIAGNOSTICS_INTEL = 0x4106;
        }
        cl_diagnostic_verbose_level_intel {
            CL_CONTEXT_DIAGNOSTICS_LEVEL_ALL_INTEL = 0xff;
            CL_CONTEXT_DIAGNOSTICS_LEVEL_GOOD_INTEL = 1 << 0;
            CL_CONTEXT_DIAGNOSTICS_LEVEL_BAD_INTEL = 1 << 1;
            CL_CONTEXT_DIAGNOSTICS_LEVEL_NEUTRAL_INTEL = 1 << 2;
        }
        // cl_intel_mem_alloc_buffer_location
        cl_mem_properties_intel {
            CL_MEM_ALLOC_BUFFER_LOCATION_INTEL = 0x419E;
        }
        // cl_intel_device_attribute_query
        cl_device_feature_capabilities_intel {
            CL_DEVICE_FEATURE_FLAG_DP4A_INTEL = 1 << 0;
            CL_DEVICE_FEATURE_FLAG_DPAS_INTEL = 1 << 1;
        }
        cl_device_info {
            CL_DEVICE_IP_VERSION_INTEL = 0x4250;
            CL_DEVICE_ID_INTEL = 0x4251;
            CL_DEVICE_NUM_SLICES_INTEL = 0x4252;
            CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL = 0x4253;
            CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL = 0x4254;
            CL_DEVICE_NUM_THREADS_PER_EU_INTEL = 0x4255;
            CL_DEVICE_FEATURE_CAPABILITIES_INTEL = 0x4256;
        }
        // cl_intel_kernel_allocations_info
        cl_kernel_work_group_info {
            CL_KERNEL_ALLOCATIONS_INFO_INTEL = 0x425A;
        }
    }
    functions {
        clCreateBufferWithPropertiesINTEL(
            context: cl_context, properties: *const cl_mem_properties_intel, flags: cl_mem_flags, size: usize,
            host_ptr: *mut c_void, errcode_ret: *mut cl_int,
        ) -> cl_mem;
    }
}
