use khronos_headers as cl;

use oxicl_abi::{Addressing, ImageDescriptor, SamplerBits};

use crate::{Color, Coordinate, Dimensions, Format, Kind, Place, level, level_of_gradients, sample};

fn format(order: u32, data_type: u32) -> Format {
    Format::new(order, data_type).unwrap_or_else(|| panic!("{order:#x} {data_type:#x} is a format"))
}

fn bytes(format: Format, color: Color) -> Vec<u8> {
    format.encode(color)[..format.bytes()].to_vec()
}

#[test]
fn every_format_has_texels_of_a_power_of_two_and_channels_inside() {
    let mut count = 0;
    for format in Format::all() {
        let layout = format.layout();
        assert!(layout.bytes.is_power_of_two() && layout.bytes <= 16, "{format:?}");
        let mut seen = 0u128;
        for channel in layout.channels() {
            let mask = ((1u128 << channel.bits) - 1) << channel.shift;
            assert!(channel.shift + channel.bits <= layout.bytes * 8, "{format:?}");
            assert_eq!(seen & mask, 0, "{format:?}");
            seen |= mask;
        }
        assert_ne!(seen, 0, "{format:?}");
        count += 1;
    }
    assert_eq!(count, 93);
}

#[test]
fn the_formats_that_every_device_has_are_there() {
    let four = [
        cl::CL_UNORM_INT8,
        cl::CL_UNORM_INT16,
        cl::CL_SIGNED_INT8,
        cl::CL_SIGNED_INT16,
        cl::CL_SIGNED_INT32,
        cl::CL_UNSIGNED_INT8,
        cl::CL_UNSIGNED_INT16,
        cl::CL_UNSIGNED_INT32,
        cl::CL_HALF_FLOAT,
        cl::CL_FLOAT,
    ];
    for data_type in four {
        assert!(Format::new(cl::CL_RGBA, data_type).is_some());
        assert!(Format::new(cl::CL_R, data_type).is_some());
    }
    assert!(Format::new(cl::CL_BGRA, cl::CL_UNORM_INT8).is_some());
    assert!(Format::new(cl::CL_DEPTH, cl::CL_UNORM_INT16).is_some());
    assert!(Format::new(cl::CL_sRGBA, cl::CL_UNORM_INT8).is_some());
}

#[test]
fn orders_and_types_that_do_not_go_together_are_no_format() {
    for (order, data_type) in [
        (cl::CL_RGB, cl::CL_UNORM_INT8),
        (cl::CL_RGBA, cl::CL_UNORM_SHORT_565),
        (cl::CL_INTENSITY, cl::CL_SIGNED_INT8),
        (cl::CL_BGRA, cl::CL_FLOAT),
        (cl::CL_DEPTH, cl::CL_UNORM_INT8),
        (cl::CL_sRGBA, cl::CL_FLOAT),
        (cl::CL_ABGR, cl::CL_UNORM_INT_101010_2),
        (0, cl::CL_FLOAT),
        (cl::CL_R, 0),
        (u32::MAX, u32::MAX),
    ] {
        assert_eq!(Format::new(order, data_type), None, "{order:#x} {data_type:#x}");
    }
}

#[test]
fn what_does_not_go_together_differs_from_what_is_not_there() {
    for (order, data_type) in [(cl::CL_Rx, cl::CL_FLOAT), (cl::CL_RGBx, cl::CL_UNORM_SHORT_555)] {
        assert!(Format::could_be(order, data_type) && Format::new(order, data_type).is_none(), "{order:#x}");
    }
    assert!(Format::all().all(|format| Format::could_be(format.order(), format.data_type())));
    for (order, data_type) in
        [(cl::CL_RGBA, cl::CL_UNORM_SHORT_565), (0, cl::CL_FLOAT), (cl::CL_R, 0), (cl::CL_ABGR + 1, cl::CL_FLOAT)]
    {
        assert!(!Format::could_be(order, data_type), "{order:#x} {data_type:#x}");
    }
}

