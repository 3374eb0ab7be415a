//! Barriers and collective operations: what runs before and behind a cut, and how much code that is.

use oxicl_abi::ArgumentKind;

use super::machine::{argument, signature};
use super::{BARRIER, DECLARATIONS, GANGS, MODES, build, build_and_count, global, line, run_from, run_on};

/// A uniform switch into many branches, each with a barrier, and a long tail behind all of them.
fn many_barriers(branches: u32, tail: u32) -> String {
    let mut body = String::from(
        "define void @k(ptr addrspace(1) %out, i32 %which) {
        %i = call i64 @oxicl.global_id(i32 0)
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        %start = load i32, ptr addrspace(1) %p
        switch i32 %which, label %b0 [\n",
    );
    for i in 1..branches {
        body += &format!("i32 {i}, label %b{i}\n");
    }
    body += "]\n";
    for i in 0..branches {
        body += &format!("b{i}: %x{i} = mul i32 %start, {}\n{BARRIER}\nbr label %tail\n", i + 1);
    }
    body += "tail: %t0 = phi i32 ";
    body += &(0..branches).map(|i| format!("[ %x{i}, %b{i} ]")).collect::<Vec<_>>().join(", ");
    for i in 0..tail {
        body += &format!("\n%u{i} = xor i32 %t{i}, {i}\n%t{} = mul i32 %u{i}, 3", i + 1);
    }
    body + &format!("\n{BARRIER}\nstore i32 %t{tail}, ptr addrspace(1) %p\nret void }}")
}

#[test]
fn many_barriers_before_one_tail_do_not_repeat_it() {
    let (branches, tail) = (64, 200);
    for mode in MODES {
        let library = build(&many_barriers(branches, tail), &[global(), argument(ArgumentKind::Value, 4, 8)], mode);
        let remark = &library.facts[0].remarks[0];
        assert!(remark.contains("one region for all"), "{remark}");
        for which in [0u32, 5, 63, 1000] {
            let mut out: Vec<u32> = (0..11).collect();
            run_on(&library, line(11, 4), &mut out, &which.to_le_bytes());
            let factor = if which < branches { which + 1 } else { 1 };
            let expected: Vec<u32> =
                (0..11u32).map(|i| (0..tail).fold(i.wrapping_mul(factor), |t, i| (t ^ i).wrapping_mul(3))).collect();
            assert_eq!(out, expected, "{which}, {mode:?}");
        }
    }
}

#[test]
fn work_items_that_disagree_about_a_barrier_come_to_an_end() {
    let body = format!(
        "define void @k(ptr addrspace(1) %out) {{
        %i = call i64 @oxicl.global_id(i32 0)
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        %n = trunc i64 %i to i32
        %bit = and i32 %n, 1
        %odd = icmp ne i32 %bit, 0
        br i1 %odd, label %a, label %b
        a: {BARRIER}
        store i32 1, ptr addrspace(1) %p
        {BARRIER}
        br label %end
        b: store i32 2, ptr addrspace(1) %p
        {BARRIER}
        br label %end
        end: ret void }}"
    );
    for mode in MODES {
        let library = build(&body, &[global()], mode);
        let out = run_from(&library, line(16, 8), vec![0u32; 16], &[]);
        assert_eq!(out[0], 2, "{mode:?}");
    }
}

#[test]
fn an_early_return_leaves_the_others_at_the_barrier() {
    let body = format!(
        "@v = internal addrspace(3) global [8 x i32] undef, align 4
        define void @k(ptr addrspace(1) %out, i32 %n) {{
        %i = call i64 @oxicl.global_id(i32 0)
        %l = call i64 @oxicl.local_id(i32 0)
        %x = trunc i64 %i to i32
        %out_of_range = icmp uge i32 %x, %n
        br i1 %out_of_range, label %leave, label %stay
        leave: ret void
        stay: br label %loop
        loop: %turn = phi i32 [ 0, %stay ], [ %next, %loop ]
        %sum = phi i32 [ 0, %stay ], [ %more, %loop ]
        %pv = getelementptr i32, ptr addrspace(3) @v, i64 %l
        %value = add i32 %x, %turn
        store i32 %value, ptr addrspace(3) %pv
        {BARRIER}
        %first = load i32, ptr addrspace(3) @v
        %more = add i32 %sum, %first
        {BARRIER}
        %next = add i32 %turn, 1
        %again = icmp ult i32 %next, 3
        br i1 %again, label %loop, label %end
        end: %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        store i32 %more, ptr addrspace(1) %p
        ret void }}"
    );
    for mode in MODES {
        let library = build(&body, &[global(), argument(ArgumentKind::Value, 4, 8)], mode);
        let out = run_from(&library, line(24, 8), vec![77u32; 24], &11u32.to_le_bytes());
        let expected: Vec<u32> = (0..24).map(|i| if i < 11 { i / 8 * 8 * 3 + 3 } else { 77 }).collect();
        assert_eq!(out, expected, "{mode:?}");
    }
}

