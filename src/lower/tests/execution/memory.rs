//! Memory: structures, arrays, copies, vectors at odd addresses, halves, constants, functions, loops and switches.

use crate::harness::{Row, check, row};

const TYPES: &str = "
    typedef struct { char tag; int3 v; struct { short s[3]; double d; } inner; } thing;
    typedef struct __attribute__((packed)) { char tag; int value; long wide; } packed_thing;
    constant int table[8] = { 3, 1, 4, 1, 5, 9, 2, 6 };
    constant thing fixed = { 7, (int3)(1, 2, 3), { { 4, 5, 6 }, 0.5 } };
    int pick(thing t, int n) { return n & 1 ? t.v.y : t.inner.s[n & 2]; }
    void swap(int *x, int *y) { int t = *x; *x = *y; *y = t; }
    int collatz(uint n) { int steps = 0; while (n > 1 && steps < 200) { n = n & 1 ? 3 * n + 1 : n / 2; steps++; } return steps; }
    int classify(int n) {
        switch (n) { case -5: return 1; case 0: case 1: case 2: return 2; case 1000: return 3; case 0x7fffffff: return 4; default: return n & 7; }
    }
    int classify_long(long n) { switch (n) { case 0x100000000L: return 1; case -1: return 2; case 7: return 3; } return 4; }
    int classify_char(char n) { switch (n) { case -128: return 1; case -1: return 2; case 7: return 3; } return 4; }
";

fn collatz(mut n: u32) -> i32 {
    let mut steps = 0;
    while n > 1 && steps < 200 {
        n = if n & 1 == 1 { n.wrapping_mul(3).wrapping_add(1) } else { n / 2 };
        steps += 1;
    }
    steps
}

#[test]
fn structures_arrays_and_functions() {
    let rows: Vec<Row> = vec![
        row(
            "members",
            "thing t; t.tag = (char)a; t.v = (int3)(a, b, c); t.inner.s[b & 1] = (short)c; t.inner.d = a;",
            "t.tag + t.v.z + t.inner.s[b & 1] + (int)(t.inner.d * 0.0)",
            0.0,
            |a: i32, b: i32, c: i32| {
                let _ = b;
                i32::from(a as i8).wrapping_add(c).wrapping_add(i32::from(c as i16))
            },
        ),
        row("by_value", "thing t = fixed; t.v.y = a;", "pick(t, b)", 0.0, |a: i32, b: i32, _: i32| {
            if b & 1 == 1 { a } else { [4, 5, 6][(b & 2) as usize] }
        }),
        row(
            "copy",
            "thing t = fixed; thing u = t; u.inner.s[1] = (short)a; t = u;",
            "t.inner.s[1] + fixed.inner.s[1]",
            0.0,
            |a: i32, _: i32, _: i32| i32::from(a as i16) + 5,
        ),
        row(
            "packed",
            "packed_thing p; p.tag = 1; p.value = a; p.wide = b; packed_thing q = p;",
            "q.value + (int)q.wide + (int)sizeof(packed_thing)",
            0.0,
            |a: i32, b: i32, _: i32| a.wrapping_add(b).wrapping_add(13),
        ),
        row("constant_table", "", "table[a & 7]", 0.0, |a: i32, _: i32, _: i32| {
            [3, 1, 4, 1, 5, 9, 2, 6][(a & 7) as usize]
        }),
        row(
            "array",
            "int m[3][5]; for (int y = 0; y < 3; y++) for (int x = 0; x < 5; x++) m[y][x] = a + y * 10 + x;",
            "m[(uint)b % 3][(uint)c % 5]",
            0.0,
            |a: i32, b: i32, c: i32| a.wrapping_add((b as u32 % 3) as i32 * 10 + (c as u32 % 5) as i32),
        ),
        row("pointers", "int x = a, y = b; swap(&x, &y);", "x - y", 0.0, |a: i32, b: i32, _: i32| b.wrapping_sub(a)),
        row("loops", "", "collatz(a & 0xffff)", 0.0, |a: u32, _: i32, _: i32| collatz(a & 0xffff)),
        row("switches", "", "classify(a) + classify(b & 3)", 0.0, |a: i32, b: i32, _: i32| {
            let one = |n: i32| match n {
                -5 => 1,
                0..=2 => 2,
                1000 => 3,
                i32::MAX => 4,
                n => n & 7,
            };
            one(a) + one(b & 3)
        }),
        row("switch_long", "", "classify_long(a)", 0.0, |a: i64, _: i32, _: i32| match a {
            0x1_0000_0000 => 1,
            -1 => 2,
            7 => 3,
            _ => 4,
        }),
        row("switch_char", "", "classify_char(a)", 0.0, |a: i8, _: i32, _: i32| match a {
            -128 => 1,
            -1 => 2,
            7 => 3,
            _ => 4,
        }),
        row(
            "booleans",
            "bool t[4]; t[0] = a > b; t[1] = !t[0]; t[2] = t[a & 1]; t[3] = true;",
            "t[b & 3]",
            0.0,
            |a: i32, b: i32, _: i32| {
                let t = [a > b, a <= b, if a & 1 == 0 { a > b } else { a <= b }, true];
                i32::from(t[(b & 3) as usize])
            },
        ),
        row("generic", "int x = a; int *p = b & 1 ? &x : &b; *p += c;", "x ^ b", 0.0, |a: i32, b: i32, c: i32| {
            if b & 1 == 1 { a.wrapping_add(c) ^ b } else { a ^ b.wrapping_add(c) }
        }),
    ];
    check(TYPES, rows);
}

