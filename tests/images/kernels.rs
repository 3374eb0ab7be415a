//! Images and samplers as kernel arguments: what kernels see, what they are refused, and how long they live.

use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::picture::{Picture, TEXELS, desc, format};
use crate::support::{Random, Setup, call, create, ok, release, table};

pub struct Built {
    program: cl::cl_program,
    pub kernel: cl::cl_kernel,
}

impl Built {
    pub fn new(setup: &Setup, source: &str, name: &str, options: &str) -> Built {
        let text = CString::new(source).unwrap();
        let (mut pointer, length) = (text.as_ptr(), source.len());
        let program = create!(clCreateProgramWithSource(setup.context, 1, &mut pointer, &length));
        let (name, options) = (CString::new(name).unwrap(), CString::new(options).unwrap());
        let code = call!(clBuildProgram(program, 0, null(), options.as_ptr(), None, null_mut()));
        assert_eq!(code, cl::CL_SUCCESS, "{}", log(setup, program));
        Built { program, kernel: create!(clCreateKernel(program, name.as_ptr())) }
    }

    pub fn set<T>(&self, index: u32, value: &T) -> cl::cl_int {
        call!(clSetKernelArg(self.kernel, index, size_of::<T>(), std::ptr::from_ref(value).cast()))
    }

    pub fn launch(&self, setup: &Setup, global: [usize; 2]) -> cl::cl_int {
        let size = global.as_ptr();
        call!(clEnqueueNDRangeKernel(setup.queue, self.kernel, 2, null(), size, null(), 0, null(), null_mut()))
    }
}

impl Drop for Built {
    fn drop(&mut self) {
        call!(clReleaseKernel(self.kernel));
        call!(clReleaseProgram(self.program));
    }
}

fn log(setup: &Setup, program: cl::cl_program) -> String {
    let mut text = vec![0u8; 1 << 16];
    let (size, place) = (text.len(), text.as_mut_ptr().cast());
    ok!(clGetProgramBuildInfo(program, setup.device, cl::CL_PROGRAM_BUILD_LOG, size, place, null_mut()));
    String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned()
}

pub fn sampler(setup: &Setup, normalized: u32, mode: u32, filter: u32) -> cl::cl_sampler {
    create!(clCreateSampler(setup.context, normalized, mode, filter))
}

#[test]
fn a_kernel_reads_and_writes_the_texels_of_its_arguments() {
    let setup = Setup::new();
    let mut random = Random::new(71);
    let source = "kernel void swap(read_only image2d_t from, write_only image2d_t to) {
        int2 at = (int2)(get_global_id(0), get_global_id(1));
        write_imageui(to, at, read_imageui(from, at).wzyx);
    }";
    let built = Built::new(&setup, source, "swap", "");
    let texel = (cl::CL_RGBA, cl::CL_UNSIGNED_INT8, 4);
    let from = Picture::new(&setup, &mut random, cl::CL_MEM_OBJECT_IMAGE2D, [9, 7, 1], texel);
    let mut to = Picture::new(&setup, &mut random, cl::CL_MEM_OBJECT_IMAGE2D, [9, 7, 1], texel);
    ok!(clFinish(setup.queue));
    assert_eq!([built.set(0, &from.image), built.set(1, &to.image)], [cl::CL_SUCCESS; 2]);
    assert_eq!(built.launch(&setup, [9, 7]), cl::CL_SUCCESS);
    let swapped: Vec<u8> = from.model.chunks(4).flat_map(|texel| texel.iter().rev().copied()).collect();
    to.set([0; 3], [9, 7, 1], &swapped);
    to.check(&setup, "kernel");
    from.check(&setup, "what is only read");
}

