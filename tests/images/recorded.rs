//! Image commands in command buffers: they run each time, and are refused like those of a queue.

use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::kernels::{Built, sampler};
use crate::picture::{Picture, TEXELS, desc, format};
use crate::support::{Random, Setup, at, create, extension, ok, release, table};

#[test]
fn recorded_commands_do_what_those_of_a_queue_do_each_time() {
    let setup = Setup::new();
    let mut random = Random::new(61);
    let sides = [12, 6, 2];
    let texel = TEXELS[4];
    let source = Picture::new(&setup, &mut random, cl::CL_MEM_OBJECT_IMAGE3D, sides, texel);
    let mut target = Picture::new(&setup, &mut random, cl::CL_MEM_OBJECT_IMAGE2D_ARRAY, sides, texel);
    let bytes = random.bytes(4 * 16);
    let (from, to) = (setup.filled(&bytes), setup.buffer(0, 4 * 16));
    let mut code = 1;
    let buffer = extension!(clCreateCommandBufferKHR(1, &setup.queue, null(), &mut code));
    assert_eq!(code, cl::CL_SUCCESS);
    let (zero, one, four) = ([0usize; 3], [1usize, 1, 0], [4usize, 1, 1]);
    let (zero_at, one_at, size) = (zero.as_ptr(), one.as_ptr(), four.as_ptr());
    let far = [7usize, 5, 1];
    let (queue, list) = (null_mut(), null());
    let color = [9u32; 4];
    let image = target.image;
    let codes = [
        extension!(clCommandFillImageKHR(
            buffer,
            queue,
            list,
            image,
            color.as_ptr().cast(),
            zero_at,
            size,
            0,
            null(),
            null_mut(),
            null_mut()
        )),
        extension!(clCommandCopyImageKHR(
            buffer,
            queue,
            list,
            source.image,
            image,
            zero_at,
            one_at,
            size,
            0,
            null(),
            null_mut(),
            null_mut()
        )),
        extension!(clCommandCopyBufferToImageKHR(
            buffer,
            queue,
            list,
            from,
            image,
            0,
            far.as_ptr(),
            size,
            0,
            null(),
            null_mut(),
            null_mut()
        )),
        extension!(clCommandCopyImageToBufferKHR(
            buffer,
            queue,
            list,
            image,
            to,
            far.as_ptr(),
            size,
            0,
            0,
            null(),
            null_mut(),
            null_mut()
        )),
        extension!(clFinalizeCommandBufferKHR(buffer)),
    ];
    assert_eq!(codes, [cl::CL_SUCCESS; 5]);
    let model = target.model.clone();
    for _ in 0..2 {
        let (origin, host) = (zero.as_ptr(), model.as_ptr().cast());
        let all = sides.as_ptr();
        crate::support::ok!(clEnqueueWriteImage(
            setup.queue,
            image,
            cl::CL_TRUE,
            origin,
            all,
            0,
            0,
            host,
            0,
            null(),
            null_mut()
        ));
        let done = extension!(clEnqueueCommandBufferKHR(0, null_mut(), buffer, 0, null(), null_mut()));
        assert_eq!(done, cl::CL_SUCCESS);
        setup.finish();
        target.model.clone_from(&model);
        let texel: Vec<u8> = color.iter().flat_map(|word| word.to_ne_bytes()).collect();
        target.set(zero, four, &texel.repeat(4));
        target.set(one, four, &source.part(zero, four));
        target.set(far, four, &bytes);
        target.check(&setup, "command buffer");
        assert_eq!(setup.read(to), bytes);
    }
    assert_eq!(extension!(clReleaseCommandBufferKHR(buffer)), cl::CL_SUCCESS);
    release(from);
    release(to);
}

