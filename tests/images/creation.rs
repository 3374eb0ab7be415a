//! Creation and queries: shapes, pitches, host pointers, images that are buffers or show other images.

use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::picture::{Picture, TEXELS, TYPES, cut, desc, format};
use crate::support::{Random, Setup, at, call, create, mem_address, mem_info, ok, release};

fn info<T: Default>(image: cl::cl_mem, name: cl::cl_image_info) -> T {
    let mut value = T::default();
    let mut size = 0;
    ok!(clGetImageInfo(image, name, size_of::<T>(), (&raw mut value).cast(), &mut size));
    assert_eq!(size, size_of::<T>(), "{name:#x}");
    value
}

/// Width, height, depth, array size, row pitch, slice pitch.
fn shape(image: cl::cl_mem) -> [usize; 6] {
    [
        cl::CL_IMAGE_WIDTH,
        cl::CL_IMAGE_HEIGHT,
        cl::CL_IMAGE_DEPTH,
        cl::CL_IMAGE_ARRAY_SIZE,
        cl::CL_IMAGE_ROW_PITCH,
        cl::CL_IMAGE_SLICE_PITCH,
    ]
    .map(|name| info(image, name))
}

fn texels(setup: &Setup, image: cl::cl_mem, sides: [usize; 3], texel: usize) -> Vec<u8> {
    let mut bytes = vec![0xEE; sides.iter().product::<usize>() * texel];
    let (origin, host) = ([0usize; 3], bytes.as_mut_ptr().cast());
    let (at, sides) = (origin.as_ptr(), sides.as_ptr());
    ok!(clEnqueueReadImage(setup.queue, image, cl::CL_TRUE, at, sides, 0, 0, host, 0, null(), null_mut()));
    bytes
}

#[test]
fn an_image_answers_with_its_own_sides_and_zero_for_those_it_has_not() {
    let setup = Setup::new();
    for (image_type, expected) in [
        (cl::CL_MEM_OBJECT_IMAGE1D, [5, 0, 0, 0, 20, 0]),
        (cl::CL_MEM_OBJECT_IMAGE1D_ARRAY, [5, 0, 0, 3, 20, 20]),
        (cl::CL_MEM_OBJECT_IMAGE2D, [5, 3, 0, 0, 20, 0]),
        (cl::CL_MEM_OBJECT_IMAGE2D_ARRAY, [5, 3, 0, 2, 20, 60]),
        (cl::CL_MEM_OBJECT_IMAGE3D, [5, 3, 2, 0, 20, 60]),
    ] {
        let desc = desc(image_type, cut(image_type, [5, 3, 2]));
        let image = create!(clCreateImage(setup.context, 0, &format(TEXELS[2]), &desc, null_mut()));
        assert_eq!(shape(image), expected, "{image_type:#x}");
        assert_eq!(mem_info::<u32>(image, cl::CL_MEM_TYPE), image_type);
        assert_eq!(mem_info::<usize>(image, cl::CL_MEM_SIZE), cut(image_type, [5, 3, 2]).iter().product::<usize>() * 4);
        assert_eq!(mem_info::<u64>(image, cl::CL_MEM_FLAGS), 0);
        assert_eq!(mem_address(image, cl::CL_MEM_HOST_PTR), 0);
        assert_eq!(mem_address(image, cl::CL_MEM_ASSOCIATED_MEMOBJECT), 0);
        assert_eq!(mem_address(image, cl::CL_MEM_CONTEXT), setup.context.addr());
        assert_eq!(info::<usize>(image, cl::CL_IMAGE_ELEMENT_SIZE), 4);
        assert_eq!(info::<usize>(image, cl::CL_IMAGE_BUFFER), 0);
        assert_eq!(info::<u32>(image, cl::CL_IMAGE_NUM_MIP_LEVELS), 0);
        assert_eq!(info::<u32>(image, cl::CL_IMAGE_NUM_SAMPLES), 0);
        assert_eq!(
            call!(clGetImageInfo(image, 0, 0, null_mut(), null_mut())),
            cl::CL_INVALID_VALUE,
            "a query that does not exist"
        );
        release(image);
    }
    let buffer = setup.buffer(0, 64);
    let wrong = call!(clGetImageInfo(buffer, cl::CL_IMAGE_WIDTH, 0, null_mut(), null_mut()));
    assert_eq!(wrong, cl::CL_INVALID_MEM_OBJECT);
    release(buffer);
}