#[test]
fn a_kernel_knows_the_sides_of_every_type_of_image() {
    let setup = Setup::new();
    let mut random = Random::new(72);
    let buffer = setup.buffer(0, 400);
    let out = setup.buffer(0, 16);
    for (name, body, image_type, expected) in [
        ("image1d_t", "(int4)(get_image_width(i), 0, 0, 0)", cl::CL_MEM_OBJECT_IMAGE1D, [9, 0, 0, 0]),
        ("image1d_buffer_t", "(int4)(get_image_width(i), 0, 0, 0)", cl::CL_MEM_OBJECT_IMAGE1D_BUFFER, [9, 0, 0, 0]),
        (
            "image1d_array_t",
            "(int4)(get_image_width(i), (int)get_image_array_size(i), 0, 0)",
            cl::CL_MEM_OBJECT_IMAGE1D_ARRAY,
            [9, 7, 0, 0],
        ),
        ("image2d_t", "(int4)(get_image_dim(i), get_image_width(i), 0)", cl::CL_MEM_OBJECT_IMAGE2D, [9, 7, 9, 0]),
        (
            "image2d_array_t",
            "(int4)(get_image_dim(i), (int)get_image_array_size(i), get_image_height(i))",
            cl::CL_MEM_OBJECT_IMAGE2D_ARRAY,
            [9, 7, 5, 7],
        ),
        ("image3d_t", "get_image_dim(i)", cl::CL_MEM_OBJECT_IMAGE3D, [9, 7, 5, 0]),
    ] {
        let source = format!("kernel void sides(read_only {name} i, global int4 *out) {{ *out = {body}; }}");
        let built = Built::new(&setup, &source, "sides", "");
        let image = if image_type == cl::CL_MEM_OBJECT_IMAGE1D_BUFFER {
            let shape = cl::cl_image_desc { mem_object: buffer, ..desc(image_type, [9, 1, 1]) };
            create!(clCreateImage(setup.context, 0, &format(TEXELS[2]), &shape, null_mut()))
        } else {
            let picture = Picture::new(&setup, &mut random, image_type, [9, 7, 5], TEXELS[2]);
            ok!(clRetainMemObject(picture.image));
            picture.image
        };
        assert_eq!([built.set(0, &image), built.set(1, &out)], [cl::CL_SUCCESS; 2], "{name}");
        assert_eq!(built.launch(&setup, [1, 1]), cl::CL_SUCCESS, "{name}");
        let found: Vec<i32> =
            setup.read(out).chunks(4).map(|word| i32::from_ne_bytes(word.try_into().unwrap())).collect();
        assert_eq!(found, expected, "{name}");
        release(image);
    }
    release(buffer);
    release(out);
}

#[test]
fn a_sampler_of_the_application_says_how_a_kernel_reads() {
    let setup = Setup::new();
    let source = "kernel void look(read_only image1d_t i, sampler_t s, float x, global float *out) {
        *out = read_imagef(i, s, x).x;
    }";
    let built = Built::new(&setup, source, "look", "");
    let texels = [0.0f32, 1.0, 2.0, 3.0];
    let shape = desc(cl::CL_MEM_OBJECT_IMAGE1D, [4, 1, 1]);
    let float = format((cl::CL_R, cl::CL_FLOAT, 4));
    let host = texels.as_ptr().cast_mut().cast();
    let image = create!(clCreateImage(setup.context, cl::CL_MEM_COPY_HOST_PTR, &float, &shape, host));
    let out = setup.buffer(0, 4);
    let (nearest, linear) = (cl::CL_FILTER_NEAREST, cl::CL_FILTER_LINEAR);
    for (normalized, mode, filter, x, expected) in [
        (cl::CL_FALSE, cl::CL_ADDRESS_CLAMP_TO_EDGE, nearest, 2.7f32, 2.0f32),
        (cl::CL_FALSE, cl::CL_ADDRESS_CLAMP_TO_EDGE, nearest, 9.0, 3.0),
        (cl::CL_FALSE, cl::CL_ADDRESS_CLAMP, nearest, 9.0, 0.0),
        (cl::CL_FALSE, cl::CL_ADDRESS_CLAMP_TO_EDGE, linear, 2.0, 1.5),
        (cl::CL_TRUE, cl::CL_ADDRESS_CLAMP_TO_EDGE, nearest, 0.7, 2.0),
        (cl::CL_TRUE, cl::CL_ADDRESS_REPEAT, nearest, 1.3, 1.0),
        (cl::CL_TRUE, cl::CL_ADDRESS_MIRRORED_REPEAT, nearest, 1.3, 2.0),
    ] {
        let sampler = sampler(&setup, normalized, mode, filter);
        let codes = [built.set(0, &image), built.set(1, &sampler), built.set(2, &x), built.set(3, &out)];
        assert_eq!(codes, [cl::CL_SUCCESS; 4]);
        // What was set is set, though the sampler is gone.
        ok!(clReleaseSampler(sampler));
        assert_eq!(built.launch(&setup, [1, 1]), cl::CL_SUCCESS);
        let found = f32::from_ne_bytes(setup.read(out).try_into().unwrap());
        assert_eq!(found, expected, "{normalized} {mode:#x} {filter:#x} {x}");
    }
    release(image);
    release(out);
}

