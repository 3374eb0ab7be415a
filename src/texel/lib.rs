//! Texels: which formats there are, and what the bytes of a texel mean.
//!
//! - **Takes**: a channel order and a channel type, bytes, colours; the sizes of an image, a sampler's bits, coordinates.
//! - **Gives**: [`Format`], its [`Layout`], [`Format::decode`] and [`Format::encode`] between bytes and colours, and
//!   [`sample`], the colour at a coordinate of an image.
//! - **Never**: touches an image's memory; that is for those who hold it.
//! - **Spec**: OpenCL API, image formats; the SPIR-V environment, image addressing and filtering, conversion rules.
#![forbid(unsafe_code)]

mod decode;
mod encode;
mod format;
mod sample;
mod srgb;

pub use format::{Channel, Encoding, Format, Kind, Layout};
pub use sample::{Coordinate, Dimensions, Place, level, level_of_gradients, sample};

/// A colour as kernels have it: red, green, blue, alpha. A depth is the first of the four.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Color {
    /// Of a format with normalised or floating-point channels.
    Float([f32; 4]),
    /// Of a format with signed integers.
    Signed([i32; 4]),
    /// Of a format with unsigned integers.
    Unsigned([u32; 4]),
}

#[cfg(test)]
mod tests;