#[test]
fn texels_of_the_application_are_taken_row_by_row_at_its_pitches() {
    let setup = Setup::new();
    let mut random = Random::new(31);
    for image_type in TYPES {
        for flag in [cl::CL_MEM_COPY_HOST_PTR, cl::CL_MEM_USE_HOST_PTR] {
            let sides = cut(image_type, [6, 4, 3]);
            let mut desc = desc(image_type, sides);
            let (row, slice) = match image_type {
                cl::CL_MEM_OBJECT_IMAGE1D | cl::CL_MEM_OBJECT_IMAGE2D => (32, 0),
                cl::CL_MEM_OBJECT_IMAGE1D_ARRAY => (32, 64),
                _ => (32, 160),
            };
            (desc.image_row_pitch, desc.image_slice_pitch) = (row, slice);
            let host = random.bytes(1024);
            let image = create!(clCreateImage(setup.context, flag, &format(TEXELS[2]), &desc, at(&host[0])));
            let mut expected = Vec::new();
            for z in 0..sides[2] {
                for y in 0..sides[1] {
                    let array = image_type == cl::CL_MEM_OBJECT_IMAGE1D_ARRAY;
                    let start = if array { y * slice } else { z * slice + y * row };
                    expected.extend_from_slice(&host[start..start + 24]);
                }
            }
            assert!(texels(&setup, image, sides, 4) == expected, "{image_type:#x} {flag}");
            assert_eq!(shape(image)[4..], [row, slice], "{image_type:#x}");
            let address = if flag == cl::CL_MEM_USE_HOST_PTR { host.as_ptr().addr() } else { 0 };
            assert_eq!(mem_address(image, cl::CL_MEM_HOST_PTR), address);
            release(image);
        }
    }
}

#[test]
fn a_row_of_texels_can_be_a_buffer() {
    let setup = Setup::new();
    let mut random = Random::new(32);
    let bytes = random.bytes(400);
    let buffer = setup.filled(&bytes);
    let align = setup.device_number::<u32>(cl::CL_DEVICE_MEM_BASE_ADDR_ALIGN) as usize / 8;
    let part = setup.part(buffer, cl::CL_MEM_READ_ONLY, align, 200);
    for (parent, start, flags) in [(buffer, 0, cl::CL_MEM_COPY_HOST_PTR), (part, align, cl::CL_MEM_READ_ONLY)] {
        let mut desc = desc(cl::CL_MEM_OBJECT_IMAGE1D_BUFFER, [50, 1, 1]);
        desc.mem_object = parent;
        let image = create!(clCreateImage(setup.context, 0, &format(TEXELS[2]), &desc, null_mut()));
        assert_eq!(info::<usize>(image, cl::CL_IMAGE_BUFFER), parent.addr());
        assert_eq!(mem_address(image, cl::CL_MEM_ASSOCIATED_MEMOBJECT), parent.addr());
        assert_eq!(mem_info::<u64>(image, cl::CL_MEM_FLAGS) & flags, flags);
        assert!(texels(&setup, image, [50, 1, 1], 4) == bytes[start..start + 200]);
        // What is written to one is in the other, which lives as long.
        let (origin, region, one) = ([1usize, 0, 0], [1usize, 1, 1], [1u8, 2, 3, 4]);
        let (origin, region) = (origin.as_ptr(), region.as_ptr());
        let from = one.as_ptr().cast();
        ok!(clEnqueueWriteImage(setup.queue, image, cl::CL_TRUE, origin, region, 0, 0, from, 0, null(), null_mut()));
        assert_eq!(setup.read(buffer)[start + 4..start + 8], one);
        let mut code = 1;
        let region = cl::cl_buffer_region { origin: 0, size: 4 };
        call!(clCreateSubBuffer(image, 0, cl::CL_BUFFER_CREATE_TYPE_REGION, at(&region), &mut code));
        assert_eq!(code, cl::CL_INVALID_MEM_OBJECT, "part of an image");
        release(image);
        let restored = setup.queue;
        ok!(clEnqueueWriteBuffer(restored, buffer, cl::CL_TRUE, 0, 400, bytes.as_ptr().cast(), 0, null(), null_mut()));
    }
    release(part);
    release(buffer);
}

#[test]
pub fn a_flat_image_can_be_a_buffer_at_any_pitch_of_whole_texels() {
    let setup = Setup::new();
    let mut random = Random::new(33);
    let bytes = random.bytes(40 * 5);
    let buffer = setup.filled(&bytes);
    let mut desc = desc(cl::CL_MEM_OBJECT_IMAGE2D, [7, 5, 1]);
    (desc.image_row_pitch, desc.mem_object) = (40, buffer);
    let image = create!(clCreateImage(setup.context, 0, &format(TEXELS[2]), &desc, null_mut()));
    release(buffer);
    let expected: Vec<u8> = bytes.chunks(40).flat_map(|row| row[..28].to_vec()).collect();
    assert!(texels(&setup, image, [7, 5, 1], 4) == expected);
    assert_eq!(shape(image), [7, 5, 0, 0, 40, 0]);
    release(image);
}

