//! Short work-groups that run as one.

use super::*;

const WAYS: [How; 5] = [(Mode::Bare, 4), (Mode::Cheap, 16), (Mode::Full, 8), (Mode::Full, 16), (Mode::Full, 64)];

/// Global and local sizes: of one work-item, of as many as divide the range and as do not, of several rows and planes, and too
/// long for some gangs.
const SIZES: [([u64; 3], [u64; 3]); 10] = [
    ([37, 1, 1], [1, 1, 1]),
    ([64, 1, 1], [2, 1, 1]),
    ([101, 1, 1], [3, 1, 1]),
    ([5000, 1, 1], [4, 1, 1]),
    ([90, 3, 2], [7, 1, 1]),
    ([100, 1, 1], [8, 1, 1]),
    ([66, 5, 1], [2, 2, 1]),
    ([23, 6, 5], [3, 4, 2]),
    ([9, 50, 2], [1, 16, 1]),
    ([200, 1, 1], [31, 1, 1]),
];

fn kernel(required: Option<[u32; 3]>, arguments: Vec<Argument>) -> KernelSignature {
    KernelSignature { required_work_group_size: required, ..signature(arguments) }
}

/// Runs `k` on a buffer, so many work-groups a call.
fn run_by<T>(library: &Library, (global, local): ([u64; 3], [u64; 3]), out: &mut [T], more: &[u8], chunk: u64) {
    let range = Range { dimensions: 3, offset: [1000, 20, 3], global, local };
    let mut block = (out.as_mut_ptr() as u64).to_le_bytes().to_vec();
    block.extend(more);
    run(library, 0, range, &block, 256, chunk);
}

/// Global, local and group ids and the size of the group, from a work-item's place in the range.
fn places(at: usize, (global, local): ([u64; 3], [u64; 3])) -> [[u64; 3]; 4] {
    let at = at as u64;
    let id = [at % global[0], at / global[0] % global[1], at / (global[0] * global[1])];
    let group = [0, 1, 2].map(|d| id[d] / local[d]);
    let own = [0, 1, 2].map(|d| id[d] % local[d]);
    let size = [0, 1, 2].map(|d| local[d].min(global[d] - group[d] * local[d]));
    [id, own, group, size]
}

#[test]
fn each_work_item_of_coalesced_groups_knows_its_own_place() {
    let mut body = String::from("define void @k(ptr addrspace(1) %out) {\n");
    body += "%i = call i64 @oxicl.global_linear_id()\n%base = mul i64 %i, 14\n\
             %row = getelementptr i64, ptr addrspace(1) %out, i64 %base\n%l = call i64 @oxicl.local_linear_id()\n";
    let mut values = vec!["%i".to_owned(), "%l".to_owned()];
    for name in ["global_id", "local_id", "group_id", "local_size"] {
        for d in 0..3 {
            body += &format!("%{name}{d} = call i64 @oxicl.{name}(i32 {d})\n");
            values.push(format!("%{name}{d}"));
        }
    }
    for (place, value) in values.iter().enumerate() {
        body += &format!("%p{place} = getelementptr i64, ptr addrspace(1) %row, i64 {place}\n");
        body += &format!("store i64 {value}, ptr addrspace(1) %p{place}\n");
    }
    body += "ret void }\n";
    let text = format!("{DECLARATIONS}{body}");
    for how in WAYS {
        let any = compile(&text, &[("k", kernel(None, vec![global()]))], how);
        assert!(any.facts[0].style.most_coalesced > 0, "{how:?}");
        for (global_size, local) in SIZES {
            let required = kernel(Some(local.map(|size| size as u32)), vec![global()]);
            let required = compile(&text, &[("k", required)], how);
            let packs = required.facts[0].remarks.iter().any(|remark| remark.contains("run as one"));
            assert!(packs || 8 * local[0] > u64::from(how.1), "{local:?} {how:?}");
            for (library, chunk) in [(&any, 1), (&any, 5), (&any, 100_000), (&required, 3), (&required, 100_000)] {
                let items = global_size.iter().product::<u64>() as usize;
                let mut out = vec![0u64; 14 * items];
                run_by(library, (global_size, local), &mut out, &[], chunk);
                for at in 0..items {
                    let [id, own, group, size] = places(at, (global_size, local));
                    let linear = (own[2] * size[1] + own[1]) * size[0] + own[0];
                    let mut expected = vec![at as u64, linear];
                    expected.extend([id[0] + 1000, id[1] + 20, id[2] + 3]);
                    expected.extend([own, group, size].concat());
                    assert_eq!(out[at * 14..][..14], expected, "{at} of {global_size:?} {local:?} {how:?} {chunk}");
                }
            }
        }
    }
}