#[test]
fn a_recorded_launch_keeps_its_image_and_sampler() {
    let setup = Setup::new();
    let source = "kernel void look(read_only image1d_t from, sampler_t how, global float *out) {
        int at = get_global_id(0);
        out[at] += read_imagef(from, how, at + 0.5f).x;
    }";
    let built = Built::new(&setup, source, "look", "");
    let texels: Vec<u8> = [1.0f32, 2.0, 3.0, 4.0].into_iter().flat_map(f32::to_ne_bytes).collect();
    let (shape, float) = (desc(cl::CL_MEM_OBJECT_IMAGE1D, [4, 1, 1]), format((cl::CL_R, cl::CL_FLOAT, 4)));
    let copy = cl::CL_MEM_COPY_HOST_PTR;
    let image = create!(clCreateImage(setup.context, copy, &float, &shape, at(&texels[0])));
    let how = sampler(&setup, cl::CL_FALSE, cl::CL_ADDRESS_CLAMP_TO_EDGE, cl::CL_FILTER_LINEAR);
    let out = setup.filled(&[0; 20]);
    assert_eq!([built.set(0, &image), built.set(1, &how), built.set(2, &out)], [cl::CL_SUCCESS; 3]);
    let mut code = 1;
    let buffer = extension!(clCreateCommandBufferKHR(1, &setup.queue, null(), &mut code));
    assert_eq!(code, cl::CL_SUCCESS);
    let items = 5usize;
    let recorded = extension!(clCommandNDRangeKernelKHR(
        buffer,
        null_mut(),
        null(),
        built.kernel,
        1,
        null(),
        &items,
        null(),
        0,
        null(),
        null_mut(),
        null_mut()
    ));
    assert_eq!([recorded, extension!(clFinalizeCommandBufferKHR(buffer))], [cl::CL_SUCCESS; 2]);
    release(image);
    ok!(clReleaseSampler(how));
    // Other memory takes the place of what is gone, if it is.
    let others: Vec<cl::cl_mem> = (0..8).map(|_| setup.filled(&[0xFF; 16])).collect();
    for turn in 1..=2u8 {
        let done = extension!(clEnqueueCommandBufferKHR(0, null_mut(), buffer, 0, null(), null_mut()));
        assert_eq!(done, cl::CL_SUCCESS);
        setup.finish();
        let wanted = [1.0f32, 2.0, 3.0, 4.0, 4.0].map(|texel| texel * f32::from(turn));
        assert_eq!(setup.read(out), wanted.map(f32::to_ne_bytes).concat(), "turn {turn}");
    }
    assert_eq!(extension!(clReleaseCommandBufferKHR(buffer)), cl::CL_SUCCESS);
    for memory in others {
        release(memory);
    }
    release(out);
}

#[test]
fn errors_of_recording_image_commands() {
    let setup = Setup::new();
    let mut random = Random::new(62);
    let picture = Picture::new(&setup, &mut random, cl::CL_MEM_OBJECT_IMAGE2D, [4, 4, 1], TEXELS[2]);
    let plain = setup.buffer(0, 64);
    let mut code = 1;
    let buffer = extension!(clCreateCommandBufferKHR(1, &setup.queue, null(), &mut code));
    assert_eq!(code, cl::CL_SUCCESS);
    let (origin, region, color) = ([0usize; 3], [4usize, 4, 1], [0f32; 4]);
    let (at, size, wide) = (origin.as_ptr(), region.as_ptr(), [5usize, 4, 1]);
    let color = color.as_ptr().cast();
    let fill = |image, color, region: *const usize| {
        extension!(clCommandFillImageKHR(
            buffer,
            null_mut(),
            null(),
            image,
            color,
            at,
            region,
            0,
            null(),
            null_mut(),
            null_mut()
        ))
    };
    let copy = |from, to| {
        extension!(clCommandCopyImageKHR(
            buffer,
            null_mut(),
            null(),
            from,
            to,
            at,
            at,
            size,
            0,
            null(),
            null_mut(),
            null_mut()
        ))
    };
    let to_buffer = |image, to, offset| {
        extension!(clCommandCopyImageToBufferKHR(
            buffer,
            null_mut(),
            null(),
            image,
            to,
            at,
            size,
            offset,
            0,
            null(),
            null_mut(),
            null_mut()
        ))
    };
    let from_buffer = |from, image| {
        extension!(clCommandCopyBufferToImageKHR(
            buffer,
            null_mut(),
            null(),
            from,
            image,
            0,
            at,
            size,
            0,
            null(),
            null_mut(),
            null_mut()
        ))
    };
    table! {
        "fill a buffer" => CL_INVALID_MEM_OBJECT, fill(plain, color, size);
        "fill with nothing" => CL_INVALID_VALUE, fill(picture.image, null(), size);
        "fill too much" => CL_INVALID_VALUE, fill(picture.image, color, wide.as_ptr());
        "copy onto itself" => CL_MEM_COPY_OVERLAP, copy(picture.image, picture.image);
        "copy a buffer" => CL_INVALID_MEM_OBJECT, copy(plain, picture.image);
        "copy to an image as buffer" => CL_INVALID_MEM_OBJECT, to_buffer(picture.image, picture.image, 0);
        "copy beyond the buffer" => CL_INVALID_VALUE, to_buffer(picture.image, plain, 1);
        "copy from an image as buffer" => CL_INVALID_MEM_OBJECT, from_buffer(picture.image, picture.image);
    }
    assert_eq!(extension!(clFinalizeCommandBufferKHR(buffer)), cl::CL_SUCCESS);
    assert_eq!(fill(picture.image, color, size), cl::CL_INVALID_OPERATION, "after the end");
    assert_eq!(extension!(clReleaseCommandBufferKHR(buffer)), cl::CL_SUCCESS);
    release(plain);
}
