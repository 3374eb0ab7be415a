//! Places at a constant distance from one work-item to the next, however they are computed.

use super::*;

/// Are all accesses side by side, or nearly so, where there are gangs?
fn expect_strides(library: &Library, (_, lanes): How) {
    let remarks = library.facts[0].remarks.join("\n");
    assert!(lanes == 1 || remarks.contains(" 0 accesses are each lane's own"), "{lanes}: {remarks}");
}

/// Runs a kernel over lines of work-items of several lengths, and holds what it leaves of `old` against what is expected for
/// a length.
fn assert_leaves(body: &str, old: &[u32], expected: impl Fn(usize) -> Vec<u32>) {
    for mode in MODES.into_iter().chain(GANGS) {
        let library = build(body, &[global()], mode);
        expect_strides(&library, mode);
        for length in [1, 16, 37, 64, 300usize] {
            let out = run_from(&library, line(length as u64, length as u64), old.to_vec(), &[]);
            assert_eq!(out, expected(length), "{length} {mode:?}");
        }
    }
}

#[test]
fn a_loop_that_goes_on_by_the_global_size_in_32_bits_keeps_lanes_side_by_side() {
    let body = "define void @k(ptr addrspace(1) %out) {
        start: %i = call i64 @oxicl.global_id(i32 0)
        br label %turn
        turn: %at = phi i64 [ %i, %start ], [ %next, %go ]
        %low = trunc i64 %at to i32
        %more = icmp slt i32 %low, 1000
        br i1 %more, label %go, label %end
        go: %shifted = shl i64 %at, 32
        %index = ashr exact i64 %shifted, 32
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %index
        %v = load i32, ptr addrspace(1) %p
        %w = mul i32 %v, 3
        store i32 %w, ptr addrspace(1) %p
        %size = call i64 @oxicl.global_size(i32 0)
        %next = add i64 %index, %size
        br label %turn
        end: ret void }";
    let old: Vec<u32> = (0..1100u32).map(|n| n.wrapping_mul(0x9e37_79b9)).collect();
    let expected = old.iter().enumerate().map(|(at, n)| if at < 1000 { n.wrapping_mul(3) } else { *n });
    let expected: Vec<u32> = expected.collect();
    assert_leaves(body, &old, |_| expected.clone());
}

#[test]
fn numbers_with_no_bit_in_common_are_added() {
    // Some lanes are left out.
    let body = "define void @k(ptr addrspace(1) %out) {
        start: %i = call i64 @oxicl.global_id(i32 0)
        %in = icmp ugt i64 %i, 2
        br i1 %in, label %first, label %end
        first: %low = trunc i64 %i to i32
        %four = shl i32 %low, 2
        %wide = zext i32 %four to i64
        br label %turn
        turn: %n = phi i64 [ 0, %first ], [ %next, %turn ]
        %sum = phi i32 [ 1, %first ], [ %more, %turn ]
        %place = or disjoint i64 %wide, %n
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %place
        %v = load i32, ptr addrspace(1) %p
        %times = mul i32 %sum, 3
        %more = add i32 %times, %v
        %next = add i64 %n, 1
        %again = icmp ult i64 %next, 4
        br i1 %again, label %turn, label %store
        store: %to.at = add i64 %i, 2048
        %to = getelementptr i32, ptr addrspace(1) %out, i64 %to.at
        store i32 %more, ptr addrspace(1) %to
        br label %end
        end: ret void }";
    let old: Vec<u32> = (0..4096u32).map(|n| n.wrapping_mul(0x9e37_79b9)).collect();
    assert_leaves(body, &old, |length| {
        let mut expected = old.clone();
        for i in 3..length {
            expected[2048 + i] = (0..4).fold(1, |sum: u32, n| sum.wrapping_mul(3).wrapping_add(old[i * 4 + n]));
        }
        expected
    });
}