#[test]
fn channels_lie_where_the_order_says() {
    let color = Color::Unsigned([1, 2, 3, 4]);
    for (order, expected) in [
        (cl::CL_R, &[1][..]),
        (cl::CL_A, &[4]),
        (cl::CL_RG, &[1, 2]),
        (cl::CL_RA, &[1, 4]),
        (cl::CL_RGBA, &[1, 2, 3, 4]),
        (cl::CL_BGRA, &[3, 2, 1, 4]),
        (cl::CL_ARGB, &[4, 1, 2, 3]),
        (cl::CL_ABGR, &[4, 3, 2, 1]),
    ] {
        assert_eq!(bytes(format(order, cl::CL_UNSIGNED_INT8), color), expected, "{order:#x}");
    }
    let color = Color::Float([1.0, 0.0, 0.5, 1.0]);
    for (order, data_type, expected) in [
        (cl::CL_RGB, cl::CL_UNORM_SHORT_565, 0xF810u32),
        (cl::CL_RGB, cl::CL_UNORM_SHORT_555, 0x7C10),
        (cl::CL_RGB, cl::CL_UNORM_INT_101010, 0x3FF0_0200),
        (cl::CL_RGBA, cl::CL_UNORM_INT_101010_2, 0xFFC0_0803),
        (cl::CL_ABGR, cl::CL_UNORM_INT_2_101010_EXT, 0xE000_03FF),
    ] {
        let format = format(order, data_type);
        assert_eq!(bytes(format, color), expected.to_le_bytes()[..format.bytes()], "{order:#x} {data_type:#x}");
    }
}

#[test]
fn components_that_a_format_lacks_are_zero_and_alpha_is_one() {
    let unorm = |order| format(order, cl::CL_UNORM_INT8).decode(&[255, 255, 255, 255]);
    for (order, expected) in [
        (cl::CL_R, [1.0, 0.0, 0.0, 1.0]),
        (cl::CL_A, [0.0, 0.0, 0.0, 1.0]),
        (cl::CL_RG, [1.0, 1.0, 0.0, 1.0]),
        (cl::CL_RA, [1.0, 0.0, 0.0, 1.0]),
        (cl::CL_LUMINANCE, [1.0, 1.0, 1.0, 1.0]),
        (cl::CL_INTENSITY, [1.0; 4]),
    ] {
        assert_eq!(unorm(order), Color::Float(expected), "{order:#x}");
    }
    assert_eq!(format(cl::CL_INTENSITY, cl::CL_UNORM_INT8).decode(&[0]), Color::Float([0.0; 4]));
    assert_eq!(format(cl::CL_LUMINANCE, cl::CL_UNORM_INT8).decode(&[0]), Color::Float([0.0, 0.0, 0.0, 1.0]));
    assert_eq!(format(cl::CL_R, cl::CL_SIGNED_INT8).decode(&[0xFE]), Color::Signed([-2, 0, 0, 1]));
    assert_eq!(format(cl::CL_RG, cl::CL_UNSIGNED_INT16).decode(&[1, 2, 3, 4]), Color::Unsigned([0x201, 0x403, 0, 1]));
}

#[test]
fn normalised_numbers_round_to_the_nearest_and_stay_in_range() {
    let unorm = format(cl::CL_R, cl::CL_UNORM_INT8);
    let snorm = format(cl::CL_R, cl::CL_SNORM_INT8);
    let one = |format: Format, value: f32| format.encode(Color::Float([value, 0.0, 0.0, 0.0]))[0];
    for (value, expected) in [
        (0.0, 0),
        (1.0, 255),
        (2.0, 255),
        (-1.0, 0),
        (0.5, 128),
        // 0.498 * 255 is 126.99.
        (0.498, 127),
        (f32::INFINITY, 255),
        (f32::NEG_INFINITY, 0),
        (f32::NAN, 0),
    ] {
        assert_eq!(one(unorm, value), expected, "{value}");
    }
    for (value, expected) in [(0.0, 0i8), (1.0, 127), (-1.0, -127), (-1.5, -128), (-2.0, -128), (0.5, 64), (-0.5, -64)]
    {
        assert_eq!(one(snorm, value).cast_signed(), expected, "{value}");
    }
    assert_eq!(snorm.decode(&[0x80]), Color::Float([-1.0, 0.0, 0.0, 1.0]));
    assert_eq!(snorm.decode(&[0x81]), Color::Float([-1.0, 0.0, 0.0, 1.0]));
}

