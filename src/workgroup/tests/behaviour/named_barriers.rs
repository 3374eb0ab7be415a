//! Kernels whose sub-groups wait at barriers for some of them.

use super::*;

/// What the kernels of this file call.
const SUB_GROUPS: &str = "
declare i32 @oxicl.sub_group_id() memory(none) nounwind willreturn speculatable
declare i32 @oxicl.num_sub_groups() memory(none) nounwind willreturn speculatable
declare i64 @oxicl.named_barrier.make(i32) convergent nounwind
declare void @oxicl.named_barrier.wait(i64, i32, i32) convergent nounwind
@shared = internal addrspace(3) global [256 x i32] undef, align 4
";

/// Sizes of sub-groups, and ways of compiling.
const WAYS: [(u32, How); 6] = [
    (1, (Mode::Bare, 1)),
    (1, (Mode::Full, 8)),
    (4, (Mode::Cheap, 0)),
    (8, (Mode::Bare, 0)),
    (8, (Mode::Full, 1)),
    (16, (Mode::Full, 0)),
];

/// Compiles the kernel `k` of a buffer whose sub-groups have `size` work-items, and which fibers run, a sub-group each.
fn build_for_sub_groups(body: &str, size: u32, mode: How) -> Library {
    let mut signature = signature(vec![global()]);
    signature.required_sub_group_size = (size > 1).then_some(size);
    let library = compile(&format!("{DECLARATIONS}{SUB_GROUPS}{body}"), &[("k", signature)], mode);
    assert_eq!((library.facts[0].style.fiber, library.facts[0].sub_group_size), (size, size), "{mode:?}");
    library
}

/// A local barrier of a named one.
fn wait(barrier: &str) -> String {
    format!("call void @oxicl.named_barrier.wait(i64 {barrier}, i32 2, i32 264)")
}

#[test]
fn each_side_goes_on_when_its_own_sub_groups_have_come() {
    // In each round a work-item adds thrice what another sub-group of its side has; the sides have different numbers of rounds. The
    // side follows from the sub-group, or from the local id, of which is not known that it is the same in a sub-group.
    let sides = ["icmp ult i32 %g, %half", "icmp ult i32 %x, %middle"];
    for (side, (size, mode)) in sides.into_iter().flat_map(|side| WAYS.map(|way| (side, way))) {
        let body = format!(
            "define void @k(ptr addrspace(1) %out) {{
            %i = call i64 @oxicl.global_id(i32 0)
            %l = call i64 @oxicl.local_id(i32 0)
            %items = call i64 @oxicl.local_size(i32 0)
            %all = trunc i64 %items to i32
            %x = trunc i64 %l to i32
            %g = call i32 @oxicl.sub_group_id()
            %n = call i32 @oxicl.num_sub_groups()
            %half = lshr i32 %n, 1
            %rest = sub i32 %n, %half
            %middle = mul i32 %half, {size}
            %one = call i64 @oxicl.named_barrier.make(i32 %half)
            %two = call i64 @oxicl.named_barrier.make(i32 %rest)
            %is_first = {side}
            %own = select i1 %is_first, i64 %one, i64 %two
            %rounds = select i1 %is_first, i32 5, i32 3
            %start = select i1 %is_first, i32 0, i32 %middle
            %end = select i1 %is_first, i32 %middle, i32 %all
            %length = sub i32 %end, %start
            %from = sub i32 %x, %start
            %far = add i32 %from, {size}
            %wrapped = urem i32 %far, %length
            %other = add i32 %start, %wrapped
            %mine = getelementptr i32, ptr addrspace(3) @shared, i32 %x
            %its = getelementptr i32, ptr addrspace(3) @shared, i32 %other
            %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
            %given = load i32, ptr addrspace(1) %p
            br label %round
            round: %r = phi i32 [ 0, %0 ], [ %r2, %round ]
            %v = phi i32 [ %given, %0 ], [ %v2, %round ]
            store i32 %v, ptr addrspace(3) %mine
            {}
            %seen = load i32, ptr addrspace(3) %its
            {}
            %thrice = mul i32 %seen, 3
            %v2 = add i32 %v, %thrice
            %r2 = add i32 %r, 1
            %more = icmp ult i32 %r2, %rounds
            br i1 %more, label %round, label %done
            done: store i32 %v2, ptr addrspace(1) %p
            ret void }}",
            wait("%own"),
            wait("%own")
        );
        let library = build_for_sub_groups(&body, size, mode);
        // The last sub-group is partial, if it can be.
        let local = (5 * size + size.div_ceil(2)) as usize;
        let mut out: Vec<u32> = (0..3 * local as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
        let mut expected = out.clone();
        run_on(&library, line(3 * local as u64, local as u64), &mut out, &[]);
        let middle = (local.div_ceil(size as usize) / 2) * size as usize;
        for group in expected.chunks_mut(local) {
            let (first, second) = group.split_at_mut(middle);
            for (side, rounds) in [(first, 5), (second, 3)] {
                for _ in 0..rounds {
                    let before = side.to_vec();
                    for (i, v) in side.iter_mut().enumerate() {
                        *v = v.wrapping_add(before[(i + size as usize) % before.len()].wrapping_mul(3));
                    }
                }
            }
        }
        assert_eq!(out, expected, "{side}, {size}, {mode:?}");
    }
}

