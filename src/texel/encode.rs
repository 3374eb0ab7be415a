//! From a colour to the bytes of a texel.

use half::f16;

use crate::format::{Channel, Encoding, Format};
use crate::{Color, srgb};

/// A number, scaled, clamped, and rounded to the nearest even integer. What is no number is 0.
fn scaled(value: f32, scale: f32, least: f32, most: f32) -> i32 {
    let value = value * scale;
    if value.is_nan() { 0 } else { value.clamp(least, most).round_ties_even() as i32 }
}

/// The bits of a component in a channel.
fn field(color: Color, channel: Channel) -> u32 {
    let component = usize::from(channel.component.min(3));
    let bits = u32::from(channel.bits);
    // Of what is normalised, and so has no more than 16 bits.
    let largest = ((1u64 << bits) - 1) as f32;
    let largest_signed = ((1u64 << (bits - 1)) - 1) as f32;
    let mask = ((1u64 << bits) - 1) as u32;
    let number = |color: [f32; 4]| color[component];
    match (channel.encoding, color) {
        (Encoding::Unorm, Color::Float(color)) => scaled(number(color), largest, 0.0, largest).cast_unsigned(),
        (Encoding::Snorm, Color::Float(color)) => {
            scaled(number(color), largest_signed, -largest_signed - 1.0, largest_signed).cast_unsigned() & mask
        }
        (Encoding::Srgb, Color::Float(color)) => u32::from(srgb::from_linear(number(color))),
        (Encoding::Float, Color::Float(color)) if bits == 16 => u32::from(f16::from_f32(number(color)).to_bits()),
        (Encoding::Float, Color::Float(color)) => number(color).to_bits(),
        (Encoding::Signed, Color::Signed(color)) => {
            let most = ((1i64 << (bits - 1)) - 1) as i32;
            color[component].clamp(-most - 1, most).cast_unsigned() & mask
        }
        (Encoding::Unsigned, Color::Unsigned(color)) => color[component].min(mask),
        // A colour of another kind than the format's, which the specification leaves undefined.
        _ => 0,
    }
}

impl Format {
    /// The bytes of a texel, [`Format::bytes`] of them; the others are zero. Bits that mean nothing are zero. A colour of
    /// another kind than that of the format gives zeros.
    pub fn encode(self, color: Color) -> [u8; 16] {
        let mut texel = 0u128;
        for channel in self.layout().channels() {
            texel |= u128::from(field(color, channel)) << channel.shift;
        }
        texel.to_le_bytes()
    }
}