const ALL: &str = "
    kernel void k(read_only image2d_t read, write_only image2d_t write, sampler_t how, global int *data,
                  read_only image2d_depth_t depth, read_only image2d_array_t array) {
        write_imagef(write, (int2)(0), read_imagef(read, how, (int2)(0)) + read_imagef(depth, how, (int2)(0))
            + read_imagef(array, how, (int4)(0)) + *data);
    }
    kernel void both(read_write image2d_t image) {
        write_imagef(image, (int2)(0), read_imagef(image, (int2)(1)));
    }";

#[test]
fn errors_of_setting_images_and_samplers() {
    let setup = Setup::new();
    let other = Setup::new();
    let built = Built::new(&setup, ALL, "k", "-cl-std=CL3.0");
    let both = create!(clCreateKernel(built.program, c"both".as_ptr()));
    let flat = |setup: &Setup, flags, texel| {
        let shape = desc(cl::CL_MEM_OBJECT_IMAGE2D, [4, 4, 1]);
        create!(clCreateImage(setup.context, flags, &format(texel), &shape, null_mut()))
    };
    let image = flat(&setup, 0, TEXELS[2]);
    let foreign = flat(&other, 0, TEXELS[2]);
    let read = flat(&setup, cl::CL_MEM_READ_ONLY, TEXELS[2]);
    let written = flat(&setup, cl::CL_MEM_WRITE_ONLY, TEXELS[2]);
    let depth = flat(&setup, 0, (cl::CL_DEPTH, cl::CL_FLOAT, 4));
    let shape = desc(cl::CL_MEM_OBJECT_IMAGE2D_ARRAY, [4, 4, 2]);
    let array = create!(clCreateImage(setup.context, 0, &format(TEXELS[2]), &shape, null_mut()));
    let buffer = setup.buffer(0, 64);
    let how = sampler(&setup, cl::CL_FALSE, cl::CL_ADDRESS_CLAMP, cl::CL_FILTER_NEAREST);
    let elsewhere = sampler(&other, cl::CL_FALSE, cl::CL_ADDRESS_CLAMP, cl::CL_FILTER_NEAREST);
    let none: *mut c_void = null_mut();
    let set = |index, size, value: *const c_void| call!(clSetKernelArg(built.kernel, index, size, value));
    let set_both = |memory: cl::cl_mem| call!(clSetKernelArg(both, 0, 8, (&raw const memory).cast()));
    table! {
        "image" => CL_SUCCESS, built.set(0, &image);
        "image that is only read" => CL_SUCCESS, built.set(0, &read);
        "image that is only written, to be read" => CL_INVALID_ARG_VALUE, built.set(0, &written);
        "image that is only read, to be written" => CL_INVALID_ARG_VALUE, built.set(1, &read);
        "image that is only written" => CL_SUCCESS, built.set(1, &written);
        "buffer as image" => CL_INVALID_MEM_OBJECT, built.set(0, &buffer);
        "sampler as image" => CL_INVALID_MEM_OBJECT, built.set(0, &how);
        "null handle as image" => CL_INVALID_MEM_OBJECT, built.set(0, &none);
        "nothing as image" => CL_INVALID_MEM_OBJECT, set(0, 8, null());
        "image of another size" => CL_INVALID_ARG_SIZE, set(0, 4, (&raw const image).cast());
        "image of another context" => CL_INVALID_CONTEXT, built.set(0, &foreign);
        "array as flat image" => CL_INVALID_MEM_OBJECT, built.set(0, &array);
        "flat image as array" => CL_INVALID_MEM_OBJECT, built.set(5, &image);
        "array" => CL_SUCCESS, built.set(5, &array);
        "depths as colours" => CL_INVALID_MEM_OBJECT, built.set(0, &depth);
        "colours as depths" => CL_INVALID_MEM_OBJECT, built.set(4, &image);
        "depths" => CL_SUCCESS, built.set(4, &depth);
        "sampler" => CL_SUCCESS, built.set(2, &how);
        "image as sampler" => CL_INVALID_SAMPLER, built.set(2, &image);
        "null handle as sampler" => CL_INVALID_SAMPLER, built.set(2, &none);
        "nothing as sampler" => CL_INVALID_SAMPLER, set(2, 8, null());
        "sampler of another size" => CL_INVALID_ARG_SIZE, set(2, 4, (&raw const how).cast());
        "sampler of another context" => CL_INVALID_CONTEXT, built.set(2, &elsewhere);
        "image as buffer" => CL_INVALID_MEM_OBJECT, built.set(3, &image);
        "address as image" => CL_INVALID_ARG_VALUE, call!(clSetKernelArgSVMPointer(built.kernel, 0, null()));
        "image for both" => CL_SUCCESS, set_both(image);
        "image that is only read, for both" => CL_INVALID_ARG_VALUE, set_both(read);
        "image that is only written, for both" => CL_INVALID_ARG_VALUE, set_both(written);
    }
    ok!(clReleaseKernel(both));
    ok!(clReleaseSampler(how));
    ok!(clReleaseSampler(elsewhere));
    for memory in [image, foreign, read, written, depth, array, buffer] {
        release(memory);
    }
}

