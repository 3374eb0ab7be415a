//! Conversions: widths, saturation, rounding modes, bits.

use crate::harness::{Row, check, row};

/// A conversion named as OpenCL C names it.
macro_rules! conversions {
    ($($name:ident $from:ident $to:ident $host:expr;)*) => {
        vec![$(row::<$from, i32, i32, $to>(stringify!($name), "", concat!(stringify!($name), "(a)"), 0.0, |a, _, _| {
            let host: fn($from) -> $to = $host;
            host(a)
        })),*]
    };
}

#[test]
fn integers_to_integers() {
    let rows: Vec<Row> = conversions! {
        convert_char i32 i8 |a| a as i8;
        convert_ulong i32 u64 |a| a as u64;
        convert_long u32 i64 |a| i64::from(a);
        convert_ushort i64 u16 |a| a as u16;
        convert_uchar_sat i32 u8 |a| a.clamp(0, 255) as u8;
        convert_short_sat u32 i16 |a| a.min(32767) as i16;
        convert_uint_sat i64 u32 |a| a.clamp(0, 0xffff_ffff) as u32;
        convert_int_sat u64 i32 |a| a.min(0x7fff_ffff) as i32;
        convert_ulong_sat i64 u64 |a| a.max(0) as u64;
        convert_long_sat u64 i64 |a| a.min(i64::MAX as u64) as i64;
    };
    check("", rows);
}

#[test]
fn floats_to_integers() {
    let rows: Vec<Row> = conversions! {
        // `as` saturates and takes NaN to 0, as `_sat` must.
        convert_int_sat f32 i32 |a| a as i32;
        convert_uint_sat f32 u32 |a| a as u32;
        convert_char_sat f32 i8 |a| a as i8;
        convert_ulong_sat f64 u64 |a| a as u64;
        convert_long_sat f64 i64 |a| a as i64;
        convert_int_sat_rte f64 i32 |a| a.round_ties_even() as i32;
        convert_int_sat_rtp f32 i32 |a| a.ceil() as i32;
        convert_int_sat_rtn f32 i32 |a| a.floor() as i32;
        convert_short_sat_rtz f64 i16 |a| a as i16;
        convert_uchar_sat_rte f32 u8 |a| a.round_ties_even() as u8;
    };
    check("", rows);
}

#[test]
fn integers_to_floats() {
    /// The nearest float in a direction: -1 down, 1 up, 0 towards zero.
    fn directed(exact: i128, direction: i32) -> f32 {
        let nearest = exact as f32;
        let high = nearest as i128 > exact;
        let low = (nearest as i128) < exact;
        match direction {
            1 if low => nearest.next_up(),
            -1 if high => nearest.next_down(),
            0 if high && exact > 0 => nearest.next_down(),
            0 if low && exact < 0 => nearest.next_up(),
            _ => nearest,
        }
    }
    let rows: Vec<Row> = conversions! {
        convert_float i32 f32 |a| a as f32;
        convert_float_rte u64 f32 |a| a as f32;
        convert_float_rtz i32 f32 |a| directed(i128::from(a), 0);
        convert_float_rtp i32 f32 |a| directed(i128::from(a), 1);
        convert_float_rtn i32 f32 |a| directed(i128::from(a), -1);
    };
    check("", rows);
    let rows: Vec<Row> = conversions! {
        convert_float u64 f32 |a| a as f32;
        convert_float_rtz u64 f32 |a| directed(i128::from(a), 0);
        convert_float_rtp u64 f32 |a| directed(i128::from(a), 1);
        convert_float_rtn i64 f32 |a| directed(i128::from(a), -1);
    };
    check("", rows);
}

#[test]
fn floats_to_floats() {
    fn narrow(x: f64, direction: i32) -> f32 {
        let nearest = x as f32;
        let (high, low) = (f64::from(nearest) > x, f64::from(nearest) < x);
        match direction {
            1 if low => nearest.next_up(),
            -1 if high => nearest.next_down(),
            0 if high && x > 0.0 => nearest.next_down(),
            0 if low && x < 0.0 => nearest.next_up(),
            _ => nearest,
        }
    }
    let rows: Vec<Row> = conversions! {
        convert_float f64 f32 |a| a as f32;
        convert_float_rtz f64 f32 |a| narrow(a, 0);
        convert_float_rtp f64 f32 |a| narrow(a, 1);
        convert_float_rtn f64 f32 |a| narrow(a, -1);
        as_int f32 i32 |a| a.to_bits() as i32;
        as_float u32 f32 f32::from_bits;
        as_double u64 f64 f64::from_bits;
    };
    check("", rows);
    let rows: Vec<Row> = vec![
        // clang 22 leaves convert_double undefined.
        row("to_double", "", "a", 0.0, |a: f32, _: i32, _: i32| f64::from(a)),
        row("long_to_double", "", "a", 0.0, |a: u64, _: i32, _: i32| a as f64),
        row("int_to_double", "", "a", 0.0, |a: i32, _: i32, _: i32| f64::from(a)),
        row("as_uchar4", "", "as_uchar4(a)", 0.0, |a: u32, _: i32, _: i32| a.to_le_bytes()),
        row("as_int2", "", "as_int2(a)", 0.0, |a: i64, _: i32, _: i32| [a as i32, (a >> 32) as i32]),
        row("convert_int4", "", "convert_int4_sat(a)", 0.0, |a: [f32; 4], _: i32, _: i32| a.map(|x| x as i32)),
        row("convert_uchar4", "", "convert_uchar4_sat(a)", 0.0, |a: [i32; 4], _: i32, _: i32| {
            a.map(|x| x.clamp(0, 255) as u8)
        }),
    ];
    check("", rows);
}
