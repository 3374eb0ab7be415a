//! Atomic operations of gangs: on one place, on few, and where work-items wait for each other.

use super::*;

type Change = fn(u32, u32) -> u32;

/// Atomic operations, and what each makes of two numbers.
const CHANGES: [(&str, Change); 9] = [
    ("add", u32::wrapping_add),
    ("sub", u32::wrapping_sub),
    ("and", |a, b| a & b),
    ("or", |a, b| a | b),
    ("xor", |a, b| a ^ b),
    ("max", |a, b| (a as i32).max(b as i32) as u32),
    ("min", |a, b| (a as i32).min(b as i32) as u32),
    ("umax", u32::max),
    ("umin", u32::min),
];

/// A kernel whose work-items, but for every third one, change one number by one of theirs and keep what they found. The number
/// is in global memory, or in local memory meanwhile.
fn changes(operation: &str, local: bool, keep: bool) -> String {
    let (space, cell) = if local { (3, "@cell") } else { (1, "%out") };
    let kept = if keep { "store i32 %old, ptr addrspace(1) %p" } else { "" };
    format!(
        "@cell = internal addrspace(3) global i32 undef, align 4
        define void @k(ptr addrspace(1) %out) {{
        %i = call i64 @oxicl.local_id(i32 0)
        %first = icmp eq i64 %i, 0
        br i1 %first, label %begin, label %begun
        begin: %before = load i32, ptr addrspace(1) %out
        store i32 %before, ptr addrspace(3) @cell
        br label %begun
        begun: {BARRIER}
        %j = add i64 %i, 1
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %j
        %third = urem i64 %i, 3
        %takes = icmp ne i64 %third, 1
        br i1 %takes, label %go, label %gone
        go: %own = load i32, ptr addrspace(1) %p
        %old = atomicrmw {operation} ptr addrspace({space}) {cell}, i32 %own monotonic
        {kept}
        br label %gone
        gone: {BARRIER}
        br i1 %first, label %end, label %ended
        end: %after = load i32, ptr addrspace({space}) {cell}
        store i32 %after, ptr addrspace(1) %out
        br label %ended
        ended: ret void }}"
    )
}

#[test]
fn one_place_is_changed_in_the_order_of_work_items() {
    let mut numbers = vec![0x00f0_1234u32];
    numbers.extend((0..37u32).map(|i| i.wrapping_mul(0x9e37_79b9) ^ 0x0f0f));
    for (operation, change) in CHANGES {
        for (local, keep) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut expected = numbers.clone();
            for i in (0..37).filter(|i| i % 3 != 1) {
                let old = expected[0];
                expected[0] = change(old, numbers[i + 1]);
                if keep {
                    expected[i + 1] = old;
                }
            }
            for mode in GANGS {
                let library = build(&changes(operation, local, keep), &[global()], mode);
                let out = run_from(&library, line(37, 37), numbers.clone(), &[]);
                assert_eq!(out, expected, "{operation}, local: {local}, kept: {keep}, {mode:?}");
            }
        }
    }
}

#[test]
fn a_lock_in_local_memory_is_taken_by_one() {
    let body = format!(
        "@lock = internal addrspace(3) global i32 undef, align 4
        define void @k(ptr addrspace(1) %out) {{
        %i = call i64 @oxicl.local_id(i32 0)
        store i32 7, ptr addrspace(3) @lock
        {BARRIER}
        %value = trunc i64 %i to i32
        %pair = cmpxchg ptr addrspace(3) @lock, i32 7, i32 %value monotonic monotonic
        %found = extractvalue {{ i32, i1 }} %pair, 0
        %won = extractvalue {{ i32, i1 }} %pair, 1
        %flag = zext i1 %won to i32
        %high = shl i32 %flag, 16
        %result = or i32 %high, %found
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        store i32 %result, ptr addrspace(1) %p
        ret void }}"
    );
    for mode in MODES.into_iter().chain(GANGS) {
        let library = build(&body, &[global()], mode);
        let out = run_from(&library, line(20, 20), vec![9u32; 20], &[]);
        let mut expected = [0u32; 20];
        // Work-item 7 puts the same number back, but the first one was there before.
        expected[0] = 1 << 16 | 7;
        assert_eq!(out, expected, "{mode:?}");
    }
}

#[test]
fn work_items_that_take_a_lock_one_after_the_other_come_to_an_end() {
    let body = |take: &str| {
        format!(
            "define void @k(ptr addrspace(1) %out) {{
            entry: %n = getelementptr i32, ptr addrspace(1) %out, i64 1
            br label %try
            try: {take}
            br i1 %got, label %taken, label %try
            taken: %old = load volatile i32, ptr addrspace(1) %n
            %new = add i32 %old, 1
            store volatile i32 %new, ptr addrspace(1) %n
            store atomic i32 0, ptr addrspace(1) %out seq_cst, align 4
            ret void }}"
        )
    };
    let takes = [
        "%pair = cmpxchg ptr addrspace(1) %out, i32 0, i32 1 seq_cst seq_cst
        %got = extractvalue { i32, i1 } %pair, 1",
        "%was = atomicrmw xchg ptr addrspace(1) %out, i32 1 seq_cst
        %got = icmp eq i32 %was, 0",
        "%was = atomicrmw or ptr addrspace(1) %out, i32 1 seq_cst
        %got = icmp eq i32 %was, 0",
    ];
    for take in takes {
        for mode in GANGS {
            let library = build(&body(take), &[global()], mode);
            let out = run_from(&library, line(40, 20), vec![0u32; 2], &[]);
            assert_eq!(out, [0, 40], "{take} {mode:?}");
        }
    }
    let called = body("call void @take(ptr addrspace(1) %out)")
        .replace("br i1 %got, label %taken, label %try", "br label %taken");
    let called = format!(
        "{called} define internal void @take(ptr addrspace(1) %lock) noinline {{
        entry: br label %try
        try: {}
        br i1 %got, label %taken, label %try
        taken: ret void }}",
        takes[1].replace("%out", "%lock")
    );
    for mode in [(Mode::Bare, 4), (Mode::Bare, 16)] {
        let library = build(&called, &[global()], mode);
        let out = run_from(&library, line(40, 20), vec![0u32; 2], &[]);
        assert_eq!(out, [0, 40], "called, {mode:?}");
    }
}

