//! Arithmetic and bits of integers.

use crate::harness::{Row, check, row};

/// Rows for one integer type, whose expressions name themselves after the macro's arguments.
macro_rules! rows {
    ($t:ident: $($name:ident $expression:literal $host:expr;)*) => {
        vec![$(row::<$t, $t, $t, $t>(concat!(stringify!($name), "_", stringify!($t)), "", $expression, 0.0, $host)),*]
    };
}

macro_rules! common {
    ($t:ident, $wide:ident) => {
        rows! { $t:
            add "a + b" |a, b, _| a.wrapping_add(b);
            sub "a - b" |a, b, _| a.wrapping_sub(b);
            mul "a * b" |a, b, _| a.wrapping_mul(b);
            neg "-a" |a, _, _| (0 as $t).wrapping_sub(a);
            // Total: by zero, and of the smallest by -1, the dividend.
            div "a / b" |a, b, _| if b == 0 { a } else { a.wrapping_div(b) };
            rem "a % b" |a, b, _| if b == 0 { 0 } else { a.wrapping_rem(b) };
            and "a & b" |a, b, _| a & b;
            or "a | b" |a, b, _| a | b;
            xor "a ^ b" |a, b, _| a ^ b;
            not "~a" |a, _, _| !a;
            shl "a << (b & (sizeof(a) * 8 - 1))" |a, b, _| a.wrapping_shl(b as u32);
            shr "a >> (b & (sizeof(a) * 8 - 1))" |a, b, _| a.wrapping_shr(b as u32);
            add_sat "add_sat(a, b)" |a, b, _| a.saturating_add(b);
            sub_sat "sub_sat(a, b)" |a, b, _| a.saturating_sub(b);
            mul_hi "mul_hi(a, b)" |a, b, _| ((a as $wide * b as $wide) >> $t::BITS) as $t;
            mad_hi "mad_hi(a, b, c)" |a, b, c| (((a as $wide * b as $wide) >> $t::BITS) as $t).wrapping_add(c);
            mad_sat "mad_sat(a, b, c)" |a, b, c| {
                let sum = (a as i128).wrapping_mul(b as i128);
                // The product of two 64-bit unsigned numbers may not fit; it saturates either way.
                if $t::MIN == 0 && sum < 0 { return $t::MAX; }
                sum.saturating_add(c as i128).clamp($t::MIN as i128, $t::MAX as i128) as $t
            };
            hadd "hadd(a, b)" |a, b, _| ((a as i128 + b as i128) >> 1) as $t;
            rhadd "rhadd(a, b)" |a, b, _| ((a as i128 + b as i128 + 1) >> 1) as $t;
            max "max(a, b)" |a, b, _| a.max(b);
            min "min(a, b)" |a, b, _| a.min(b);
            clamp "clamp(a, min(b, c), max(b, c))" |a, b, c| a.clamp(b.min(c), b.max(c));
            rotate "rotate(a, b)" |a, b, _| a.rotate_left((b as u64 % u64::from($t::BITS)) as u32);
            clz "clz(a)" |a, _, _| a.leading_zeros() as $t;
            ctz "ctz(a)" |a, _, _| a.trailing_zeros() as $t;
            popcount "popcount(a)" |a, _, _| a.count_ones() as $t;
            bitselect "bitselect(a, b, c)" |a, b, c| (a & !c) | (b & c);
        }
    };
}

#[test]
fn integers_of_8_and_16_bits() {
    let mut rows = common!(i8, i32);
    rows.extend(common!(u8, u32));
    rows.extend(common!(i16, i32));
    rows.extend(common!(u16, u32));
    check("", rows);
}

#[test]
fn integers_of_32_bits() {
    let mut rows = common!(i32, i64);
    rows.extend(common!(u32, u64));
    check("", rows);
}

#[test]
fn integers_of_64_bits() {
    let mut rows = common!(i64, i128);
    rows.extend(common!(u64, u128));
    check("", rows);
}

#[test]
fn results_of_another_type() {
    let rows: Vec<Row> = vec![
        row("abs_i8", "", "abs(a)", 0.0, |a: i8, _: i8, _: i8| a.unsigned_abs()),
        row("abs_i32", "", "abs(a)", 0.0, |a: i32, _: i32, _: i32| a.unsigned_abs()),
        row("abs_i64", "", "abs(a)", 0.0, |a: i64, _: i64, _: i64| a.unsigned_abs()),
        row("abs_u32", "", "abs(a)", 0.0, |a: u32, _: u32, _: u32| a),
        row("diff_i8", "", "abs_diff(a, b)", 0.0, |a: i8, b: i8, _: i8| a.abs_diff(b)),
        row("diff_i32", "", "abs_diff(a, b)", 0.0, |a: i32, b: i32, _: i32| a.abs_diff(b)),
        row("diff_u64", "", "abs_diff(a, b)", 0.0, |a: u64, b: u64, _: u64| a.abs_diff(b)),
        row("up_i8", "", "upsample(a, b)", 0.0, |a: i8, b: u8, _: i8| (i16::from(a) << 8) | i16::from(b)),
        row("up_u32", "", "upsample(a, b)", 0.0, |a: u32, b: u32, _: u32| (u64::from(a) << 32) | u64::from(b)),
        row("up_i32", "", "upsample(a, b)", 0.0, |a: i32, b: u32, _: u32| (i64::from(a) << 32) | i64::from(b)),
        row("mul24", "", "mul24(a >> 8, b >> 8)", 0.0, |a: i32, b: i32, _: i32| (a >> 8).wrapping_mul(b >> 8)),
        row("umul24", "", "mul24(a >> 8, b >> 8)", 0.0, |a: u32, b: u32, _: u32| (a >> 8).wrapping_mul(b >> 8)),
        row("mad24", "", "mad24(a >> 8, b >> 8, c)", 0.0, |a: i32, b: i32, c: i32| {
            (a >> 8).wrapping_mul(b >> 8).wrapping_add(c)
        }),
        row("vector", "", "a * b + c", 0.0, |a: [i32; 4], b: [i32; 4], c: [i32; 4]| {
            std::array::from_fn::<i32, 4, _>(|i| a[i].wrapping_mul(b[i]).wrapping_add(c[i]))
        }),
        row("vector3", "", "a / b", 0.0, |a: [u32; 3], b: [u32; 3], _: u32| {
            std::array::from_fn::<u32, 3, _>(|i| a[i].checked_div(b[i]).unwrap_or(a[i]))
        }),
        row("vector_sat", "", "add_sat(a, b)", 0.0, |a: [i8; 4], b: [i8; 4], _: i8| {
            std::array::from_fn::<i8, 4, _>(|i| a[i].saturating_add(b[i]))
        }),
    ];
    check("", rows);
}
