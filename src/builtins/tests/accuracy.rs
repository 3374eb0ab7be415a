//! Every function of the device library against the host's libm, in units in the last place.
//!
//! Float functions are compared with the same function in double. For double functions the host's libm is right to one
//! unit, so what is measured may be off by that.
#![allow(unsafe_code, reason = "the library is called through its C symbols")]

mod support;

use support::{Sampler, Ulp, check_binary, check_unary, ulps};

macro_rules! import {
    ($($name:ident = [$symbol:expr] : fn($($argument:ident : $ty:ty),*) -> $result:ty;)*) => {
        unsafe extern "C" {
            $(#[link_name = $symbol] safe fn $name($($argument: $ty),*) -> $result;)*
        }
    };
}

/// Imports the float and the double form of functions of one argument and tests each against a reference in double.
macro_rules! unary {
    ($($test:ident $name:literal limits $limit32:literal $limit64:literal in $range:expr, $reference:expr;)*) => {$(
        mod $test {
            import! {
                float = [concat!("oxicl.", $name, ".f32")]: fn(x: f32) -> f32;
                double = [concat!("oxicl.", $name, ".f64")]: fn(x: f64) -> f64;
            }
            #[test]
            fn float_is_within_the_limit() {
                let reference: fn(f64) -> f64 = $reference;
                super::check_unary::<f32>($name, |x| float(x), |x| reference(f64::from(x)), &$range, $limit32);
            }
            #[test]
            fn double_is_within_the_limit() {
                super::check_unary::<f64>($name, |x| double(x), $reference, &$range, $limit64);
            }
        }
    )*};
}

/// The same for functions of two arguments.
macro_rules! binary {
    ($($test:ident $name:literal limits $limit32:literal $limit64:literal, $reference:expr;)*) => {$(
        mod $test {
            import! {
                float = [concat!("oxicl.", $name, ".f32")]: fn(x: f32, y: f32) -> f32;
                double = [concat!("oxicl.", $name, ".f64")]: fn(x: f64, y: f64) -> f64;
            }
            #[test]
            fn float_is_within_the_limit() {
                let reference: fn(f64, f64) -> f64 = $reference;
                let wide = |x, y| reference(f64::from(x), f64::from(y));
                super::check_binary::<f32>($name, |x, y| float(x, y), wide, $limit32);
            }
            #[test]
            fn double_is_within_the_limit() {
                super::check_binary::<f64>($name, |x, y| double(x, y), $reference, $limit64);
            }
        }
    )*};
}

mod host {
    unsafe extern "C" {
        pub safe fn asinh(x: f64) -> f64;
        pub safe fn acosh(x: f64) -> f64;
        pub safe fn atanh(x: f64) -> f64;
        pub safe fn erf(x: f64) -> f64;
        pub safe fn erfc(x: f64) -> f64;
        pub safe fn tgamma(x: f64) -> f64;
        pub safe fn lgamma(x: f64) -> f64;
        pub safe fn remainder(x: f64, y: f64) -> f64;
        pub safe fn fmod(x: f64, y: f64) -> f64;
        pub safe fn nextafter(x: f64, y: f64) -> f64;
        pub safe fn nextafterf(x: f32, y: f32) -> f32;
        pub safe fn logb(x: f64) -> f64;
        pub safe fn exp10(x: f64) -> f64;
        pub safe fn fdim(x: f64, y: f64) -> f64;
        pub safe fn ldexp(x: f64, n: i32) -> f64;
        pub safe fn ilogb(x: f64) -> i32;
    }
    /// x modulo 2 in [-1/4, 1/4] quarter turns from a multiple of 1/2, exactly.
    fn turns(x: f64) -> (f64, i64) {
        let a = x.abs() % 2.0;
        let n = (2.0 * a).round_ties_even();
        (a - 0.5 * n, n as i64)
    }
    pub fn sinpi(x: f64) -> f64 {
        if x.fract() == 0.0 {
            return 0.0f64.copysign(x);
        }
        let (r, n) = turns(x);
        let value = match n & 3 {
            0 => (r * std::f64::consts::PI).sin(),
            1 => (r * std::f64::consts::PI).cos(),
            2 => -(r * std::f64::consts::PI).sin(),
            _ => -(r * std::f64::consts::PI).cos(),
        };
        if x < 0.0 { -value } else { value }
    }
    pub fn cospi(x: f64) -> f64 {
        let (r, n) = turns(x);
        if r == 0.0 && n & 1 == 1 {
            return 0.0;
        }
        match n & 3 {
            0 => (r * std::f64::consts::PI).cos(),
            1 => -(r * std::f64::consts::PI).sin(),
            2 => -(r * std::f64::consts::PI).cos(),
            _ => (r * std::f64::consts::PI).sin(),
        }
    }
    pub fn tanpi(x: f64) -> f64 {
        let (r, n) = turns(x);
        let value = match (n & 3, r == 0.0) {
            (0, true) => 0.0,
            (1, true) => f64::INFINITY,
            (2, true) => -0.0,
            (3, true) => f64::NEG_INFINITY,
            _ => {
                let t = (r * std::f64::consts::PI).tan();
                if n & 1 == 1 { -1.0 / t } else { t }
            }
        };
        if x.is_sign_negative() { -value } else { value }
    }
    pub fn powr(x: f64, y: f64) -> f64 {
        let undefined = ((x == 0.0 || x == f64::INFINITY) && y == 0.0) || (x == 1.0 && y.is_infinite());
        if x < 0.0 || x.is_nan() || y.is_nan() || undefined { f64::NAN } else { x.abs().powf(y) }
    }
}

const PI: f64 = std::f64::consts::PI;

unary! {
    exp "exp" limits 3.0 3.0 in [-800.0, 800.0, -110.0, 90.0, -1.0, 1.0], f64::exp;
    exp2 "exp2" limits 3.0 3.0 in [-1100.0, 1100.0, -160.0, 130.0, -1.0, 1.0], f64::exp2;
    exp10 "exp10" limits 3.0 3.0 in [-330.0, 310.0, -50.0, 40.0, -1.0, 1.0], |x| super::host::exp10(x);
    expm1 "expm1" limits 3.0 3.0 in [-800.0, 800.0, -50.0, 90.0, -1.0, 1.0], f64::exp_m1;
    log "log" limits 3.0 3.0 in [0.5, 2.0, 0.0, 1e6], f64::ln;
    log2 "log2" limits 3.0 3.0 in [0.5, 2.0, 0.0, 1e6], f64::log2;
    log10 "log10" limits 3.0 3.0 in [0.5, 2.0, 0.0, 1e6], f64::log10;
    log1p "log1p" limits 2.0 2.0 in [-1.0, 1.0, 0.0, 1e6], f64::ln_1p;
    sin "sin" limits 4.0 4.0 in [-4.0, 4.0, -70000.0, 70000.0, -2e6, 2e6], f64::sin;
    cos "cos" limits 4.0 4.0 in [-4.0, 4.0, -70000.0, 70000.0, -2e6, 2e6], f64::cos;
    tan "tan" limits 5.0 5.0 in [-4.0, 4.0, -70000.0, 70000.0, -2e6, 2e6], f64::tan;
    sinpi "sinpi" limits 4.0 4.0 in [-2.0, 2.0, -1e5, 1e5], super::host::sinpi;
    cospi "cospi" limits 4.0 4.0 in [-2.0, 2.0, -1e5, 1e5], super::host::cospi;
    tanpi "tanpi" limits 6.0 6.0 in [-2.0, 2.0, -1e5, 1e5], super::host::tanpi;
    asin "asin" limits 4.0 4.0 in [-1.0, 1.0, -0.5, 0.5], f64::asin;
    acos "acos" limits 4.0 4.0 in [-1.0, 1.0, 0.9, 1.0], f64::acos;
    atan "atan" limits 5.0 5.0 in [-1.0, 1.0, -10.0, 10.0], f64::atan;
    asinpi "asinpi" limits 5.0 5.0 in [-1.0, 1.0], |x| x.asin() / super::PI;
    acospi "acospi" limits 5.0 5.0 in [-1.0, 1.0], |x| x.acos() / super::PI;
    atanpi "atanpi" limits 5.0 5.0 in [-1.0, 1.0, -10.0, 10.0], |x| x.atan() / super::PI;
    asinh "asinh" limits 4.0 4.0 in [-1.0, 1.0, -100.0, 100.0], |x| super::host::asinh(x);
    acosh "acosh" limits 4.0 4.0 in [1.0, 2.0, 1.0, 1000.0], |x| super::host::acosh(x);
    atanh "atanh" limits 5.0 5.0 in [-1.0, 1.0], |x| super::host::atanh(x);
    sinh "sinh" limits 4.0 4.0 in [-1.0, 1.0, -100.0, 100.0, -715.0, 715.0], f64::sinh;
    cosh "cosh" limits 4.0 4.0 in [-1.0, 1.0, -100.0, 100.0, -715.0, 715.0], f64::cosh;
    tanh "tanh" limits 5.0 5.0 in [-1.0, 1.0, -20.0, 20.0], f64::tanh;
    erf "erf" limits 16.0 16.0 in [-1.0, 1.0, -6.0, 6.0], |x| super::host::erf(x);
    erfc "erfc" limits 16.0 16.0 in [-1.0, 1.0, -6.0, 28.0], |x| super::host::erfc(x);
    tgamma "tgamma" limits 16.0 16.0 in [-10.0, 10.0, -40.0, 40.0, -190.0, 180.0], |x| super::host::tgamma(x);
    cbrt "cbrt" limits 2.0 2.0 in [-8.0, 8.0], f64::cbrt;
    logb "logb" limits 0.5 0.5 in [-8.0, 8.0], |x| super::host::logb(x);
}

binary! {
    pow "pow" limits 16.0 16.0, f64::powf;
    powr "powr" limits 16.0 16.0, super::host::powr;
    atan2 "atan2" limits 6.0 6.0, f64::atan2;
    atan2pi "atan2pi" limits 6.0 6.0, |y, x| y.atan2(x) / super::PI;
    hypot "hypot" limits 4.0 4.0, f64::hypot;
    fmod "fmod" limits 0.0 0.0, |x, y| super::host::fmod(x, y);
    remainder "remainder" limits 0.0 0.0, |x, y| super::host::remainder(x, y);
    fdim "fdim" limits 0.5 0.0, |x, y| super::host::fdim(x, y);
}

import! {
    pown_f32 = ["oxicl.pown.f32"]: fn(x: f32, y: i32) -> f32;
    pown_f64 = ["oxicl.pown.f64"]: fn(x: f64, y: i32) -> f64;
    rootn_f32 = ["oxicl.rootn.f32"]: fn(x: f32, y: i32) -> f32;
    ldexp_f32 = ["oxicl.ldexp.f32"]: fn(x: f32, y: i32) -> f32;
    ldexp_f64 = ["oxicl.ldexp.f64"]: fn(x: f64, y: i32) -> f64;
    nextafter_f32 = ["oxicl.nextafter.f32"]: fn(x: f32, y: f32) -> f32;
    nextafter_f64 = ["oxicl.nextafter.f64"]: fn(x: f64, y: f64) -> f64;
    ilogb_f32 = ["oxicl.ilogb.f32"]: fn(x: f32) -> i32;
    ilogb_f64 = ["oxicl.ilogb.f64"]: fn(x: f64) -> i32;
    mantissa_f32 = ["oxicl.frexp_mantissa.f32"]: fn(x: f32) -> f32;
    mantissa_f64 = ["oxicl.frexp_mantissa.f64"]: fn(x: f64) -> f64;
    exponent_f32 = ["oxicl.frexp_exponent.f32"]: fn(x: f32) -> i32;
    exponent_f64 = ["oxicl.frexp_exponent.f64"]: fn(x: f64) -> i32;
    quotient_f32 = ["oxicl.remquo_quotient.f32"]: fn(x: f32, y: f32) -> i32;
    lgamma_f64 = ["oxicl.lgamma.f64"]: fn(x: f64) -> f64;
    rsqrt_f32 = ["oxicl.rsqrt.f32"]: fn(x: f32) -> f32;
    rsqrt_f64 = ["oxicl.rsqrt.f64"]: fn(x: f64) -> f64;
    sin_f32 = ["oxicl.sin.f32"]: fn(x: f32) -> f32;
    sin_f64 = ["oxicl.sin.f64"]: fn(x: f64) -> f64;
    cos_f32 = ["oxicl.cos.f32"]: fn(x: f32) -> f32;
    cos_f64 = ["oxicl.cos.f64"]: fn(x: f64) -> f64;
    sinpi_f32 = ["oxicl.sinpi.f32"]: fn(x: f32) -> f32;
    sinpi_f64 = ["oxicl.sinpi.f64"]: fn(x: f64) -> f64;
    cospi_f32 = ["oxicl.cospi.f32"]: fn(x: f32) -> f32;
    cospi_f64 = ["oxicl.cospi.f64"]: fn(x: f64) -> f64;
    half_sin = ["oxicl.half_sin.f32"]: fn(x: f32) -> f32;
    half_cos = ["oxicl.half_cos.f32"]: fn(x: f32) -> f32;
    fma_odd = ["oxicl.fma_odd.f32"]: fn(a: f32, b: f32, c: f32) -> f32;
}

#[test]
fn no_sine_or_cosine_is_beyond_one() {
    let mut sampler = Sampler::new(10);
    for _ in 0..200_000 {
        // Near a multiple of a quarter turn, by up to a thousandth.
        let quarters = (sampler.next() % 2000) as f64 - 1000.0;
        let off = (sampler.next() as f64 / u64::MAX as f64 - 0.5) * 2e-3;
        let (angle, turns) = ((quarters + off) * std::f64::consts::FRAC_PI_2, (quarters + off) * 0.5);
        for value in [sin_f32(angle as f32), cos_f32(angle as f32), half_sin(angle as f32), half_cos(angle as f32)] {
            assert!(value.abs() <= 1.0, "a sine or cosine of {angle:e} is {value:e}");
        }
        for value in [sinpi_f32(turns as f32), cospi_f32(turns as f32)] {
            assert!(value.abs() <= 1.0, "a sine or cosine of {turns:e} half turns is {value:e}");
        }
        for value in [sin_f64(angle), cos_f64(angle), sinpi_f64(turns), cospi_f64(turns)] {
            assert!(value.abs() <= 1.0, "a sine or cosine of {angle:e} is {value:e}");
        }
    }
    // All floats next to a quarter turn: it depends on the rounding of each.
    let near = |quarter: f32| (0..8_000u32).map(move |back| f32::from_bits(quarter.to_bits() + 4_000 - back));
    for angle in near(std::f32::consts::FRAC_PI_2) {
        for value in [sin_f32(angle), half_sin(angle), cos_f32(angle * 2.0)] {
            assert!(value.abs() <= 1.0, "a sine or cosine of {angle:e} is {value:e}");
        }
    }
    for turns in near(0.5) {
        let value = sinpi_f32(turns);
        assert!(value <= 1.0, "the sine of {turns:e} half turns is {value:e}");
    }
    let peaks = [cos_f32(0.0), cos_f32(-0.0), cospi_f32(4.0), cospi_f32(-3.0).abs(), sinpi_f32(0.5)];
    assert_eq!(peaks, [1.0; 5]);
    assert_eq!([cos_f64(0.0), cospi_f64(1e300), sinpi_f64(2.5)], [1.0; 3]);
}

#[test]
fn small_whole_powers_are_products() {
    for x in [-3.0f32, -1.0, 1.5, 2.0, 7.0] {
        for n in -7..=7 {
            assert_eq!(pown_f32(x, n), x.powi(n), "pown({x}, {n})");
            assert_eq!(pown_f64(f64::from(x), n), f64::from(x).powi(n), "pown({x}, {n})");
        }
    }
    // Where the product leaves the range that its reciprocal may have, as any other power.
    assert_eq!(
        (pown_f64(2.0, -1074), pown_f32(2.0, -149), pown_f32(2f32.powi(-49), 3)),
        (5e-324, 1e-45, f32::from_bits(4))
    );
    assert_eq!((pown_f64(2f64.powi(358), -3), pown_f64(1.5, i32::MIN), pown_f64(-1.0, i32::MAX)), (5e-324, 0.0, -1.0));
}

#[test]
fn reciprocal_roots_are_within_two_units() {
    let mut sampler = Sampler::new(11);
    for _ in 0..300_000 {
        let x = f64::sample(&mut sampler, &[0.0, 4.0, 0.0, 1e300]).abs();
        if x > 0.0 && x.is_finite() {
            // What it is compared with is a unit off at most.
            assert!(ulps(rsqrt_f64(x), 1.0 / x.sqrt()) <= 2.0, "rsqrt({x:e}) = {:e}", rsqrt_f64(x));
        }
    }
    assert_eq!((rsqrt_f64(0.0), rsqrt_f64(-0.0), rsqrt_f64(f64::INFINITY)), (f64::INFINITY, f64::NEG_INFINITY, 0.0));
    assert!(rsqrt_f64(-1.0).is_nan() && rsqrt_f64(f64::NAN).is_nan());
    for exponent in -149..128 {
        let x = 1.375 * 2f32.powi(exponent);
        assert!(ulps(rsqrt_f32(x), 1.0 / f64::from(x).sqrt()) <= 2.0, "rsqrt({x:e}) = {:e}", rsqrt_f32(x));
    }
    assert_eq!((rsqrt_f32(0.0), rsqrt_f32(-0.0), rsqrt_f32(f32::INFINITY)), (f32::INFINITY, f32::NEG_INFINITY, 0.0));
    assert!(rsqrt_f32(-1.0).is_nan() && rsqrt_f32(f32::NAN).is_nan());
}

/// A sum rounded to odd has its last bit set wherever digits were lost, and is else the sum.
#[test]
fn sums_for_halves_lose_no_digit_that_rounding_asks_for() {
    let half = |bits: u64| {
        let (exponent, fraction) = ((bits >> 10 & 31) as i32, (bits & 1023) as f64);
        let size =
            if exponent == 0 { fraction * 2f64.powi(-24) } else { (1024.0 + fraction) * 2f64.powi(exponent - 25) };
        if bits >> 15 & 1 == 1 { -size } else { size }
    };
    // The nearest half, ties to even, of what double holds exactly.
    let nearest = |x: f64| {
        let unit = 2f64.powi(((x.abs().to_bits() >> 52) as i32 - 1023).max(-14) - 10);
        (x / unit).round_ties_even() * unit
    };
    let mut sampler = Sampler::new(12);
    for _ in 0..300_000 {
        let bits = sampler.next();
        // Products and terms of sizes that meet, often with few digits, so that sums lie between two halves.
        let mask = if bits >> 60 & 1 == 1 { 0x7fff } else { 0x7fe0 };
        let [a, b, c] = [bits & mask, bits >> 16 & mask, bits >> 32 & 0xffff].map(half);
        let exact = a * b + c;
        let fits = ((a * b - (exact - c)).abs() == 0.0) && ((exact - a * b) - c).abs() == 0.0;
        if a.abs() < 65536.0 && b.abs() < 65536.0 && c.abs() < 65536.0 && exact.abs() < 65504.0 && fits {
            let got = f64::from(fma_odd(a as f32, b as f32, c as f32));
            assert_eq!(nearest(got), nearest(exact), "{a:e} {b:e} + {c:e} by way of {got:e}");
        }
    }
}

#[test]
fn integer_powers_and_roots_are_within_the_limit() {
    let mut sampler = Sampler::new(7);
    for _ in 0..200_000 {
        let (x, n) =
            (f32::sample(&mut sampler, &[0.5, 2.0, -20.0, 20.0]), (sampler.next() as i32) >> (sampler.next() % 30));
        let wide = f64::from(x);
        let power = wide.powi(n);
        let exact = if power.is_finite() && power != 0.0 { wide.powf(f64::from(n)) } else { power };
        assert!(ulps(pown_f32(x, n), exact) <= 16.0, "pown({x:e}, {n}) = {:e}, not {exact:e}", pown_f32(x, n));
        assert!(ulps(pown_f64(wide, n), wide.powf(f64::from(n))) <= 16.0, "pown({wide:e}, {n})");
        let root = match (n, x < 0.0) {
            (0, _) => f64::NAN,
            (n, true) if n & 1 == 0 => f64::NAN,
            (n, true) => -wide.abs().powf(1.0 / f64::from(n)),
            (n, false) => wide.powf(1.0 / f64::from(n)),
        };
        if x != 0.0 {
            assert!(ulps(rootn_f32(x, n), root) <= 16.0, "rootn({x:e}, {n}) = {:e}, not {root:e}", rootn_f32(x, n));
        }
    }
}

#[test]
fn functions_on_the_parts_of_a_number_are_exact() {
    let mut sampler = Sampler::new(8);
    for _ in 0..200_000 {
        let (x, y) = (f32::sample(&mut sampler, &[-2.0, 2.0]), f32::sample(&mut sampler, &[-2.0, 2.0]));
        let (a, b) = (f64::sample(&mut sampler, &[-2.0, 2.0]), f64::sample(&mut sampler, &[-2.0, 2.0]));
        let n = (sampler.next() as i32) >> (sampler.next() % 31);
        assert!(ulps(ldexp_f32(x, n), f64::from(host::ldexp(f64::from(x), n) as f32)) == 0.0, "ldexp({x:e}, {n})");
        assert!(ulps(ldexp_f64(a, n), host::ldexp(a, n)) == 0.0, "ldexp({a:e}, {n}) = {:e}", ldexp_f64(a, n));
        assert!(ulps(nextafter_f32(x, y), f64::from(host::nextafterf(x, y))) == 0.0, "nextafter({x:e}, {y:e})");
        assert!(ulps(nextafter_f64(a, b), host::nextafter(a, b)) == 0.0, "nextafter({a:e}, {b:e})");
        if x.is_finite() && x != 0.0 {
            assert_eq!(ilogb_f32(x), host::ilogb(f64::from(x)), "ilogb({x:e})");
            assert_eq!(mantissa_f32(x) * 2.0, (f64::from(x) * 2.0f64.powi(1 - exponent_f32(x))) as f32, "frexp({x:e})");
            assert!((0.5..1.0).contains(&mantissa_f32(x).abs()));
        }
        if a.is_finite() && a != 0.0 {
            assert_eq!(ilogb_f64(a), host::ilogb(a), "ilogb({a:e})");
            assert!((0.5..1.0).contains(&mantissa_f64(a).abs()));
            assert_eq!(host::ldexp(mantissa_f64(a), exponent_f64(a)), a, "frexp({a:e})");
        }
    }
    assert_eq!((ilogb_f32(0.0), ilogb_f32(f32::NAN), ilogb_f64(f64::INFINITY)), (i32::MIN, i32::MAX, i32::MAX));
}

import! {
    native_exp = ["oxicl.native_exp.f32"]: fn(x: f32) -> f32;
    native_exp2 = ["oxicl.native_exp2.f32"]: fn(x: f32) -> f32;
    native_exp10 = ["oxicl.native_exp10.f32"]: fn(x: f32) -> f32;
    native_log = ["oxicl.native_log.f32"]: fn(x: f32) -> f32;
    native_log2 = ["oxicl.native_log2.f32"]: fn(x: f32) -> f32;
    native_log10 = ["oxicl.native_log10.f32"]: fn(x: f32) -> f32;
    native_sin = ["oxicl.native_sin.f32"]: fn(x: f32) -> f32;
    native_cos = ["oxicl.native_cos.f32"]: fn(x: f32) -> f32;
    native_tan = ["oxicl.native_tan.f32"]: fn(x: f32) -> f32;
    native_powr = ["oxicl.native_powr.f32"]: fn(x: f32, y: f32) -> f32;
}

#[test]
fn cheap_forms_are_close_for_ordinary_arguments() {
    let mut sampler = Sampler::new(9);
    let mut uniform = |low: f32, high: f32| low + (high - low) * (sampler.next() as f64 / u64::MAX as f64) as f32;
    let near = |name: &str, x: f32, got: f32, exact: f64, relative: f64, absolute: f64| {
        let allowed = relative * exact.abs() + absolute;
        assert!((f64::from(got) - exact).abs() <= allowed, "{name}({x:e}) = {got:e}, not {exact:e}");
    };
    for _ in 0..100_000 {
        let (x, positive) = (uniform(-30.0, 30.0), uniform(1e-3, 1e3));
        let (wide, log) = (f64::from(x), f64::from(positive));
        near("exp", x, native_exp(x), wide.exp(), 4e-6, 0.0);
        near("exp2", x, native_exp2(x), wide.exp2(), 4e-7, 0.0);
        near("exp10", x, native_exp10(x), host::exp10(wide), 2e-5, 0.0);
        near("log", positive, native_log(positive), log.ln(), 4e-7, 2e-7);
        near("log2", positive, native_log2(positive), log.log2(), 4e-7, 2e-7);
        near("log10", positive, native_log10(positive), log.log10(), 4e-7, 2e-7);
        near("sin", x, native_sin(x), wide.sin(), 4e-7, 1e-6);
        near("cos", x, native_cos(x), wide.cos(), 4e-7, 1e-6);
        let quarter = x / 30.0;
        near("tan", quarter, native_tan(quarter), f64::from(quarter).tan(), 1e-6, 1e-6);
        near("powr", positive, native_powr(positive, quarter), log.powf(f64::from(quarter)), 1e-5, 0.0);
    }
    assert_eq!((native_exp2(-200.0), native_exp2(200.0)), (0.0, f32::INFINITY));
}

#[test]
fn remquo_gives_seven_bits_of_the_quotient() {
    assert_eq!(quotient_f32(7.0, 2.0), 4); // 3.5 rounds to even
    assert_eq!(quotient_f32(-5.0, 2.0), -2);
    assert_eq!(quotient_f32(1e9, 1.0), 1_000_000_000 & 0x7f);
}

#[test]
fn lgamma_is_close() {
    for i in 1..4000 {
        let x = f64::from(i) * 0.01;
        let (got, exact) = (lgamma_f64(x), host::lgamma(x));
        assert!((got - exact).abs() <= 1e-14 * exact.abs().max(1.0), "lgamma({x}) = {got:e}, not {exact:e}");
    }
}
