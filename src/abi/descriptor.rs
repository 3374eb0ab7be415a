//! Images and samplers as kernels see them.

/// An image. Generated code reads it by field offset, so the order is fixed.
///
/// The argument block has the address of one; it lives as long as the launch, and so do the texels.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImageDescriptor {
    /// Address of the first texel.
    pub base: u64,
    /// Bytes from a row to the next.
    pub row_pitch: u64,
    /// Bytes from a slice, or from an image of an array, to the next.
    pub slice_pitch: u64,
    /// Texels in a row, at least 1.
    pub width: u32,
    /// Rows; 1 if images of this kind have none.
    pub height: u32,
    /// Slices; 1 if images of this kind have none.
    pub depth: u32,
    /// Images in the array; 1 if it is no array.
    pub layers: u32,
    /// `cl_channel_order`.
    pub order: u32,
    /// `cl_channel_type`.
    pub data_type: u32,
    /// Bytes of a texel.
    pub texel_bytes: u32,
    /// Levels of detail, at least 1. There is a descriptor for each, one behind the other, the largest level first.
    pub levels: u32,
}

const _: () = {
    use std::mem::offset_of;
    assert!(size_of::<ImageDescriptor>() == 56 && align_of::<ImageDescriptor>() == 8);
    assert!(offset_of!(ImageDescriptor, base) == 0);
    assert!(offset_of!(ImageDescriptor, row_pitch) == 8);
    assert!(offset_of!(ImageDescriptor, slice_pitch) == 16);
    assert!(offset_of!(ImageDescriptor, width) == 24);
    assert!(offset_of!(ImageDescriptor, height) == 28);
    assert!(offset_of!(ImageDescriptor, depth) == 32);
    assert!(offset_of!(ImageDescriptor, layers) == 36);
    assert!(offset_of!(ImageDescriptor, order) == 40);
    assert!(offset_of!(ImageDescriptor, data_type) == 44);
    assert!(offset_of!(ImageDescriptor, texel_bytes) == 48);
    assert!(offset_of!(ImageDescriptor, levels) == 52);
};

impl ImageDescriptor {
    /// The channel order that SPIR-V numbers 0; the others follow in the same order.
    pub const FIRST_ORDER: u32 = 0x10B0;
    /// The channel type that SPIR-V numbers 0; the others follow in the same order.
    pub const FIRST_TYPE: u32 = 0x10D0;

    /// The descriptor as it lies in memory.
    pub fn to_bytes(&self) -> [u8; size_of::<Self>()] {
        let mut bytes = [0; size_of::<Self>()];
        let words = [
            self.width,
            self.height,
            self.depth,
            self.layers,
            self.order,
            self.data_type,
            self.texel_bytes,
            self.levels,
        ];
        let first = [self.base, self.row_pitch, self.slice_pitch].into_iter().flat_map(u64::to_ne_bytes);
        let rest = words.into_iter().flat_map(u32::to_ne_bytes);
        for (place, byte) in bytes.iter_mut().zip(first.chain(rest)) {
            *place = byte;
        }
        bytes
    }

    /// The descriptor that lies in memory.
    pub fn from_bytes(bytes: &[u8; size_of::<Self>()]) -> Self {
        let word = |at: usize| u32::from_ne_bytes(std::array::from_fn(|index| bytes[at + index]));
        let long = |at: usize| u64::from_ne_bytes(std::array::from_fn(|index| bytes[at + index]));
        ImageDescriptor {
            base: long(0),
            row_pitch: long(8),
            slice_pitch: long(16),
            width: word(24),
            height: word(28),
            depth: word(32),
            layers: word(36),
            order: word(40),
            data_type: word(44),
            texel_bytes: word(48),
            levels: word(52),
        }
    }
}

