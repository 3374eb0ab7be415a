//! Command buffers: `cl_khr_command_buffer` and `cl_khr_command_buffer_mutable_dispatch`.

use std::ffi::c_void;
use std::sync::Arc;

use khronos_headers::{
    CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR, cl_command_buffer_info_khr, cl_command_buffer_khr,
    cl_command_buffer_properties_khr, cl_command_buffer_update_type_khr, cl_command_properties_khr, cl_command_queue,
    cl_event, cl_kernel, cl_mem, cl_mutable_command_info_khr, cl_mutable_command_khr, cl_mutable_dispatch_config_khr,
    cl_sync_point_khr, cl_uint,
};
use oxicl_objects::ApiError;
use oxicl_objects::command_buffer::{CommandBuffer, MutableCommand, NdRangeCommand, Setting, Update};
use oxicl_objects::kernel::Kernel;
use oxicl_objects::ndrange::Request;
use oxicl_objects::queue::Queue;

use super::buffer::{rect, triple};
use super::execute::sizes;
use super::image::part;
use super::kernel::{ArgValue, exec_info};
use super::memory;
use crate::call::Call;
use crate::entry::entries;
use crate::handle;

/// What every `clCommand*KHR` has beside its own arguments.
struct Common {
    buffer: cl_command_buffer_khr,
    queue: cl_command_queue,
    properties: *const cl_command_properties_khr,
    waits: (cl_uint, *const cl_sync_point_khr),
    handle: *mut cl_mutable_command_khr,
}

impl Common {
    fn new(
        buffer: cl_command_buffer_khr,
        queue: cl_command_queue,
        properties: *const cl_command_properties_khr,
        handle: *mut cl_mutable_command_khr,
    ) -> Self {
        Common { buffer, queue, properties, waits: (0, std::ptr::null()), handle }
    }

    fn waiting_for(self, count: cl_uint, list: *const cl_sync_point_khr) -> Self {
        Common { waits: (count, list), ..self }
    }

    /// The command buffer. It has one queue, so that a command cannot name another.
    fn buffer(&self, call: &Call) -> Result<Arc<CommandBuffer>, ApiError> {
        let buffer = call.object::<CommandBuffer>(self.buffer)?;
        // "CL_INVALID_COMMAND_QUEUE if the cl_khr_command_buffer_multi_device extension is not supported and
        // command_queue is not NULL."
        if self.queue.is_null() { Ok(buffer) } else { Err(ApiError::InvalidCommandQueue) }
    }

    /// The synchronisation points to wait for.
    fn waits<'c>(&self, call: &'c Call) -> Result<&'c [cl_sync_point_khr], ApiError> {
        let (count, list) = self.waits;
        if (count == 0) != list.is_null() {
            return Err(ApiError::InvalidSyncPointWaitList);
        }
        call.slice(list, count as usize).map_err(|_| ApiError::InvalidSyncPointWaitList)
    }

    /// The command buffer and the synchronisation points of a command without properties and handle.
    fn plain<'c>(&self, call: &'c Call) -> Result<(Arc<CommandBuffer>, &'c [cl_sync_point_khr]), ApiError> {
        let buffer = self.buffer(call)?;
        call.properties_of(self.properties, &[])?;
        // "CL_INVALID_VALUE if mutable_handle is not NULL."
        if !self.handle.is_null() {
            return Err(ApiError::InvalidValue);
        }
        Ok((buffer, self.waits(call)?))
    }
}

