//! Launches of kernels that are functions of this file.
#![allow(unsafe_code, reason = "stands for compiled code")]

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use khronos_headers as cl;
use oxicl_abi::{AlongY, GroupRecord, GroupStyle, KernelFacts, LaunchRecord};
use oxicl_caps::DeviceCaps;
use oxicl_device::{ApiError, ArgumentBlock, Arguments, DeviceKernel, NdRange, Reach};
use oxicl_objects::command::Work;
use oxicl_objects::context::Context;
use oxicl_objects::device::Device;
use oxicl_objects::properties::PropertyList;
use oxicl_objects::queue::Queue;
use oxicl_schedule::Job;

use super::product::Which;
use super::{CpuBackend, CpuKernel};

/// Adds one to the work-group's counter; the argument is the address of the counters.
extern "C" fn count(launch: *const LaunchRecord, context: *mut u8, group: *const GroupRecord) {
    // SAFETY: the tests launch it along x with the address of enough counters as the only argument.
    unsafe {
        let counters = *((*launch).arguments as *const *const AtomicU64);
        // Claims its context block, as a kernel with local memory does.
        context.write_bytes(7, 100);
        (*counters.add((*group).id[0] as usize)).fetch_add(1, Ordering::Relaxed);
    }
}

/// The kernel of which [`count_until_better`] is the first code.
static TIERED: OnceLock<Arc<CpuKernel>> = OnceLock::new();

/// Work-groups of a launch of it, and the one behind which other code is there.
const TIERED_GROUPS: u64 = 50_000;
const SWITCH: u64 = 9_000;

/// Counts by ones.
extern "C" fn count_until_better(launch: *const LaunchRecord, context: *mut u8, group: *const GroupRecord) {
    count(launch, context, group);
    // SAFETY: the scheduler passes a record.
    if unsafe { (*group).id[0] } == SWITCH {
        let style = GroupStyle { merge: true, ..GroupStyle::default() };
        let facts = KernelFacts { local_bytes: 100, state_bytes_per_group: 5000, style, ..KernelFacts::default() };
        TIERED.get().unwrap().succeed_by(count_many, facts);
    }
}

/// What [`count_many`] adds.
const BETTER: u64 = 1 << 32;

/// Counts for work-groups of one work-item that run as one, with a larger context block.
extern "C" fn count_many(launch: *const LaunchRecord, context: *mut u8, group: *const GroupRecord) {
    // SAFETY: as for `count`.
    unsafe {
        let counters = *((*launch).arguments as *const *const AtomicU64);
        context.write_bytes(7, 5100);
        for number in 0..(*group).size[0] {
            (*counters.add(((*group).id[0] + number) as usize)).fetch_add(BETTER, Ordering::Relaxed);
        }
    }
}

/// Does nothing.
extern "C" fn empty(_: *const LaunchRecord, _: *mut u8, _: *const GroupRecord) {}

fn arguments(counters: &Arc<Vec<AtomicU64>>) -> Arc<Arguments> {
    let mut block = ArgumentBlock::new(8).unwrap();
    block.write(0, &(counters.as_ptr() as u64).to_ne_bytes()).unwrap();
    Arc::new(Arguments {
        block,
        dynamic_local: 0,
        keep: vec![counters.clone()],
        context: None,
        reach: Reach::default(),
        disjoint: false,
    })
}

fn range(groups: u64) -> NdRange {
    NdRange { dimensions: 1, offset: [0; 3], global: [groups, 1, 1], local: [1; 3] }
}

fn queue() -> Arc<Queue> {
    let device = Device::root(DeviceCaps::host(), Arc::new(CpuBackend));
    let context = Context::create(PropertyList::absent(), |_| true, vec![device], None).unwrap();
    Queue::create(&context, &context.devices[0], PropertyList::absent()).unwrap()
}

const KIND: u32 = cl::CL_COMMAND_NDRANGE_KERNEL;

#[test]
fn every_group_runs_once_and_the_arguments_live_until_then() {
    let queue = queue();
    let kernel = CpuKernel::of_test(count, KernelFacts { local_bytes: 100, ..KernelFacts::default() });
    for groups in [1, 2, 3, 1000, 100_000] {
        let counters: Arc<Vec<AtomicU64>> = Arc::new((0..groups).map(|_| AtomicU64::new(0)).collect());
        for _ in 0..3 {
            let work = kernel.clone().launch(&range(groups), arguments(&counters)).unwrap();
            queue.enqueue(KIND, &[], Work::Job(work)).unwrap();
        }
        queue.finish().unwrap();
        assert!(counters.iter().all(|counter| counter.load(Ordering::Relaxed) == 3));
        assert_eq!(Arc::strong_count(&counters), 1, "the arguments are gone with the command");
    }
}

