//! `clEnqueueFillImage`: colours become texels.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::picture::{Picture, TEXELS, TYPES};
use crate::support::{Random, Setup, ok};

#[test]
fn parts_of_images_are_filled_and_nothing_beside_them() {
    let setup = Setup::new();
    let mut random = Random::new(21);
    for image_type in TYPES {
        for texel in TEXELS {
            for sides in [[7, 5, 4], [500, 30, 3]] {
                let mut picture = Picture::new(&setup, &mut random, image_type, sides, texel);
                let (origin, region) = picture.region(&mut random);
                // One, in every format that is filled here.
                let (color, one): ([u32; 4], &[u8]) = match (texel.0, texel.1) {
                    (_, cl::CL_UNORM_INT8) => ([1f32.to_bits(); 4], &[255; 4]),
                    (_, cl::CL_SIGNED_INT8) => ([1; 4], &[1; 2]),
                    (_, cl::CL_HALF_FLOAT) => ([1f32.to_bits(); 4], &[0, 0x3C, 0, 0x3C, 0, 0x3C, 0, 0x3C]),
                    _ => ([1; 4], &[1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]),
                };
                let (at, sides, color) = (origin.as_ptr(), region.as_ptr(), color.as_ptr().cast::<c_void>());
                ok!(clEnqueueFillImage(setup.queue, picture.image, color, at, sides, 0, null(), null_mut()));
                let count = region.iter().product::<usize>() * texel.2;
                let bytes: Vec<u8> = one[..texel.2].iter().copied().cycle().take(count).collect();
                picture.set(origin, region, &bytes);
                picture.check(&setup, "fill");
            }
        }
    }
}

/// A colour in a format, and the texel that it is.
struct Case {
    order: u32,
    data_type: u32,
    color: Color,
    texel: &'static [u8],
}

#[derive(Clone, Copy)]
enum Color {
    Float([f32; 4]),
    Signed([i32; 4]),
    Unsigned([u32; 4]),
    Depth(f32),
}

const fn case(order: u32, data_type: u32, color: Color, texel: &'static [u8]) -> Case {
    Case { order, data_type, color, texel }
}

/// What rounds, saturates, or lies in another order.
const CASES: &[Case] = &[
    case(cl::CL_RGBA, cl::CL_UNORM_INT8, Color::Float([0.0, 0.5, 2.0, -1.0]), &[0, 128, 255, 0]),
    case(cl::CL_BGRA, cl::CL_UNORM_INT8, Color::Float([1.0, 0.0, 0.2, 0.4]), &[51, 0, 255, 102]),
    case(cl::CL_ARGB, cl::CL_SNORM_INT8, Color::Float([-1.0, -2.0, 0.5, 1.0]), &[127, 0x81, 0x80, 64]),
    case(cl::CL_ABGR, cl::CL_UNSIGNED_INT8, Color::Unsigned([1, 2, 300, 4]), &[4, 255, 2, 1]),
    case(cl::CL_R, cl::CL_SIGNED_INT16, Color::Signed([-40_000, 0, 0, 0]), &[0x00, 0x80]),
    case(cl::CL_RG, cl::CL_UNSIGNED_INT16, Color::Unsigned([70_000, 3, 0, 0]), &[0xFF, 0xFF, 3, 0]),
    case(cl::CL_RA, cl::CL_UNORM_INT16, Color::Float([1.0, 0.3, 0.3, 0.0]), &[0xFF, 0xFF, 0, 0]),
    case(cl::CL_A, cl::CL_UNORM_INT8, Color::Float([0.0, 0.0, 0.0, 1.0]), &[255]),
    case(cl::CL_LUMINANCE, cl::CL_UNORM_INT8, Color::Float([1.0, 0.0, 0.0, 0.0]), &[255]),
    case(cl::CL_INTENSITY, cl::CL_FLOAT, Color::Float([-2.0, 0.0, 0.0, 0.0]), &[0, 0, 0, 0xC0]),
    case(cl::CL_R, cl::CL_HALF_FLOAT, Color::Float([65520.0, 0.0, 0.0, 0.0]), &[0, 0x7C]),
    case(cl::CL_RGB, cl::CL_UNORM_SHORT_565, Color::Float([1.0, 0.0, 1.0, 0.0]), &[0x1F, 0xF8]),
    case(cl::CL_RGB, cl::CL_UNORM_SHORT_555, Color::Float([0.0, 1.0, 0.0, 0.0]), &[0xE0, 0x03]),
    case(cl::CL_RGB, cl::CL_UNORM_INT_101010, Color::Float([1.0, 0.0, 0.0, 0.0]), &[0, 0, 0xF0, 0x3F]),
    case(cl::CL_RGBA, cl::CL_UNORM_INT_101010_2, Color::Float([0.0, 0.0, 0.0, 1.0]), &[3, 0, 0, 0]),
    case(cl::CL_sRGBA, cl::CL_UNORM_INT8, Color::Float([0.5, 1.0, 0.0, 0.5]), &[188, 255, 0, 128]),
    case(cl::CL_sBGRA, cl::CL_UNORM_INT8, Color::Float([0.002, 1.0, 0.5, 1.0]), &[188, 255, 7, 255]),
    case(cl::CL_DEPTH, cl::CL_UNORM_INT16, Color::Depth(0.5), &[0, 0x80]),
    case(cl::CL_DEPTH, cl::CL_FLOAT, Color::Depth(0.5), &[0, 0, 0, 0x3F]),
    case(
        cl::CL_RGBA,
        cl::CL_SIGNED_INT32,
        Color::Signed([i32::MIN, -1, 0, 1]),
        &[0, 0, 0, 0x80, 255, 255, 255, 255, 0, 0, 0, 0, 1, 0, 0, 0],
    ),
];

#[test]
fn colours_round_saturate_and_lie_where_the_format_says() {
    let setup = Setup::new();
    let mut random = Random::new(22);
    for case in CASES {
        let texel = (case.order, case.data_type, case.texel.len());
        let picture = Picture::new(&setup, &mut random, cl::CL_MEM_OBJECT_IMAGE2D, [3, 2, 1], texel);
        // A depth is one number, and nothing behind it is read.
        let color: *const c_void = match &case.color {
            Color::Float(color) => color.as_ptr().cast(),
            Color::Signed(color) => color.as_ptr().cast(),
            Color::Unsigned(color) => color.as_ptr().cast(),
            Color::Depth(depth) => std::ptr::from_ref(depth).cast(),
        };
        let (at, sides) = ([0usize; 3], [3usize, 2, 1]);
        let (at, sides) = (at.as_ptr(), sides.as_ptr());
        ok!(clEnqueueFillImage(setup.queue, picture.image, color, at, sides, 0, null(), null_mut()));
        let all = picture.read(&setup);
        let (order, data_type) = (case.order, case.data_type);
        assert!(all.chunks(case.texel.len()).all(|texel| texel == case.texel), "{order:#x} {data_type:#x}: {all:?}");
    }
}