#[test]
fn small_vectors_at_places_that_are_kept_within_bounds_are_each_work_items_own() {
    // Lanes read side by side but at the edges, where several read the same.
    for (ty, count) in [("<4 x i8>", 4), ("<2 x i16>", 2), ("<2 x i8>", 2), ("<8 x i8>", 8)] {
        let body = format!(
            "define void @k(ptr addrspace(1) %out, i32 %last) {{
            start: %i = call i64 @oxicl.global_id(i32 0)
            %own = trunc i64 %i to i32
            br label %turn
            turn: %n = phi i32 [ -2, %start ], [ %next, %turn ]
            %sum = phi {ty} [ zeroinitializer, %start ], [ %more, %turn ]
            %place = add nsw i32 %own, %n
            %up = call i32 @llvm.smax.i32(i32 %place, i32 0)
            %beyond = icmp sgt i32 %up, %last
            %kept = select i1 %beyond, i32 %last, i32 %up
            %index = sext i32 %kept to i64
            %p = getelementptr {ty}, ptr addrspace(1) %out, i64 %index
            %v = load {ty}, ptr addrspace(1) %p, align 1
            %more = add {ty} %sum, %v
            %next = add nsw i32 %n, 1
            %again = icmp slt i32 %next, 2
            br i1 %again, label %turn, label %end
            end: %behind = add i64 %i, 400
            %to = getelementptr {ty}, ptr addrspace(1) %out, i64 %behind
            store {ty} %more, ptr addrspace(1) %to, align 1
            ret void }}
            declare i32 @llvm.smax.i32(i32, i32)"
        );
        let width: usize =
            ty.split_once('i').and_then(|(_, bits)| bits.trim_end_matches('>').parse().ok()).expect("bits");
        let bytes = width / 8 * count;
        let old: Vec<u8> = (0..800 * bytes as u32).map(|n| (n.wrapping_mul(0x9e37_79b9) >> 19) as u8).collect();
        for mode in MODES.into_iter().chain(GANGS) {
            let library = build(&body, &[global(), argument(ArgumentKind::Value, 4, 8)], mode);
            for length in [1, 16, 37, 64, 300usize] {
                let out = run_from(
                    &library,
                    line(length as u64, length as u64),
                    old.clone(),
                    &(length as u32 - 1).to_le_bytes(),
                );
                let mut expected = old.clone();
                let number = |item: usize, part: usize| {
                    let at = item * bytes + part * width / 8;
                    (0..width / 8).fold(0u32, |all, byte| all | u32::from(old[at + byte]) << (8 * byte))
                };
                for (i, part) in (0..length).flat_map(|i| (0..count).map(move |part| (i, part))) {
                    let kept = |n: i64| (i as i64 + n).max(0).min(length as i64 - 1) as usize;
                    let sum: u32 = (-2..2).map(|n| number(kept(n), part)).fold(0, u32::wrapping_add);
                    let at = (400 + i) * bytes + part * width / 8;
                    expected[at..at + width / 8].copy_from_slice(&sum.to_le_bytes()[..width / 8]);
                }
                assert!(out == expected, "{ty} {length} {mode:?}");
            }
        }
    }
}

#[test]
fn a_promise_not_to_wrap_is_one_of_lanes_that_run_it() {
    // Of the first five lanes, which do not come here, either sum wraps.
    let unsigned = "%from = sub nuw i64 %i, 5
            %less = icmp ult i64 %from, 11";
    let signed = "%less.five = sub nsw i64 %i, 5
            %from = add nsw i64 %less.five, -9223372036854775808
            %less = icmp slt i64 %from, -9223372036854775797";
    let extended = "%low = trunc i64 %i to i32
            %short = sub nuw i32 %low, 5
            %from = zext i32 %short to i64
            %less = icmp ult i64 %from, 11";
    for compare in [unsigned, signed, extended] {
        let body = format!(
            "define void @k(ptr addrspace(1) %out) {{
            start: %i = call i64 @oxicl.global_id(i32 0)
            %in = icmp uge i64 %i, 5
            br i1 %in, label %there, label %end
            there: {compare}
            %v = select i1 %less, i32 1, i32 2
            %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
            store i32 %v, ptr addrspace(1) %p
            br label %end
            end: ret void }}"
        );
        assert_leaves(&body, &[0; 300], |length| {
            let of = |i: usize| if !(5..length).contains(&i) { 0 } else { 1 + u32::from(i >= 16) };
            (0..300).map(of).collect()
        });
    }
}

