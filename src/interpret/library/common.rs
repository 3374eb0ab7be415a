//! Functions whose results are exact, or few operations away from exact.

use std::cmp::Ordering;

use oxicl_spirv::grammar::OpenclStd100Op as Std;

use super::remainder::remquo;
use crate::float::{decode, encode, fma, toward};
use crate::real::Real;
use crate::value::{sign_extend, truncate};

/// The function of one component of each argument, if it is computed here.
pub(super) fn float_function(std: Std, row: &[u64], width: u32) -> Option<u64> {
    let x = |i: usize| decode(row[i], width);
    let number = match std {
        Std::fabs => return Some(row[0] & !(1 << (width - 1))),
        Std::copysign => return Some((row[0] & !(1 << (width - 1))) | (row[1] & (1 << (width - 1)))),
        Std::fma | Std::mad => return Some(fma(row[0], row[1], row[2], width)),
        Std::ilogb => return Some(truncate(ilogb(x(0)) as u64, 32)),
        Std::ldexp if x(0).is_finite() && x(0) != 0.0 => {
            let exponent = sign_extend(row[1], 32);
            return Some(Real::from_f64(x(0)).scaled(exponent).round(width));
        }
        Std::ldexp => x(0),
        Std::ceil => x(0).ceil(),
        Std::floor => x(0).floor(),
        Std::trunc => x(0).trunc(),
        Std::rint => x(0).round_ties_even(),
        Std::round => x(0).round(),
        Std::fmax => x(0).max(x(1)),
        Std::fmin => x(0).min(x(1)),
        Std::fmax_common => {
            if x(0) < x(1) {
                x(1)
            } else {
                x(0)
            }
        }
        Std::fmin_common => {
            if x(1) < x(0) {
                x(1)
            } else {
                x(0)
            }
        }
        Std::fclamp => x(0).max(x(1)).min(x(2)),
        Std::fmod => x(0) % x(1),
        Std::fdim => {
            if x(0).is_nan() || x(1).is_nan() {
                f64::NAN
            } else {
                (x(0) - x(1)).max(0.0)
            }
        }
        Std::maxmag => match x(0).abs().partial_cmp(&x(1).abs()) {
            Some(Ordering::Greater) => x(0),
            Some(Ordering::Less) => x(1),
            _ => x(0).max(x(1)),
        },
        Std::minmag => match x(0).abs().partial_cmp(&x(1).abs()) {
            Some(Ordering::Less) => x(0),
            Some(Ordering::Greater) => x(1),
            _ => x(0).min(x(1)),
        },
        Std::nextafter => return Some(next_after(row[0], row[1], width)),
        Std::half_recip | Std::native_recip => 1.0 / x(0),
        Std::half_divide | Std::native_divide => x(0) / x(1),
        Std::step => {
            if x(1) < x(0) {
                0.0
            } else {
                1.0
            }
        }
        Std::mix => x(0) + (x(1) - x(0)) * x(2),
        Std::smoothstep => {
            let t = ((x(2) - x(0)) / (x(1) - x(0))).clamp(0.0, 1.0);
            t * t * (3.0 - 2.0 * t)
        }
        Std::sign => {
            if x(0).is_nan() {
                0.0
            } else if x(0) == 0.0 {
                x(0)
            } else {
                1f64.copysign(x(0))
            }
        }
        Std::remainder => remquo(x(0), x(1)).0,
        _ => return None,
    };
    Some(encode(number, width))
}

fn next_after(from: u64, to: u64, width: u32) -> u64 {
    let (a, b) = (decode(from, width), decode(to, width));
    if a.is_nan() || b.is_nan() {
        return encode(f64::NAN, width);
    }
    if a == b { to } else { toward(from, width, b > a) }
}

/// Mantissa in [0.5, 1) and exponent.
pub(super) fn split(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let (scaled, shift) = if x.abs() < f64::MIN_POSITIVE { (x * 2f64.powi(64), -64) } else { (x, 0) };
    let exponent = ((scaled.to_bits() >> 52) & 0x7FF) as i32 - 1022;
    let mantissa = f64::from_bits((scaled.to_bits() & !(0x7FF << 52)) | (1022 << 52));
    (mantissa, exponent + shift)
}

/// The exponent; `FP_ILOGB0` and `FP_ILOGBNAN` where there is none.
fn ilogb(x: f64) -> i32 {
    if x == 0.0 {
        i32::MIN
    } else if !x.is_finite() {
        i32::MAX
    } else {
        split(x).1 - 1
    }
}

#[cfg(test)]
mod tests {
    use super::{Std, float_function};

    #[test]
    fn exponents_near_the_limits_of_int_do_not_wrap() {
        for (width, one, infinity) in
            [(16, 0x3C00, 0x7C00), (32, 0x3F80_0000, 0x7F80_0000), (64, 1023 << 52, 2047 << 52)]
        {
            let sign = 1u64 << (width - 1);
            let ldexp = |x: u64, n: i32| float_function(Std::ldexp, &[x, u64::from(n as u32)], width);
            for x in [one, 1] {
                for n in [i32::MAX, i32::MAX - 1, i32::MAX - 1074, 1 << 30] {
                    assert_eq!(ldexp(x, n), Some(infinity));
                    assert_eq!(ldexp(x | sign, n), Some(infinity | sign));
                    assert_eq!(ldexp(x, -n), Some(0));
                }
                assert_eq!(ldexp(x | sign, i32::MIN), Some(sign));
            }
            assert_eq!(ldexp(infinity, i32::MIN), Some(infinity));
            assert_eq!(ldexp(0, i32::MAX), Some(0));
        }
    }
}
