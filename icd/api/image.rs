//! Images: creation, queries, and the commands on them.

use std::ffi::c_void;

use khronos_headers::{
    CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE3D, cl_bool, cl_command_queue, cl_context, cl_event, cl_image_desc,
    cl_image_format, cl_image_info, cl_image_requirements_info_ext, cl_map_flags, cl_mem, cl_mem_flags,
    cl_mem_object_type, cl_mem_properties, cl_uint,
};
use oxicl_objects::ApiError;
use oxicl_objects::context::Context;
use oxicl_objects::memory::{self, HostSide, ImageDesc, ImageRegion, ImageRequest, MapRequest, Memory};
use oxicl_objects::queue::Queue;

use std::ptr::{null, with_exposed_provenance_mut};

use super::buffer::triple;
use super::memory::{buffer, image};
use crate::call::Call;
use crate::entry::entries;

/// Origin and region of a command. Where the image has levels of detail, a component of the origin is the level.
pub(super) fn part(
    call: &Call,
    image: &Memory,
    origin: *const usize,
    region: *const usize,
) -> Result<ImageRegion, ApiError> {
    let (mut corner, region) = (triple(call, origin)?, triple(call, region)?);
    let level = match image.as_image()?.geometry().level_component() {
        None => 0,
        Some(component) => match corner.get_mut(component) {
            Some(place) => std::mem::take(place),
            None => {
                let [.., level] = call.read(origin.cast::<[usize; 4]>()).ok_or(ApiError::InvalidValue)?;
                level
            }
        },
    };
    Ok(ImageRegion { level, origin: corner, region })
}

/// A description without the memory object.
fn described(desc: cl_image_desc) -> ImageDesc {
    ImageDesc {
        image_type: desc.image_type,
        width: desc.image_width,
        height: desc.image_height,
        depth: desc.image_depth,
        array_size: desc.image_array_size,
        row_pitch: desc.image_row_pitch,
        slice_pitch: desc.image_slice_pitch,
        mip_levels: desc.num_mip_levels,
        samples: desc.num_samples,
    }
}

/// The arguments that creation by a description has.
struct Given {
    properties: *const cl_mem_properties,
    flags: cl_mem_flags,
    format: *const cl_image_format,
    host_ptr: *mut c_void,
}

/// `clCreateImage` and its relatives. The description is none if the pointer is null.
fn create(call: &Call, context: cl_context, given: &Given, desc: Option<cl_image_desc>) -> Result<cl_mem, ApiError> {
    let context = call.object::<Context>(context)?;
    let properties = call.properties(given.properties)?;
    let parent = match desc {
        Some(desc) if !desc.mem_object.is_null() => call.object::<Memory>(desc.mem_object).map(Some),
        _ => Ok(None),
    };
    let parent =
        parent.map_err(|_| ApiError::InvalidImageDescriptor.because("the description names what is no memory object"));
    let request = ImageRequest {
        properties,
        flags: given.flags,
        format: call.read(given.format),
        desc: desc.map(described),
        parent: parent?,
        host: &|bytes| call.span(given.host_ptr, bytes),
    };
    call.give(&Memory::create_image(&context, request)?)
}

/// `clCreateImage2D` and `clCreateImage3D`, which know no description: what is wrong with it is wrong with the size.
fn create_old(
    call: &Call,
    context: cl_context,
    flags: cl_mem_flags,
    format: *const cl_image_format,
    desc: cl_image_desc,
    host_ptr: *mut c_void,
) -> Result<cl_mem, ApiError> {
    let given = Given { properties: null(), flags, format, host_ptr };
    create(call, context, &given, Some(desc))
        .map_err(|error| if error == ApiError::InvalidImageDescriptor { ApiError::InvalidImageSize } else { error })
}

/// A description of an image without anything but its type and its sides.
fn plain(image_type: cl_mem_object_type, [width, height, depth]: [usize; 3], pitches: [usize; 2]) -> cl_image_desc {
    cl_image_desc {
        image_type,
        image_width: width,
        image_height: height,
        image_depth: depth,
        image_array_size: 0,
        image_row_pitch: pitches[0],
        image_slice_pitch: pitches[1],
        num_mip_levels: 0,
        num_samples: 0,
        mem_object: std::ptr::null_mut(),
    }
}