#[test]
fn promises_bind_only_work_items_that_choose_the_result() {
    // A difference that wraps below 7, extended; a sum that wraps below 8; and comparisons of either. Nothing branches.
    let unsigned = "%short = trunc i64 %i to i32
            %from = sub nuw i32 %short, 7
            %there = zext i32 %from to i64";
    let signed = "%short = trunc i64 %i to i32
            %from = add nsw i32 %short, 2147483640
            %back = sub nsw i32 %from, 2147483647
            %there = sext i32 %back to i64";
    let long = "%there = sub nuw i64 %i, 7";
    for (take, compare) in [(unsigned, "ult"), (signed, "slt"), (long, "ult")] {
        let (first, bound) = if take == signed { ("ule", 4) } else { ("uge", 5) };
        let body = format!(
            "define void @k(ptr addrspace(1) %out) {{
            %i = call i64 @oxicl.global_id(i32 0)
            {take}
            %less = icmp {compare} i64 %there, {bound}
            %in = icmp {first} i64 %i, 7
            %chosen = select i1 %in, i64 %there, i64 3000000001
            %said = select i1 %in, i1 %less, i1 false
            %high = lshr i64 %chosen, 32
            %both = xor i64 %high, %chosen
            %low = trunc i64 %both to i32
            %twice = mul i32 %low, 2
            %more = zext i1 %said to i32
            %v = add i32 %twice, %more
            %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
            store i32 %v, ptr addrspace(1) %p
            ret void }}"
        );
        assert_leaves(&body, &[0; 300], |length| {
            let of = |i: usize| match i {
                i if i >= length => 0,
                i if take == signed && i <= 7 => {
                    let there = i as i64 - 7;
                    let both = there ^ ((there as u64) >> 32) as i64;
                    (both as u32).wrapping_mul(2) + u32::from(there < 4)
                }
                i if take != signed && i >= 7 => (i as u32 - 7) * 2 + u32::from(i < 12),
                _ => 3_000_000_001u32.wrapping_mul(2),
            };
            (0..300).map(of).collect()
        });
    }
}

#[test]
fn numbers_that_a_function_is_given_may_go_on_by_one_or_not() {
    // Onwards and backwards, for all work-items and without every fifth.
    const LENGTH: u32 = 300;
    for left_out in [5u32, 2] {
        let body = format!(
            "define internal void @move(ptr addrspace(1) %out, i32 %from, i32 %to) noinline {{
            %a = zext i32 %from to i64
            %p = getelementptr i32, ptr addrspace(1) %out, i64 %a
            %v = load i32, ptr addrspace(1) %p
            %w = mul i32 %v, 3
            %b = zext i32 %to to i64
            %q = getelementptr i32, ptr addrspace(1) %out, i64 %b
            store i32 %w, ptr addrspace(1) %q
            ret void }}
            define void @k(ptr addrspace(1) %out) {{
            %i = call i64 @oxicl.global_id(i32 0)
            %fifth = urem i64 %i, 5
            %takes = icmp ne i64 %fifth, {left_out}
            br i1 %takes, label %go, label %end
            go: %on = trunc i64 %i to i32
            %back = sub i32 299, %on
            %first = add i32 %on, 300
            call void @move(ptr addrspace(1) %out, i32 %on, i32 %first)
            %second = add i32 %on, 600
            call void @move(ptr addrspace(1) %out, i32 %back, i32 %second)
            %third = add i32 %back, 900
            call void @move(ptr addrspace(1) %out, i32 %on, i32 %third)
            br label %end
            end: ret void }}"
        );
        let old: Vec<u32> = (1..=4 * LENGTH).map(|n| n.wrapping_mul(0x9e37_79b9)).collect();
        let mut expected = old.clone();
        for on in (0..LENGTH).filter(|on| on % 5 != left_out) {
            let back = LENGTH - 1 - on;
            for (from, to) in [(on, on + 300), (back, on + 600), (on, back + 900)] {
                expected[to as usize] = old[from as usize].wrapping_mul(3);
            }
        }
        for mode in MODES.into_iter().chain(GANGS) {
            let library = build(&body, &[global()], mode);
            let out = run_from(&library, line(LENGTH.into(), 100), old.clone(), &[]);
            assert_eq!(out, expected, "{left_out} {mode:?}");
        }
    }
}

