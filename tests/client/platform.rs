//! Platforms, devices, contexts.
#![allow(unsafe_code, reason = "calls of the C API")]

use std::ptr::{null, null_mut};

use cl_sys::{
    CL_DEVICE_NAME, CL_DEVICE_TYPE_ALL, CL_PLATFORM_NAME, CL_PLATFORM_NOT_FOUND_KHR, CL_PLATFORM_VERSION, cl_context,
    cl_device_id, cl_platform_id, cl_uint, clCreateContext, clGetDeviceIDs, clGetDeviceInfo, clGetPlatformIDs,
    clGetPlatformInfo, clReleaseContext,
};

use crate::Queue;
use crate::error::{Error, Result, check};

/// A driver that the loader found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Platform(cl_platform_id);

impl Platform {
    /// All of them; none is not an error.
    pub fn all() -> Result<Vec<Platform>> {
        let mut count: cl_uint = 0;
        // SAFETY: the out-parameter outlives the call; a null list of no entries is allowed.
        let code = unsafe { clGetPlatformIDs(0, null_mut(), &mut count) };
        if code == CL_PLATFORM_NOT_FOUND_KHR {
            return Ok(Vec::new());
        }
        check("clGetPlatformIDs", code)?;
        let mut platforms = vec![null_mut(); count as usize];
        // SAFETY: the list has `count` entries.
        check("clGetPlatformIDs", unsafe { clGetPlatformIDs(count, platforms.as_mut_ptr(), null_mut()) })?;
        Ok(platforms.into_iter().map(Platform).collect())
    }

    /// The first one, or an error if the loader finds none.
    pub fn first() -> Result<Platform> {
        let none = Error { call: "clGetPlatformIDs", code: CL_PLATFORM_NOT_FOUND_KHR };
        Platform::all()?.first().copied().ok_or(none)
    }

    /// `CL_PLATFORM_NAME`.
    pub fn name(self) -> Result<String> {
        self.text(CL_PLATFORM_NAME)
    }

    /// `CL_PLATFORM_VERSION`.
    pub fn version(self) -> Result<String> {
        self.text(CL_PLATFORM_VERSION)
    }

    /// A property that is a string.
    pub fn text(self, name: cl_uint) -> Result<String> {
        text("clGetPlatformInfo", |size, value, needed| {
            // SAFETY: the caller passes a value of `size` bytes and an out-parameter, or nulls.
            unsafe { clGetPlatformInfo(self.0, name, size, value, needed) }
        })
    }

    /// All its devices.
    pub fn devices(self) -> Result<Vec<Device>> {
        let mut count: cl_uint = 0;
        // SAFETY: the out-parameter outlives the call.
        check("clGetDeviceIDs", unsafe { clGetDeviceIDs(self.0, CL_DEVICE_TYPE_ALL, 0, null_mut(), &mut count) })?;
        let mut devices = vec![null_mut(); count as usize];
        // SAFETY: the list has `count` entries.
        check("clGetDeviceIDs", unsafe {
            clGetDeviceIDs(self.0, CL_DEVICE_TYPE_ALL, count, devices.as_mut_ptr(), null_mut())
        })?;
        Ok(devices.into_iter().map(Device).collect())
    }

    /// Its first device.
    pub fn device(self) -> Result<Device> {
        let none = Error { call: "clGetDeviceIDs", code: cl_sys::CL_DEVICE_NOT_FOUND };
        self.devices()?.first().copied().ok_or(none)
    }

    /// The handle.
    pub fn raw(self) -> cl_platform_id {
        self.0
    }
}

/// A root device: it needs no release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device(cl_device_id);

// SAFETY: handles may be used from every thread.
unsafe impl Send for Device {}
// SAFETY: as above.
unsafe impl Sync for Device {}

impl Device {
    /// `CL_DEVICE_NAME`.
    pub fn name(self) -> Result<String> {
        self.text(CL_DEVICE_NAME)
    }

    /// A property that is a string.
    pub fn text(self, name: cl_uint) -> Result<String> {
        text("clGetDeviceInfo", |size, value, needed| {
            // SAFETY: the caller passes a value of `size` bytes and an out-parameter, or nulls.
            unsafe { clGetDeviceInfo(self.0, name, size, value, needed) }
        })
    }

    /// The handle.
    pub fn raw(self) -> cl_device_id {
        self.0
    }
}

/// Reads a string property: first its size, then its bytes.
pub(crate) fn text(call: &'static str, get: impl Fn(usize, *mut cl_sys::c_void, *mut usize) -> i32) -> Result<String> {
    let mut needed = 0;
    check(call, get(0, null_mut(), &mut needed))?;
    let mut bytes = vec![0u8; needed];
    check(call, get(needed, bytes.as_mut_ptr().cast(), null_mut()))?;
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A context of one device.
#[derive(Debug)]
pub struct Context {
    raw: cl_context,
    device: Device,
}

// SAFETY: handles may be used from every thread.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    /// A context of `device`.
    pub fn new(device: Device) -> Result<Context> {
        let mut code = 0;
        // SAFETY: one device is passed and counted; no callback; the out-parameter outlives the call.
        let raw = unsafe { clCreateContext(null(), 1, &device.0, None, null_mut(), &mut code) };
        check("clCreateContext", code)?;
        Ok(Context { raw, device })
    }

    /// A context of the first device of the first platform.
    pub fn first() -> Result<Context> {
        Context::new(Platform::first()?.device()?)
    }

    /// Its device.
    pub fn device(&self) -> Device {
        self.device
    }

    /// An in-order queue without profiling.
    pub fn queue(&self) -> Result<Queue> {
        Queue::new(self, 0)
    }

    /// The handle.
    pub fn raw(&self) -> cl_context {
        self.raw
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the handle is ours and released once.
        let _ = unsafe { clReleaseContext(self.raw) };
    }
}
