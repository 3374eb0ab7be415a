//! The IEEE remainder and its quotient.

/// `x - n y` with the whole number n nearest to x / y, and the low seven bits of n with the sign of the quotient.
pub(super) fn remquo(x: f64, y: f64) -> (f64, i32) {
    if x.is_nan() || y.is_nan() || x.is_infinite() || y == 0.0 {
        return (f64::NAN, 0);
    }
    if y.is_infinite() || x == 0.0 {
        return (x, 0);
    }
    let ((mantissa, x_exponent), (divisor, y_exponent)) = (parts(x), parts(y));
    if x_exponent < y_exponent {
        return below(x, y);
    }
    let (mut quotient, mut rest) = (mantissa / divisor, mantissa % divisor);
    // Digit by digit, in units of the divisor's last place. Digits of the quotient that are lost are not wanted.
    for _ in 0..x_exponent - y_exponent {
        rest <<= 1;
        quotient = quotient << 1 | u64::from(rest >= divisor);
        if rest >= divisor {
            rest -= divisor;
        }
    }
    let negative = (x < 0.0) != (y < 0.0);
    let up = 2 * rest > divisor || (2 * rest == divisor && quotient & 1 == 1);
    let magnitude = scaled(if up { divisor - rest } else { rest }, y_exponent);
    let magnitude = if up { -magnitude } else { magnitude };
    let low = ((quotient.wrapping_add(u64::from(up))) & 0x7F) as i32;
    // An exact zero has the sign of x.
    let result = if x < 0.0 { -magnitude } else { magnitude };
    (if rest == 0 { 0f64.copysign(x) } else { result }, if negative { -low } else { low })
}

/// Where the last place of y is above that of x, so that x is the smaller one.
fn below(x: f64, y: f64) -> (f64, i32) {
    if x.abs() <= y.abs() / 2.0 {
        return (x, 0);
    }
    // The difference of numbers so close is exact.
    let rest = x.abs() - y.abs();
    (rest * 1f64.copysign(x), if (x < 0.0) == (y < 0.0) { 1 } else { -1 })
}

/// Mantissa and exponent of its last place.
fn parts(number: f64) -> (u64, i32) {
    let bits = number.abs().to_bits();
    match bits >> 52 {
        0 => (bits, -1074),
        field => ((bits & ((1 << 52) - 1)) | 1 << 52, field as i32 - 1075),
    }
}

fn scaled(mantissa: u64, exponent: i32) -> f64 {
    // In two steps: the power alone may be below the smallest number.
    let half = exponent / 2;
    mantissa as f64 * 2f64.powi(half) * 2f64.powi(exponent - half)
}

#[cfg(test)]
mod tests {
    use super::remquo;

    #[test]
    fn the_rest_is_at_most_half_the_divisor_and_the_quotient_fits() {
        for (x, y, rest, quotient) in [
            (5.0, 3.0, -1.0, 2),
            (-5.0, 3.0, 1.0, -2),
            (5.0, 2.0, 1.0, 2),
            (7.0, 2.0, -1.0, 4),
            (0.25, 1.0, 0.25, 0),
            (0.75, 1.0, -0.25, 1),
            (1000.5, -1.0, 0.5, -(1000 & 0x7F)),
            (6.0, -3.0, 0.0, -2),
            (1e-310, 1.0, 1e-310, 0),
            (1.0, 5e-324, 0.0, 0),
        ] {
            assert_eq!(remquo(x, y), (rest, quotient), "{x} {y}");
        }
        assert!(remquo(1.0, 0.0).0.is_nan());
        assert_eq!(remquo(3.0, f64::INFINITY), (3.0, 0));
    }
}
