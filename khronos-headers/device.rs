//! Devices and sub-devices.

use core::ffi::c_void;

use crate::handle::{cl_device_id, cl_platform_id};
use crate::scalar::{cl_bitfield, cl_bool, cl_int, cl_uint, cl_ulong};

abi! {
    types {
        cl_device_type = cl_bitfield;
        cl_device_info = cl_uint;
        cl_device_fp_config = cl_bitfield;
        cl_device_mem_cache_type = cl_uint;
        cl_device_local_mem_type = cl_uint;
        cl_device_exec_capabilities = cl_bitfield;
        cl_device_partition_property = isize;
        cl_device_affinity_domain = cl_bitfield;
        cl_device_svm_capabilities = cl_bitfield;
        cl_device_atomic_capabilities = cl_bitfield;
        cl_device_device_enqueue_capabilities = cl_bitfield;
        cl_device_integer_dot_product_capabilities = cl_bitfield;
    }
    structs {
        cl_device_integer_dot_product_acceleration_properties {
            signed_accelerated: cl_bool,
            unsigned_accelerated: cl_bool,
            mixed_signedness_accelerated: cl_bool,
            accumulating_saturating_signed_accelerated: cl_bool,
            accumulating_saturating_unsigned_accelerated: cl_bool,
            accumulating_saturating_mixed_signedness_accelerated: cl_bool,
        }
    }
    constants {
        cl_device_type {
            CL_DEVICE_TYPE_DEFAULT = 1 << 0;
            CL_DEVICE_TYPE_CPU = 1 << 1;
            CL_DEVICE_TYPE_GPU = 1 << 2;
            CL_DEVICE_TYPE_ACCELERATOR = 1 << 3;
            CL_DEVICE_TYPE_ALL = 0xFFFFFFFF;
            CL_DEVICE_TYPE_CUSTOM = 1 << 4;
        }
        cl_device_info {
            CL_DEVICE_TYPE = 0x1000;
            CL_DEVICE_VENDOR_ID = 0x1001;
            CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002;
            CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS = 0x1003;
            CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004;
            CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR = 0x1006;
            CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT = 0x1007;
            CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT = 0x1008;
            CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG = 0x1009;
            CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT = 0x100A;
            CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE = 0x100B;
            CL_DEVICE_MAX_CLOCK_FREQUENCY = 0x100C;
            CL_DEVICE_ADDRESS_BITS = 0x100D;
            CL_DEVICE_MAX_READ_IMAGE_ARGS = 0x100E;
            CL_DEVICE_MAX_WRITE_IMAGE_ARGS = 0x100F;
            CL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010;
            CL_DEVICE_IMAGE2D_MAX_WIDTH = 0x1011;
            CL_DEVICE_IMAGE2D_MAX_HEIGHT = 0x1012;
            CL_DEVICE_IMAGE3D_MAX_WIDTH = 0x1013;
            CL_DEVICE_IMAGE3D_MAX_HEIGHT = 0x1014;
            CL_DEVICE_IMAGE3D_MAX_DEPTH = 0x1015;
            CL_DEVICE_IMAGE_SUPPORT = 0x1016;
            CL_DEVICE_MAX_PARAMETER_SIZE = 0x1017;
            CL_DEVICE_MAX_SAMPLERS = 0x1018;
            CL_DEVICE_MEM_BASE_ADDR_ALIGN = 0x1019;
            CL_DEVICE_SINGLE_FP_CONFIG = 0x101B;
            CL_DEVICE_GLOBAL_MEM_CACHE_TYPE = 0x101C;
            CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE = 0x101D;
            CL_DEVICE_GLOBAL_MEM_CACHE_SIZE = 0x101E;
            CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F;
            CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE = 0x1020;
            CL_DEVICE_MAX_CONSTANT_ARGS = 0x1021;
            CL_DEVICE_LOCAL_MEM_TYPE = 0x1022;
            CL_DEVICE_LOCAL_MEM_SIZE = 0x1023;
            CL_DEVICE_ERROR_CORRECTION_SUPPORT = 0x1024;
            CL_DEVICE_PROFILING_TIMER_RESOLUTION = 0x1025;
            CL_DEVICE_ENDIAN_LITTLE = 0x1026;
            CL_DEVICE_AVAILABLE = 0x1027;
            CL_DEVICE_COMPILER_AVAILABLE = 0x1028;
            CL_DEVICE_EXECUTION_CAPABILITIES = 0x1029;
            CL_DEVICE_NAME = 0x102B;
            CL_DEVICE_VENDOR = 0x102C;
            CL_DRIVER_VERSION = 0x102D;
            CL_DEVICE_PROFILE = 0x102E;
            CL_DEVICE_VERSION = 0x102F;
            CL_DEVICE_EXTENSIONS = 0x1030;
            CL_DEVICE_PLATFORM = 0x1031;
            CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE = 0x101A;
            CL_DEVICE_QUEUE_PROPERTIES = 0x102A;
            CL_DEVICE_MAX_WORK_ITEM_SIZES = 0x1005;
            CL_DEVICE_HOST_UNIFIED_MEMORY = 0x1035;
            CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF = 0x1034;
            CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR = 0x1036;
            CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT = 0x1037;
            CL_DEVICE_NATIVE_VECTOR_WIDTH_INT = 0x1038;
            CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG = 0x1039;
            CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT = 0x103A;
            CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE = 0x103B;
            CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF = 0x103C;
            CL_DEVICE_OPENCL_C_VERSION = 0x103D;
            CL_DEVICE_DOUBLE_FP_CONFIG = 0x1032;
            CL_DEVICE_LINKER_AVAILABLE = 0x103E;
            CL_DEVICE_BUILT_IN_KERNELS = 0x103F;
            CL_DEVICE_IMAGE_MAX_BUFFER_SIZE = 0x1040;
            CL_DEVICE_IMAGE_MAX_ARRAY_SIZE = 0x1041;
            CL_DEVICE_PARENT_DEVICE = 0x1042;
            CL_DEVICE_PARTITION_MAX_SUB_DEVICES = 0x1043;
            CL_DEVICE_PARTITION_PROPERTIES = 0x1044;
            CL_DEVICE_PARTITION_AFFINITY_DOMAIN = 0x1045;
            CL_DEVICE_PARTITION_TYPE = 0x1046;
            CL_DEVICE_REFERENCE_COUNT = 0x1047;
            CL_DEVICE_PREFERRED_INTEROP_USER_SYNC = 0x1048;
            CL_DEVICE_PRINTF_BUFFER_SIZE = 0x1049;
            CL_DEVICE_QUEUE_ON_HOST_PROPERTIES = 0x102A;
            CL_DEVICE_IMAGE_PITCH_ALIGNMENT = 0x104A;
            CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT = 0x104B;
            CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS = 0x104C;
            CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE = 0x104D;
            CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES = 0x104E;
            CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE = 0x104F;
            CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE = 0x1050;
            CL_DEVICE_MAX_ON_DEVICE_QUEUES = 0x1051;
            CL_DEVICE_MAX_ON_DEVICE_EVENTS = 0x1052;
            CL_DEVICE_SVM_CAPABILITIES = 0x1053;
            CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE = 0x1054;
            CL_DEVICE_MAX_PIPE_ARGS = 0x1055;
            CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS = 0x1056;
            CL_DEVICE_PIPE_MAX_PACKET_SIZE = 0x1057;
            CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT = 0x1058;
            CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT = 0x1059;
            CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT = 0x105A;
            CL_DEVICE_IL_VERSION = 0x105B;
            CL_DEVICE_MAX_NUM_SUB_GROUPS = 0x105C;
            CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS = 0x105D;
            CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES = 0x1063;
            CL_DEVICE_ATOMIC_FENCE_CAPABILITIES = 0x1064;
            CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT = 0x1065;
            CL_DEVICE_OPENCL_C_ALL_VERSIONS = 0x1066;
            CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT = 0x1068;
            CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT = 0x1069;
            CL_DEVICE_OPENCL_C_FEATURES = 0x106F;
            CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES = 0x1070;
            CL_DEVICE_PIPE_SUPPORT = 0x1071;
            CL_DEVICE_NUMERIC_VERSION = 0x105E;
            CL_DEVICE_EXTENSIONS_WITH_VERSION = 0x1060;
            CL_DEVICE_ILS_WITH_VERSION = 0x1061;
            CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION = 0x1062;
            CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE = 0x1067;
            CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED = 0x1072;
            CL_DEVICE_UUID = 0x106A;
            CL_DRIVER_UUID = 0x106B;
            CL_DEVICE_LUID_VALID = 0x106C;
            CL_DEVICE_LUID = 0x106D;
            CL_DEVICE_NODE_MASK = 0x106E;
            CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES = 0x1073;
            CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT = 0x1074;
            CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED = 0x1075;
            CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS = 0x12B9;
            CL_DEVICE_SPIRV_EXTENSIONS = 0x12BA;
            CL_DEVICE_SPIRV_CAPABILITIES = 0x12BB;
            CL_DEVICE_MAX_WORK_GROUP_SIZES = 0x1005;
        }
        cl_device_fp_config {
            CL_FP_DENORM = 1 << 0;
            CL_FP_INF_NAN = 1 << 1;
            CL_FP_ROUND_TO_NEAREST = 1 << 2;
            CL_FP_ROUND_TO_ZERO = 1 << 3;
            CL_FP_ROUND_TO_INF = 1 << 4;
            CL_FP_FMA = 1 << 5;
            CL_FP_SOFT_FLOAT = 1 << 6;
            CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT = 1 << 7;
        }
        cl_device_mem_cache_type {
            CL_NONE = 0x0;
            CL_READ_ONLY_CACHE = 0x1;
            CL_READ_WRITE_CACHE = 0x2;
        }
        cl_device_local_mem_type {
            CL_LOCAL = 0x1;
            CL_GLOBAL = 0x2;
        }
        cl_device_exec_capabilities {
            CL_EXEC_KERNEL = 1 << 0;
            CL_EXEC_NATIVE_KERNEL = 1 << 1;
        }
        cl_device_partition_property {
            CL_DEVICE_PARTITION_EQUALLY = 0x1086;
            CL_DEVICE_PARTITION_BY_COUNTS = 0x1087;
            CL_DEVICE_PARTITION_BY_COUNTS_LIST_END = 0x0;
            CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN = 0x1088;
        }
        cl_device_affinity_domain {
            CL_DEVICE_AFFINITY_DOMAIN_NUMA = 1 << 0;
            CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE = 1 << 1;
            CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE = 1 << 2;
            CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE = 1 << 3;
            CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE = 1 << 4;
            CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE = 1 << 5;
        }
        cl_device_svm_capabilities {
            CL_DEVICE_SVM_COARSE_GRAIN_BUFFER = 1 << 0;
            CL_DEVICE_SVM_FINE_GRAIN_BUFFER = 1 << 1;
            CL_DEVICE_SVM_FINE_GRAIN_SYSTEM = 1 << 2;
            CL_DEVICE_SVM_ATOMICS = 1 << 3;
        }
        cl_device_atomic_capabilities {
            CL_DEVICE_ATOMIC_ORDER_RELAXED = 1 << 0;
            CL_DEVICE_ATOMIC_ORDER_ACQ_REL = 1 << 1;
            CL_DEVICE_ATOMIC_ORDER_SEQ_CST = 1 << 2;
            CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM = 1 << 3;
            CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP = 1 << 4;
            CL_DEVICE_ATOMIC_SCOPE_DEVICE = 1 << 5;
            CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES = 1 << 6;
        }
        cl_device_device_enqueue_capabilities {
            CL_DEVICE_QUEUE_SUPPORTED = 1 << 0;
            CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT = 1 << 1;
        }
        usize {
            CL_UUID_SIZE = 16;
            CL_LUID_SIZE = 8;
        }
        cl_device_integer_dot_product_capabilities {
            CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT = 1 << 1;
            CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED = 1 << 0;
        }
    }
    functions {
        clGetDeviceIDs(
            platform: cl_platform_id, device_type: cl_device_type, num_entries: cl_uint, devices: *mut cl_device_id,
            num_devices: *mut cl_uint,
        ) -> cl_int;
        clGetDeviceInfo(
            device: cl_device_id, param_name: cl_device_info, param_value_size: usize, param_value: *mut c_void,
            param_value_size_ret: *mut usize,
        ) -> cl_int;
        clCreateSubDevices(
            in_device: cl_device_id, properties: *const cl_device_partition_property, num_devices: cl_uint,
            out_devices: *mut cl_device_id, num_devices_ret: *mut cl_uint,
        ) -> cl_int;
        clRetainDevice(device: cl_device_id) -> cl_int;
        clReleaseDevice(device: cl_device_id) -> cl_int;
        clGetDeviceAndHostTimer(
            device: cl_device_id, device_timestamp: *mut cl_ulong, host_timestamp: *mut cl_ulong,
        ) -> cl_int;
        clGetHostTimer(device: cl_device_id, host_timestamp: *mut cl_ulong) -> cl_int;
    }
}
