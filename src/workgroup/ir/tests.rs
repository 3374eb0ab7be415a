//! What is printed is read back as it was, and what is wrong is told.

#[path = "../tests/golden/repeated.rs"]
mod repeated;

use std::fs;
use std::path::Path;
use std::rc::Rc;

use oxicl_llvm::{Context, Module};
use oxicl_target::Target;

use crate::ir::parse::parse;
use crate::ir::read;
use crate::prices::Prices;

fn prices() -> Rc<Prices> {
    Prices::of(&Target::named("x86-64-v3").expect("a machine"))
}

#[test]
fn what_is_printed_is_read_back() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let mut functions = 0;
    for entry in fs::read_dir(folder).expect("readable") {
        let path = entry.expect("readable").path();
        let context = Context::new();
        let text = repeated::written_out(&fs::read_to_string(&path).expect("readable")).expect("a case");
        let module = Module::parse_text(&context, &text).expect("valid IR");
        for value in module.functions().into_iter().filter(|function| !function.is_declaration()) {
            let one = read(value, &prices());
            let for_fibers = one.as_ref().map_err(Clone::clone).and_then(|function| function.again_for_fibers());
            for function in [one, for_fibers] {
                let function = function.unwrap_or_else(|why| panic!("{}: {}", path.display(), why.0));
                let text = function.text();
                let again = parse(&text, &prices()).unwrap_or_else(|why| panic!("{}: {why}\n{text}", path.display()));
                assert_eq!(again.text(), text, "{}", path.display());
                functions += 1;
            }
        }
    }
    assert!(functions > 100, "the cases are there: {functions}");
}

#[test]
fn constants_are_read_bit_by_bit() {
    let text = "define void @k(ptr %p) {
        store i128 18446744073709551616, ptr %p
        store i128 -2, ptr %p
        store i128 -170141183460469231731687303715884105728, ptr %p
        store i65 -1, ptr %p
        store i64 -9223372036854775808, ptr %p
        store float 0x7FF4000000000000, ptr %p
        store double 0x7FF0000000000001, ptr %p
        store half 0xH7C01, ptr %p
        store bfloat 0xR3FC0, ptr %p
        store float 0x3FB99999A0000000, ptr %p
        store <2 x float> <float 1.500000e+00, float -0.000000e+00>, ptr %p
        store [3 x i8] [i8 1, i8 undef, i8 poison], ptr %p
        store ptr getelementptr (i8, ptr @g, i64 4), ptr %p
        ret void }
        @g = external global i32";
    let context = Context::new();
    let module = Module::parse_text(&context, text).expect("valid IR");
    let function =
        read(module.function("k").expect("it is there"), &prices()).unwrap_or_else(|why| panic!("{}", why.0));
    let own = function.text();
    // As they were written, but for alignments, which are LLVM's.
    for line in text.lines().filter(|line| line.contains("store")) {
        assert!(own.contains(&format!("{}, align", line.trim())), "{line}:\n{own}");
    }
    assert_eq!(parse(&own, &prices()).map(|again| again.text()), Ok(own));
}

/// A loop that sums the numbers up to one, with a barrier behind it.
const SUM: &str = "\
function @sum(ptr addrspace(1) noalias %out, i32 %n) {
block 0:
  br block 1
block 1:
  %i = phi i32 [ 0, block 0 ], [ %next, block 1 ]
  %sum = phi i32 [ 0, block 0 ], [ %more, block 1 ]
  %more = add nsw i32 %sum, %i
  %next = add nuw nsw i32 %i, 1
  %goes = icmp ult i32 %next, %n
  br i1 %goes, block 1, block 2 weights [7, 1]
block 2:
  barrier, on to state 1
block 3 of state 1:
  %id = call i64 @oxicl.global_id(i32 0) pure
  %place = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %id
  store i32 %more, ptr addrspace(1) %place, align 4
  ret void
}
";

#[test]
fn a_function_is_read_from_text_alone() {
    let function = parse(SUM, &prices()).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(function.text(), SUM);
    assert_eq!((function.states.len(), function.blocks.len(), function.insts.len()), (2, 4, 8));
    assert!(function.reachable.iter().all(|is_reachable| *is_reachable));
}

#[test]
fn what_is_wrong_with_a_function_is_told() {
    for (right, wrong, told) in [
        (
            "%sum, %i\n",
            "%sum, %place\n",
            "`%more = add nsw i32 %sum, %place` uses instruction 6, which does not come before it",
        ),
        (
            "%next = add nuw nsw i32 %i, 1",
            "%next = add nuw nsw i64 %i, 1",
            "has operands of types that it does not take",
        ),
        ("%goes = icmp ult i32 %next, %n", "%goes = add i32 %next, %n", "does not say by its condition where it goes"),
        (
            "[ 0, block 0 ], [ %next, block 1 ]",
            "[ 0, block 0 ]",
            "does not have one operand for each way into its block",
        ),
        ("[ %next, block 1 ]", "[ %next, block 2 ]", "does not have one operand for each way into its block"),
        ("[ %next, block 1 ]", "[ %id, block 1 ]", "which does not come before it"),
        ("store i32 %more, ptr addrspace(1) %place", "store i32 %more, i64 %id", "of types that it does not take"),
        ("i64 %id\n", "ptr addrspace(1) %out\n", "has operands of types that it does not take"),
        (
            "  %sum = phi i32 [ 0, block 0 ], [ %more, block 1 ]\n  %more = add nsw i32 %sum, %i\n",
            "  %more = add nsw i32 %i, %i\n  %sum = phi i32 [ 0, block 0 ], [ %more, block 1 ]\n",
            "is a phi behind what is none",
        ),
    ] {
        assert!(SUM.contains(right), "{right}");
        let found = parse(&SUM.replace(right, wrong), &prices()).err().unwrap_or_else(|| panic!("{wrong} is taken"));
        assert!(found.contains(told), "{wrong}: {found}");
    }
}

#[test]
fn what_is_no_function_is_not_read() {
    for (right, wrong, told) in [
        ("  br block 1\n", "", "line 3: the block before does not end"),
        ("  ret void\n", "", "the last block does not end"),
        ("  ret void\n", "  ret void\n  ret void\n", "line 18: it is in no block"),
        ("  br block 1\n", "  br block 9\n", "a block goes to one that there is not"),
        ("on to state 1", "on to state 2", "a block goes to one that there is not"),
        ("block 2:", "block 4:", "line 11: blocks do not come by their numbers"),
        ("block 3 of state 1:", "block 3 of state 4:", "line 13: states do not come by their numbers"),
        ("ult", "under", "line 9: there is no predicate `under`"),
        ("nuw nsw i32 %i, 1", "nuw nsw i32 %i, one", "line 8: `one` is no i32"),
        ("%sum, %i\n", "%sum, %j\n", "line 7: there is no %j"),
        ("nuw nsw i32 %i, 1", "nuw nsw i32 %i, 1, 2", "line 8: there is more than was understood"),
        ("nuw nsw i32 %i, 1", "nuw nsw i32 %i", "line 8: `,` is missing"),
        ("inbounds i32", "inbounds int", "line 15: `int` is no type"),
        ("= add nsw", "= plus nsw", "line 7: there is no instruction `plus`"),
        ("(i32 0)", "(i32 3)", "line 14: the call of oxicl.global_id needs a constant dimension from 0 to 2"),
    ] {
        assert!(SUM.contains(right), "{right}");
        let found = parse(&SUM.replace(right, wrong), &prices()).err().unwrap_or_else(|| panic!("{wrong} is taken"));
        assert!(found.contains(told), "{wrong}: {found}");
    }
}