#[test]
fn objects_alive_across_barriers_are_the_same_in_gangs_and_one_by_one() {
    // Where some return early, the others go on one by one with what gangs have written.
    let body = format!(
        "%object = type {{ [3 x i32], i32, <2 x i32> }}
        define void @k(ptr addrspace(1) %out, i32 %n) {{
        %a = alloca %object, align 8
        %i = call i64 @oxicl.global_id(i32 0)
        %x = trunc i64 %i to i32
        %twice = shl i32 %x, 1
        %own = urem i32 %x, 3
        %p0 = getelementptr %object, ptr %a, i64 0, i32 0, i32 0
        %p1 = getelementptr %object, ptr %a, i64 0, i32 0, i32 1
        %p2 = getelementptr i32, ptr %p1, i64 1
        %p3 = getelementptr %object, ptr %a, i64 0, i32 1
        %p4 = getelementptr %object, ptr %a, i64 0, i32 2
        store i32 %x, ptr %p0
        store i32 %twice, ptr %p1
        store i32 7, ptr %p2
        store i32 5, ptr %p3
        %pair = insertelement <2 x i32> <i32 undef, i32 9>, i32 %x, i32 0
        store <2 x i32> %pair, ptr %p4
        %out_of_range = icmp uge i32 %x, %n
        br i1 %out_of_range, label %leave, label %stay
        leave: ret void
        stay: {BARRIER}
        %pown = getelementptr %object, ptr %a, i64 0, i32 0, i32 %own
        %old = load i32, ptr %pown
        %new = add i32 %old, 100
        store i32 %new, ptr %pown
        {BARRIER}
        %v0 = load i32, ptr %p0
        %v1 = load i32, ptr %p1
        %v2 = load i32, ptr %p2
        %v3 = load i32, ptr %p3
        %v4 = load <2 x i32>, ptr %p4
        %e0 = extractelement <2 x i32> %v4, i32 0
        %e1 = extractelement <2 x i32> %v4, i32 1
        %s0 = mul i32 %v1, 3
        %s1 = mul i32 %v2, 5
        %s2 = mul i32 %v3, 11
        %s3 = mul i32 %e0, 13
        %s4 = mul i32 %e1, 17
        %t0 = add i32 %v0, %s0
        %t1 = add i32 %t0, %s1
        %t2 = add i32 %t1, %s2
        %t3 = add i32 %t2, %s3
        %t4 = add i32 %t3, %s4
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        store i32 %t4, ptr addrspace(1) %p
        ret void }}"
    );
    for mode in MODES {
        let library = build(&body, &[global(), argument(ArgumentKind::Value, 4, 8)], mode);
        for (items, n) in [(19, 1000u32), (19, 26), (8, 0), (1, 30)] {
            let out = run_from(&library, line(43, items), vec![77u32; 43], &n.to_le_bytes());
            let of = |x: u32| {
                let mut array = [x, 2 * x, 7];
                array[x as usize % 3] += 100;
                array[0] + 3 * array[1] + 5 * array[2] + 5 * 11 + 13 * x + 9 * 17
            };
            let expected: Vec<u32> = (0..43).map(|x| if x < n { of(x) } else { 77 }).collect();
            assert_eq!(out, expected, "{items} work-items, {n} stay, {mode:?}");
        }
    }
}