#[test]
fn three_bytes_and_numbers_at_odd_places_are_found_wherever_they_lie() {
    const LENGTH: u32 = 211;
    for (align, step) in [(1u32, 3u32), (4, 4)] {
        let odd = align % 2;
        let body = format!(
            "define void @k(ptr addrspace(1) %out) {{
            %i = call i64 @oxicl.global_id(i32 0)
            %fifth = urem i64 %i, 5
            %takes = icmp ne i64 %fifth, 3
            br i1 %takes, label %go, label %end
            go: %far = mul i64 %i, 77
            %place = urem i64 %far, {LENGTH}
            %byte = mul i64 %place, {step}
            %p = getelementptr i8, ptr addrspace(1) %out, i64 %byte
            %v = load <3 x i8>, ptr addrspace(1) %p, align {align}
            %next = getelementptr i8, ptr addrspace(1) %p, i64 {odd}
            %h = load i16, ptr addrspace(1) %next, align {align}
            %a = extractelement <3 x i8> %v, i32 0
            %b = extractelement <3 x i8> %v, i32 1
            %c = extractelement <3 x i8> %v, i32 2
            %a32 = zext i8 %a to i32
            %b32 = zext i8 %b to i32
            %c32 = zext i8 %c to i32
            %h32 = zext i16 %h to i32
            %b3 = mul i32 %b32, 300
            %c3 = mul i32 %c32, 90000
            %h3 = mul i32 %h32, 7
            %ab = add i32 %a32, %b3
            %abc = add i32 %ab, %c3
            %all = xor i32 %abc, %h3
            %at = add i64 %i, 300
            %q = getelementptr i32, ptr addrspace(1) %out, i64 %at
            store i32 %all, ptr addrspace(1) %q
            br label %end
            end: ret void }}"
        );
        let old: Vec<u32> = (1..=600u32).map(|n| n.wrapping_mul(0x9e37_79b9)).collect();
        let bytes: Vec<u32> = old.iter().flat_map(|n| n.to_le_bytes()).map(u32::from).collect();
        let mut expected = old.clone();
        for i in (0..LENGTH).filter(|i| i % 5 != 3) {
            let at = (i * 77 % LENGTH * step) as usize;
            let half = bytes[at + odd as usize] | bytes[at + odd as usize + 1] << 8;
            expected[i as usize + 300] = (bytes[at] + bytes[at + 1] * 300 + bytes[at + 2] * 90_000) ^ (half * 7);
        }
        for mode in MODES.into_iter().chain(GANGS) {
            let library = build(&body, &[global()], mode);
            let out = run_from(&library, line(LENGTH.into(), LENGTH.into()), old.clone(), &[]);
            assert_eq!(out, expected, "{align} {mode:?}");
        }
    }
}

/// 4 GiB after 32 lanes have written the numbers from 1 on, each at a short index: `lane`, made of `%x32`, and `first` are added, and
/// extended from `before` on.
fn written_at_short_indices(lane: &str, first: u64, extend: &str, before: u64, how: How) -> Vec<u8> {
    let body = format!(
        "define void @k(ptr addrspace(1) %out) {{
        %x = call i64 @oxicl.global_id(i32 0)
        %x32 = trunc i64 %x to i32
        %lane = {lane}
        %short = add i32 %lane, {}
        %at = {extend} i32 %short to i64
        %base = getelementptr i8, ptr addrspace(1) %out, i64 {before}
        %p = getelementptr i8, ptr addrspace(1) %base, i64 %at
        %next = add i32 %x32, 1
        %value = trunc i32 %next to i8
        store i8 %value, ptr addrspace(1) %p
        ret void }}",
        first as u32 as i32
    );
    let mut out = vec![0u8; 1 << 32];
    run_on(&build(&body, &[global()], how), line(32, 32), &mut out, &[]);
    out
}

