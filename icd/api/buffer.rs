//! Buffers: creation, and the commands on them.

use std::ffi::c_void;
use std::ptr::with_exposed_provenance_mut;

use khronos_headers::{
    CL_BUFFER_CREATE_TYPE_REGION, cl_bool, cl_buffer_create_type, cl_buffer_region, cl_command_queue, cl_context,
    cl_event, cl_map_flags, cl_mem, cl_mem_flags, cl_mem_properties, cl_uint,
};
use oxicl_objects::ApiError;
use oxicl_objects::context::Context;
use oxicl_objects::memory::{self, BufferRegion, HostSpan, Memory, RectArguments};
use oxicl_objects::queue::Queue;

use super::memory::buffer as buffer_of;
use crate::call::Call;
use crate::entry::entries;

/// Origin, row pitch and slice pitch of one side of a rectangle command.
pub(super) fn rect(
    call: &Call,
    origin: *const usize,
    row_pitch: usize,
    slice_pitch: usize,
) -> Result<RectArguments, ApiError> {
    Ok(RectArguments { origin: triple(call, origin)?, row_pitch, slice_pitch })
}

/// Three sizes.
pub(super) fn triple(call: &Call, values: *const usize) -> Result<[usize; 3], ApiError> {
    call.read(values.cast::<[usize; 3]>())
        .ok_or_else(|| ApiError::InvalidValue.because("an origin or the region is null"))
}

/// The application's memory as far as a rectangle reaches in it.
fn rect_span(call: &Call, memory: *const c_void, side: &RectArguments, region: [usize; 3]) -> Option<HostSpan> {
    call.span(memory, side.reach(region).ok()?)
}

fn create(
    call: &Call,
    context: cl_context,
    properties: *const cl_mem_properties,
    flags: cl_mem_flags,
    size: usize,
    host_ptr: *mut c_void,
) -> Result<cl_mem, ApiError> {
    let context = call.object::<Context>(context)?;
    let properties = call.properties(properties)?;
    let buffer = Memory::buffer(&context, properties, flags, size, call.span(host_ptr, size))?;
    call.give(&buffer)
}

