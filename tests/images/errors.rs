//! Error codes of creating images and of the commands on them.

use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::picture::{Picture, TEXELS, desc, format};
use crate::support::{Random, Setup, at, call, code_of, create, ok, release, table};

#[test]
fn errors_of_creating_an_image() {
    let setup = Setup::new();
    let context = setup.context;
    let bytes = [0u8; 256];
    let host = at(&bytes);
    let form = format(TEXELS[2]);
    let flat = desc(cl::CL_MEM_OBJECT_IMAGE2D, [4, 4, 1]);
    let deep = desc(cl::CL_MEM_OBJECT_IMAGE3D, [4, 4, 2]);
    let most: usize = setup.device_number(cl::CL_DEVICE_IMAGE2D_MAX_WIDTH);
    let image = |flags, desc: cl::cl_image_desc, host| code_of!(clCreateImage(context, flags, &form, &desc, host));
    let with = |change: &dyn Fn(&mut cl::cl_image_desc)| {
        let mut desc = flat;
        change(&mut desc);
        desc
    };
    let (copy, none) = (cl::CL_MEM_COPY_HOST_PTR, null_mut());
    let list: [cl::cl_mem_properties; 3] = [0x7777, 1, 0];
    table! {
        "no context" => CL_INVALID_CONTEXT, code_of!(clCreateImage(null_mut(), 0, &form, &flat, none));
        "queue as context" => CL_INVALID_CONTEXT, code_of!(clCreateImage(setup.queue.cast(), 0, &form, &flat, none));
        "no description" => CL_INVALID_IMAGE_DESCRIPTOR, code_of!(clCreateImage(context, 0, &form, null(), none));
        "property" => CL_INVALID_PROPERTY,
            code_of!(clCreateImageWithProperties(context, list.as_ptr(), 0, &form, &flat, none));
        "flags that exclude each other" => CL_INVALID_VALUE,
            image(cl::CL_MEM_READ_ONLY | cl::CL_MEM_WRITE_ONLY, flat, none);
        "flag that is only for questions" => CL_INVALID_VALUE, image(cl::CL_MEM_KERNEL_READ_AND_WRITE, flat, none);
        "type that is none" => CL_INVALID_IMAGE_DESCRIPTOR,
            image(0, with(&|desc| desc.image_type = cl::CL_MEM_OBJECT_BUFFER), none);
        "samples" => CL_INVALID_IMAGE_DESCRIPTOR, image(0, with(&|desc| desc.num_samples = 2), none);
        "pitch without memory" => CL_INVALID_IMAGE_DESCRIPTOR,
            image(0, with(&|desc| desc.image_row_pitch = 16), none);
        "pitch less than a row" => CL_INVALID_IMAGE_DESCRIPTOR,
            image(copy, with(&|desc| desc.image_row_pitch = 12), host);
        "pitch of half a texel" => CL_INVALID_IMAGE_DESCRIPTOR,
            image(copy, with(&|desc| desc.image_row_pitch = 18), host);
        "slice pitch less than a slice" => CL_INVALID_IMAGE_DESCRIPTOR,
            image(copy, cl::cl_image_desc { image_slice_pitch: 48, ..deep }, host);
        "slice pitch of no whole rows" => CL_INVALID_IMAGE_DESCRIPTOR,
            image(copy, cl::cl_image_desc { image_slice_pitch: 72, ..deep }, host);
        "pitch that no address space has" => CL_INVALID_IMAGE_DESCRIPTOR,
            image(copy, with(&|desc| desc.image_row_pitch = usize::MAX - 3), host);
        "no memory object" => CL_INVALID_IMAGE_DESCRIPTOR,
            image(0, with(&|desc| desc.mem_object = setup.queue.cast()), none);
        "buffer image without buffer" => CL_INVALID_IMAGE_DESCRIPTOR,
            image(0, desc(cl::CL_MEM_OBJECT_IMAGE1D_BUFFER, [4, 1, 1]), none);
        "no width" => CL_INVALID_IMAGE_SIZE, image(0, with(&|desc| desc.image_width = 0), none);
        "too wide" => CL_INVALID_IMAGE_SIZE, image(0, with(&|desc| desc.image_width = most + 1), none);
        "width that no address space has" => CL_INVALID_IMAGE_SIZE,
            image(0, with(&|desc| desc.image_width = usize::MAX), none);
        "no depth" => CL_INVALID_IMAGE_SIZE, image(0, cl::cl_image_desc { image_depth: 0, ..deep }, none);
        "copy without pointer" => CL_INVALID_HOST_PTR, image(copy, flat, none);
        "use without pointer" => CL_INVALID_HOST_PTR, image(cl::CL_MEM_USE_HOST_PTR, flat, none);
        "pointer without flag" => CL_INVALID_HOST_PTR, image(0, flat, host);
        "old, no width" => CL_INVALID_IMAGE_SIZE, code_of!(clCreateImage2D(context, 0, &form, 0, 4, 0, none));
        "old, pitch without memory" => CL_INVALID_IMAGE_SIZE,
            code_of!(clCreateImage2D(context, 0, &form, 4, 4, 16, none));
        "old, no depth" => CL_INVALID_IMAGE_SIZE,
            code_of!(clCreateImage3D(context, 0, &form, 4, 4, 0, 0, 0, none));
    }
}

