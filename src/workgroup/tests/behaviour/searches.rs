//! Loops that go on from what they find in memory, which wait for nobody, beside those that look at one place until it changes.

use super::*;

/// Does a kernel with a loop from `%start` run as fibers? `turn` is the loop, whose blocks are `loop` and whatever it has; it ends at
/// `%end`.
fn waits(turn: &str) -> bool {
    let body = format!(
        "{DECLARATIONS}
        declare i32 @llvm.umin.i32(i32, i32)
        declare i32 @llvm.umax.i32(i32, i32)
        define void @k(ptr addrspace(1) %out) {{
        entry: %i = call i64 @oxicl.global_id(i32 0)
        %start = trunc i64 %i to i32
        %own = getelementptr i32, ptr addrspace(1) %out, i64 %i
        %flag = getelementptr i32, ptr addrspace(1) %out, i64 1000
        br label %loop
        {turn}
        end: %result = phi i32 [ %x, %loop ]
        store i32 %result, ptr addrspace(1) %own
        ret void }}"
    );
    let context = oxicl_llvm::Context::new();
    let kernels = [("k", signature(vec![global()]))];
    let facts = machine::transform(&context, &body, &kernels, Mode::Bare, (4, 1)).1;
    facts[0].style.fiber != 0
}

/// A loop that loads `%x` from where `%at` says, which is then `next`, until it is `done`. `more` computes `next`.
fn looks(kind: &str, more: &str, next: &str, done: &str) -> String {
    format!(
        "loop: %at = phi i32 [ %start, %entry ], [ {next}, %more ]
        %far = sext i32 %at to i64
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %far
        %x = load {kind}
        {done}
        br i1 %done, label %end, label %more
        more: {more}
        br label %loop"
    )
}

const VOLATILE: &str = "volatile i32, ptr addrspace(1) %p, align 4";
const ATOMIC: &str = "atomic i32, ptr addrspace(1) %p acquire, align 4";
const IS_ROOT: &str = "%done = icmp eq i32 %x, %at";
const IS_SET: &str = "%done = icmp ne i32 %x, 0";

#[test]
fn who_follows_what_it_finds_waits_for_nobody() {
    for kind in [VOLATILE, ATOMIC] {
        assert!(!waits(&looks(kind, "", "%x", IS_ROOT)), "{kind}");
        // By way of a number that is only loaded, and of one of two.
        let hop = "%x.far = sext i32 %x to i64
            %q = getelementptr i32, ptr addrspace(1) %own, i64 %x.far
            %y = load i32, ptr addrspace(1) %q";
        assert!(!waits(&looks(kind, hop, "%y", IS_ROOT)), "{kind}");
        let either = format!("{hop}\n%odd = trunc i32 %x to i1\n%z = select i1 %odd, i32 %x, i32 %y");
        assert!(!waits(&looks(kind, &either, "%z", IS_ROOT)), "{kind}");
    }
}

#[test]
fn who_may_look_at_the_same_place_again_waits() {
    let stays = "%none = icmp eq i32 %x, 0\n%next = select i1 %none, i32 %at, i32 %x";
    let by_phi = "%none = icmp eq i32 %x, 0
        br i1 %none, label %latch, label %other
        other: br label %latch
        latch: %next = phi i32 [ %at, %more ], [ %x, %other ]";
    let constants = "%odd = trunc i32 %x to i1\n%next = select i1 %odd, i32 4, i32 7";
    let back = "%there = icmp eq i32 %x, 1\n%less = zext i1 %there to i32\n%next = sub i32 %at, %less";
    let both = "%y = load volatile i32, ptr addrspace(1) %flag";
    // Memory has it, but always at one place.
    let fixed = "fence acquire\n%next = load i32, ptr addrspace(1) %flag";
    let taken = "%next = atomicrmw xchg ptr addrspace(1) %flag, i32 7 monotonic";
    // The place that it loads from stays, and so does what is there.
    let through = "%none = icmp eq i32 %x, 0
        %low = select i1 %none, i32 %kept, i32 %x
        %low.far = sext i32 %low to i64
        %q = getelementptr i32, ptr addrspace(1) %own, i64 %low.far
        %next = load i32, ptr addrspace(1) %q";
    for kind in [VOLATILE, ATOMIC] {
        for (more, next) in [("", "%start"), (stays, "%next"), (constants, "%next"), (back, "%next"), (taken, "%next")]
        {
            assert!(waits(&looks(kind, more, next, IS_SET)), "{kind}: {more}");
        }
        assert!(waits(&looks(kind, fixed, "%next", IS_SET)), "{kind}");
        let by_phi = looks(kind, by_phi, "%next", IS_SET).replace("[ %next, %more ]", "[ %next, %latch ]");
        assert!(waits(&by_phi), "{by_phi}");
        // Another access follows what it finds.
        let polls = format!("{both}\n%done = icmp ne i32 %y, 0");
        assert!(waits(&looks(kind, "", "%x", &polls)), "{kind}");
        assert!(!waits(&looks(kind, "", "%x", &format!("{both}\n{IS_ROOT}"))), "{kind}");
        let kept = "loop: %kept = phi i32 [ %start, %entry ], [ %low, %more ]";
        let polls = looks(kind, through, "%next", IS_SET).replacen("loop:", kept, 1);
        assert!(waits(&polls), "{polls}");
    }
}

