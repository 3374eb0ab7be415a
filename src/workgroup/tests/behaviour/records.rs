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
                let mut out = old;
                run_on(&library, line(length as u64, length as u64), &mut out, &[]);
                assert_eq!(out, expected, "{count} {low_first} {apart} {length} {mode:?}");
            }
        }
    }
}
