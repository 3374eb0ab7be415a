//! The host's vector libm: right to four units of double, which is all that the screening of half and float results needs.
#![allow(unsafe_code, reason = "the functions of libmvec and libm are called through their C symbols")]

/// Fills the results for pairs of arguments; functions of one argument ignore the second.
pub type Screen = fn(&[f64], &[f64], &mut [f64]);

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
            if !std::arch::is_x86_feature_detected!("avx2")
                || !std::arch::is_x86_feature_detected!("fma")
                || !std::arch::is_x86_feature_detected!("f16c")
            {
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
        cospi "oxicl_screen_cospi" sinpi "oxicl_screen_sinpi" tanpi "oxicl_screen_tanpi"
        cosh "oxicl_screen_cosh" erf "oxicl_screen_erf" erfc "oxicl_screen_erfc" exp "oxicl_screen_exp"
        exp2 "oxicl_screen_exp2" exp10 "oxicl_screen_exp10" expm1 "oxicl_screen_expm1" log "oxicl_screen_log"
        log2 "oxicl_screen_log2" log10 "oxicl_screen_log10" log1p "oxicl_screen_log1p" sin "oxicl_screen_sin"
        lgamma "oxicl_screen_lgamma" sinh "oxicl_screen_sinh" tan "oxicl_screen_tan" tanh "oxicl_screen_tanh"
        tgamma "oxicl_screen_tgamma";
    binary: atan2 "oxicl_screen_atan2" hypot "oxicl_screen_hypot" pow "oxicl_screen_pow";
}

#[cfg(target_arch = "x86_64")]
unsafe extern "C" {
    fn oxicl_screen_suspects(got: *const f32, exact: *const f64, count: usize, limit: f64) -> i32;
    fn oxicl_screen_suspects_half(got: *const u16, exact: *const f64, count: usize, limit: f64) -> i32;
}

/// Whether any result may be further than `limit` units from the number beside it.
#[cfg(target_arch = "x86_64")]
pub fn suspects(got: &[f32], exact: &[f64], limit: f64) -> bool {
    assert_eq!(got.len(), exact.len(), "as many results as exact numbers");
    // SAFETY: both arrays hold as many numbers; whoever has a screening has the features that the loop was compiled for.
    unsafe { oxicl_screen_suspects(got.as_ptr(), exact.as_ptr(), got.len(), limit) != 0 }
}

/// [`suspects`] among the bits of halves.
#[cfg(target_arch = "x86_64")]
pub fn suspects_half(got: &[u16], exact: &[f64], limit: f64) -> bool {
    assert_eq!(got.len(), exact.len(), "as many results as exact numbers");
    // SAFETY: both arrays hold as many numbers; whoever has a screening has the features that the loop was compiled for.
    unsafe { oxicl_screen_suspects_half(got.as_ptr(), exact.as_ptr(), got.len(), limit) != 0 }
}

/// Without a screening nothing asks.
#[cfg(not(target_arch = "x86_64"))]
pub fn suspects(_: &[f32], _: &[f64], _: f64) -> bool {
    true
}

/// Without a screening nothing asks.
#[cfg(not(target_arch = "x86_64"))]
pub fn suspects_half(_: &[u16], _: &[f64], _: f64) -> bool {
    true
}

/// Room for intermediate results: chunks are no longer than this.
pub const CHUNK: usize = 1 << 14;

fn over_pi(name: &'static str, x: &[f64], y: &[f64], out: &mut [f64]) {
    if let Some(f) = vector(name) {
        f(x, y, out);
    }
    out.iter_mut().for_each(|o| *o *= std::f64::consts::FRAC_1_PI);
}

fn powr(x: &[f64], y: &[f64], out: &mut [f64]) {
    if let Some(f) = vector("pow") {
        f(x, y, out);
    }
    for (out, (x, y)) in out.iter_mut().zip(x.iter().zip(y)) {
        let open = (*y == 0.0 && (*x == 0.0 || x.is_infinite())) || (*x == 1.0 && y.is_infinite());
        let bad = open || *x < 0.0 || x.is_nan() || y.is_nan();
        *out = if bad { f64::NAN } else { out.abs() };
    }
}

/// Roots of degrees that a double inverts well enough: no more digits than a half's.
pub fn rootn(x: &[f64], y: &[f64], out: &mut [f64]) {
    let magnitudes: Vec<f64> = x.iter().map(|x| x.abs()).collect();
    let inverses: Vec<f64> = y.iter().map(|y| 1.0 / y).collect();
    if let Some(f) = vector("pow") {
        f(&magnitudes, &inverses, out);
    }
    for (out, (x, y)) in out.iter_mut().zip(x.iter().zip(y)) {
        let odd = y % 2.0 != 0.0;
        *out = match odd {
            _ if *y == 0.0 || (*x < 0.0 && !odd) => f64::NAN,
            true => out.copysign(*x),
            false => *out,
        };
    }
}

/// The screening of the function that MPFR calls `name`, if there is one.
pub fn screen(name: &str) -> Option<Screen> {
    let name = name.strip_prefix("mpfr_")?;
    // Any vector function shows whether this machine has them.
    vector("sin")?;
    Some(match name {
        "asinpi" => |x, y, out| over_pi("asin", x, y, out),
        "acospi" => |x, y, out| over_pi("acos", x, y, out),
        "atanpi" => |x, y, out| over_pi("atan", x, y, out),
        "atan2pi" => |x, y, out| over_pi("atan2", x, y, out),
        "sqrt" => |x, _, out| out.iter_mut().zip(x).for_each(|(o, x)| *o = x.sqrt()),
        "rsqrt" => |x, _, out| out.iter_mut().zip(x).for_each(|(o, x)| *o = 1.0 / x.sqrt()),
        "recip" => |x, _, out| out.iter_mut().zip(x).for_each(|(o, x)| *o = 1.0 / x),
        "degrees" => |x, _, out| out.iter_mut().zip(x).for_each(|(o, x)| *o = x * (180.0 / std::f64::consts::PI)),
        "radians" => |x, _, out| out.iter_mut().zip(x).for_each(|(o, x)| *o = x * (std::f64::consts::PI / 180.0)),
        "gamma" => return vector("tgamma"),
        "lgamma" | "lgamma_r" => return vector("lgamma"),
        "div" => |x, y, out| out.iter_mut().zip(x.iter().zip(y)).for_each(|(o, (x, y))| *o = x / y),
        "powr" => powr,
        _ => return vector(name),
    })
}