#[test]
fn what_wraps_in_a_gang_is_kept_for_each_lane() {
    let body = format!(
        "define void @k(ptr addrspace(1) %out, ptr addrspace(1) %bases, i32 %n) {{
        %i = call i64 @oxicl.global_id(i32 0)
        %x = trunc i64 %i to i32
        %base = load i32, ptr addrspace(1) %bases
        %at = add i32 %base, %x
        %wide = sext i32 %at to i64
        %far = add i64 %wide, 1
        {BARRIER}
        %high = lshr i64 %far, 32
        %sign = trunc i64 %high to i32
        %low = trunc i64 %wide to i32
        %both = xor i32 %sign, %low
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        store i32 %both, ptr addrspace(1) %p
        ret void }}"
    );
    let arguments = [global(), argument(ArgumentKind::Global, 8, 8), argument(ArgumentKind::Value, 4, 16)];
    for mode in MODES {
        let library = build(&body, &arguments, mode);
        for base in [3i32, i32::MAX - 9, -20] {
            let mut out = vec![0u32; 43];
            let mut more = (&raw const base as u64).to_le_bytes().to_vec();
            more.extend(0u32.to_le_bytes());
            run_on(&library, line(43, 19), &mut out, &more);
            let of = |x: i32| {
                let wide = i64::from(base.wrapping_add(x));
                ((wide + 1) >> 32) as u32 ^ wide as u32
            };
            let expected: Vec<u32> = (0..43).map(of).collect();
            assert_eq!(out, expected, "from {base}, {mode:?}");
        }
    }
}

#[test]
fn local_atomics_count_across_barriers() {
    let body = format!(
        "@bins = internal addrspace(3) global [4 x i32] undef, align 4
        define void @k(ptr addrspace(1) %out) {{
        %l = call i64 @oxicl.local_id(i32 0)
        %g = call i64 @oxicl.group_id(i32 0)
        %few = icmp ult i64 %l, 4
        br i1 %few, label %clear, label %cleared
        clear: %c = getelementptr i32, ptr addrspace(3) @bins, i64 %l
        store i32 0, ptr addrspace(3) %c
        br label %cleared
        cleared: {BARRIER}
        %bin = and i64 %l, 3
        %b = getelementptr i32, ptr addrspace(3) @bins, i64 %bin
        %old = atomicrmw add ptr addrspace(3) %b, i32 1 monotonic
        {BARRIER}
        br i1 %few, label %store, label %end
        store: %s = getelementptr i32, ptr addrspace(3) @bins, i64 %l
        %n = load i32, ptr addrspace(3) %s
        %row = mul i64 %g, 4
        %at = add i64 %row, %l
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %at
        store i32 %n, ptr addrspace(1) %p
        br label %end
        end: ret void }}"
    );
    for mode in MODES {
        let library = build(&body, &[global()], mode);
        let out = run_from(&library, line(26, 13), vec![0u32; 8], &[]);
        assert_eq!(out, [4, 3, 3, 3, 4, 3, 3, 3], "{mode:?}");
    }
}

#[test]
fn a_barrier_in_nested_calls_and_a_path_that_never_comes_back_are_cut_too() {
    let body = format!(
        "@v = internal addrspace(3) global [8 x i32] undef, align 4
        define internal void @wait() alwaysinline convergent {{ {BARRIER} ret void }}
        define internal i32 @swap(i64 %l, i32 %x) alwaysinline convergent {{
        %p = getelementptr i32, ptr addrspace(3) @v, i64 %l
        store i32 %x, ptr addrspace(3) %p
        call void @wait()
        %r = sub i64 7, %l
        %q = getelementptr i32, ptr addrspace(3) @v, i64 %r
        %y = load i32, ptr addrspace(3) %q
        call void @wait()
        ret i32 %y }}
        define void @k(ptr addrspace(1) %out, i32 %n) {{
        %i = call i64 @oxicl.global_id(i32 0)
        %l = call i64 @oxicl.local_id(i32 0)
        %x = trunc i64 %i to i32
        %bad = icmp ugt i32 %n, 1000
        br i1 %bad, label %never, label %on
        never: call void @wait()
        unreachable
        on: %y = call i32 @swap(i64 %l, i32 %x)
        %twice = mul i32 %y, 2
        %z = call i32 @swap(i64 %l, i32 %twice)
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        store i32 %z, ptr addrspace(1) %p
        ret void }}"
    );
    for mode in MODES {
        let library = build(&body, &[global(), argument(ArgumentKind::Value, 4, 8)], mode);
        let out = run_from(&library, line(16, 8), vec![0u32; 16], &5u32.to_le_bytes());
        assert_eq!(out, (0..16).map(|i| i * 2).collect::<Vec<u32>>(), "{mode:?}");
    }
}

