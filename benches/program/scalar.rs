//! The scalar types of OpenCL C, and numbers as their bytes.

use half::f16;

/// A type of arguments and of a buffer's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    Char,
    Uchar,
    Short,
    Ushort,
    Int,
    Uint,
    Long,
    Ulong,
    Half,
    Float,
    Double,
}

impl Scalar {
    /// By its name in OpenCL C.
    pub fn named(name: &str) -> Option<Scalar> {
        Some(match name {
            "char" => Scalar::Char,
            "uchar" => Scalar::Uchar,
            "short" => Scalar::Short,
            "ushort" => Scalar::Ushort,
            "int" => Scalar::Int,
            "uint" => Scalar::Uint,
            "long" => Scalar::Long,
            "ulong" => Scalar::Ulong,
            "half" => Scalar::Half,
            "float" => Scalar::Float,
            "double" => Scalar::Double,
            _ => return None,
        })
    }

    /// Its size.
    pub fn bytes(self) -> usize {
        match self {
            Scalar::Char | Scalar::Uchar => 1,
            Scalar::Short | Scalar::Ushort | Scalar::Half => 2,
            Scalar::Int | Scalar::Uint | Scalar::Float => 4,
            Scalar::Long | Scalar::Ulong | Scalar::Double => 8,
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Scalar::Half | Scalar::Float | Scalar::Double)
    }

    fn is_signed(self) -> bool {
        matches!(self, Scalar::Char | Scalar::Short | Scalar::Int | Scalar::Long)
    }

    /// A number as it is written: decimal, or hexadecimal for integers.
    pub fn parse(self, text: &str) -> Option<Number> {
        if self.is_float() {
            return text.parse().ok().map(Number::Float);
        }
        let value = match text.strip_prefix("0x") {
            Some(digits) => i128::from_str_radix(digits, 16).ok()?,
            None => text.parse().ok()?,
        };
        let bits = 8 * self.bytes() as u32;
        let (least, most) = match self.is_signed() {
            true => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
            false => (0, (1_i128 << bits) - 1),
        };
        (least..=most).contains(&value).then_some(Number::Integer(value))
    }

    /// Appends a number's bytes: an integer is cut to the size of integers, anything else is rounded.
    pub fn append(self, number: Number, bytes: &mut Vec<u8>) {
        match (self, number) {
            (Scalar::Half, number) => bytes.extend_from_slice(&f16::from_f64(number.rounded()).to_le_bytes()),
            (Scalar::Float, number) => bytes.extend_from_slice(&(number.rounded() as f32).to_le_bytes()),
            (Scalar::Double, number) => bytes.extend_from_slice(&number.rounded().to_le_bytes()),
            (_, Number::Integer(value)) => bytes.extend_from_slice(&value.to_le_bytes()[..self.bytes()]),
            (_, Number::Float(value)) => bytes.extend_from_slice(&(value as i128).to_le_bytes()[..self.bytes()]),
        }
    }

    /// The number that a value's bytes are.
    pub fn read(self, bytes: &[u8]) -> Number {
        let mut word = [0_u8; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        let word = u64::from_le_bytes(word);
        match self {
            Scalar::Half => Number::Float(f16::from_bits(word as u16).to_f64()),
            Scalar::Float => Number::Float(f32::from_bits(word as u32).into()),
            Scalar::Double => Number::Float(f64::from_bits(word)),
            Scalar::Char => Number::Integer((word as i8).into()),
            Scalar::Short => Number::Integer((word as i16).into()),
            Scalar::Int => Number::Integer((word as i32).into()),
            Scalar::Long => Number::Integer((word as i64).into()),
            Scalar::Uchar | Scalar::Ushort | Scalar::Uint | Scalar::Ulong => Number::Integer(word.into()),
        }
    }
}

/// A value of any scalar type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Integer(i128),
    Float(f64),
}

impl Number {
    fn rounded(self) -> f64 {
        match self {
            Number::Integer(value) => value as f64,
            Number::Float(value) => value,
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Number::Integer(value) => write!(f, "{value}"),
            Number::Float(value) => write!(f, "{value:?}"),
        }
    }
}
