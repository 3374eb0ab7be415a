//! Images of several levels of detail: what commands do to each level, held against models, and their errors.

use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::kernels::Built;
use crate::picture::{TEXELS, TYPES, cut, desc, format};
use crate::support::{Random, Setup, at, call, code_of, create, ok, release, table};

/// An image of several levels, and what their texels should be.
struct Levels {
    image: cl::cl_mem,
    image_type: u32,
    sides: Vec<[usize; 3]>,
    models: Vec<Vec<u8>>,
}

/// The sides of a level: half of those before, but for the number of images.
fn halved(image_type: u32, [x, y, z]: [usize; 3]) -> [usize; 3] {
    let half = |side: usize| (side / 2).max(1);
    match image_type {
        cl::CL_MEM_OBJECT_IMAGE1D_ARRAY => [half(x), y, 1],
        cl::CL_MEM_OBJECT_IMAGE2D_ARRAY => [half(x), half(y), z],
        _ => [half(x), half(y), half(z)],
    }
}

/// An origin with the level where images of the type have it.
fn origin(image_type: u32, level: usize, [x, y, z]: [usize; 3]) -> [usize; 4] {
    match image_type {
        cl::CL_MEM_OBJECT_IMAGE1D => [x, level, 0, 0],
        cl::CL_MEM_OBJECT_IMAGE1D_ARRAY | cl::CL_MEM_OBJECT_IMAGE2D => [x, y, level, 0],
        _ => [x, y, z, level],
    }
}

impl Levels {
    /// Each level written with bytes that come from anywhere.
    fn new(setup: &Setup, random: &mut Random, image_type: u32, count: usize) -> Levels {
        let texel = TEXELS[2];
        let first = cut(image_type, [13, 9, 5]);
        let desc = cl::cl_image_desc { num_mip_levels: count as u32, ..desc(image_type, first) };
        let image = create!(clCreateImage(setup.context, 0, &format(texel), &desc, null_mut()));
        let sides: Vec<_> =
            std::iter::successors(Some(first), |sides| Some(halved(image_type, *sides))).take(count).collect();
        let models: Vec<_> =
            sides.iter().map(|sides| random.bytes(sides.iter().product::<usize>() * texel.2)).collect();
        let levels = Levels { image, image_type, sides, models };
        for (level, model) in levels.models.iter().enumerate() {
            let (at, region) = (levels.origin(level), levels.sides[level]);
            let (at, region, host) = (at.as_ptr(), region.as_ptr(), model.as_ptr().cast());
            ok!(clEnqueueWriteImage(setup.queue, image, cl::CL_TRUE, at, region, 0, 0, host, 0, null(), null_mut()));
        }
        levels
    }

    fn origin(&self, level: usize) -> [usize; 4] {
        origin(self.image_type, level, [0; 3])
    }

    /// Holds every level against its model.
    fn check(&self, setup: &Setup, what: &str) {
        for (level, model) in self.models.iter().enumerate() {
            let mut bytes = vec![0xEE; model.len()];
            let (at, region) = (self.origin(level), self.sides[level]);
            let (at, region, host) = (at.as_ptr(), region.as_ptr(), bytes.as_mut_ptr().cast());
            ok!(clEnqueueReadImage(
                setup.queue,
                self.image,
                cl::CL_TRUE,
                at,
                region,
                0,
                0,
                host,
                0,
                null(),
                null_mut()
            ));
            assert!(bytes == *model, "{what}: {:#x}, level {level}", self.image_type);
        }
    }
}

impl Drop for Levels {
    fn drop(&mut self) {
        call!(clReleaseMemObject(self.image));
    }
}

#[test]
pub fn commands_reach_the_level_that_they_name_and_no_other() {
    let setup = Setup::new();
    let mut random = Random::new(71);
    let (none, event) = (null(), null_mut());
    for image_type in TYPES {
        let mut one = Levels::new(&setup, &mut random, image_type, 4);
        let mut other = Levels::new(&setup, &mut random, image_type, 3);
        one.check(&setup, "write");
        // Filled: the third level.
        let color = [0.0f32, 1.0, 0.0, 1.0];
        let (place, region) = (one.origin(2), one.sides[2]);
        let color = color.as_ptr().cast();
        ok!(clEnqueueFillImage(setup.queue, one.image, color, place.as_ptr(), region.as_ptr(), 0, none, event));
        one.models[2] = [0, 255, 0, 255].repeat(region.iter().product());
        one.check(&setup, "fill");
        // Copied: the second level of one to the second of the other, through an image and through a buffer.
        let (place, region) = (one.origin(1), one.sides[1]);
        let (place, region) = (place.as_ptr(), region.as_ptr());
        ok!(clEnqueueCopyImage(setup.queue, one.image, other.image, place, place, region, 0, none, event));
        other.models[1].clone_from(&one.models[1]);
        other.check(&setup, "copy");
        let buffer = setup.buffer(0, 4096);
        ok!(clEnqueueCopyImageToBuffer(setup.queue, one.image, buffer, place, region, 4, 0, none, event));
        assert_eq!(setup.read(buffer)[4..4 + one.models[1].len()], one.models[1]);
        let bytes = random.bytes(4096);
        let source = setup.filled(&bytes);
        ok!(clEnqueueCopyBufferToImage(setup.queue, source, one.image, 8, place, region, 0, none, event));
        let length = one.models[1].len();
        one.models[1].copy_from_slice(&bytes[8..8 + length]);
        one.check(&setup, "copy from a buffer");
        release(buffer);
        release(source);
    }
}