#[test]
fn a_launch_keeps_its_images_and_a_kernel_does_not() {
    let setup = Setup::new();
    let source = "kernel void fill(write_only image2d_t to, read_only image2d_t from) {
        write_imagef(to, (int2)(get_global_id(0), get_global_id(1)), read_imagef(from, (int2)(0)));
    }";
    let built = Built::new(&setup, source, "fill", "");
    let host = [255u8; 64];
    let shape = desc(cl::CL_MEM_OBJECT_IMAGE2D, [4, 4, 1]);
    let make = |texel, flags, host| create!(clCreateImage(setup.context, flags, &format(texel), &shape, host));
    let target = make(TEXELS[2], 0, null_mut());
    let source = make(TEXELS[2], cl::CL_MEM_COPY_HOST_PTR, crate::support::at(&host));
    assert_eq!([built.set(0, &target), built.set(1, &source)], [cl::CL_SUCCESS; 2]);
    let gate = create!(clCreateUserEvent(setup.context));
    let size = [4usize, 4];
    let queue = setup.queue;
    let size = size.as_ptr();
    ok!(clEnqueueNDRangeKernel(queue, built.kernel, 2, null(), size, null(), 1, &gate, null_mut()));
    release(source);
    ok!(clSetUserEventStatus(gate, cl::CL_COMPLETE));
    setup.finish();
    assert_eq!(built.launch(&setup, [4, 4]), cl::CL_INVALID_KERNEL_ARGS, "the image is gone");
    let mut texels = [0u8; 64];
    let (origin, region, place) = ([0usize; 3], [4usize, 4, 1], texels.as_mut_ptr().cast());
    let (at, sides) = (origin.as_ptr(), region.as_ptr());
    ok!(clEnqueueReadImage(queue, target, cl::CL_TRUE, at, sides, 0, 0, place, 0, null(), null_mut()));
    assert_eq!(texels, host);
    ok!(clReleaseEvent(gate));
    release(target);
}