#[test]
fn in_a_launch_that_other_code_takes_over_every_group_runs_once() {
    let queue = queue();
    let facts = KernelFacts { local_bytes: 100, ..KernelFacts::default() };
    let kernel = TIERED.get_or_init(|| CpuKernel::of_test_at_baseline(count_until_better, facts));
    let counters: Arc<Vec<AtomicU64>> = Arc::new((0..TIERED_GROUPS).map(|_| AtomicU64::new(0)).collect());
    let work = kernel.clone().launch(&range(TIERED_GROUPS), arguments(&counters)).unwrap();
    queue.enqueue(KIND, &[], Work::Job(work)).unwrap();
    queue.finish().unwrap();
    let count = |times| counters.iter().filter(|counter| counter.load(Ordering::Relaxed) == times).count() as u64;
    let (first, better) = (count(1), count(BETTER));
    assert_eq!(first + better, TIERED_GROUPS, "each group runs once");
    assert!(first > SWITCH / 2 && better > 0, "{first} by the first code, {better} by the other");
    // What begins now has the other alone.
    let work = kernel.clone().launch(&range(TIERED_GROUPS), arguments(&counters)).unwrap();
    queue.enqueue(KIND, &[], Work::Job(work)).unwrap();
    queue.finish().unwrap();
    assert_eq!((count(1 + BETTER), count(2 * BETTER)), (first, better));
}

/// Where [`note`] says which work-groups ran.
static STARTED: Mutex<Vec<[u64; 2]>> = Mutex::new(Vec::new());

extern "C" fn note(_: *const LaunchRecord, _: *mut u8, group: *const GroupRecord) {
    // SAFETY: the scheduler passes a record.
    let [x, y, _] = unsafe { (*group).id };
    STARTED.lock().unwrap().push([x, y]);
}

#[test]
fn an_execution_that_begins_once_other_code_is_there_has_its_order() {
    let kernel = CpuKernel::of_test_at_baseline(note, KernelFacts::default());
    // Columns are one work-group wide.
    let range = NdRange { dimensions: 2, offset: [0; 3], global: [2 << 14, 4, 1], local: [1 << 14, 2, 1] };
    let recorded = kernel.clone().launch(&range, arguments(&Arc::default())).unwrap();
    let queue = queue();
    let order = |job: &Arc<dyn Job>| {
        queue.enqueue(KIND, &[], Work::Job(job.successor().unwrap_or_else(|| job.clone()))).unwrap();
        queue.finish().unwrap();
        std::mem::take(&mut *STARTED.lock().unwrap())
    };
    let in_line = [[0, 0], [1, 0], [0, 1], [1, 1]];
    let in_columns = [[0, 0], [0, 1], [1, 0], [1, 1]];
    // It is known to be so short that one thread runs it.
    kernel.present(Which::First).unwrap().cost.sample(u64::MAX, 0);
    assert_eq!(order(&recorded), in_line);
    let style = GroupStyle { any_order: true, along_y: AlongY::Loads(4), ..GroupStyle::default() };
    kernel.succeed_by(note, KernelFacts { style, ..KernelFacts::default() });
    kernel.present(Which::Last).unwrap().cost.sample(u64::MAX, 0);
    for _ in 0..2 {
        assert_eq!(order(&recorded), in_columns);
    }
}

#[test]
fn a_group_that_does_not_fit_is_refused() {
    let facts = KernelFacts { state_bytes_per_gang: oxicl_caps::CONTEXT_LIMIT, lanes: 1, ..KernelFacts::default() };
    let kernel = CpuKernel::of_test(empty, facts);
    let mut range = range(4);
    range.local = [2, 1, 1];
    let none = Arc::new(Arguments {
        block: ArgumentBlock::new(0).unwrap(),
        dynamic_local: 0,
        keep: vec![],
        context: None,
        reach: Reach::default(),
        disjoint: false,
    });
    assert_eq!(kernel.clone().launch(&range, none.clone()).err(), Some(ApiError::OutOfResources));
    range.local = [1, 1, 1];
    assert!(kernel.launch(&range, none).is_ok());
}

/// Prints what launches cost: `cargo test --release -p oxicl-cpu -- --ignored --nocapture launch_times`.
#[test]
#[ignore = "measures"]
fn launch_times() {
    let queue = queue();
    let kernel = CpuKernel::of_test(empty, KernelFacts::default());
    let none = Arc::new(Arguments {
        block: ArgumentBlock::new(0).unwrap(),
        dynamic_local: 0,
        keep: vec![],
        context: None,
        reach: Reach::default(),
        disjoint: false,
    });
    let enqueue = |groups| {
        let work = kernel.clone().launch(&range(groups), none.clone()).unwrap();
        queue.enqueue(KIND, &[], Work::Job(work)).unwrap()
    };
    let measure = |name: &str, count: u32, run: &dyn Fn()| {
        let mut best = f64::MAX;
        for _ in 0..20 {
            let start = Instant::now();
            run();
            best = best.min(start.elapsed().as_secs_f64() / f64::from(count));
        }
        println!("{name}: {:.1} ns", best * 1e9);
    };
    measure("launch and finish", 1000, &|| {
        for _ in 0..1000 {
            enqueue(1);
            queue.finish().unwrap();
        }
    });
    measure("launch and wait", 1000, &|| {
        for _ in 0..1000 {
            enqueue(1).wait().unwrap();
        }
    });
    measure("batched launch", 1000, &|| {
        for _ in 0..1000 {
            enqueue(1);
        }
        queue.finish().unwrap();
    });
    measure("batched launch, flushed each", 1000, &|| {
        for _ in 0..1000 {
            enqueue(1);
            queue.flush();
        }
        queue.finish().unwrap();
    });
    measure("work-group of one", 1_000_000, &|| {
        enqueue(1_000_000);
        queue.finish().unwrap();
    });
}
