//! The host's vector libm: right to four units of double, which is all that the screening of half and float results needs.
#![allow(unsafe_code, reason = "the functions of libmvec and libm are called through their C symbols")]

/// Fills the results for pairs of arguments; functions of one argument ignore the second.
pub type Screen = fn(&[f64], &[f64], &mut [f64]);

macro_rules! scalar {
    ($($name:ident)*) => {
        unsafe extern "C" { $(safe fn $name(x: f64) -> f64;)* }
        fn scalar(name: &str) -> Option<Screen> {
            $(if name == stringify!($name) { return Some(|x, _, out| out.iter_mut().zip(x).for_each(|(o, x)| *o = $name(*x))); })*
            None
        }
    };
}
scalar! { tgamma }

macro_rules! vector {
    (unary: $($name:ident $symbol:literal)*; binary: $($name2:ident $symbol2:literal)*;) => {
        #[cfg(target_arch = "x86_64")]
        #[link(name = "libmvec.so.1", kind = "dylib", modifiers = "+verbatim")]
        unsafe extern "C" {
            $(#[link_name = $symbol] fn $name(x: *const f64, out: *mut f64, count: usize);)*
            $(#[link_name = $symbol2] fn $name2(x: *const f64, y: *const f64, out: *mut f64, count: usize);)*
        }
        #[cfg(target_arch = "x86_64")]
        fn vector(name: &str) -> Option<Screen> {
            if !std::arch::is_x86_feature_detected!("avx2") || !std::arch::is_x86_feature_detected!("fma") {
                return None;
            }
            $(if name == stringify!($name) {
                return Some(|x, _, out| {
                    assert!(x.len() <= out.len(), "there is room for the results");
                    // SAFETY: both arrays hold as many numbers, and the machine has what the loop was compiled for.
                    unsafe { $name(x.as_ptr(), out.as_mut_ptr(), x.len()) }
                });
            })*
            $(if name == stringify!($name2) {
                return Some(|x, y, out| {
                    assert!(x.len() <= out.len() && x.len() <= y.len(), "there is room for the results");
                    // SAFETY: the arrays hold as many numbers, and the machine has what the loop was compiled for.
                    unsafe { $name2(x.as_ptr(), y.as_ptr(), out.as_mut_ptr(), x.len()) }
                });
            })*
            None
        }
        #[cfg(not(target_arch = "x86_64"))]
        fn vector(_: &str) -> Option<Screen> {
            None
        }
    };
}
vector! {
    unary:
        acos "oxicl_screen_acos" acosh "oxicl_screen_acosh" asin "oxicl_screen_asin" asinh "oxicl_screen_asinh"
        atan "oxicl_screen_atan" atanh "oxicl_screen_atanh" cbrt "oxicl_screen_cbrt" cos "oxicl_screen_cos"
        cosh "oxicl_screen_cosh" erf "oxicl_screen_erf" erfc "oxicl_screen_erfc" exp "oxicl_screen_exp"
        exp2 "oxicl_screen_exp2" exp10 "oxicl_screen_exp10" expm1 "oxicl_screen_expm1" log "oxicl_screen_log"
        log2 "oxicl_screen_log2" log10 "oxicl_screen_log10" log1p "oxicl_screen_log1p" sin "oxicl_screen_sin"
        sinh "oxicl_screen_sinh" tan "oxicl_screen_tan" tanh "oxicl_screen_tanh";
    binary: atan2 "oxicl_screen_atan2" hypot "oxicl_screen_hypot" pow "oxicl_screen_pow";
}

#[cfg(target_arch = "x86_64")]
unsafe extern "C" {
    fn oxicl_screen_suspects(got: *const f32, exact: *const f64, count: usize, limit: f64) -> i32;
}

/// Whether any result may be further than `limit` units from the number beside it.
#[cfg(target_arch = "x86_64")]
pub fn suspects(got: &[f32], exact: &[f64], limit: f64) -> bool {
    assert_eq!(got.len(), exact.len(), "as many results as exact numbers");
    // SAFETY: both arrays hold as many numbers; whoever has a screening has the features that the loop was compiled for.
    unsafe { oxicl_screen_suspects(got.as_ptr(), exact.as_ptr(), got.len(), limit) != 0 }
}

/// Without a screening nothing asks.
#[cfg(not(target_arch = "x86_64"))]
pub fn suspects(_: &[f32], _: &[f64], _: f64) -> bool {
    true
}

/// Half turns: x = n / 2 + r, both exact.
fn half_turns(x: f64) -> (f64, i64) {
    let a = x.abs() % 2.0;
    let n = (2.0 * a).round_ties_even();
    (a - 0.5 * n, n as i64)
}

/// Room for intermediate results: chunks are no longer than this.
pub const CHUNK: usize = 1 << 14;

fn in_half_turns(x: &[f64], out: &mut [f64], shift: i64) {
    let (mut angles, mut sines, mut cosines) = (vec![0.0; x.len()], vec![0.0; x.len()], vec![0.0; x.len()]);
    angles.iter_mut().zip(x).for_each(|(a, x)| *a = half_turns(*x).0 * std::f64::consts::PI);
    for (name, target) in [("sin", &mut sines), ("cos", &mut cosines)] {
        if let Some(f) = vector(name) {
            f(&angles, &[], target);
        }
    }
    for (i, out) in out.iter_mut().enumerate() {
        let (r, n) = half_turns(x[i]);
        let n = n + shift;
        let value = if n & 1 == 1 { cosines[i] } else { sines[i] };
        let value = if n & 2 == 2 { -value } else { value };
        *out = match shift {
            0 if r == 0.0 && n & 1 == 0 => 0f64.copysign(x[i]),
            0 if x[i].is_sign_negative() => -value,
            1 if r == 0.0 && n & 1 == 0 => 0.0,
            _ => value,
        };
    }
}

fn tanpi(x: &[f64], _: &[f64], out: &mut [f64]) {
    for (out, x) in out.iter_mut().zip(x) {
        let (r, n) = half_turns(*x);
        let t = (r * std::f64::consts::PI).tan();
        let value = match (n & 3, r == 0.0) {
            (0, true) => 0.0,
            (1, true) => f64::INFINITY,
            (2, true) => -0.0,
            (3, true) => f64::NEG_INFINITY,
            (1 | 3, _) => -1.0 / t,
            _ => t,
        };
        *out = if x.is_sign_negative() { -value } else { value };
    }
}

fn over_pi(name: &'static str, x: &[f64], y: &[f64], out: &mut [f64]) {
    if let Some(f) = vector(name) {
        f(x, y, out);
    }
    out.iter_mut().for_each(|o| *o *= std::f64::consts::FRAC_1_PI);
}

/// The screening of the function that MPFR calls `name`, if there is one.
pub fn screen(name: &str) -> Option<Screen> {
    let name = name.strip_prefix("mpfr_")?;
    // Any vector function shows whether this machine has them.
    vector("sin")?;
    Some(match name {
        "sinpi" => |x, _, out| in_half_turns(x, out, 0),
        "cospi" => |x, _, out| in_half_turns(x, out, 1),
        "tanpi" => tanpi,
        "asinpi" => |x, y, out| over_pi("asin", x, y, out),
        "acospi" => |x, y, out| over_pi("acos", x, y, out),
        "atanpi" => |x, y, out| over_pi("atan", x, y, out),
        "atan2pi" => |x, y, out| over_pi("atan2", x, y, out),
        "sqrt" => |x, _, out| out.iter_mut().zip(x).for_each(|(o, x)| *o = x.sqrt()),
        "rsqrt" => |x, _, out| out.iter_mut().zip(x).for_each(|(o, x)| *o = 1.0 / x.sqrt()),
        "recip" => |x, _, out| out.iter_mut().zip(x).for_each(|(o, x)| *o = 1.0 / x),
        "degrees" => |x, _, out| out.iter_mut().zip(x).for_each(|(o, x)| *o = x * (180.0 / std::f64::consts::PI)),
        "radians" => |x, _, out| out.iter_mut().zip(x).for_each(|(o, x)| *o = x * (std::f64::consts::PI / 180.0)),
        "gamma" => return scalar("tgamma"),
        "div" => |x, y, out| out.iter_mut().zip(x.iter().zip(y)).for_each(|(o, (x, y))| *o = x / y),
        "fmod" => |x, y, out| out.iter_mut().zip(x.iter().zip(y)).for_each(|(o, (x, y))| *o = x % y),
        _ => return vector(name),
    })
}
