//! Mapped images: addresses, pitches, counts, and which mappings exclude each other.

use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::picture::{Picture, TEXELS, TYPES, desc, format};
use crate::support::{Random, Setup, at, call, create, mem_info, ok, release, table};

struct Mapped {
    pointer: *mut u8,
    row: usize,
    slice: usize,
}

fn map(setup: &Setup, image: cl::cl_mem, flags: u64, origin: [usize; 3], region: [usize; 3]) -> Result<Mapped, i32> {
    let (mut row, mut slice, mut code) = (1, 1, 1);
    let (place, sides) = (origin.as_ptr(), region.as_ptr());
    let (blocking, event) = (cl::CL_TRUE, null_mut());
    let (rows, slices) = (&raw mut row, &raw mut slice);
    let pointer = call!(clEnqueueMapImage(
        setup.queue,
        image,
        blocking,
        flags,
        place,
        sides,
        rows,
        slices,
        0,
        null(),
        event,
        &mut code
    ));
    if code == cl::CL_SUCCESS { Ok(Mapped { pointer: pointer.cast(), row, slice }) } else { Err(code) }
}

fn unmap(setup: &Setup, image: cl::cl_mem, pointer: *mut u8) -> cl::cl_int {
    call!(clEnqueueUnmapMemObject(setup.queue, image, pointer.cast(), 0, null(), null_mut()))
}

#[test]
fn what_is_written_through_a_mapping_is_in_the_image() {
    let setup = Setup::new();
    let mut random = Random::new(51);
    for image_type in TYPES {
        for texel in TEXELS {
            let mut picture = Picture::new(&setup, &mut random, image_type, [7, 5, 3], texel);
            let (origin, region) = picture.region(&mut random);
            let flags = cl::CL_MAP_READ | cl::CL_MAP_WRITE;
            let mapped = map(&setup, picture.image, flags, origin, region).expect("maps");
            let has_slices = !matches!(image_type, cl::CL_MEM_OBJECT_IMAGE1D | cl::CL_MEM_OBJECT_IMAGE2D);
            assert_eq!(mapped.slice == 0, !has_slices, "{image_type:#x}");
            let before = picture.part(origin, region);
            let bytes = random.bytes(before.len());
            let width = region[0] * texel.2;
            for row in 0..region[1] * region[2] {
                let (y, z) = (row % region[1], row / region[1]);
                let array = image_type == cl::CL_MEM_OBJECT_IMAGE1D_ARRAY;
                let start = if array { y * mapped.slice } else { z * mapped.slice + y * mapped.row };
                for x in 0..width {
                    // SAFETY: inside the region that is mapped.
                    let place = unsafe { &mut *mapped.pointer.add(start + x) };
                    assert_eq!(*place, before[row * width + x]);
                    *place = bytes[row * width + x];
                }
            }
            assert_eq!(mem_info::<u32>(picture.image, cl::CL_MEM_MAP_COUNT), 1);
            assert_eq!(unmap(&setup, picture.image, mapped.pointer), cl::CL_SUCCESS);
            assert_eq!(mem_info::<u32>(picture.image, cl::CL_MEM_MAP_COUNT), 0);
            picture.set(origin, region, &bytes);
            picture.check(&setup, "mapping");
        }
    }
}

#[test]
fn an_image_of_the_applications_memory_is_mapped_where_it_lies() {
    let setup = Setup::new();
    let host = [5u8; 400];
    let mut shape = desc(cl::CL_MEM_OBJECT_IMAGE2D, [6, 5, 1]);
    shape.image_row_pitch = 64;
    let flags = cl::CL_MEM_USE_HOST_PTR;
    let image = create!(clCreateImage(setup.context, flags, &format(TEXELS[2]), &shape, at(&host)));
    let mapped = map(&setup, image, cl::CL_MAP_READ, [2, 3, 0], [1, 1, 1]).expect("maps");
    assert_eq!(mapped.pointer.addr(), host.as_ptr().addr() + 3 * 64 + 2 * 4);
    assert_eq!((mapped.row, mapped.slice), (64, 0));
    assert_eq!(unmap(&setup, image, mapped.pointer), cl::CL_SUCCESS);
    release(image);
}