entries! {
    slots {
        create fn clCreateImage(
            call, context: cl_context, flags: cl_mem_flags, image_format: *const cl_image_format,
            image_desc: *const cl_image_desc, host_ptr: *mut c_void,
        ) -> cl_mem {
            let given = Given { properties: null(), flags, format: image_format, host_ptr };
            create(call, context, &given, call.read(image_desc))
        }

        create fn clCreateImageWithProperties(
            call, context: cl_context, properties: *const cl_mem_properties, flags: cl_mem_flags,
            image_format: *const cl_image_format, image_desc: *const cl_image_desc, host_ptr: *mut c_void,
        ) -> cl_mem {
            let given = Given { properties, flags, format: image_format, host_ptr };
            create(call, context, &given, call.read(image_desc))
        }

        create fn clCreateImage2D(
            call, context: cl_context, flags: cl_mem_flags, image_format: *const cl_image_format,
            image_width: usize, image_height: usize, image_row_pitch: usize, host_ptr: *mut c_void,
        ) -> cl_mem {
            let desc = plain(CL_MEM_OBJECT_IMAGE2D, [image_width, image_height, 0], [image_row_pitch, 0]);
            create_old(call, context, flags, image_format, desc, host_ptr)
        }

        create fn clCreateImage3D(
            call, context: cl_context, flags: cl_mem_flags, image_format: *const cl_image_format,
            image_width: usize, image_height: usize, image_depth: usize, image_row_pitch: usize,
            image_slice_pitch: usize, host_ptr: *mut c_void,
        ) -> cl_mem {
            let sides = [image_width, image_height, image_depth];
            let desc = plain(CL_MEM_OBJECT_IMAGE3D, sides, [image_row_pitch, image_slice_pitch]);
            create_old(call, context, flags, image_format, desc, host_ptr)
        }

        status fn clGetSupportedImageFormats(
            call, context: cl_context, flags: cl_mem_flags, image_type: cl_mem_object_type, num_entries: cl_uint,
            image_formats: *mut cl_image_format, num_image_formats: *mut cl_uint,
        ) {
            let context = call.object::<Context>(context)?;
            let formats = memory::supported_formats(&context, flags, image_type)?;
            // "CL_INVALID_VALUE if num_entries is zero and image_formats is not NULL."
            if num_entries == 0 && !image_formats.is_null() {
                return Err(ApiError::InvalidValue);
            }
            call.write_array(image_formats, num_entries as usize, &formats);
            call.write(num_image_formats, formats.len() as cl_uint);
            Ok(())
        }

        status fn clGetImageInfo(
            call, image: cl_mem, param_name: cl_image_info, param_value_size: usize, param_value: *mut c_void,
            param_value_size_ret: *mut usize,
        ) {
            let image = call.object::<Memory>(image)?;
            let value = image.image_info(param_name)?;
            call.info(&image, value, param_value_size, param_value, param_value_size_ret)
        }

        status fn clEnqueueReadImage(
            call, command_queue: cl_command_queue, image: cl_mem, blocking_read: cl_bool, origin: *const usize,
            region: *const usize, row_pitch: usize, slice_pitch: usize, ptr: *mut c_void,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let image = self::image(call, image)?;
            let part = part(call, &image, origin, region)?;
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let side = HostSide { row_pitch, slice_pitch, bytes: &|bytes| call.span(ptr, bytes) };
            let done = memory::read_image(&queue, &image, blocking_read != 0, part, side, &waits)?;
            call.give_event(event, &done)
        }

        status fn clEnqueueWriteImage(
            call, command_queue: cl_command_queue, image: cl_mem, blocking_write: cl_bool, origin: *const usize,
            region: *const usize, input_row_pitch: usize, input_slice_pitch: usize, ptr: *const c_void,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let image = self::image(call, image)?;
            let part = part(call, &image, origin, region)?;
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let (row_pitch, slice_pitch) = (input_row_pitch, input_slice_pitch);
            let side = HostSide { row_pitch, slice_pitch, bytes: &|bytes| call.span(ptr, bytes) };
            let done = memory::write_image(&queue, &image, blocking_write != 0, part, side, &waits)?;
            call.give_event(event, &done)
        }

        status fn clEnqueueFillImage(
            call, command_queue: cl_command_queue, image: cl_mem, fill_color: *const c_void,
            origin: *const usize, region: *const usize, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let image = self::image(call, image)?;
            let color = call.bytes(fill_color, image.as_image()?.color_bytes());
            let part = part(call, &image, origin, region)?;
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let done = memory::fill_image(&queue, &image, color, part, &waits)?;
            call.give_event(event, &done)
        }

        status fn clEnqueueCopyImage(
            call, command_queue: cl_command_queue, src_image: cl_mem, dst_image: cl_mem,
            src_origin: *const usize, dst_origin: *const usize, region: *const usize,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let (source, target) = (image(call, src_image)?, image(call, dst_image)?);
            let parts = [part(call, &source, src_origin, region)?, part(call, &target, dst_origin, region)?];
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let done = memory::copy_image(&queue, &source, &target, parts, &waits)?;
            call.give_event(event, &done)
        }

        status fn clEnqueueCopyImageToBuffer(
            call, command_queue: cl_command_queue, src_image: cl_mem, dst_buffer: cl_mem,
            src_origin: *const usize, region: *const usize, dst_offset: usize,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let (source, target) = (image(call, src_image)?, buffer(call, dst_buffer)?);
            let part = part(call, &source, src_origin, region)?;
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let done = memory::copy_image_to_buffer(&queue, &source, &target, part, dst_offset, &waits)?;
            call.give_event(event, &done)
        }

        status fn clEnqueueCopyBufferToImage(
            call, command_queue: cl_command_queue, src_buffer: cl_mem, dst_image: cl_mem, src_offset: usize,
            dst_origin: *const usize, region: *const usize, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let (source, target) = (buffer(call, src_buffer)?, image(call, dst_image)?);
            let part = part(call, &target, dst_origin, region)?;
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let done = memory::copy_buffer_to_image(&queue, &source, &target, src_offset, part, &waits)?;
            call.give_event(event, &done)
        }

        create fn clEnqueueMapImage(
            call, command_queue: cl_command_queue, image: cl_mem, blocking_map: cl_bool,
            map_flags: cl_map_flags, origin: *const usize, region: *const usize,
            image_row_pitch: *mut usize, image_slice_pitch: *mut usize, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> *mut c_void {
            let queue = call.object::<Queue>(command_queue)?;
            let image = self::image(call, image)?;
            let part = part(call, &image, origin, region)?;
            let geometry = image.as_image()?.geometry();
            let (geometry, _) = geometry.level(part.level).ok_or(ApiError::InvalidMipLevel)?;
            let has_slices = geometry.image_type.has_slices();
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let has_row_pitch = !image_row_pitch.is_null();
            let has_slice_pitch = !image_slice_pitch.is_null();
            let request = MapRequest { flags: map_flags, part, has_row_pitch, has_slice_pitch };
            let (done, address) = memory::map_image(&queue, &image, blocking_map != 0, request, &waits)?;
            call.write(image_row_pitch, geometry.row_pitch);
            call.write(image_slice_pitch, if has_slices { geometry.slice_pitch } else { 0 });
            call.give_event(event, &done)?;
            Ok(with_exposed_provenance_mut(address))
        }
    }
    others {
        status fn clGetImageRequirementsInfoEXT(
            call, context: cl_context, properties: *const cl_mem_properties, flags: cl_mem_flags,
            image_format: *const cl_image_format, image_desc: *const cl_image_desc,
            param_name: cl_image_requirements_info_ext, param_value_size: usize, param_value: *mut c_void,
            param_value_size_ret: *mut usize,
        ) {
            let context = call.object::<Context>(context)?;
            let properties = call.properties(properties)?;
            let (format, desc) = (call.read(image_format), call.read(image_desc).map(described));
            let value =
                memory::image_requirements(&context, &properties, flags, format, desc.as_ref(), param_name)?;
            call.info(&context, value, param_value_size, param_value, param_value_size_ret)
        }
    }
    aliases {}
}