#[test]
fn a_barrier_in_a_function_that_was_not_inlined_is_named() {
    let text = format!(
        "{DECLARATIONS}define internal void @waits() {{ {BARRIER} ret void }}
        define void @k() {{ call void @waits() ret void }}"
    );
    let context = oxicl_llvm::Context::new();
    let mut module = oxicl_llvm::Module::parse_text(&context, &text).expect("valid text");
    let signature = signature(Vec::new());
    let kernel = oxicl_workgroup::Kernel { name: "k", function: "k", signature: &signature };
    let failure = oxicl_workgroup::build(&mut module, &[kernel], &Default::default(), crate::machine::target())
        .expect_err("not inlined");
    let text = failure.to_string();
    assert!(text.contains("kernel k") && text.contains("waits"), "{text}");
}

#[test]
fn a_thousand_barriers_compile_in_linear_code() {
    let mut body = String::from(
        "define void @k(ptr addrspace(1) %out) {
        %i = call i64 @oxicl.global_id(i32 0)
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        %s0 = trunc i64 %i to i32\n",
    );
    // Each value is alive across all barriers behind it.
    for n in 0..1000 {
        body += &format!("%v{n} = load volatile i32, ptr addrspace(1) %p\n{BARRIER}\n");
    }
    for n in 0..1000 {
        body += &format!("%s{} = add i32 %s{n}, %v{n}\n", n + 1);
    }
    body += "store i32 %s1000, ptr addrspace(1) %p\nret void }";
    let (library, instructions) = build_and_count(&body);
    assert!(instructions < 20_000, "{instructions}");
    let mut out: Vec<u32> = (0..8).collect();
    run_on(&library, line(8, 4), &mut out, &[]);
    assert_eq!(out, (0..8).map(|i| i * 1001).collect::<Vec<u32>>());
}

#[test]
fn a_switch_may_reach_a_block_by_several_cases_with_a_value_from_before_a_barrier() {
    let body = format!(
        "define void @k(ptr addrspace(1) %out) {{
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr i64, ptr addrspace(1) %out, i64 %i
  %v = load i64, ptr addrspace(1) %p
  br label %loop
loop:
  %n = phi i64 [ 0, %entry ], [ %next, %latch ]
  %x = phi i64 [ %v, %entry ], [ %r, %latch ]
  {BARRIER}
  %s = and i64 %i, 3
  switch i64 %s, label %other [ i64 1, label %latch
                                i64 2, label %latch ]
other:
  br label %latch
latch:
  %r = phi i64 [ %x, %loop ], [ %x, %loop ], [ 7, %other ]
  %next = add i64 %n, 1
  %more = icmp ult i64 %next, 3
  br i1 %more, label %loop, label %done
done:
  store i64 %r, ptr addrspace(1) %p
  ret void
}}
"
    );
    for mode in MODES {
        let library = build(&body, &[global()], mode);
        let mut out: Vec<u64> = (100..112).collect();
        run_on(&library, line(12, 4), &mut out, &[]);
        assert_eq!(out, [7, 101, 102, 7, 7, 105, 106, 7, 7, 109, 110, 7]);
    }
}

