//! The functions that code generation calls by name, against the host's own.
#![allow(unsafe_code, reason = "the functions are called through their C symbols")]
#![allow(improper_ctypes, reason = "i128 is passed as C's __int128 on x86-64 since Rust 1.77")]

#[allow(dead_code, reason = "shared with the other test")]
mod support;

use support::{Sampler, Ulp};

macro_rules! import {
    ($(fn $name:ident = $symbol:literal ($($argument:ident : $ty:ty),*) -> $result:ty;)*) => {
        unsafe extern "C" {
            $(#[link_name = concat!("oxicl_rt_", $symbol)] safe fn $name($($argument: $ty),*) -> $result;)*
        }
    };
}

import! {
    fn fma = "fma"(a: f64, b: f64, c: f64) -> f64;
    fn fmaf = "fmaf"(a: f32, b: f32, c: f32) -> f32;
    fn fmod = "fmod"(a: f64, b: f64) -> f64;
    fn rint = "rint"(a: f64) -> f64;
    fn floor = "floor"(a: f64) -> f64;
    fn ceil = "ceil"(a: f64) -> f64;
    fn trunc = "trunc"(a: f64) -> f64;
    fn round = "round"(a: f64) -> f64;
    fn fmaxf = "fmaxf"(a: f32, b: f32) -> f32;
    fn fmin = "fmin"(a: f64, b: f64) -> f64;
    fn floorf = "floorf"(a: f32) -> f32;
    fn udivti3 = "__udivti3"(a: u128, b: u128) -> u128;
    fn divti3 = "__divti3"(a: i128, b: i128) -> i128;
    fn umodti3 = "__umodti3"(a: u128, b: u128) -> u128;
    fn modti3 = "__modti3"(a: i128, b: i128) -> i128;
    fn multi3 = "__multi3"(a: i128, b: i128) -> i128;
    fn ashlti3 = "__ashlti3"(a: i128, n: i32) -> i128;
    fn lshrti3 = "__lshrti3"(a: i128, n: i32) -> i128;
    fn floatuntidf = "__floatuntidf"(a: u128) -> f64;
    fn floattisf = "__floattisf"(a: i128) -> f32;
    fn fixunsdfti = "__fixunsdfti"(a: f64) -> u128;
    fn fixdfti = "__fixdfti"(a: f64) -> i128;
}

unsafe extern "C" {
    #[link_name = "oxicl_rt_memmove"]
    fn memmove(to: *mut u8, from: *const u8, size: usize) -> *mut u8;
    #[link_name = "oxicl_rt_memcpy"]
    fn memcpy(to: *mut u8, from: *const u8, size: usize) -> *mut u8;
    #[link_name = "oxicl_rt_memset"]
    fn memset(to: *mut u8, value: i32, size: usize) -> *mut u8;
}

// What the device library computes in its place where there is no instruction.
unsafe extern "C" {
    #[link_name = "oxicl_without_fma.fma.f32"]
    safe fn library_fmaf(a: f32, b: f32, c: f32) -> f32;
    #[link_name = "oxicl_without_fma.fma.f64"]
    safe fn library_fma(a: f64, b: f64, c: f64) -> f64;
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// Holds fma against the host's.
fn assert_fused(a: f64, b: f64, c: f64) {
    let want = a.mul_add(b, c);
    for got in [fma(a, b, c), library_fma(a, b, c)] {
        assert!(same(got, want), "fma({a:e}, {b:e}, {c:e}) = {got:e}, not {want:e}");
    }
}

fn assert_fused_float(a: f32, b: f32, c: f32) {
    let want = a.mul_add(b, c);
    for got in [fmaf(a, b, c), library_fmaf(a, b, c)] {
        assert!(same(f64::from(got), f64::from(want)), "fmaf({a:e}, {b:e}, {c:e}) = {got:e}, not {want:e}");
    }
}

#[test]
fn fused_multiply_add_rounds_once() {
    for a in f64::special() {
        for b in f64::special() {
            for c in f64::special() {
                for (a, b) in [(a, b), (-a, b)] {
                    assert_fused(a, b, c);
                    assert_fused(a, b, -c);
                    assert_fused_float(a as f32, b as f32, c as f32);
                    assert_fused_float(a as f32, b as f32, -c as f32);
                }
            }
        }
    }
    let mut sampler = Sampler::new(3);
    let near = [-2.0, 2.0, 0.999_999, 1.000_001];
    for i in 0..400_000 {
        let (a, b) = (f64::sample(&mut sampler, &near), f64::sample(&mut sampler, &near));
        // Every second addend cancels most of the product.
        let c = if i % 2 == 0 {
            -(a * b) * (1.0 + f64::from(i % 5) * f64::EPSILON)
        } else {
            f64::sample(&mut sampler, &near)
        };
        assert_fused(a, b, c);
        let (x, y) = (f32::sample(&mut sampler, &near), f32::sample(&mut sampler, &near));
        let z = if i % 2 == 0 { -(x * y) } else { f32::sample(&mut sampler, &near) };
        assert_fused_float(x, y, z);
        // Sums that lie between two floats but for what is far below, and those of denormal floats.
        let tiny = f32::from_bits(sampler.next() as u32 % (60 << 23));
        assert_fused_float(x, 1.0, x * f32::EPSILON / 2.0);
        assert_fused_float(1.0 + f32::EPSILON * (i % 4096) as f32, 1.0 + f32::EPSILON / 2.0 * 2.0, tiny);
        assert_fused_float(x * 1e-25, y * 1e-15, tiny);
        let small = f64::from_bits(sampler.next() % (200 << 52));
        assert_fused(a * 1e-160, b * 1e-150, small);
        assert_fused(a, 1.0, a * f64::EPSILON / 2.0);
        assert_fused(a, 1.0 + f64::EPSILON, small);
    }
}

#[test]
fn rounding_to_an_integer_is_exact() {
    let mut sampler = Sampler::new(4);
    for x in f64::special().into_iter().chain((0..200_000).map(|_| f64::sample(&mut sampler, &[-9.0, 9.0, -0.6, 0.6])))
    {
        assert!(same(rint(x), x.round_ties_even()), "rint({x:e}) = {:e}", rint(x));
        assert!(same(floor(x), x.floor()), "floor({x:e}) = {:e}", floor(x));
        assert!(same(ceil(x), x.ceil()), "ceil({x:e}) = {:e}", ceil(x));
        assert!(same(trunc(x), x.trunc()), "trunc({x:e}) = {:e}", trunc(x));
        assert!(same(round(x), x.round()), "round({x:e}) = {:e}", round(x));
        assert!(same(f64::from(floorf(x as f32)), f64::from((x as f32).floor())), "floorf({x:e})");
    }
}

#[test]
fn a_number_is_larger_and_smaller_than_a_nan() {
    for (a, b) in [(1.0, 2.0), (2.0, 1.0), (f64::NAN, 1.0), (1.0, f64::NAN), (-1.0, f64::INFINITY)] {
        assert_eq!(f64::from(fmaxf(a as f32, b as f32)), a.max(b));
        assert_eq!(fmin(a, b), a.min(b));
    }
}

#[test]
fn remainders_are_exact() {
    let mut sampler = Sampler::new(5);
    for _ in 0..100_000 {
        let (x, y) = (f64::sample(&mut sampler, &[-9.0, 9.0]), f64::sample(&mut sampler, &[-9.0, 9.0]));
        assert!(same(fmod(x, y), x % y), "fmod({x:e}, {y:e}) = {:e}, not {:e}", fmod(x, y), x % y);
    }
}

#[test]
fn wide_integers_agree_with_the_host() {
    let mut sampler = Sampler::new(6);
    let mut wide = || (u128::from(sampler.next()) << 64 | u128::from(sampler.next())) >> (sampler.next() % 128);
    for _ in 0..100_000 {
        let (a, b) = (wide(), wide().max(1));
        let (s, t) = (a as i128, (b as i128).max(1));
        assert_eq!((udivti3(a, b), umodti3(a, b)), (a / b, a % b));
        assert_eq!((divti3(-s, t), modti3(-s, t)), (-s / t, -s % t));
        assert_eq!(multi3(s, t), s.wrapping_mul(t));
        let n = (b % 128) as i32;
        assert_eq!((ashlti3(s, n), lshrti3(s, n)), (s << n, (a >> n) as i128));
        assert_eq!(floatuntidf(a).to_bits(), (a as f64).to_bits(), "{a}");
        assert_eq!(floattisf(s).to_bits(), (s as f32).to_bits(), "{s}");
        assert_eq!(fixunsdfti((a >> 1) as f64), (a >> 1) as f64 as u128);
        assert_eq!(fixdfti(-((a >> 2) as f64)), -((a >> 2) as f64) as i128);
    }
}

#[test]
fn memory_functions_copy_what_they_should() {
    let source: Vec<u8> = (0..200).collect();
    for size in 0..64 {
        for (from, to) in [(0, 5), (5, 0), (3, 100), (7, 7)] {
            let (mut ours, mut theirs) = (source.clone(), source.clone());
            theirs.copy_within(from..from + size, to);
            let base = ours.as_mut_ptr();
            // SAFETY: both ranges lie in the vector.
            unsafe { memmove(base.add(to), base.add(from), size) };
            assert_eq!(ours, theirs);
            let mut other = vec![0u8; 300];
            // SAFETY: both ranges lie in their vectors.
            unsafe {
                memcpy(other.as_mut_ptr().add(to), source.as_ptr(), size);
                memset(other.as_mut_ptr().add(to + size), 0x1a5, 9);
            }
            assert_eq!(other[to..to + size], source[..size]);
            assert!(other[to + size..to + size + 9].iter().all(|b| *b == 0xa5) && other[to + size + 9] == 0);
        }
    }
}
