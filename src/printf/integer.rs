//! Integers.

use crate::parse::{IntegerForm, Length, Specification};
use crate::{Bad, Number, sign};

/// Converts an integer of `width` bits to the type that the specification names, and that to text.
pub(crate) fn convert(specification: &Specification, form: IntegerForm, bits: u64, width: u32) -> Result<Number, Bad> {
    // Components of vectors are not promoted.
    let to = match specification.length {
        Length::Char => 8,
        Length::Short => 16,
        Length::None | Length::Int => 32,
        Length::Long => 64,
    };
    let signed = form == IntegerForm::Signed;
    let bits = resize(resize(bits, width, signed), to, signed);
    let (prefix, magnitude) = if signed {
        let value = bits as i64;
        (sign(specification, value < 0), value.unsigned_abs())
    } else {
        (Vec::new(), bits)
    };
    Ok(number(specification, form, prefix, magnitude))
}

/// Cuts off what is above `width`, and extends the rest.
fn resize(bits: u64, width: u32, signed: bool) -> u64 {
    let above = 64 - width.clamp(1, 64);
    if signed { ((bits << above) as i64 >> above) as u64 } else { bits << above >> above }
}

fn number(specification: &Specification, form: IntegerForm, mut prefix: Vec<u8>, magnitude: u64) -> Number {
    let digits = match (magnitude, form) {
        // The precision makes a zero, or does not.
        (0, _) => String::new(),
        (_, IntegerForm::Octal) => format!("{magnitude:o}"),
        (_, IntegerForm::Hexadecimal { upper: false }) => format!("{magnitude:x}"),
        (_, IntegerForm::Hexadecimal { upper: true }) => format!("{magnitude:X}"),
        _ => magnitude.to_string(),
    };
    let mut leading = specification.precision.unwrap_or(1).saturating_sub(digits.len());
    match form {
        IntegerForm::Octal if specification.alternative && leading == 0 => leading = 1,
        IntegerForm::Hexadecimal { upper } if specification.alternative && magnitude != 0 => {
            prefix.extend_from_slice(if upper { b"0X" } else { b"0x" });
        }
        _ => {}
    }
    Number {
        prefix,
        leading,
        digits: digits.into_bytes(),
        trailing: 0,
        suffix: Vec::new(),
        fills: specification.precision.is_none(),
    }
}