#[test]
fn errors_of_images_of_memory_objects() {
    let setup = Setup::new();
    let other = Setup::new();
    let mut random = Random::new(41);
    let context = setup.context;
    let buffer = setup.buffer(cl::CL_MEM_READ_ONLY | cl::CL_MEM_HOST_READ_ONLY, 64);
    let foreign = other.buffer(0, 64);
    let picture = Picture::new(&setup, &mut random, cl::CL_MEM_OBJECT_IMAGE2D, [4, 4, 1], TEXELS[2]);
    let elsewhere = Picture::new(&other, &mut random, cl::CL_MEM_OBJECT_IMAGE2D, [4, 4, 1], TEXELS[2]);
    let volume = Picture::new(&setup, &mut random, cl::CL_MEM_OBJECT_IMAGE3D, [4, 4, 2], TEXELS[2]);
    let misaligned = [0u64; 16];
    let host = std::ptr::from_ref(&misaligned).cast::<u8>().wrapping_add(2).cast_mut().cast();
    let crooked = create!(clCreateBuffer(context, cl::CL_MEM_USE_HOST_PTR, 100, host));
    let of = |parent: cl::cl_mem, image_type, sides, row_pitch, flags, texel| {
        let desc = cl::cl_image_desc { mem_object: parent, image_row_pitch: row_pitch, ..desc(image_type, sides) };
        code_of!(clCreateImage(context, flags, &format(texel), &desc, null_mut()))
    };
    let (row, flat) = (cl::CL_MEM_OBJECT_IMAGE1D_BUFFER, cl::CL_MEM_OBJECT_IMAGE2D);
    let (rgba, view) = (TEXELS[2], (cl::CL_sBGRA, cl::CL_UNORM_INT8, 4));
    let bytes = [0u8; 64];
    let hosted = cl::cl_image_desc { mem_object: buffer, ..desc(flat, [4, 4, 1]) };
    table! {
        "fits" => CL_SUCCESS, of(buffer, row, [16, 1, 1], 0, 0, rgba);
        "buffer too small" => CL_INVALID_IMAGE_SIZE, of(buffer, row, [17, 1, 1], 0, 0, rgba);
        "row at a pitch beyond the buffer" => CL_SUCCESS, of(buffer, row, [16, 1, 1], 128, 0, rgba);
        "plain row at a pitch beyond the buffer" => CL_SUCCESS,
            of(buffer, cl::CL_MEM_OBJECT_IMAGE1D, [16, 1, 1], 128, 0, rgba);
        "array of a row at a pitch beyond the buffer" => CL_INVALID_IMAGE_SIZE,
            of(buffer, cl::CL_MEM_OBJECT_IMAGE1D_ARRAY, [16, 1, 1], 128, 0, rgba);
        "flat, fits" => CL_SUCCESS, of(buffer, flat, [4, 4, 1], 0, 0, rgba);
        "flat, buffer too small" => CL_INVALID_IMAGE_SIZE, of(buffer, flat, [4, 4, 1], 20, 0, rgba);
        "row of bytes of a buffer that is not aligned" => CL_SUCCESS, of(crooked, row, [4, 1, 1], 0, 0, TEXELS[0]);
        "row of a buffer that is not aligned" => CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
            of(crooked, row, [4, 1, 1], 0, 0, rgba);
        "buffer not aligned" => CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, of(crooked, flat, [4, 4, 1], 0, 0, rgba);
        "pitch of half a texel" => CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, of(buffer, flat, [2, 2, 1], 10, 0, rgba);
        "pitch of less than a row" => CL_INVALID_IMAGE_DESCRIPTOR, of(buffer, flat, [4, 2, 1], 12, 0, rgba);
        "volume" => CL_SUCCESS, of(buffer, cl::CL_MEM_OBJECT_IMAGE3D, [2, 2, 4], 0, 0, rgba);
        "volume, buffer too small" => CL_INVALID_IMAGE_SIZE,
            of(buffer, cl::CL_MEM_OBJECT_IMAGE3D, [2, 2, 5], 0, 0, rgba);
        "buffer of another context" => CL_INVALID_CONTEXT, of(foreign, flat, [4, 4, 1], 0, 0, rgba);
        "view of another context" => CL_INVALID_CONTEXT, of(elsewhere.image, flat, [4, 4, 1], 0, 0, view);
        "more than the buffer allows" => CL_INVALID_VALUE,
            of(buffer, flat, [4, 4, 1], 0, cl::CL_MEM_READ_WRITE, rgba);
        "more than the buffer allows the host" => CL_INVALID_VALUE,
            of(buffer, flat, [4, 4, 1], 0, cl::CL_MEM_HOST_WRITE_ONLY, rgba);
        "flag of a host pointer" => CL_INVALID_VALUE,
            of(buffer, flat, [4, 4, 1], 0, cl::CL_MEM_ALLOC_HOST_PTR, rgba);
        "host pointer" => CL_INVALID_HOST_PTR,
            code_of!(clCreateImage(context, 0, &format(rgba), &hosted, at(&bytes)));
        "view" => CL_SUCCESS, of(picture.image, flat, [4, 4, 1], 0, 0, view);
        "view with the pitch of the image" => CL_SUCCESS, of(picture.image, flat, [4, 4, 1], 16, 0, view);
        "view in an order that is not related" => CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
            of(picture.image, flat, [4, 4, 1], 0, 0, (cl::CL_RGBA, cl::CL_UNORM_INT8, 4));
        "view in another type" => CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
            of(picture.image, flat, [4, 4, 1], 0, 0, (cl::CL_BGRA, cl::CL_SIGNED_INT8, 4));
        "view of another shape" => CL_INVALID_IMAGE_DESCRIPTOR, of(picture.image, flat, [4, 3, 1], 0, 0, view);
        "view of another pitch" => CL_INVALID_IMAGE_DESCRIPTOR, of(picture.image, flat, [4, 4, 1], 20, 0, view);
        "view of a volume" => CL_INVALID_IMAGE_DESCRIPTOR, of(volume.image, flat, [4, 4, 1], 0, 0, view);
        "row of an image" => CL_INVALID_IMAGE_DESCRIPTOR, of(picture.image, row, [4, 1, 1], 0, 0, view);
    }
    for buffer in [buffer, foreign, crooked] {
        release(buffer);
    }
}