#[test]
fn short_numbers_that_wrap_are_not_taken_for_neighbours() {
    // As indices they advance by one but for one place, where the next is 4 GiB away: at the start of what is written.
    let half = 1u64 << 31;
    for (extend, start, before) in [("sext", half - 8, half), ("zext", 2 * half - 8, 0)] {
        for how in GANGS {
            let out = written_at_short_indices("and i32 %x32, 31", start, extend, before, how);
            assert_eq!(out[..24], (9..33).collect::<Vec<u8>>(), "{extend}, {how:?}");
            assert_eq!(out[(1 << 32) - 8..], (1..9).collect::<Vec<u8>>(), "{extend}, {how:?}");
        }
    }
}

#[test]
fn pairs_at_places_that_differ_by_what_lanes_share_are_moved_as_if_one_by_one() {
    // A turn of a transform: how far apart is known only when it runs, and so whether lanes lie side by side. Pairs are gathered
    // by the low bits, and those of the last turn end beyond what 32 signed bits hold if they are not taken modulo 2^32.
    let body = "define void @k(ptr addrspace(1) %out) {
        %i = call i64 @oxicl.global_id(i32 0)
        %short = trunc i64 %i to i32
        %done.p = getelementptr i32, ptr addrspace(1) %out, i64 8190
        %done = load i32, ptr addrspace(1) %done.p
        %far.p = getelementptr i32, ptr addrspace(1) %out, i64 8191
        %far = load i32, ptr addrspace(1) %far.p
        %bits = add i32 %done, -1
        %k = and i32 %bits, %short
        %k.wide = zext nneg i32 %k to i64
        %from = getelementptr <2 x i32>, ptr addrspace(1) %out, i64 %k.wide
        %pair = load <2 x i32>, ptr addrspace(1) %from, align 4
        %one = extractelement <2 x i32> %pair, i32 0
        %two = extractelement <2 x i32> %pair, i32 1
        %difference = sub i32 %one, %two
        %above = sub i32 %short, %k
        %four = shl i32 %above, 2
        %start = add i32 %four, %k
        %first = insertelement <2 x i32> poison, i32 %difference, i32 0
        %value = insertelement <2 x i32> %first, i32 %short, i32 1
        %base = getelementptr i8, ptr addrspace(1) %out, i64 8192
        %start.wide = sext i32 %start to i64
        %to = getelementptr <2 x i32>, ptr addrspace(1) %base, i64 %start.wide
        store <2 x i32> %value, ptr addrspace(1) %to, align 4
        %moved = add i32 %start, %done
        %moved.wide = sext i32 %moved to i64
        %to.moved = getelementptr <2 x i32>, ptr addrspace(1) %base, i64 %moved.wide
        store <2 x i32> %value, ptr addrspace(1) %to.moved, align 4
        %twice = shl i32 %done, 1
        %behind = add i32 %twice, %start
        %behind.wide = sext i32 %behind to i64
        %to.behind = getelementptr <2 x i32>, ptr addrspace(1) %base, i64 %behind.wide
        store <2 x i32> %value, ptr addrspace(1) %to.behind, align 4
        %around = add i32 %start, %far
        %around.wide = zext i32 %around to i64
        %lower = getelementptr i8, ptr addrspace(1) %base, i64 8192
        %to.around = getelementptr <2 x i32>, ptr addrspace(1) %lower, i64 %around.wide
        %far.wide = zext i32 %far to i64
        %back = mul i64 %far.wide, -8
        %to.last = getelementptr i8, ptr addrspace(1) %to.around, i64 %back
        %wraps = icmp ult i32 %around, %far
        br i1 %wraps, label %end, label %store
        store: store <2 x i32> %value, ptr addrspace(1) %to.last, align 4
        br label %end
        end: ret void }";
    for mode in MODES.into_iter().chain(GANGS).chain([(Mode::Bare, 16), (Mode::Full, 0)]) {
        let library = build(body, &[global()], mode);
        for (done, far) in
            [(1u32, 7u32), (4, 0), (16, u32::MAX - 40), (64, u32::MAX - 3), (256, 1 << 31), (8, i32::MAX as u32)]
        {
            for length in [5usize, 16, 37, 64] {
                let mut old: Vec<u32> = (0..8192u32).map(|n| n.wrapping_mul(0x9e37_79b9)).collect();
                (old[8190], old[8191]) = (done, far);
                let out = run_from(&library, line(length as u64, length as u64), old.clone(), &[]);
                let mut expected = old.clone();
                for i in 0..length {
                    let k = i & (done as usize - 1);
                    let start = (i - k) * 4 + k;
                    let value = [old[2 * k].wrapping_sub(old[2 * k + 1]), i as u32];
                    let stays = (start as u32).checked_add(far).is_some();
                    let places = [0, done as usize, 2 * done as usize].map(|more| 2048 + 2 * (start + more));
                    for at in places.into_iter().chain(stays.then_some(4096 + 2 * start)) {
                        expected[at..at + 2].copy_from_slice(&value);
                    }
                }
                assert_eq!(out, expected, "{done} {far} {length} {mode:?}");
            }
        }
    }
}

