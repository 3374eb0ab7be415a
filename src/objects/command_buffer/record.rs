//! `clCommand*KHR`: each checks its arguments as the queue's own command does, and records what that would do.

use std::sync::Arc;

use khronos_headers as cl;
use parking_lot::MutexGuard;

use super::dispatch::{Dispatch, FIELDS, Range};
use super::{CommandBuffer, KNOWN_ASSERTS, MutableCommand, Recorded, State};
use crate::command::Action;
use crate::kernel::Kernel;
use crate::memory::{self, HostSpan, ImageRegion, Memory, RectArguments};
use crate::ndrange::Request;
use crate::properties::PropertyList;
use crate::queue::Queue;
use crate::{ApiError, HandleCell};

/// The arguments of `clCommandNDRangeKernelKHR`.
pub struct NdRangeCommand<'a> {
    /// The kernel.
    pub kernel: &'a Arc<Kernel>,
    /// The index space.
    pub request: Request<'a>,
    /// The property list; its names have been checked.
    pub properties: PropertyList,
    /// Whether the application wants a handle.
    pub mutable: bool,
}

impl CommandBuffer {
    /// The names in the property list of `clCommandNDRangeKernelKHR`. No other command has properties.
    pub const DISPATCH_PROPERTIES: &'static [u64] =
        &[cl::CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, cl::CL_MUTABLE_DISPATCH_ASSERTS_KHR];

    /// `clCommandBarrierWithWaitListKHR`: without a list it waits for all commands before it. The commands after it wait
    /// for it. Gives the synchronisation point, as do all of these.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION` if the command buffer is finalised; `CL_INVALID_SYNC_POINT_WAIT_LIST_KHR` if the list has
    /// what is no synchronisation point; `CL_OUT_OF_HOST_MEMORY`. All of these have them.
    pub fn barrier(&self, waits: &[u32]) -> Result<u32, ApiError> {
        self.recording(waits)?.add(Action::Nothing, waits, self.queue.in_order(), true)
    }

    /// `clCommandCopyBufferKHR`.
    ///
    /// # Errors
    /// Those of `clEnqueueCopyBuffer`.
    pub fn copy(
        &self,
        from: &Arc<Memory>,
        to: &Arc<Memory>,
        from_offset: usize,
        to_offset: usize,
        size: usize,
        waits: &[u32],
    ) -> Result<u32, ApiError> {
        self.record(waits, |queue| memory::copying(&queue.context, from, to, from_offset, to_offset, size))
    }

    /// `clCommandCopyBufferRectKHR`.
    ///
    /// # Errors
    /// Those of `clEnqueueCopyBufferRect`.
    pub fn copy_rect(
        &self,
        from: &Arc<Memory>,
        to: &Arc<Memory>,
        region: [usize; 3],
        in_source: RectArguments,
        in_target: RectArguments,
        waits: &[u32],
    ) -> Result<u32, ApiError> {
        self.record(waits, |queue| memory::copying_rect(&queue.context, from, to, region, in_source, in_target))
    }

    /// `clCommandFillBufferKHR`.
    ///
    /// # Errors
    /// Those of `clEnqueueFillBuffer`.
    pub fn fill(
        &self,
        buffer: &Arc<Memory>,
        pattern: Option<&[u8]>,
        offset: usize,
        size: usize,
        waits: &[u32],
    ) -> Result<u32, ApiError> {
        self.record(waits, |queue| memory::filling(&queue.context, buffer, pattern, offset, size))
    }

    /// `clCommandSVMMemcpyKHR`. A span is none if the application's pointer is null.
    ///
    /// # Errors
    /// Those of `clEnqueueSVMMemcpy`.
    pub fn svm_copy(&self, to: Option<HostSpan>, from: Option<HostSpan>, waits: &[u32]) -> Result<u32, ApiError> {
        self.record(waits, |queue| memory::svm_copying(&queue.context, to, from))
    }

    /// `clCommandSVMMemFillKHR`.
    ///
    /// # Errors
    /// Those of `clEnqueueSVMMemFill`.
    pub fn svm_fill(&self, to: Option<HostSpan>, pattern: Option<&[u8]>, waits: &[u32]) -> Result<u32, ApiError> {
        self.record(waits, |queue| memory::svm_filling(&queue.context, to, pattern))
    }

    /// `clCommandCopyImageKHR`.
    ///
    /// # Errors
    /// Those of `clEnqueueCopyImage`.
    pub fn copy_image(
        &self,
        from: &Arc<Memory>,
        to: &Arc<Memory>,
        parts: [ImageRegion; 2],
        waits: &[u32],
    ) -> Result<u32, ApiError> {
        self.record(waits, |queue| memory::copying_image(&queue.context, from, to, parts))
    }

    /// `clCommandCopyImageToBufferKHR`.
    ///
    /// # Errors
    /// Those of `clEnqueueCopyImageToBuffer`.
    pub fn copy_image_to_buffer(
        &self,
        image: &Arc<Memory>,
        buffer: &Arc<Memory>,
        part: ImageRegion,
        offset: usize,
        waits: &[u32],
    ) -> Result<u32, ApiError> {
        self.record(waits, |queue| memory::copying_image_to_buffer(&queue.context, image, buffer, part, offset))
    }