#[test]
fn a_barrier_for_more_sub_groups_than_come_holds_nobody_up_for_ever() {
    // All wait twice for one sub-group more than there are, but for the last, which waits for all at the barrier of the work-group.
    let body = format!(
        "define void @k(ptr addrspace(1) %out) {{
        %i = call i64 @oxicl.global_id(i32 0)
        %g = call i32 @oxicl.sub_group_id()
        %n = call i32 @oxicl.num_sub_groups()
        %many = add i32 %n, 1
        %b = call i64 @oxicl.named_barrier.make(i32 %many)
        %next = add i32 %g, 1
        %is_last = icmp eq i32 %next, %n
        br i1 %is_last, label %meet, label %wait
        wait: {}
        {}
        br label %meet
        meet: %x = phi i32 [ 1, %0 ], [ 2, %wait ]
        {BARRIER}
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        store i32 %x, ptr addrspace(1) %p
        ret void }}",
        wait("%b"),
        wait("%b")
    );
    for (size, mode) in WAYS {
        let library = build_for_sub_groups(&body, size, mode);
        let local = 4 * size as usize;
        let out = run_from(&library, line(2 * local as u64, local as u64), vec![0u32; 2 * local], &[]);
        for (i, x) in out.into_iter().enumerate() {
            assert_eq!(x, if i % local < local - size as usize { 2 } else { 1 }, "work-item {i}, {size}, {mode:?}");
        }
    }
}

#[test]
fn a_loop_waits_for_who_comes_through_a_named_barrier() {
    // The first sub-group waits in a loop, which comes to a barrier for itself alone, until the second has met the third.
    let body = format!(
        "define void @k(ptr addrspace(1) %out) {{
        %g = call i32 @oxicl.sub_group_id()
        %flag = getelementptr i32, ptr addrspace(1) %out, i64 0
        %alone = call i64 @oxicl.named_barrier.make(i32 1)
        %two = call i64 @oxicl.named_barrier.make(i32 2)
        %is_first = icmp eq i32 %g, 0
        br i1 %is_first, label %ask, label %meet
        ask: {}
        %seen = load atomic i32, ptr addrspace(1) %flag acquire, align 4
        %is_set = icmp ne i32 %seen, 0
        br i1 %is_set, label %end, label %ask
        meet: {}
        store atomic i32 1, ptr addrspace(1) %flag release, align 4
        br label %end
        end: %i = call i64 @oxicl.global_id(i32 0)
        %j = add i64 %i, 1
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %j
        store i32 7, ptr addrspace(1) %p
        ret void }}",
        wait("%alone"),
        wait("%two")
    );
    for (size, mode) in WAYS {
        let library = build_for_sub_groups(&body, size, mode);
        let items = 3 * size as usize;
        let out = run_from(&library, line(items as u64, items as u64), vec![0u32; 1 + items], &[]);
        let expected: Vec<u32> = std::iter::once(1).chain(std::iter::repeat_n(7, items)).collect();
        assert_eq!(out, expected, "{size}, {mode:?}");
    }
}