#[test]
pub fn kernels_write_to_the_level_that_they_name_and_no_other() {
    let setup = Setup::new();
    let mut random = Random::new(74);
    for (image_type, name, place) in [
        (cl::CL_MEM_OBJECT_IMAGE1D, "image1d_t", "x"),
        (cl::CL_MEM_OBJECT_IMAGE1D_ARRAY, "image1d_array_t", "(int2)(x, y)"),
        (cl::CL_MEM_OBJECT_IMAGE2D, "image2d_t", "(int2)(x, y)"),
        (cl::CL_MEM_OBJECT_IMAGE2D_ARRAY, "image2d_array_t", "(int4)(x, y, z, 0)"),
        (cl::CL_MEM_OBJECT_IMAGE3D, "image3d_t", "(int4)(x, y, z, 0)"),
    ] {
        let source = format!(
            "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
            #pragma OPENCL EXTENSION cl_khr_mipmap_image_writes : enable
            kernel void k(write_only {name} im, int level) {{
                int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
                write_imagef(im, {place}, level, (float4)(x & 1, y & 1, z & 1, 1));
            }}"
        );
        let built = Built::new(&setup, &source, "k", "-cl-std=CL2.0");
        let mut levels = Levels::new(&setup, &mut random, image_type, 3);
        for level in [0, 2] {
            let sides = levels.sides[level];
            let number = level as i32;
            assert_eq!([built.set(0, &levels.image), built.set(1, &number)], [cl::CL_SUCCESS; 2]);
            let (kernel, global) = (built.kernel, sides.as_ptr());
            ok!(clEnqueueNDRangeKernel(setup.queue, kernel, 3, null(), global, null(), 0, null(), null_mut()));
            let byte = |side: usize| if side & 1 == 1 { 255 } else { 0 };
            let texels = levels.models[level].chunks_mut(4).enumerate();
            texels.for_each(|(at, texel)| {
                let (x, y, z) = (at % sides[0], at / sides[0] % sides[1], at / sides[0] / sides[1]);
                // Blue comes first.
                texel.copy_from_slice(&[byte(z), byte(y), byte(x), 255]);
            });
            levels.check(&setup, name);
        }
    }
}

#[test]
fn a_level_is_mapped_at_its_own_pitches() {
    let setup = Setup::new();
    let mut random = Random::new(72);
    for image_type in TYPES {
        let mut levels = Levels::new(&setup, &mut random, image_type, 3);
        let (place, region) = (levels.origin(1), levels.sides[1]);
        let (mut row, mut slice) = (1, 1);
        let flags = cl::CL_MAP_READ | cl::CL_MAP_WRITE;
        let pointer = create!(clEnqueueMapImage(
            setup.queue,
            levels.image,
            cl::CL_TRUE,
            flags,
            place.as_ptr(),
            region.as_ptr(),
            &mut row,
            &mut slice,
            0,
            null(),
            null_mut()
        ));
        assert_eq!(row, region[0] * 4, "{image_type:#x}");
        let wanted = match image_type {
            cl::CL_MEM_OBJECT_IMAGE1D | cl::CL_MEM_OBJECT_IMAGE2D => 0,
            cl::CL_MEM_OBJECT_IMAGE1D_ARRAY => row,
            _ => row * region[1],
        };
        assert_eq!(slice, wanted, "{image_type:#x}");
        let model = &mut levels.models[1];
        // SAFETY: a level lies tightly packed, and is mapped whole.
        let mapped = unsafe { std::slice::from_raw_parts_mut(pointer.cast::<u8>(), model.len()) };
        assert_eq!(mapped, model);
        model.reverse();
        mapped.reverse();
        ok!(clEnqueueUnmapMemObject(setup.queue, levels.image, pointer, 0, null(), null_mut()));
        levels.check(&setup, "map");
    }
}

