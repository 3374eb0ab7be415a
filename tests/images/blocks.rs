//! Blocks of images and other functions of cl_intel_subgroups and its like, as OpenCL C has them.

use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::kernels::Built;
use crate::picture::Picture;
use crate::support::{Random, Setup, ok, release};

/// Work-items of the one work-group.
const ITEMS: usize = 64;
/// The picture, in texels of four bytes.
const SIDES: [usize; 3] = [150, 6, 1];

/// A kernel whose sub-groups read a block of two rows side by side, and write it two rows further down.
const SOURCE: &str = "
    kernel void k(read_only image2d_t from, write_only image2d_t to, global TYPE *o, int left) {
        int size = get_max_sub_group_size() * sizeof(TYPE);
        int2 at = (int2)(left + get_sub_group_id() * size, 1);
        TYPE##2 both = intel_sub_group_block_readSUFFIX2(from, at);
        intel_sub_group_block_writeSUFFIX2(to, at + (int2)(0, 2), both);
        TYPE one = intel_sub_group_block_readSUFFIX(from, at + (int2)(0, 1));
        global TYPE *row = o + get_sub_group_id() * get_max_sub_group_size();
        intel_sub_group_block_writeSUFFIX(row, one);
        o[64 + get_local_id(0)] = both.x;
        o[128 + get_local_id(0)] = intel_sub_group_shuffle_xor(intel_sub_group_block_readSUFFIX(row), 1);
    }";

/// What of a row is `size` bytes from `x` on, which are behind the last word of it where there is none.
fn part(row: &[u8], x: usize, size: usize) -> Vec<u8> {
    let last = row.len() - 4;
    (x..x + size).map(|x| if x < row.len() { row[x] } else { row[last + x % 4] }).collect()
}

/// Blocks of integers of a type with as many bytes, in functions of a suffix.
fn check(ty: &str, size: usize, suffix: &str, left: usize) {
    let setup = Setup::new();
    let source = SOURCE.replace("TYPE##2", &format!("{ty}2")).replace("TYPE", ty).replace("SUFFIX", suffix);
    let built = Built::new(&setup, &source, "k", "-cl-std=CL3.0");
    let random = &mut Random::new(left as u64 + 5);
    let texel = (cl::CL_RGBA, cl::CL_UNSIGNED_INT8, 4);
    let [from, to] = [(); 2].map(|()| Picture::new(&setup, random, cl::CL_MEM_OBJECT_IMAGE2D, SIDES, texel));
    let (source_bytes, before) = (from.read(&setup), to.read(&setup));
    let out = setup.filled(&vec![0; 3 * ITEMS * size]);
    let left_number = left as i32;
    let set = [built.set(0, &from.image), built.set(1, &to.image), built.set(2, &out), built.set(3, &left_number)];
    assert_eq!(set, [cl::CL_SUCCESS; 4]);
    let (items, kernel) = ([ITEMS], built.kernel);
    let global = items.as_ptr();
    ok!(clEnqueueNDRangeKernel(setup.queue, kernel, 1, null(), global, global, 0, null(), null_mut()));
    let row = |y: usize| &source_bytes[y * SIDES[0] * 4..(y + 1) * SIDES[0] * 4];
    let block = |y: usize| -> Vec<u8> { (0..ITEMS).flat_map(|item| part(row(y), left + item * size, size)).collect() };
    let swapped = (0..ITEMS).flat_map(|item| part(row(2), left + (item ^ 1) * size, size));
    let expected = [block(2), block(1), swapped.collect()].concat();
    assert_eq!(setup.read(out), expected, "{ty} from {left} on");
    let mut written = before;
    for y in [1, 2] {
        let there = (SIDES[0] * 4 - left).min(ITEMS * size);
        let at = (y + 2) * SIDES[0] * 4 + left;
        written[at..at + there].copy_from_slice(&block(y)[..there]);
    }
    assert_eq!(to.read(&setup), written, "{ty} from {left} on");
    release(out);
}

#[test]
pub fn sub_groups_read_and_write_blocks_of_images() {
    check("uint", 4, "", 16);
    // Half of it is behind the last texel of a row.
    check("uint", 4, "", 4 * SIDES[0] - 2 * ITEMS);
}

#[test]
pub fn blocks_have_numbers_of_16_bits() {
    check("ushort", 2, "_us", 20);
    check("uint", 4, "_ui", 24);
}

#[test]
pub fn blocks_have_numbers_of_8_bits() {
    check("uchar", 1, "_uc", 12);
}

#[test]
pub fn blocks_have_numbers_of_64_bits() {
    check("ulong", 8, "_ul", 8);
    check("ulong", 8, "_ul", 4 * SIDES[0] - 4 * ITEMS);
}