    /// `clCommandCopyBufferToImageKHR`.
    ///
    /// # Errors
    /// Those of `clEnqueueCopyBufferToImage`.
    pub fn copy_buffer_to_image(
        &self,
        buffer: &Arc<Memory>,
        image: &Arc<Memory>,
        offset: usize,
        part: ImageRegion,
        waits: &[u32],
    ) -> Result<u32, ApiError> {
        self.record(waits, |queue| memory::copying_buffer_to_image(&queue.context, buffer, image, offset, part))
    }

    /// `clCommandFillImageKHR`.
    ///
    /// # Errors
    /// Those of `clEnqueueFillImage`.
    pub fn fill_image(
        &self,
        image: &Arc<Memory>,
        color: Option<&[u8]>,
        part: ImageRegion,
        waits: &[u32],
    ) -> Result<u32, ApiError> {
        self.record(waits, |queue| memory::filling_image(&queue.context, image, color, part))
    }

    /// `clCommandNDRangeKernelKHR`, with the command if the application wants its handle.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for values of properties that do not exist, and if more work-groups are ruled out for a launch
    /// without a work-group size; those of `clEnqueueNDRangeKernel`, but for arguments that may be set later.
    pub fn nd_range(
        self: &Arc<Self>,
        command: NdRangeCommand<'_>,
        waits: &[u32],
    ) -> Result<(u32, Option<Arc<MutableCommand>>), ApiError> {
        // What has to be known of the kernel may have to be waited for, which is done without a lock.
        if let Ok(kernel) = command.kernel.for_device(&self.queue.device) {
            let _ = kernel.facts();
        }
        let mut state = self.recording(waits)?;
        let NdRangeCommand { kernel, request, properties, mutable } = command;
        properties.check(Self::DISPATCH_PROPERTIES, ApiError::InvalidValue)?;
        let fields = properties.get(cl::CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR).unwrap_or(0);
        let asserts = properties.get(cl::CL_MUTABLE_DISPATCH_ASSERTS_KHR).unwrap_or(0);
        // All that there is to update is supported, so the error for what is not has no case.
        if fields & !FIELDS != 0 || asserts & !KNOWN_ASSERTS != 0 {
            return Err(ApiError::InvalidValue);
        }
        if (asserts | self.asserts()) != 0 && request.local.is_none() {
            return Err(ApiError::InvalidValue);
        }
        // Arguments can be missing only where somebody can set them.
        let later = self.is_mutable() && fields & cl::CL_MUTABLE_DISPATCH_ARGUMENTS_KHR != 0;
        let (action, mutable) = if mutable || (later && !kernel.has_all_arguments()) {
            let (dispatch, action) = Dispatch::new(&self.queue, kernel, properties, Range::new(request))?;
            if !dispatch.is_complete() && !later {
                return Err(ApiError::InvalidKernelArgs);
            }
            let (buffer, index) = (Arc::downgrade(self), state.commands.len());
            let command = Arc::new(MutableCommand { handle: HandleCell::new(), buffer, index });
            (action, Some((command, dispatch)))
        } else {
            (kernel.dispatch(&self.queue.context, &self.queue.device, request)?, None)
        };
        let command = mutable.as_ref().map(|(command, _)| Arc::clone(command));
        let point = state.add(action, waits, self.queue.in_order(), false)?;
        if let Some(recorded) = state.commands.last_mut() {
            recorded.mutable = mutable;
        }
        Ok((point, command))
    }

    /// Records what the arguments of a command amount to.
    pub(super) fn record(
        &self,
        waits: &[u32],
        action: impl FnOnce(&Queue) -> Result<Action, ApiError>,
    ) -> Result<u32, ApiError> {
        let mut state = self.recording(waits)?;
        state.add(action(&self.queue)?, waits, self.queue.in_order(), false)
    }

    /// The state, if commands can be recorded that wait for these synchronisation points.
    fn recording(&self, waits: &[u32]) -> Result<MutexGuard<'_, State>, ApiError> {
        let state = self.state.lock();
        if state.graph.is_some() {
            return Err(ApiError::InvalidOperation);
        }
        // Points are numbered from one: zero is what a variable holds that was never set.
        if waits.iter().any(|&point| point == 0 || point as usize > state.sequence.len()) {
            return Err(ApiError::InvalidSyncPointWaitList);
        }
        Ok(state)
    }
}

impl State {
    /// Records a command; its synchronisation point.
    fn add(&mut self, action: Action, waits: &[u32], in_order: bool, barrier: bool) -> Result<u32, ApiError> {
        let point = u32::try_from(self.sequence.len() + 1).map_err(|_| ApiError::OutOfResources)?;
        let mut others = Vec::new();
        others.try_reserve_exact(waits.len()).map_err(|_| ApiError::OutOfHostMemory)?;
        others.extend(waits.iter().map(|point| point - 1));
        self.commands.try_reserve(1).map_err(|_| ApiError::OutOfHostMemory)?;
        self.sequence.add(&others, in_order, barrier);
        self.commands.push(Recorded { action, mutable: None });
        Ok(point)
    }
}