/// Each work-item puts two numbers into one set: it looks for the roots of both, and has the higher one lead to the lower one.
fn union() -> String {
    let root = |name: &str, from: &str| {
        format!(
            "{name}.at = phi i32 [ {name}, {from} ], [ {name}.found, {name}.on ]
            {name}.far = zext i32 {name}.at to i64
            {name}.p = getelementptr i32, ptr addrspace(1) %out, i64 {name}.far
            {name}.found = load volatile i32, ptr addrspace(1) {name}.p, align 4
            {name}.is = icmp eq i32 {name}.found, {name}.at"
        )
    };
    format!(
        "loop: %a = phi i32 [ %one, %begin ], [ %old, %again ]
        %b = phi i32 [ %other, %begin ], [ %low, %again ]
        br label %of.a
        of.a: {}
        br i1 %a.is, label %start.b, label %a.on
        a.on: br label %of.a
        start.b: br label %of.b
        of.b: {}
        br i1 %b.is, label %roots, label %b.on
        b.on: br label %of.b
        roots: %same = icmp eq i32 %a.at, %b.at
        br i1 %same, label %end, label %join
        join: %low = call i32 @llvm.umin.i32(i32 %a.at, i32 %b.at)
        %high = call i32 @llvm.umax.i32(i32 %a.at, i32 %b.at)
        %high.far = zext i32 %high to i64
        %high.p = getelementptr i32, ptr addrspace(1) %out, i64 %high.far
        %old = atomicrmw umin ptr addrspace(1) %high.p, i32 %low monotonic
        %joined = icmp eq i32 %old, %high
        br i1 %joined, label %end, label %again
        again: br label %loop",
        root("%a", "%loop"),
        root("%b", "%start.b")
    )
}

#[test]
fn work_items_put_numbers_into_sets_without_fibers() {
    const COUNT: usize = 300;
    let body = format!(
        "declare i32 @llvm.umin.i32(i32, i32)
        declare i32 @llvm.umax.i32(i32, i32)
        define void @k(ptr addrspace(1) %out) {{
        entry: %i = call i64 @oxicl.global_id(i32 0)
        br label %begin
        begin: %pairs = getelementptr i32, ptr addrspace(1) %out, i64 {COUNT}
        %pair = getelementptr [2 x i32], ptr addrspace(1) %pairs, i64 %i
        %second = getelementptr i32, ptr addrspace(1) %pair, i64 1
        %one = load i32, ptr addrspace(1) %pair
        %other = load i32, ptr addrspace(1) %second
        br label %loop
        {}
        end: ret void }}",
        union()
    );
    // Numbers that are near each other, so that the trees are deep, and many pairs for one set.
    let pair =
        |i: u32| [i.wrapping_mul(0x9e37_79b9) >> 16, i.wrapping_mul(0x85eb_ca6b) >> 15].map(|n| n % COUNT as u32);
    let pairs: Vec<[u32; 2]> = (0..250).map(|i| if i % 3 == 0 { [i, i + 1] } else { pair(i) }).collect();
    let mut sets: Vec<u32> = (0..COUNT as u32).collect();
    for pair in &pairs {
        let [one, other] = pair.map(|n| sets[n as usize]);
        sets.iter_mut().filter(|set| **set == one.max(other)).for_each(|set| *set = one.min(other));
    }
    let start: Vec<u32> = (0..COUNT as u32).chain(pairs.into_iter().flatten()).collect();
    for mode in MODES.into_iter().chain(GANGS) {
        let library = build(&body, &[global()], mode);
        assert_eq!(library.facts[0].style.fiber, 0, "{mode:?}");
        for local in [1, 5, 50, 250] {
            let out = run_from(&library, line(250, local), start.clone(), &[]);
            let root = |mut at: u32| {
                while out[at as usize] != at {
                    at = out[at as usize];
                }
                at
            };
            let wrong = (0..COUNT as u32).find(|at| root(*at) != sets[*at as usize]);
            assert_eq!(wrong, None, "{local}, {mode:?}");
        }
    }
}