#[test]
fn a_view_of_an_image_is_read_though_the_image_is_released() {
    let setup = Setup::new();
    let source = "kernel void look(read_only image2d_t from, global float4 *out) {
        int2 at = (int2)(get_global_id(0), get_global_id(1));
        out[at.x + 4 * at.y] = read_imagef(from, at);
    }";
    let built = Built::new(&setup, source, "look", "");
    let texels: Vec<u8> =
        (0..64u8).map(|byte| if byte % 4 == 3 { byte } else { [0, 255, 188][byte as usize % 3] }).collect();
    let shape = desc(cl::CL_MEM_OBJECT_IMAGE2D, [4, 4, 1]);
    let plain = format((cl::CL_RGBA, cl::CL_UNORM_INT8, 4));
    let host = crate::support::at(&texels[0]);
    let parent = create!(clCreateImage(setup.context, cl::CL_MEM_COPY_HOST_PTR, &plain, &shape, host));
    let of_parent = cl::cl_image_desc { mem_object: parent, ..shape };
    let curved = format((cl::CL_sRGBA, cl::CL_UNORM_INT8, 4));
    let view = create!(clCreateImage(setup.context, 0, &curved, &of_parent, null_mut()));
    release(parent);
    let out = setup.buffer(0, 256);
    assert_eq!([built.set(0, &view), built.set(1, &out)], [cl::CL_SUCCESS; 2]);
    assert_eq!(built.launch(&setup, [4, 4]), cl::CL_SUCCESS);
    for (index, (number, byte)) in setup.read(out).chunks(4).zip(&texels).enumerate() {
        let found = f32::from_ne_bytes(number.try_into().unwrap());
        let wanted = match byte {
            // Alpha is not along the curve.
            _ if index % 4 == 3 => f32::from(*byte) / 255.0,
            188 => 0.502_886_5,
            _ => f32::from(*byte) / 255.0,
        };
        assert!((found - wanted).abs() < 1e-5, "{index}: {found} {wanted}");
    }
    release(view);
    release(out);
}

#[test]
fn a_format_that_cannot_be_read_and_written_at_once_is_refused_by_the_launch() {
    let setup = Setup::new();
    let built = Built::new(&setup, ALL, "both", "-cl-std=CL3.0");
    let shape = desc(cl::CL_MEM_OBJECT_IMAGE2D, [4, 4, 1]);
    let curved = format((cl::CL_sRGBA, cl::CL_UNORM_INT8, 4));
    let image = create!(clCreateImage(setup.context, 0, &curved, &shape, null_mut()));
    assert_eq!(built.set(0, &image), cl::CL_SUCCESS);
    assert_eq!(built.launch(&setup, [1, 1]), cl::CL_IMAGE_FORMAT_NOT_SUPPORTED);
    release(image);
}