entries! {
    slots {
        create fn clCreateBuffer(
            call, context: cl_context, flags: cl_mem_flags, size: usize, host_ptr: *mut c_void,
        ) -> cl_mem {
            create(call, context, std::ptr::null(), flags, size, host_ptr)
        }

        create fn clCreateBufferWithProperties(
            call, context: cl_context, properties: *const cl_mem_properties, flags: cl_mem_flags, size: usize,
            host_ptr: *mut c_void,
        ) -> cl_mem {
            create(call, context, properties, flags, size, host_ptr)
        }

        create fn clCreateSubBuffer(
            call, buffer: cl_mem, flags: cl_mem_flags, buffer_create_type: cl_buffer_create_type,
            buffer_create_info: *const c_void,
        ) -> cl_mem {
            let buffer = buffer_of(call, buffer)?;
            if buffer_create_type != CL_BUFFER_CREATE_TYPE_REGION {
                return Err(ApiError::InvalidValue.because("there is no such type of sub-buffer"));
            }
            let region = call.read(buffer_create_info.cast::<cl_buffer_region>()).ok_or_else(|| ApiError::InvalidValue.because("the region is null"))?;
            let part = buffer.sub_buffer(flags, BufferRegion { origin: region.origin, size: region.size })?;
            call.give(&part)
        }

        status fn clEnqueueReadBuffer(
            call, command_queue: cl_command_queue, buffer: cl_mem, blocking_read: cl_bool, offset: usize, size: usize,
            ptr: *mut c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let buffer = buffer_of(call, buffer)?;
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let to = call.span(ptr, size);
            let done = memory::read(&queue, &buffer, blocking_read != 0, offset, to, size, &waits)?;
            call.give_event(event, &done)
        }

        status fn clEnqueueWriteBuffer(
            call, command_queue: cl_command_queue, buffer: cl_mem, blocking_write: cl_bool, offset: usize, size: usize,
            ptr: *const c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
            event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let buffer = buffer_of(call, buffer)?;
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let from = call.span(ptr, size);
            let done = memory::write(&queue, &buffer, blocking_write != 0, offset, from, size, &waits)?;
            call.give_event(event, &done)
        }

        status fn clEnqueueCopyBuffer(
            call, command_queue: cl_command_queue, src_buffer: cl_mem, dst_buffer: cl_mem, src_offset: usize,
            dst_offset: usize, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
            event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let source = buffer_of(call, src_buffer)?;
            let target = buffer_of(call, dst_buffer)?;
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let done = memory::copy(&queue, &source, &target, src_offset, dst_offset, size, &waits)?;
            call.give_event(event, &done)
        }

        status fn clEnqueueReadBufferRect(
            call, command_queue: cl_command_queue, buffer: cl_mem, blocking_read: cl_bool, buffer_origin: *const usize,
            host_origin: *const usize, region: *const usize, buffer_row_pitch: usize, buffer_slice_pitch: usize,
            host_row_pitch: usize, host_slice_pitch: usize, ptr: *mut c_void, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let buffer = buffer_of(call, buffer)?;
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let in_buffer = rect(call, buffer_origin, buffer_row_pitch, buffer_slice_pitch)?;
            let in_host = rect(call, host_origin, host_row_pitch, host_slice_pitch)?;
            let region = triple(call, region)?;
            let to = rect_span(call, ptr, &in_host, region);
            let done = memory::read_rect(
                &queue, &buffer, blocking_read != 0, region, in_buffer, in_host, to, &waits,
            )?;
            call.give_event(event, &done)
        }

        status fn clEnqueueWriteBufferRect(
            call, command_queue: cl_command_queue, buffer: cl_mem, blocking_write: cl_bool,
            buffer_origin: *const usize, host_origin: *const usize, region: *const usize, buffer_row_pitch: usize,
            buffer_slice_pitch: usize, host_row_pitch: usize, host_slice_pitch: usize, ptr: *const c_void,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let buffer = buffer_of(call, buffer)?;
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let in_buffer = rect(call, buffer_origin, buffer_row_pitch, buffer_slice_pitch)?;
            let in_host = rect(call, host_origin, host_row_pitch, host_slice_pitch)?;
            let region = triple(call, region)?;
            let from = rect_span(call, ptr, &in_host, region);
            let done = memory::write_rect(
                &queue, &buffer, blocking_write != 0, region, in_buffer, in_host, from, &waits,
            )?;
            call.give_event(event, &done)
        }

        status fn clEnqueueCopyBufferRect(
            call, command_queue: cl_command_queue, src_buffer: cl_mem, dst_buffer: cl_mem, src_origin: *const usize,
            dst_origin: *const usize, region: *const usize, src_row_pitch: usize, src_slice_pitch: usize,
            dst_row_pitch: usize, dst_slice_pitch: usize, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let source = buffer_of(call, src_buffer)?;
            let target = buffer_of(call, dst_buffer)?;
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let in_source = rect(call, src_origin, src_row_pitch, src_slice_pitch)?;
            let in_target = rect(call, dst_origin, dst_row_pitch, dst_slice_pitch)?;
            let region = triple(call, region)?;
            let done = memory::copy_rect(&queue, &source, &target, region, in_source, in_target, &waits)?;
            call.give_event(event, &done)
        }

        status fn clEnqueueFillBuffer(
            call, command_queue: cl_command_queue, buffer: cl_mem, pattern: *const c_void, pattern_size: usize,
            offset: usize, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
            event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let buffer = buffer_of(call, buffer)?;
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let pattern = call.pattern(pattern, pattern_size);
            let done = memory::fill(&queue, &buffer, pattern, offset, size, &waits)?;
            call.give_event(event, &done)
        }

        create fn clEnqueueMapBuffer(
            call, command_queue: cl_command_queue, buffer: cl_mem, blocking_map: cl_bool, map_flags: cl_map_flags,
            offset: usize, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
            event: *mut cl_event,
        ) -> *mut c_void {
            let queue = call.object::<Queue>(command_queue)?;
            let buffer = buffer_of(call, buffer)?;
            let waits = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            let (done, address) = memory::map(&queue, &buffer, blocking_map != 0, map_flags, offset, size, &waits)?;
            call.give_event(event, &done)?;
            Ok(with_exposed_provenance_mut(address))
        }
    }
    others {}
    aliases {}
}
