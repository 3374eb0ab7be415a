//! The text that a `printf` of OpenCL C makes.
//!
//! - **Takes**: a format string and the values behind it, with their types; a way to read strings.
//! - **Gives**: the bytes of one call, or [`Bad`]: then nothing is printed and the call returns -1. [`check`] says what is
//!   wrong before there are values.
//! - **Never**: depends on the locale, rounds twice, or prints more than the limit that the caller sets.
//! - **Spec**: OpenCL C, printf; OpenCL environment, printf operands. What these leave undefined is defined here: integers
//!   of another width are converted as C converts them, any other mismatch is [`Bad`].
#![forbid(unsafe_code)]

mod argument;
mod decimal;
mod float;
mod integer;
mod parse;

use parse::{Conversion, Piece, Specification};

pub use argument::{Argument, Element, Shape};

/// Why a call prints nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bad {
    /// A conversion specification that does not exist, at this byte of the format.
    Specification(usize),
    /// There is no argument for the conversion at this byte.
    Missing(usize),
    /// The argument has another type than the conversion at this byte prints.
    Mismatch(usize),
    /// The text is longer than the limit.
    TooLong,
    /// A string cannot be read.
    Unreadable,
}

impl std::fmt::Display for Bad {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Bad::Specification(at) => write!(f, "byte {at} of the format begins no conversion that there is"),
            Bad::Missing(at) => write!(f, "there is no argument for the conversion at byte {at} of the format"),
            Bad::Mismatch(at) => {
                write!(f, "the argument of the conversion at byte {at} of the format has another type")
            }
            Bad::TooLong => f.write_str("the text is too long"),
            Bad::Unreadable => f.write_str("a string cannot be read"),
        }
    }
}

/// Where the characters of `%s` come from.
pub trait Strings {
    /// Appends the bytes at `address` up to a null character, at most `most` of them. `false` if they cannot be read.
    fn read(&self, address: u64, most: usize, to: &mut Vec<u8>) -> bool;
}

/// The text being made.
struct Text {
    bytes: Vec<u8>,
    limit: usize,
}

