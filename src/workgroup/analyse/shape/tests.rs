//! What lanes have in common of small functions.

use std::collections::{BTreeSet, HashMap, HashSet};

use oxicl_target::Target;

use super::{Given, Layout, Shape, shapes};
use crate::ir::{InstId, Label, Operand, parse};
use crate::prices::Prices;

/// The shapes of `%v` and of `%more` in a loop with a counter `%j` from `%from`.
fn looped(from: &str, body: &str) -> (Shape, Shape) {
    looped_with("i32", from, body)
}

/// The same with a counter of a type.
fn looped_with(ty: &str, from: &str, body: &str) -> (Shape, Shape) {
    let text = format!(
        "function @k(ptr addrspace(1) %p, i32 %r, i32 %s) {{\nblock 0:\n\
         %id = call i64 @oxicl.global_id(i32 0) pure\n%x = trunc i64 %id to i32\n%w = sext i32 %r to i64\n{from}\nbr block 1\n\
         block 1:\n%j = phi {ty} [%from, block 0], [%next, block 1]\n{body}\nbr i1 %more, block 1, block 2\n\
         block 2:\nret void\n}}"
    );
    let prices = Prices::of(&Target::named("x86-64-v3").expect("a machine"));
    let function = parse(&text, &prices).unwrap_or_else(|why| panic!("{why}:\n{text}"));
    let given = Given {
        parameters: &vec![Shape::Uniform; function.parameters.len()],
        strides: &HashMap::new(),
        interleaved: &HashMap::new(),
        read_only: &HashSet::new(),
        layout: Layout::Rows,
        sub_group_size: 16,
        coalescing: None,
        checks_rows: false,
        apart: &BTreeSet::new(),
    };
    let shapes = shapes(&function, given);
    let of = |name: &str| {
        let place = function.insts.iter().position(|inst| inst.label == Label::Name(name.into()));
        shapes.of_operand(Operand::Inst(InstId(place.unwrap_or_else(|| panic!("there is no %{name}")) as u32)))
    };
    (of("v"), of("more"))
}

/// The shape of a comparison of the counter, which `%from`, the end and each step make with these promises.
fn compared(predicate: &str, promises: [&str; 3]) -> Shape {
    let [from, to, step] = promises;
    let body = format!("%v = add {to} i32 %x, %r\n%next = add {step} i32 %j, 1\n%more = icmp {predicate} i32 %j, %v");
    looped(&format!("%from = sub {from} i32 %x, %r"), &body).1
}

#[test]
fn numbers_of_one_stride_compare_alike_where_they_do_not_wrap() {
    for predicate in ["slt", "sle", "sgt", "sge"] {
        assert_eq!(compared(predicate, ["nsw"; 3]), Shape::Row, "{predicate}");
        assert_eq!(compared(predicate, ["nuw nsw"; 3]), Shape::Row, "{predicate}");
        // Any of them may wrap, or does not as an unsigned number.
        for other in ["", "nuw"] {
            for place in 0..3 {
                let mut promises = ["nsw"; 3];
                promises[place] = other;
                assert_eq!(compared(predicate, promises), Shape::Varying, "{predicate} {promises:?}");
            }
        }
    }
    for predicate in ["ult", "ule", "ugt", "uge"] {
        assert_eq!(compared(predicate, ["nuw"; 3]), Shape::Row, "{predicate}");
        for place in 0..3 {
            let mut promises = ["nuw"; 3];
            promises[place] = "nsw";
            assert_eq!(compared(predicate, promises), Shape::Varying, "{predicate} {promises:?}");
        }
    }
}

#[test]
fn ids_do_not_wrap() {
    for (flag, predicate) in [("nsw", "sle"), ("nuw", "ult")] {
        let compared = |to: &str| {
            let body = format!("%v = {to}\n%next = add {flag} i64 %j, 1\n%more = icmp {predicate} i64 %j, %v");
            looped_with("i64", &format!("%from = sub {flag} i64 %id, %w"), &body).1
        };
        assert_eq!(compared(&format!("add {flag} i64 %id, %w")), Shape::Row, "{predicate}");
        assert_eq!(compared("add i64 %id, %w"), Shape::Varying, "{predicate}");
    }
}

#[test]
fn numbers_of_one_stride_are_as_far_apart_in_all_lanes() {
    for predicate in ["eq", "ne"] {
        assert_eq!(compared(predicate, [""; 3]), Shape::Row, "{predicate}");
    }
    let distance =
        |from: &str, v: &str| looped(from, &format!("{v}\n%next = add i32 %j, 1\n%more = icmp ult i32 %v, %s"));
    assert_eq!(distance("%from = sub i32 %x, %r", "%v = sub i32 %x, %j"), (Shape::Row, Shape::Row));
    assert_eq!(distance("%from = mul i32 %x, 3", "%v = sub i32 %j, %x"), (Shape::Affine(2), Shape::Varying));
    assert_eq!(distance("%from = sub i32 %x, %r", "%v = add i32 %x, %j"), (Shape::Affine(2), Shape::Varying));
}

#[test]
fn numbers_of_other_strides_compare_as_they_like() {
    for predicate in ["slt", "ule", "eq", "ne"] {
        for end in
            ["shl nuw nsw i32 %x, 1", "mul nuw nsw i32 %x, %r", "sub nuw nsw i32 %r, %x", "add nuw nsw i32 %r, 1"]
        {
            let body = format!("%v = {end}\n%next = add nuw nsw i32 %j, 1\n%more = icmp {predicate} i32 %j, %v");
            assert_eq!(looped("%from = sub nuw nsw i32 %x, %r", &body).1, Shape::Varying, "{predicate} {end}");
        }
    }
}

#[test]
fn a_promise_counts_where_lanes_rely_on_it() {
    // The comparison may be poison, as nothing depends on it.
    let body = |more: &str| {
        format!("%to = add nsw i32 %x, %r\n%next = add nsw i32 %j, 1\n%v = icmp sle i32 %j, %to\n%more = {more}")
    };
    let of = |more: &str| looped("%from = sub nsw i32 %x, %r", &body(more)).0;
    assert_eq!(of("icmp ult i32 %r, %s"), Shape::Varying);
    assert_eq!(of("xor i1 %v, 1"), Shape::Row);
}