#[test]
fn a_kernel_tells_of_its_image_arguments() {
    let setup = Setup::new();
    let built = Built::new(&setup, ALL, "k", "-cl-std=CL3.0 -cl-kernel-arg-info");
    let number = |index, name| {
        let mut value = 0u32;
        ok!(clGetKernelArgInfo(built.kernel, index, name, 4, (&raw mut value).cast(), null_mut()));
        value
    };
    let text = |index, name| {
        let (mut bytes, mut size) = ([0u8; 64], 0);
        ok!(clGetKernelArgInfo(built.kernel, index, name, 64, bytes.as_mut_ptr().cast(), &mut size));
        String::from_utf8(bytes[..size - 1].to_vec()).unwrap()
    };
    let access = cl::CL_KERNEL_ARG_ACCESS_QUALIFIER;
    let address = cl::CL_KERNEL_ARG_ADDRESS_QUALIFIER;
    for (index, type_name, expected) in [
        (0, "image2d_t", [cl::CL_KERNEL_ARG_ACCESS_READ_ONLY, cl::CL_KERNEL_ARG_ADDRESS_GLOBAL]),
        (1, "image2d_t", [cl::CL_KERNEL_ARG_ACCESS_WRITE_ONLY, cl::CL_KERNEL_ARG_ADDRESS_GLOBAL]),
        (2, "sampler_t", [cl::CL_KERNEL_ARG_ACCESS_NONE, cl::CL_KERNEL_ARG_ADDRESS_PRIVATE]),
        (4, "image2d_depth_t", [cl::CL_KERNEL_ARG_ACCESS_READ_ONLY, cl::CL_KERNEL_ARG_ADDRESS_GLOBAL]),
        (5, "image2d_array_t", [cl::CL_KERNEL_ARG_ACCESS_READ_ONLY, cl::CL_KERNEL_ARG_ADDRESS_GLOBAL]),
    ] {
        assert_eq!([number(index, access), number(index, address)], expected, "{index}");
        assert_eq!(text(index, cl::CL_KERNEL_ARG_TYPE_NAME), type_name);
    }
    assert_eq!(text(0, cl::CL_KERNEL_ARG_NAME), "read");
    let both = create!(clCreateKernel(built.program, c"both".as_ptr()));
    let mut value = 0u32;
    ok!(clGetKernelArgInfo(both, 0, access, 4, (&raw mut value).cast(), null_mut()));
    assert_eq!(value, cl::CL_KERNEL_ARG_ACCESS_READ_WRITE);
    ok!(clReleaseKernel(both));
}

/// Runs a kernel on every texel of an image of these sides, and gives what it holds then.
fn after(setup: &Setup, source: &str, image_type: u32, sides: [usize; 3], texel: (u32, u32, usize)) -> Vec<u8> {
    let built = Built::new(setup, source, "k", "-cl-std=CL3.0");
    let mut random = Random::new(73);
    let picture = Picture::new(setup, &mut random, image_type, sides, texel);
    assert_eq!(built.set(0, &picture.image), cl::CL_SUCCESS);
    let size = sides.as_ptr();
    ok!(clEnqueueNDRangeKernel(setup.queue, built.kernel, 3, null(), size, null(), 0, null(), null_mut()));
    picture.read(setup)
}

#[test]
pub fn volumes_are_written() {
    let setup = Setup::new();
    let source = "kernel void k(write_only image3d_t to) {
        int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
        write_imageui(to, at, (uint4)(at.x, at.y, at.z, 7));
    }";
    let texel = (cl::CL_RGBA, cl::CL_UNSIGNED_INT8, 4);
    let found = after(&setup, source, cl::CL_MEM_OBJECT_IMAGE3D, [5, 4, 3], texel);
    let mut expected = Vec::new();
    for z in 0..3 {
        for y in 0..4 {
            for x in 0..5 {
                expected.extend([x, y, z, 7]);
            }
        }
    }
    assert_eq!(found, expected);
}

#[test]
pub fn depths_are_read_and_written() {
    let setup = Setup::new();
    let source = "kernel void k(read_write image2d_depth_t both) {
        int2 at = (int2)(get_global_id(0), get_global_id(1));
        write_imagef(both, at, (float)(at.x + 10 * at.y));
        atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
        write_imagef(both, at, read_imagef(both, at) + 0.5f);
    }";
    let found = after(&setup, source, cl::CL_MEM_OBJECT_IMAGE2D, [4, 3, 1], (cl::CL_DEPTH, cl::CL_FLOAT, 4));
    let numbers = (0..3).flat_map(|y| (0..4).map(move |x| (x + 10 * y) as f32 + 0.5));
    assert_eq!(found, numbers.flat_map(f32::to_ne_bytes).collect::<Vec<_>>());
}

