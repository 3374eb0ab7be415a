//! What is printed.

/// The type of a component of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// An integer of so many bits.
    Int(u32),
    /// A floating-point number of so many bits: 16, 32 or 64.
    Float(u32),
    /// A pointer.
    Pointer,
}

/// The type of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Of what.
    pub element: Element,
    /// How many; 1 for a scalar.
    pub count: u32,
}

impl Shape {
    /// The shape as one number, which is how compiled code hands it over.
    pub fn to_word(self) -> u32 {
        let (kind, width) = match self.element {
            Element::Int(width) => (0, width),
            Element::Float(width) => (1, width),
            Element::Pointer => (2, 64),
        };
        kind | width << 8 | self.count << 16
    }

    /// The shape that [`Shape::to_word`] made a number of.
    pub fn from_word(word: u32) -> Option<Shape> {
        let width = word >> 8 & 0xff;
        let element = match word & 0xff {
            0 => Element::Int(width),
            1 => Element::Float(width),
            2 => Element::Pointer,
            _ => return None,
        };
        Some(Shape { element, count: word >> 16 })
    }
}

/// An argument: the bits of each component in a number of its own, what is above its width being ignored.
#[derive(Clone, Copy, Debug)]
pub struct Argument<'a> {
    /// Its type.
    pub shape: Shape,
    /// Its components.
    pub values: &'a [u64],
}

/// A floating-point number of any width as a double, which holds all of them.
pub(crate) fn as_double(bits: u64, width: u32) -> f64 {
    match width {
        16 => half(bits as u16),
        32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (bits >> 10 & 0x1f, f64::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-24),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f64.powi(i32::from(exponent) - 15),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}
