//! Commands on random parts of images, against models.

use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::picture::{Picture, TEXELS, TYPES, cut};
use crate::support::{Random, Setup, ok, release};

/// Pitches of the application for a region: row, slice, and bytes in all.
fn pitches(picture: &Picture, random: &mut Random, region: [usize; 3]) -> (usize, usize, usize) {
    let width = region[0] * picture.texel;
    let row = if random.below(2) == 0 { 0 } else { width + random.below(20) };
    let actual_row = row.max(width);
    let rows = picture.image_type == cl::CL_MEM_OBJECT_IMAGE1D_ARRAY;
    let has_slices = rows || picture.sides[2] > 1;
    let slice_least = if rows { actual_row } else { actual_row * region[1] };
    let slice = if has_slices && random.below(2) == 0 { slice_least + random.below(40) } else { 0 };
    let actual_slice = slice.max(slice_least);
    (row, slice, actual_slice * if rows { region[1] } else { region[2] })
}

/// Where the rows of a region begin in the application's memory.
fn host_rows(picture: &Picture, region: [usize; 3], row: usize, slice: usize) -> Vec<usize> {
    let row = row.max(region[0] * picture.texel);
    let rows = picture.image_type == cl::CL_MEM_OBJECT_IMAGE1D_ARRAY;
    let slice = slice.max(if rows { row } else { row * region[1] });
    let mut starts = Vec::new();
    for z in 0..region[2] {
        for y in 0..region[1] {
            starts.push(if rows { y * slice } else { z * slice + y * row });
        }
    }
    starts
}

fn write_and_read(setup: &Setup, random: &mut Random, picture: &mut Picture) {
    let (origin, region) = picture.region(random);
    let (row, slice, size) = pitches(picture, random, region);
    let width = region[0] * picture.texel;
    let host = random.bytes(size);
    let starts = host_rows(picture, region, row, slice);
    let bytes: Vec<u8> = starts.iter().flat_map(|start| host[*start..start + width].to_vec()).collect();
    let (at, sides) = (origin.as_ptr(), region.as_ptr());
    let (queue, image) = (setup.queue, picture.image);
    let from = host.as_ptr().cast();
    ok!(clEnqueueWriteImage(queue, image, cl::CL_TRUE, at, sides, row, slice, from, 0, null(), null_mut()));
    picture.set(origin, region, &bytes);
    picture.check(setup, "write");

    let (origin, region) = picture.region(random);
    let (row, slice, size) = pitches(picture, random, region);
    let width = region[0] * picture.texel;
    let mut host = vec![0xEE; size];
    let mut expected = host.clone();
    let part = picture.part(origin, region);
    for (start, bytes) in host_rows(picture, region, row, slice).into_iter().zip(part.chunks(width)) {
        expected[start..start + width].copy_from_slice(bytes);
    }
    let (at, sides, to) = (origin.as_ptr(), region.as_ptr(), host.as_mut_ptr().cast());
    ok!(clEnqueueReadImage(queue, image, cl::CL_FALSE, at, sides, row, slice, to, 0, null(), null_mut()));
    setup.finish();
    assert!(host == expected, "read {:#x} {origin:?} {region:?}", picture.image_type);
}

#[test]
fn reads_and_writes_move_exactly_their_texels() {
    let setup = Setup::new();
    let mut random = Random::new(11);
    for image_type in TYPES {
        for texel in TEXELS {
            for sides in [[7, 5, 4], [1, 1, 1], [300, 40, 3]] {
                let mut picture = Picture::new(&setup, &mut random, image_type, sides, texel);
                picture.check(&setup, "creation");
                for _ in 0..3 {
                    write_and_read(&setup, &mut random, &mut picture);
                }
            }
        }
    }
}

#[test]
fn copies_between_images_of_any_types_move_exactly_their_texels() {
    let setup = Setup::new();
    let mut random = Random::new(12);
    for from_type in TYPES {
        for to_type in TYPES {
            for (index, texel) in TEXELS.into_iter().enumerate() {
                let sides = if index == 2 { [200, 60, 2] } else { [9, 6, 5] };
                let source = Picture::new(&setup, &mut random, from_type, sides, texel);
                let mut target = Picture::new(&setup, &mut random, to_type, [sides[0] + 3, sides[1] + 1, 7], texel);
                let region = cut(to_type, cut(from_type, sides).map(|side| 1 + random.below(side)));
                let mut origins = [[0; 3]; 2];
                for (origin, picture) in origins.iter_mut().zip([&source, &target]) {
                    for side in 0..3 {
                        origin[side] = random.below(picture.sides[side] - region[side] + 1);
                    }
                }
                let [from, to] = origins;
                let (a, b) = (source.image, target.image);
                let (from_at, to_at, sides) = (from.as_ptr(), to.as_ptr(), region.as_ptr());
                ok!(clEnqueueCopyImage(setup.queue, a, b, from_at, to_at, sides, 0, null(), null_mut()));
                let bytes = source.part(from, region);
                target.set(to, region, &bytes);
                target.check(&setup, "copy");
            }
        }
    }
}

