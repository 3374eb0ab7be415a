//! Events.
#![allow(unsafe_code, reason = "calls of the C API")]

use std::ptr::null_mut;

use cl_sys::{CL_EVENT_COMMAND_EXECUTION_STATUS, cl_event, cl_int, clGetEventInfo, clReleaseEvent, clWaitForEvents};

use crate::error::{Result, check};

/// An event that a command or the host made.
#[derive(Debug)]
pub struct Event(cl_event);

// SAFETY: handles may be used from every thread.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    /// Takes over a reference that a call returned.
    ///
    /// # Safety
    /// `raw` is a valid event whose reference nobody else releases.
    pub unsafe fn from_raw(raw: cl_event) -> Event {
        Event(raw)
    }

    /// Waits for it alone.
    pub fn wait(&self) -> Result {
        // SAFETY: one event is passed and counted.
        check("clWaitForEvents", unsafe { clWaitForEvents(1, &self.0) })
    }

    /// Its execution status: `CL_COMPLETE` is 0, an error is negative.
    pub fn status(&self) -> Result<cl_int> {
        let mut status: cl_int = 0;
        // SAFETY: the value has the size that is passed.
        check("clGetEventInfo", unsafe {
            clGetEventInfo(
                self.0,
                CL_EVENT_COMMAND_EXECUTION_STATUS,
                size_of::<cl_int>(),
                (&raw mut status).cast(),
                null_mut(),
            )
        })?;
        Ok(status)
    }

    /// The handle.
    pub fn raw(&self) -> cl_event {
        self.0
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the handle is ours and released once.
        let _ = unsafe { clReleaseEvent(self.0) };
    }
}