#[test]
fn low_bits_of_places_go_on_by_one_and_are_shifted_as_far_as_the_numbers_are_long() {
    // The place itself where it is not below 0, with its sign, and times four; and one that begins again at the eighth.
    let mask = "%a = and i64 %far, 2147483647 %byte = shl i64 %a, 2";
    let shifts = "%a = shl i64 %far, 32 %byte = ashr exact i64 %a, 30";
    let both = "%a = shl i64 %far, 2 %byte = and i64 %a, 8589934588";
    for (from, cut) in [(0, mask), (0, shifts), (0, both), (8, mask), (8, both)] {
        let body = format!(
            "define void @k(ptr addrspace(1) %out) {{
            start: %i = call i64 @oxicl.global_id(i32 0)
            %in = icmp uge i64 %i, {from}
            br i1 %in, label %there, label %end
            there: %far = add i64 %i, {}
            {cut}
            %p = getelementptr i8, ptr addrspace(1) %out, i64 %byte
            %v = load i32, ptr addrspace(1) %p
            %w = mul i32 %v, 3
            store i32 %w, ptr addrspace(1) %p
            br label %end
            end: ret void }}",
            if from == 0 { 0 } else { (1u64 << 31) - from }
        );
        // What is added is nothing, and folded only by those who simplify.
        let body = if from == 0 { body.replace("add i64 %i, 0", "call i64 @oxicl.global_id(i32 0)") } else { body };
        let old: Vec<u32> = (1..=300u32).map(|n| n.wrapping_mul(0x9e37_79b9)).collect();
        assert_leaves(&body, &old, |length| {
            let is_in = |at: usize| at + (from as usize) < length;
            old.iter().enumerate().map(|(at, n)| if is_in(at) { n.wrapping_mul(3) } else { *n }).collect()
        });
    }
}

#[test]
fn the_upper_bits_of_a_sum_go_on_by_one_until_they_wrap() {
    // The low 6 bits of a place and 5, with their sign, times four: LLVM writes narrow sums as long ones that are shifted.
    let body = "define void @k(ptr addrspace(1) %out) {
        %i = call i64 @oxicl.global_id(i32 0)
        %upper = shl i64 %i, 58
        %sum = add i64 %upper, 1441151880758558720
        %byte = ashr exact i64 %sum, 56
        %middle = getelementptr i8, ptr addrspace(1) %out, i64 128
        %p = getelementptr i8, ptr addrspace(1) %middle, i64 %byte
        %v = load i32, ptr addrspace(1) %p
        %w = mul i32 %v, 3
        %behind = add i64 %i, 64
        %to = getelementptr i32, ptr addrspace(1) %out, i64 %behind
        store i32 %w, ptr addrspace(1) %to
        ret void }";
    let old: Vec<u32> = (1..=400u32).map(|n| n.wrapping_mul(0x9e37_79b9)).collect();
    assert_leaves(body, &old, |length| {
        let mut expected = old.clone();
        for i in 0..length {
            expected[64 + i] = old[(i + 5 + 32) % 64].wrapping_mul(3);
        }
        expected
    });
}

