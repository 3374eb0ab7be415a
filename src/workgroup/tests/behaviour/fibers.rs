//! Kernels in which work-items wait for what others do.

use super::*;

/// What the kernels of this file call.
const SUB_GROUPS: &str = "
declare i32 @oxicl.sub_group_id() memory(none) nounwind willreturn speculatable
declare i32 @oxicl.num_sub_groups() memory(none) nounwind willreturn speculatable
declare i32 @oxicl.sub_group.reduce.add.i32(i32) convergent nounwind willreturn memory(none)
";

/// Compiles the kernel `k` of a buffer whose sub-groups have `size` work-items.
fn build_for_sub_groups(body: &str, size: u32, mode: How) -> Library {
    let mut signature = signature(vec![global()]);
    signature.required_sub_group_size = (size > 1).then_some(size);
    compile(&format!("{DECLARATIONS}{SUB_GROUPS}{body}"), &[("k", signature)], mode)
}

#[test]
fn a_work_item_waits_for_a_later_one() {
    // Each waits for the flag of the next, with what it has in registers and in an object of its own; the last for none.
    let body = "
        define void @k(ptr addrspace(1) noalias %out) {
        %own = alloca [300 x i32], align 4
        %i = call i64 @oxicl.global_id(i32 0)
        %l = call i64 @oxicl.local_id(i32 0)
        %n = call i64 @oxicl.local_size(i32 0)
        %x = trunc i64 %i to i32
        %at = urem i64 %i, 300
        %o = getelementptr [300 x i32], ptr %own, i64 0, i64 %at
        store volatile i32 %x, ptr %o
        %next = add i64 %l, 1
        %last = icmp eq i64 %next, %n
        %j = add i64 %i, 1
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        %q = getelementptr i32, ptr addrspace(1) %out, i64 %j
        br i1 %last, label %on, label %wait
        wait: %seen = load atomic i32, ptr addrspace(1) %q monotonic, align 4
        %ready = icmp ne i32 %seen, 0
        br i1 %ready, label %on, label %wait
        on: %before = phi i32 [ 0, %0 ], [ %seen, %wait ]
        %y = load volatile i32, ptr %o
        %wrong = sub i32 %y, %x
        %one = add i32 %wrong, 1
        %sum = add i32 %before, %one
        store atomic i32 %sum, ptr addrspace(1) %p monotonic, align 4
        ret void }";
    for mode in MODES {
        let library = build(body, &[global()], mode);
        assert_eq!(library.facts[0].style.fiber, 1, "{mode:?}");
        let out = run_from(&library, line(100, 37), vec![0u32; 100], &[]);
        let expected: Vec<u32> = (0..100).map(|i| if i < 74 { 37 - i % 37 } else { 100 - i }).collect();
        assert_eq!(out, expected, "{mode:?}");
    }
}

