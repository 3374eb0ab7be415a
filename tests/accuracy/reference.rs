//! The right results: of MPFR where they are real numbers, of the host's exact operations where they are numbers of the format.

use crate::exact::Real;
use crate::format::Format;
use crate::table::Allowed;

/// Which result is right.
#[derive(Clone, Copy)]
pub enum Reference {
    /// A function of MPFR of one argument.
    Unary(&'static str),
    /// A function of MPFR of two arguments.
    Binary(&'static str),
    /// A real number, from others.
    Real(fn(&[f64]) -> Real),
    /// A number of the format.
    Host(fn(Format, &[f64]) -> f64),
    /// One of two numbers of the format.
    Either(fn(Format, &[f64]) -> [f64; 2]),
}

/// A right result.
pub enum Right {
    /// A real number to be rounded.
    Real(Real),
    /// One of these numbers.
    Numbers([f64; 2]),
}

impl Reference {
    /// The right result for some arguments.
    pub fn evaluate(self, format: Format, x: &[f64]) -> Right {
        match self {
            Reference::Unary(name) => Right::Real(unary(name, &Real::from(x[0]))),
            Reference::Binary(name) => Right::Real(binary(name, &Real::from(x[0]), &Real::from(x[1]))),
            Reference::Real(function) => Right::Real(function(x)),
            Reference::Host(function) => Right::Numbers([function(format, x); 2]),
            Reference::Either(function) => Right::Numbers(function(format, x)),
        }
    }
}

/// `mpfr_<name>`.
pub fn mpfr_name(name: &str) -> &'static str {
    const NAMES: &[&str] = &[
        "acos", "acosh", "acospi", "asin", "asinh", "asinpi", "atan", "atanh", "atanpi", "cbrt", "cos", "cosh",
        "cospi", "erf", "erfc", "exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "sin", "sinh",
        "sinpi", "sqrt", "tan", "tanh", "tanpi", "atan2", "atan2pi", "hypot", "pow", "powr",
    ];
    const MPFR: &[&str] = &[
        "mpfr_acos",
        "mpfr_acosh",
        "mpfr_acospi",
        "mpfr_asin",
        "mpfr_asinh",
        "mpfr_asinpi",
        "mpfr_atan",
        "mpfr_atanh",
        "mpfr_atanpi",
        "mpfr_cbrt",
        "mpfr_cos",
        "mpfr_cosh",
        "mpfr_cospi",
        "mpfr_erf",
        "mpfr_erfc",
        "mpfr_exp",
        "mpfr_exp2",
        "mpfr_exp10",
        "mpfr_expm1",
        "mpfr_log",
        "mpfr_log2",
        "mpfr_log10",
        "mpfr_log1p",
        "mpfr_sin",
        "mpfr_sinh",
        "mpfr_sinpi",
        "mpfr_sqrt",
        "mpfr_tan",
        "mpfr_tanh",
        "mpfr_tanpi",
        "mpfr_atan2",
        "mpfr_atan2pi",
        "mpfr_hypot",
        "mpfr_pow",
        "mpfr_powr",
    ];
    let index = NAMES.iter().position(|n| *n == name);
    index.map_or_else(|| panic!("MPFR is not asked for {name}"), |i| MPFR[i])
}

fn unary(name: &str, x: &Real) -> Real {
    Real::unary(name, x).unwrap_or_else(|| panic!("{name} is not imported"))
}

fn binary(name: &str, x: &Real, y: &Real) -> Real {
    Real::binary(name, x, y).unwrap_or_else(|| panic!("{name} is not imported"))
}

fn wide(name: &str, x: &Real, y: &Real) -> Real {
    Real::exact(name, x, y).unwrap_or_else(|| panic!("{name} is not imported"))
}

/// a + b without any rounding.
pub fn add(x: &[f64]) -> Real {
    wide("add", &Real::from(x[0]), &Real::from(x[1]))
}

/// a - b without any rounding.
pub fn subtract(x: &[f64]) -> Real {
    wide("add", &Real::from(x[0]), &Real::from(-x[1]))
}

/// a b without any rounding.
pub fn multiply(x: &[f64]) -> Real {
    wide("mul", &Real::from(x[0]), &Real::from(x[1]))
}

/// a b + c without any rounding.
pub fn fused(x: &[f64]) -> Real {
    wide("add", &multiply(x), &Real::from(x[2]))
}

/// mad: fused, or rounded twice.
pub fn mad(format: Format, x: &[f64]) -> [f64; 2] {
    let product = multiply(x).round(format);
    [fused(x).round(format), add(&[product, x[2]]).round(format)]
}

/// 1 / a.
pub fn recip(x: &[f64]) -> Real {
    binary("mpfr_div", &Real::from(1.0), &Real::from(x[0]))
}

/// 1 / sqrt(a), with the sign of a zero.
pub fn rsqrt(x: &[f64]) -> Real {
    binary("mpfr_div", &Real::from(1.0), &unary("mpfr_sqrt", &Real::from(x[0])))
}

/// log |gamma(a)|.
pub fn lgamma(x: &[f64]) -> Real {
    Real::lgamma(&Real::from(x[0])).0
}

/// The sign of gamma(a), 0 at its poles (and, as the edge cases have it, at zero).
pub fn gamma_sign(x: f64) -> f64 {
    let pole = x <= 0.0 && x == x.trunc();
    if pole {
        0.0
    } else if x < 0.0 && x.floor() % 2.0 != 0.0 {
        -1.0
    } else {
        1.0
    }
}

fn pi() -> Real {
    unary("mpfr_acos", &Real::from(-1.0))
}

/// a 180 / pi.
pub fn degrees(x: &[f64]) -> Real {
    binary("mpfr_div", &binary("mpfr_mul", &Real::from(x[0]), &Real::from(180.0)), &pi())
}

/// a pi / 180.
pub fn radians(x: &[f64]) -> Real {
    binary("mpfr_div", &binary("mpfr_mul", &Real::from(x[0]), &pi()), &Real::from(180.0))
}

/// a to the power of the int b.
pub fn pown(x: &[f64]) -> Real {
    Real::pown(&Real::from(x[0]), x[1] as i64)
}

/// The b-th root of a.
pub fn rootn(x: &[f64]) -> Real {
    if x[1] == 0.0 { Real::from(f64::NAN) } else { Real::rootn(&Real::from(x[0]), x[1] as i64) }
}

/// powr, which keeps a NaN.
pub fn powr(x: &[f64]) -> Real {
    if x[1].is_nan() { Real::from(x[1]) } else { binary("mpfr_powr", &Real::from(x[0]), &Real::from(x[1])) }
}

/// a 2^b.
pub fn ldexp(x: &[f64]) -> Real {
    Real::ldexp(&Real::from(x[0]), x[1] as i64)
}

/// a - b, or 0.
pub fn fdim(x: &[f64]) -> Real {
    if x[0].is_nan() || x[1].is_nan() {
        Real::from(f64::NAN)
    } else if x[0] > x[1] {
        subtract(x)
    } else {
        Real::from(0.0)
    }
}

/// a + (b - a) c.
pub fn mix(x: &[f64]) -> Real {
    wide("add", &Real::from(x[0]), &wide("mul", &subtract(&[x[1], x[0]]), &Real::from(x[2])))
}

/// t^2 (3 - 2 t) of t = clamp((c - a) / (b - a), 0, 1).
pub fn smoothstep(x: &[f64]) -> Real {
    let t = binary("mpfr_div", &subtract(&[x[2], x[0]]), &subtract(&[x[1], x[0]]));
    let t = if t.double() < 0.0 {
        Real::from(0.0)
    } else if t.double() > 1.0 {
        Real::from(1.0)
    } else {
        t
    };
    let factor = binary("mpfr_sub", &Real::from(3.0), &binary("mpfr_add", &t, &t));
    binary("mpfr_mul", &binary("mpfr_mul", &t, &t), &factor)
}

fn root_of_squares(parts: &[Real]) -> Real {
    if parts.iter().any(|p| p.double().is_infinite()) {
        return Real::from(f64::INFINITY);
    }
    let zero = Real::from(0.0);
    let sum = parts.iter().fold(zero, |sum, p| wide("add", &sum, &wide("mul", p, p)));
    unary("mpfr_sqrt", &sum)
}

/// The length of a vector. An infinite component counts more than a NaN, as for hypot.
pub fn length(x: &[f64]) -> Real {
    let parts: Vec<Real> = x.iter().map(|x| Real::from(*x)).collect();
    root_of_squares(&parts)
}

/// The distance of two vectors.
pub fn distance(x: &[f64]) -> Real {
    let (a, b) = x.split_at(x.len() / 2);
    let parts: Vec<Real> = a.iter().zip(b).map(|(a, b)| subtract(&[*a, *b])).collect();
    root_of_squares(&parts)
}

/// The first component of a unit vector.
pub fn normalize(x: &[f64]) -> Real {
    if x.iter().any(|x| x.is_nan()) {
        return Real::from(f64::NAN);
    }
    let unit = |x: &f64| if x.is_infinite() { 1f64.copysign(*x) } else { 0.0 * x };
    let infinite = x.iter().any(|x| x.is_infinite());
    let x: Vec<f64> = if infinite { x.iter().map(unit).collect() } else { x.to_vec() };
    if x.iter().all(|x| *x == 0.0) {
        return Real::from(x[0]);
    }
    binary("mpfr_div", &Real::from(x[0]), &length(&x))
}

/// The sum of the products.
pub fn dot(x: &[f64]) -> Real {
    let (a, b) = x.split_at(x.len() / 2);
    a.iter().zip(b).fold(Real::from(0.0), |sum, (a, b)| wide("add", &sum, &multiply(&[*a, *b])))
}

/// The first component of a cross product.
pub fn cross(x: &[f64]) -> Real {
    wide("add", &multiply(&[x[1], x[5]]), &multiply(&[-x[2], x[4]]))
}

/// sign.
pub fn sign(x: f64) -> f64 {
    if x.is_nan() {
        0.0
    } else if x == 0.0 {
        x
    } else {
        1f64.copysign(x)
    }
}

/// A mantissa in [1/2, 1) and its exponent.
pub fn frexp(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let (scaled, by) = if x.abs() < f64::MIN_POSITIVE { (x * 2f64.powi(54), 54) } else { (x, 0) };
    let bits = scaled.to_bits();
    let mantissa = f64::from_bits(bits & 0x800f_ffff_ffff_ffff | 0x3fe0_0000_0000_0000);
    (mantissa, (bits >> 52 & 0x7ff) as i32 - 1022 - by)
}

/// logb.
pub fn logb(x: f64) -> f64 {
    if x == 0.0 {
        f64::NEG_INFINITY
    } else if x.is_infinite() {
        f64::INFINITY
    } else if x.is_nan() {
        x
    } else {
        f64::from(frexp(x).1 - 1)
    }
}

/// ilogb, with the limits of OpenCL C.
pub fn ilogb(x: f64) -> f64 {
    if x == 0.0 {
        f64::from(i32::MIN)
    } else if x.is_finite() {
        f64::from(frexp(x).1 - 1)
    } else {
        f64::from(i32::MAX)
    }
}

/// fract: below 1.
pub fn fract(format: Format, x: &[f64]) -> f64 {
    let x = x[0];
    if x.is_nan() {
        return x;
    }
    if x.is_infinite() || x == 0.0 {
        return 0f64.copysign(x);
    }
    // A double has the difference of a half or float exactly, unless it is so close to 1 that the limit decides.
    let rest = match format {
        Format::Double => subtract(&[x, x.floor()]).round(format),
        _ => format.round(x - x.floor()),
    };
    rest.min(format.step(1.0, -1))
}

/// modf: the part after the point, with the sign.
pub fn modf(x: f64) -> f64 {
    let rest = if x.is_infinite() { 0.0 } else { x - x.trunc() };
    rest.copysign(x)
}

/// maxmag and minmag.
pub fn magnitude(x: &[f64], larger: bool) -> f64 {
    let (a, b) = (x[0].abs(), x[1].abs());
    match (a > b, b > a) {
        (true, _) if larger => x[0],
        (_, true) if larger => x[1],
        (true, _) => x[1],
        (_, true) => x[0],
        _ if larger => x[0].max(x[1]),
        _ => x[0].min(x[1]),
    }
}

/// max and min of the common functions, which leave NaN open: what the definition with a comparison gives.
pub fn common(x: &[f64], larger: bool) -> f64 {
    let other = if larger { x[0] < x[1] } else { x[1] < x[0] };
    if other { x[1] } else { x[0] }
}

/// clamp; open where an operand is NaN or the bounds are the wrong way around, which the samples leave out.
pub fn clamp(x: &[f64]) -> f64 {
    let low = if x[0] < x[1] { x[1] } else { x[0] };
    if low > x[2] { x[2] } else { low }
}

/// nextafter.
pub fn nextafter(format: Format, x: &[f64]) -> f64 {
    let (x, y) = (x[0], x[1]);
    if x.is_nan() || y.is_nan() {
        f64::NAN
    } else if x == y {
        y
    } else {
        let next = format.step(x, if y > x { 1 } else { -1 });
        if next == 0.0 { 0f64.copysign(x) } else { next }
    }
}

/// The low 7 bits of the quotient that remquo stores, with its sign.
pub fn quotient(_: Format, x: &[f64]) -> f64 {
    quotient_of(x, Real::remquo(&Real::from(x[0]), &Real::from(x[1])).1)
}

/// What remquo stores where the rounded quotient is `quotient`.
pub fn quotient_of(x: &[f64], quotient: i64) -> f64 {
    if x[0].is_nan() || x[1].is_nan() || x[0].is_infinite() || x[1] == 0.0 {
        return 0.0;
    }
    let low = (quotient.unsigned_abs() & 0x7f) as f64;
    if x[0].is_sign_negative() == x[1].is_sign_negative() { low } else { 0.0 - low }
}

/// `allowed` up to a magnitude, anything beyond.
pub fn within(x: &[f64], limit: f64, allowed: Allowed) -> Allowed {
    if x[0].abs() <= limit { allowed } else { Allowed::Anything }
}

/// The half_ forms of functions of angles, which are defined up to 2^16.
pub fn half_angles(x: &[f64]) -> Allowed {
    within(x, 65536.0, Allowed::Ulps(8192.0))
}

/// Where native_ forms are measured: finite normal numbers up to 10,000.
pub fn native_range(x: &[f64]) -> Allowed {
    let a = x[0].abs();
    let ordinary = a == 0.0 || (f64::from(f32::MIN_POSITIVE)..=1e4).contains(&a);
    if ordinary && x[0] >= 0.0 { Allowed::Absolute(f64::INFINITY) } else { Allowed::Anything }
}

/// Where native_ forms of two arguments are measured.
pub fn native_pair(x: &[f64]) -> Allowed {
    let ordinary = (1e-3..=1e3).contains(&x[0]) && (1e-3..=10.0).contains(&x[1].abs());
    if ordinary { Allowed::Ulps(f64::INFINITY) } else { Allowed::Anything }
}

/// log, log2 and log10 with unsafe optimisations.
pub fn relaxed_logarithm(x: &[f64]) -> Allowed {
    if (0.5..=2.0).contains(&x[0]) { Allowed::Absolute(2f64.powi(-21)) } else { Allowed::Ulps(3.0) }
}

/// tan as a quotient of a sine and a cosine that are within 2^-11.
pub fn relaxed_tangent(x: &[f64]) -> Allowed {
    let (s, c) = x[0].sin_cos();
    let e = 2f64.powi(-11);
    if x[0].abs() > std::f64::consts::PI || c.abs() < 4.0 * e {
        return Allowed::Anything;
    }
    Allowed::Absolute((s.abs() + e) / (c.abs() - e) - s.abs() / c.abs() + 1e-6)
}

/// exp2(y log2 |x|), each relaxed: what an error of the exponent does to the power.
pub fn relaxed_power(x: &[f64]) -> Allowed {
    relaxed_exponent(x[0], x[1] * x[0].abs().log2(), x[1])
}

/// exp2(log2 |x| / n), each relaxed.
pub fn relaxed_root(x: &[f64]) -> Allowed {
    relaxed_exponent(x[0], x[0].abs().log2() / x[1], 1.0 / x[1])
}

fn relaxed_exponent(x: f64, exponent: f64, factor: f64) -> Allowed {
    let a = x.abs();
    let normal = f64::from(f32::MIN_POSITIVE);
    // Where the power is finite and normal, so that a relative error is one in units.
    if !(a >= normal && a.is_finite() && exponent.abs() < 125.0) || (x < 0.0 && exponent.fract() != 0.0) {
        return Allowed::Anything;
    }
    let logarithm = if (0.5..=2.0).contains(&a) { 2f64.powi(-21) } else { 3.0 * 2f64.powi(-23) * a.log2().abs() };
    let absolute = factor.abs() * logarithm + exponent.abs() * 2f64.powi(-24);
    Allowed::Ulps(3.0 + (2.0 * exponent).abs().floor() + absolute * std::f64::consts::LN_2 * 2f64.powi(24))
}
