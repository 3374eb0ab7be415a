//! Comparisons, classification, selection, vectors.

use crate::harness::{Row, check, row};

fn truth(x: bool) -> i32 {
    i32::from(x)
}

fn mask(x: bool) -> i32 {
    -i32::from(x)
}

#[test]
fn comparisons_and_classes_of_floats() {
    let rows: Vec<Row> = vec![
        row("eq", "", "isequal(a, b)", 0.0, |a: f32, b: f32, _: f32| truth(a == b)),
        row("ne", "", "isnotequal(a, b)", 0.0, |a: f32, b: f32, _: f32| truth(a != b)),
        row("gt", "", "isgreater(a, b)", 0.0, |a: f32, b: f32, _: f32| truth(a > b)),
        row("ge", "", "isgreaterequal(a, b)", 0.0, |a: f64, b: f64, _: f64| truth(a >= b)),
        row("lt", "", "isless(a, b)", 0.0, |a: f32, b: f32, _: f32| truth(a < b)),
        row("le", "", "islessequal(a, b)", 0.0, |a: f32, b: f32, _: f32| truth(a <= b)),
        row("lg", "", "islessgreater(a, b)", 0.0, |a: f32, b: f32, _: f32| {
            truth(a.partial_cmp(&b).is_some_and(|o| o.is_ne()))
        }),
        row("op_ne", "", "a != b", 0.0, |a: f64, b: f64, _: f64| truth(a != b)),
        row("op_nlt", "", "!(a < b)", 0.0, |a: f32, b: f32, _: f32| {
            truth(a.partial_cmp(&b) != Some(std::cmp::Ordering::Less))
        }),
        row("finite", "", "isfinite(a)", 0.0, |a: f32, _: f32, _: f32| truth(a.is_finite())),
        row("inf", "", "isinf(a)", 0.0, |a: f64, _: f32, _: f32| truth(a.is_infinite())),
        row("nan", "", "isnan(a)", 0.0, |a: f32, _: f32, _: f32| truth(a.is_nan())),
        row("normal", "", "isnormal(a)", 0.0, |a: f32, _: f32, _: f32| truth(a.is_normal())),
        row("ordered", "", "isordered(a, b)", 0.0, |a: f32, b: f32, _: f32| truth(!a.is_nan() && !b.is_nan())),
        row("unordered", "", "isunordered(a, b)", 0.0, |a: f32, b: f32, _: f32| truth(a.is_nan() || b.is_nan())),
        row("sign", "", "signbit(a)", 0.0, |a: f32, _: f32, _: f32| truth(a.is_sign_negative())),
        row("nan4", "", "isnan(a)", 0.0, |a: [f32; 4], _: f32, _: f32| a.map(|x| mask(x.is_nan()))),
        row("lt4", "", "a < b", 0.0, |a: [f32; 4], b: [f32; 4], _: f32| {
            std::array::from_fn::<i32, 4, _>(|i| mask(a[i] < b[i]))
        }),
    ];
    check("", rows);
}

#[test]
fn selection_and_logic() {
    let rows: Vec<Row> = vec![
        row("ternary", "", "a > b ? b : c", 0.0, |a: i32, b: i32, c: i32| if a > b { b } else { c }),
        row("select_scalar", "", "select(a, b, c)", 0.0, |a: f32, b: f32, c: i32| if c != 0 { b } else { a }),
        row("select_vector", "", "select(a, b, c)", 0.0, |a: [i32; 4], b: [i32; 4], c: [i32; 4]| {
            std::array::from_fn::<i32, 4, _>(|i| if c[i] < 0 { b[i] } else { a[i] })
        }),
        row("bits", "", "bitselect(a, b, c)", 0.0, |a: f32, b: f32, c: f32| {
            f32::from_bits((a.to_bits() & !c.to_bits()) | (b.to_bits() & c.to_bits()))
        }),
        row("logic", "", "(a && b) || !c", 0.0, |a: i32, b: i32, c: i32| truth((a != 0 && b != 0) || c == 0)),
        row(
            "unsigned",
            "",
            "(a < b) + 2 * (a <= c) + 4 * (b > c) + 8 * (a >= b) + 16 * (a == c)",
            0.0,
            |a: u32, b: u32, c: u32| {
                truth(a < b) + 2 * truth(a <= c) + 4 * truth(b > c) + 8 * truth(a >= b) + 16 * truth(a == c)
            },
        ),
        row(
            "signed",
            "",
            "(a < b) + 2 * (a <= c) + 4 * (b > c) + 8 * (a >= b) + 16 * (a != c)",
            0.0,
            |a: i64, b: i64, c: i64| {
                truth(a < b) + 2 * truth(a <= c) + 4 * truth(b > c) + 8 * truth(a >= b) + 16 * truth(a != c)
            },
        ),
    ];
    check("", rows);
}

#[test]
fn vectors_taken_apart_and_put_together() {
    let rows: Vec<Row> = vec![
        row("swizzle", "", "a.wzyx", 0.0, |a: [f32; 4], _: i32, _: i32| [a[3], a[2], a[1], a[0]]),
        row("join", "", "(float4)(a, b)", 0.0, |a: [f32; 2], b: [f32; 2], _: i32| [a[0], a[1], b[0], b[1]]),
        row("three", "", "(float3)(a.xy, b)", 0.0, |a: [f32; 4], b: f32, _: i32| [a[0], a[1], b]),
        row("insert", "a.s2 = b; a.s0 = c;", "a", 0.0, |a: [i32; 4], b: i32, c: i32| [c, a[1], b, a[3]]),
        row("dynamic", "a[b & 7] = c;", "a", 0.0, |mut a: [i32; 8], b: i32, c: i32| {
            a[(b & 7) as usize] = c;
            a
        }),
        row("dynamic_get", "", "a[b & 7]", 0.0, |a: [i32; 8], b: i32, _: i32| a[(b & 7) as usize]),
        row("shuffle", "", "shuffle(a, b)", 0.0, |a: [f32; 4], b: [u32; 8], _: i32| b.map(|i| a[(i & 3) as usize])),
        row("shuffle2", "", "shuffle2(a, b, c)", 0.0, |a: [f32; 4], b: [f32; 4], c: [u32; 4]| {
            c.map(|i| [a, b].concat()[(i & 7) as usize])
        }),
        row("wide", "", "a.sfedcba9876543210", 0.0, |mut a: [u32; 16], _: i32, _: i32| {
            a.reverse();
            a
        }),
    ];
    check("", rows);
}