#[test]
fn hundreds_of_collective_operations_compile_in_linear_code() {
    let size = |count: usize| {
        let mut body = String::from(
            "define void @k(ptr addrspace(1) %out) {
            %i = call i64 @oxicl.global_id(i32 0)
            %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
            %s0 = trunc i64 %i to i32\n",
        );
        for n in 0..count {
            let kind = if n % 2 == 0 { "reduce" } else { "scan_inclusive" };
            body += &format!(
                "%r{n} = call i32 @oxicl.group.{kind}.add.i32(i32 %s{n})
                %v{n} = load volatile i32, ptr addrspace(1) %p
                %s{} = xor i32 %r{n}, %v{n}\n",
                n + 1
            );
        }
        body += &format!("store i32 %s{count}, ptr addrspace(1) %p\nret void }}");
        let (library, instructions) = build_and_count(&body);
        let mut out: Vec<u32> = (0..12).map(|i| i * 5).collect();
        let mut expected = out.clone();
        for group in expected.chunks_mut(4) {
            let first = group[0] / 5;
            let values = group.to_vec();
            let mut state: Vec<u32> = (first..first + 4).collect();
            for n in 0..count {
                let all = state.iter().fold(0u32, |sum, x| sum.wrapping_add(*x));
                let mut sum = 0u32;
                for (item, value) in state.iter_mut().zip(&values) {
                    sum = sum.wrapping_add(*item);
                    *item = (if n % 2 == 0 { all } else { sum }) ^ value;
                }
            }
            group.copy_from_slice(&state);
        }
        run_on(&library, line(12, 4), &mut out, &[]);
        assert_eq!(out, expected, "{count} collective operations");
        instructions
    };
    let (few, many) = (size(100), size(400));
    assert!(many < few * 5, "{few} and {many} instructions");
}

#[test]
fn work_items_that_disagree_about_collective_operations_come_to_an_end() {
    let body = "define void @k(ptr addrspace(1) %out) {
        %i = call i64 @oxicl.global_id(i32 0)
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        %n = trunc i64 %i to i32
        %bit = and i32 %n, 1
        %odd = icmp ne i32 %bit, 0
        br i1 %odd, label %a, label %b
        a: %x = call i32 @oxicl.group.reduce.add.i32(i32 %n)
        %x2 = call i32 @oxicl.group.scan_inclusive.add.i32(i32 %x)
        br label %end
        b: %y = call i32 @oxicl.group.broadcast.i32(i32 %n, i64 2, i64 0, i64 0)
        br label %end
        end: %z = phi i32 [ %x2, %a ], [ %y, %b ]
        store i32 %z, ptr addrspace(1) %p
        ret void }";
    for mode in MODES {
        let library = build(body, &[global()], mode);
        let out = run_from(&library, line(16, 8), vec![77u32; 16], &[]);
        // Those of one mind have their own result, as it happens: nobody is left behind.
        assert!(out.iter().step_by(2).all(|value| *value < 16), "{out:?}, {mode:?}");
    }
}

/// Barriers, collective operations, early returns, a loop that some leave early and a place that control cannot reach.
#[test]
fn collectives_barriers_early_returns_loops_and_unreachable_places_go_together() {
    let body = format!(
        "define internal i32 @sum(i32 %x) convergent alwaysinline {{
        %s = call i32 @oxicl.group.reduce.add.i32(i32 %x)
        ret i32 %s }}
        define void @k(ptr addrspace(1) %out, i32 %turns) {{
        start:
        %i = call i64 @oxicl.global_id(i32 0)
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        %n = trunc i64 %i to i32
        %third = urem i32 %n, 3
        %leaves = icmp eq i32 %third, 2
        br i1 %leaves, label %early, label %head
        early: store i32 99, ptr addrspace(1) %p
        ret void
        head: %t = phi i32 [ 0, %start ], [ %t1, %next ]
        %acc = phi i32 [ %n, %start ], [ %acc2, %next ]
        %more = icmp ult i32 %t, %turns
        br i1 %more, label %body, label %done
        body: %s = call i32 @sum(i32 %acc)
        {BARRIER}
        switch i32 %third, label %never [ i32 0, label %zero i32 1, label %one ]
        never: unreachable
        zero: %a = add i32 %s, 1
        br label %next
        one: %b = call i32 @minus_own(i32 %s)
        br label %next
        next: %m = phi i32 [ %a, %zero ], [ %b, %one ]
        %scan = call i32 @oxicl.group.scan_inclusive.add.i32(i32 %m)
        %acc2 = xor i32 %scan, %t
        %t1 = add i32 %t, 1
        br label %head
        done: store i32 %acc, ptr addrspace(1) %p
        ret void }}
        define internal i32 @minus_own(i32 %s) {{
        %l = call i64 @oxicl.local_id(i32 0)
        %m = trunc i64 %l to i32
        %r = sub i32 %s, %m
        ret i32 %r }}"
    );
    for mode in MODES {
        let library = build(&body, &[global(), argument(ArgumentKind::Value, 4, 8)], mode);
        for turns in [0u32, 1, 5] {
            let out = run_from(&library, line(21, 8), vec![0u32; 21], &turns.to_le_bytes());
            let mut expected: Vec<u32> = (0..21).collect();
            for (group, items) in expected.chunks_mut(8).enumerate() {
                for t in 0..turns {
                    let here = |local: usize| (group * 8 + local) % 3 != 2;
                    let sum = (0..items.len()).filter(|l| here(*l)).fold(0u32, |s, l| s.wrapping_add(items[l]));
                    let mut scan = 0u32;
                    for local in (0..items.len()).filter(|l| here(*l)) {
                        let zero = (group * 8 + local) % 3 == 0;
                        let more = if zero { sum.wrapping_add(1) } else { sum.wrapping_sub(local as u32) };
                        scan = scan.wrapping_add(more);
                        items[local] = scan ^ t;
                    }
                }
                for (local, item) in items.iter_mut().enumerate() {
                    if (group * 8 + local) % 3 == 2 {
                        *item = 99;
                    }
                }
            }
            assert_eq!(out, expected, "{turns} turns, {mode:?}");
        }
    }
}