#[test]
fn sub_groups_wait_for_each_other_there_and_back_and_meet_at_barriers() {
    // One work-item of each sub-group waits until the turn is its sub-group's, which goes around twice, up and down. Values of
    // all its lanes live across, and are combined behind.
    let body = format!(
        "@turn = internal addrspace(3) global i32 undef, align 4
        define void @k(ptr addrspace(1) %out) {{
        %i = call i64 @oxicl.global_id(i32 0)
        %l = call i64 @oxicl.local_linear_id()
        %g = call i32 @oxicl.sub_group_id()
        %n = call i32 @oxicl.num_sub_groups()
        %x = trunc i64 %l to i32
        %first = icmp eq i64 %l, 0
        br i1 %first, label %init, label %begin
        init: store i32 0, ptr addrspace(3) @turn
        br label %begin
        begin: {BARRIER}
        br label %round
        round: %r = phi i32 [ 0, %begin ], [ %r2, %met ]
        %total = phi i32 [ 0, %begin ], [ %total2, %met ]
        %down = sub i32 %n, %g
        %back = sub i32 %down, 1
        %odd = icmp eq i32 %r, 1
        %own = select i1 %odd, i32 %back, i32 %g
        %start = mul i32 %r, %n
        %mine = add i32 %start, %own
        %low = and i32 %x, 3
        %is_leader = icmp eq i32 %low, 1
        br i1 %is_leader, label %wait, label %meet
        wait: %seen = load atomic i32, ptr addrspace(3) @turn monotonic, align 4
        %ready = icmp uge i32 %seen, %mine
        br i1 %ready, label %meet, label %wait
        meet: %sum = call i32 @oxicl.sub_group.reduce.add.i32(i32 %x)
        %now = load atomic i32, ptr addrspace(3) @turn monotonic, align 4
        %here = icmp eq i32 %now, %mine
        br i1 %here, label %pass, label %passed
        pass: %following = add i32 %mine, 1
        store atomic i32 %following, ptr addrspace(3) @turn monotonic, align 4
        br label %passed
        passed: %order = mul i32 %now, 1000
        %part = add i32 %order, %sum
        %total2 = add i32 %total, %part
        br label %met
        met: {BARRIER}
        %r2 = add i32 %r, 1
        %more = icmp ult i32 %r2, 2
        br i1 %more, label %round, label %end
        end: %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        store i32 %total2, ptr addrspace(1) %p
        ret void }}"
    );
    for (size, mode) in [(8, (Mode::Bare, 0)), (4, (Mode::Cheap, 0)), (8, (Mode::Full, 1)), (16, (Mode::Full, 0))] {
        let library = build_for_sub_groups(&body, size, mode);
        assert_eq!((library.facts[0].style.fiber, library.facts[0].sub_group_size), (size, size), "{mode:?}");
        // The last sub-group of a group may be partial, but has its leader.
        let local = 5 * u64::from(size) + 2;
        let out = run_from(&library, line(2 * local, local), vec![0u32; 2 * local as usize], &[]);
        for (i, total) in out.into_iter().enumerate() {
            let l = (i as u64 % local) as u32;
            let group = l / size;
            let sum: u32 = (group * size..(group * size + size).min(local as u32)).sum();
            assert_eq!(total, (group + 6 + (5 - group)) * 1000 + 2 * sum, "work-item {i}, {size}, {mode:?}");
        }
    }
}

#[test]
fn a_function_waits_for_a_later_work_item() {
    let body = "
        define internal i32 @await(ptr addrspace(1) %q) noinline {
        br label %wait
        wait: %seen = load atomic i32, ptr addrspace(1) %q monotonic, align 4
        %ready = icmp ne i32 %seen, 0
        br i1 %ready, label %on, label %wait
        on: ret i32 %seen }
        define internal i32 @await_twice(ptr addrspace(1) %q) noinline {
        %a = call i32 @await(ptr addrspace(1) %q)
        %b = call i32 @await(ptr addrspace(1) %q)
        %c = add i32 %a, %b
        %d = lshr i32 %c, 1
        ret i32 %d }
        define void @k(ptr addrspace(1) %out) {
        %i = call i64 @oxicl.global_id(i32 0)
        %l = call i64 @oxicl.local_id(i32 0)
        %n = call i64 @oxicl.local_size(i32 0)
        %g = call i32 @oxicl.sub_group_id()
        %next = add i64 %l, 1
        %last = icmp eq i64 %next, %n
        %j = add i64 %i, 1
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        %q = getelementptr i32, ptr addrspace(1) %out, i64 %j
        br i1 %last, label %on, label %wait
        wait: %seen = call i32 @await_twice(ptr addrspace(1) %q)
        br label %on
        on: %before = phi i32 [ 0, %0 ], [ %seen, %wait ]
        %sum = add i32 %before, 1
        store atomic i32 %sum, ptr addrspace(1) %p monotonic, align 4
        ret void }";
    for mode in MODES {
        let library = build_for_sub_groups(body, 1, mode);
        let out = run_from(&library, line(64, 32), vec![0u32; 64], &[]);
        let expected: Vec<u32> = (0..64).map(|i| 32 - i % 32).collect();
        assert_eq!(out, expected, "{mode:?}");
    }
}

#[test]
fn what_is_no_wait_is_run_without_fibers() {
    // A count by comparison and exchange, which fails only where another succeeds.
    let body = "
        define void @k(ptr addrspace(1) %out) {
        br label %again
        again: %old = load atomic i32, ptr addrspace(1) %out monotonic, align 4
        %new = add i32 %old, 3
        %pair = cmpxchg ptr addrspace(1) %out, i32 %old, i32 %new monotonic monotonic
        %done = extractvalue { i32, i1 } %pair, 1
        br i1 %done, label %end, label %again
        end: ret void }";
    for mode in MODES {
        let library = build(body, &[global()], mode);
        assert_eq!(library.facts[0].style.fiber, 0, "{mode:?}");
        let out = run_from(&library, line(50, 25), vec![0u32; 1], &[]);
        assert_eq!(out, [150], "{mode:?}");
    }
}