#[test]
fn promises_of_pointers_bind_only_work_items_that_use_them() {
    // Below the guard, the difference that a pointer begins with wraps; nobody goes on with it there.
    let body = |guard: u32, is_behind: bool| {
        let place = format!(
            "%from = sub nuw i32 %short, {guard}
            %there = zext i32 %from to i64
            %p = getelementptr i32, ptr addrspace(1) %out, i64 %there"
        );
        let (before, behind) = if is_behind { ("", &place[..]) } else { (&place[..], "") };
        format!(
            "define void @k(ptr addrspace(1) %out) {{
            start: %i = call i64 @oxicl.global_id(i32 0)
            %short = trunc i64 %i to i32
            {before}
            %in = icmp uge i64 %i, {guard}
            br i1 %in, label %inside, label %end
            inside: {behind}
            br label %turn
            turn: %q = phi ptr addrspace(1) [ %p, %inside ], [ %next, %turn ]
            %k = phi i32 [ 0, %inside ], [ %after, %turn ]
            %old = load i32, ptr addrspace(1) %q
            %new = add i32 %old, 1
            store i32 %new, ptr addrspace(1) %q
            %next = getelementptr i32, ptr addrspace(1) %q, i64 300
            %after = add nuw nsw i32 %k, 1
            %again = icmp ult i32 %after, 2
            br i1 %again, label %turn, label %end
            end: ret void }}"
        )
    };
    for (guard, is_behind) in [(0, false), (7, false), (21, false), (7, true), (21, true)] {
        for mode in MODES.into_iter().chain(GANGS) {
            let library = build(&body(guard, is_behind), &[global()], mode);
            for length in [1, 16, 37, 64, 300u32] {
                let out = run_from(&library, line(u64::from(length), u64::from(length)), vec![0u32; 600], &[]);
                let of = |place: u32| u32::from(place % 300 + guard < length);
                assert_eq!(
                    out,
                    (0..600).map(of).collect::<Vec<_>>(),
                    "{guard} of {length}, behind the guard: {is_behind}, {mode:?}"
                );
            }
        }
    }
}

/// A loop goes on from a short number that wraps in some gang, as LLVM has it where an index of 32 bits goes on.
#[test]
fn an_index_that_wraps_in_front_of_a_loop_goes_on_in_it() {
    const PLANE: usize = 1 << 16;
    const START: usize = PLANE - 21;
    let body = "define void @k(ptr addrspace(1) %out, i16 %before, i64 %step) {
        start: %i = call i64 @oxicl.global_id(i32 0)
        %short = trunc i64 %i to i16
        %n = add i16 %short, %before
        %first = zext i16 %n to i64
        br label %loop
        loop: %at = phi i64 [ %first, %start ], [ %next, %loop ]
        %turn = phi i32 [ 0, %start ], [ %more, %loop ]
        %p = getelementptr i8, ptr addrspace(1) %out, i64 %at
        %old = load i8, ptr addrspace(1) %p
        %new = add i8 %old, 1
        store i8 %new, ptr addrspace(1) %p
        %next = add nuw nsw i64 %at, %step
        %more = add i32 %turn, 1
        %again = icmp ult i32 %more, 3
        br i1 %again, label %loop, label %end
        end: ret void }";
    let arguments = [global(), argument(ArgumentKind::Value, 2, 8), argument(ArgumentKind::Value, 8, 16)];
    for mode in MODES.into_iter().chain(GANGS) {
        let library = build(body, &arguments, mode);
        if mode == (Mode::Full, 8) {
            let remarks = library.facts[0].remarks.join("\n");
            assert!(remarks.contains(" 0 accesses are each lane's own"), "{remarks}");
        }
        let mut out: Vec<u8> = (0..3 * PLANE).map(|n| n as u8).collect();
        let mut expected = out.clone();
        for item in 0..75 {
            for at in (0..3).map(|plane| plane * PLANE + (START + item) % PLANE) {
                expected[at] = expected[at].wrapping_add(1);
            }
        }
        let bytes = [&(START as u64).to_le_bytes()[..], &(PLANE as u64).to_le_bytes()].concat();
        run_on(&library, line(75, 75), &mut out, &bytes);
        assert!(out == expected, "{mode:?}");
    }
}

