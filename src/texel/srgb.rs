//! The curve of sRGB.

/// The linear value of a value on the curve; both from 0 to 1.
fn linear(value: f64) -> f64 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// The linear value of a byte.
pub fn to_linear(byte: u8) -> f32 {
    linear(f64::from(byte) / 255.0) as f32
}

/// The byte whose value is nearest along the curve to a linear value. What is no number is 0.
pub fn from_linear(value: f32) -> u8 {
    let mut byte = 0;
    // The largest byte before which the half way to the next one is not above the value, bit by bit.
    for bit in (0..8).rev() {
        let next = byte | 1 << bit;
        let threshold = linear((f64::from(next) - 0.5) / 255.0) as f32;
        if value >= threshold {
            byte = next;
        }
    }
    byte
}
