//! Buffers.
#![allow(unsafe_code, reason = "calls of the C API")]

use std::marker::PhantomData;
use std::ptr::null_mut;

use cl_sys::{CL_MEM_COPY_HOST_PTR, CL_MEM_READ_WRITE, cl_mem, clCreateBuffer, clReleaseMemObject};

use crate::Context;
use crate::error::{Result, check};

/// A type whose every bit pattern is a value and that has no padding.
///
/// # Safety
/// That is so.
pub unsafe trait Plain: Copy + 'static {}

macro_rules! plain {
    ($($type:ty),*) => { $(
        // SAFETY: numbers have neither padding nor invalid patterns.
        unsafe impl Plain for $type {}
        // SAFETY: neither do arrays of them.
        unsafe impl<const N: usize> Plain for [$type; N] {}
    )* };
}
plain!(u8, i8, u16, i16, u32, i32, u64, i64, usize, f32, f64);

/// A buffer of `len` elements.
#[derive(Debug)]
pub struct Buffer<T> {
    raw: cl_mem,
    len: usize,
    element: PhantomData<T>,
}

// SAFETY: handles may be used from every thread.
unsafe impl<T: Send> Send for Buffer<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Buffer<T> {}

impl<T: Plain> Buffer<T> {
    /// A buffer without defined content.
    pub fn new(context: &Context, len: usize) -> Result<Buffer<T>> {
        let mut code = 0;
        // SAFETY: no host memory is passed.
        let raw =
            unsafe { clCreateBuffer(context.raw(), CL_MEM_READ_WRITE, len * size_of::<T>(), null_mut(), &mut code) };
        check("clCreateBuffer", code)?;
        Ok(Buffer { raw, len, element: PhantomData })
    }

    /// A buffer with a copy of `data`.
    pub fn from_slice(context: &Context, data: &[T]) -> Result<Buffer<T>> {
        let mut code = 0;
        let flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
        // SAFETY: the slice has the size that is passed and is only read, during the call.
        let raw = unsafe {
            clCreateBuffer(context.raw(), flags, size_of_val(data), data.as_ptr().cast_mut().cast(), &mut code)
        };
        check("clCreateBuffer", code)?;
        Ok(Buffer { raw, len: data.len(), element: PhantomData })
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no elements; a buffer always has some.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The handle.
    pub fn raw(&self) -> cl_mem {
        self.raw
    }
}

impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        // SAFETY: the handle is ours and released once.
        let _ = unsafe { clReleaseMemObject(self.raw) };
    }
}

/// A memory object of any type that is only kept.
pub(crate) trait Kept: Send + std::fmt::Debug {}

impl<T: Plain + Send + std::fmt::Debug> Kept for Buffer<T> {}
