//! Blocks of images and other functions of cl_intel_subgroups and its like, as OpenCL C has them.

use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::kernels::Built;
use crate::picture::Picture;
use crate::support::{Random, Setup, ok, release};

/// Work-items of the one work-group.
const ITEMS: usize = 64;
/// The picture, in texels of four bytes.
const SIDES: [usize; 3] = [150, 36, 1];

/// A kernel whose sub-groups read a block of some rows side by side, and write it as many rows further down.
const SOURCE: &str = "
    kernel void k(READ image2d_t from, WRITE image2d_t to, global TYPE *o, int left) {
        int size = get_max_sub_group_size() * sizeof(TYPE), begin = left + get_sub_group_id() * size;
        int2 at = (int2)(begin, 1);
        TYPE##ROWS all = intel_sub_group_block_readSUFFIX##ROWS(from, at);
        intel_sub_group_block_writeSUFFIX##ROWS(to, at + (int2)(0, ROWS), all);
        TYPE one = intel_sub_group_block_readSUFFIX(from, at + (int2)(0, 1));
        global TYPE *row = o + get_sub_group_id() * get_max_sub_group_size();
        intel_sub_group_block_writeSUFFIX(row, one);
        o[64 + get_local_id(0)] = all.s0;
        o[128 + get_local_id(0)] = all.LAST;
        o[192 + get_local_id(0)] = intel_sub_group_shuffle_xor(intel_sub_group_block_readSUFFIX(row), 1);
    }";

/// What of a row is `size` bytes from `x` on, which are behind the last word of it where there is none.
fn part(row: &[u8], x: usize, size: usize) -> Vec<u8> {
    let last = row.len() - 4;
    (x..x + size).map(|x| if x < row.len() { row[x] } else { row[last + x % 4] }).collect()
}

/// Blocks of integers of a type with as many bytes, in functions of a suffix.
#[derive(Clone, Copy)]
struct Blocks<'a> {
    ty: &'a str,
    size: usize,
    suffix: &'a str,
    /// Column in bytes at which the first begins.
    left: usize,
    rows: usize,
    access: [&'a str; 2],
    options: &'a str,
}

/// Two rows of images that are only read or only written.
fn two_rows<'a>(ty: &'a str, size: usize, suffix: &'a str, left: usize) -> Blocks<'a> {
    Blocks { ty, size, suffix, left, rows: 2, access: ["read_only", "write_only"], options: "-cl-std=CL3.0" }
}

fn check(blocks: Blocks<'_>) {
    let Blocks { ty, size, suffix, left, rows, access, options } = blocks;
    let what = format!("{ty}{rows} from {left} on, {access:?} {options}");
    let setup = Setup::new();
    let mut source = SOURCE.replace("##ROWS", &rows.to_string());
    let last = format!("s{:x}", rows - 1);
    for (name, text) in [
        ("ROWS", rows.to_string().as_str()),
        ("LAST", &last),
        ("TYPE", ty),
        ("SUFFIX", suffix),
        ("READ", access[0]),
        ("WRITE", access[1]),
    ] {
        source = source.replace(name, text);
    }
    let built = Built::new(&setup, &source, "k", options);
    let random = &mut Random::new(left as u64 + 5);
    let texel = (cl::CL_RGBA, cl::CL_UNSIGNED_INT8, 4);
    let [from, to] = [(); 2].map(|()| Picture::new(&setup, random, cl::CL_MEM_OBJECT_IMAGE2D, SIDES, texel));
    let (source_bytes, before) = (from.read(&setup), to.read(&setup));
    let out = setup.filled(&vec![0; 4 * ITEMS * size]);
    let left_number = left as i32;
    let set = [built.set(0, &from.image), built.set(1, &to.image), built.set(2, &out), built.set(3, &left_number)];
    assert_eq!(set, [cl::CL_SUCCESS; 4]);
    let (items, kernel) = ([ITEMS], built.kernel);
    let global = items.as_ptr();
    ok!(clEnqueueNDRangeKernel(setup.queue, kernel, 1, null(), global, global, 0, null(), null_mut()));
    let row = |y: usize| &source_bytes[y * SIDES[0] * 4..(y + 1) * SIDES[0] * 4];
    let block = |y: usize| -> Vec<u8> { (0..ITEMS).flat_map(|item| part(row(y), left + item * size, size)).collect() };
    let swapped = (0..ITEMS).flat_map(|item| part(row(2), left + (item ^ 1) * size, size));
    let expected = [block(2), block(1), block(rows), swapped.collect()].concat();
    assert_eq!(setup.read(out), expected, "{what}");
    let mut written = before;
    for y in 1..=rows {
        let there = (SIDES[0] * 4 - left).min(ITEMS * size);
        let at = (y + rows) * SIDES[0] * 4 + left;
        written[at..at + there].copy_from_slice(&block(y)[..there]);
    }
    assert_eq!(to.read(&setup), written, "{what}");
    release(out);
}