#[test]
fn who_looks_for_a_free_place_in_a_table_waits_for_nobody() {
    // Each work-item puts its key into a table in local memory, behind a barrier and in front of another.
    let body = |release: &str| {
        format!(
            "@table = internal addrspace(3) global [64 x i32] undef
            @found = internal addrspace(3) global [64 x i32] undef
            define void @k(ptr addrspace(1) %out) {{
            %l = call i64 @oxicl.local_id(i32 0)
            %own = getelementptr i32, ptr addrspace(3) @table, i64 %l
            store i32 0, ptr addrspace(3) %own
            %count = getelementptr i32, ptr addrspace(3) @found, i64 %l
            store i32 0, ptr addrspace(3) %count
            {BARRIER}
            %third = udiv i64 %l, 3
            %low = trunc i64 %third to i32
            %key = add i32 %low, 1
            %start = urem i64 %third, 5
            br label %look
            look: %at = phi i64 [ %start, %0 ], [ %next, %on ]
            %place = getelementptr i32, ptr addrspace(3) @table, i64 %at
            %pair = cmpxchg ptr addrspace(3) %place, i32 0, i32 %key monotonic monotonic
            %old = extractvalue {{ i32, i1 }} %pair, 0
            %free = icmp eq i32 %old, 0
            %same = icmp eq i32 %old, %key
            %done = or i1 %free, %same
            br i1 %done, label %in, label %on
            on: %behind = add i64 %at, 1
            %next = and i64 %behind, 63
            br label %look
            in: %counted = getelementptr i32, ptr addrspace(3) @found, i64 %at
            %before = atomicrmw add ptr addrspace(3) %counted, i32 1 monotonic
            {release}
            {BARRIER}
            %n = load i32, ptr addrspace(3) %count
            %p = getelementptr i32, ptr addrspace(1) %out, i64 %l
            store i32 %n, ptr addrspace(1) %p
            ret void }}"
        )
    };
    for mode in MODES.into_iter().chain(GANGS) {
        let library = build(&body(""), &[global()], mode);
        assert_eq!(library.facts[0].style.fiber, 0, "{mode:?}");
        let mut out = run_from(&library, line(64, 64), vec![0u32; 64], &[]);
        // In which order they come is not said.
        out.sort_unstable_by_key(|count| std::cmp::Reverse(*count));
        let mut expected = vec![3; 21];
        expected.resize(64, 0);
        expected[21] = 1;
        assert_eq!(out, expected, "{mode:?}");
        // Who frees a place again is waited for.
        let frees = "store atomic i32 0, ptr addrspace(3) %place release, align 4";
        assert_eq!(build(&body(frees), &[global()], mode).facts[0].style.fiber, 1, "{mode:?}");
    }
}

#[test]
fn work_items_of_one_sub_group_may_all_want_a_lock() {
    // Each takes it, and counts.
    let body = "
        define void @k(ptr addrspace(1) %out) {
        %i = call i64 @oxicl.global_id(i32 0)
        %g = call i32 @oxicl.sub_group_id()
        br label %take
        take: %held = atomicrmw xchg ptr addrspace(1) %out, i32 1 acquire
        %free = icmp eq i32 %held, 0
        br i1 %free, label %taken, label %take
        taken: %p = getelementptr i32, ptr addrspace(1) %out, i64 1
        %count = load i32, ptr addrspace(1) %p
        %more = add i32 %count, 1
        store i32 %more, ptr addrspace(1) %p
        store atomic i32 0, ptr addrspace(1) %out release, align 4
        %alone = call i32 @oxicl.sub_group.reduce.add.i32(i32 1)
        %j = add i64 %i, 2
        %q = getelementptr i32, ptr addrspace(1) %out, i64 %j
        store i32 %alone, ptr addrspace(1) %q
        ret void }";
    for mode in MODES {
        let library = build_where_sub_groups_have_eight(body, mode);
        let out = run_from(&library, line(40, 20), vec![0u32; 42], &[]);
        assert_eq!(out[..2], [0, 40], "{mode:?}");
        assert!(out[2..].iter().all(|alone| *alone == 1), "{mode:?}");
    }
}