#[test]
fn copies_inside_an_image_move_their_texels_and_those_that_overlap_are_refused() {
    let setup = Setup::new();
    let mut random = Random::new(13);
    let mut picture = Picture::new(&setup, &mut random, cl::CL_MEM_OBJECT_IMAGE3D, [8, 6, 4], TEXELS[2]);
    let image = picture.image;
    let copy = |from: [usize; 3], to: [usize; 3], region: [usize; 3]| {
        let (from, to, region) = (from.as_ptr(), to.as_ptr(), region.as_ptr());
        crate::support::call!(clEnqueueCopyImage(setup.queue, image, image, from, to, region, 0, null(), null_mut()))
    };
    for (from, to, region) in [
        ([0, 0, 0], [4, 0, 0], [4, 6, 4]),
        ([0, 0, 0], [0, 3, 0], [8, 3, 4]),
        ([1, 1, 1], [2, 2, 2], [6, 4, 1]),
        ([7, 5, 3], [0, 0, 0], [1, 1, 1]),
    ] {
        assert_eq!(copy(from, to, region), cl::CL_SUCCESS, "{from:?} {to:?} {region:?}");
        let bytes = picture.part(from, region);
        picture.set(to, region, &bytes);
        picture.check(&setup, "copy inside");
    }
    for (from, to, region) in [
        ([0, 0, 0], [0, 0, 0], [8, 6, 4]),
        ([0, 0, 0], [3, 0, 0], [4, 6, 4]),
        ([0, 0, 0], [0, 2, 0], [8, 3, 4]),
        ([1, 1, 1], [2, 2, 2], [2, 2, 2]),
    ] {
        assert_eq!(copy(from, to, region), cl::CL_MEM_COPY_OVERLAP, "{from:?} {to:?} {region:?}");
    }
}

#[test]
fn buffers_have_the_texels_of_an_image_one_after_the_other() {
    let setup = Setup::new();
    let mut random = Random::new(14);
    for image_type in TYPES {
        for texel in TEXELS {
            let mut picture = Picture::new(&setup, &mut random, image_type, [150, 30, 5], texel);
            let (queue, image) = (setup.queue, picture.image);
            for _ in 0..3 {
                let (origin, region) = picture.region(&mut random);
                let (at, sides) = (origin.as_ptr(), region.as_ptr());
                let bytes = picture.part(origin, region);
                let offset = random.below(50);
                let mut expected = random.bytes(offset + bytes.len() + 3);
                let buffer = setup.filled(&expected);
                ok!(clEnqueueCopyImageToBuffer(queue, image, buffer, at, sides, offset, 0, null(), null_mut()));
                expected[offset..offset + bytes.len()].copy_from_slice(&bytes);
                assert!(setup.read(buffer) == expected, "{image_type:#x} {origin:?} {region:?}");
                release(buffer);

                let bytes = random.bytes(offset + bytes.len());
                let buffer = setup.filled(&bytes);
                ok!(clEnqueueCopyBufferToImage(queue, buffer, image, offset, at, sides, 0, null(), null_mut()));
                picture.set(origin, region, &bytes[offset..]);
                picture.check(&setup, "copy from buffer");
                release(buffer);
            }
        }
    }
}

#[test]
fn images_migrate_and_wait_like_any_memory_object() {
    let setup = Setup::new();
    let mut random = Random::new(15);
    let picture = Picture::new(&setup, &mut random, cl::CL_MEM_OBJECT_IMAGE2D, [4, 4, 1], TEXELS[0]);
    let mut event = null_mut();
    let flags = cl::CL_MIGRATE_MEM_OBJECT_HOST;
    ok!(clEnqueueMigrateMemObjects(setup.queue, 1, &picture.image, flags, 0, null(), &mut event));
    ok!(clWaitForEvents(1, &event));
    ok!(clReleaseEvent(event));
}
