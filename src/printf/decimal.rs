//! The exact decimal digits of a floating-point number, and rounding them.

/// Digits of the numbers that a decimal is kept in.
const LIMB_DIGITS: usize = 9;
const LIMB: u64 = 1_000_000_000;
/// Powers that fit beside a limb in 64 bits.
const FIVES: (i32, u64) = (13, 1_220_703_125);
const TWOS: (i32, u64) = (30, 1 << 30);

/// A number without sign: its digits, none of them leading zeros, and how many of them stand before the point. That may
/// be negative, or more than there are. Zero has no digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    pub(crate) digits: Vec<u8>,
    pub(crate) point: i64,
}

impl Decimal {
    /// The value of a finite number without its sign, exactly.
    pub(crate) fn of(value: f64) -> Decimal {
        let bits = value.to_bits();
        let (field, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
        let (mantissa, exponent) = if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
        if mantissa == 0 {
            return Decimal { digits: Vec::new(), point: 0 };
        }
        // A fraction m / 2^n is m * 5^n / 10^n.
        let zeros = (mantissa.trailing_zeros() as i32).min(if exponent < 0 { -exponent } else { 0 });
        let (mantissa, exponent) = (mantissa >> zeros, exponent + zeros);
        let mut limbs = vec![mantissa % LIMB, mantissa / LIMB];
        let (power, (step, factor)) = if exponent < 0 { (-exponent, FIVES) } else { (exponent, TWOS) };
        let base = if exponent < 0 { 5u64 } else { 2 };
        for _ in 0..power / step {
            multiply(&mut limbs, factor);
        }
        multiply(&mut limbs, base.pow((power % step) as u32));
        let mut digits: Vec<u8> = Vec::with_capacity(limbs.len() * LIMB_DIGITS);
        for limb in limbs.iter().rev() {
            digits.extend(format!("{limb:09}").bytes().map(|digit| digit - b'0'));
        }
        let leading = digits.iter().take_while(|digit| **digit == 0).count();
        digits.drain(..leading);
        let fraction = if exponent < 0 { i64::from(-exponent) } else { 0 };
        let point = digits.len() as i64 - fraction;
        Decimal { digits, point }
    }

    /// Keeps `keep` digits, which may be none or more than there are; rounded to nearest, ties to even.
    pub(crate) fn round(&mut self, keep: i64) {
        if keep >= self.digits.len() as i64 {
            return;
        }
        let Ok(keep) = usize::try_from(keep) else {
            // Less than half of the last place that is kept.
            *self = Decimal { digits: Vec::new(), point: 0 };
            return;
        };
        let up = match self.digits[keep] {
            5 => {
                let odd = keep > 0 && self.digits[keep - 1] % 2 == 1;
                odd || self.digits[keep + 1..].iter().any(|digit| *digit != 0)
            }
            digit => digit > 5,
        };
        self.digits.truncate(keep);
        if !up {
            return;
        }
        match self.digits.iter().rposition(|digit| *digit != 9) {
            Some(at) => {
                self.digits[at] += 1;
                self.digits[at + 1..].fill(0);
            }
            None => {
                self.digits.fill(0);
                self.digits.insert(0, 1);
                self.point += 1;
            }
        }
    }

    /// The digit that stands `place` places behind the first; zero where there is none.
    pub(crate) fn digit(&self, place: i64) -> u8 {
        b'0' + usize::try_from(place).ok().and_then(|place| self.digits.get(place)).copied().unwrap_or(0)
    }
}

fn multiply(limbs: &mut Vec<u64>, factor: u64) {
    let mut carry = 0;
    for limb in limbs.iter_mut() {
        let product = *limb * factor + carry;
        (*limb, carry) = (product % LIMB, product / LIMB);
    }
    while carry > 0 {
        limbs.push(carry % LIMB);
        carry /= LIMB;
    }
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    fn text(value: f64) -> (String, i64) {
        let decimal = Decimal::of(value);
        (decimal.digits.iter().map(|digit| char::from(b'0' + digit)).collect(), decimal.point)
    }

    #[test]
    fn digits_are_exact() {
        assert_eq!(text(0.0), (String::new(), 0));
        assert_eq!(text(0.5), ("5".into(), 0));
        assert_eq!(text(1.0), ("1".into(), 1));
        assert_eq!(text(1e22), ("10000000000000000000000".into(), 23));
        assert_eq!(text(0.1), ("1000000000000000055511151231257827021181583404541015625".into(), 0));
        assert_eq!(text(f64::MAX).0.len(), 309);
        let (digits, point) = text(f64::from_bits(1));
        assert_eq!((&digits[..17], digits.len(), point), ("49406564584124654", 751, -323));
    }
}
