//! Floating-point arithmetic and OpenCL.std on floats. What the library computes is measured closely by its own tests;
//! here each function is called once through the compiler.

use crate::harness::{Row, check, row};

#[test]
fn arithmetic() {
    let reciprocal_root = |a: f32, _: f32, _: f32| (1.0 / f64::from(a).sqrt()) as f32;
    let rows: Vec<Row> = vec![
        row("add", "", "a + b", 0.0, |a: f32, b: f32, _: f32| a + b),
        row("sub", "", "a - b", 0.0, |a: f64, b: f64, _: f32| a - b),
        row("mul", "", "a * b", 0.0, |a: f32, b: f32, _: f32| a * b),
        row("div", "", "a / b", 0.0, |a: f32, b: f32, _: f32| a / b),
        row("neg", "", "-a", 0.0, |a: f32, _: f32, _: f32| -a),
        row("fma", "", "fma(a, b, c)", 0.0, |a: f32, b: f32, c: f32| a.mul_add(b, c)),
        row("fma64", "", "fma(a, b, c)", 0.0, |a: f64, b: f64, c: f64| a.mul_add(b, c)),
        row("scale", "", "a * b", 0.0, |a: [f32; 4], b: f32, _: f32| a.map(|x| x * b)),
        row("sqrt", "", "sqrt(a)", 0.0, |a: f32, _: f32, _: f32| a.sqrt()),
        row("rsqrt", "", "rsqrt(a)", 2.0, |a: f64, _: f32, _: f32| 1.0 / a.sqrt()),
        row("rsqrt32", "", "rsqrt(a)", 2.0, reciprocal_root),
        row("half_rsqrt32", "", "half_rsqrt(a)", 8192.0, reciprocal_root),
        row("native_rsqrt32", "", "native_rsqrt(a)", 8192.0, reciprocal_root),
    ];
    check("", rows);
}

#[test]
fn rounding_and_signs() {
    let rows: Vec<Row> = vec![
        row("floor_", "", "floor(a)", 0.0, |a: f32, _: f32, _: f32| a.floor()),
        row("ceil_", "", "ceil(a)", 0.0, |a: f32, _: f32, _: f32| a.ceil()),
        row("trunc_", "", "trunc(a)", 0.0, |a: f64, _: f32, _: f32| a.trunc()),
        row("rint_", "", "rint(a)", 0.0, |a: f32, _: f32, _: f32| a.round_ties_even()),
        row("round_", "", "round(a)", 0.0, |a: f32, _: f32, _: f32| a.round()),
        row("fabs_", "", "fabs(a)", 0.0, |a: f32, _: f32, _: f32| a.abs()),
        row("copysign_", "", "copysign(a, b)", 0.0, |a: f32, b: f32, _: f32| a.copysign(b)),
        // Which zero comes out of 0 and -0 is open.
        row("fmin_", "", "fmin(a, b)", 1e-9, |a: f32, b: f32, _: f32| a.min(b)),
        row("fmax_", "", "fmax(a, b)", 1e-9, |a: f64, b: f64, _: f32| a.max(b)),
        row("sign_", "", "sign(a)", 0.0, |a: f32, _: f32, _: f32| {
            if a.is_nan() {
                0.0
            } else if a == 0.0 {
                a
            } else {
                1f32.copysign(a)
            }
        }),
        row("step_", "", "step(a, b)", 0.0, |a: f32, b: f32, _: f32| if b < a { 0.0 } else { 1.0 }),
        row("maxmag_", "", "maxmag(a, b)", 1e-9, |a: f32, b: f32, _: f32| {
            if a.abs() > b.abs() {
                a
            } else if b.abs() > a.abs() {
                b
            } else {
                a.max(b)
            }
        }),
        row("fdim_", "", "fdim(a, b)", 0.0, |a: f32, b: f32, _: f32| {
            if a.is_nan() || b.is_nan() {
                f32::NAN
            } else if a > b {
                a - b
            } else {
                0.0
            }
        }),
        row("nextafter_", "", "nextafter(a, b)", 0.0, |a: f32, b: f32, _: f32| {
            if a.is_nan() || b.is_nan() {
                f32::NAN
            } else if a == b {
                b
            } else if b > a {
                a.next_up()
            } else {
                a.next_down()
            }
        }),
        row("fmod_", "", "fmod(a, b)", 0.0, |a: f64, b: f64, _: f32| a % b),
        row("ldexp_", "", "ldexp(a, b)", 0.0, |a: f32, b: i32, _: f32| {
            (f64::from(a) * 2f64.powi(b.clamp(-400, 400))) as f32
        }),
    ];
    check("", rows);
}

