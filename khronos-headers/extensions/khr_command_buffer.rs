//! `cl_khr_command_buffer`, with mutable dispatch and several devices.

use core::ffi::c_void;

use crate::device::cl_device_info;
use crate::event::cl_command_type;
use crate::handle::{cl_command_buffer_khr, cl_command_queue, cl_event, cl_kernel, cl_mem, cl_mutable_command_khr};
use crate::platform::cl_platform_info;
use crate::scalar::{cl_bitfield, cl_bool, cl_int, cl_properties, cl_uint};

abi! {
    types {
        cl_device_command_buffer_capabilities_khr = cl_bitfield;
        cl_sync_point_khr = cl_uint;
        cl_command_buffer_info_khr = cl_uint;
        cl_command_buffer_state_khr = cl_uint;
        cl_command_buffer_properties_khr = cl_properties;
        cl_command_buffer_flags_khr = cl_bitfield;
        cl_command_properties_khr = cl_properties;
        cl_command_buffer_update_type_khr = cl_uint;
        cl_mutable_dispatch_fields_khr = cl_bitfield;
        cl_mutable_command_info_khr = cl_uint;
        cl_mutable_dispatch_asserts_khr = cl_bitfield;
        cl_platform_command_buffer_capabilities_khr = cl_bitfield;
    }
    structs {
        cl_mutable_dispatch_arg_khr {
            arg_index: cl_uint,
            arg_size: usize,
            arg_value: *const c_void,
        }
        cl_mutable_dispatch_exec_info_khr {
            param_name: cl_uint,
            param_value_size: usize,
            param_value: *const c_void,
        }
        cl_mutable_dispatch_config_khr {
            command: cl_mutable_command_khr,
            num_args: cl_uint,
            num_svm_args: cl_uint,
            num_exec_infos: cl_uint,
            work_dim: cl_uint,
            arg_list: *const cl_mutable_dispatch_arg_khr,
            arg_svm_list: *const cl_mutable_dispatch_arg_khr,
            exec_info_list: *const cl_mutable_dispatch_exec_info_khr,
            global_work_offset: *const usize,
            global_work_size: *const usize,
            local_work_size: *const usize,
        }
    }
    constants {
        cl_device_info {
            CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR = 0x12A9;
            CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR = 0x129A;
            CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR = 0x12AA;
        }
        cl_device_command_buffer_capabilities_khr {
            CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR = 1 << 0;
            CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR = 1 << 1;
        }
        cl_command_buffer_properties_khr {
            CL_COMMAND_BUFFER_FLAGS_KHR = 0x1293;
        }
        cl_int {
            CL_INVALID_COMMAND_BUFFER_KHR = -1138;
            CL_INVALID_SYNC_POINT_WAIT_LIST_KHR = -1139;
            CL_INCOMPATIBLE_COMMAND_QUEUE_KHR = -1140;
        }
        cl_command_buffer_info_khr {
            CL_COMMAND_BUFFER_QUEUES_KHR = 0x1294;
            CL_COMMAND_BUFFER_NUM_QUEUES_KHR = 0x1295;
            CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR = 0x1296;
            CL_COMMAND_BUFFER_STATE_KHR = 0x1297;
            CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR = 0x1298;
            CL_COMMAND_BUFFER_CONTEXT_KHR = 0x1299;
        }
        cl_command_buffer_state_khr {
            CL_COMMAND_BUFFER_STATE_RECORDING_KHR = 0;
            CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR = 1;
        }
        cl_command_type {
            CL_COMMAND_COMMAND_BUFFER_KHR = 0x12A8;
        }
        // cl_khr_command_buffer_mutable_dispatch
        cl_command_buffer_flags_khr {
            CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR = 1 << 0;
            CL_COMMAND_BUFFER_MUTABLE_KHR = 1 << 1;
        }
        cl_device_command_buffer_capabilities_khr {
            CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR = 1 << 2;
        }
        cl_int {
            CL_INVALID_MUTABLE_COMMAND_KHR = -1141;
        }
        cl_device_info {
            CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR = 0x12B0;
        }
        cl_command_properties_khr {
            CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR = 0x12B1;
            CL_MUTABLE_DISPATCH_ASSERTS_KHR = 0x12B8;
        }
        cl_mutable_dispatch_fields_khr {
            CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR = 1 << 0;
            CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR = 1 << 1;
            CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR = 1 << 2;
            CL_MUTABLE_DISPATCH_ARGUMENTS_KHR = 1 << 3;
            CL_MUTABLE_DISPATCH_EXEC_INFO_KHR = 1 << 4;
        }
        cl_mutable_command_info_khr {
            CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR = 0x12A0;
            CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR = 0x12A1;
            CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR = 0x12AD;
            CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR = 0x12A2;
            CL_MUTABLE_DISPATCH_KERNEL_KHR = 0x12A3;
            CL_MUTABLE_DISPATCH_DIMENSIONS_KHR = 0x12A4;
            CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR = 0x12A5;
            CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR = 0x12A6;
            CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR = 0x12A7;
        }
        cl_command_buffer_update_type_khr {
            CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR = 0;
        }
        cl_command_buffer_properties_khr {
            CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR = 0x12B7;
        }
        cl_mutable_dispatch_asserts_khr {
            CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR = 1 << 0;
        }
        cl_command_buffer_state_khr {
            CL_COMMAND_BUFFER_STATE_FINALIZED_KHR = 2;
        }
        // cl_khr_command_buffer_multi_device
        cl_platform_info {
            CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR = 0x0908;
        }
        cl_platform_command_buffer_capabilities_khr {
            CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR = 1 << 0;
            CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR = 1 << 1;
            CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR = 1 << 2;
        }
        cl_device_info {
            CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR = 0x12AB;
            CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR = 0x12AC;
        }
        cl_device_command_buffer_capabilities_khr {
            CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR = 1 << 4;
        }
        cl_command_buffer_flags_khr {
            CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR = 1 << 2;
        }
    }
    functions {
        clCreateCommandBufferKHR(
            num_queues: cl_uint, queues: *const cl_command_queue, properties: *const cl_command_buffer_properties_khr,
            errcode_ret: *mut cl_int,
        ) -> cl_command_buffer_khr;
        clFinalizeCommandBufferKHR(command_buffer: cl_command_buffer_khr) -> cl_int;
        clRetainCommandBufferKHR(command_buffer: cl_command_buffer_khr) -> cl_int;
        clReleaseCommandBufferKHR(command_buffer: cl_command_buffer_khr) -> cl_int;
        clEnqueueCommandBufferKHR(
            num_queues: cl_uint, queues: *mut cl_command_queue, command_buffer: cl_command_buffer_khr,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
        clCommandBarrierWithWaitListKHR(
            command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
            properties: *const cl_command_properties_khr, num_sync_points_in_wait_list: cl_uint,
            sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr,
            mutable_handle: *mut cl_mutable_command_khr,
        ) -> cl_int;
        clCommandCopyBufferKHR(
            command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
            properties: *const cl_command_properties_khr, src_buffer: cl_mem, dst_buffer: cl_mem, src_offset: usize,
            dst_offset: usize, size: usize, num_sync_points_in_wait_list: cl_uint,
            sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr,
            mutable_handle: *mut cl_mutable_command_khr,
        ) -> cl_int;
        clCommandCopyBufferRectKHR(
            command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
            properties: *const cl_command_properties_khr, src_buffer: cl_mem, dst_buffer: cl_mem,
            src_origin: *const usize, dst_origin: *const usize, region: *const usize, src_row_pitch: usize,
            src_slice_pitch: usize, dst_row_pitch: usize, dst_slice_pitch: usize,
            num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr,
            sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr,
        ) -> cl_int;
        clCommandCopyBufferToImageKHR(
            command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
            properties: *const cl_command_properties_khr, src_buffer: cl_mem, dst_image: cl_mem, src_offset: usize,
            dst_origin: *const usize, region: *const usize, num_sync_points_in_wait_list: cl_uint,
            sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr,
            mutable_handle: *mut cl_mutable_command_khr,
        ) -> cl_int;
        clCommandCopyImageKHR(
            command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
            properties: *const cl_command_properties_khr, src_image: cl_mem, dst_image: cl_mem,
            src_origin: *const usize, dst_origin: *const usize, region: *const usize,
            num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr,
            sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr,
        ) -> cl_int;
        clCommandCopyImageToBufferKHR(
            command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
            properties: *const cl_command_properties_khr, src_image: cl_mem, dst_buffer: cl_mem,
            src_origin: *const usize, region: *const usize, dst_offset: usize, num_sync_points_in_wait_list: cl_uint,
            sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr,
            mutable_handle: *mut cl_mutable_command_khr,
        ) -> cl_int;
        clCommandFillBufferKHR(
            command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
            properties: *const cl_command_properties_khr, buffer: cl_mem, pattern: *const c_void, pattern_size: usize,
            offset: usize, size: usize, num_sync_points_in_wait_list: cl_uint,
            sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr,
            mutable_handle: *mut cl_mutable_command_khr,
        ) -> cl_int;
        clCommandFillImageKHR(
            command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
            properties: *const cl_command_properties_khr, image: cl_mem, fill_color: *const c_void,
            origin: *const usize, region: *const usize, num_sync_points_in_wait_list: cl_uint,
            sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr,
            mutable_handle: *mut cl_mutable_command_khr,
        ) -> cl_int;
        clCommandNDRangeKernelKHR(
            command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
            properties: *const cl_command_properties_khr, kernel: cl_kernel, work_dim: cl_uint,
            global_work_offset: *const usize, global_work_size: *const usize, local_work_size: *const usize,
            num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr,
            sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr,
        ) -> cl_int;
        clGetCommandBufferInfoKHR(
            command_buffer: cl_command_buffer_khr, param_name: cl_command_buffer_info_khr, param_value_size: usize,
            param_value: *mut c_void, param_value_size_ret: *mut usize,
        ) -> cl_int;
        clCommandSVMMemcpyKHR(
            command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
            properties: *const cl_command_properties_khr, dst_ptr: *mut c_void, src_ptr: *const c_void, size: usize,
            num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr,
            sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr,
        ) -> cl_int;
        clCommandSVMMemFillKHR(
            command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
            properties: *const cl_command_properties_khr, svm_ptr: *mut c_void, pattern: *const c_void,
            pattern_size: usize, size: usize, num_sync_points_in_wait_list: cl_uint,
            sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr,
            mutable_handle: *mut cl_mutable_command_khr,
        ) -> cl_int;
        clUpdateMutableCommandsKHR(
            command_buffer: cl_command_buffer_khr, num_configs: cl_uint,
            config_types: *const cl_command_buffer_update_type_khr, configs: *mut *const c_void,
        ) -> cl_int;
        clGetMutableCommandInfoKHR(
            command: cl_mutable_command_khr, param_name: cl_mutable_command_info_khr, param_value_size: usize,
            param_value: *mut c_void, param_value_size_ret: *mut usize,
        ) -> cl_int;
        clRemapCommandBufferKHR(
            command_buffer: cl_command_buffer_khr, automatic: cl_bool, num_queues: cl_uint,
            queues: *const cl_command_queue, num_handles: cl_uint, handles: *const cl_mutable_command_khr,
            handles_ret: *mut cl_mutable_command_khr, errcode_ret: *mut cl_int,
        ) -> cl_command_buffer_khr;
    }
}