/// A `cl_mutable_dispatch_config_khr` as an update.
fn update<'c>(call: &'c Call, config: &cl_mutable_dispatch_config_khr) -> Result<Update<'c>, ApiError> {
    let command = call.object::<MutableCommand>(config.command)?;
    let dimensions = command.dimensions(config.work_dim)?;
    let arguments = call.list(config.num_args, config.arg_list)?;
    let svm_arguments = call.list(config.num_svm_args, config.arg_svm_list)?;
    let exec_infos = call.list(config.num_exec_infos, config.exec_info_list)?;
    let set_arguments = move |kernel: &Kernel| {
        for argument in arguments {
            kernel.set_argument(argument.arg_index, argument.arg_size, &ArgValue(call, argument.arg_value))?;
        }
        svm_arguments
            .iter()
            .try_for_each(|argument| kernel.set_svm_argument(argument.arg_index, argument.arg_value.addr()))
    };
    let set_exec_info = move |kernel: &Kernel| {
        exec_infos
            .iter()
            .try_for_each(|info| exec_info(call, kernel, info.param_name, info.param_value_size, info.param_value))
    };
    Ok(Update {
        command,
        arguments: (arguments.len() + svm_arguments.len() != 0).then(|| Box::new(set_arguments) as Setting<'c>),
        exec_info: (!exec_infos.is_empty()).then(|| Box::new(set_exec_info) as Setting<'c>),
        offset: sizes(call, config.global_work_offset, dimensions)?,
        global: sizes(call, config.global_work_size, dimensions)?,
        local: sizes(call, config.local_work_size, dimensions)?,
    })
}

entries! {
    slots {}
    others {
        create fn clCreateCommandBufferKHR(
            call, num_queues: cl_uint, queues: *const cl_command_queue,
            properties: *const cl_command_buffer_properties_khr,
        ) -> cl_command_buffer_khr {
            // "CL_INVALID_VALUE if the cl_khr_command_buffer_multi_device extension is not supported and num_queues is not
            // one", "if queues is NULL".
            if num_queues != 1 {
                return Err(ApiError::InvalidValue);
            }
            let queue = call.object::<Queue>(call.read(queues).ok_or(ApiError::InvalidValue)?)?;
            let properties = call.properties_of(properties, CommandBuffer::PROPERTIES)?;
            call.give(&CommandBuffer::create(&queue, properties)?)
        }

        status fn clFinalizeCommandBufferKHR(call, command_buffer: cl_command_buffer_khr) {
            call.object::<CommandBuffer>(command_buffer)?.finalize()
        }

        status fn clRetainCommandBufferKHR(call, command_buffer: cl_command_buffer_khr) {
            call.retain::<CommandBuffer>(command_buffer)
        }

        status fn clReleaseCommandBufferKHR(call, command_buffer: cl_command_buffer_khr) {
            call.release::<CommandBuffer>(command_buffer)
        }

        status fn clEnqueueCommandBufferKHR(
            call, num_queues: cl_uint, queues: *mut cl_command_queue, command_buffer: cl_command_buffer_khr,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let buffer = call.object::<CommandBuffer>(command_buffer)?;
            buffer.executable()?;
            // "CL_INVALID_VALUE if queues is NULL and num_queues is > 0, or queues is not NULL and num_queues is 0", "if
            // num_queues is > 0 and not the same value as num_queues set on command_buffer creation."
            if (num_queues == 0) != queues.is_null() || num_queues > 1 {
                return Err(ApiError::InvalidValue);
            }
            let other = call.read(queues).map(|queue| call.object::<Queue>(queue)).transpose()?;
            let wait_list = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            call.give_event(event, &buffer.enqueue(other.as_ref(), &wait_list)?)
        }

        status fn clCommandBarrierWithWaitListKHR(
            call, command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
            properties: *const cl_command_properties_khr, num_sync_points_in_wait_list: cl_uint,
            sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr,
            mutable_handle: *mut cl_mutable_command_khr,
        ) {
            let common = Common::new(command_buffer, command_queue, properties, mutable_handle)
                .waiting_for(num_sync_points_in_wait_list, sync_point_wait_list);
            let (buffer, waits) = common.plain(call)?;
            call.write(sync_point, buffer.barrier(waits)?);
            Ok(())
        }

        status fn clCommandCopyBufferKHR(
            call, command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
            properties: *const cl_command_properties_khr, src_buffer: cl_mem, dst_buffer: cl_mem, src_offset: usize,
            dst_offset: usize, size: usize, num_sync_points_in_wait_list: cl_uint,
            sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr,
            mutable_handle: *mut cl_mutable_command_khr,
        ) {
            let common = Common::new(command_buffer, command_queue, properties, mutable_handle)
                .waiting_for(num_sync_points_in_wait_list, sync_point_wait_list);
            let (buffer, waits) = common.plain(call)?;
            let source = memory::buffer(call, src_buffer)?;
            let target = memory::buffer(call, dst_buffer)?;
            call.write(sync_point, buffer.copy(&source, &target, src_offset, dst_offset, size, waits)?);
            Ok(())
        }

        status fn clCommandCopyBufferRectKHR(
            call, command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
            properties: *const cl_command_properties_khr, src_buffer: cl_mem, dst_buffer: cl_mem,
            src_origin: *const usize, dst_origin: *const usize, region: *const usize, src_row_pitch: usize,
            src_slice_pitch: usize, dst_row_pitch: usize, dst_slice_pitch: usize,
            num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr,
            sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr,
        ) {
            let common = Common::new(command_buffer, command_queue, properties, mutable_handle)
                .waiting_for(num_sync_points_in_wait_list, sync_point_wait_list);
            let (buffer, waits) = common.plain(call)?;
            let source = memory::buffer(call, src_buffer)?;
            let target = memory::buffer(call, dst_buffer)?;
            let in_source = rect(call, src_origin, src_row_pitch, src_slice_pitch)?;
            let in_target = rect(call, dst_origin, dst_row_pitch, dst_slice_pitch)?;
            let region = triple(call, region)?;
            call.write(sync_point, buffer.copy_rect(&source, &target, region, in_source, in_target, waits)?);
            Ok(())
        }

        status fn clCommandCopyBufferToImageKHR(
            call, command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
            properties: *const cl_command_properties_khr, src_buffer: cl_mem, dst_image: cl_mem, src_offset: usize,
            dst_origin: *const usize, region: *const usize, num_sync_points_in_wait_list: cl_uint,
            sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr,
            mutable_handle: *mut cl_mutable_command_khr,
        ) {
            let common = Common::new(command_buffer, command_queue, properties, mutable_handle)
                .waiting_for(num_sync_points_in_wait_list, sync_point_wait_list);
            let (buffer, waits) = common.plain(call)?;
            let (source, target) = (memory::buffer(call, src_buffer)?, memory::image(call, dst_image)?);
            let part = part(call, &target, dst_origin, region)?;
            call.write(sync_point, buffer.copy_buffer_to_image(&source, &target, src_offset, part, waits)?);
            Ok(())
        }

        status fn clCommandCopyImageKHR(
            call, command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
            properties: *const cl_command_properties_khr, src_image: cl_mem, dst_image: cl_mem,
            src_origin: *const usize, dst_origin: *const usize, region: *const usize,
            num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr,
            sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr,
        ) {
            let common = Common::new(command_buffer, command_queue, properties, mutable_handle)
                .waiting_for(num_sync_points_in_wait_list, sync_point_wait_list);
            let (buffer, waits) = common.plain(call)?;
            let (source, target) = (memory::image(call, src_image)?, memory::image(call, dst_image)?);
            let parts = [part(call, &source, src_origin, region)?, part(call, &target, dst_origin, region)?];
            call.write(sync_point, buffer.copy_image(&source, &target, parts, waits)?);
            Ok(())
        }

        status fn clCommandCopyImageToBufferKHR(
            call, command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
            properties: *const cl_command_properties_khr, src_image: cl_mem, dst_buffer: cl_mem,
            src_origin: *const usize, region: *const usize, dst_offset: usize,
            num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr,
            sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr,
        ) {
            let common = Common::new(command_buffer, command_queue, properties, mutable_handle)
                .waiting_for(num_sync_points_in_wait_list, sync_point_wait_list);
            let (buffer, waits) = common.plain(call)?;
            let (source, target) = (memory::image(call, src_image)?, memory::buffer(call, dst_buffer)?);
            let part = part(call, &source, src_origin, region)?;
            call.write(sync_point, buffer.copy_image_to_buffer(&source, &target, part, dst_offset, waits)?);
            Ok(())
        }

        status fn clCommandFillBufferKHR(
            call, command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
            properties: *const cl_command_properties_khr, buffer: cl_mem, pattern: *const c_void, pattern_size: usize,
            offset: usize, size: usize, num_sync_points_in_wait_list: cl_uint,
            sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr,
            mutable_handle: *mut cl_mutable_command_khr,
        ) {
            let common = Common::new(command_buffer, command_queue, properties, mutable_handle)
                .waiting_for(num_sync_points_in_wait_list, sync_point_wait_list);
            let (commands, waits) = common.plain(call)?;
            let target = memory::buffer(call, buffer)?;
            let pattern = call.pattern(pattern, pattern_size);
            call.write(sync_point, commands.fill(&target, pattern, offset, size, waits)?);
            Ok(())
        }

        status fn clCommandFillImageKHR(
            call, command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
            properties: *const cl_command_properties_khr, image: cl_mem, fill_color: *const c_void,
            origin: *const usize, region: *const usize, num_sync_points_in_wait_list: cl_uint,
            sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr,
            mutable_handle: *mut cl_mutable_command_khr,
        ) {
            let common = Common::new(command_buffer, command_queue, properties, mutable_handle)
                .waiting_for(num_sync_points_in_wait_list, sync_point_wait_list);
            let (buffer, waits) = common.plain(call)?;
            let image = memory::image(call, image)?;
            let color = call.bytes(fill_color, image.as_image()?.color_bytes());
            let part = part(call, &image, origin, region)?;
            call.write(sync_point, buffer.fill_image(&image, color, part, waits)?);
            Ok(())
        }

        status fn clCommandSVMMemcpyKHR(
            call, command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
            properties: *const cl_command_properties_khr, dst_ptr: *mut c_void, src_ptr: *const c_void, size: usize,
            num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr,
            sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr,
        ) {
            let common = Common::new(command_buffer, command_queue, properties, mutable_handle)
                .waiting_for(num_sync_points_in_wait_list, sync_point_wait_list);
            let (buffer, waits) = common.plain(call)?;
            call.write(sync_point, buffer.svm_copy(call.span(dst_ptr, size), call.span(src_ptr, size), waits)?);
            Ok(())
        }

        status fn clCommandSVMMemFillKHR(
            call, command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
            properties: *const cl_command_properties_khr, svm_ptr: *mut c_void, pattern: *const c_void,
            pattern_size: usize, size: usize, num_sync_points_in_wait_list: cl_uint,
            sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr,
            mutable_handle: *mut cl_mutable_command_khr,
        ) {
            let common = Common::new(command_buffer, command_queue, properties, mutable_handle)
                .waiting_for(num_sync_points_in_wait_list, sync_point_wait_list);
            let (buffer, waits) = common.plain(call)?;
            let pattern = call.pattern(pattern, pattern_size);
            call.write(sync_point, buffer.svm_fill(call.span(svm_ptr, size), pattern, waits)?);
            Ok(())
        }

        status fn clCommandNDRangeKernelKHR(
            call, command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue,
            properties: *const cl_command_properties_khr, kernel: cl_kernel, work_dim: cl_uint,
            global_work_offset: *const usize, global_work_size: *const usize, local_work_size: *const usize,
            num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr,
            sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr,
        ) {
            let common = Common::new(command_buffer, command_queue, properties, mutable_handle)
                .waiting_for(num_sync_points_in_wait_list, sync_point_wait_list);
            let buffer = common.buffer(call)?;
            let properties = call.properties_of(properties, CommandBuffer::DISPATCH_PROPERTIES)?;
            let kernel = call.object::<Kernel>(kernel)?;
            // Before anything is read that this number says the length of.
            if !(1..=3).contains(&work_dim) {
                return Err(ApiError::InvalidWorkDimension);
            }
            let request = Request {
                dimensions: work_dim,
                offset: sizes(call, global_work_offset, work_dim)?,
                global: sizes(call, global_work_size, work_dim)?,
                local: sizes(call, local_work_size, work_dim)?,
            };
            let waits = common.waits(call)?;
            let mutable = !mutable_handle.is_null();
            let command = NdRangeCommand { kernel: &kernel, request, properties, mutable };
            let (point, command) = buffer.nd_range(command, waits)?;
            if let Some(command) = command {
                // No reference is counted: the handle ends with the command buffer.
                call.write(mutable_handle, handle::handle_of(&command)?.as_opaque());
            }
            call.write(sync_point, point);
            Ok(())
        }

        status fn clGetCommandBufferInfoKHR(
            call, command_buffer: cl_command_buffer_khr, param_name: cl_command_buffer_info_khr,
            param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize,
        ) {
            let buffer = call.object::<CommandBuffer>(command_buffer)?;
            call.info(&buffer, buffer.info(param_name)?, param_value_size, param_value, param_value_size_ret)
        }

        status fn clUpdateMutableCommandsKHR(
            call, command_buffer: cl_command_buffer_khr, num_configs: cl_uint,
            config_types: *const cl_command_buffer_update_type_khr, configs: *mut *const c_void,
        ) {
            let buffer = call.object::<CommandBuffer>(command_buffer)?;
            buffer.check_updatable()?;
            let types = call.list(num_configs, config_types)?;
            let configs = call.list(num_configs, configs.cast_const())?;
            if types.iter().any(|kind| *kind != CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR) {
                return Err(ApiError::InvalidValue);
            }
            let mut updates = Vec::new();
            updates.try_reserve_exact(configs.len()).map_err(|_| ApiError::OutOfHostMemory)?;
            for config in configs {
                // "CL_INVALID_VALUE if any element of configs is NULL."
                let config = call.read(config.cast::<cl_mutable_dispatch_config_khr>());
                updates.push(update(call, &config.ok_or(ApiError::InvalidValue)?)?);
            }
            buffer.update(&updates)
        }

        status fn clGetMutableCommandInfoKHR(
            call, command: cl_mutable_command_khr, param_name: cl_mutable_command_info_khr, param_value_size: usize,
            param_value: *mut c_void, param_value_size_ret: *mut usize,
        ) {
            let command = call.object::<MutableCommand>(command)?;
            call.info(&command, command.info(param_name)?, param_value_size, param_value, param_value_size_ret)
        }
    }
    aliases {}
}