#[test]
fn vectors_and_halves_in_memory() {
    let half = |x: f32| -> f32 {
        // Round to 11 bits, ties to even, saturating to infinity as the format does.
        if x.is_nan() || x.is_infinite() || x == 0.0 {
            return x;
        }
        let exponent = (f64::from(x).abs().log2().floor() as i32).max(-14);
        let unit = 2f64.powi(exponent - 10);
        let rounded = (f64::from(x) / unit).round_ties_even() * unit;
        if rounded.abs() > 65504.0 { f32::INFINITY.copysign(x) } else { (rounded as f32).copysign(x) }
    };
    let rows: Vec<Row> = vec![
        row(
            "vload3",
            "int m[8]; for (int j = 0; j < 8; j++) m[j] = a + j; int3 v = vload3(1, m + 1); vstore3(v, 0, m);",
            "m[0] + m[2] * 3 + m[3]",
            0.0,
            |a: i32, _: i32, _: i32| {
                (a.wrapping_add(4)).wrapping_add(a.wrapping_add(6).wrapping_mul(3)).wrapping_add(a.wrapping_add(3))
            },
        ),
        row(
            "vload4",
            "float m[9]; for (int j = 0; j < 9; j++) m[j] = j; m[5] = a; float4 v = vload4(1, m + 1);",
            "v",
            0.0,
            |a: f32, _: i32, _: i32| [a, 6.0, 7.0, 8.0],
        ),
        row(
            "half_round_trip",
            "short s[2]; vstore_half(a, 1, (half *)s);",
            "vload_half(1, (half *)s)",
            0.0,
            move |a: f32, _: i32, _: i32| half(a),
        ),
        row(
            "half_from_double",
            "short s[2]; vstore_half((double)a, 1, (half *)s);",
            "vload_half(1, (half *)s)",
            0.0,
            move |a: f32, _: i32, _: i32| half(a),
        ),
        row(
            "half4",
            "short s[8]; vstore_half4(a, 1, (half *)s);",
            "vload_half4(1, (half *)s)",
            0.0,
            move |a: [f32; 4], _: i32, _: i32| a.map(half),
        ),
        row(
            "half_rtz",
            "short s[2]; vstore_half_rtz(a, 0, (half *)s);",
            "fabs(vload_half(0, (half *)s)) <= fabs(a) || isnan(a)",
            0.0,
            |_: f32, _: i32, _: i32| 1i32,
        ),
        row(
            "half_rtp",
            "short s[2]; vstore_half_rtp(a, 0, (half *)s);",
            "vload_half(0, (half *)s) >= a || isnan(a)",
            0.0,
            |_: f32, _: i32, _: i32| 1i32,
        ),
    ];
    check("", rows);
}