#[test]
fn errors_of_levels() {
    let setup = Setup::new();
    let mut random = Random::new(73);
    let context = setup.context;
    let levels = Levels::new(&setup, &mut random, cl::CL_MEM_OBJECT_IMAGE2D, 3);
    let other = Levels::new(&setup, &mut random, cl::CL_MEM_OBJECT_IMAGE2D_ARRAY, 2);
    let bytes = [0u8; 4096];
    let buffer = setup.buffer(0, 4096);
    let host = at(&bytes);
    let made = |image_type, count, texel, mem_object, flags, host| {
        let desc = cl::cl_image_desc { num_mip_levels: count, mem_object, ..desc(image_type, [8, 8, 8]) };
        code_of!(clCreateImage(context, flags, &format(texel), &desc, host))
    };
    let plain = |image_type, count| made(image_type, count, TEXELS[2], null_mut(), 0, null_mut());
    let read = |image: &Levels, at: [usize; 4], region: [usize; 3]| {
        let (at, region, none) = (at.as_ptr(), region.as_ptr(), null());
        call!(clEnqueueReadImage(setup.queue, image.image, cl::CL_TRUE, at, region, 0, 0, host, 0, none, null_mut()))
    };
    let flat = cl::CL_MEM_OBJECT_IMAGE2D;
    let depths = (cl::CL_DEPTH, cl::CL_FLOAT, 4);
    table! {
        "one level, said so" => CL_SUCCESS, plain(flat, 1);
        "down to one texel" => CL_SUCCESS, plain(flat, 4);
        "further" => CL_SUCCESS, plain(flat, 5);
        "further than any image needs" => CL_INVALID_IMAGE_DESCRIPTOR, plain(flat, 33);
        "of a buffer" => CL_INVALID_IMAGE_DESCRIPTOR,
            made(cl::CL_MEM_OBJECT_IMAGE1D_BUFFER, 2, TEXELS[2], buffer, 0, null_mut());
        "of an image" => CL_INVALID_IMAGE_DESCRIPTOR, made(flat, 0, TEXELS[2], levels.image, 0, null_mut());
        "of depths" => CL_INVALID_IMAGE_DESCRIPTOR, made(flat, 2, depths, null_mut(), 0, null_mut());
        "with a host pointer" => CL_INVALID_HOST_PTR,
            made(flat, 2, TEXELS[2], null_mut(), cl::CL_MEM_COPY_HOST_PTR, host);
        "last level" => CL_SUCCESS, read(&levels, [0, 0, 2, 0], [3, 2, 1]);
        "no level" => CL_INVALID_MIP_LEVEL, read(&levels, [0, 0, 3, 0], [1, 1, 1]);
        "no level of an array" => CL_INVALID_MIP_LEVEL, read(&other, [0, 0, 0, 2], [1, 1, 1]);
        "beyond the level" => CL_INVALID_VALUE, read(&levels, [0, 0, 2, 0], [4, 2, 1]);
        "beyond the array" => CL_INVALID_VALUE, read(&other, [0, 0, 5, 1], [1, 1, 1]);
    }
    release(buffer);
}

#[test]
fn an_image_answers_with_the_number_of_levels_that_it_was_created_with() {
    let setup = Setup::new();
    for given in [0, 1, 3] {
        let desc = cl::cl_image_desc { num_mip_levels: given, ..desc(cl::CL_MEM_OBJECT_IMAGE2D, [8, 8, 1]) };
        let image = create!(clCreateImage(setup.context, 0, &format(TEXELS[2]), &desc, null_mut()));
        let mut count = 77u32;
        ok!(clGetImageInfo(image, cl::CL_IMAGE_NUM_MIP_LEVELS, 4, (&raw mut count).cast(), null_mut()));
        assert_eq!(count, given);
        release(image);
    }
}

#[test]
fn a_sampler_answers_with_how_it_chooses_levels() {
    let setup = Setup::new();
    let list = [
        cl::CL_SAMPLER_MIP_FILTER_MODE_KHR,
        cl::CL_FILTER_LINEAR.into(),
        cl::CL_SAMPLER_LOD_MIN_KHR,
        1.25f32.to_bits().into(),
        cl::CL_SAMPLER_LOD_MAX_KHR,
        1e9f32.to_bits().into(),
        0,
    ];
    let wrong = [cl::CL_SAMPLER_MIP_FILTER_MODE_KHR, 7, 0];
    let given = create!(clCreateSamplerWithProperties(setup.context, list.as_ptr()));
    let plain = create!(clCreateSamplerWithProperties(setup.context, null()));
    for (sampler, filter, levels) in
        [(given, cl::CL_FILTER_LINEAR, [1.25, 1e9]), (plain, cl::CL_FILTER_NEAREST, [0.0, f32::MAX])]
    {
        let ask = |name| {
            let mut word = 0u32;
            ok!(clGetSamplerInfo(sampler, name, 4, (&raw mut word).cast(), null_mut()));
            word
        };
        assert_eq!(ask(cl::CL_SAMPLER_MIP_FILTER_MODE), filter);
        assert_eq!([ask(cl::CL_SAMPLER_LOD_MIN), ask(cl::CL_SAMPLER_LOD_MAX)].map(f32::from_bits), levels);
        ok!(clReleaseSampler(sampler));
    }
    table! {
        "no filter" => CL_INVALID_VALUE, code_of!(clCreateSamplerWithProperties(setup.context, wrong.as_ptr()));
    }
}
