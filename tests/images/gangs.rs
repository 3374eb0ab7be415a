//! Images whose texels have other formats than the common ones, read and written by work-items that run together or not at all.

use khronos_headers as cl;

use crate::kernels::{Built, sampler};
use crate::picture::{Picture, Texel};
use crate::support::{Random, Setup, ok};

/// More than two registers of lanes, and no multiple of any number of them.
const WIDTH: usize = 43;
const HEIGHT: usize = 5;

const WORDS: Texel = (cl::CL_RGBA, cl::CL_UNSIGNED_INT16, 8);
const SIGNED: Texel = (cl::CL_RG, cl::CL_SIGNED_INT8, 2);
const COLOURS: Texel = (cl::CL_ARGB, cl::CL_UNORM_INT8, 4);
const NUMBERS: Texel = (cl::CL_RGBA, cl::CL_UNSIGNED_INT32, 16);

/// Some work-items leave, others part; texels are read side by side, at places of their own, and outside.
const SOURCE: &str = "
    kernel void mix(read_only image2d_t words, read_only image2d_t pairs, read_only image2d_t colours,
                    write_only image2d_t numbers, write_only image2d_t halved, sampler_t s) {
        int2 at = (int2)(get_global_id(0), get_global_id(1));
        if ((at.x * 7 + at.y) % 3 == 0)
            return;
        int2 other = (int2)((at.x * 5 + at.y) % WIDTH, at.y);
        uint4 sum = read_imageui(words, s, other);
        if (at.x & 1)
            sum += as_uint4(read_imagei(pairs, s, at + (int2)(0, 2)));
        else
            sum ^= convert_uint4_rte(read_imagef(colours, s, other) * 255.0f);
        write_imageui(numbers, at, sum);
        if (at.x % 5 != 2)
            write_imageui(halved, other, sum / 2);
    }";

/// What the kernel does.
fn mix([words, pairs, colours]: [&Picture; 3], numbers: &mut Picture, halved: &mut Picture) {
    let part = |picture: &Picture, x: usize, y: usize| picture.part([x, y, 0], [1, 1, 1]);
    let all = (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (x, y)));
    for (x, y) in all.filter(|(x, y)| !(x * 7 + y).is_multiple_of(3)) {
        let other = (x * 5 + y) % WIDTH;
        let word = |texel: &[u8], channel: usize| u16::from_ne_bytes([texel[2 * channel], texel[2 * channel + 1]]);
        let texel = part(words, other, y);
        let mut sum: [u32; 4] = std::array::from_fn(|channel| word(&texel, channel).into());
        if x % 2 == 1 {
            // Beyond the last row is the border, whose alpha is 1 for formats without.
            let pair = if y + 2 < HEIGHT { part(pairs, x, y + 2) } else { vec![0, 0] };
            let more = [i32::from(pair[0] as i8), i32::from(pair[1] as i8), 0, 1];
            sum = std::array::from_fn(|channel| sum[channel].wrapping_add_signed(more[channel]));
        } else {
            let colour = part(colours, other, y);
            sum = std::array::from_fn(|channel| sum[channel] ^ u32::from(colour[(channel + 1) % 4]));
        }
        let bytes: Vec<u8> = sum.iter().flat_map(|number| number.to_ne_bytes()).collect();
        numbers.set([x, y, 0], [1, 1, 1], &bytes);
        if x % 5 != 2 {
            let bytes: Vec<u8> =
                sum.iter().flat_map(|number| u16::try_from(number / 2).unwrap_or(u16::MAX).to_ne_bytes()).collect();
            halved.set([other, y, 0], [1, 1, 1], &bytes);
        }
    }
}

#[test]
fn a_kernel_reads_and_writes_several_formats_where_work_items_part() {
    let setup = Setup::new();
    let source = SOURCE.replace("WIDTH", &WIDTH.to_string());
    let sampler = sampler(&setup, cl::CL_FALSE, cl::CL_ADDRESS_CLAMP, cl::CL_FILTER_NEAREST);
    let lanes = [1, 2, 4, 8, 16, 32, 64].map(|lanes| format!("-oxicl-lanes={lanes}"));
    for options in ["", "-cl-opt-disable"].into_iter().chain(lanes.iter().map(String::as_str)) {
        let built = Built::new(&setup, &source, "mix", options);
        let mut random = Random::new(4_711);
        let mut picture =
            |texel| Picture::new(&setup, &mut random, cl::CL_MEM_OBJECT_IMAGE2D, [WIDTH, HEIGHT, 1], texel);
        let read = [WORDS, SIGNED, COLOURS].map(&mut picture);
        let (mut numbers, mut halved) = (picture(NUMBERS), picture(WORDS));
        ok!(clFinish(setup.queue));
        let images = read.iter().chain([&numbers, &halved]);
        for (index, picture) in (0..).zip(images) {
            assert_eq!(built.set(index, &picture.image), cl::CL_SUCCESS);
        }
        assert_eq!(built.set(5, &sampler), cl::CL_SUCCESS);
        assert_eq!(built.launch(&setup, [WIDTH, HEIGHT]), cl::CL_SUCCESS);
        let [words, pairs, colours] = &read;
        mix([words, pairs, colours], &mut numbers, &mut halved);
        numbers.check(&setup, options);
        halved.check(&setup, options);
    }
    ok!(clReleaseSampler(sampler));
}
