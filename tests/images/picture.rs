//! An image, and a model of it on the host.

use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::support::{Random, Setup, create, ok};

/// Every type of image that needs no buffer.
pub const TYPES: [cl::cl_mem_object_type; 5] = [
    cl::CL_MEM_OBJECT_IMAGE1D,
    cl::CL_MEM_OBJECT_IMAGE1D_ARRAY,
    cl::CL_MEM_OBJECT_IMAGE2D,
    cl::CL_MEM_OBJECT_IMAGE2D_ARRAY,
    cl::CL_MEM_OBJECT_IMAGE3D,
];

/// A format and the bytes of a texel.
pub type Texel = (u32, u32, usize);

/// A format for each size of texel.
pub const TEXELS: [Texel; 5] = [
    (cl::CL_R, cl::CL_UNORM_INT8, 1),
    (cl::CL_RG, cl::CL_SIGNED_INT8, 2),
    (cl::CL_BGRA, cl::CL_UNORM_INT8, 4),
    (cl::CL_RGBA, cl::CL_HALF_FLOAT, 8),
    (cl::CL_RGBA, cl::CL_UNSIGNED_INT32, 16),
];

pub fn format((order, data_type, _): Texel) -> cl::cl_image_format {
    cl::cl_image_format { image_channel_order: order, image_channel_data_type: data_type }
}

/// A description of an image with these sides, as regions have them.
pub fn desc(image_type: cl::cl_mem_object_type, [x, y, z]: [usize; 3]) -> cl::cl_image_desc {
    let rows = image_type == cl::CL_MEM_OBJECT_IMAGE1D_ARRAY;
    cl::cl_image_desc {
        image_type,
        image_width: x,
        image_height: if rows { 0 } else { y },
        image_depth: if image_type == cl::CL_MEM_OBJECT_IMAGE3D { z } else { 0 },
        image_array_size: if rows { y } else { z },
        image_row_pitch: 0,
        image_slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        mem_object: null_mut(),
    }
}

/// Cuts sides that a type does not have.
pub fn cut(image_type: cl::cl_mem_object_type, [x, y, z]: [usize; 3]) -> [usize; 3] {
    match image_type {
        cl::CL_MEM_OBJECT_IMAGE1D | cl::CL_MEM_OBJECT_IMAGE1D_BUFFER => [x, 1, 1],
        cl::CL_MEM_OBJECT_IMAGE2D | cl::CL_MEM_OBJECT_IMAGE1D_ARRAY => [x, y, 1],
        _ => [x, y, z],
    }
}

/// An image and what its texels should be, one after the other.
pub struct Picture {
    pub image: cl::cl_mem,
    pub image_type: cl::cl_mem_object_type,
    pub sides: [usize; 3],
    pub texel: usize,
    pub model: Vec<u8>,
}

impl Picture {
    /// With bytes that come from anywhere.
    pub fn new(setup: &Setup, random: &mut Random, image_type: u32, sides: [usize; 3], texel: Texel) -> Picture {
        let sides = cut(image_type, sides);
        let model = random.bytes(sides.iter().product::<usize>() * texel.2);
        let desc = desc(image_type, sides);
        let host = model.as_ptr().cast_mut().cast();
        let image = create!(clCreateImage(setup.context, cl::CL_MEM_COPY_HOST_PTR, &format(texel), &desc, host));
        Picture { image, image_type, sides, texel: texel.2, model }
    }

    /// Where in the model the rows of a region begin.
    pub fn rows(&self, origin: [usize; 3], region: [usize; 3]) -> Vec<usize> {
        let mut rows = Vec::new();
        for z in 0..region[2] {
            for y in 0..region[1] {
                let row = (origin[2] + z) * self.sides[1] + origin[1] + y;
                rows.push((row * self.sides[0] + origin[0]) * self.texel);
            }
        }
        rows
    }

    /// The bytes of a region, one row after the other.
    pub fn part(&self, origin: [usize; 3], region: [usize; 3]) -> Vec<u8> {
        let width = region[0] * self.texel;
        self.rows(origin, region).into_iter().flat_map(|row| self.model[row..row + width].to_vec()).collect()
    }

    /// Changes a region of the model.
    pub fn set(&mut self, origin: [usize; 3], region: [usize; 3], bytes: &[u8]) {
        let width = region[0] * self.texel;
        for (row, bytes) in self.rows(origin, region).into_iter().zip(bytes.chunks(width)) {
            self.model[row..row + width].copy_from_slice(bytes);
        }
    }

    /// Reads all of the image.
    pub fn read(&self, setup: &Setup) -> Vec<u8> {
        let mut bytes = vec![0xEE; self.model.len()];
        let (origin, host) = ([0usize; 3], bytes.as_mut_ptr().cast());
        let (at, region) = (origin.as_ptr(), self.sides.as_ptr());
        ok!(clEnqueueReadImage(setup.queue, self.image, cl::CL_TRUE, at, region, 0, 0, host, 0, null(), null_mut()));
        bytes
    }

    /// Holds the image against the model.
    pub fn check(&self, setup: &Setup, what: &str) {
        assert!(self.read(setup) == self.model, "{what}: {:#x} {:?} {}", self.image_type, self.sides, self.texel);
    }

    /// A region inside.
    pub fn region(&self, random: &mut Random) -> ([usize; 3], [usize; 3]) {
        let region = self.sides.map(|side| 1 + random.below(side));
        let mut origin = [0; 3];
        for side in 0..3 {
            origin[side] = random.below(self.sides[side] - region[side] + 1);
        }
        (origin, region)
    }
}

impl Drop for Picture {
    fn drop(&mut self) {
        crate::support::call!(clReleaseMemObject(self.image));
    }
}
