//! Which formats there are, and where in a texel their channels lie.

use std::sync::LazyLock;

use khronos_headers as cl;

/// A format that images can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    order: u32,
    data_type: u32,
}

/// Which kind of colour a format holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Numbers from 0 or -1 to 1, or floating-point numbers.
    Float,
    /// Signed integers.
    Signed,
    /// Unsigned integers.
    Unsigned,
}

/// What the bits of a channel are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// 0 is 0, all bits set is 1.
    Unorm,
    /// A signed number: the largest is 1, and the two smallest are -1.
    Snorm,
    /// A signed integer.
    Signed,
    /// An unsigned integer.
    Unsigned,
    /// A floating-point number, of 16 or 32 bits.
    Float,
    /// As [`Encoding::Unorm`], along the curve of sRGB.
    Srgb,
}

/// A channel in the little-endian number that is a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Channel {
    /// Component of the colour: 0 red, 1 green, 2 blue, 3 alpha.
    pub component: u8,
    /// Lowest bit.
    pub shift: u8,
    /// Number of bits.
    pub bits: u8,
    /// What they are.
    pub encoding: Encoding,
}

/// How a texel is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bytes of a texel: 1, 2, 4, 8 or 16.
    pub bytes: u8,
    channels: [Option<Channel>; 4],
    /// How many components, from the first on, the only channel stands for: 1, 3 for luminance, 4 for intensity.
    pub spread: u8,
}

impl Layout {
    /// The channels that mean something.
    pub fn channels(&self) -> impl Iterator<Item = Channel> + '_ {
        self.channels.iter().flatten().copied()
    }
}

const R: u8 = 0;
const G: u8 = 1;
const B: u8 = 2;
const A: u8 = 3;

/// Component of each stored channel, lowest address first, and which types go with the order.
fn stored(order: u32) -> Option<(&'static [u8], Types)> {
    Some(match order {
        cl::CL_R => (&[R], Types::Any),
        cl::CL_DEPTH => (&[R], Types::Depth),
        cl::CL_LUMINANCE | cl::CL_INTENSITY => (&[R], Types::Normalised),
        cl::CL_A => (&[A], Types::Any),
        cl::CL_RG => (&[R, G], Types::Any),
        cl::CL_RA => (&[R, A], Types::Any),
        cl::CL_RGBA => (&[R, G, B, A], Types::Any),
        cl::CL_BGRA => (&[B, G, R, A], Types::Bytes),
        cl::CL_ARGB => (&[A, R, G, B], Types::Bytes),
        cl::CL_ABGR => (&[A, B, G, R], Types::Bytes),
        cl::CL_sRGBA => (&[R, G, B, A], Types::Srgb),
        cl::CL_sBGRA => (&[B, G, R, A], Types::Srgb),
        _ => return None,
    })
}

/// Which types go with an order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Types {
    Any,
    Normalised,
    Depth,
    Bytes,
    Srgb,
}

/// Bits and encoding of the types that have each channel by itself.
fn plain(data_type: u32) -> Option<(u8, Encoding)> {
    Some(match data_type {
        cl::CL_SNORM_INT8 => (8, Encoding::Snorm),
        cl::CL_SNORM_INT16 => (16, Encoding::Snorm),
        cl::CL_UNORM_INT8 => (8, Encoding::Unorm),
        cl::CL_UNORM_INT16 => (16, Encoding::Unorm),
        cl::CL_SIGNED_INT8 => (8, Encoding::Signed),
        cl::CL_SIGNED_INT16 => (16, Encoding::Signed),
        cl::CL_SIGNED_INT32 => (32, Encoding::Signed),
        cl::CL_UNSIGNED_INT8 => (8, Encoding::Unsigned),
        cl::CL_UNSIGNED_INT16 => (16, Encoding::Unsigned),
        cl::CL_UNSIGNED_INT32 => (32, Encoding::Unsigned),
        cl::CL_HALF_FLOAT => (16, Encoding::Float),
        cl::CL_FLOAT => (32, Encoding::Float),
        _ => return None,
    })
}

/// Component, lowest bit and number of bits of a channel.
type Field = (u8, u8, u8);

/// Bytes and channels of the types that pack a texel into a word.
fn packed(order: u32, data_type: u32) -> Option<(u8, &'static [Field])> {
    let rgb = order == cl::CL_RGB;
    Some(match data_type {
        cl::CL_UNORM_SHORT_565 if rgb => (2, &[(R, 11, 5), (G, 5, 6), (B, 0, 5)]),
        cl::CL_UNORM_SHORT_555 if rgb => (2, &[(R, 10, 5), (G, 5, 5), (B, 0, 5)]),
        cl::CL_UNORM_INT_101010 if rgb => (4, &[(R, 20, 10), (G, 10, 10), (B, 0, 10)]),
        cl::CL_UNORM_INT_101010_2 if order == cl::CL_RGBA => (4, &[(R, 22, 10), (G, 12, 10), (B, 2, 10), (A, 0, 2)]),
        cl::CL_UNORM_INT_2_101010_EXT if order == cl::CL_ABGR => {
            (4, &[(R, 0, 10), (G, 10, 10), (B, 20, 10), (A, 30, 2)])
        }
        _ => return None,
    })
}

