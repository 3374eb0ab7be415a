//! Real numbers to 240 bits, by MPFR: correctly rounded, with the special values of the C standard.
#![allow(unsafe_code, reason = "MPFR is a C library; each call gets initialised numbers that this module owns")]

use std::ffi::{c_int, c_long};

use crate::format::Format;

/// `mpfr_t`'s content.
#[repr(C)]
pub struct Raw {
    precision: c_long,
    sign: c_int,
    exponent: c_long,
    limbs: *mut u64,
}

const NEAREST: c_int = 0;
const PRECISION: c_long = 240;

type Unary = unsafe extern "C" fn(*mut Raw, *const Raw, c_int) -> c_int;
type Binary = unsafe extern "C" fn(*mut Raw, *const Raw, *const Raw, c_int) -> c_int;

macro_rules! import {
    ($($kind:ident: $($name:ident)*;)*) => {
        #[link(name = "libmpfr.so.6", kind = "dylib", modifiers = "+verbatim")]
        unsafe extern "C" {
            fn mpfr_init2(x: *mut Raw, precision: c_long);
            fn mpfr_clear(x: *mut Raw);
            fn mpfr_set(x: *mut Raw, y: *const Raw, rounding: c_int) -> c_int;
            fn mpfr_set_d(x: *mut Raw, y: f64, rounding: c_int) -> c_int;
            fn mpfr_get_d(x: *const Raw, rounding: c_int) -> f64;
            fn mpfr_get_exp(x: *const Raw) -> c_long;
            fn mpfr_min_prec(x: *const Raw) -> c_long;
            fn mpfr_mul_2si(x: *mut Raw, y: *const Raw, n: c_long, rounding: c_int) -> c_int;
            fn mpfr_lgamma(x: *mut Raw, sign: *mut c_int, y: *const Raw, rounding: c_int) -> c_int;
            fn mpfr_remquo(x: *mut Raw, quotient: *mut c_long, y: *const Raw, z: *const Raw, rounding: c_int) -> c_int;
            fn mpfr_pow_si(x: *mut Raw, y: *const Raw, n: c_long, rounding: c_int) -> c_int;
            fn mpfr_rootn_si(x: *mut Raw, y: *const Raw, n: c_long, rounding: c_int) -> c_int;
            fn mpfr_nan_p(x: *const Raw) -> c_int;
            fn mpfr_inf_p(x: *const Raw) -> c_int;
            fn mpfr_zero_p(x: *const Raw) -> c_int;
            fn mpfr_signbit(x: *const Raw) -> c_int;
        }
        $(import!(@ $kind $($name)*);)*
    };
    (@ unary $($name:ident)*) => {
        mod raw_unary {
            use super::{Raw, c_int};
            unsafe extern "C" { $(pub fn $name(x: *mut Raw, y: *const Raw, rounding: c_int) -> c_int;)* }
        }
        impl Real {
            /// The function of one argument that MPFR calls `mpfr_<name>`.
            pub fn unary(name: &str, x: &Real) -> Option<Real> {
                let function: Unary = match name {
                    $(stringify!($name) => raw_unary::$name,)*
                    _ => return None,
                };
                let mut result = Real::new();
                // SAFETY: both numbers are initialised.
                unsafe { function(&raw mut result.0, &raw const x.0, NEAREST) };
                Some(result)
            }
        }
    };
    (@ binary $($name:ident)*) => {
        mod raw_binary {
            use super::{Raw, c_int};
            unsafe extern "C" { $(pub fn $name(x: *mut Raw, y: *const Raw, z: *const Raw, rounding: c_int) -> c_int;)* }
        }
        impl Real {
            /// The function of two arguments that MPFR calls `mpfr_<name>`.
            pub fn binary(name: &str, x: &Real, y: &Real) -> Option<Real> {
                let function: Binary = match name {
                    $(stringify!($name) => raw_binary::$name,)*
                    _ => return None,
                };
                let mut result = Real::new();
                // SAFETY: the three numbers are initialised.
                unsafe { function(&raw mut result.0, &raw const x.0, &raw const y.0, NEAREST) };
                Some(result)
            }
        }
    };
}

