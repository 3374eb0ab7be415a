//! Instructions of AVX-512 that functions without a body stand for, and conversions that saturate.

use crate::{GANGS, MODES, build, global, line, run_from, run_on};

const COUNT: usize = 300;

/// m and k of x = m 2^k with 0.75 <= m < 1.5.
fn split(x: f32) -> (f32, f32) {
    match x {
        0.0 => (1.0, f32::NEG_INFINITY),
        f32::INFINITY => (1.0, x),
        x if x.is_nan() || x < 0.0 => (f32::NAN, f32::NAN),
        _ => {
            let (mut m, mut k) = (f64::from(x), 0);
            while m >= 1.5 {
                (m, k) = (m / 2.0, k + 1);
            }
            while m < 0.75 {
                (m, k) = (m * 2.0, k - 1);
            }
            (m as f32, k as f32)
        }
    }
}

#[test]
fn fractions_exponents_and_powers_of_two_are_those_of_the_device_library() {
    if !crate::machine::target().can(oxicl_target::Ability::MachineOperations) {
        return;
    }
    let body = "declare float @oxicl.machine.fraction.f32(float) memory(none) nounwind willreturn speculatable
        declare float @oxicl.machine.fraction_exponent.f32(float) memory(none) nounwind willreturn speculatable
        declare float @oxicl.machine.scale.f32(float, float) memory(none) nounwind willreturn speculatable
        declare double @oxicl.machine.scale.f64(double, double) memory(none) nounwind willreturn speculatable
        define void @k(ptr addrspace(1) %out) {
        %i = call i64 @oxicl.global_id(i32 0)
        %p = getelementptr float, ptr addrspace(1) %out, i64 %i
        %x = load float, ptr addrspace(1) %p
        %m = call float @oxicl.machine.fraction.f32(float %x)
        %k = call float @oxicl.machine.fraction_exponent.f32(float %x)
        %low = trunc i64 %i to i32
        %from = sub i32 %low, 160
        %by = sitofp i32 %from to float
        %s = call float @oxicl.machine.scale.f32(float 1.25, float %by)
        %by.long = fpext float %by to double
        %t = call double @oxicl.machine.scale.f64(double 1.25, double %by.long)
        %t.short = fptrunc double %t to float
        %q = getelementptr float, ptr addrspace(1) %p, i64 300
        store float %m, ptr addrspace(1) %q
        %r = getelementptr float, ptr addrspace(1) %p, i64 600
        store float %k, ptr addrspace(1) %r
        %u = getelementptr float, ptr addrspace(1) %p, i64 900
        store float %s, ptr addrspace(1) %u
        %v = getelementptr float, ptr addrspace(1) %p, i64 1200
        store float %t.short, ptr addrspace(1) %v
        ret void }";
    let special = [0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -1.0, 1.0, 1.5, 0.75, 1.4999999, f32::MAX, 1e-45];
    let number = |i: usize| match special.get(i) {
        Some(special) => *special,
        // Of all magnitudes, denormals among them; a few below zero.
        None => f32::from_bits((i as u32).wrapping_mul(0x9e37_79b9) >> u32::from(!i.is_multiple_of(16))),
    };
    let mut input: Vec<u32> = (0..COUNT).map(|i| number(i).to_bits()).collect();
    input.resize(5 * COUNT, 0);
    for mode in MODES.into_iter().chain(GANGS) {
        let library = build(body, &[global()], mode);
        let out = run_from(&library, line(COUNT as u64, 100), input.clone(), &[]);
        let at = |row: usize, i: usize| f32::from_bits(out[row * COUNT + i]);
        let same = |a: f32, b: f32| a == b || a.is_nan() && b.is_nan();
        for i in 0..COUNT {
            let (x, (m, k)) = (number(i), split(number(i)));
            let negative = x < 0.0;
            assert!(same(at(1, i), m) && (negative || same(at(2, i), k)), "{x:e} {mode:?}: {} {}", at(1, i), at(2, i));
            let scaled = 1.25 * (i as f64 - 160.0).exp2();
            assert!(same(at(3, i), scaled as f32) && same(at(4, i), scaled as f32), "{i} {mode:?}");
        }
    }
}