#[test]
fn fibers_gather_in_order_also_where_they_came_in_another() {
    // They come to the first operation in falling order. The last of a group has returned before.
    let body = "
        define void @k(ptr addrspace(1) %out) {
        %i = call i64 @oxicl.global_id(i32 0)
        %l = call i64 @oxicl.local_id(i32 0)
        %n = call i64 @oxicl.local_size(i32 0)
        %g = call i32 @oxicl.sub_group_id()
        %x = trunc i64 %l to i32
        %next = add i64 %l, 1
        %last = icmp eq i64 %next, %n
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        %j = add i64 %i, 1
        %q = getelementptr i32, ptr addrspace(1) %out, i64 %j
        br i1 %last, label %gone, label %wait
        gone: store atomic i32 7, ptr addrspace(1) %p monotonic, align 4
        ret void
        wait: %seen = load atomic i32, ptr addrspace(1) %q monotonic, align 4
        %ready = icmp ne i32 %seen, 0
        br i1 %ready, label %on, label %wait
        on: store atomic i32 1, ptr addrspace(1) %p monotonic, align 4
        br label %round
        round: %r = phi i32 [ 0, %on ], [ %r2, %round ]
        %total = phi i32 [ 0, %on ], [ %total2, %round ]
        %y = add i32 %x, %r
        %sum = call i32 @oxicl.group.reduce.add.i32(i32 %y)
        %scan = call i32 @oxicl.group.scan_inclusive.add.i32(i32 %x)
        %one = call i32 @oxicl.group.broadcast.i32(i32 %y, i64 5, i64 0, i64 0)
        %a = mul i32 %sum, 3
        %b = add i32 %scan, %a
        %c = mul i32 %one, 1000
        %d = add i32 %b, %c
        %total2 = add i32 %total, %d
        %r2 = add i32 %r, 1
        %more = icmp ult i32 %r2, 3
        br i1 %more, label %round, label %end
        end: store i32 %total2, ptr addrspace(1) %p
        ret void }";
    for mode in MODES {
        let library = build_for_sub_groups(body, 1, mode);
        let out = run_from(&library, line(60, 30), vec![0u32; 60], &[]);
        for (i, value) in out.into_iter().enumerate() {
            let l = i as u32 % 30;
            let of_round = |r: u32| 3 * (0..29).map(|x| x + r).sum::<u32>() + l * (l + 1) / 2 + 1000 * (5 + r);
            let expected = if l == 29 { 7 } else { (0..3).map(of_round).sum() };
            assert_eq!(value, expected, "work-item {i}, {mode:?}");
        }
    }
}

#[test]
fn sub_groups_gather_in_order_too() {
    // The leader of each sub-group waits for that of the next.
    let body = "
        define void @k(ptr addrspace(1) %out) {
        %i = call i64 @oxicl.global_id(i32 0)
        %l = call i64 @oxicl.local_id(i32 0)
        %base = sub i64 %i, %l
        %flags = getelementptr i32, ptr addrspace(1) %out, i64 %base
        %g = call i32 @oxicl.sub_group_id()
        %n = call i32 @oxicl.num_sub_groups()
        %x = trunc i64 %l to i32
        %g1 = add i32 %g, 1
        %is_last = icmp eq i32 %g1, %n
        %own = sext i32 %g to i64
        %other = sext i32 %g1 to i64
        %p = getelementptr i32, ptr addrspace(1) %flags, i64 %own
        %q = getelementptr i32, ptr addrspace(1) %flags, i64 %other
        %low = and i32 %x, 3
        %is_leader = icmp eq i32 %low, 0
        %waits = xor i1 %is_last, true
        %must = and i1 %is_leader, %waits
        br i1 %must, label %wait, label %on
        wait: %seen = load atomic i32, ptr addrspace(1) %q monotonic, align 4
        %ready = icmp ne i32 %seen, 0
        br i1 %ready, label %on, label %wait
        on: %all = call i32 @oxicl.sub_group.reduce.add.i32(i32 1)
        store atomic i32 %all, ptr addrspace(1) %p monotonic, align 4
        %scan = call i32 @oxicl.group.scan_inclusive.add.i32(i32 %x)
        %sum = call i32 @oxicl.group.reduce.add.i32(i32 %all)
        %one = call i32 @oxicl.group.broadcast.i32(i32 %scan, i64 9, i64 0, i64 0)
        %a = mul i32 %sum, 100000
        %b = mul i32 %one, 1000
        %c = add i32 %a, %b
        %d = add i32 %c, %scan
        %o = getelementptr i32, ptr addrspace(1) %out, i64 %i
        store i32 %d, ptr addrspace(1) %o
        ret void }";
    for (size, mode) in [(4, (Mode::Bare, 0)), (8, (Mode::Full, 0)), (16, (Mode::Cheap, 0))] {
        let library = build_for_sub_groups(body, size, mode);
        assert_eq!(library.facts[0].style.fiber, size, "{mode:?}");
        let out = run_from(&library, line(66, 33), vec![0u32; 66], &[]);
        let members = |l: u32| size.min(33 - l / size * size);
        for (i, value) in out.into_iter().enumerate() {
            let l = i as u32 % 33;
            let expected = (0..33).map(members).sum::<u32>() * 100_000 + 45_000 + l * (l + 1) / 2;
            assert_eq!(value, expected, "work-item {i}, {size}, {mode:?}");
        }
    }
}

