//! The three formats: their numbers as doubles, which hold all of them, and the size of a unit in the last place.

/// A floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// 16 bits.
    Half,
    /// 32 bits.
    Float,
    /// 64 bits.
    Double,
}

impl Format {
    /// All, from the smallest.
    pub const ALL: [Format; 3] = [Format::Half, Format::Float, Format::Double];

    /// Its name in OpenCL C.
    pub fn name(self) -> &'static str {
        ["half", "float", "double"][self as usize]
    }

    /// Bytes of a number.
    pub fn size(self) -> usize {
        [2, 4, 8][self as usize]
    }

    /// Bits after the point.
    pub fn fraction(self) -> i32 {
        [10, 23, 52][self as usize]
    }

    /// The exponent of the smallest normal number.
    pub fn least(self) -> i32 {
        [-14, -126, -1022][self as usize]
    }

    /// The exponent of the largest numbers.
    pub fn most(self) -> i32 {
        [15, 127, 1023][self as usize]
    }

    /// Numbers, NaNs included.
    pub fn mask(self) -> u64 {
        [0xffff, 0xffff_ffff, u64::MAX][self as usize]
    }

    /// The number of a bit pattern.
    #[inline]
    pub fn number(self, bits: u64) -> f64 {
        match self {
            Format::Half => widen(bits as u16),
            Format::Float => f64::from(f32::from_bits(bits as u32)),
            Format::Double => f64::from_bits(bits),
        }
    }

    /// The bit pattern of the number nearest to `x`, ties to even.
    #[inline]
    pub fn bits(self, x: f64) -> u64 {
        match self {
            Format::Half => u64::from(narrow(x)),
            Format::Float => u64::from((x as f32).to_bits()),
            Format::Double => x.to_bits(),
        }
    }

    /// `x` rounded to the format.
    pub fn round(self, x: f64) -> f64 {
        self.number(self.bits(x))
    }

    /// The number `steps` further up; stays at the infinities.
    pub fn step(self, x: f64, steps: i64) -> f64 {
        let bits = self.bits(x) as i64;
        let sign = 1i64 << (8 * self.size() as u32 - 1);
        let magnitude = bits & sign.wrapping_sub(1);
        let order = if bits & sign == 0 { magnitude } else { -magnitude };
        let infinity = self.bits(f64::INFINITY) as i64;
        let moved = order.saturating_add(steps).clamp(-infinity, infinity);
        let sign = if moved < 0 { sign } else { 0 };
        self.number((moved.unsigned_abs() | sign as u64) & self.mask())
    }

    /// The largest finite number.
    pub fn max(self) -> f64 {
        self.number(self.bits(f64::INFINITY) - 1)
    }

    /// Reads a number.
    #[inline]
    pub fn read(self, bytes: &[u8]) -> f64 {
        match self {
            Format::Half => widen(u16::from_le_bytes([bytes[0], bytes[1]])),
            Format::Float => f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
            Format::Double => f64::from_le_bytes(bytes[..8].try_into().unwrap_or_default()),
        }
    }

    /// Writes a bit pattern.
    #[inline]
    pub fn write(self, bytes: &mut [u8], bits: u64) {
        bytes[..self.size()].copy_from_slice(&bits.to_le_bytes()[..self.size()]);
    }

    /// The exponent of the unit in the last place at a number with exponent `exponent`.
    #[inline]
    pub fn unit(self, exponent: i32) -> i32 {
        exponent.max(self.least()) - self.fraction()
    }

    /// The distance of `got` from `exact` in units, where `exact` is right to many more bits than the format has. What is
    /// prescribed exactly (NaN, infinities, zeros with their sign) is infinitely wrong if it differs.
    #[inline]
    pub fn error(self, got: f64, exact: f64) -> f64 {
        if exact.is_nan() || got.is_nan() {
            return if exact.is_nan() && got.is_nan() { 0.0 } else { f64::INFINITY };
        }
        if exact == 0.0 {
            return if got.to_bits() == exact.to_bits() { 0.0 } else { f64::INFINITY };
        }
        let bits = exact.to_bits();
        let (field, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & 0x000f_ffff_ffff_ffff);
        // A denormal double is far below the other formats, and this is not used for doubles.
        let exponent = if field == 0 { -1023 } else { field - 1023 };
        if got.is_infinite() || exponent > self.most() {
            return self.beyond(got, exact, exponent);
        }
        if got == 0.0 && got.is_sign_negative() != exact.is_sign_negative() {
            return f64::INFINITY;
        }
        let power_of_two = fraction == 0 && exponent > self.least();
        let unit = self.unit(exponent - i32::from(power_of_two));
        (got - exact).abs() * f64::from_bits(((1023 - unit) as u64) << 52)
    }

    /// [`Format::error`] where the result or the exact one lies beyond the largest number: infinity counts as the next power of two.
    fn beyond(self, got: f64, exact: f64, exponent: i32) -> f64 {
        if got.is_sign_negative() != exact.is_sign_negative() {
            return f64::INFINITY;
        }
        if got.is_infinite() && exponent > self.most() {
            return 0.0;
        }
        if exact.is_infinite() || (got.is_infinite() && self == Format::Double) {
            return f64::INFINITY;
        }
        let top = 2f64.powi(self.most()) * 2.0;
        let value = if got.is_infinite() { top } else { got.abs() };
        (value - exact.abs()).abs() / 2f64.powi(self.most() - self.fraction())
    }
}

