//! Images: the device has none.

use std::ffi::c_void;
use std::sync::Arc;

use khronos_headers::{
    cl_bool, cl_command_queue, cl_context, cl_event, cl_image_desc, cl_image_format, cl_image_info, cl_map_flags,
    cl_mem, cl_mem_flags, cl_mem_object_type, cl_mem_properties, cl_uint,
};
use oxicl_objects::context::Context;
use oxicl_objects::memory::Memory;
use oxicl_objects::queue::Queue;
use oxicl_objects::{ApiError, image};

use crate::call::Call;
use crate::entry::entries;

/// `clCreateImage` and its relatives.
fn create(call: &Call, context: cl_context) -> Result<cl_mem, ApiError> {
    let context = call.object::<Context>(context)?;
    call.give(&image::create_image(&context)?)
}

/// The commands: the handles are checked, then the device refuses.
fn enqueue(call: &Call, queue: cl_command_queue, objects: &[cl_mem]) -> Result<(), ApiError> {
    call.object::<Queue>(queue)?;
    let objects = objects.iter().map(|&object| call.object::<Memory>(object));
    Err(image::enqueue(&objects.collect::<Result<Vec<Arc<Memory>>, _>>()?))
}

entries! {
    slots {
        create fn clCreateImage(
            call, context: cl_context, _flags: cl_mem_flags, _image_format: *const cl_image_format,
            _image_desc: *const cl_image_desc, _host_ptr: *mut c_void,
        ) -> cl_mem {
            create(call, context)
        }

        create fn clCreateImageWithProperties(
            call, context: cl_context, _properties: *const cl_mem_properties, _flags: cl_mem_flags,
            _image_format: *const cl_image_format, _image_desc: *const cl_image_desc, _host_ptr: *mut c_void,
        ) -> cl_mem {
            create(call, context)
        }

        create fn clCreateImage2D(
            call, context: cl_context, _flags: cl_mem_flags, _image_format: *const cl_image_format,
            _image_width: usize, _image_height: usize, _image_row_pitch: usize, _host_ptr: *mut c_void,
        ) -> cl_mem {
            create(call, context)
        }

        create fn clCreateImage3D(
            call, context: cl_context, _flags: cl_mem_flags, _image_format: *const cl_image_format,
            _image_width: usize, _image_height: usize, _image_depth: usize, _image_row_pitch: usize,
            _image_slice_pitch: usize, _host_ptr: *mut c_void,
        ) -> cl_mem {
            create(call, context)
        }

        status fn clGetSupportedImageFormats(
            call, context: cl_context, flags: cl_mem_flags, image_type: cl_mem_object_type, num_entries: cl_uint,
            image_formats: *mut cl_image_format, num_image_formats: *mut cl_uint,
        ) {
            let context = call.object::<Context>(context)?;
            let formats = image::supported_formats(&context, flags, image_type)?;
            // "CL_INVALID_VALUE if num_entries is zero and image_formats is not NULL."
            if num_entries == 0 && !image_formats.is_null() {
                return Err(ApiError::InvalidValue);
            }
            call.write_array(image_formats, num_entries as usize, &formats);
            call.write(num_image_formats, formats.len() as cl_uint);
            Ok(())
        }

        status fn clGetImageInfo(
            call, image: cl_mem, _param_name: cl_image_info, _param_value_size: usize, _param_value: *mut c_void,
            _param_value_size_ret: *mut usize,
        ) {
            Err(image::query(&*call.object::<Memory>(image)?))
        }

        status fn clEnqueueReadImage(
            call, command_queue: cl_command_queue, image: cl_mem, _blocking_read: cl_bool, _origin: *const usize,
            _region: *const usize, _row_pitch: usize, _slice_pitch: usize, _ptr: *mut c_void,
            _num_events_in_wait_list: cl_uint, _event_wait_list: *const cl_event, _event: *mut cl_event,
        ) {
            enqueue(call, command_queue, &[image])
        }

        status fn clEnqueueWriteImage(
            call, command_queue: cl_command_queue, image: cl_mem, _blocking_write: cl_bool, _origin: *const usize,
            _region: *const usize, _input_row_pitch: usize, _input_slice_pitch: usize, _ptr: *const c_void,
            _num_events_in_wait_list: cl_uint, _event_wait_list: *const cl_event, _event: *mut cl_event,
        ) {
            enqueue(call, command_queue, &[image])
        }

        status fn clEnqueueFillImage(
            call, command_queue: cl_command_queue, image: cl_mem, _fill_color: *const c_void,
            _origin: *const usize, _region: *const usize, _num_events_in_wait_list: cl_uint,
            _event_wait_list: *const cl_event, _event: *mut cl_event,
        ) {
            enqueue(call, command_queue, &[image])
        }

        status fn clEnqueueCopyImage(
            call, command_queue: cl_command_queue, src_image: cl_mem, dst_image: cl_mem,
            _src_origin: *const usize, _dst_origin: *const usize, _region: *const usize,
            _num_events_in_wait_list: cl_uint, _event_wait_list: *const cl_event, _event: *mut cl_event,
        ) {
            enqueue(call, command_queue, &[src_image, dst_image])
        }

        status fn clEnqueueCopyImageToBuffer(
            call, command_queue: cl_command_queue, src_image: cl_mem, dst_buffer: cl_mem,
            _src_origin: *const usize, _region: *const usize, _dst_offset: usize,
            _num_events_in_wait_list: cl_uint, _event_wait_list: *const cl_event, _event: *mut cl_event,
        ) {
            enqueue(call, command_queue, &[src_image, dst_buffer])
        }

        status fn clEnqueueCopyBufferToImage(
            call, command_queue: cl_command_queue, src_buffer: cl_mem, dst_image: cl_mem, _src_offset: usize,
            _dst_origin: *const usize, _region: *const usize, _num_events_in_wait_list: cl_uint,
            _event_wait_list: *const cl_event, _event: *mut cl_event,
        ) {
            enqueue(call, command_queue, &[src_buffer, dst_image])
        }

        create fn clEnqueueMapImage(
            call, command_queue: cl_command_queue, image: cl_mem, _blocking_map: cl_bool,
            _map_flags: cl_map_flags, _origin: *const usize, _region: *const usize,
            _image_row_pitch: *mut usize, _image_slice_pitch: *mut usize, _num_events_in_wait_list: cl_uint,
            _event_wait_list: *const cl_event, _event: *mut cl_event,
        ) -> *mut c_void {
            enqueue(call, command_queue, &[image]).map(|()| std::ptr::null_mut())
        }
    }
    others {}
    aliases {}
}