#[test]
fn who_takes_a_lock_waits_however_it_is_asked_for() {
    // A look before it is taken; and a number that is odd while it is held.
    let free = "
        %free = icmp eq i32 %v, 0
        br i1 %free, label %try, label %more
        try: %pair = cmpxchg ptr addrspace(1) %out, i32 %v, i32 1 acquire monotonic
        %next = add i32 %v, 0";
    let even = "
        br label %try
        try: %even = and i32 %v, -2
        %odd = or i32 %even, 1
        %pair = cmpxchg ptr addrspace(1) %out, i32 %even, i32 %odd acquire monotonic
        %next = add i32 %even, 2";
    for (take, end) in [(free, 0), (even, 100)] {
        let body = format!(
            "define void @k(ptr addrspace(1) %out) {{
            br label %again
            again: %v = load atomic i32, ptr addrspace(1) %out monotonic, align 4
            {take}
            %done = extractvalue {{ i32, i1 }} %pair, 1
            br i1 %done, label %taken, label %more
            more: br label %again
            taken: %p = getelementptr i32, ptr addrspace(1) %out, i64 1
            %count = load i32, ptr addrspace(1) %p
            %sum = add i32 %count, 1
            store i32 %sum, ptr addrspace(1) %p
            store atomic i32 %next, ptr addrspace(1) %out release, align 4
            ret void }}"
        );
        for mode in MODES {
            let library = build(&body, &[global()], mode);
            assert_eq!(library.facts[0].style.fiber, 1, "{take}\n{mode:?}");
            let out = run_from(&library, line(50, 25), vec![0u32; 2], &[]);
            assert_eq!(out, [end, 50], "{take}\n{mode:?}");
        }
    }
}

#[test]
fn who_asks_for_what_it_has_just_stored_waits_for_nobody() {
    // A histogram without atomic operations: who does not find its own tag any more tries again.
    let body = |asked: &str| {
        format!(
            "define void @k(ptr addrspace(1) %out) {{
            %l = call i64 @oxicl.local_id(i32 0)
            %bin = urem i64 %l, 5
            %p = getelementptr i32, ptr addrspace(1) %out, i64 %bin
            %q = getelementptr i32, ptr addrspace(1) %p, i64 5
            %x = trunc i64 %l to i32
            %tag = shl i32 %x, 16
            br label %again
            again: %old = load volatile i32, ptr addrspace(1) %p
            %count = and i32 %old, 65535
            %more = add i32 %count, 1
            %own = or i32 %tag, %more
            store volatile i32 %own, ptr addrspace(1) %p
            %now = load volatile i32, ptr addrspace(1) {asked}
            %done = icmp eq i32 %now, %own
            br i1 %done, label %on, label %again
            on: ret void }}"
        )
    };
    for mode in MODES {
        assert_eq!(build(&body("%q"), &[global()], mode).facts[0].style.fiber, 1, "{mode:?}");
        let library = build(&body("%p"), &[global()], mode);
        assert_eq!(library.facts[0].style.fiber, 0, "{mode:?}");
        let out = run_from(&library, line(37, 37), vec![0u32; 10], &[]);
        let counts: Vec<u32> = out.iter().map(|bin| bin & 65535).collect();
        assert_eq!(counts, [8, 8, 7, 7, 7, 0, 0, 0, 0, 0], "{mode:?}");
    }
}