#[test]
pub fn colours_are_written_along_the_curve_of_srgb() {
    let setup = Setup::new();
    let source = "kernel void k(write_only image2d_t to) {
        write_imagef(to, (int2)(get_global_id(0), get_global_id(1)), (float4)(0.5f, 1.0f, 0.002f, 0.5f));
    }";
    let texel = (cl::CL_sBGRA, cl::CL_UNORM_INT8, 4);
    let found = after(&setup, source, cl::CL_MEM_OBJECT_IMAGE2D, [6, 1, 1], texel);
    assert_eq!(found, [7, 255, 188, 128].repeat(6));
}

#[test]
pub fn texels_of_two_and_three_times_ten_bits_are_read_and_written() {
    let setup = Setup::new();
    let source = "#ifndef __opencl_c_ext_image_unorm_int_2_101010
#error no macro
#endif
    kernel void k(read_write image2d_t both) {
        int2 at = (int2)(get_global_id(0), get_global_id(1));
        if (get_image_channel_data_type(both) != CLK_UNORM_INT_2_101010_EXT)
            return;
        write_imagef(both, at, (float4)(1.0f, 0.0f, 0.5f, 1.0f));
        atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
        write_imagef(both, at, read_imagef(both, at).yxzw);
    }";
    let texel = (cl::CL_ABGR, cl::CL_UNORM_INT_2_101010_EXT, 4);
    let found = after(&setup, source, cl::CL_MEM_OBJECT_IMAGE2D, [3, 2, 1], texel);
    let word: u32 = 3 << 30 | 512 << 20 | 1023 << 10;
    assert_eq!(found, word.to_le_bytes().repeat(6));
}

#[test]
fn a_kernel_reads_at_a_level_of_detail_and_by_gradients() {
    let setup = Setup::new();
    let source = "#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable
        kernel void k(read_only image2d_t im, sampler_t s, sampler_t least, global float *o) {
            float2 middle = (float2)(0.5f, 0.5f), none = (float2)(0, 0);
            o[0] = read_imagef(im, s, middle).x;
            for (int level = 0; level < 4; level++) o[1 + level] = read_imagef(im, s, middle, (float)level).x;
            o[5] = read_imagef(im, s, middle, 1.5f).x;
            o[6] = read_imagef(im, s, middle, (float2)(2.0f / 16, 0), none).x;
            o[7] = read_imagef(im, s, middle, none, (float2)(0, 4.0f / 8)).x;
            o[8] = get_image_num_mip_levels(im);
            // The least level of a sampler is for levels that are computed.
            o[9] = read_imagef(im, least, middle).x;
            o[10] = read_imagef(im, least, middle, o[11]).x;
            o[11] = read_imagef(im, least, middle, none, none).x;
        }";
    let format = cl::cl_image_format { image_channel_order: cl::CL_R, image_channel_data_type: cl::CL_FLOAT };
    let desc = cl::cl_image_desc { num_mip_levels: 3, ..desc(cl::CL_MEM_OBJECT_IMAGE2D, [16, 8, 1]) };
    let image = create!(clCreateImage(setup.context, 0, &format, &desc, null_mut()));
    for (level, value) in [10.0f32, 20.0, 40.0].iter().enumerate() {
        let (origin, region) = ([0, 0, level, 0], [16 >> level, 8 >> level, 1]);
        let (color, origin, region) = ([*value; 4], origin.as_ptr(), region.as_ptr());
        let color = color.as_ptr().cast();
        ok!(clEnqueueFillImage(setup.queue, image, color, origin, region, 0, null(), null_mut()));
    }
    let sampler = |least: f32| {
        let list: [cl::cl_sampler_properties; 11] = [
            u64::from(cl::CL_SAMPLER_NORMALIZED_COORDS),
            1,
            u64::from(cl::CL_SAMPLER_ADDRESSING_MODE),
            u64::from(cl::CL_ADDRESS_CLAMP_TO_EDGE),
            u64::from(cl::CL_SAMPLER_FILTER_MODE),
            u64::from(cl::CL_FILTER_NEAREST),
            cl::CL_SAMPLER_MIP_FILTER_MODE_KHR,
            u64::from(cl::CL_FILTER_LINEAR),
            cl::CL_SAMPLER_LOD_MIN_KHR,
            u64::from(least.to_bits()),
            0,
        ];
        create!(clCreateSamplerWithProperties(setup.context, list.as_ptr()))
    };
    let (any, least) = (sampler(0.0), sampler(1.0));
    let built = Built::new(&setup, source, "k", "-cl-std=CL3.0");
    let out = setup.filled(&[0; 48]);
    let set = [built.set(0, &image), built.set(1, &any), built.set(2, &least), built.set(3, &out)];
    assert_eq!(set, [cl::CL_SUCCESS; 4]);
    assert_eq!(built.launch(&setup, [1, 1]), cl::CL_SUCCESS);
    let found: Vec<f32> =
        setup.read(out).chunks(4).map(|bytes| f32::from_ne_bytes(bytes.try_into().expect("four bytes"))).collect();
    assert_eq!(found, [10.0, 10.0, 20.0, 40.0, 40.0, 30.0, 20.0, 40.0, 3.0, 10.0, 10.0, 20.0]);
    release(out);
    release(image);
    ok!(clReleaseSampler(any));
    ok!(clReleaseSampler(least));
}