/// What `clamp` gives: fmin(fmax(x, low), high), so the lower bound for a NaN.
fn bounded(x: f32, low: f32, high: f32) -> f32 {
    if x.is_nan() { low } else { x.clamp(low, high) }
}

#[test]
fn functions_of_the_library() {
    fn wide(f: fn(f64) -> f64) -> impl Fn(f32, f32, f32) -> f32 + 'static {
        move |a, _, _| f(f64::from(a)) as f32
    }
    fn own(f: fn(f64) -> f64) -> impl Fn(f64, f64, f64) -> f64 + 'static {
        move |a, _, _| f(a)
    }
    let rows: Vec<Row> = vec![
        row("exp_f", "", "exp(a)", 4.0, wide(f64::exp)),
        row("exp_d", "", "exp(a)", 4.0, own(f64::exp)),
        row("exp2_f", "", "exp2(a)", 4.0, wide(f64::exp2)),
        row("expm1_f", "", "expm1(a)", 4.0, wide(f64::exp_m1)),
        row("log_f", "", "log(a)", 4.0, wide(f64::ln)),
        row("log_d", "", "log(a)", 4.0, own(f64::ln)),
        row("log2_f", "", "log2(a)", 4.0, wide(f64::log2)),
        row("log10_f", "", "log10(a)", 4.0, wide(f64::log10)),
        row("log1p_d", "", "log1p(a)", 4.0, own(f64::ln_1p)),
        row("sin_f", "", "sin(a)", 5.0, wide(f64::sin)),
        row("cos_f", "", "cos(a)", 5.0, wide(f64::cos)),
        row("cos_d", "", "cos(a)", 5.0, own(f64::cos)),
        row("tan_f", "", "tan(a)", 6.0, wide(f64::tan)),
        row("asin_f", "", "asin(a)", 5.0, wide(f64::asin)),
        row("acos_f", "", "acos(a)", 5.0, wide(f64::acos)),
        row("atan_f", "", "atan(a)", 6.0, wide(f64::atan)),
        row("sinh_f", "", "sinh(a)", 5.0, wide(f64::sinh)),
        row("cosh_d", "", "cosh(a)", 5.0, own(f64::cosh)),
        row("tanh_f", "", "tanh(a)", 6.0, wide(f64::tanh)),
        row("cbrt_f", "", "cbrt(a)", 3.0, wide(f64::cbrt)),
        row("pow_f", "", "pow(a, b)", 17.0, |a: f32, b: f32, _: f32| f64::from(a).powf(f64::from(b)) as f32),
        row("pow_d", "", "pow(a, b)", 17.0, |a: f64, b: f64, _: f64| a.powf(b)),
        row("atan2_f", "", "atan2(a, b)", 7.0, |a: f32, b: f32, _: f32| f64::from(a).atan2(f64::from(b)) as f32),
        row("hypot_f", "", "hypot(a, b)", 5.0, |a: f32, b: f32, _: f32| f64::from(a).hypot(f64::from(b)) as f32),
        row(
            "native_exp_f",
            "a = isnan(a) ? 0.0f : clamp(a, -60.0f, 60.0f);",
            "native_exp(a)",
            8192.0,
            |a: f32, _: f32, _: f32| if a.is_nan() { 1.0 } else { f64::from(a.clamp(-60.0, 60.0)).exp() as f32 },
        ),
        row("half_sin_f", "", "half_sin(clamp(a, -60000.0f, 60000.0f))", 8192.0, |a: f32, _: f32, _: f32| {
            f64::from(bounded(a, -60000.0, 60000.0)).sin() as f32
        }),
        row(
            "half_sin_large",
            "",
            "isinf(a) ? 1.0f : fabs(half_sin(a)) <= 1.0f || isnan(a)",
            0.0,
            |_: f32, _: f32, _: f32| 1.0,
        ),
        row("exp_f4", "", "exp(a)", 4.0, |a: [f32; 4], _: f32, _: f32| a.map(|x| f64::from(x).exp() as f32)),
        row("sincos_sum", "float s, t; s = sincos(a, &t);", "(float2)(s, t)", 5.0, |a: f32, _: f32, _: f32| {
            [f64::from(a).sin() as f32, f64::from(a).cos() as f32]
        }),
        row("modf_both", "float w; float f = modf(a, &w);", "(float2)(f, w)", 0.0, |a: f32, _: f32, _: f32| {
            let fraction = if a.is_infinite() { 0f32.copysign(a) } else { (a - a.trunc()).copysign(a) };
            [fraction, a.trunc()]
        }),
        row(
            "frexp_both",
            "int e; float m = frexp(a, &e);",
            "isfinite(a) ? ldexp(m, e) : a",
            0.0,
            |a: f32, _: f32, _: f32| a,
        ),
        row("ilogb_", "", "ilogb(a)", 0.0, |a: f32, _: f32, _: f32| {
            if a == 0.0 {
                i32::MIN
            } else if !a.is_finite() {
                i32::MAX
            } else {
                f64::from(a).abs().log2().floor() as i32
            }
        }),
    ];
    check("", rows);
}