/// What a coordinate outside of an image means; the numbers are those of SPIR-V.
#[repr(u8)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Addressing {
    /// No coordinate is outside.
    #[default]
    None = 0,
    /// The texel at the edge.
    ClampToEdge = 1,
    /// The border colour.
    Clamp = 2,
    /// The image repeated.
    Repeat = 3,
    /// The image repeated, and mirrored each time.
    MirroredRepeat = 4,
}

/// A sampler as kernels see it: one word, as the argument block has it and as constants are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SamplerBits(u64);

impl Addressing {
    /// The mode that has a number, if there is one.
    const fn numbered(number: u64) -> Option<Self> {
        Some(match number {
            0 => Addressing::None,
            1 => Addressing::ClampToEdge,
            2 => Addressing::Clamp,
            3 => Addressing::Repeat,
            4 => Addressing::MirroredRepeat,
            _ => return None,
        })
    }
}

impl SamplerBits {
    /// Coordinates run from 0 to 1.
    pub const NORMALIZED: u64 = 1 << 4;
    /// Texels are interpolated; else the nearest one is taken.
    pub const LINEAR: u64 = 1 << 5;
    /// Levels of detail are interpolated; else the nearest one is taken.
    pub const MIP_LINEAR: u64 = 1 << 6;
    const ADDRESSING: u64 = 0xF;
    /// Shifts of two fields of 16 bits: the least level of detail, and the distance of the largest from
    /// [`Self::MOST_LEVEL`].
    const LEAST: u32 = 16;
    const MOST: u32 = 32;
    /// How many of the units in which levels of detail are stored make a level.
    pub const PARTS_OF_LEVEL: f32 = 1024.0;
    /// The largest level of detail in these units: all 16 bits are set.
    const MOST_LEVEL: u64 = u16::MAX as u64;

    /// A sampler.
    pub const fn new(addressing: Addressing, normalized: bool, linear: bool) -> Self {
        let bits = addressing as u64;
        let bits = if normalized { bits | Self::NORMALIZED } else { bits };
        SamplerBits(if linear { bits | Self::LINEAR } else { bits })
    }

    /// The same for images with levels of detail, which are clamped to `least` and `most`, and interpolated if
    /// `linear`. Without this call, they are neither clamped nor interpolated.
    #[must_use]
    pub fn with_levels(self, linear: bool, least: f32, most: f32) -> Self {
        // NaN becomes 0.
        let parts = |level: f32| ((level * Self::PARTS_OF_LEVEL) as u64).min(Self::MOST_LEVEL);
        let modes = Self::ADDRESSING | Self::NORMALIZED | Self::LINEAR;
        let mip = if linear { Self::MIP_LINEAR } else { 0 };
        let most = Self::MOST_LEVEL - parts(most);
        SamplerBits(self.0 & modes | mip | parts(least) << Self::LEAST | most << Self::MOST)
    }

    /// The sampler that has SPIR-V's numbers of an addressing mode and a filter mode, if there are such modes.
    pub const fn from_literal(addressing: u32, normalized: bool, filter: u32) -> Option<Self> {
        match Addressing::numbered(addressing as u64) {
            Some(addressing) if filter <= 1 => Some(Self::new(addressing, normalized, filter == 1)),
            _ => None,
        }
    }

    /// The sampler that has this word, if the word is valid.
    pub const fn from_bits(bits: u64) -> Option<Self> {
        let levels = (Self::MOST_LEVEL << Self::LEAST) | (Self::MOST_LEVEL << Self::MOST);
        let known = Self::ADDRESSING | Self::NORMALIZED | Self::LINEAR | Self::MIP_LINEAR | levels;
        let is_one = bits & !known == 0 && Addressing::numbered(bits & Self::ADDRESSING).is_some();
        if is_one { Some(SamplerBits(bits)) } else { None }
    }

    /// The word.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// What coordinates outside of the image mean.
    pub const fn addressing(self) -> Addressing {
        match Addressing::numbered(self.0 & Self::ADDRESSING) {
            Some(addressing) => addressing,
            None => Addressing::None,
        }
    }