/// What every command on images has in common.
#[test]
fn errors_that_all_image_commands_share() {
    let setup = Setup::new();
    let other = Setup::new();
    let mut random = Random::new(42);
    let make =
        |setup, random: &mut Random| Picture::new(setup, random, cl::CL_MEM_OBJECT_IMAGE2D_ARRAY, [4, 4, 2], TEXELS[2]);
    let (picture, target, foreign) = (make(&setup, &mut random), make(&setup, &mut random), make(&other, &mut random));
    let buffer = setup.buffer(0, 4096);
    let foreign_event = create!(clCreateUserEvent(other.context));
    let mut memory = [0u8; 4096];
    let host = memory.as_mut_ptr().cast();
    let zero = [0usize; 3];
    let (mut row, mut slice) = (0usize, 0usize);
    let (row, slice) = (&raw mut row, &raw mut slice);
    let (none, event) = (null(), null_mut());
    let (queue, image) = (setup.queue, picture.image);
    type Command<'a> = &'a dyn Fn(
        cl::cl_command_queue,
        cl::cl_mem,
        *const usize,
        *const usize,
        u32,
        *const cl::cl_event,
    ) -> cl::cl_int;
    let read: Command<'_> = &|queue, image, at, size, count, list| {
        call!(clEnqueueReadImage(queue, image, cl::CL_TRUE, at, size, 0, 0, host, count, list, event))
    };
    let write: Command<'_> = &|queue, image, at, size, count, list| {
        call!(clEnqueueWriteImage(queue, image, cl::CL_TRUE, at, size, 0, 0, host, count, list, event))
    };
    let fill: Command<'_> = &|queue, image, at, size, count, list| {
        call!(clEnqueueFillImage(queue, image, host, at, size, count, list, event))
    };
    let copy_from: Command<'_> = &|queue, image, at, size, count, list| {
        call!(clEnqueueCopyImage(queue, image, target.image, at, at, size, count, list, event))
    };
    let copy_to: Command<'_> = &|queue, image, at, size, count, list| {
        call!(clEnqueueCopyImage(queue, target.image, image, at, at, size, count, list, event))
    };
    let to_buffer: Command<'_> = &|queue, image, at, size, count, list| {
        call!(clEnqueueCopyImageToBuffer(queue, image, buffer, at, size, 0, count, list, event))
    };
    let from_buffer: Command<'_> = &|queue, image, at, size, count, list| {
        call!(clEnqueueCopyBufferToImage(queue, buffer, image, 0, at, size, count, list, event))
    };
    let map: Command<'_> = &|queue, image, at, size, count, list| {
        let flags = cl::CL_MAP_READ;
        let mut code = 1;
        call!(clEnqueueMapImage(queue, image, cl::CL_TRUE, flags, at, size, row, slice, count, list, event, &mut code));
        code
    };
    for (name, command) in [
        ("read", read),
        ("write", write),
        ("fill", fill),
        ("copy from", copy_from),
        ("copy to", copy_to),
        ("copy to buffer", to_buffer),
        ("copy from buffer", from_buffer),
        ("map", map),
    ] {
        let region = |size: [usize; 3]| command(queue, image, zero.as_ptr(), size.as_ptr(), 0, none);
        let origin = |at: [usize; 3]| command(queue, image, at.as_ptr(), [1usize; 3].as_ptr(), 0, none);
        let (at, size) = (zero.as_ptr(), [1usize; 3]);
        let size = size.as_ptr();
        for (what, expected, code) in [
            ("good", cl::CL_SUCCESS, region([4, 4, 2])),
            ("no queue", cl::CL_INVALID_COMMAND_QUEUE, command(null_mut(), image, at, size, 0, none)),
            ("context as queue", cl::CL_INVALID_COMMAND_QUEUE, command(setup.context.cast(), image, at, size, 0, none)),
            ("no image", cl::CL_INVALID_MEM_OBJECT, command(queue, null_mut(), at, size, 0, none)),
            ("a buffer", cl::CL_INVALID_MEM_OBJECT, command(queue, buffer, at, size, 0, none)),
            ("queue as image", cl::CL_INVALID_MEM_OBJECT, command(queue, queue.cast(), at, size, 0, none)),
            ("another context", cl::CL_INVALID_CONTEXT, command(queue, foreign.image, at, size, 0, none)),
            ("no origin", cl::CL_INVALID_VALUE, command(queue, image, null(), size, 0, none)),
            ("no region", cl::CL_INVALID_VALUE, command(queue, image, at, null(), 0, none)),
            ("empty region", cl::CL_INVALID_VALUE, region([4, 0, 2])),
            ("wide region", cl::CL_INVALID_VALUE, region([5, 4, 2])),
            ("deep region", cl::CL_INVALID_VALUE, region([4, 4, 3])),
            ("far origin", cl::CL_INVALID_VALUE, origin([0, 4, 0])),
            ("origin that does not fit", cl::CL_INVALID_VALUE, origin([usize::MAX, 0, 0])),
            ("list without events", cl::CL_INVALID_EVENT_WAIT_LIST, command(queue, image, at, size, 1, none)),
            (
                "event of another context",
                cl::CL_INVALID_CONTEXT,
                command(queue, image, at, size, 1, &raw const foreign_event),
            ),
        ] {
            assert_eq!(code, expected, "{name}: {what}");
        }
    }
    ok!(clReleaseEvent(foreign_event));
    setup.finish();
    release(buffer);
}

