//! What rectangle commands do to data, held against a model on the host, and their error codes.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::support::{Random, Setup, at, call, ok, release, release_all, table};

/// One side of a rectangle command.
#[derive(Clone, Copy, Debug)]
struct Side {
    origin: [usize; 3],
    row: usize,
    slice: usize,
}

impl Side {
    /// Pitches and origin at random; sometimes the pitches are left to the driver.
    fn random(random: &mut Random, region: [usize; 3]) -> Side {
        let origin = [random.below(7), random.below(3), random.below(3)];
        if random.below(4) == 0 {
            return Side { origin, row: 0, slice: 0 };
        }
        let row = region[0] + random.below(9);
        Side { origin, row, slice: row * (region[1] + random.below(3)) }
    }

    fn pitches(&self, region: [usize; 3]) -> (usize, usize) {
        let row = if self.row == 0 { region[0] } else { self.row };
        (row, if self.slice == 0 { row * region[1] } else { self.slice })
    }

    fn offset(&self, region: [usize; 3], [x, y, z]: [usize; 3]) -> usize {
        let (row, slice) = self.pitches(region);
        (self.origin[2] + z) * slice + (self.origin[1] + y) * row + self.origin[0] + x
    }

    /// Bytes of memory that hold the rectangle.
    fn size(&self, region: [usize; 3]) -> usize {
        self.offset(region, [region[0] - 1, region[1] - 1, region[2] - 1]) + 1
    }
}

fn copy_on_host(from: &[u8], of: Side, to: &mut [u8], at: Side, region: [usize; 3]) {
    for z in 0..region[2] {
        for y in 0..region[1] {
            let (source, target) = (of.offset(region, [0, y, z]), at.offset(region, [0, y, z]));
            to[target..target + region[0]].copy_from_slice(&from[source..source + region[0]]);
        }
    }
}

fn random_region(random: &mut Random) -> [usize; 3] {
    match random.below(4) {
        // Long rows, which are worth dividing.
        0 => [60_000 + random.below(100_000), 1 + random.below(4), 1 + random.below(2)],
        1 => [1 + random.below(8), 1 + random.below(200), 1 + random.below(20)],
        _ => [1 + random.below(300), 1 + random.below(30), 1 + random.below(5)],
    }
}

#[test]
fn rectangles_of_any_shape_do_what_the_model_does() {
    let setup = Setup::new();
    let mut random = Random::new(21);
    for round in 0..150 {
        let region = random_region(&mut random);
        let (source, target) = (Side::random(&mut random, region), Side::random(&mut random, region));
        let from = random.bytes(source.size(region) + round % 3);
        let mut to = random.bytes(target.size(region) + round % 2);
        let mut expected = to.clone();
        copy_on_host(&from, source, &mut expected, target, region);
        let (s, t, r) = (source.origin.as_ptr(), target.origin.as_ptr(), region.as_ptr());
        let (source_buffer, target_buffer) = (setup.filled(&from), setup.filled(&to));
        let case = format!("round {round}: {region:?} from {source:?} to {target:?}");
        match round % 3 {
            0 => {
                ok!(clEnqueueCopyBufferRect(
                    setup.queue,
                    source_buffer,
                    target_buffer,
                    s,
                    t,
                    r,
                    source.row,
                    source.slice,
                    target.row,
                    target.slice,
                    0,
                    null(),
                    null_mut()
                ));
                assert!(setup.read(target_buffer) == expected, "copy, {case}");
            }
            1 => {
                ok!(clEnqueueReadBufferRect(
                    setup.queue,
                    source_buffer,
                    cl::CL_TRUE,
                    s,
                    t,
                    r,
                    source.row,
                    source.slice,
                    target.row,
                    target.slice,
                    to.as_mut_ptr().cast(),
                    0,
                    null(),
                    null_mut()
                ));
                assert!(to == expected, "read, {case}");
            }
            _ => {
                ok!(clEnqueueWriteBufferRect(
                    setup.queue,
                    target_buffer,
                    cl::CL_TRUE,
                    t,
                    s,
                    r,
                    target.row,
                    target.slice,
                    source.row,
                    source.slice,
                    from.as_ptr().cast(),
                    0,
                    null(),
                    null_mut()
                ));
                assert!(setup.read(target_buffer) == expected, "write, {case}");
            }
        }
        release_all(&[source_buffer, target_buffer]);
    }
}