#[test]
fn work_items_that_go_on_with_another_turn_do_not_come_to_what_others_do_in_this_one() {
    // The only way out lies behind a way into the next turn, which each work-item takes in three turns of four.
    let body = |barrier: &str, done: &str| {
        format!(
            "define void @k(ptr addrspace(1) %out) {{
            start: %g = call i64 @oxicl.global_id(i32 0)
            %seven = mul i64 %g, 7
            br label %turn
            turn: %i = phi i64 [ 0, %start ], [ %i.next, %latch ]
            %n = phi i64 [ 0, %start ], [ %n.next, %latch ]
            %s = phi i32 [ 1, %start ], [ %s.next, %latch ]
            %five = mul i64 %i, 5
            %sum = add i64 %seven, %five
            %low = and i64 %sum, 3
            %again = icmp ne i64 %low, 0
            br i1 %again, label %latch, label %here
            here: {barrier}
            %short = trunc i64 %i to i32
            %times = mul i32 %s, 3
            %s.here = add i32 %times, %short
            %n.here = add i64 %n, 1
            %done = {done}
            br i1 %done, label %end, label %latch
            latch: %n.next = phi i64 [ %n, %turn ], [ %n.here, %here ]
            %s.next = phi i32 [ %s, %turn ], [ %s.here, %here ]
            %i.next = add i64 %i, 1
            br label %turn
            end: %i.last = trunc i64 %i to i32
            %both = mul i32 %i.last, 1000003
            %result = add i32 %both, %s.here
            %p = getelementptr i32, ptr addrspace(1) %out, i64 %g
            store i32 %result, ptr addrspace(1) %p
            ret void }}"
        )
    };
    let expected = |item: u64, is_done: fn(u64, u32) -> bool| {
        let (mut s, mut n) = (1u32, 0);
        for i in (0..).filter(|i| (item * 7 + i * 5).is_multiple_of(4)) {
            (s, n) = (s.wrapping_mul(3).wrapping_add(i as u32), n + 1);
            if is_done(i, n) {
                return (i as u32).wrapping_mul(1_000_003).wrapping_add(s);
            }
        }
        0
    };
    type Way = (&'static str, &'static str, fn(u64, u32) -> bool);
    let ways: [Way; 3] = [
        ("", "icmp ugt i64 %i, 9", |i, _| i > 9),
        ("", "icmp eq i64 %n.here, 3", |_, n| n == 3),
        ("call void @oxicl.barrier(i32 2, i32 2, i32 272)", "icmp eq i64 %n.here, 3", |_, n| n == 3),
    ];
    for (barrier, done, is_done) in ways {
        for mode in MODES.into_iter().chain(GANGS) {
            let library = build(&body(barrier, done), &[global()], mode);
            let out = run_from(&library, line(50, 25), vec![0; 50], &[]);
            let expected: Vec<u32> = (0..50).map(|item| expected(item, is_done)).collect();
            assert_eq!(out[..], expected, "{barrier} {done} {mode:?}");
        }
    }
}