#[test]
fn errors_of_single_image_commands() {
    let setup = Setup::new();
    let mut random = Random::new(43);
    let (queue, none, event) = (setup.queue, null(), null_mut());
    let flat = Picture::new(&setup, &mut random, cl::CL_MEM_OBJECT_IMAGE2D, [4, 4, 1], TEXELS[2]);
    let gray = Picture::new(&setup, &mut random, cl::CL_MEM_OBJECT_IMAGE2D, [4, 4, 1], TEXELS[0]);
    let made = |flags| {
        let desc = desc(cl::CL_MEM_OBJECT_IMAGE2D, [4, 4, 1]);
        create!(clCreateImage(setup.context, flags, &format(TEXELS[2]), &desc, null_mut()))
    };
    let (only_read, only_written, hidden) =
        (made(cl::CL_MEM_HOST_READ_ONLY), made(cl::CL_MEM_HOST_WRITE_ONLY), made(cl::CL_MEM_HOST_NO_ACCESS));
    let mut memory = [0u8; 256];
    let host = memory.as_mut_ptr().cast();
    let (at, size) = ([0usize; 3], [4usize, 4, 1]);
    let (at, size) = (at.as_ptr(), size.as_ptr());
    let buffer = setup.buffer(0, 64);
    let row = cl::cl_image_desc { mem_object: buffer, ..desc(cl::CL_MEM_OBJECT_IMAGE1D_BUFFER, [16, 1, 1]) };
    let row = create!(clCreateImage(setup.context, 0, &format(TEXELS[2]), &row, null_mut()));
    let one = [1usize; 3];
    let one = one.as_ptr();
    let read = |image, row, slice, host| {
        call!(clEnqueueReadImage(queue, image, cl::CL_TRUE, at, size, row, slice, host, 0, none, event))
    };
    let write =
        |image, host| call!(clEnqueueWriteImage(queue, image, cl::CL_TRUE, at, size, 0, 0, host, 0, none, event));
    let to_buffer =
        |offset| call!(clEnqueueCopyImageToBuffer(queue, flat.image, buffer, at, size, offset, 0, none, event));
    table! {
        "read to nothing" => CL_INVALID_VALUE, read(flat.image, 0, 0, null_mut());
        "read at a short pitch" => CL_INVALID_VALUE, read(flat.image, 15, 0, host);
        "slice pitch without slices" => CL_INVALID_VALUE, read(flat.image, 16, 64, host);
        "read what is only written" => CL_INVALID_OPERATION, read(only_written, 0, 0, host);
        "read what is hidden" => CL_INVALID_OPERATION, read(hidden, 0, 0, host);
        "read what is only read" => CL_SUCCESS, read(only_read, 0, 0, host);
        "write from nothing" => CL_INVALID_VALUE, write(flat.image, null());
        "write what is only read" => CL_INVALID_OPERATION, write(only_read, host.cast_const());
        "write what is hidden" => CL_INVALID_OPERATION, write(hidden, host.cast_const());
        "fill with nothing" => CL_INVALID_VALUE,
            call!(clEnqueueFillImage(queue, flat.image, null(), at, size, 0, none, event));
        "fill what is hidden" => CL_SUCCESS,
            call!(clEnqueueFillImage(queue, hidden, host, at, size, 0, none, event));
        "copy to another format" => CL_IMAGE_FORMAT_MISMATCH,
            call!(clEnqueueCopyImage(queue, flat.image, gray.image, at, at, size, 0, none, event));
        "copy from no origin" => CL_INVALID_VALUE,
            call!(clEnqueueCopyImage(queue, flat.image, hidden, null(), at, size, 0, none, event));
        "copy to no origin" => CL_INVALID_VALUE,
            call!(clEnqueueCopyImage(queue, flat.image, hidden, at, null(), size, 0, none, event));
        "buffer just large enough" => CL_SUCCESS, to_buffer(0);
        "buffer too small" => CL_INVALID_VALUE, to_buffer(1);
        "offset that does not fit" => CL_INVALID_VALUE, to_buffer(usize::MAX);
        "image of the buffer to the buffer" => CL_INVALID_MEM_OBJECT,
            call!(clEnqueueCopyImageToBuffer(queue, row, buffer, at, one, 0, 0, none, event));
        "image instead of the buffer" => CL_INVALID_MEM_OBJECT,
            call!(clEnqueueCopyImageToBuffer(queue, flat.image, row, at, one, 0, 0, none, event));
        "buffer from the image of it" => CL_INVALID_MEM_OBJECT,
            call!(clEnqueueCopyBufferToImage(queue, buffer, row, 0, at, one, 0, none, event));
        "image as a buffer" => CL_INVALID_MEM_OBJECT,
            call!(clEnqueueReadBuffer(queue, row, cl::CL_TRUE, 0, 4, host, 0, none, event));
        "image as the pattern's buffer" => CL_INVALID_MEM_OBJECT,
            call!(clEnqueueFillBuffer(queue, row, host, 4, 0, 4, 0, none, event));
    }
    setup.finish();
    for memory in [row, buffer, only_read, only_written, hidden] {
        release(memory);
    }
}