#[test]
fn rectangles_of_one_buffer_are_copied_unless_they_share_a_byte() {
    let setup = Setup::new();
    let mut random = Random::new(22);
    let mut seen = [0, 0];
    for _ in 0..400 {
        let region = [1 + random.below(6), 1 + random.below(4), 1 + random.below(3)];
        let row = region[0] + random.below(8);
        let slice = row * (region[1] + random.below(4));
        let mut side = || Side { origin: [random.below(8), random.below(5), random.below(4)], row, slice };
        let (source, target) = (side(), side());
        let size = source.size(region).max(target.size(region));
        let bytes: Vec<u8> = (0..size).map(|i| i as u8).collect();
        let mut expected = bytes.clone();
        copy_on_host(&bytes, source, &mut expected, target, region);
        let mut covered = vec![false; size];
        let mut shared = false;
        for (count, side) in [source, target].into_iter().enumerate() {
            for z in 0..region[2] {
                for y in 0..region[1] {
                    for x in 0..region[0] {
                        let offset = side.offset(region, [x, y, z]);
                        shared |= count == 1 && covered[offset];
                        covered[offset] |= count == 0;
                    }
                }
            }
        }
        let buffer = setup.filled(&bytes);
        let code = call!(clEnqueueCopyBufferRect(
            setup.queue,
            buffer,
            buffer,
            source.origin.as_ptr(),
            target.origin.as_ptr(),
            region.as_ptr(),
            row,
            slice,
            row,
            slice,
            0,
            null(),
            null_mut()
        ));
        let case = format!("{region:?} from {source:?} to {target:?}");
        assert_eq!(code, if shared { cl::CL_MEM_COPY_OVERLAP } else { cl::CL_SUCCESS }, "{case}");
        if !shared {
            assert!(setup.read(buffer) == expected, "{case}");
        }
        seen[usize::from(shared)] += 1;
        release(buffer);
    }
    assert!(seen.iter().all(|&count| count > 30), "both answers must occur: {seen:?}");
}

#[test]
fn errors_of_reading_and_writing_rectangles() {
    let setup = Setup::new();
    let buffer = setup.buffer(0, 1000);
    let closed = setup.buffer(cl::CL_MEM_HOST_NO_ACCESS, 1000);
    let bytes = [0u8; 4000];
    let host = at(&bytes);
    let call = |write: bool,
                b,
                buffer_origin: *const usize,
                host_origin: *const usize,
                region: *const usize,
                pitches: [usize; 4],
                p: *mut c_void| {
        let [row, slice, host_row, host_slice] = pitches;
        if write {
            call!(clEnqueueWriteBufferRect(
                setup.queue,
                b,
                1,
                buffer_origin,
                host_origin,
                region,
                row,
                slice,
                host_row,
                host_slice,
                p,
                0,
                null(),
                null_mut()
            ))
        } else {
            call!(clEnqueueReadBufferRect(
                setup.queue,
                b,
                1,
                buffer_origin,
                host_origin,
                region,
                row,
                slice,
                host_row,
                host_slice,
                p,
                0,
                null(),
                null_mut()
            ))
        }
    };
    let zero = [0usize; 3];
    let z = zero.as_ptr();
    for write in [false, true] {
        let with = |origin: [usize; 3], region: [usize; 3], pitches| {
            call(write, buffer, origin.as_ptr(), z, region.as_ptr(), pitches, host)
        };
        let region = [10usize, 5, 2];
        let r = region.as_ptr();
        table! {
            "fits" => CL_SUCCESS, with([0; 3], region, [0; 4]);
            "fits exactly" => CL_SUCCESS, with([0; 3], [10, 10, 10], [0; 4]);
            "null buffer origin" => CL_INVALID_VALUE, call(write, buffer, null(), z, r, [0; 4], host);
            "null host origin" => CL_INVALID_VALUE, call(write, buffer, z, null(), r, [0; 4], host);
            "null region" => CL_INVALID_VALUE, call(write, buffer, z, z, null(), [0; 4], host);
            "null memory" => CL_INVALID_VALUE, call(write, buffer, z, z, r, [0; 4], null_mut());
            "no width" => CL_INVALID_VALUE, with([0; 3], [0, 5, 2], [0; 4]);
            "no height" => CL_INVALID_VALUE, with([0; 3], [10, 0, 2], [0; 4]);
            "no depth" => CL_INVALID_VALUE, with([0; 3], [10, 5, 0], [0; 4]);
            "too large by a byte" => CL_INVALID_VALUE, with([1, 0, 0], [10, 10, 10], [0; 4]);
            "rows beyond the end" => CL_INVALID_VALUE, with([0; 3], [10, 101, 1], [0; 4]);
            "numbers that do not fit" => CL_INVALID_VALUE, with([0, 0, usize::MAX / 8], [10, 5, 2], [0; 4]);
            "row pitch too small" => CL_INVALID_VALUE, with([0; 3], region, [9, 0, 0, 0]);
            "slice pitch too small" => CL_INVALID_VALUE, with([0; 3], region, [10, 40, 0, 0]);
            "slice pitch no multiple of the row pitch" => CL_INVALID_VALUE, with([0; 3], region, [10, 55, 0, 0]);
            "host row pitch too small" => CL_INVALID_VALUE, with([0; 3], region, [0, 0, 9, 0]);
            "host slice pitch too small" => CL_INVALID_VALUE, with([0; 3], region, [0, 0, 10, 40]);
            "host slice pitch no multiple of its row pitch" => CL_INVALID_VALUE,
                with([0; 3], region, [0, 0, 10, 55]);
            "host has no access" => CL_INVALID_OPERATION, call(write, closed, z, z, r, [0; 4], host);
        }
    }
    release_all(&[buffer, closed]);
}