impl Types {
    fn have(self, bits: u8, encoding: Encoding) -> bool {
        let fraction = matches!(encoding, Encoding::Unorm | Encoding::Snorm | Encoding::Float);
        match self {
            Types::Any => true,
            Types::Normalised => fraction,
            Types::Depth => (bits, encoding) == (16, Encoding::Unorm) || (bits, encoding) == (32, Encoding::Float),
            Types::Bytes => bits == 8,
            Types::Srgb => (bits, encoding) == (8, Encoding::Unorm),
        }
    }
}

impl Format {
    /// Every order, in the order of [`Format::all`].
    const ORDERS: [u32; 14] = [
        cl::CL_RGBA,
        cl::CL_BGRA,
        cl::CL_R,
        cl::CL_RG,
        cl::CL_A,
        cl::CL_RA,
        cl::CL_ARGB,
        cl::CL_ABGR,
        cl::CL_LUMINANCE,
        cl::CL_INTENSITY,
        cl::CL_RGB,
        cl::CL_sRGBA,
        cl::CL_sBGRA,
        cl::CL_DEPTH,
    ];
    /// Every type, likewise.
    const TYPES: [u32; 17] = [
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
        cl::CL_SNORM_INT8,
        cl::CL_SNORM_INT16,
        cl::CL_UNORM_SHORT_565,
        cl::CL_UNORM_SHORT_555,
        cl::CL_UNORM_INT_101010,
        cl::CL_UNORM_INT_101010_2,
        cl::CL_UNORM_INT_2_101010_EXT,
    ];

    /// The format with this `cl_channel_order` and `cl_channel_type`; none if there is no such format.
    pub fn new(order: u32, data_type: u32) -> Option<Format> {
        let format = Format { order, data_type };
        format.find().map(|_| format)
    }

    /// Whether order and type exist and go together, though there may be no such format here.
    pub fn could_be(order: u32, data_type: u32) -> bool {
        let packs = matches!(
            data_type,
            cl::CL_UNORM_SHORT_565
                | cl::CL_UNORM_SHORT_555
                | cl::CL_UNORM_INT_101010
                | cl::CL_UNORM_INT_101010_2
                | cl::CL_UNORM_INT_2_101010_EXT
        );
        let order_exists = matches!(order, cl::CL_R..=cl::CL_DEPTH | cl::CL_sRGB..=cl::CL_ABGR);
        // Which is packed like the order without the channel that means nothing.
        let rgb = if order == cl::CL_RGBx { cl::CL_RGB } else { order };
        order_exists && if packs { packed(rgb, data_type).is_some() } else { plain(data_type).is_some() }
    }

    /// Every format.
    pub fn all() -> impl Iterator<Item = Format> {
        static ALL: LazyLock<Vec<Format>> = LazyLock::new(|| {
            let of = |order| Format::TYPES.into_iter().filter_map(move |data_type| Format::new(order, data_type));
            Format::ORDERS.into_iter().flat_map(of).collect()
        });
        ALL.iter().copied()
    }

    /// `cl_channel_order`.
    pub fn order(self) -> u32 {
        self.order
    }

    /// `cl_channel_type`.
    pub fn data_type(self) -> u32 {
        self.data_type
    }

    /// How a texel is stored.
    pub fn layout(self) -> Layout {
        // There is no other format than one that was found.
        self.find().unwrap_or(Layout { bytes: 1, channels: [None; 4], spread: 1 })
    }

    /// Bytes of a texel.
    pub fn bytes(self) -> usize {
        usize::from(self.layout().bytes)
    }

    /// Which kind of colour it holds.
    pub fn kind(self) -> Kind {
        match self.data_type {
            cl::CL_SIGNED_INT8 | cl::CL_SIGNED_INT16 | cl::CL_SIGNED_INT32 => Kind::Signed,
            cl::CL_UNSIGNED_INT8 | cl::CL_UNSIGNED_INT16 | cl::CL_UNSIGNED_INT32 => Kind::Unsigned,
            _ => Kind::Float,
        }
    }

    /// Whether its colours lie along the curve of sRGB.
    pub fn is_srgb(self) -> bool {
        matches!(self.order, cl::CL_sRGBA | cl::CL_sBGRA)
    }

    /// Whether it holds depths.
    pub fn is_depth(self) -> bool {
        self.order == cl::CL_DEPTH
    }

    fn find(self) -> Option<Layout> {
        let mut channels = [None; 4];
        if let Some((bytes, fields)) = packed(self.order, self.data_type) {
            for (place, &(component, shift, bits)) in channels.iter_mut().zip(fields) {
                *place = Some(Channel { component, shift, bits, encoding: Encoding::Unorm });
            }
            return Some(Layout { bytes, channels, spread: 1 });
        }
        let (components, types) = stored(self.order)?;
        let (bits, encoding) = plain(self.data_type)?;
        if !types.have(bits, encoding) {
            return None;
        }
        let mut shift = 0;
        for (place, &component) in channels.iter_mut().zip(components) {
            // Alpha is never along the curve.
            let curved = types == Types::Srgb && component != A;
            let encoding = if curved { Encoding::Srgb } else { encoding };
            *place = Some(Channel { component, shift, bits, encoding });
            shift += bits;
        }
        let spread = match self.order {
            cl::CL_LUMINANCE => 3,
            cl::CL_INTENSITY => 4,
            _ => 1,
        };
        Some(Layout { bytes: components.len() as u8 * (bits / 8), channels, spread })
    }
}