import! {
    unary: mpfr_acos mpfr_acosh mpfr_acospi mpfr_asin mpfr_asinh mpfr_asinpi mpfr_atan mpfr_atanh mpfr_atanpi mpfr_cbrt
        mpfr_cos mpfr_cosh mpfr_cospi mpfr_erf mpfr_erfc mpfr_exp mpfr_exp2 mpfr_exp10 mpfr_expm1 mpfr_log mpfr_log2
        mpfr_log10 mpfr_log1p mpfr_rec_sqrt mpfr_sin mpfr_sinh mpfr_sinpi mpfr_sqrt mpfr_tan mpfr_tanh mpfr_tanpi
        mpfr_gamma mpfr_neg mpfr_abs;
    binary: mpfr_add mpfr_sub mpfr_mul mpfr_div mpfr_atan2 mpfr_atan2pi mpfr_hypot mpfr_pow mpfr_powr mpfr_fmod
        mpfr_remainder;
}

/// A real number, an infinity with a sign, a zero with a sign, or NaN.
pub struct Real(Raw);

impl Real {
    fn new() -> Real {
        Real::with_precision(PRECISION)
    }

    fn with_precision(bits: c_long) -> Real {
        let mut raw = Raw { precision: 0, sign: 0, exponent: 0, limbs: std::ptr::null_mut() };
        // SAFETY: init2 fills the number, whatever it was.
        unsafe { mpfr_init2(&raw mut raw, bits) };
        Real(raw)
    }

    /// Exactly `x`.
    pub fn from(x: f64) -> Real {
        let mut real = Real::new();
        // SAFETY: the number is initialised.
        unsafe { mpfr_set_d(&raw mut real.0, x, NEAREST) };
        real
    }

    /// x + y to more bits than any three products of doubles span.
    pub fn exact(operation: &str, x: &Real, y: &Real) -> Option<Real> {
        let function: Binary = match operation {
            "add" => raw_binary::mpfr_add,
            "mul" => raw_binary::mpfr_mul,
            _ => return None,
        };
        let mut result = Real::with_precision(4400);
        // SAFETY: the three numbers are initialised.
        unsafe { function(&raw mut result.0, &raw const x.0, &raw const y.0, NEAREST) };
        Some(result)
    }

    /// log |gamma(x)| and the sign of gamma(x).
    pub fn lgamma(x: &Real) -> (Real, i32) {
        let (mut result, mut sign) = (Real::new(), 0);
        // SAFETY: the numbers are initialised.
        unsafe { mpfr_lgamma(&raw mut result.0, &raw mut sign, &raw const x.0, NEAREST) };
        (result, sign)
    }

    /// The remainder, and the low bits of the quotient with its sign.
    pub fn remquo(x: &Real, y: &Real) -> (Real, i64) {
        let (mut result, mut quotient) = (Real::new(), 0);
        // SAFETY: the numbers are initialised.
        unsafe { mpfr_remquo(&raw mut result.0, &raw mut quotient, &raw const x.0, &raw const y.0, NEAREST) };
        (result, quotient)
    }

    /// x to the power of n.
    pub fn pown(x: &Real, n: i64) -> Real {
        let mut result = Real::new();
        // SAFETY: the numbers are initialised.
        unsafe { mpfr_pow_si(&raw mut result.0, &raw const x.0, n, NEAREST) };
        result
    }

    /// The n-th root of x.
    pub fn rootn(x: &Real, n: i64) -> Real {
        let mut result = Real::new();
        // SAFETY: the numbers are initialised.
        unsafe { mpfr_rootn_si(&raw mut result.0, &raw const x.0, n, NEAREST) };
        result
    }

    /// x 2^n.
    pub fn ldexp(x: &Real, n: i64) -> Real {
        let mut result = Real::new();
        // SAFETY: the numbers are initialised.
        unsafe { mpfr_mul_2si(&raw mut result.0, &raw const x.0, n, NEAREST) };
        result
    }

    /// The nearest double.
    pub fn double(&self) -> f64 {
        // SAFETY: the number is initialised.
        unsafe { mpfr_get_d(&raw const self.0, NEAREST) }
    }

    /// Neither zero nor infinite nor NaN.
    fn ordinary(&self) -> bool {
        let x = &raw const self.0;
        // SAFETY: the number is initialised.
        unsafe { mpfr_nan_p(x) == 0 && mpfr_inf_p(x) == 0 && mpfr_zero_p(x) == 0 }
    }

