//! Images.
#![allow(unsafe_code, reason = "calls of the C API")]

use std::marker::PhantomData;
use std::ptr::{null, null_mut};

use cl_sys::{
    CL_MEM_COPY_HOST_PTR, CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE3D, CL_MEM_READ_WRITE, CL_TRUE, cl_image_desc,
    cl_image_format, cl_mem, cl_uint, clCreateImage, clEnqueueCopyImage, clEnqueueCopyImageToBuffer,
    clEnqueueReadImage, clReleaseMemObject, clSetKernelArg,
};

use crate::error::{Result, check};
use crate::memory::Kept;
use crate::{Buffer, Context, Kernel, Plain, Queue};

/// An image of two or three dimensions, whose texels are as large as `T`.
#[derive(Debug)]
pub struct Image<T> {
    raw: cl_mem,
    /// Width, height, depth; 1 if it has none.
    size: [usize; 3],
    texel: PhantomData<T>,
}

// SAFETY: handles may be used from every thread.
unsafe impl<T: Send> Send for Image<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Image<T> {}

impl<T: Plain> Image<T> {
    /// An image of a channel order and type with a copy of `texels`, or without defined content if there are none.
    ///
    /// # Panics
    /// If there are some, but not as many as the image has.
    pub fn new(
        context: &Context,
        (order, data_type): (cl_uint, cl_uint),
        size: &[usize],
        texels: &[T],
    ) -> Result<Image<T>> {
        let side = |index: usize| size.get(index).copied().unwrap_or(1);
        let size = [side(0), side(1), side(2)];
        assert!(texels.is_empty() || texels.len() == size.iter().product(), "texels for an image of {size:?}");
        let is_deep = size[2] > 1;
        let format = cl_image_format { image_channel_order: order, image_channel_data_type: data_type };
        let desc = cl_image_desc {
            image_type: if is_deep { CL_MEM_OBJECT_IMAGE3D } else { CL_MEM_OBJECT_IMAGE2D },
            image_width: size[0],
            image_height: size[1],
            image_depth: size[2],
            image_array_size: 1,
            image_row_pitch: 0,
            image_slice_pitch: 0,
            num_mip_levels: 0,
            num_samples: 0,
            buffer: null_mut(),
        };
        let (flags, data) = match texels {
            [] => (CL_MEM_READ_WRITE, null_mut()),
            _ => (CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, texels.as_ptr().cast_mut().cast()),
        };
        let mut code = 0;
        // SAFETY: the texels are as many as the image has, and are only read, during the call.
        let raw = unsafe { clCreateImage(context.raw(), flags, &format, &desc, data, &mut code) };
        check("clCreateImage", code)?;
        Ok(Image { raw, size, texel: PhantomData })
    }

    /// Width, height, depth.
    pub fn size(&self) -> [usize; 3] {
        self.size
    }

    /// Number of texels.
    pub fn len(&self) -> usize {
        self.size.iter().product()
    }

    /// Whether it has no texels; an image always has some.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of all texels.
    pub fn bytes(&self) -> usize {
        self.len() * size_of::<T>()
    }
}

impl<T> Drop for Image<T> {
    fn drop(&mut self) {
        // SAFETY: the handle is ours and released once.
        let _ = unsafe { clReleaseMemObject(self.raw) };
    }
}

impl<T: Plain + Send + std::fmt::Debug> Kept for Image<T> {}

impl Kernel {
    /// Sets argument `index` to an image.
    pub fn set_image<T: Plain>(&self, index: u32, image: &Image<T>) -> Result {
        let handle: cl_mem = image.raw;
        // SAFETY: a memory object is passed by the address of its handle.
        check("clSetKernelArg", unsafe {
            clSetKernelArg(self.raw(), index, size_of::<cl_mem>(), (&raw const handle).cast())
        })
    }

    /// Sets argument `index` to an image and keeps it as long as the kernel.
    pub fn give_image<T>(&mut self, index: u32, image: Image<T>) -> Result
    where
        T: Plain + Send + std::fmt::Debug,
    {
        self.set_image(index, &image)?;
        self.keep(Box::new(image));
        Ok(())
    }
}

const ORIGIN: [usize; 3] = [0; 3];

impl Queue {
    /// Reads a whole image and waits for it.
    pub fn read_image<T: Plain + Default>(&self, image: &Image<T>) -> Result<Vec<T>> {
        let mut texels = vec![T::default(); image.len()];
        let (raw, target) = (image.raw, texels.as_mut_ptr().cast());
        // SAFETY: the vector has as many texels as the image, without gaps, and the call blocks.
        check("clEnqueueReadImage", unsafe {
            clEnqueueReadImage(
                self.raw(),
                raw,
                CL_TRUE,
                ORIGIN.as_ptr(),
                image.size.as_ptr(),
                0,
                0,
                target,
                0,
                null(),
                null_mut(),
            )
        })?;
        Ok(texels)
    }

    /// Enqueues a copy of a whole image to the start of another.
    pub fn copy_image<T: Plain>(&self, from: &Image<T>, to: &Image<T>) -> Result {
        let (origin, region) = (ORIGIN.as_ptr(), from.size.as_ptr());
        // SAFETY: the driver checks both regions.
        check("clEnqueueCopyImage", unsafe {
            clEnqueueCopyImage(self.raw(), from.raw, to.raw, origin, origin, region, 0, null(), null_mut())
        })
    }

    /// Enqueues a copy of a whole image to the start of a buffer.
    pub fn copy_image_to_buffer<T: Plain>(&self, from: &Image<T>, to: &Buffer<T>) -> Result {
        let (origin, region) = (ORIGIN.as_ptr(), from.size.as_ptr());
        // SAFETY: the driver checks both ranges.
        check("clEnqueueCopyImageToBuffer", unsafe {
            clEnqueueCopyImageToBuffer(self.raw(), from.raw, to.raw(), origin, region, 0, 0, null(), null_mut())
        })
    }
}
