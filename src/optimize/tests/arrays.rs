//! Private arrays that short loops walk become values.

use oxicl_llvm::{CodegenLevel, Context, MachineOptions, Module, TargetMachine, host_cpu_features, host_triple};
use oxicl_protocol::{CompileOptions, Tier};

/// Does a kernel keep its array? A loop of so many turns writes it, another of as many sums up what lies at `index`, which is made
/// of the counter `%n` or of the number `%v`.
fn keeps_array(turns: u64, index: &str) -> bool {
    keeps_array_with(turns, index, "", "read")
}

/// The same, with more in the second loop, whose last block is then `latch`.
fn keeps_array_with(turns: u64, index: &str, more: &str, latch: &str) -> bool {
    let features = host_cpu_features();
    let options = MachineOptions { triple: host_triple(), cpu: String::new(), features, level: CodegenLevel::Default };
    let machine = TargetMachine::new(&options).expect("the host's target exists");
    let text = format!(
        "declare void @oxicl.barrier(i32, i32, i32) convergent nounwind
        define void @k(ptr addrspace(1) %p) {{
        start: %a = alloca [{turns} x i32], align 4
        %v = load i64, ptr addrspace(1) %p
        br label %write
        write: %m = phi i64 [ 0, %start ], [ %after, %write ]
        %to = getelementptr i32, ptr %a, i64 %m
        %from = getelementptr i32, ptr addrspace(1) %p, i64 %m
        %in = load i32, ptr addrspace(1) %from
        store i32 %in, ptr %to
        %after = add nuw nsw i64 %m, 1
        %more = icmp ult i64 %after, {turns}
        br i1 %more, label %write, label %between
        between: br label %read
        read: %n = phi i64 [ 0, %between ], [ %next, %{latch} ]
        %sum = phi i32 [ 0, %between ], [ %total, %{latch} ]
        %index = {index}
        {more}
        %at = getelementptr i32, ptr %a, i64 %index
        %x = load i32, ptr %at
        %times = mul i32 %sum, 3
        %total = add i32 %times, %x
        %next = add nuw nsw i64 %n, 1
        %again = icmp ult i64 %next, {turns}
        br i1 %again, label %read, label %end
        end: store i32 %total, ptr addrspace(1) %p
        ret void }}"
    );
    let context = Context::new();
    let mut module = Module::parse_text(&context, &text).expect("valid text");
    machine.prepare(&module);
    oxicl_optimize::before(&mut module, &machine, &CompileOptions::default(), Tier::Full).expect("a kernel");
    module.to_text().contains("alloca")
}

#[test]
fn an_array_that_short_loops_walk_becomes_values() {
    assert!(!keeps_array(16, "sub i64 15, %n"));
    assert!(!keeps_array(40, "xor i64 %n, 0"));
}

#[test]
fn an_array_stays_one_where_a_place_is_not_known() {
    assert!(keeps_array(16, "and i64 %v, 15"));
}

#[test]
fn an_array_stays_one_where_loops_are_long() {
    assert!(keeps_array(100, "sub i64 99, %n"));
}

#[test]
fn a_comparison_within_a_loop_does_not_say_how_long_it_is() {
    let first = "%is_first = icmp eq i64 %n, 0
        br i1 %is_first, label %special, label %rest
        special: store i64 7, ptr addrspace(1) %p
        br label %rest
        rest:";
    assert!(!keeps_array_with(16, "sub i64 15, %n", first, "rest"));
    assert!(keeps_array_with(1_000, "and i64 %n, 1", first, "rest"));
}

#[test]
fn an_array_stays_one_where_work_items_meet_in_its_loops() {
    assert!(keeps_array_with(16, "sub i64 15, %n", "call void @oxicl.barrier(i32 2, i32 2, i32 272)", "read"));
}

/// Has a kernel a loop, whose counter runs from `first` below `end`, by steps of `step`? The test is ahead of the body, or behind.
fn keeps_loop(first: u64, end: u64, step: u64, ahead: bool, body: &str) -> bool {
    let features = host_cpu_features();
    let options = MachineOptions { triple: host_triple(), cpu: String::new(), features, level: CodegenLevel::Default };
    let machine = TargetMachine::new(&options).expect("the host's target exists");
    let (test, exit) = if ahead { ("%n", "head") } else { ("%next", "body") };
    let compare = format!("%more = icmp ult i64 {test}, {end} br i1 %more");
    let (head, latch) = if ahead {
        (format!("{compare}, label %body, label %end"), "br label %head".to_owned())
    } else {
        ("br label %body".to_owned(), format!("{compare}, label %head, label %end"))
    };
    let text = format!(
        "declare void @oxicl.barrier(i32, i32, i32) convergent nounwind
        define void @k(ptr addrspace(1) %p) {{
        start: br label %head
        head: %n = phi i64 [ {first}, %start ], [ %next, %body ]
        %at = phi ptr addrspace(1) [ %p, %start ], [ %behind, %body ]
        {head}
        body: store i64 %n, ptr addrspace(1) %at
        {body}
        %behind = getelementptr i64, ptr addrspace(1) %at, i64 3
        %next = add nuw nsw i64 %n, {step}
        {latch}
        end: %last = phi ptr addrspace(1) [ %at, %{exit} ]
        store i64 7, ptr addrspace(1) %last
        ret void }}"
    );
    let context = Context::new();
    let mut module = Module::parse_text(&context, &text).expect("valid text");
    machine.prepare(&module);
    oxicl_optimize::before(&mut module, &machine, &CompileOptions::default(), Tier::Full).expect("a kernel");
    module.to_text().contains("phi")
}

#[test]
fn a_loop_that_runs_once_is_none() {
    for ahead in [true, false] {
        assert!(!keeps_loop(0, 1, 1, ahead, ""), "{ahead}");
        assert!(!keeps_loop(5, 8, 4, ahead, ""), "{ahead}");
        assert!(keeps_loop(0, 2, 1, ahead, ""), "{ahead}");
        assert!(keeps_loop(0, 1_000, 1, ahead, ""), "{ahead}");
    }
}