#[test]
pub fn images_of_every_type_can_be_buffers() {
    let setup = Setup::new();
    let mut random = Random::new(35);
    for image_type in TYPES {
        let sides = cut(image_type, [5, 4, 3]);
        let bytes = random.bytes(24 * 4 * 3 + 8);
        let buffer = setup.filled(&bytes);
        let mut desc = desc(image_type, sides);
        (desc.image_row_pitch, desc.mem_object) = (24, buffer);
        let image = create!(clCreateImage(setup.context, 0, &format(TEXELS[2]), &desc, null_mut()));
        let rows = bytes.chunks(24).take(sides[1] * sides[2]);
        assert!(texels(&setup, image, sides, 4) == rows.flat_map(|row| row[..20].to_vec()).collect::<Vec<_>>());
        assert_eq!(mem_address(image, cl::CL_MEM_ASSOCIATED_MEMOBJECT), buffer.addr());
        release(image);
        release(buffer);
    }
}

#[test]
fn an_image_shows_another_in_a_related_order() {
    let setup = Setup::new();
    let mut random = Random::new(34);
    for (from, to, data_type) in [
        (cl::CL_RGBA, cl::CL_sRGBA, cl::CL_UNORM_INT8),
        (cl::CL_sBGRA, cl::CL_BGRA, cl::CL_UNORM_INT8),
        (cl::CL_R, cl::CL_DEPTH, cl::CL_FLOAT),
    ] {
        let mut picture = Picture::new(&setup, &mut random, cl::CL_MEM_OBJECT_IMAGE2D, [6, 4, 1], (from, data_type, 4));
        let mut desc = desc(cl::CL_MEM_OBJECT_IMAGE2D, [6, 4, 1]);
        desc.mem_object = picture.image;
        let view = create!(clCreateImage(setup.context, 0, &format((to, data_type, 4)), &desc, null_mut()));
        assert!(texels(&setup, view, [6, 4, 1], 4) == picture.model);
        assert_eq!(mem_address(view, cl::CL_MEM_ASSOCIATED_MEMOBJECT), picture.image.addr());
        assert_eq!(info::<usize>(view, cl::CL_IMAGE_BUFFER), 0);
        let one = [9u8, 8, 7, 6];
        let (origin, region) = ([2usize, 1, 0], [1usize, 1, 1]);
        let (place, sides, from) = (origin.as_ptr(), region.as_ptr(), one.as_ptr().cast());
        ok!(clEnqueueWriteImage(setup.queue, view, cl::CL_TRUE, place, sides, 0, 0, from, 0, null(), null_mut()));
        picture.set(origin, region, &one);
        picture.check(&setup, "through a view");
        release(view);
    }
}

#[test]
fn the_old_functions_make_the_same_images() {
    let setup = Setup::new();
    let (context, form) = (setup.context, format(TEXELS[2]));
    let host = [7u8; 400];
    let flat = create!(clCreateImage2D(context, cl::CL_MEM_COPY_HOST_PTR, &form, 5, 4, 24, at(&host)));
    assert_eq!(shape(flat), [5, 4, 0, 0, 24, 0]);
    assert_eq!(texels(&setup, flat, [5, 4, 1], 4), [7; 80]);
    let deep = create!(clCreateImage3D(context, 0, &form, 5, 4, 3, 0, 0, null_mut()));
    assert_eq!(shape(deep), [5, 4, 3, 0, 20, 80]);
    release(flat);
    release(deep);
}

#[test]
fn an_immutable_image_is_read_and_never_changed() {
    let setup = Setup::new();
    let host = [3u8; 64];
    let desc = desc(cl::CL_MEM_OBJECT_IMAGE2D, [4, 4, 1]);
    let flags = cl::CL_MEM_IMMUTABLE_EXT | cl::CL_MEM_COPY_HOST_PTR;
    let image = create!(clCreateImage(setup.context, flags, &format(TEXELS[2]), &desc, at(&host)));
    assert_eq!(texels(&setup, image, [4, 4, 1], 4), host);
    let (origin, region) = ([0usize; 3], [1usize; 3]);
    let (place, sides, color) = (origin.as_ptr(), region.as_ptr(), at(&host).cast_const());
    let (none, event) = (null(), null_mut());
    let queue = setup.queue;
    crate::support::table! {
        "fill" => CL_INVALID_OPERATION, call!(clEnqueueFillImage(queue, image, color, place, sides, 0, none, event));
        "write" => CL_INVALID_OPERATION,
            call!(clEnqueueWriteImage(queue, image, cl::CL_TRUE, place, sides, 0, 0, color, 0, none, event));
    }
    release(image);
}