#[test]
fn geometry_and_common_functions() {
    fn dot(a: &[f32], b: &[f32]) -> f64 {
        a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum()
    }
    fn moderate<const N: usize>(a: [f32; N]) -> [f32; N] {
        a.map(|x| if x.is_finite() { x.clamp(-1e9, 1e9) } else { 1.0 })
    }
    const BOUND: &str = "a = select(clamp(a, -1e9f, 1e9f), (float3)(1.0f), ~isfinite(a)); b = select(clamp(b, -1e9f, 1e9f), (float3)(1.0f), ~isfinite(b));";
    let rows: Vec<Row> = vec![
        row("length_", "", "length(a)", 4.0, |a: [f32; 3], _: f32, _: f32| {
            if a.iter().any(|x| x.is_infinite()) { f32::INFINITY } else { dot(&a, &a).sqrt() as f32 }
        }),
        row("length4", "", "length(a)", 5.0, |a: [f32; 4], _: f32, _: f32| {
            if a.iter().any(|x| x.is_infinite()) { f32::INFINITY } else { dot(&a, &a).sqrt() as f32 }
        }),
        row("normalize_", BOUND, "normalize(a)", 6.0, |a: [f32; 3], _: [f32; 3], _: f32| {
            let a = moderate(a);
            let length = dot(&a, &a).sqrt();
            if length == 0.0 { a } else { a.map(|x| (f64::from(x) / length) as f32) }
        }),
        row("distance_", BOUND, "distance(a, b)", 5.0, |a: [f32; 3], b: [f32; 3], _: f32| {
            let (a, b) = (moderate(a), moderate(b));
            let d: [f32; 3] = std::array::from_fn(|i| a[i] - b[i]);
            dot(&d, &d).sqrt() as f32
        }),
        row("cross_", "", "cross(a, b)", 0.0, |a: [f32; 3], b: [f32; 3], _: f32| {
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        }),
        row("clamp_", "", "clamp(a, -2.0f, 3.0f)", 0.0, |a: f32, _: f32, _: f32| bounded(a, -2.0, 3.0)),
        row("degrees_", "", "degrees(a)", 2.0, |a: f32, _: f32, _: f32| {
            (f64::from(a) * (180.0 / std::f64::consts::PI)) as f32
        }),
        row("smoothstep_", "", "smoothstep(-1.0f, 1.0f, a)", 1e6, |a: f32, _: f32, _: f32| {
            let t = ((a + 1.0) / 2.0).clamp(0.0, 1.0);
            t * t * (3.0 - 2.0 * t)
        }),
    ];
    check("", rows);
}