#[test]
fn parts_that_overlap_are_mapped_for_writing_once() {
    let setup = Setup::new();
    let mut random = Random::new(52);
    let picture = Picture::new(&setup, &mut random, cl::CL_MEM_OBJECT_IMAGE2D, [8, 8, 1], TEXELS[2]);
    let image = picture.image;
    let write = |origin, region| map(&setup, image, cl::CL_MAP_WRITE, origin, region).map(|mapped| mapped.pointer);
    let left = write([0, 0, 0], [4, 8, 1]).expect("maps");
    // Side by side, though the bytes of one lie between those of the other.
    let right = write([4, 0, 0], [4, 8, 1]).expect("maps beside it");
    assert_eq!(write([3, 2, 0], [2, 1, 1]), Err(cl::CL_INVALID_OPERATION));
    let read = map(&setup, image, cl::CL_MAP_READ, [3, 2, 0], [2, 1, 1]).expect("reads").pointer;
    assert_eq!(mem_info::<u32>(image, cl::CL_MEM_MAP_COUNT), 3);
    for pointer in [left, right, read] {
        assert_eq!(unmap(&setup, image, pointer), cl::CL_SUCCESS);
    }
    assert_eq!(unmap(&setup, image, left), cl::CL_INVALID_VALUE, "twice");
    let again = write([3, 2, 0], [2, 1, 1]).expect("maps again");
    assert_eq!(unmap(&setup, image, again), cl::CL_SUCCESS);
}

#[test]
fn errors_of_mapping_an_image() {
    let setup = Setup::new();
    let mut random = Random::new(53);
    let flat = Picture::new(&setup, &mut random, cl::CL_MEM_OBJECT_IMAGE2D, [8, 8, 1], TEXELS[2]);
    let deep = Picture::new(&setup, &mut random, cl::CL_MEM_OBJECT_IMAGE3D, [8, 8, 2], TEXELS[2]);
    let shape = desc(cl::CL_MEM_OBJECT_IMAGE2D, [8, 8, 1]);
    let flags = cl::CL_MEM_HOST_READ_ONLY;
    let only_read = create!(clCreateImage(setup.context, flags, &format(TEXELS[2]), &shape, null_mut()));
    let (origin, region) = ([0usize; 3], [1usize; 3]);
    let (place, sides) = (origin.as_ptr(), region.as_ptr());
    let mut pitch = 0usize;
    let pitch = &raw mut pitch;
    let ask = |image, flags, row, slice| {
        let mut code = 1;
        let (queue, event) = (setup.queue, null_mut());
        let pointer = call!(clEnqueueMapImage(
            queue,
            image,
            cl::CL_TRUE,
            flags,
            place,
            sides,
            row,
            slice,
            0,
            null(),
            event,
            &mut code
        ));
        if code == cl::CL_SUCCESS {
            assert_eq!(unmap(&setup, image, pointer.cast()), cl::CL_SUCCESS);
        }
        code
    };
    let read = cl::CL_MAP_READ;
    table! {
        "no place for the row pitch" => CL_INVALID_VALUE, ask(flat.image, read, null_mut(), pitch);
        "no place for a slice pitch that there is not" => CL_SUCCESS, ask(flat.image, read, pitch, null_mut());
        "no place for the slice pitch" => CL_INVALID_VALUE, ask(deep.image, read, pitch, null_mut());
        "unknown flag" => CL_INVALID_VALUE, ask(flat.image, 1 << 20, pitch, pitch);
        "read and invalidate" => CL_INVALID_VALUE,
            ask(flat.image, read | cl::CL_MAP_WRITE_INVALIDATE_REGION, pitch, pitch);
        "write what is only read" => CL_INVALID_OPERATION, ask(only_read, cl::CL_MAP_WRITE, pitch, pitch);
        "write what is only read, nowhere" => CL_INVALID_OPERATION,
            ask(only_read, cl::CL_MAP_WRITE, null_mut(), null_mut());
        "read what is only read" => CL_SUCCESS, ask(only_read, read, pitch, pitch);
    }
    ok!(clFinish(setup.queue));
    release(only_read);
}