#[test]
fn estimates_of_reciprocal_roots_are_close() {
    if !crate::machine::target().can(oxicl_target::Ability::MachineOperations) {
        return;
    }
    let body = "declare float @oxicl.machine.rsqrt_estimate.f32(float) memory(none) nounwind willreturn speculatable
        define void @k(ptr addrspace(1) %out) {
        %i = call i64 @oxicl.global_id(i32 0)
        %p = getelementptr float, ptr addrspace(1) %out, i64 %i
        %x = load float, ptr addrspace(1) %p
        %y = call float @oxicl.machine.rsqrt_estimate.f32(float %x)
        store float %y, ptr addrspace(1) %p
        ret void }";
    let special = [0.0, -0.0, f32::INFINITY, f32::NAN, -1.0, f32::NEG_INFINITY, f32::MAX, 1e-45];
    let number = |i: usize| match special.get(i) {
        Some(special) => *special,
        None => f32::from_bits((i as u32).wrapping_mul(0x9e37_79b9) >> 1),
    };
    let input: Vec<u32> = (0..COUNT).map(|i| number(i).to_bits()).collect();
    for mode in MODES.into_iter().chain(GANGS) {
        let library = build(body, &[global()], mode);
        let out = run_from(&library, line(COUNT as u64, 100), input.clone(), &[]);
        for (i, bits) in out.iter().enumerate() {
            let (x, y) = (number(i), f64::from(f32::from_bits(*bits)));
            let exact = if x == 0.0 { 1.0 / f64::from(x) } else { 1.0 / f64::from(x).sqrt() };
            let close = y == exact || (y / exact - 1.0).abs() <= 2f64.powi(-14) || y.is_nan() && exact.is_nan();
            assert!(close, "{x:e} {mode:?}: {y:e} in place of {exact:e}");
        }
    }
}

/// What a saturated conversion to an integer of so many bits gives.
fn nearest(value: f64, bits: u32, signed: bool) -> i64 {
    let (low, high) = if signed { (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1) } else { (0, (1i64 << bits) - 1) };
    if value.is_nan() { 0 } else { (value as i64).clamp(low, high) }
}

#[test]
fn saturated_conversions_give_the_nearest_integer_and_0_for_no_number() {
    let numbers: [f32; 16] = [
        0.0,
        -0.0,
        0.99,
        -0.99,
        1.5,
        254.9,
        255.0,
        255.5,
        256.0,
        -128.9,
        -129.0,
        32767.6,
        65535.7,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
    ];
    for (bits, signed) in [(8, false), (8, true), (16, false), (16, true), (32, false), (32, true)] {
        let name = if signed { "fptosi" } else { "fptoui" };
        let extend = if signed { "sext" } else { "zext" };
        for (length, many) in [(4, "v4"), (1, "")] {
            let of = |ty: &str| if length == 1 { ty.to_owned() } else { format!("<{length} x {ty}>") };
            let (float, integer, wide) = (of("float"), of(&format!("i{bits}")), of("i64"));
            let intrinsic = format!("@llvm.{name}.sat.{many}i{bits}.{many}f32");
            let body = format!(
                "declare {integer} {intrinsic}({float})
                define void @k(ptr addrspace(1) %out) {{
                %i = call i64 @oxicl.global_id(i32 0)
                %p = getelementptr {wide}, ptr addrspace(1) %out, i64 %i
                %x = load {float}, ptr addrspace(1) %p, align 4
                %n = call {integer} {intrinsic}({float} %x)
                %w = {extend} {integer} %n to {wide}
                store {wide} %w, ptr addrspace(1) %p, align 8
                ret void }}"
            );
            for mode in MODES {
                let library = build(&body, &[global()], mode);
                let items = numbers.len() / length;
                let mut out = vec![0i64; numbers.len()];
                for (number, value) in numbers.iter().enumerate() {
                    // The numbers of a work-item are at the start of what it writes.
                    let (item, at) = (number / length, number % length);
                    let word = &mut out[item * length + at / 2];
                    *word |= i64::from(value.to_bits()) << (32 * (at % 2));
                }
                run_on(&library, line(items as u64, items as u64), &mut out, &[]);
                let expected: Vec<i64> = numbers.iter().map(|v| nearest(f64::from(*v), bits, signed)).collect();
                assert_eq!(out, expected, "{name} {bits} {length} {mode:?}");
            }
        }
    }
}