#[test]
fn work_items_come_by_several_ways_from_a_barrier_into_the_next_turn() {
    // Some turns pass the barrier by, and behind it some work-items have a loop of their own.
    let body = "define void @k(ptr addrspace(1) %out) {
        start: %g = call i64 @oxicl.global_id(i32 0)
        %low = and i64 %g, 3
        %bit = and i64 %g, 8
        br label %turn
        turn: %i = phi i64 [ 0, %start ], [ %i.next, %latch ]
        %x = phi i64 [ 1, %start ], [ %x.next, %latch ]
        %more = icmp ult i64 %i, 10
        br i1 %more, label %body, label %end
        body: %part = and i64 %i, 3
        %skip = icmp eq i64 %part, 1
        br i1 %skip, label %latch, label %work
        work: call void @oxicl.barrier(i32 2, i32 2, i32 272)
        %some = icmp ne i64 %bit, 0
        br i1 %some, label %inner, label %latch
        inner: %j = phi i64 [ 0, %work ], [ %j.next, %inner ]
        %y = phi i64 [ %x, %work ], [ %y.next, %inner ]
        %times = mul i64 %y, 5
        %y.next = add i64 %times, %j
        %j.next = add i64 %j, 1
        %again = icmp ule i64 %j.next, %low
        br i1 %again, label %inner, label %done
        done: %y.last = phi i64 [ %y.next, %inner ]
        br label %latch
        latch: %x.next = phi i64 [ %x, %body ], [ %x, %work ], [ %y.last, %done ]
        %i.next = add i64 %i, 1
        br label %turn
        end: %x.end = phi i64 [ %x, %turn ]
        %short = trunc i64 %x.end to i32
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %g
        store i32 %short, ptr addrspace(1) %p
        ret void }";
    let expected = |item: u32| {
        let turns = (0..10).filter(|i| i % 4 != 1 && item & 8 != 0);
        turns.fold(1u32, |x, _| (0..=item % 4).fold(x, |y, j| y.wrapping_mul(5).wrapping_add(j)))
    };
    for mode in MODES.into_iter().chain(GANGS) {
        let library = build(body, &[global()], mode);
        let out = run_from(&library, line(50, 25), vec![0; 50], &[]);
        assert_eq!(out[..], (0..50).map(expected).collect::<Vec<_>>(), "{mode:?}");
    }
}

#[test]
fn a_block_may_go_back_to_two_loops_once_a_barrier_has_made_them() {
    // From behind the first barrier on, the outer loop begins at `after`, to which `again` goes back as it does to `inner`.
    // All that lives across is in memory, so that nothing else keeps gangs away.
    let body = "define void @k(ptr addrspace(1) %out) {
        start: %g = call i64 @oxicl.global_id(i32 0)
        %two = mul i64 %g, 2
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %two
        %c = getelementptr i32, ptr addrspace(1) %p, i64 1
        br label %outer
        outer: br label %inner
        inner: %y = load i32, ptr addrspace(1) %p
        %first = and i32 %y, 65536
        %waits = icmp ne i32 %first, 0
        br i1 %waits, label %one, label %again
        one: call void @oxicl.barrier(i32 2, i32 2, i32 272)
        %z = load i32, ptr addrspace(1) %p
        %second = and i32 %z, 131072
        %leaves = icmp ne i32 %second, 0
        br i1 %leaves, label %after, label %two.more
        two.more: call void @oxicl.barrier(i32 2, i32 2, i32 272)
        br label %again
        again: %old = load i32, ptr addrspace(1) %p
        %times = mul i32 %old, 1664525
        %new = add i32 %times, 1013904223
        store i32 %new, ptr addrspace(1) %p
        %third = and i32 %new, 262144
        %more = icmp ne i32 %third, 0
        br i1 %more, label %inner, label %after
        after: %u = load i32, ptr addrspace(1) %p
        %u.times = mul i32 %u, 69069
        %u.next = add i32 %u.times, 1
        store i32 %u.next, ptr addrspace(1) %p
        %n = load i32, ptr addrspace(1) %c
        %n.next = add i32 %n, 1
        store i32 %n.next, ptr addrspace(1) %c
        %goes = icmp ult i32 %n.next, 10
        br i1 %goes, label %outer, label %end
        end: ret void }";
    let expected = |x: u32| {
        (0..10).fold(x, |u, _| {
            let mut y = u;
            while y & 65536 == 0 || y & 131_072 == 0 {
                y = y.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                if y & 262_144 == 0 {
                    break;
                }
            }
            y.wrapping_mul(69069).wrapping_add(1)
        })
    };
    for mode in MODES.into_iter().chain(GANGS) {
        let library = build(body, &[global()], mode);
        for x in 0..40u32 {
            // All work-items of a work-group come to the same barriers.
            let mut out = [[x.wrapping_mul(0x9e37_79b9), 0]; 25];
            let expected = out.map(|[x, _]| [expected(x), 10]);
            run_on(&library, line(25, 25), &mut out, &[]);
            assert_eq!(out, expected, "{x}, {mode:?}");
        }
    }
}

