//! Images.

use core::ffi::c_void;

use crate::handle::{cl_command_queue, cl_context, cl_event, cl_mem};
use crate::memory::{cl_map_flags, cl_mem_flags, cl_mem_object_type, cl_mem_properties};
use crate::scalar::{cl_bool, cl_int, cl_uint};

abi! {
    types {
        cl_channel_order = cl_uint;
        cl_channel_type = cl_uint;
        cl_image_info = cl_uint;
    }
    structs {
        cl_image_format {
            image_channel_order: cl_channel_order,
            image_channel_data_type: cl_channel_type,
        }
        cl_image_desc {
            image_type: cl_mem_object_type,
            image_width: usize,
            image_height: usize,
            image_depth: usize,
            image_array_size: usize,
            image_row_pitch: usize,
            image_slice_pitch: usize,
            num_mip_levels: cl_uint,
            num_samples: cl_uint,
            mem_object: cl_mem,
        }
    }
    constants {
        cl_channel_order {
            CL_R = 0x10B0;
            CL_A = 0x10B1;
            CL_RG = 0x10B2;
            CL_RA = 0x10B3;
            CL_RGB = 0x10B4;
            CL_RGBA = 0x10B5;
            CL_BGRA = 0x10B6;
            CL_ARGB = 0x10B7;
            CL_INTENSITY = 0x10B8;
            CL_LUMINANCE = 0x10B9;
            CL_Rx = 0x10BA;
            CL_RGx = 0x10BB;
            CL_RGBx = 0x10BC;
            CL_DEPTH = 0x10BD;
            CL_sRGB = 0x10BF;
            CL_sRGBx = 0x10C0;
            CL_sRGBA = 0x10C1;
            CL_sBGRA = 0x10C2;
            CL_ABGR = 0x10C3;
        }
        cl_channel_type {
            CL_SNORM_INT8 = 0x10D0;
            CL_SNORM_INT16 = 0x10D1;
            CL_UNORM_INT8 = 0x10D2;
            CL_UNORM_INT16 = 0x10D3;
            CL_UNORM_SHORT_565 = 0x10D4;
            CL_UNORM_SHORT_555 = 0x10D5;
            CL_UNORM_INT_101010 = 0x10D6;
            CL_SIGNED_INT8 = 0x10D7;
            CL_SIGNED_INT16 = 0x10D8;
            CL_SIGNED_INT32 = 0x10D9;
            CL_UNSIGNED_INT8 = 0x10DA;
            CL_UNSIGNED_INT16 = 0x10DB;
            CL_UNSIGNED_INT32 = 0x10DC;
            CL_HALF_FLOAT = 0x10DD;
            CL_FLOAT = 0x10DE;
            CL_UNORM_INT_101010_2 = 0x10E0;
        }
        cl_image_info {
            CL_IMAGE_FORMAT = 0x1110;
            CL_IMAGE_ELEMENT_SIZE = 0x1111;
            CL_IMAGE_ROW_PITCH = 0x1112;
            CL_IMAGE_SLICE_PITCH = 0x1113;
            CL_IMAGE_WIDTH = 0x1114;
            CL_IMAGE_HEIGHT = 0x1115;
            CL_IMAGE_DEPTH = 0x1116;
            CL_IMAGE_ARRAY_SIZE = 0x1117;
            CL_IMAGE_NUM_MIP_LEVELS = 0x1119;
            CL_IMAGE_NUM_SAMPLES = 0x111A;
            CL_IMAGE_BUFFER = 0x1118;
        }
    }
    functions {
        clGetSupportedImageFormats(
            context: cl_context, flags: cl_mem_flags, image_type: cl_mem_object_type, num_entries: cl_uint,
            image_formats: *mut cl_image_format, num_image_formats: *mut cl_uint,
        ) -> cl_int;
        clGetImageInfo(
            image: cl_mem, param_name: cl_image_info, param_value_size: usize, param_value: *mut c_void,
            param_value_size_ret: *mut usize,
        ) -> cl_int;
        clEnqueueReadImage(
            command_queue: cl_command_queue, image: cl_mem, blocking_read: cl_bool, origin: *const usize,
            region: *const usize, row_pitch: usize, slice_pitch: usize, ptr: *mut c_void,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
        clEnqueueWriteImage(
            command_queue: cl_command_queue, image: cl_mem, blocking_write: cl_bool, origin: *const usize,
            region: *const usize, input_row_pitch: usize, input_slice_pitch: usize, ptr: *const c_void,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
        clEnqueueCopyImage(
            command_queue: cl_command_queue, src_image: cl_mem, dst_image: cl_mem, src_origin: *const usize,
            dst_origin: *const usize, region: *const usize, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
        clEnqueueCopyImageToBuffer(
            command_queue: cl_command_queue, src_image: cl_mem, dst_buffer: cl_mem, src_origin: *const usize,
            region: *const usize, dst_offset: usize, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
        clEnqueueCopyBufferToImage(
            command_queue: cl_command_queue, src_buffer: cl_mem, dst_image: cl_mem, src_offset: usize,
            dst_origin: *const usize, region: *const usize, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
        clEnqueueMapImage(
            command_queue: cl_command_queue, image: cl_mem, blocking_map: cl_bool, map_flags: cl_map_flags,
            origin: *const usize, region: *const usize, image_row_pitch: *mut usize, image_slice_pitch: *mut usize,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
            errcode_ret: *mut cl_int,
        ) -> *mut c_void;
        clCreateImage2D(
            context: cl_context, flags: cl_mem_flags, image_format: *const cl_image_format, image_width: usize,
            image_height: usize, image_row_pitch: usize, host_ptr: *mut c_void, errcode_ret: *mut cl_int,
        ) -> cl_mem;
        clCreateImage3D(
            context: cl_context, flags: cl_mem_flags, image_format: *const cl_image_format, image_width: usize,
            image_height: usize, image_depth: usize, image_row_pitch: usize, image_slice_pitch: usize,
            host_ptr: *mut c_void, errcode_ret: *mut cl_int,
        ) -> cl_mem;
        clCreateImage(
            context: cl_context, flags: cl_mem_flags, image_format: *const cl_image_format,
            image_desc: *const cl_image_desc, host_ptr: *mut c_void, errcode_ret: *mut cl_int,
        ) -> cl_mem;
        clEnqueueFillImage(
            command_queue: cl_command_queue, image: cl_mem, fill_color: *const c_void, origin: *const usize,
            region: *const usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
            event: *mut cl_event,
        ) -> cl_int;
        clCreateImageWithProperties(
            context: cl_context, properties: *const cl_mem_properties, flags: cl_mem_flags,
            image_format: *const cl_image_format, image_desc: *const cl_image_desc, host_ptr: *mut c_void,
            errcode_ret: *mut cl_int,
        ) -> cl_mem;
    }
}