impl Text {
    fn push(&mut self, bytes: &[u8]) -> Result<(), Bad> {
        if self.bytes.len().saturating_add(bytes.len()) > self.limit {
            return Err(Bad::TooLong);
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn repeat(&mut self, byte: u8, count: usize) -> Result<(), Bad> {
        let length = self.bytes.len().checked_add(count).filter(|length| *length <= self.limit);
        self.bytes.resize(length.ok_or(Bad::TooLong)?, byte);
        Ok(())
    }
}

/// A converted number before it is padded: what stands before and after the place where zeros go.
struct Number {
    /// Sign and base.
    prefix: Vec<u8>,
    /// Zeros that the precision asks for, in front of the digits.
    leading: usize,
    digits: Vec<u8>,
    /// Zeros that the precision asks for, behind the digits.
    trailing: usize,
    /// An exponent.
    suffix: Vec<u8>,
    /// The field may be filled with zeros.
    fills: bool,
}

/// The text of one call, at most `limit` bytes long. `format` ends at its first null character, if it has one.
///
/// # Errors
/// What is undefined in the language.
pub fn format(format: &[u8], arguments: &[Argument<'_>], strings: &dyn Strings, limit: usize) -> Result<Vec<u8>, Bad> {
    let mut text = Text { bytes: Vec::new(), limit };
    let mut arguments = arguments.iter();
    for piece in parse::pieces(format) {
        match piece? {
            Piece::Plain(bytes) => text.push(bytes)?,
            Piece::Percent => text.push(b"%")?,
            Piece::Conversion(specification) => {
                let argument = arguments.next().ok_or(Bad::Missing(specification.at))?;
                print(&mut text, &specification, argument, strings)?;
            }
        }
    }
    Ok(text.bytes)
}

/// Says what is wrong with a format for arguments of these types, whatever their values.
///
/// # Errors
/// What [`format()`] will find.
pub fn check(format: &[u8], shapes: &[Shape]) -> Result<(), Bad> {
    let mut shapes = shapes.iter();
    for piece in parse::pieces(format) {
        if let Piece::Conversion(specification) = piece? {
            let shape = shapes.next().ok_or(Bad::Missing(specification.at))?;
            fits(&specification, *shape)?;
        }
    }
    Ok(())
}

/// Can a value of this shape be printed so?
fn fits(specification: &Specification, shape: Shape) -> Result<(), Bad> {
    let element = match specification.conversion {
        Conversion::Integer(_) => matches!(shape.element, Element::Int(_)),
        Conversion::Float(_) => matches!(shape.element, Element::Float(_)),
        Conversion::Character => matches!(shape.element, Element::Int(_)),
        Conversion::String | Conversion::Pointer => shape.element == Element::Pointer,
    };
    let count = specification.vector.unwrap_or(1) == shape.count;
    if element && count { Ok(()) } else { Err(Bad::Mismatch(specification.at)) }
}

fn print(
    text: &mut Text,
    specification: &Specification,
    argument: &Argument<'_>,
    strings: &dyn Strings,
) -> Result<(), Bad> {
    fits(specification, argument.shape)?;
    if argument.values.len() < argument.shape.count as usize {
        return Err(Bad::Mismatch(specification.at));
    }
    for (index, value) in argument.values.iter().take(argument.shape.count as usize).enumerate() {
        if index > 0 {
            text.push(b",")?;
        }
        match (specification.conversion, argument.shape.element) {
            (Conversion::Integer(form), Element::Int(width)) => {
                pad(text, specification, &integer::convert(specification, form, *value, width)?)?;
            }
            (Conversion::Float(form), Element::Float(width)) => {
                pad(text, specification, &float::convert(specification, form, argument::as_double(*value, width))?)?;
            }
            (Conversion::Character, _) => field(text, specification, &[*value as u8])?,
            (Conversion::Pointer, _) if *value == 0 => field(text, specification, b"(nil)")?,
            (Conversion::Pointer, _) => field(text, specification, format!("{value:#x}").as_bytes())?,
            (Conversion::String, _) => string(text, specification, *value, strings)?,
            _ => return Err(Bad::Mismatch(specification.at)),
        }
    }
    Ok(())
}

fn string(text: &mut Text, specification: &Specification, address: u64, strings: &dyn Strings) -> Result<(), Bad> {
    // One more than fits, to tell what is too long.
    let most = specification.precision.unwrap_or(usize::MAX).min(text.limit + 1);
    let mut bytes = Vec::new();
    if address == 0 {
        bytes.extend_from_slice(&b"(null)"[..most.min(6)]);
    } else if !strings.read(address, most, &mut bytes) {
        return Err(Bad::Unreadable);
    }
    field(text, specification, &bytes)
}

/// Text in a field padded with spaces.
fn field(text: &mut Text, specification: &Specification, bytes: &[u8]) -> Result<(), Bad> {
    let padding = specification.width.saturating_sub(bytes.len());
    if !specification.left {
        text.repeat(b' ', padding)?;
    }
    text.push(bytes)?;
    if specification.left {
        text.repeat(b' ', padding)?;
    }
    Ok(())
}

/// A number in its field.
fn pad(text: &mut Text, specification: &Specification, number: &Number) -> Result<(), Bad> {
    let parts = [number.prefix.len(), number.leading, number.digits.len(), number.trailing, number.suffix.len()];
    let length = parts.iter().fold(0usize, |sum, part| sum.saturating_add(*part));
    let padding = specification.width.saturating_sub(length);
    let zeros = specification.zero && !specification.left && number.fills;
    if !zeros && !specification.left {
        text.repeat(b' ', padding)?;
    }
    text.push(&number.prefix)?;
    if zeros {
        text.repeat(b'0', padding)?;
    }
    text.repeat(b'0', number.leading)?;
    text.push(&number.digits)?;
    text.repeat(b'0', number.trailing)?;
    text.push(&number.suffix)?;
    if specification.left {
        text.repeat(b' ', padding)?;
    }
    Ok(())
}

/// The sign of a signed conversion.
fn sign(specification: &Specification, negative: bool) -> Vec<u8> {
    match (negative, specification.plus, specification.space) {
        (true, _, _) => b"-".to_vec(),
        (false, true, _) => b"+".to_vec(),
        (false, false, true) => b" ".to_vec(),
        _ => Vec::new(),
    }
}
