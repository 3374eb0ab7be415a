//! Sums in one kind of memory stay in registers while another is read.

mod module;

use module::{optimised, optimised_with};
use oxicl_protocol::CompileOptions;

/// A kernel that adds what it reads through `%from` to what is at `%to`, in a loop.
fn adds(from: u32, to: u32) -> String {
    format!(
        "define void @k(ptr addrspace({from}) %from, ptr addrspace({to}) %to) {{
        start: br label %head
        head: %n = phi i64 [ 0, %start ], [ %next, %body ]
        %more = icmp ult i64 %n, 100
        br i1 %more, label %body, label %end
        body: %at = getelementptr float, ptr addrspace({from}) %from, i64 %n
        %x = load float, ptr addrspace({from}) %at
        %sum = load float, ptr addrspace({to}) %to
        %total = fadd float %sum, %x
        store float %total, ptr addrspace({to}) %to
        %next = add nuw nsw i64 %n, 1
        br label %head
        end: ret void }}"
    )
}

/// How many stores has such a kernel in its loop?
fn stores(text: &str) -> usize {
    let body = text.split("fadd").nth(1).and_then(|rest| rest.split("br label").next());
    body.map_or(0, |rest| rest.matches("store ").count())
}

/// The same, as it is usually made.
fn stores_in_loop(from: u32, to: u32) -> usize {
    stores(&optimised(&adds(from, to)))
}

#[test]
fn global_and_local_memory_do_not_overlap() {
    assert_eq!([stores_in_loop(3, 1), stores_in_loop(1, 3)], [0, 0]);
    assert_eq!([stores_in_loop(1, 1), stores_in_loop(3, 3), stores_in_loop(4, 1)], [1, 1, 1]);
}

#[test]
fn constant_memory_is_not_written() {
    assert_eq!([stores_in_loop(2, 1), stores_in_loop(2, 3)], [0, 0]);
}

#[test]
fn buffers_do_not_overlap_where_the_launch_says_so() {
    let disjoint = CompileOptions { disjoint: true, ..CompileOptions::default() };
    let stores = |from, to| stores(&optimised_with(&adds(from, to), &disjoint));
    assert_eq!([1, 2, 3, 4].map(|from| stores(from, 1)), [0, 0, 0, 1]);
    // What a work-group has for itself is no buffer.
    assert_eq!(stores(3, 3), 1);
}
