//! Loops that all lanes go through together until one of them leaves: as far as that pays on the machine, without masks.

use super::*;

/// Work-items of the launch.
const ITEMS: usize = 150;

/// A loop by strides of `%step` from a place `%from` that depends on the work-item, which counts its iterations.
fn strided(from: &str, test: &str) -> String {
    format!(
        "define void @k(ptr addrspace(1) %out, ptr addrspace(1) %counts, i64 %n, i64 %step) {{
        %i = call i64 @oxicl.global_id(i32 0)
        {from}
        br label %loop
        loop: %at = phi i64 [ %from, %0 ], [ %at.next, %again ]
        %count = phi i32 [ 0, %0 ], [ %count.next, %again ]
        %more = icmp {test}
        br i1 %more, label %body, label %end
        body: %p = getelementptr i32, ptr addrspace(1) %out, i64 %at
        %x = load i32, ptr addrspace(1) %p
        %odd = and i32 %x, 1
        %is.odd = icmp ne i32 %odd, 0
        br i1 %is.odd, label %change, label %again
        change: %y = mul i32 %x, 3
        store i32 %y, ptr addrspace(1) %p
        br label %again
        again: %count.next = add i32 %count, 1
        %at.next = add i64 %at, %step
        br label %loop
        end: %q = getelementptr i32, ptr addrspace(1) %counts, i64 %i
        store i32 %count, ptr addrspace(1) %q
        ret void }}"
    )
}

#[test]
fn every_element_is_reached_once_and_each_work_item_knows_how_many_were_its_own() {
    let forms = [
        ("%from = add i64 %i, 0", "ult i64 %at, %n", 1),
        ("%from = mul i64 %i, 2", "slt i64 %at, %n", 2),
        // From places that are each work-item's own.
        ("%half = lshr i64 %i, 1\n %from = xor i64 %half, %i", "ult i64 %at, %n", 0),
    ];
    let place = |kind, offset| argument(kind, 8, offset);
    let [buffer, number] = [ArgumentKind::Global, ArgumentKind::Value];
    let arguments = [place(buffer, 0), place(buffer, 8), place(number, 16), place(number, 24)];
    for (from, test, stride) in forms {
        let body = strided(from, test);
        let start = |i: usize| if stride > 0 { i * stride } else { i ^ (i >> 1) };
        for mode in GANGS.into_iter().chain([(Mode::Bare, 0), (Mode::Full, 0)]) {
            let library = build(&body, &arguments, mode);
            for n in [0, 1, 149, 150, 151, 512, 1000] {
                let step = 512;
                let old: Vec<u32> = (0..1000).map(|i| i * 7).collect();
                let (mut expected, mut expected_counts) = (old.clone(), vec![0; ITEMS]);
                for (i, count) in expected_counts.iter_mut().enumerate() {
                    for at in (start(i)..n).step_by(step) {
                        if expected[at] % 2 == 1 {
                            expected[at] *= 3;
                        }
                        *count += 1;
                    }
                }
                let (mut out, mut counts) = (old, vec![7; ITEMS]);
                let numbers = [n as u64, step as u64].map(u64::to_le_bytes).concat();
                let pointers = [out.as_mut_ptr() as u64, counts.as_mut_ptr() as u64].map(u64::to_le_bytes).concat();
                run(&library, 0, line(ITEMS as u64, 75), &[pointers, numbers].concat(), 0, 2);
                assert_eq!((out, counts), (expected, expected_counts), "{test} to {n}: {mode:?}");
            }
        }
    }
}