#[test]
pub fn sub_groups_read_and_write_blocks_of_images() {
    check(two_rows("uint", 4, "", 16));
    // Half of it is behind the last texel of a row.
    check(two_rows("uint", 4, "", 4 * SIDES[0] - 2 * ITEMS));
}

#[test]
pub fn blocks_have_numbers_of_16_bits() {
    check(two_rows("ushort", 2, "_us", 20));
    check(two_rows("uint", 4, "_ui", 24));
}

#[test]
pub fn blocks_have_numbers_of_8_bits() {
    check(two_rows("uchar", 1, "_uc", 12));
}

#[test]
pub fn blocks_have_numbers_of_64_bits() {
    check(two_rows("ulong", 8, "_ul", 8));
    check(two_rows("ulong", 8, "_ul", 4 * SIDES[0] - 4 * ITEMS));
}

#[test]
fn blocks_have_up_to_sixteen_rows() {
    for (ty, size, suffix, rows) in
        [("uint", 4, "", 4), ("uint", 4, "_ui", 8), ("ulong", 8, "_ul", 4), ("ulong", 8, "_ul", 8)]
    {
        check(Blocks { rows, ..two_rows(ty, size, suffix, 16) });
    }
    for rows in [4, 8, 16] {
        check(Blocks { rows, ..two_rows("ushort", 2, "_us", 8) });
        check(Blocks { rows, ..two_rows("uchar", 1, "_uc", 4) });
    }
}

#[test]
fn blocks_are_of_images_that_are_read_and_written() {
    check(Blocks { access: ["read_write"; 2], ..two_rows("uint", 4, "", 16) });
    check(Blocks { access: ["read_write"; 2], rows: 16, ..two_rows("uchar", 1, "_uc", 16) });
}

#[test]
fn blocks_are_there_in_every_version_of_the_language() {
    for options in ["", "-cl-std=CL2.0", "-cl-std=CLC++2021"] {
        check(Blocks { options, ..two_rows("uint", 4, "", 16) });
    }
}

/// What every sub-group of `size` gets of the numbers of its work-items.
fn of_sub_groups(numbers: &[i16], size: usize, result: impl Fn(&[i16], usize) -> i16) -> Vec<i16> {
    numbers.chunks(size).flat_map(|part| (0..part.len()).map(|lane| result(part, lane)).collect::<Vec<_>>()).collect()
}

#[test]
fn sub_groups_reduce_scan_and_broadcast_by_the_names_of_the_extension() {
    let setup = Setup::new();
    let call = "PREFIX##_sub_group_##NAME";
    let body: String = ["reduce_add", "reduce_min", "scan_exclusive_max", "scan_inclusive_add", "scan_exclusive_add"]
        .iter()
        .enumerate()
        .map(|(at, name)| format!("o[{} * 64 + i] = F({name})(x);", at + 1))
        .collect();
    // The name of a function is put together, or comes with the options.
    let source = format!(
        "#define G(PREFIX, NAME) {call}
        #define F(NAME) G(intel, NAME)
        kernel void k(global short *o) {{
            int i = get_local_id(0);
            short x = o[i];
            {body}
            o[6 * 64 + i] = BROADCAST(x, 1);
            o[7 * 64 + i] = get_sub_group_size();
        }}"
    );
    let numbers: Vec<i16> = (0..ITEMS as i16).map(|n| (n * 37) % 101 - 50).collect();
    for options in ["", "-cl-std=CL3.0"] {
        let built = Built::new(&setup, &source, "k", &format!("-DBROADCAST=intel_sub_group_broadcast {options}"));
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
        let out = setup.filled(&[bytes, vec![0; 7 * 2 * ITEMS]].concat());
        assert_eq!(built.set(0, &out), cl::CL_SUCCESS);
        let (items, kernel) = ([ITEMS], built.kernel);
        let global = items.as_ptr();
        ok!(clEnqueueNDRangeKernel(setup.queue, kernel, 1, null(), global, global, 0, null(), null_mut()));
        let found: Vec<i16> = setup.read(out).chunks(2).map(|n| i16::from_ne_bytes([n[0], n[1]])).collect();
        let size = found[7 * ITEMS] as usize;
        assert!([4, 8, 16, 32, 64].contains(&size), "{size}");
        let sum = |part: &[i16]| part.iter().sum();
        let expected = [
            numbers.clone(),
            of_sub_groups(&numbers, size, |part, _| sum(part)),
            of_sub_groups(&numbers, size, |part, _| *part.iter().min().unwrap()),
            of_sub_groups(&numbers, size, |part, lane| part[..lane].iter().copied().max().unwrap_or(i16::MIN)),
            of_sub_groups(&numbers, size, |part, lane| sum(&part[..=lane])),
            of_sub_groups(&numbers, size, |part, lane| sum(&part[..lane])),
            of_sub_groups(&numbers, size, |part, _| part[1]),
            vec![size as i16; ITEMS],
        ];
        assert_eq!(found, expected.concat(), "{options}");
        release(out);
    }
}