#[test]
fn functions_of_the_program_with_names_like_built_in_ones_are_its_own() {
    let setup = Setup::new();
    let source = "
        float4 read_imagef_at(read_only image2d_t im, sampler_t s, float2 at, float factor);
        kernel void k(read_only image2d_t im, sampler_t s, global float *o) {
            *o = read_imagef_at(im, s, (float2)(0.5f), 3.0f).x;
        }";
    let other = "float4 read_imagef_at(read_only image2d_t im, sampler_t s, float2 at, float factor) {
            return read_imagef(im, s, at) * factor;
        }";
    let programs = [source, other].map(|text| {
        let (mut pointer, length) = (text.as_ptr().cast(), text.len());
        let program = create!(clCreateProgramWithSource(setup.context, 1, &mut pointer, &length));
        ok!(clCompileProgram(program, 0, null(), null(), 0, null(), null_mut(), None, null_mut()));
        program
    });
    let linked = create!(clLinkProgram(setup.context, 0, null(), null(), 2, programs.as_ptr(), None, null_mut()));
    let built = Built { program: linked, kernel: create!(clCreateKernel(linked, c"k".as_ptr())) };
    let float = cl::cl_image_format { image_channel_order: cl::CL_R, image_channel_data_type: cl::CL_FLOAT };
    let host = (&raw const TWO_AND_A_HALF).cast_mut().cast();
    let shape = desc(cl::CL_MEM_OBJECT_IMAGE2D, [1, 1, 1]);
    let image = create!(clCreateImage(setup.context, cl::CL_MEM_COPY_HOST_PTR, &float, &shape, host));
    let sampler = sampler(&setup, cl::CL_TRUE, cl::CL_ADDRESS_CLAMP_TO_EDGE, cl::CL_FILTER_NEAREST);
    let out = setup.filled(&[0; 4]);
    assert_eq!([built.set(0, &image), built.set(1, &sampler), built.set(2, &out)], [cl::CL_SUCCESS; 3]);
    assert_eq!(built.launch(&setup, [1, 1]), cl::CL_SUCCESS);
    assert_eq!(setup.read(out), 7.5f32.to_ne_bytes());
    release(out);
    release(image);
    ok!(clReleaseSampler(sampler));
    for program in programs {
        ok!(clReleaseProgram(program));
    }
}

static TWO_AND_A_HALF: f32 = 2.5;
