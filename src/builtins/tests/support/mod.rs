//! Samples of floating-point numbers and distances between them.

use std::fmt::LowerExp;

/// A reproducible source of numbers (xorshift).
pub struct Sampler(u64);

impl Sampler {
    pub fn new(seed: u64) -> Self {
        Sampler(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

/// A floating-point format.
pub trait Ulp: Copy + LowerExp {
    /// Zeros, ones, extremes, denormals, infinities and NaN.
    fn special() -> Vec<Self>;
    /// A number: any bit pattern, or uniform in one of the ranges (pairs of bounds).
    fn sample(sampler: &mut Sampler, ranges: &[f64]) -> Self;
    /// The value.
    fn wide(self) -> f64;
    /// The distance between neighbours around `x`.
    fn unit(x: f64) -> f64;
    /// `x` rounded.
    fn narrow(x: f64) -> Self;
}

macro_rules! format {
    ($t:ty, $bits:ty, $mantissa:literal, $min_exponent:literal) => {
        impl Ulp for $t {
            fn special() -> Vec<Self> {
                let positive = [
                    0.0,
                    1.0,
                    2.0,
                    3.0,
                    0.5,
                    0.25,
                    1.5,
                    2.5,
                    4.0,
                    10.0,
                    <$t>::MAX,
                    <$t>::MIN_POSITIVE,
                    <$t>::from_bits(1),
                    <$t>::EPSILON,
                    1.0 + <$t>::EPSILON,
                    1.0 - <$t>::EPSILON / 2.0,
                    <$t>::INFINITY,
                    <$t>::NAN,
                    16777216.0,
                    4503599627370496.0,
                    1e10,
                    88.0,
                    709.0,
                ];
                positive.iter().flat_map(|x| [*x, -*x]).collect()
            }
            fn sample(sampler: &mut Sampler, ranges: &[f64]) -> Self {
                let choice = sampler.next() as usize % (ranges.len() / 2 + 1);
                match ranges.get(2 * choice..2 * choice + 2) {
                    Some([lo, hi]) => (lo + (hi - lo) * (sampler.next() as f64 / u64::MAX as f64)) as $t,
                    _ => <$t>::from_bits(sampler.next() as $bits),
                }
            }
            #[allow(clippy::unnecessary_cast, reason = "one of the two formats is the wide one")]
            fn wide(self) -> f64 {
                self as f64
            }
            fn unit(x: f64) -> f64 {
                let exponent = (x.abs().to_bits() >> 52) as i32 - 1023;
                let unit = exponent.max($min_exponent) - $mantissa;
                if unit < -1022 { f64::from_bits(1 << (unit + 1074)) } else { 2.0f64.powi(unit) }
            }
            fn narrow(x: f64) -> Self {
                x as $t
            }
        }
    };
}
format!(f32, u32, 23, -126);
format!(f64, u64, 52, -1022);

/// The distance of `got` from `exact` in units in the last place; 0 for two NaNs or equal numbers, infinite for one NaN, a
/// wrong infinity or a zero of the wrong sign.
pub fn ulps<T: Ulp>(got: T, exact: f64) -> f64 {
    let value = got.wide();
    if value.is_nan() || exact.is_nan() {
        return if value.is_nan() == exact.is_nan() { 0.0 } else { f64::INFINITY };
    }
    let rounded = T::narrow(exact).wide();
    if value == rounded {
        let signs = value != 0.0 || exact != 0.0 || value.is_sign_negative() == exact.is_sign_negative();
        return if signs {
            if value.is_infinite() || value == exact { 0.0 } else { ((value - exact) / T::unit(exact)).abs().min(0.5) }
        } else {
            f64::INFINITY
        };
    }
    if value.is_infinite() || rounded.is_infinite() {
        // One step across the limit of the format is one unit.
        let other = if value.is_infinite() { rounded } else { value };
        let near =
            other.abs() >= T::narrow(f64::MAX).wide().min(f64::MAX) * 0.999_999 && value.signum() == rounded.signum();
        return if near || (other.abs() - exact.abs()).abs() <= T::unit(other) { 1.0 } else { f64::INFINITY };
    }
    (value - exact).abs() / T::unit(exact)
}

struct Worst {
    distance: f64,
    text: String,
}

impl Worst {
    fn note(&mut self, distance: f64, text: impl FnOnce() -> String) {
        if distance > self.distance {
            *self = Worst { distance, text: text() };
        }
    }

    fn judge(self, name: &str, limit: f64) {
        println!("{name}: {:.3} of {limit} ulp, {}", self.distance, self.text);
        assert!(self.distance <= limit, "{name}: {} ulp, {limit} allowed: {}", self.distance, self.text);
    }
}

/// Holds a function of one argument to `limit` units.
pub fn check_unary<T: Ulp>(name: &str, f: impl Fn(T) -> T, exact: impl Fn(T) -> f64, ranges: &[f64], limit: f64) {
    let mut sampler = Sampler::new(1);
    let samples = std::iter::repeat_with(|| T::sample(&mut sampler, ranges)).take(300_000);
    let mut worst = Worst { distance: -1.0, text: String::new() };
    for x in T::special().into_iter().chain(samples) {
        let (got, want) = (f(x), exact(x));
        worst.note(ulps(got, want), || std::format!("f({x:e}) = {got:e}, not {want:e}"));
    }
    worst.judge(name, limit);
}

/// Holds a function of two arguments to `limit` units.
pub fn check_binary<T: Ulp>(name: &str, f: impl Fn(T, T) -> T, exact: impl Fn(T, T) -> f64, limit: f64) {
    let mut sampler = Sampler::new(2);
    let ranges = [-2.0, 2.0, 0.0, 3.0, -50.0, 50.0, 0.99, 1.01, -2000.0, 2000.0];
    let mut worst = Worst { distance: -1.0, text: String::new() };
    let mut pairs = Vec::new();
    for x in T::special() {
        pairs.extend(T::special().into_iter().map(|y| (x, y)));
    }
    pairs.extend((0..300_000).map(|_| (T::sample(&mut sampler, &ranges), T::sample(&mut sampler, &ranges))));
    for (x, y) in pairs {
        let (got, want) = (f(x, y), exact(x, y));
        worst.note(ulps(got, want), || std::format!("f({x:e}, {y:e}) = {got:e}, not {want:e}"));
    }
    worst.judge(name, limit);
}