#[test]
fn integers_saturate() {
    let signed = format(cl::CL_RGBA, cl::CL_SIGNED_INT16);
    let texel = bytes(signed, Color::Signed([i32::MIN, i32::MAX, -5, 40_000]));
    assert_eq!(texel, [0x00, 0x80, 0xFF, 0x7F, 0xFB, 0xFF, 0xFF, 0x7F]);
    let unsigned = format(cl::CL_RGBA, cl::CL_UNSIGNED_INT8);
    assert_eq!(bytes(unsigned, Color::Unsigned([256, 255, 0, u32::MAX])), [255, 255, 0, 255]);
    let whole = format(cl::CL_R, cl::CL_UNSIGNED_INT32);
    assert_eq!(bytes(whole, Color::Unsigned([u32::MAX, 0, 0, 0])), [255; 4]);
}

#[test]
fn halves_round_to_the_nearest_and_keep_what_is_no_number() {
    let half = format(cl::CL_R, cl::CL_HALF_FLOAT);
    let one = |value: f32| {
        let texel = half.encode(Color::Float([value, 0.0, 0.0, 0.0]));
        u16::from_le_bytes([texel[0], texel[1]])
    };
    assert_eq!(one(1.0), 0x3C00);
    assert_eq!(one(65504.0), 0x7BFF);
    assert_eq!(one(65520.0), 0x7C00);
    assert_eq!(one(f32::NEG_INFINITY), 0xFC00);
    assert_eq!(one(f32::NAN) & 0x7C00, 0x7C00);
    assert_ne!(one(f32::NAN) & 0x03FF, 0);
    // Half way between two: to the even one.
    assert_eq!(one(1.0 + 1.0 / 2048.0), 0x3C00);
    assert_eq!(half.decode(&[0x01, 0x00]), Color::Float([5.960_464_5e-8, 0.0, 0.0, 1.0]));
}

#[test]
fn every_value_of_a_small_channel_survives_decoding_and_encoding() {
    for format in Format::all() {
        for channel in format.layout().channels() {
            if channel.bits > 16 {
                continue;
            }
            for bits in 0..1u32 << channel.bits {
                let texel = u128::from(bits) << channel.shift;
                let again = u128::from_le_bytes(format.encode(format.decode(&texel.to_le_bytes())));
                let found = (again >> channel.shift) as u32 & ((1 << channel.bits) - 1);
                // -1 has two encodings; a signalling NaN becomes a quiet one.
                let least = format.kind() == Kind::Float && bits == 1 << (channel.bits - 1);
                let nan = channel.encoding == crate::Encoding::Float && bits & 0x7FFF > 0x7C00;
                assert!(found == bits || least || nan, "{format:?} {bits:#x} {found:#x}");
            }
        }
    }
}

#[test]
fn the_curve_of_srgb_leaves_alpha_alone() {
    let srgb = format(cl::CL_sRGBA, cl::CL_UNORM_INT8);
    let Color::Float([red, green, blue, alpha]) = srgb.decode(&[0, 255, 188, 188]) else { panic!("not normalised") };
    assert_eq!((red, green), (0.0, 1.0));
    assert!((blue - 0.502_886_5).abs() < 1e-6, "{blue}");
    assert_eq!(alpha, (188.0 / 255.0) as f32);
    let swapped = format(cl::CL_sBGRA, cl::CL_UNORM_INT8).decode(&[188, 255, 0, 188]);
    assert_eq!(swapped, Color::Float([red, green, blue, alpha]));
}

#[test]
fn a_colour_of_another_kind_gives_zeros_and_short_bytes_count_as_zeros() {
    assert_eq!(bytes(format(cl::CL_RGBA, cl::CL_FLOAT), Color::Signed([1; 4])), [0; 16]);
    assert_eq!(format(cl::CL_RGBA, cl::CL_UNSIGNED_INT32).decode(&[7]), Color::Unsigned([7, 0, 0, 0]));
}

/// A row of four texels of one red channel: 0, 1, 2, 3.
fn sampled(sampler: SamplerBits, at: f32, order: u32) -> [f32; 4] {
    let image = ImageDescriptor { width: 4, height: 1, depth: 1, layers: 1, ..ImageDescriptor::default() };
    let format = Format::new(order, cl::CL_FLOAT).expect("a format");
    let mut fetch = |place: Place| Ok::<_, ()>(Color::Float([place[0] as f32, 0.0, 0.0, 1.0]));
    let at = Coordinate::Float([at, f32::NAN, f32::NAN]);
    match sample(&image, format, Dimensions::default(), sampler, at, &mut fetch) {
        Ok(Color::Float(color)) => color,
        other => panic!("{other:?}"),
    }
}