    /// Whether coordinates run from 0 to 1.
    pub const fn normalized(self) -> bool {
        self.0 & Self::NORMALIZED != 0
    }

    /// Whether texels are interpolated.
    pub const fn linear(self) -> bool {
        self.0 & Self::LINEAR != 0
    }

    /// Whether levels of detail are interpolated.
    pub const fn mip_linear(self) -> bool {
        self.0 & Self::MIP_LINEAR != 0
    }

    /// The least and the largest level of detail.
    pub fn levels(self) -> [f32; 2] {
        let part = |at: u32| (self.0 >> at) as u16;
        [part(Self::LEAST), u16::MAX - part(Self::MOST)].map(|parts| f32::from(parts) / Self::PARTS_OF_LEVEL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_descriptor_is_what_its_bytes_say() {
        let image = ImageDescriptor {
            base: 0x1122_3344_5566_7788,
            row_pitch: 400,
            slice_pitch: 40_000,
            width: 100,
            height: 99,
            depth: 3,
            layers: 1,
            order: 0x10B5,
            data_type: 0x10D2,
            texel_bytes: 4,
            levels: 2,
        };
        assert_eq!(ImageDescriptor::from_bytes(&image.to_bytes()), image);
        assert_eq!(image.to_bytes()[24..32], [100, 0, 0, 0, 99, 0, 0, 0]);
    }

    #[test]
    fn levels_of_detail_are_kept_in_parts() {
        let plain = SamplerBits::new(Addressing::Repeat, true, true);
        assert_eq!((plain.mip_linear(), plain.levels()), (false, [0.0, 65535.0 / 1024.0]));
        assert_eq!(plain.with_levels(false, 0.0, f32::MAX), plain);
        for (linear, least, most) in [(true, 0.0, 3.5), (false, 1.25, 2.0), (true, 7.0, 0.5)] {
            let sampler = plain.with_levels(linear, least, most);
            assert_eq!((sampler.mip_linear(), sampler.levels()), (linear, [least, most]));
            assert_eq!(SamplerBits::from_bits(sampler.bits()), Some(sampler));
            assert_eq!(
                (sampler.addressing(), sampler.normalized(), sampler.linear()),
                (Addressing::Repeat, true, true)
            );
        }
        assert_eq!(plain.with_levels(true, -1.0, f32::INFINITY).levels(), [0.0, 65535.0 / 1024.0]);
        assert_eq!(plain.with_levels(true, f32::NAN, -2.0).levels(), [0.0, 0.0]);
    }

    #[test]
    fn every_sampler_is_its_word_and_no_other_word_is_one() {
        let modes = [
            Addressing::None,
            Addressing::ClampToEdge,
            Addressing::Clamp,
            Addressing::Repeat,
            Addressing::MirroredRepeat,
        ];
        for addressing in modes {
            for flags in 0..4 {
                let sampler = SamplerBits::new(addressing, flags & 1 != 0, flags & 2 != 0);
                assert_eq!(sampler.bits(), addressing as u64 | (flags << 4));
                assert_eq!(SamplerBits::from_bits(sampler.bits()), Some(sampler));
                assert_eq!(sampler.addressing(), addressing);
                assert_eq!([sampler.normalized(), sampler.linear()], [1, 2].map(|bit| flags & bit != 0));
                let filter = u32::from(sampler.linear());
                assert_eq!(SamplerBits::from_literal(addressing as u32, sampler.normalized(), filter), Some(sampler));
            }
        }
        assert_eq!([SamplerBits::from_literal(5, false, 0), SamplerBits::from_literal(0, false, 2)], [None; 2]);
        for word in [5, 0xF, 1 << 7, 1 << 15, 1 << 48, u64::MAX] {
            assert_eq!(SamplerBits::from_bits(word), None, "{word:#x}");
        }
    }
}
