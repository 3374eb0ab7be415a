//! Floating-point numbers.

use crate::decimal::Decimal;
use crate::parse::{FloatForm, FloatStyle, Specification};
use crate::{Bad, Number, sign};

/// No double has more digits than this on either side of the point; further ones are zeros.
const MOST_DIGITS: usize = 1100;

/// Converts a number to text.
pub(crate) fn convert(specification: &Specification, form: FloatForm, value: f64) -> Result<Number, Bad> {
    let prefix = sign(specification, value.is_sign_negative());
    let mut number =
        Number { prefix, leading: 0, digits: Vec::new(), trailing: 0, suffix: Vec::new(), fills: value.is_finite() };
    if !value.is_finite() {
        number.digits = if value.is_nan() { b"nan".to_vec() } else { b"inf".to_vec() };
    } else {
        match form.style {
            FloatStyle::Hexadecimal => hexadecimal(specification, value, &mut number),
            FloatStyle::Fixed => {
                let precision = specification.precision.unwrap_or(6);
                fixed(specification, Decimal::of(value), precision, &mut number);
            }
            FloatStyle::Exponent => {
                let precision = specification.precision.unwrap_or(6);
                exponent(specification, Decimal::of(value), precision, &mut number);
            }
            FloatStyle::General => general(specification, Decimal::of(value), &mut number),
        }
    }
    if form.upper {
        number.prefix.make_ascii_uppercase();
        number.digits.make_ascii_uppercase();
        number.suffix.make_ascii_uppercase();
    }
    Ok(number)
}

/// `ddd.ddd` with `precision` digits behind the point.
fn fixed(specification: &Specification, mut decimal: Decimal, precision: usize, number: &mut Number) {
    let places = precision.min(MOST_DIGITS);
    decimal.round(decimal.point + places as i64);
    if decimal.point <= 0 || decimal.digits.is_empty() {
        number.digits.push(b'0');
    } else {
        number.digits.extend((0..decimal.point).map(|place| decimal.digit(place)));
    }
    let fraction = (0..places as i64)
        .map(|place| if decimal.digits.is_empty() { b'0' } else { decimal.digit(decimal.point + place) });
    point(specification, fraction, precision, number);
}

/// `d.ddde±dd` with `precision` digits behind the point.
fn exponent(specification: &Specification, mut decimal: Decimal, precision: usize, number: &mut Number) {
    let places = precision.min(MOST_DIGITS);
    decimal.round(places as i64 + 1);
    number.digits.push(decimal.digit(0));
    point(specification, (1..=places as i64).map(|place| decimal.digit(place)), precision, number);
    let exponent = if decimal.digits.is_empty() { 0 } else { decimal.point - 1 };
    let sign = if exponent < 0 { '-' } else { '+' };
    number.suffix = format!("e{sign}{:02}", exponent.unsigned_abs()).into_bytes();
}

/// The point, where there is one, and the digits behind it.
fn point(specification: &Specification, fraction: impl Iterator<Item = u8>, precision: usize, number: &mut Number) {
    if precision > 0 || specification.alternative {
        number.digits.push(b'.');
    }
    number.digits.extend(fraction);
    number.trailing = precision.saturating_sub(MOST_DIGITS);
}

/// The shorter of both styles.
fn general(specification: &Specification, decimal: Decimal, number: &mut Number) {
    let precision = specification.precision.unwrap_or(6).max(1);
    let mut rounded = decimal.clone();
    rounded.round(precision.min(MOST_DIGITS) as i64);
    let exponent_of = if rounded.digits.is_empty() { 0 } else { rounded.point - 1 };
    let wanted = i64::try_from(precision).unwrap_or(i64::MAX);
    if wanted > exponent_of && exponent_of >= -4 {
        let places = wanted.saturating_sub(1).saturating_sub(exponent_of);
        fixed(specification, decimal, usize::try_from(places).unwrap_or(0), number);
    } else {
        exponent(specification, decimal, precision - 1, number);
    }
    if !specification.alternative && number.digits.contains(&b'.') {
        number.trailing = 0;
        let kept = number.digits.iter().rposition(|digit| *digit != b'0').map_or(0, |at| at + 1);
        number.digits.truncate(kept);
        if number.digits.last() == Some(&b'.') {
            number.digits.pop();
        }
    }
}

/// `0xh.hhhp±d`.
fn hexadecimal(specification: &Specification, value: f64, number: &mut Number) {
    /// Hexadecimal digits of the fraction of a double.
    const DIGITS: usize = 13;
    let bits = value.to_bits();
    let (field, mut fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    let exponent = match field {
        0 if fraction == 0 => 0,
        0 => -1022,
        _ => field - 1023,
    };
    // The first digit and thirteen behind it.
    fraction |= u64::from(field != 0) << 52;
    let precision =
        specification.precision.unwrap_or_else(|| DIGITS - (fraction.trailing_zeros() as usize / 4).min(DIGITS));
    if precision < DIGITS {
        let cut = 4 * (DIGITS - precision) as u32;
        let (rest, half) = (fraction & ((1 << cut) - 1), 1u64 << (cut - 1));
        let mut kept = fraction >> cut;
        if rest > half || (rest == half && kept & 1 == 1) {
            kept += 1;
        }
        fraction = kept << cut;
    }
    number.prefix.extend_from_slice(b"0x");
    number.digits.extend(format!("{:x}", fraction >> 52).bytes());
    if precision > 0 || specification.alternative {
        number.digits.push(b'.');
    }
    let all = format!("{:013x}", fraction & ((1 << 52) - 1));
    number.digits.extend(all.bytes().take(precision));
    number.trailing = precision.saturating_sub(DIGITS);
    number.suffix = format!("p{exponent:+}").into_bytes();
}
