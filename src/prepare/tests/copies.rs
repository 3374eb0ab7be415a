//! Fills and copies of private arrays become accesses to their numbers.

mod module;

use module::optimised;

/// What becomes of a kernel that does `first` to the array `%a`, of so many numbers of a type, and reads it at a place that is not
/// known, after `more`.
fn text(count: u64, ty: &str, first: &str, more: &str) -> String {
    optimised(&format!(
        "@table = internal addrspace(2) constant [{count} x i32] zeroinitializer
        declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
        declare void @llvm.memcpy.p0.p2.i64(ptr, ptr addrspace(2), i64, i1)
        declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
        declare void @llvm.memmove.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)
        declare void @other(ptr)
        define void @k(ptr addrspace(1) %p) {{
        %a = alloca [{count} x {ty}], align 8
        %b = alloca [{count} x {ty}], align 8
        %v = load i64, ptr addrspace(1) %p
        {first}
        {more}
        %at = getelementptr {ty}, ptr %a, i64 %v
        %x = load {ty}, ptr %at
        store {ty} %x, ptr addrspace(1) %p
        ret void }}"
    ))
}

const FILL: &str = "call void @llvm.memset.p0.i64(ptr align 8 %a, i8 5, i64 64, i1 false)";

fn calls(text: &str) -> usize {
    text.lines().filter(|line| line.contains("call void @llvm.mem")).count()
}

#[test]
fn a_fill_becomes_stores() {
    for (ty, stores, number) in [("i32", 16, "84215045"), ("i8", 64, "5"), ("i64", 8, "361700864190383365")] {
        let text = text(64, ty, FILL, "");
        assert_eq!(calls(&text), 0, "{text}");
        assert_eq!(text.matches(&format!("store {ty} {number}, ")).count(), stores, "{text}");
    }
}

#[test]
fn a_copy_of_a_constant_becomes_stores_of_what_it_holds() {
    let copy = "call void @llvm.memcpy.p0.p2.i64(ptr align 8 %a, ptr addrspace(2) @table, i64 64, i1 false)";
    let change = "%next = add i64 %v, 1 %on = getelementptr i32, ptr %a, i64 %next store i32 7, ptr %on";
    let text = text(16, "i32", copy, change);
    assert_eq!((calls(&text), text.matches("store i32 0, ").count()), (0, 16), "{text}");
}

#[test]
fn an_array_that_is_only_filled_and_copied_is_none() {
    let copy = "call void @llvm.memset.p0.i64(ptr align 8 %b, i8 0, i64 64, i1 false)
        call void @llvm.memmove.p0.p0.i64(ptr align 8 %a, ptr align 8 %b, i64 64, i1 false)";
    let text = text(16, "i32", copy, "");
    assert_eq!((calls(&text), text.matches("alloca").count()), (0, 1), "{text}");
}

#[test]
fn numbers_that_leave_an_array_are_stored_one_by_one() {
    let copy = "call void @llvm.memmove.p1.p0.i64(ptr addrspace(1) align 4 %p, ptr align 8 %a, i64 64, i1 false)";
    let text = text(16, "i32", FILL, copy);
    assert_eq!((calls(&text), text.matches("ptr addrspace(1)").count() > 16), (0, true), "{text}");
}

#[test]
fn values_still_leave_loops_by_phis() {
    let more = "br label %loop
        loop:
        %i = phi i64 [ 0, %0 ], [ %i1, %loop ]
        %i1 = add i64 %i, 1
        store volatile i64 %i, ptr addrspace(1) %p
        %more = icmp ult i64 %i1, %v
        br i1 %more, label %loop, label %done
        done:
        store i64 %i1, ptr addrspace(1) %p";
    let text = text(16, "i32", FILL, more);
    let is_exit = |line: &&str| line.contains("lcssa = phi i64 [ %");
    assert_eq!((calls(&text), text.lines().filter(is_exit).count()), (0, 1), "{text}");
}

#[test]
fn what_is_no_array_of_numbers_of_one_size_stays_as_it_is() {
    for more in [
        "call void @other(ptr %a)",
        "%short = getelementptr i16, ptr %a, i64 %v store i16 7, ptr %short",
        "store volatile i32 7, ptr %a",
        "store ptr %a, ptr addrspace(1) %p",
    ] {
        assert_eq!(calls(&text(16, "i32", FILL, more)), 1, "{more}");
    }
    let part = "%on = getelementptr i8, ptr %a, i64 %v
        call void @llvm.memmove.p0.p0.i64(ptr align 4 %a, ptr align 4 %on, i64 16, i1 false)";
    assert_eq!(calls(&text(16, "i32", "", part)), 1, "within one array");
    let long = FILL.replace("i64 64", "i64 6400");
    assert_eq!(calls(&text(1600, "i32", &long, "")), 1, "many numbers");
    let volatile = FILL.replace("i1 false", "i1 true");
    assert_eq!(calls(&text(16, "i32", &volatile, "")), 1, "volatile");
    let odd = FILL.replace("i64 64", "i64 63");
    assert_eq!(calls(&text(16, "i32", &odd, "")), 1, "part of a number");
}