#[test]
fn a_block_may_go_back_to_two_loops() {
    let body = "define void @k(ptr addrspace(1) %out) {
        start: %g = call i64 @oxicl.global_id(i32 0)
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %g
        %x = load i32, ptr addrspace(1) %p
        br label %outer
        outer: %u = phi i32 [ %x, %start ], [ %y.next, %again ]
        %half = lshr i32 %u, 1
        br label %inner
        inner: %y = phi i32 [ %half, %outer ], [ %y.next, %again ]
        %more = icmp ugt i32 %y, 9
        br i1 %more, label %again, label %end
        again: %y.next = sub i32 %y, 3
        %odd = trunc i32 %y.next to i1
        br i1 %odd, label %inner, label %outer
        end: %last = phi i32 [ %y, %inner ]
        store i32 %last, ptr addrspace(1) %p
        ret void }";
    let expected = |x: u32| {
        let mut y = x >> 1;
        while y > 9 {
            y = if (y - 3) & 1 == 1 { y - 3 } else { (y - 3) >> 1 };
        }
        y
    };
    for mode in MODES.into_iter().chain(GANGS) {
        let library = build(body, &[global()], mode);
        let mut out: [u32; 50] = std::array::from_fn(|i| i as u32 * 7919);
        let expected = out.map(expected);
        run_on(&library, line(50, 25), &mut out, &[]);
        assert_eq!(out, expected, "{mode:?}");
    }
}

#[test]
fn parts_that_nobody_needs_of_a_vector_kept_across_a_barrier_do_not_spoil_the_others() {
    for (bits, count) in [(8u32, 4u32), (16, 2), (8, 8), (8, 16), (16, 8), (16, 16), (32, 4), (32, 16)] {
        let (ty, last) = (format!("<{count} x i{bits}>"), count - 1);
        let [cut, widen] = if bits == 32 {
            ["add i32 %X, 0".to_owned(), "add i32 %X, 0".to_owned()]
        } else {
            [format!("trunc i32 %X to i{bits}"), format!("zext i{bits} %X to i32")]
        };
        let (cut, widen) = (|x: &str| cut.replace("%X", x), |x: &str| widen.replace("%X", x));
        let body = format!(
            "define void @k(ptr addrspace(1) %out) {{
            %i = call i64 @oxicl.global_id(i32 0)
            %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
            %x = load i32, ptr addrspace(1) %p
            %y = mul i32 %x, 77
            %a = {}
            %b = {}
            %first = insertelement {ty} poison, i{bits} %a, i32 0
            %v = insertelement {ty} %first, i{bits} %b, i32 {last}
            {BARRIER}
            %c = extractelement {ty} %v, i32 0
            %d = extractelement {ty} %v, i32 {last}
            %c32 = {}
            %d32 = {}
            %d3 = mul i32 %d32, 3
            %sum = add i32 %c32, %d3
            store i32 %sum, ptr addrspace(1) %p
            ret void }}",
            cut("%x"),
            cut("%y"),
            widen("%c"),
            widen("%d")
        );
        let old: Vec<u32> = (1..=200u32).map(|n| n.wrapping_mul(0x9e37_79b9)).collect();
        let low = |n: u32| n & (u32::MAX >> (32 - bits));
        let expected: Vec<u32> =
            old.iter().map(|n| low(*n).wrapping_add(low(n.wrapping_mul(77)).wrapping_mul(3))).collect();
        for mode in MODES.into_iter().chain(GANGS) {
            let library = build(&body, &[global()], mode);
            let out = run_from(&library, line(200, 40), old.clone(), &[]);
            assert_eq!(out, expected, "{ty} {mode:?}");
        }
    }
}
