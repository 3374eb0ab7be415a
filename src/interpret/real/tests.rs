//! Values known from elsewhere, and identities that hold to many more digits than are rounded to.

use super::{
    Real, acos, asin, constants, cosh, elementary, erf, erfc, exp, expm1, gamma, ln, ln_1p, ln_gamma, pi, pow, sin_cos,
    sinh,
};

fn real(number: f64) -> Real {
    Real::from_f64(number)
}

/// The numbers agree to 240 bits.
fn close(a: Real, b: Real) -> bool {
    let difference = a - b;
    difference.is_zero() || difference.exponent() < a.exponent().max(b.exponent()) - 240
}

#[test]
fn doubles_survive_and_arithmetic_agrees_with_the_processor() {
    let samples = [1.0, -1.5, 0.1, 1e300, -1e-300, 5e-324, f64::MAX, f64::MIN_POSITIVE, 3.0, 1.0 / 3.0];
    for a in samples {
        assert_eq!(real(a).round(64), a.to_bits());
        for b in samples {
            assert_eq!(f64::from_bits((real(a) + real(b)).round(64)), a + b, "{a} + {b}");
            assert_eq!(f64::from_bits((real(a) * real(b)).round(64)), a * b, "{a} * {b}");
            assert_eq!(f64::from_bits((real(a) / real(b)).round(64)), a / b, "{a} / {b}");
        }
        assert_eq!(f64::from_bits(real(a.abs()).sqrt().round(64)), a.abs().sqrt(), "sqrt {a}");
        assert_eq!(f32::from_bits(real(a).round(32) as u32), a as f32, "{a} as float");
        assert_eq!(real(a).round(16) as u16, half::f16::from_f64_const(a).to_bits(), "{a} as half");
    }
}

#[test]
fn pi_and_its_multiples_are_right() {
    assert_eq!(pi().round(64), std::f64::consts::PI.to_bits());
    assert_eq!(constants::ln_2().round(64), std::f64::consts::LN_2.to_bits());
    assert_eq!(constants::ln_10().round(64), std::f64::consts::LN_10.to_bits());
    // The double that is nearest to a multiple of pi/2, and its cosine.
    let (_, cosine) = sin_cos(6381956970095103.0 * 2f64.powi(797));
    assert_eq!(f64::from_bits(cosine.round(64)), -4.687_165_924_254_628e-19);
    assert_eq!(f64::from_bits(sin_cos(1e22).0.round(64)), -0.8522008497671888);
}

#[test]
fn what_no_format_holds_is_infinite_or_zero() {
    for (width, infinity) in [(16, 0x7C00), (32, 0x7F80_0000), (64, 0x7FF0_0000_0000_0000)] {
        for far in [2000, 100_000, 1 << 40] {
            assert_eq!(real(1.5).scaled(far).round(width), infinity);
            assert_eq!(real(1.5).scaled(-far).round(width), 0);
            assert_eq!(real(-1.5).scaled(-far).round(width), 1 << (width - 1));
        }
    }
}

#[test]
fn identities_hold_to_many_digits() {
    for x in [1e-9, 0.01, 0.3, 0.5, 0.9, 0.999_999, 1.0, 1.7, 10.0, 300.0] {
        let r = real(x);
        assert!(close(ln(exp(r)), r), "ln exp {x}");
        assert!(close(exp(ln(r)), r), "exp ln {x}");
        assert!(close(ln_1p(expm1(r)), r), "ln_1p expm1 {x}");
        let (sine, cosine) = sin_cos(x);
        assert!(close(sine * sine + cosine * cosine, Real::from_i64(1)), "sine and cosine of {x}");
        let (s, c) = (sinh(r), cosh(r));
        assert!(x > 50.0 || close((c - s) * (c + s), Real::from_i64(1)), "hyperbolic {x}");
        assert!(x > 1.5 || close(elementary::atan(sine / cosine), r), "atan tan {x}");
        if x < 1.0 {
            assert!(close(asin(r) + acos(r), pi().scaled(-1)), "asin and acos of {x}");
        }
        assert!(close(pow(r, real(2.5)), r * r * r.sqrt()), "pow {x}");
        assert!(close(elementary::cbrt(r * r * r), r), "cbrt {x}");
        if x < 100.0 {
            assert!(close(gamma(x + 1.0), real(x + 1.0 - 1.0) * gamma(x + 1.0 - 1.0)) || x < 1e-3, "gamma {x}");
        }
    }
    assert!(close(gamma(0.5) * gamma(0.5), pi()));
    assert!(close(gamma(-1.5), gamma(0.5) * real(4.0).over(3)));
    assert!(ln_gamma(-0.5).1 && !ln_gamma(-1.5).1);
    // Both ways to the complementary error function meet at 3.
    let (below, above) = (erfc(real(2.999_999_999)), erfc(real(3.0)));
    assert_eq!(f64::from_bits(above.round(64)), 2.209_049_699_858_544e-5);
    assert!(close(above, Real::from_i64(1) - erf(real(3.0))) && (above - below).is_negative());
}