#[test]
fn addressing_modes_choose_texels() {
    use Addressing::{Clamp, ClampToEdge, MirroredRepeat, Repeat};
    for (mode, normalized, at, red) in [
        (ClampToEdge, false, 2.9, 2.0),
        (ClampToEdge, false, -5.0, 0.0),
        (ClampToEdge, false, 4.0, 3.0),
        (ClampToEdge, true, 0.74, 2.0),
        (Clamp, false, 3.5, 3.0),
        (Repeat, true, 1.3, 1.0),
        (Repeat, true, -0.1, 3.0),
        (MirroredRepeat, true, 1.1, 3.0),
        (MirroredRepeat, true, -0.3, 1.0),
        (ClampToEdge, false, f32::NAN, 0.0),
        (Repeat, true, f32::INFINITY, 0.0),
    ] {
        let found = sampled(SamplerBits::new(mode, normalized, false), at, cl::CL_R);
        assert_eq!(found, [red, 0.0, 0.0, 1.0], "{mode:?} {normalized} {at}");
    }
    let border = SamplerBits::new(Clamp, false, false);
    assert_eq!(sampled(border, -0.5, cl::CL_R), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(sampled(border, 4.0, cl::CL_RGBA), [0.0; 4]);
}

#[test]
fn two_texels_share_by_distance() {
    use Addressing::{Clamp, ClampToEdge, MirroredRepeat, Repeat};
    for (mode, normalized, at, red) in [
        (ClampToEdge, false, 2.0, 1.5),
        (ClampToEdge, false, 2.5, 2.0),
        (ClampToEdge, false, 0.25, 0.0),
        (Clamp, false, 3.75, 2.25),
        (Repeat, true, 0.0, 1.5),
        (Repeat, true, 0.9375, 2.25),
        (MirroredRepeat, true, 1.0, 3.0),
        (MirroredRepeat, true, 0.5, 1.5),
    ] {
        let found = sampled(SamplerBits::new(mode, normalized, true), at, cl::CL_R);
        assert_eq!(found[0], red, "{mode:?} {normalized} {at}");
    }
}

/// How much each of `count` texels has of what lies at `at`, counted in texels: each weighs most at its middle and nothing
/// one texel from it, in an image that goes on forever as the mode says.
fn weights(mode: Addressing, at: f64, count: i64) -> Vec<f64> {
    let mut weights = vec![0.0; count as usize];
    for place in -8 * count..=8 * count {
        let weight = (1.0 - (at - 0.5 - place as f64).abs()).max(0.0);
        let texel = match mode {
            Addressing::Repeat => place.rem_euclid(count),
            Addressing::MirroredRepeat => {
                let turn = place.rem_euclid(2 * count);
                turn.min(2 * count - 1 - turn)
            }
            Addressing::Clamp if !(0..count).contains(&place) => continue,
            _ => place.clamp(0, count - 1),
        };
        weights[texel as usize] += weight;
    }
    weights
}

#[test]
fn areas_and_volumes_are_interpolated_along_each_side() {
    use Addressing::{Clamp, ClampToEdge, MirroredRepeat, Repeat};
    let sides = [5u32, 4, 3];
    let red = |place: Place| f64::from((place[0] * 7 + place[1] * 11 + place[2] * 13 + place[0] * place[1]) % 17);
    let format = format(cl::CL_R, cl::CL_FLOAT);
    let mut compared = 0;
    for slices in [false, true] {
        let of = Dimensions { rows: true, slices, layers: false };
        let depth = if slices { sides[2] } else { 1 };
        let [width, height, _] = sides;
        let image = ImageDescriptor { width, height, depth, layers: 1, ..ImageDescriptor::default() };
        for (mode, normalized) in
            [(Repeat, true), (MirroredRepeat, true), (ClampToEdge, true), (ClampToEdge, false), (Clamp, false)]
        {
            for step in 0..400u32 {
                // Sixteenths of a texel, up to two images to either side.
                let texels: [f64; 3] = std::array::from_fn(|side| {
                    let range = sides[side] * 4 * 16;
                    let number = step.wrapping_mul([97, 193, 389][side]).wrapping_add(31 * side as u32) % range;
                    f64::from(number) / 16.0 - f64::from(sides[side] * 2)
                });
                let at = std::array::from_fn(|side| {
                    (if normalized { texels[side] / f64::from(sides[side]) } else { texels[side] }) as f32
                });
                let mut fetch = |place: Place| Ok::<_, ()>(Color::Float([red(place) as f32, 0.0, 0.0, 1.0]));
                let sampler = SamplerBits::new(mode, normalized, true);
                let found = sample(&image, format, of, sampler, Coordinate::Float(at), &mut fetch);
                let Ok(Color::Float([found, ..])) = found else { panic!("{found:?}") };
                let [x, y, z] = [0, 1, 2].map(|side| weights(mode, texels[side], i64::from(sides[side])));
                let mut wanted = 0.0;
                for (k, z) in z.iter().enumerate().take(depth as usize) {
                    for (j, y) in y.iter().enumerate() {
                        for (i, x) in x.iter().enumerate() {
                            let share = if slices { x * y * z } else { x * y };
                            wanted += share * red([i as u32, j as u32, k as u32]);
                        }
                    }
                }
                assert!((f64::from(found) - wanted).abs() < 1e-3, "{mode:?} {normalized} {at:?}: {found} {wanted}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 4000);
}

#[test]
fn a_level_is_held_within_the_sampler_and_the_image() {
    let plain = SamplerBits::new(Addressing::ClampToEdge, true, true);
    let linear = plain.with_levels(true, 0.0, f32::MAX);
    let held = plain.with_levels(true, 1.25, 2.5);
    for (sampler, lod, wanted) in [
        (plain, 0.0, (0, 0.0)),
        (plain, 1.4, (1, 0.0)),
        (plain, 1.6, (2, 0.0)),
        (plain, 9.0, (3, 0.0)),
        (plain, -9.0, (0, 0.0)),
        (plain, f32::NAN, (0, 0.0)),
        (linear, 1.25, (1, 0.25)),
        (linear, 3.0, (3, 0.0)),
        (linear, f32::INFINITY, (3, 0.0)),
        (plain, 0.5, (0, 0.0)),
        (plain, 1.5, (1, 0.0)),
        (held, 0.0, (0, 0.0)),
        (held, 7.0, (2, 0.5)),
        (plain.with_levels(false, 0.0, 1.0), 7.0, (1, 0.0)),
    ] {
        assert_eq!(level(sampler, 4, lod), wanted, "{sampler:?} {lod}");
    }
    assert_eq!([level(held, 1, 7.0), level(linear, 0, 7.0)], [(0, 0.0); 2]);
}

#[test]
fn the_longer_gradient_says_which_level() {
    let image = ImageDescriptor { width: 64, height: 32, depth: 8, ..ImageDescriptor::default() };
    let deep = Dimensions { rows: true, slices: true, layers: false };
    let flat = Dimensions { slices: false, ..deep };
    let exact = |texels: f64| texels.log2() as f32;
    let all = SamplerBits::new(Addressing::ClampToEdge, true, false);
    for (of, gradients, texels) in [
        (flat, [[1.0 / 64.0, 0.0, 9.0], [0.0; 3]], 1.0),
        (flat, [[0.0; 3], [0.0, 0.25, 9.0]], 8.0),
        (flat, [[3.0 / 64.0, 4.0 / 32.0, 0.0], [0.01, 0.01, 0.0]], 5.0),
        (deep, [[1.0 / 64.0, 0.0, 0.5], [0.0; 3]], 17f64.sqrt()),
        (flat, [[0.7, 0.0, 0.0], [0.0, -0.9, 0.0]], 44.8),
        (flat, [[1e-4, 0.0, 0.0], [0.0; 3]], 1.0),
    ] {
        let found = level_of_gradients(&image, all, of, gradients);
        assert!((found - exact(texels)).abs() < 1e-4, "{gradients:?}: {found}, not {}", exact(texels));
    }
    let held = all.with_levels(false, 1.5, 9.0);
    for (sampler, gradient, wanted) in [
        (all, 0.0, 0.0),
        (all, f32::NAN, 0.0),
        (all, f32::INFINITY, 64.0),
        (held, 0.0, 1.5),
        (held, 2.0 / 64.0, 1.5),
        (held, 1.0, 6.0),
    ] {
        assert_eq!(level_of_gradients(&image, sampler, flat, [[gradient, 0.0, 0.0], [0.0; 3]]), wanted);
    }
}