    /// The distance of `got` from this number in units of the format: see [`Format::error`].
    pub fn error(&self, format: Format, got: f64) -> f64 {
        if !self.ordinary() {
            return format.error(got, self.double());
        }
        let raw = &raw const self.0;
        // SAFETY: the number is initialised, and neither zero nor special.
        let (exponent, digits, negative) =
            unsafe { (mpfr_get_exp(raw) - 1, mpfr_min_prec(raw), mpfr_signbit(raw) != 0) };
        if got.is_nan() || got.is_sign_negative() != negative {
            return f64::INFINITY;
        }
        let most = c_long::from(format.most());
        if got.is_infinite() && exponent > most {
            return 0.0;
        }
        // A number beyond the range counts in units of the largest numbers; infinity is the next power of two.
        let shrink = i32::from(digits == 1 && exponent <= most && exponent > c_long::from(format.least()));
        let exponent = exponent.min(most).max(c_long::from(format.least())) as i32;
        let unit = c_long::from(format.unit(exponent - shrink));
        let mut distance = Real::with_precision(2200);
        // SAFETY: all numbers are initialised.
        unsafe {
            let d = &raw mut distance.0;
            mpfr_set_d(d, if got.is_infinite() { 1f64.copysign(got) } else { got }, NEAREST);
            if got.is_infinite() {
                mpfr_mul_2si(d, d, most + 1, NEAREST);
            }
            raw_binary::mpfr_sub(d, d, raw, NEAREST);
            mpfr_mul_2si(d, d, -unit, NEAREST);
        }
        distance.double().abs()
    }

    /// The number of the format nearest to this one, ties to even, as IEEE 754 rounds.
    pub fn round(&self, format: Format) -> f64 {
        if !self.ordinary() {
            return self.double();
        }
        // SAFETY: the number is initialised and ordinary.
        let exponent = unsafe { mpfr_get_exp(&raw const self.0) } - 1;
        if exponent > c_long::from(format.most()) {
            return f64::INFINITY.copysign(self.double());
        }
        let exponent = exponent.max(-5000) as i32;
        let unit = c_long::from(format.unit(exponent));
        // In units the number has at most 53 bits before the point; what is after it is rounded by hand.
        let mut scaled = Real::with_precision(4400);
        // SAFETY: the numbers are initialised.
        unsafe {
            mpfr_set(&raw mut scaled.0, &raw const self.0, NEAREST);
            mpfr_mul_2si(&raw mut scaled.0, &raw const scaled.0, -unit, NEAREST);
            raw_round::mpfr_rint(&raw mut scaled.0, &raw const scaled.0, NEAREST);
            mpfr_mul_2si(&raw mut scaled.0, &raw const scaled.0, unit, NEAREST);
        }
        let value = scaled.double();
        let value = if value == 0.0 { 0f64.copysign(self.double()) } else { value };
        if value.abs() > format.max() { f64::INFINITY.copysign(value) } else { value }
    }
}

mod raw_round {
    use super::{Raw, c_int};
    unsafe extern "C" {
        pub fn mpfr_rint(x: *mut Raw, y: *const Raw, rounding: c_int) -> c_int;
    }
}

impl Clone for Real {
    fn clone(&self) -> Self {
        let mut copy = Real::with_precision(self.0.precision);
        // SAFETY: both numbers are initialised.
        unsafe { mpfr_set(&raw mut copy.0, &raw const self.0, NEAREST) };
        copy
    }
}

impl Drop for Real {
    fn drop(&mut self) {
        // SAFETY: the number is initialised, and nobody else has its limbs.
        unsafe { mpfr_clear(&raw mut self.0) };
    }
}

#[cfg(test)]
mod tests {
    use super::Real;
    use crate::format::Format;

    #[test]
    fn rounding_and_errors_agree_with_the_formats() {
        let third = Real::binary("mpfr_div", &Real::from(1.0), &Real::from(3.0)).expect("mpfr divides");
        assert_eq!(third.round(Format::Double), 1.0 / 3.0);
        assert_eq!(third.round(Format::Float), f64::from(1.0f32 / 3.0));
        let error = third.error(Format::Float, f64::from(1.0f32 / 3.0));
        assert!((error - 1.0 / 3.0).abs() < 1e-6, "{error}");
        let tiny = Real::ldexp(&Real::from(3.0), -1076);
        assert_eq!(tiny.round(Format::Double), f64::from_bits(1));
        assert_eq!(tiny.error(Format::Double, 0.0), 0.75);
        let huge = Real::ldexp(&Real::from(1.0), 1024);
        assert_eq!(huge.error(Format::Double, f64::INFINITY), 0.0);
        assert_eq!(huge.error(Format::Double, f64::MAX), 1.0);
        assert_eq!(Real::from(2048.0 + 1.0).round(Format::Half), 2048.0);
    }
}
