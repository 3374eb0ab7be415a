//! From the bytes of a texel to a colour.

use half::f16;

use crate::format::{Channel, Encoding, Format, Kind};
use crate::{Color, srgb};

/// The bits of a channel, at the low end.
fn field(texel: u128, channel: Channel) -> u32 {
    let bits = (texel >> channel.shift) as u32;
    if channel.bits >= 32 { bits } else { bits & ((1 << channel.bits) - 1) }
}

/// The same, with the sign extended.
fn signed(texel: u128, channel: Channel) -> i32 {
    let unused = 32 - u32::from(channel.bits);
    (field(texel, channel) << unused).cast_signed() >> unused
}

/// The value of a channel as a number. Normalised numbers are a product with what is nearest to the inverse of the largest,
/// as compiled kernels make them; it is off by no more than the specification has it, and the largest is 1.
fn number(texel: u128, channel: Channel) -> f32 {
    let inverse = |bits: u32| 1.0 / ((1u32 << bits) - 1) as f32;
    let bits = u32::from(channel.bits);
    match channel.encoding {
        Encoding::Unorm => field(texel, channel) as f32 * inverse(bits),
        Encoding::Snorm => (signed(texel, channel) as f32 * inverse(bits - 1)).max(-1.0),
        Encoding::Srgb => srgb::to_linear(field(texel, channel) as u8),
        Encoding::Float if bits == 16 => f16::from_bits(field(texel, channel) as u16).to_f32(),
        Encoding::Float => f32::from_bits(field(texel, channel)),
        Encoding::Signed => signed(texel, channel) as f32,
        Encoding::Unsigned => field(texel, channel) as f32,
    }
}

impl Format {
    /// The colour of a texel. Components that the format does not have are 0, and alpha is 1. What `bytes` lacks of a texel
    /// is zero.
    pub fn decode(self, bytes: &[u8]) -> Color {
        let layout = self.layout();
        let mut word = [0; 16];
        for (place, byte) in word.iter_mut().zip(bytes.iter().take(usize::from(layout.bytes))) {
            *place = *byte;
        }
        let texel = u128::from_le_bytes(word);
        match self.kind() {
            Kind::Float => {
                let mut color = [0.0, 0.0, 0.0, 1.0];
                for channel in layout.channels() {
                    set(&mut color, channel, layout.spread, number(texel, channel));
                }
                Color::Float(color)
            }
            Kind::Signed => {
                let mut color = [0, 0, 0, 1];
                for channel in layout.channels() {
                    set(&mut color, channel, layout.spread, signed(texel, channel));
                }
                Color::Signed(color)
            }
            Kind::Unsigned => {
                let mut color = [0, 0, 0, 1];
                for channel in layout.channels() {
                    set(&mut color, channel, layout.spread, field(texel, channel));
                }
                Color::Unsigned(color)
            }
        }
    }
}

/// Sets the components that a channel stands for.
fn set<T: Copy>(color: &mut [T; 4], channel: Channel, spread: u8, value: T) {
    for place in color.iter_mut().skip(usize::from(channel.component)).take(usize::from(spread)) {
        *place = value;
    }
}
