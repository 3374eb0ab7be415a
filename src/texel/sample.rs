//! Image addressing and filtering: which texels a coordinate means, and what becomes of them.

use khronos_headers as cl;
use oxicl_abi::{Addressing, ImageDescriptor, SamplerBits};

use crate::{Color, Format, Kind};

/// What images of a kind have beside a width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dimensions {
    /// A height.
    pub rows: bool,
    /// A depth.
    pub slices: bool,
    /// They are arrays.
    pub layers: bool,
}

/// A coordinate; numbers that the kind of image does not need are not looked at. The layer of an array comes behind the
/// others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Coordinate {
    /// Normalised if the sampler says so.
    Float([f32; 3]),
    /// Texels are counted.
    Int([i32; 3]),
}

/// One or two texels along a dimension, and the share of the second.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    texels: [i64; 2],
    share: f32,
}

/// A place of a texel: column, row, slice or layer.
pub type Place = [u32; 3];

/// A number as an integer; what is none, or is far outside of any image, is one that is outside too.
fn integer(number: f32) -> i64 {
    if number.is_nan() { i64::from(i32::MIN) } else { number.clamp(-1e9, 1e9) as i64 }
}

/// The span of a coordinate among `count` texels.
fn span(sampler: SamplerBits, coordinate: f32, count: u32) -> Span {
    let last = i64::from(count) - 1;
    let repeats = sampler.normalized() && sampler.addressing() == Addressing::Repeat;
    let number = match sampler.addressing() {
        _ if !sampler.normalized() => coordinate,
        Addressing::Repeat => (coordinate - coordinate.floor()) * count as f32,
        Addressing::MirroredRepeat => {
            let even = 2.0 * (0.5 * coordinate).round_ties_even();
            (coordinate - even).abs() * count as f32
        }
        _ => coordinate * count as f32,
    };
    if !sampler.linear() {
        let texel = integer(number.floor());
        let texel = if repeats && texel > last { texel - last - 1 } else { texel };
        return Span { texels: [texel; 2], share: 0.0 };
    }
    let number = number - 0.5;
    let first = integer(number.floor());
    let mut texels = [first, first + 1];
    if repeats && first < 0 {
        texels[0] += last + 1;
    }
    if repeats && first + 1 > last {
        texels[1] -= last + 1;
    }
    Span { texels, share: number - number.floor() }
}

/// The colour outside of an image.
fn border(format: Format) -> Color {
    let opaque = matches!(format.order(), cl::CL_R | cl::CL_RG | cl::CL_RGB | cl::CL_LUMINANCE);
    match format.kind() {
        Kind::Float => Color::Float([0.0, 0.0, 0.0, if opaque { 1.0 } else { 0.0 }]),
        Kind::Signed => Color::Signed([0, 0, 0, i32::from(opaque)]),
        Kind::Unsigned => Color::Unsigned([0, 0, 0, u32::from(opaque)]),
    }
}

/// The texel at a place; that at the edge, or the border, where there is none.
fn texel<E>(
    image: &ImageDescriptor,
    format: Format,
    of: Dimensions,
    sampler: SamplerBits,
    at: [i64; 3],
    fetch: &mut dyn FnMut(Place) -> Result<Color, E>,
) -> Result<Color, E> {
    let third = if of.layers { image.layers } else { image.depth };
    let mut place = [0; 3];
    for (number, count) in [image.width, image.height, third].into_iter().enumerate() {
        let last = i64::from(count.max(1)) - 1;
        // A layer has been chosen among those there are.
        if !(0..=last).contains(&at[number]) && sampler.addressing() == Addressing::Clamp {
            return Ok(border(format));
        }
        place[number] = at[number].clamp(0, last) as u32;
    }
    fetch(place)
}