#[test]
fn work_items_change_few_places_in_turn_and_find_what_the_one_before_left() {
    let of = |change: &str, sharing: u64| {
        format!(
            "define void @k(ptr addrspace(1) %out) {{
            entry: %i = call i64 @oxicl.global_id(i32 0)
            %word = udiv i64 %i, {sharing}
            %place = getelementptr i32, ptr addrspace(1) %out, i64 %word
            %own = trunc i64 %i to i32
            %real = uitofp i32 %own to float
            %half = lshr i32 %own, 1
            %kept = urem i32 %own, 3
            %some = icmp ne i32 %kept, 1
            br i1 %some, label %change, label %done
            change: {change}
            %at = add i64 %i, 5
            %p = getelementptr i32, ptr addrspace(1) %out, i64 %at
            store i32 %was, ptr addrspace(1) %p
            br label %done
            done: ret void }}"
        )
    };
    let items = (0u32..40).filter(|item| item % 3 != 1);
    // What a work-item finds at first, and what it leaves where it has found something.
    type Leaves = fn(u32, u32) -> u32;
    let cases: [(&str, u32, Leaves); 5] = [
        ("%was = atomicrmw xchg ptr addrspace(1) %place, i32 %own seq_cst", 77, |own, _| own),
        (
            "%pair = cmpxchg ptr addrspace(1) %place, i32 %half, i32 %own acq_rel monotonic
            %was = extractvalue { i32, i1 } %pair, 0",
            1,
            |own, found| if found == own / 2 { own } else { found },
        ),
        (
            "%before = atomicrmw fadd ptr addrspace(1) %place, float %real monotonic
            %was = bitcast float %before to i32",
            0.5f32.to_bits(),
            |own, found| (f32::from_bits(found) + own as f32).to_bits(),
        ),
        ("%was = atomicrmw or ptr addrspace(1) %place, i32 %half seq_cst", 64, |own, found| found | (own / 2)),
        ("%was = atomicrmw nand ptr addrspace(1) %place, i32 %own release", 5, |own, found| !(found & own)),
    ];
    // All share one place; those of a gang do or do not.
    for ((change, start, leaves), sharing) in cases.into_iter().flat_map(|case| [40, 16, 9].map(|n| (case, n))) {
        let mut expected = vec![0u32; 45];
        expected[..5].fill(start);
        for item in items.clone() {
            let place = item as usize / sharing;
            expected[item as usize + 5] = expected[place];
            expected[place] = leaves(item, expected[place]);
        }
        for mode in MODES.into_iter().chain(GANGS) {
            let library = build(&of(change, sharing as u64), &[global()], mode);
            let mut out = vec![0u32; 45];
            out[..5].fill(start);
            run_on(&library, line(40, 40), &mut out, &[]);
            assert_eq!(out, expected, "{change}, shared by {sharing}, {mode:?}");
            assert_eq!(library.facts[0].lanes, mode.1, "{:?}", library.facts[0].remarks);
        }
    }
}

#[test]
fn work_items_that_try_again_with_what_they_find_stay_together() {
    let body = "define void @k(ptr addrspace(1) %out) {
        entry: %i = call i64 @oxicl.global_id(i32 0)
        %own = trunc i64 %i to i32
        br label %try
        try: %old = load volatile i32, ptr addrspace(1) %out
        %new = add i32 %old, %own
        %pair = cmpxchg ptr addrspace(1) %out, i32 %old, i32 %new seq_cst seq_cst
        %got = extractvalue { i32, i1 } %pair, 1
        br i1 %got, label %done, label %try
        done: ret void }";
    for (mode, lanes) in GANGS {
        let library = build(body, &[global()], (mode, lanes));
        let out = run_from(&library, line(40, 20), vec![5u32], &[]);
        assert_eq!(out, [5 + 39 * 40 / 2], "{mode:?}");
        assert_eq!(library.facts[0].lanes, lanes, "{:?}", library.facts[0].remarks);
    }
}

#[test]
fn work_items_count_by_a_component_of_their_vectors() {
    let body = "define void @k(ptr addrspace(1) %out) {
        %i = call i64 @oxicl.global_id(i32 0)
        %j = add i64 %i, 8
        %p = getelementptr <4 x i8>, ptr addrspace(1) %out, i64 %j
        %x = load <4 x i8>, ptr addrspace(1) %p, align 4
        %second = extractelement <4 x i8> %x, i64 1
        %low = and i8 %second, 7
        %bin = zext i8 %low to i64
        %b = getelementptr i32, ptr addrspace(1) %out, i64 %bin
        %old = atomicrmw add ptr addrspace(1) %b, i32 1 monotonic
        ret void }";
    let numbers: Vec<u32> = (0..45).map(|i: u32| if i < 8 { 0 } else { i.wrapping_mul(2_654_435_761) }).collect();
    let mut expected = numbers.clone();
    for number in &numbers[8..] {
        expected[(number >> 8) as usize & 7] += 1;
    }
    for mode in MODES.into_iter().chain(GANGS) {
        let library = build(body, &[global()], mode);
        let out = run_from(&library, line(37, 37), numbers.clone(), &[]);
        assert_eq!(out, expected, "{mode:?}");
    }
}
