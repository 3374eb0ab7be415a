//! Texels: which formats there are, and what the bytes of a texel mean.
//!
//! - **Takes**: a channel order and a channel type, bytes, colours.
//! - **Gives**: [`Format`], its [`Layout`], and [`Format::decode`] and [`Format::encode`] between bytes and colours.
//! - **Never**: knows an image, a sampler's argument or an address; that is for those who hold the memory.
//! - **Spec**: OpenCL API, image formats; the SPIR-V environment, image addressing and filtering, conversion rules.
#![forbid(unsafe_code)]

mod decode;
mod encode;
mod format;
mod srgb;

pub use format::{Channel, Encoding, Format, Kind, Layout};

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
