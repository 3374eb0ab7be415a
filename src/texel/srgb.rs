//! The curve of sRGB.

/// The linear value of a value on the curve; both from 0 to 1.
pub fn to_linear(value: f64) -> f64 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// The value on the curve of a linear value, which may be anything; from 0 to 1.
pub fn from_linear(value: f64) -> f64 {
    if value.is_nan() || value <= 0.0 {
        0.0
    } else if value >= 1.0 {
        1.0
    } else if value < 0.003_130_8 {
        12.92 * value
    } else {
        1.055 * value.powf(1.0 / 2.4) - 0.055
    }
}