/// The number of a half's bits.
fn widen(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), u64::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction as f64 * f64::from_bits((1023 - 24) << 52),
        31 => f64::from_bits(0x7ff << 52 | fraction << 42),
        e => f64::from_bits(((e - 15 + 1023) as u64) << 52 | fraction << 42),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// The half nearest to `x`, ties to even.
fn narrow(x: f64) -> u16 {
    let sign = ((x.to_bits() >> 63) as u16) << 15;
    let a = x.abs();
    if a.is_nan() {
        return sign | 0x7e00;
    }
    if a >= 65520.0 {
        return sign | 0x7c00;
    }
    let exponent = ((a.to_bits() >> 52) as i32 - 1023).max(-14);
    // In units of the last place, a number below 2^11; rounding up to 2^11 carries into the exponent as it should.
    let units = (a * 2f64.powi(10 - exponent)).round_ties_even() as u16;
    sign | (((exponent + 14) as u16) << 10).wrapping_add(units)
}

#[cfg(test)]
mod tests {
    use super::Format;

    #[test]
    fn halves_go_to_numbers_and_back() {
        for bits in 0..=0xffff_u64 {
            let x = Format::Half.number(bits);
            if !x.is_nan() {
                assert_eq!(Format::Half.bits(x), bits);
            }
        }
        assert_eq!(Format::Half.round(1.0 + 2f64.powi(-11)), 1.0);
        assert_eq!(Format::Half.round(1.0 + 3.0 * 2f64.powi(-11)), 1.0 + 2f64.powi(-9));
        assert_eq!(Format::Half.round(65519.9), 65504.0);
    }

    #[test]
    fn errors_are_counted_in_units() {
        assert_eq!(Format::Float.error(1.0, 1.0 + 2f64.powi(-24)), 0.5);
        // Below a power of two units are half as large.
        assert_eq!(Format::Float.error(1.0 - 2f64.powi(-24), 1.0), 1.0);
        assert_eq!(Format::Half.error(f64::INFINITY, 65520.0), 0.5);
        assert_eq!(Format::Half.error(f64::INFINITY, 1e9), 0.0);
        assert_eq!(Format::Half.error(0.0, -0.0), f64::INFINITY);
        assert_eq!(Format::Half.error(f64::NAN, 1.0), f64::INFINITY);
        assert_eq!(Format::Float.error(0.0, 2f64.powi(-150)), 0.5);
    }

    #[test]
    fn a_step_is_one_unit() {
        assert_eq!(Format::Half.step(0.0, -1), -(2f64.powi(-24)));
        assert_eq!(Format::Float.step(1.0, 1), 1.0 + f64::from(f32::EPSILON));
        assert_eq!(Format::Double.step(f64::MAX, 1), f64::INFINITY);
        assert_eq!(Format::Double.step(f64::MAX, 9), f64::INFINITY);
    }
}
