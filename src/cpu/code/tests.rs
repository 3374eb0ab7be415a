//! Kernels of which a test says what becomes known.

use oxicl_abi::GroupStyle;

use super::*;

extern "C" fn nothing(_: *const oxicl_abi::LaunchRecord, _: *mut u8, _: *const oxicl_abi::GroupRecord) {}

fn facts() -> KernelFacts {
    KernelFacts { name: "k".into(), sub_group_size: 16, local_bytes: 8, lanes: 64, ..KernelFacts::default() }
}

fn code(facts: KernelFacts) -> Code {
    Code::of_test(nothing, facts, Tier::Full)
}

/// A kernel that was planned.
fn planned() -> Arc<CpuKernel> {
    let kernel = CpuKernel::new("k".into(), None, None, None, Tier::Full);
    kernel.told(Step::Planned(vec![KernelFacts { name: "other".into(), ..facts() }, facts()]));
    kernel
}

#[test]
fn code_of_another_try_is_taken_only_if_nobody_can_tell() {
    assert!(planned().accept(code(KernelFacts { lanes: 1, stack_bytes: 100, ..facts() })).is_ok());
    for other in [KernelFacts { sub_group_size: 1, ..facts() }, KernelFacts { local_bytes: 16, ..facts() }] {
        let failure = planned().accept(code(other)).err().expect("refused");
        assert!(failure.to_string().contains("other local memory or sub-groups"), "{failure}");
    }
}

#[test]
fn what_takes_over_does_so_once_and_what_is_told_stays() {
    let kernel = CpuKernel::new("k".into(), None, None, None, Tier::Baseline);
    kernel.settle(Ok(Code::of_test(nothing, facts(), Tier::Baseline)));
    assert!(kernel.last().is_none());
    assert_eq!(kernel.code(Which::Last).expect("the best there is").facts.lanes, 64);
    kernel.succeed(Some(code(KernelFacts { lanes: 32, ..facts() })));
    kernel.succeed(Some(code(KernelFacts { lanes: 1, ..facts() })));
    let lanes = |which| kernel.code(which).expect("there").facts.lanes;
    assert_eq!((lanes(Which::First), lanes(Which::Last)), (64, 32));
    assert_eq!(kernel.planned().expect("planned").lanes, 64);
}

#[test]
fn what_was_told_first_is_what_is_told() {
    let kernel = planned();
    kernel.told(Step::Planned(vec![KernelFacts { lanes: 1, ..facts() }]));
    kernel.settle(Ok(code(KernelFacts { lanes: 1, ..facts() })));
    assert_eq!(kernel.planned().expect("planned"), &facts());
    assert_eq!(kernel.code(Which::Last).expect("there").facts.lanes, 1);
    kernel.settle(Err(BuildFailure::new(Stage::Load, "too late")));
    assert!(kernel.is_proved() && kernel.last().is_some());
}

#[test]
fn rows_are_short_for_gangs_unless_work_groups_run_as_one() {
    let apart = KernelFacts { scalar_rows: 3, ..facts() };
    let merged = KernelFacts { style: GroupStyle { merge: true, ..GroupStyle::default() }, ..apart.clone() };
    let coalesced = KernelFacts { style: GroupStyle { most_coalesced: 8, ..GroupStyle::default() }, ..apart.clone() };
    let lanes = |facts: &KernelFacts, x: u64, local: [u64; 3], of_thread: u64| {
        let range = NdRange { dimensions: 3, offset: [0; 3], global: [x, 8, 1], local };
        narrow_lanes(facts, &range, of_thread)
    };
    let is_short = |facts: &KernelFacts, x, local, of_thread| lanes(facts, x, local, of_thread) == Some(1);
    assert!(is_short(&apart, 1000, [3, 1, 1], 4000) && !is_short(&apart, 1000, [4, 1, 1], 4000));
    for joined in [merged.clone(), coalesced] {
        assert!(!is_short(&joined, 1000, [3, 1, 1], 4000));
        assert!(is_short(&joined, 1000, [3, 1, 1], 3), "a thread has few");
        assert!(is_short(&joined, 3, [1, 1, 1], 4000), "the launch has few along x");
    }
    assert!(is_short(&merged, 1000, [3, 2, 1], 4000), "several rows are merged if the style says so");
    assert!(!is_short(&facts(), 1, [1, 1, 1], 1), "nothing is gained");
    let narrow = KernelFacts { scalar_rows: 5, narrow_rows: 8 + 4, ..facts() };
    let of_row = |row| lanes(&narrow, 1000, [row, 1, 1], 4000);
    assert_eq!([1, 2, 4, 5, 8].map(of_row), [1, 1, 4, 1, 8].map(Some));
    assert_eq!([6, 12, 16].map(of_row), [None; 3]);
}