#[test]
fn lanes_that_follow_each_other_backwards_are_loaded_and_stored_side_by_side() {
    const LENGTH: usize = 173;
    for (ty, bytes, extend) in
        [("i8", 1, "sext"), ("i16", 2, "zext"), ("i32", 4, "sext"), ("i64", 8, "sext"), ("<3 x i8>", 3, "sext")]
    {
        // One value forwards of one backwards, and one backwards of one forwards.
        let body = format!(
            "define void @k(ptr addrspace(1) %out) {{
            start: %i = call i64 @oxicl.global_id(i32 0)
            %x = trunc i64 %i to i32
            %fifth = urem i32 %x, 5
            %in = icmp ne i32 %fifth, 3
            br i1 %in, label %on, label %end
            on: %less = xor i32 %x, -1
            %from = add i32 %less, {LENGTH}
            %scaled = mul i32 %from, {bytes}
            %back = {extend} i32 %scaled to i64
            %forth = mul i64 %i, {bytes}
            %p = getelementptr i8, ptr addrspace(1) %out, i64 %back
            %q = getelementptr i8, ptr addrspace(1) %out, i64 %forth
            %first = load {ty}, ptr addrspace(1) %p, align 1
            %second = load {ty}, ptr addrspace(1) %q, align 1
            %r = getelementptr i8, ptr addrspace(1) %q, i64 {one}
            store {ty} %first, ptr addrspace(1) %r, align 1
            %s = getelementptr i8, ptr addrspace(1) %p, i64 {two}
            store {ty} %second, ptr addrspace(1) %s, align 1
            br label %end
            end: ret void }}",
            one = LENGTH * bytes,
            two = 2 * LENGTH * bytes
        );
        let old: Vec<u8> = (0..3 * LENGTH * bytes).map(|n| (n * 151 + n / 256) as u8).collect();
        let mut expected = old.clone();
        for i in (0..LENGTH).filter(|i| i % 5 != 3) {
            let back = LENGTH - 1 - i;
            for byte in 0..bytes {
                expected[(LENGTH + i) * bytes + byte] = old[back * bytes + byte];
                expected[(2 * LENGTH + back) * bytes + byte] = old[i * bytes + byte];
            }
        }
        for mode in MODES.into_iter().chain(GANGS) {
            let library = build(&body, &[global()], mode);
            expect_strides(&library, mode);
            let out = run_from(&library, line(LENGTH as u64, LENGTH as u64), old.clone(), &[]);
            assert_eq!(out, expected, "{ty} {mode:?}");
        }
    }
}

#[test]
fn short_numbers_that_wrap_are_not_taken_for_neighbours_backwards() {
    // Behind the lowest index comes the highest, which is the last byte.
    let half = 1u64 << 31;
    for (extend, start, before) in [("sext", half + 20, half), ("zext", 20, 0)] {
        for how in GANGS {
            let out = written_at_short_indices("xor i32 %x32, -1", start + 1, extend, before, how);
            let last = out.len() - 11;
            assert_eq!(out[..21], (1..22).rev().collect::<Vec<u8>>(), "{extend}, {how:?}");
            assert_eq!(out[last..], (22..33).rev().collect::<Vec<u8>>(), "{extend}, {how:?}");
        }
    }
}
