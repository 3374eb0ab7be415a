//! What is printed, against the C library and against what OpenCL C adds to it.
#![allow(unsafe_code, reason = "calls snprintf")]

use std::ffi::CString;

use oxicl_printf::{Argument, Bad, Element, Shape, Strings, check, format};

/// Strings by address.
struct Table(Vec<&'static str>);

impl Strings for Table {
    fn read(&self, address: u64, most: usize, to: &mut Vec<u8>) -> bool {
        let Some(text) = self.0.get(address as usize - 1) else { return false };
        to.extend(text.bytes().take(most));
        true
    }
}

const LIMIT: usize = 1 << 20;

fn shape(element: Element, count: u32) -> Shape {
    Shape { element, count }
}

fn one(text: &str, element: Element, values: &[u64]) -> Result<String, Bad> {
    let argument = Argument { shape: shape(element, values.len() as u32), values };
    let strings = Table(vec!["first", "a longer string"]);
    format(text.as_bytes(), &[argument], &strings, LIMIT).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn of_c<T>(text: &str, value: T) -> String {
    let text = CString::new(text).unwrap();
    let mut buffer = vec![0u8; 5000];
    // SAFETY: the buffer has the length given, the format takes one value of the type that the tests pass.
    let length = unsafe { libc::snprintf(buffer.as_mut_ptr().cast(), buffer.len(), text.as_ptr(), value) };
    String::from_utf8_lossy(&buffer[..length as usize]).into_owned()
}

const FLAGS: [&str; 12] = ["", "-", "+", " ", "#", "0", "+0", "-#", "# 0", "+ ", "-0", "#+-"];
const WIDTHS: [&str; 4] = ["", "1", "12", "40"];

#[test]
fn integers_are_what_c_prints() {
    let values =
        [0u64, 1, 7, 8, 42, 255, 256, 32767, 32768, 1 << 31, u64::from(u32::MAX), 1 << 63, u64::MAX, 123_456_789_012];
    for flags in FLAGS {
        for width in WIDTHS {
            for precision in ["", ".", ".0", ".1", ".5", ".25"] {
                for conversion in ["d", "i", "o", "u", "x", "X"] {
                    for value in values {
                        let text = format!("%{flags}{width}{precision}l{conversion}");
                        assert_eq!(
                            one(&text, Element::Int(64), &[value]).unwrap(),
                            of_c(&text, value),
                            "{text} {value}"
                        );
                        for length in ["", "h", "hh"] {
                            let text = format!("%{flags}{width}{precision}{length}{conversion}");
                            let found = one(&text, Element::Int(32), &[value]).unwrap();
                            assert_eq!(found, of_c(&text, value as u32), "{text} {value}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn floating_point_numbers_are_what_c_prints() {
    let mut values = vec![
        0.0,
        1.0,
        0.5,
        1.5,
        2.5,
        0.25,
        0.125,
        0.1,
        9.5,
        9.995,
        99.5,
        0.05,
        1e-4,
        9.9999e-5,
        123_456.5,
        999_999.5,
        1e15,
        1e16,
        1e17,
        1e22,
        1e23,
        1e100,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::from_bits(1),
        f64::from_bits(0x000f_ffff_ffff_ffff),
        f64::INFINITY,
        f64::NAN,
        5e-324,
        1e-300,
        0.000_123_45,
        6.02e23,
    ];
    let mut state = 1u64;
    for _ in 0..60 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        values.push(f64::from_bits(state ^ state >> 29));
        values.push(f64::from(f32::from_bits((state >> 32) as u32)));
        values.push((state >> 40) as f64 / 1000.0);
    }
    for flags in FLAGS {
        for width in WIDTHS {
            for precision in ["", ".", ".0", ".1", ".2", ".3", ".6", ".12", ".13", ".14", ".17", ".40"] {
                for conversion in ["f", "F", "e", "E", "g", "G", "a", "A"] {
                    for value in values.iter().flat_map(|value| [*value, -value]) {
                        // The sign of a NaN that a C library prints is its own affair.
                        if value.is_nan() && value.is_sign_negative() {
                            continue;
                        }
                        let text = format!("%{flags}{width}{precision}{conversion}");
                        let found = one(&text, Element::Float(64), &[value.to_bits()]).unwrap();
                        let wanted = of_c(&text, value);
                        // glibc 2.36 forgets zeros when rounding changes the style.
                        if found != wanted
                            && (wanted.contains("1.e+") || wanted.contains("1.E+"))
                            && text.contains('#')
                            && conversion.eq_ignore_ascii_case("g")
                        {
                            assert!(found.contains("1.0"), "{text} {value:e}: {found}");
                            continue;
                        }
                        assert_eq!(found, wanted, "{text} {value:e}");
                    }
                }
            }
        }
    }
}

#[test]
fn digits_go_on_as_far_as_the_precision_says() {
    for text in ["%.1074f", "%.1500f", "%.2000e", "%.1200g", "%#.1500g", "%.1500a", "%.760e"] {
        for value in [f64::from_bits(1), 0.1, f64::MAX, 1.0] {
            assert_eq!(
                one(text, Element::Float(64), &[value.to_bits()]).unwrap(),
                of_c(text, value),
                "{text} {value:e}"
            );
        }
    }
}

#[test]
fn narrow_floating_point_numbers_keep_their_value() {
    assert_eq!(one("%f", Element::Float(32), &[u64::from(1.5f32.to_bits())]).unwrap(), "1.500000");
    assert_eq!(one("%a", Element::Float(32), &[1]).unwrap(), "0x1p-149");
    for (bits, text) in
        [(0x3c00, "1"), (0x0001, "5.96046e-08"), (0xfbff, "-65504"), (0x7c00, "inf"), (0xfc00, "-inf"), (0x8000, "-0")]
    {
        assert_eq!(one("%g", Element::Float(16), &[bits]).unwrap(), text);
    }
    assert_eq!(one("%G", Element::Float(16), &[0x7e00]).unwrap(), "NAN");
}

#[test]
fn vectors_are_separated_by_commas_and_padded_one_by_one() {
    let float = |values: &[f32]| values.iter().map(|value| u64::from(value.to_bits())).collect::<Vec<_>>();
    assert_eq!(one("%2.2v4hlf", Element::Float(32), &float(&[1.0, 2.0, 3.0, 4.0])).unwrap(), "1.00,2.00,3.00,4.00");
    assert_eq!(one("%#v4hhx", Element::Int(8), &[0xfa, 0xfb, 0xfc, 0xfd]).unwrap(), "0xfa,0xfb,0xfc,0xfd");
    assert_eq!(one("%v3hhd", Element::Int(8), &[0xff, 0x80, 1]).unwrap(), "-1,-128,1");
    assert_eq!(one("%4v2hd|", Element::Int(16), &[0xffff, 7]).unwrap(), "  -1,   7|");
    assert_eq!(one("%v2ld", Element::Int(64), &[u64::MAX, 1]).unwrap(), "-1,1");
    assert_eq!(one("%v8hli", Element::Int(32), &[1, 2, 3, 4, 5, 6, 7, 8]).unwrap(), "1,2,3,4,5,6,7,8");
    assert_eq!(one("%v16hhu", Element::Int(8), &[1; 16]).unwrap(), ["1"; 16].join(","));
    assert_eq!(one("%v2hf", Element::Float(16), &[0x3c00, 0x4000]).unwrap(), "1.000000,2.000000");
    assert_eq!(one("%-6.1v2le|", Element::Float(64), &[0, 1.5f64.to_bits()]).unwrap(), "0.0e+00,1.5e+00|");
}

#[test]
fn characters_strings_and_pointers() {
    assert_eq!(one("<%c>", Element::Int(32), &[u64::from(b'x')]).unwrap(), "<x>");
    assert_eq!(one("<%4c>", Element::Int(32), &[u64::from(b'x')]).unwrap(), "<   x>");
    assert_eq!(one("<%-4c>", Element::Int(8), &[u64::from(b'x')]).unwrap(), "<x   >");
    assert_eq!(one("%s", Element::Pointer, &[1]).unwrap(), "first");
    assert_eq!(one("%-10.3s|", Element::Pointer, &[2]).unwrap(), "a l       |");
    assert_eq!(one("%10s|", Element::Pointer, &[1]).unwrap(), "     first|");
    assert_eq!(one("%.0s|", Element::Pointer, &[1]).unwrap(), "|");
    assert_eq!(one("%s", Element::Pointer, &[0]).unwrap(), "(null)");
    assert_eq!(one("%.2s", Element::Pointer, &[0]).unwrap(), "(n");
    assert_eq!(one("%p", Element::Pointer, &[0xabc0]).unwrap(), "0xabc0");
    assert_eq!(one("%10p", Element::Pointer, &[0]).unwrap(), "     (nil)");
    assert_eq!(one("%zu %%", Element::Int(64), &[u64::MAX]).unwrap(), "18446744073709551615 %");
    assert_eq!(one("%td", Element::Int(64), &[u64::MAX]).unwrap(), "-1");
    assert_eq!(one("%d\0%s", Element::Int(32), &[5]).unwrap(), "5");
}

#[test]
fn integers_of_another_width_are_converted() {
    assert_eq!(one("%d", Element::Int(64), &[0x1_0000_0001]).unwrap(), "1");
    assert_eq!(one("%ld", Element::Int(32), &[0xffff_ffff]).unwrap(), "-1");
    assert_eq!(one("%lu", Element::Int(32), &[0xffff_ffff]).unwrap(), "4294967295");
    assert_eq!(one("%d", Element::Int(8), &[0xff]).unwrap(), "-1");
    assert_eq!(one("%lf", Element::Float(64), &[1f64.to_bits()]).unwrap(), "1.000000");
}

#[test]
fn what_is_wrong_prints_nothing() {
    let int = Element::Int(32);
    for text in [
        "%", "%n", "%k", "%*d", "%5.*d", "%v5hld", "%v4d", "%v4", "%hld", "%hf", "%hhf", "%hc", "%ls", "%.3c", "%Lf",
        "%jd", "%5%", "%v4hls",
    ] {
        assert!(matches!(one(&format!("{text}|"), int, &[1]), Err(Bad::Specification(0))), "{text}");
    }
    assert_eq!(one("%d %d", int, &[1]), Err(Bad::Missing(3)));
    assert_eq!(one("%f", int, &[1]), Err(Bad::Mismatch(0)));
    assert_eq!(one("..%d", Element::Float(32), &[1]), Err(Bad::Mismatch(2)));
    assert_eq!(one("%s", int, &[1]), Err(Bad::Mismatch(0)));
    assert_eq!(one("%v2hld", int, &[1]), Err(Bad::Mismatch(0)));
    assert_eq!(one("%d", int, &[1, 2]), Err(Bad::Mismatch(0)));
    assert_eq!(one("%s", Element::Pointer, &[9]), Err(Bad::Unreadable));
    for text in [
        "%99999999999999999999d",
        "%.99999999999999999999d",
        "%.2000000f",
        "%2000000d",
        "%-99999999999999999999d",
        "%.99999999999999999999e",
    ] {
        let element = if text.ends_with('d') { int } else { Element::Float(64) };
        assert_eq!(one(text, element, &[1]), Err(Bad::TooLong), "{text}");
    }
    let strings = Table(vec!["12345"]);
    let argument = Argument { shape: shape(Element::Pointer, 1), values: &[1] };
    assert_eq!(format(b"%s", &[argument], &strings, 5).unwrap(), b"12345");
    assert_eq!(format(b"%s", &[argument], &strings, 4), Err(Bad::TooLong));
    assert_eq!(format(b"%s", &[Argument { values: &[], ..argument }], &strings, 4), Err(Bad::Mismatch(0)));
}

#[test]
fn a_check_finds_what_the_call_would() {
    let int = shape(Element::Int(32), 1);
    assert_eq!(check(b"%d %%", &[int, int]), Ok(()));
    assert_eq!(check(b"%d %d", &[int]), Err(Bad::Missing(3)));
    assert_eq!(check(b"%f", &[int]), Err(Bad::Mismatch(0)));
    assert_eq!(check(b"%y", &[int]), Err(Bad::Specification(0)));
    for shape in [int, shape(Element::Float(16), 16), shape(Element::Pointer, 1), shape(Element::Int(64), 3)] {
        assert_eq!(Shape::from_word(shape.to_word()), Some(shape));
    }
    assert_eq!(Shape::from_word(9), None);
}