#[test]
fn errors_of_copying_rectangles() {
    let setup = Setup::new();
    let (a, b) = (setup.buffer(0, 1000), setup.buffer(0, 1000));
    let copy = |from, to, source: [usize; 3], target: [usize; 3], region: [usize; 3], [p, q, r, s]: [usize; 4]| {
        let (x, y, z) = (source.as_ptr(), target.as_ptr(), region.as_ptr());
        call!(clEnqueueCopyBufferRect(setup.queue, from, to, x, y, z, p, q, r, s, 0, null(), null_mut()))
    };
    let region = [10, 5, 2];
    table! {
        "between buffers with different pitches" => CL_SUCCESS, copy(a, b, [0; 3], [0; 3], region, [10, 50, 20, 100]);
        "source out of bounds" => CL_INVALID_VALUE, copy(a, b, [901, 0, 0], [0; 3], region, [0; 4]);
        "target out of bounds" => CL_INVALID_VALUE, copy(a, b, [0; 3], [901, 0, 0], region, [0; 4]);
        "source row pitch too small" => CL_INVALID_VALUE, copy(a, b, [0; 3], [0; 3], region, [9, 0, 0, 0]);
        "target row pitch too small" => CL_INVALID_VALUE, copy(a, b, [0; 3], [0; 3], region, [0, 0, 9, 0]);
        "source slice pitch no multiple" => CL_INVALID_VALUE, copy(a, b, [0; 3], [0; 3], region, [10, 55, 0, 0]);
        "no width" => CL_INVALID_VALUE, copy(a, b, [0; 3], [0; 3], [0, 5, 2], [0; 4]);
        "one buffer, different row pitches" => CL_INVALID_VALUE,
            copy(a, a, [0; 3], [500, 0, 0], region, [10, 0, 20, 0]);
        "one buffer, different slice pitches" => CL_INVALID_VALUE,
            copy(a, a, [0; 3], [500, 0, 0], region, [10, 50, 10, 100]);
        "onto itself" => CL_MEM_COPY_OVERLAP, copy(a, a, [0; 3], [0; 3], region, [0; 4]);
        "beside itself" => CL_SUCCESS, copy(a, a, [0; 3], [10, 0, 0], region, [20, 100, 20, 100]);
        "beside itself, but for a byte" => CL_MEM_COPY_OVERLAP,
            copy(a, a, [0; 3], [9, 0, 0], region, [20, 100, 20, 100]);
    }
    setup.finish();
    release_all(&[a, b]);
}