/// The colour at a coordinate. `fetch` gives the texel at a place, which is inside of the image.
///
/// # Errors
/// Those of `fetch`.
pub fn sample<E>(
    image: &ImageDescriptor,
    format: Format,
    of: Dimensions,
    sampler: SamplerBits,
    coordinate: Coordinate,
    fetch: &mut dyn FnMut(Place) -> Result<Color, E>,
) -> Result<Color, E> {
    let layer = |layer: i64| layer.clamp(0, i64::from(image.layers.max(1)) - 1);
    let behind = if of.rows { 2 } else { 1 };
    let (number, sampler) = match coordinate {
        Coordinate::Int(number) => {
            let third = i64::from(number[behind]);
            let third = if of.layers { layer(third) } else { third };
            let at = [
                i64::from(number[0]),
                if of.rows { i64::from(number[1]) } else { 0 },
                if of.slices || of.layers { third } else { 0 },
            ];
            return texel(image, format, of, sampler, at, fetch);
        }
        // Integers are not interpolated.
        Coordinate::Float(number) if format.kind() != Kind::Float => {
            (number, SamplerBits::new(sampler.addressing(), sampler.normalized(), false))
        }
        Coordinate::Float(number) => (number, sampler),
    };
    let one = Span::default();
    let along = [
        span(sampler, number[0], image.width),
        if of.rows { span(sampler, number[1], image.height) } else { one },
        if of.slices {
            span(sampler, number[2], image.depth)
        } else if of.layers {
            Span { texels: [layer(integer(number[behind].round_ties_even())); 2], share: 0.0 }
        } else {
            one
        },
    ];
    if !sampler.linear() {
        return texel(image, format, of, sampler, along.map(|span| span.texels[0]), fetch);
    }
    let filtered = [true, of.rows, of.slices];
    let mut sum = [0.0f32; 4];
    // The order of the sum: along rows first, then columns, then slices.
    let taps = 1 << filtered.iter().filter(|filtered| **filtered).count();
    for tap in 0..taps {
        let which: [usize; 3] = std::array::from_fn(|dimension| tap >> dimension & 1);
        let mut weight = 1.0f32;
        for dimension in 0..3 {
            let share = along[dimension].share;
            if filtered[dimension] {
                weight *= if which[dimension] == 1 { share } else { 1.0 - share };
            }
        }
        let at = std::array::from_fn(|dimension| along[dimension].texels[which[dimension]]);
        let Color::Float(color) = texel(image, format, of, sampler, at, fetch)? else { continue };
        for (sum, part) in sum.iter_mut().zip(color) {
            *sum = if tap == 0 { weight * part } else { *sum + weight * part };
        }
    }
    Ok(Color::Float(sum))
}

/// The level of detail to take, or the first of two, and the share of the second: what a sampler makes of `lod` for an image
/// with so many levels. Its least level is for those that are computed: see [`level_of_gradients`].
pub fn level(sampler: SamplerBits, levels: u32, lod: f32) -> (u32, f32) {
    let [_, most] = sampler.levels();
    let last = levels.max(1) - 1;
    let lod = lod.max(0.0).min(most).min(last as f32);
    // Of two that are as near, the larger image, as in OpenGL.
    if sampler.mip_linear() { (lod as u32, lod.fract()) } else { ((lod + 0.5).ceil() as u32 - 1, 0.0) }
}

/// The level of detail at which the longer of two gradients, in coordinates from 0 to 1, goes one texel, or the least that
/// the sampler allows.
pub fn level_of_gradients(
    image: &ImageDescriptor,
    sampler: SamplerBits,
    of: Dimensions,
    gradients: [[f32; 3]; 2],
) -> f32 {
    let sizes = [(true, image.width), (of.rows, image.height), (of.slices, image.depth)];
    let squared = |gradient: [f32; 3]| {
        let along = gradient.into_iter().zip(sizes).filter(|(_, (counts, _))| *counts);
        let texels = along.map(|(part, (_, size))| part * size as f32);
        texels.map(|texels| texels * texels).reduce(|sum, square| sum + square).unwrap_or_default()
    };
    let [first, second] = gradients.map(squared);
    let longer = if first > second { first } else { second };
    let level = if longer >= f32::MIN_POSITIVE { 0.5 * coarse_log2(longer) } else { -126.0 };
    let [least, _] = sampler.levels();
    if level > least { level } else { least }
}

/// log2 of a normal number or infinity, right to some millionths, by the series of the inverse hyperbolic tangent. Both devices
/// round alike, which library functions need not.
fn coarse_log2(number: f32) -> f32 {
    let exponent = (number.to_bits() >> 23) as i32 - 127;
    let mantissa = f32::from_bits((number.to_bits() & 0x7f_ffff) | 0x3f80_0000);
    let t = (mantissa - 1.0) / (mantissa + 1.0);
    let s = t * t;
    let series = 1.0 + s * (1.0 / 3.0 + s * (1.0 / 5.0 + s * (1.0 / 7.0 + s * (1.0 / 9.0))));
    exponent as f32 + 2.885_39 * t * series
}
