//! Records of numbers, which work-items load and store one after the other.

use super::*;

/// A kernel whose work-items, but for the first three, move `count` words each around by one. The loads begin with the lowest place, or not;
/// and the accesses are all together, or the last word is loaded behind the first store.
fn rotates(count: u64, low_first: bool, apart: bool) -> String {
    let mut body = format!(
        "define void @k(ptr addrspace(1) %out) {{
        start: %i = call i64 @oxicl.global_id(i32 0)
        %in = icmp ugt i64 %i, 2
        br i1 %in, label %go, label %end
        go: %at = mul nuw nsw i64 %i, {count}
        %base = getelementptr i32, ptr addrspace(1) %out, i64 %at\n"
    );
    let place = |number: u64| match number % 3 {
        0 => format!("%p{number} = getelementptr i8, ptr addrspace(1) %base, i64 {}\n", 4 * number),
        _ => format!(
            "%n{number} = add i64 %at, {number}
            %p{number} = getelementptr i32, ptr addrspace(1) %out, i64 %n{number}\n"
        ),
    };
    body.extend((0..count).map(place));
    let load = |number: u64| format!("%v{number} = load i32, ptr addrspace(1) %p{number}\n");
    let store = |number: u64| format!("store i32 %v{number}, ptr addrspace(1) %p{}\n", (number + 1) % count);
    let order: Vec<u64> = if low_first { (0..count).collect() } else { (0..count).rev().collect() };
    let (last, rest) = order.split_last().expect("several");
    body.extend(rest.iter().copied().map(load));
    if apart {
        // To where it is loaded from.
        body += &format!("%same = add i32 %v{}, 0\nstore i32 %same, ptr addrspace(1) %p{}\n", rest[0], rest[0]);
    }
    body += &load(*last);
    body.extend((0..count).map(store));
    body + "br label %end\nend: ret void }"
}

#[test]
fn records_that_are_accessed_whole_are_no_lanes_own() {
    for (count, low_first, apart) in
        [(2, true, false), (3, true, false), (5, false, false), (8, true, false), (8, true, true), (16, true, false)]
    {
        for mode in MODES.into_iter().chain(GANGS) {
            let body = rotates(count, low_first, apart);
            let library = build(&body, &[global()], mode);
            let remarks = library.facts[0].remarks.join("\n");
            if mode.1 == 8 && !apart && count > 4 && machine::target().can(oxicl_target::Ability::Gather) {
                assert!(remarks.contains(" 0 accesses are each lane's own"), "{count} {mode:?}: {remarks}");
            }
            for length in [1, 5, 16, 37, 64usize] {
                let old: Vec<u32> = (0..1100u32).map(|n| n.wrapping_mul(0x9e37_79b9)).collect();
                let mut expected = old.clone();
                for record in expected.chunks_mut(count as usize).take(length).skip(3) {
                    record.rotate_right(1);
                }
                let out = run_from(&library, line(length as u64, length as u64), old, &[]);
                assert_eq!(out, expected, "{count} {low_first} {apart} {length} {mode:?}");
            }
        }
    }
}

/// A kernel that adds to each of a record's four bytes its number and one, and stores it before it loads the next, a few bytes on in the
/// same record. The records' numbers have 16 bits, so they begin again within a gang; and both parameters may be said to be alone.
fn copies_records(alone: &str, on: u64) -> String {
    let mut body = format!(
        "define void @k(ptr addrspace(1) {alone} %out, ptr addrspace(1) {alone} %in, i16 %start) {{
        %i = call i64 @oxicl.global_id(i32 0)
        %short = trunc i64 %i to i16
        %n = add i16 %short, %start
        %b0 = shl i16 %n, 2\n"
    );
    for number in 1..4 {
        body += &format!("%b{number} = or disjoint i16 %b0, {number}\n");
    }
    for number in 0..4 {
        let to = (number + on) % 4;
        body += &format!(
            "%from{number} = zext i16 %b{number} to i64
            %p{number} = getelementptr i8, ptr addrspace(1) %in, i64 %from{number}
            %v{number} = load i8, ptr addrspace(1) %p{number}
            %w{number} = add i8 %v{number}, {}
            %to{number} = zext i16 %b{to} to i64
            %q{number} = getelementptr i8, ptr addrspace(1) %out, i64 %to{number}
            store i8 %w{number}, ptr addrspace(1) %q{number}\n",
            number + 1
        );
    }
    body + "ret void }"
}