#[test]
fn a_loop_waits_whatever_else_it_does() {
    // Each work-item waits for the next. `%no` is false, which only who runs it knows.
    let loops = [
        (
            "a barrier to which not every turn comes",
            format!(
                "first: br label %wait
                wait: %seen = load atomic i32, ptr addrspace(1) %q monotonic, align 4
                %ready = icmp ne i32 %seen, 0
                br i1 %ready, label %on, label %more
                more: br i1 %no, label %meet, label %again
                meet: {BARRIER}
                br label %again
                again: br label %wait"
            ),
        ),
        (
            "an exchange that decides nothing",
            "first: br label %wait
            wait: %seen = load atomic i32, ptr addrspace(1) %q monotonic, align 4
            %ready = icmp ne i32 %seen, 0
            br i1 %ready, label %on, label %more
            more: %old = load atomic i32, ptr addrspace(1) %other monotonic, align 4
            %new = add i32 %old, 1
            %pair = cmpxchg ptr addrspace(1) %other, i32 %old, i32 %new monotonic monotonic
            br label %wait"
                .to_owned(),
        ),
        (
            "several ways back",
            "first: br label %wait
            wait: %seen = load atomic i32, ptr addrspace(1) %q monotonic, align 4
            %ready = icmp ne i32 %seen, 0
            br i1 %ready, label %on, label %more
            more: br i1 %no, label %wait, label %again
            again: store volatile i32 %x, ptr addrspace(1) %other
            br label %wait"
                .to_owned(),
        ),
        (
            "several entries",
            "first: br i1 %no, label %more, label %wait
            wait: %seen = load atomic i32, ptr addrspace(1) %q monotonic, align 4
            %ready = icmp ne i32 %seen, 0
            br i1 %ready, label %on, label %more
            more: store volatile i32 %x, ptr addrspace(1) %other
            br label %wait"
                .to_owned(),
        ),
        (
            "another one without end",
            "first: br i1 %no, label %ever, label %wait
            ever: store volatile i32 %x, ptr addrspace(1) %other
            br label %ever
            wait: %seen = load atomic i32, ptr addrspace(1) %q monotonic, align 4
            %ready = icmp ne i32 %seen, 0
            br i1 %ready, label %on, label %wait"
                .to_owned(),
        ),
    ];
    for (name, text) in loops {
        let body = format!(
            "define void @k(ptr addrspace(1) %out) {{
            %i = call i64 @oxicl.global_id(i32 0)
            %l = call i64 @oxicl.local_id(i32 0)
            %n = call i64 @oxicl.local_size(i32 0)
            %x = trunc i64 %i to i32
            %next = add i64 %l, 1
            %last = icmp eq i64 %next, %n
            %j = add i64 %i, 1
            %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
            %q = getelementptr i32, ptr addrspace(1) %out, i64 %j
            %asked = getelementptr i32, ptr addrspace(1) %out, i64 60
            %other = getelementptr i32, ptr addrspace(1) %out, i64 61
            %answer = load i32, ptr addrspace(1) %asked
            %no = icmp eq i32 %answer, 77
            br i1 %last, label %on, label %first
            {text}
            on: %before = phi i32 [ 0, %0 ], [ %seen, %wait ]
            %sum = add i32 %before, 1
            store atomic i32 %sum, ptr addrspace(1) %p monotonic, align 4
            ret void }}"
        );
        for mode in MODES {
            let library = build(&body, &[global()], mode);
            assert_eq!(library.facts[0].style.fiber, 1, "{name}, {mode:?}");
            let out = run_from(&library, line(60, 30), vec![0u32; 62], &[]);
            let expected: Vec<u32> = (0..60).map(|i| 30 - i % 30).collect();
            assert_eq!(out[..60], expected, "{name}, {mode:?}");
        }
    }
}

/// Compiles the kernel `k` of a buffer that asks for no size of sub-groups, where they have eight work-items.
fn build_where_sub_groups_have_eight(body: &str, mode: How) -> Library {
    let text = format!("{DECLARATIONS}{SUB_GROUPS}{body}");
    machine::compile_for(&text, &[("k", signature(vec![global()]))], mode.0, mode.1, 8)
}