#[test]
fn coalesced_groups_part_where_their_places_do_and_keep_what_is_their_own() {
    // The first of each group sums up what the group has, by turns as many as it has; the others write a private array by
    // their place. All count in their group's place.
    let body = "
        define void @k(ptr addrspace(1) %out) {
        start: %array = alloca [32 x i32], align 4
        %l = call i64 @oxicl.local_id(i32 0)
        %n = call i64 @oxicl.local_size(i32 0)
        %e = call i64 @oxicl.enqueued_local_size(i32 0)
        %g = call i64 @oxicl.group_id(i32 0)
        %counter = getelementptr i32, ptr addrspace(1) %out, i64 %g
        %old = atomicrmw add ptr addrspace(1) %counter, i32 1 monotonic
        %first = mul i64 %g, %e
        %at = add i64 %first, %l
        %to = getelementptr i32, ptr addrspace(1) %out, i64 %at
        %is.first = icmp eq i64 %l, 0
        br i1 %is.first, label %turn, label %other
        turn: %i = phi i64 [ 0, %start ], [ %next, %turn ]
        %sum = phi i32 [ 0, %start ], [ %more, %turn ]
        %from.at = add i64 %first, %i
        %from.p = getelementptr i32, ptr addrspace(1) %out, i64 %from.at
        %from.own = getelementptr i32, ptr addrspace(1) %from.p, i64 4096
        %from = load i32, ptr addrspace(1) %from.own
        %more = add i32 %sum, %from
        %next = add i64 %i, 1
        %again = icmp ult i64 %next, %n
        br i1 %again, label %turn, label %end
        other: %slot = getelementptr i32, ptr %array, i64 %l
        %g32 = trunc i64 %g to i32
        store i32 %g32, ptr %slot
        %back = getelementptr i32, ptr %array, i64 %l
        %read = load i32, ptr %back
        br label %end
        end: %result = phi i32 [ %more, %turn ], [ %read, %other ]
        %to.own = getelementptr i32, ptr addrspace(1) %to, i64 8192
        store i32 %result, ptr addrspace(1) %to.own
        ret void }";
    for how in WAYS {
        let library = build(body, &[global()], how);
        assert!(library.facts[0].style.most_coalesced > 0, "{how:?}");
        for local in [1, 2, 3, 4, 8, 9] {
            for (global_size, chunk) in [(1003usize, 10_000), (64, 10_000), (300, 7)] {
                let old: Vec<u32> = (0..12288u32).map(|n| if n < 4096 { 0 } else { n.wrapping_mul(77) }).collect();
                let mut out = old.clone();
                run_by(&library, ([global_size as u64, 1, 1], [local as u64, 1, 1]), &mut out, &[], chunk);
                let mut expected = old.clone();
                for id in 0..global_size {
                    let (group, own) = (id / local, id % local);
                    expected[group] += 1;
                    let members = group * local..global_size.min((group + 1) * local);
                    let sum = members.fold(0u32, |sum, at| sum.wrapping_add(old[4096 + at]));
                    expected[8192 + id] = if own == 0 { sum } else { group as u32 };
                }
                assert_eq!(out, expected, "{global_size} by {local}, {how:?}");
            }
        }
    }
}

#[test]
fn groups_with_local_memory_do_not_run_as_one() {
    // Each work-item has its place in local memory for a while, or the only one: nobody else in its work-group takes it.
    for (place, ask) in [("%l", "%l = call i64 @oxicl.local_id(i32 0)"), ("0", "")] {
        let body = format!(
            "define void @k(ptr addrspace(1) %out, ptr addrspace(3) %local) {{
            %i = call i64 @oxicl.global_id(i32 0)
            {ask}
            %own = getelementptr i32, ptr addrspace(3) %local, i64 {place}
            %i32 = trunc i64 %i to i32
            store volatile i32 %i32, ptr addrspace(3) %own
            %read = load volatile i32, ptr addrspace(3) %own
            %at = sub i64 %i, 1000
            %to = getelementptr i32, ptr addrspace(1) %out, i64 %at
            store i32 %read, ptr addrspace(1) %to
            ret void }}"
        );
        let arguments = [global(), argument(ArgumentKind::Local { align: 4 }, 8, 8)];
        for how in WAYS {
            let library = build(&body, &arguments, how);
            for local in [1, 4].into_iter().filter(|local| place == "%l" || *local == 1) {
                let mut out = [0u32; 100];
                run_by(&library, ([100, 1, 1], [local, 1, 1]), &mut out, &0u64.to_le_bytes(), 1000);
                assert!(out.iter().enumerate().all(|(at, id)| *id == at as u32 + 1000), "{local}, {how:?}: {out:?}");
            }
        }
    }
}