#[test]
fn a_record_is_accessed_as_one_past_what_is_of_other_bytes_only() {
    const BYTES: usize = 1 << 16;
    const START: usize = (1 << 14) - 21;
    let old: Vec<u8> = (0..BYTES).map(|n| ((n * 37) >> 3) as u8).collect();
    for (alone, is_same, on) in [("noalias", false, 1), ("", false, 0), ("", true, 0), ("", true, 1), ("", true, 3)] {
        // With one buffer for both, the kernel has one parameter for both, too, or two.
        for twice in [false, true] {
            let body = copies_records(alone, on);
            let body = if twice && is_same { body.replace("%in, i64", "%out, i64") } else { body };
            for mode in MODES.into_iter().chain(GANGS) {
                let library = build(
                    &body,
                    &[global(), argument(ArgumentKind::Global, 8, 8), argument(ArgumentKind::Value, 2, 16)],
                    mode,
                );
                let (input, mut out) = (old.clone(), old.clone());
                let mut expected = old.clone();
                for record in (0..75).map(|item| (START + item) % (1 << 14) * 4) {
                    for number in 0..4 {
                        let from = if is_same { expected[record + number] } else { input[record + number] };
                        expected[record + (number + on as usize) % 4] = from.wrapping_add(number as u8 + 1);
                    }
                }
                let from = if is_same { out.as_mut_ptr().addr() } else { input.as_ptr().addr() };
                let bytes = [&from.to_le_bytes()[..], &(START as u16).to_le_bytes()].concat();
                run_on(&library, line(75, 75), &mut out, &bytes);
                assert!(out == expected, "{alone} {is_same} {on} {twice} {mode:?}");
            }
        }
    }
}

#[test]
fn the_accesses_of_a_work_item_keep_their_order_where_llvm_makes_vectors_of_several() {
    // One buffer is given for both parameters: the second number may be stored before it is loaded.
    let body = |store: &str| {
        format!(
            "define void @k(ptr addrspace(1) %out, ptr addrspace(1) %in) {{
            start: %i = call i64 @oxicl.global_id(i32 0)
            %even = shl nuw nsw i64 %i, 1
            %odd = or disjoint i64 %even, 1
            %p = getelementptr inbounds i8, ptr addrspace(1) %in, i64 %even
            %q = getelementptr inbounds i8, ptr addrspace(1) %in, i64 %odd
            %to = getelementptr inbounds i8, ptr addrspace(1) %out, i64 %odd
            %back = getelementptr inbounds i8, ptr addrspace(1) %out, i64 %even
            %x = load i8, ptr addrspace(1) %p
            %more = add i8 %x, 1
            {store}
            %y = load i8, ptr addrspace(1) %q
            %sum = add i8 %x, %y
            store i8 %sum, ptr addrspace(1) %back
            ret void }}"
        )
    };
    let stores = [
        "store i8 %more, ptr addrspace(1) %to",
        "%in.range = icmp ugt i8 %x, 99
        br i1 %in.range, label %then, label %rest
        then: store i8 %more, ptr addrspace(1) %to
        br label %rest
        rest:",
    ];
    for (at_least, store) in [0, 100].into_iter().zip(stores) {
        for mode in MODES.into_iter().chain(GANGS) {
            let library = build(&body(store), &[global(), argument(ArgumentKind::Global, 8, 8)], mode);
            let mut out: Vec<u8> = (0..600).map(|n| (n * 7) as u8).collect();
            let mut expected = out.clone();
            for record in expected[..512].chunks_exact_mut(2) {
                record[1] = if record[0] >= at_least { record[0].wrapping_add(1) } else { record[1] };
                record[0] = record[0].wrapping_add(record[1]);
            }
            let same = out.as_mut_ptr().addr().to_le_bytes();
            run_on(&library, line(256, 256), &mut out, &same);
            assert_eq!(out, expected, "{at_least} {mode:?}");
        }
    }
}