#[test]
fn work_items_of_one_sub_group_may_all_wait_for_their_turn() {
    let call = "call void @take(ptr addrspace(1) %out)
        %t = load i32, ptr addrspace(1) %turn";
    let wait = "br label %take
        take: %seen = load atomic i32, ptr addrspace(1) %turn acquire, align 4
        %mine = icmp eq i32 %seen, %t
        br i1 %mine, label %taken, label %take";
    // What is drawn, how it is waited for, and what the first number is in the end.
    let ways = [
        ("%t = atomicrmw add ptr addrspace(1) %out, i32 1 monotonic", wait, 40),
        ("%t = trunc i64 %i to i32", wait, 0),
        (call, "br label %taken", 0),
    ];
    for (draw, wait, first) in ways {
        let body = format!(
            "define internal void @take(ptr addrspace(1) %lock) noinline {{
            br label %take
            take: %held = atomicrmw xchg ptr addrspace(1) %lock, i32 1 acquire
            %free = icmp eq i32 %held, 0
            br i1 %free, label %taken, label %take
            taken: ret void }}
            define void @k(ptr addrspace(1) %out) {{
            %i = call i64 @oxicl.global_id(i32 0)
            %turn = getelementptr i32, ptr addrspace(1) %out, i64 1
            {draw}
            {wait}
            taken: %p = getelementptr i32, ptr addrspace(1) %out, i64 2
            %count = load i32, ptr addrspace(1) %p
            %more = add i32 %count, 1
            store i32 %more, ptr addrspace(1) %p
            %next = add i32 %t, 1
            store atomic i32 %next, ptr addrspace(1) %turn release, align 4
            {}
            %alone = call i32 @oxicl.sub_group.reduce.add.i32(i32 1)
            %j = add i64 %i, 3
            %q = getelementptr i32, ptr addrspace(1) %out, i64 %j
            store i32 %alone, ptr addrspace(1) %q
            ret void }}",
            if draw == call { "store atomic i32 0, ptr addrspace(1) %out release, align 4" } else { "" }
        );
        for mode in MODES {
            let library = build_where_sub_groups_have_eight(&body, mode);
            assert_eq!(library.facts[0].sub_group_size, 1, "{draw}, {mode:?}");
            let out = run_from(&library, line(40, 20), vec![0u32; 43], &[]);
            assert_eq!(out[..3], [first, 40, 40], "{draw}, {mode:?}");
            assert!(out[3..].iter().all(|alone| *alone == 1), "{draw}, {mode:?}");
        }
    }
}

#[test]
fn sub_groups_that_wait_for_their_turn_stay_whole() {
    let body = "
        define void @k(ptr addrspace(1) %out) {
        %i = call i64 @oxicl.global_id(i32 0)
        %l = call i64 @oxicl.local_linear_id()
        %g = call i32 @oxicl.sub_group_id()
        %low = and i64 %l, 7
        %is_leader = icmp eq i64 %low, 0
        br i1 %is_leader, label %wait, label %meet
        wait: %seen = load atomic i32, ptr addrspace(1) %out monotonic, align 4
        %ready = icmp eq i32 %seen, %g
        br i1 %ready, label %meet, label %wait
        meet: %all = call i32 @oxicl.sub_group.reduce.add.i32(i32 1)
        br i1 %is_leader, label %pass, label %end
        pass: %next = add i32 %g, 1
        store atomic i32 %next, ptr addrspace(1) %out monotonic, align 4
        br label %end
        end: %j = add i64 %i, 1
        %q = getelementptr i32, ptr addrspace(1) %out, i64 %j
        store i32 %all, ptr addrspace(1) %q
        ret void }";
    for mode in MODES {
        let library = build_where_sub_groups_have_eight(body, mode);
        assert_eq!((library.facts[0].style.fiber, library.facts[0].sub_group_size), (8, 8), "{mode:?}");
        let out = run_from(&library, line(20, 20), vec![0u32; 21], &[]);
        let expected: Vec<u32> =
            (0..21).map(|at| if (1..17).contains(&at) { 8 } else { 4 - u32::from(at == 0) }).collect();
        assert_eq!(out, expected, "{mode:?}");
    }
}
