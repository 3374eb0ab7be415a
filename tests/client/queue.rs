//! Command queues.
#![allow(unsafe_code, reason = "calls of the C API")]

use std::ptr::{null, null_mut};

use cl_sys::{
    CL_QUEUE_PROPERTIES, CL_TRUE, cl_bitfield, cl_command_queue, cl_event, clCreateCommandQueueWithProperties,
    clEnqueueCopyBuffer, clEnqueueFillBuffer, clEnqueueNDRangeKernel, clEnqueueReadBuffer, clFinish, clFlush,
    clReleaseCommandQueue,
};

use crate::error::{Result, check};
use crate::{Buffer, Context, Event, Kernel, Plain};

/// A queue on the device of its context.
#[derive(Debug)]
pub struct Queue(cl_command_queue);

// SAFETY: handles may be used from every thread.
unsafe impl Send for Queue {}
// SAFETY: as above.
unsafe impl Sync for Queue {}

impl Queue {
    /// A queue with a set of `CL_QUEUE_*` bits.
    pub fn new(context: &Context, properties: cl_bitfield) -> Result<Queue> {
        let list = [cl_bitfield::from(CL_QUEUE_PROPERTIES), properties, 0];
        let mut code = 0;
        // SAFETY: the list ends with a zero.
        let raw = unsafe {
            clCreateCommandQueueWithProperties(context.raw(), context.device().raw(), list.as_ptr(), &mut code)
        };
        check("clCreateCommandQueueWithProperties", code)?;
        Ok(Queue(raw))
    }

    /// Enqueues a kernel over one to three dimensions; without `local` the driver chooses the work-group size.
    pub fn launch<const D: usize>(&self, kernel: &Kernel, global: [usize; D], local: Option<[usize; D]>) -> Result {
        self.launch_over(kernel, &global, local.as_ref().map(<[usize; D]>::as_slice))
    }

    /// As [`Queue::launch`], over as many dimensions as `global` has sizes.
    ///
    /// # Panics
    /// If `local` has another number of sizes.
    pub fn launch_over(&self, kernel: &Kernel, global: &[usize], local: Option<&[usize]>) -> Result {
        self.enqueue(kernel, None, global, local, null_mut())
    }

    /// As [`Queue::launch_over`], with an event.
    ///
    /// # Panics
    /// If `local` has another number of sizes.
    pub fn launch_over_with_event(&self, kernel: &Kernel, global: &[usize], local: Option<&[usize]>) -> Result<Event> {
        let mut event = null_mut();
        self.enqueue(kernel, None, global, local, &mut event)?;
        // SAFETY: the call returned a reference that is ours.
        Ok(unsafe { Event::from_raw(event) })
    }

    /// As [`Queue::launch`], of work-items whose numbers begin with an offset.
    pub fn launch_from<const D: usize>(
        &self,
        kernel: &Kernel,
        offset: [usize; D],
        global: [usize; D],
        local: Option<[usize; D]>,
    ) -> Result {
        self.enqueue(kernel, Some(&offset), &global, local.as_ref().map(<[usize; D]>::as_slice), null_mut())
    }

    /// Enqueues a kernel, with an event.
    pub fn launch_with_event<const D: usize>(
        &self,
        kernel: &Kernel,
        global: [usize; D],
        local: Option<[usize; D]>,
    ) -> Result<Event> {
        self.launch_over_with_event(kernel, &global, local.as_ref().map(<[usize; D]>::as_slice))
    }

    /// The offset and the local sizes are as many as the global ones, if there are any.
    fn enqueue(
        &self,
        kernel: &Kernel,
        offset: Option<&[usize]>,
        global: &[usize],
        local: Option<&[usize]>,
        event: *mut cl_event,
    ) -> Result {
        assert!(local.is_none_or(|local| local.len() == global.len()), "{local:?} for a launch over {global:?}");
        let dimensions = global.len() as u32;
        let or_null = |sizes: Option<&[usize]>| sizes.map_or(null(), <[usize]>::as_ptr);
        let (offset, local) = (or_null(offset), or_null(local));
        // SAFETY: all three have an entry a dimension; `event` is null or an out-parameter of the caller.
        check("clEnqueueNDRangeKernel", unsafe {
            let global = global.as_ptr();
            clEnqueueNDRangeKernel(self.0, kernel.raw(), dimensions, offset, global, local, 0, null(), event)
        })
    }

    /// Reads a whole buffer and waits for it.
    pub fn read<T: Plain + Default>(&self, buffer: &Buffer<T>) -> Result<Vec<T>> {
        let mut data = vec![T::default(); buffer.len()];
        let (size, target) = (buffer.bytes(), data.as_mut_ptr().cast());
        // SAFETY: the vector has the size that is passed, and the call blocks.
        check("clEnqueueReadBuffer", unsafe {
            clEnqueueReadBuffer(self.0, buffer.raw(), CL_TRUE, 0, size, target, 0, null(), null_mut())
        })?;
        Ok(data)
    }

    /// Enqueues a copy of a whole buffer to the start of another.
    pub fn copy<T: Plain>(&self, from: &Buffer<T>, to: &Buffer<T>) -> Result {
        // SAFETY: the driver checks both ranges.
        check("clEnqueueCopyBuffer", unsafe {
            clEnqueueCopyBuffer(self.0, from.raw(), to.raw(), 0, 0, from.bytes(), 0, null(), null_mut())
        })
    }

    /// Enqueues filling a whole buffer with `pattern`.
    pub fn fill<T: Plain>(&self, buffer: &Buffer<T>, pattern: T) -> Result {
        // SAFETY: the pattern has the size that is passed; it is copied during the call.
        check("clEnqueueFillBuffer", unsafe {
            clEnqueueFillBuffer(
                self.0,
                buffer.raw(),
                (&raw const pattern).cast(),
                size_of::<T>(),
                0,
                buffer.bytes(),
                0,
                null(),
                null_mut(),
            )
        })
    }

    /// Hands what is enqueued to the device.
    pub fn flush(&self) -> Result {
        // SAFETY: the handle is valid.
        check("clFlush", unsafe { clFlush(self.0) })
    }

    /// Waits for everything.
    pub fn finish(&self) -> Result {
        // SAFETY: the handle is valid.
        check("clFinish", unsafe { clFinish(self.0) })
    }

    /// The handle.
    pub fn raw(&self) -> cl_command_queue {
        self.0
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // SAFETY: the handle is ours and released once.
        let _ = unsafe { clReleaseCommandQueue(self.0) };
    }
}
