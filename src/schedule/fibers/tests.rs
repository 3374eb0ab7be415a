//! Fibers that note what they do, and when.

use super::stacks::GUARDS;
use super::{make_named_barrier, pause, reserve, run, trim, wait_at_named_barrier};
use oxicl_abi::{GroupRecord, LaunchAddress};
use std::cell::RefCell;
use std::ffi::c_void;
use std::ptr::null;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};

type Log = RefCell<Vec<(u64, u32)>>;

/// Notes what a fiber does: its number and a step.
fn note(context: *mut u8, number: u64, step: u32) {
    // SAFETY: the tests pass a log.
    unsafe { &*context.cast::<Log>() }.borrow_mut().push((number, step));
}

unsafe extern "C" fn barriers(
    _: LaunchAddress,
    context: *mut u8,
    _: *const GroupRecord,
    number: u64,
    fibers: *mut c_void,
) {
    // Values that live across, in registers of both kinds.
    let mut sum = number as f64 + 0.5;
    for step in 0..3 {
        note(context, number, step);
        if number == 1 && step == 1 {
            return;
        }
        // SAFETY: that is what it was given.
        unsafe { pause(fibers, 1) };
        sum += 1.0;
    }
    assert_eq!(sum, number as f64 + 3.5);
}

#[test]
fn nobody_passes_a_barrier_before_all_that_are_left_have_come() {
    let log = Log::default();
    // SAFETY: `barriers` takes a log.
    unsafe { run(barriers, null(), (&raw const log).cast_mut().cast(), null(), 4) };
    let log = log.into_inner();
    assert_eq!(log.len(), 11);
    assert!(log.is_sorted_by_key(|(_, step)| *step), "{log:?}");
}

/// Each waits for the one with the next number, the last for none.
unsafe extern "C" fn chain(
    _: LaunchAddress,
    context: *mut u8,
    _: *const GroupRecord,
    number: u64,
    fibers: *mut c_void,
) {
    // SAFETY: the test passes a log.
    let log = unsafe { &*context.cast::<Log>() };
    while number < 99 && !log.borrow().iter().any(|(other, _)| *other == number + 1) {
        // SAFETY: that is what it was given.
        unsafe { pause(fibers, 0) };
    }
    note(context, number, 0);
}

#[test]
fn who_waits_for_a_later_one_goes_on_in_the_end() {
    let log = Log::default();
    for _ in 0..2 {
        log.borrow_mut().clear();
        // SAFETY: `chain` takes a log.
        unsafe { run(chain, null(), (&raw const log).cast_mut().cast(), null(), 100) };
        let order: Vec<u64> = log.borrow().iter().map(|(number, _)| *number).collect();
        assert_eq!(order, (0..100).rev().collect::<Vec<_>>());
    }
}

unsafe extern "C" fn stacks(_: LaunchAddress, context: *mut u8, _: *const GroupRecord, number: u64, _: *mut c_void) {
    let place = std::hint::black_box(&number) as *const u64 as usize;
    note(context, number, (place % 4096) as u32);
}

#[test]
fn who_does_not_wait_runs_in_order_on_one_stack() {
    let log = Log::default();
    // SAFETY: `stacks` takes a log.
    unsafe { run(stacks, null(), (&raw const log).cast_mut().cast(), null(), 1000) };
    let log = log.into_inner();
    assert!(log.iter().enumerate().all(|(index, (number, place))| *number == index as u64 && *place == log[0].1));
}

/// Keeps much on its stack while others go on.
unsafe extern "C" fn deep(_: LaunchAddress, context: *mut u8, _: *const GroupRecord, number: u64, fibers: *mut c_void) {
    let mut bytes = [number as u8; 700 << 10];
    std::hint::black_box(&mut bytes);
    // SAFETY: that is what it was given.
    unsafe { pause(fibers, 1) };
    note(context, number, bytes.iter().filter(|byte| **byte == number as u8).count() as u32);
}

#[test]
fn stacks_are_as_large_as_was_asked() {
    let log = Log::default();
    reserve(20, 700 << 10, None).unwrap();
    // SAFETY: `deep` takes a log.
    unsafe { run(deep, null(), (&raw const log).cast_mut().cast(), null(), 20) };
    assert_eq!(log.into_inner(), (0..20).map(|number| (number, 700 << 10)).collect::<Vec<_>>());
    // What was on the stacks is gone, and they are as good as before.
    trim(4 << 20, None).unwrap();
    let log = Log::default();
    // SAFETY: as above.
    unsafe { run(barriers, null(), (&raw const log).cast_mut().cast(), null(), 4) };
    assert_eq!(log.into_inner().len(), 11);
}

#[test]
fn stacks_are_as_large_as_the_launch_needs_them_not_as_those_before() {
    let thread = std::thread::spawn(|| {
        // This much a fiber would be more than there are addresses for many.
        reserve(1, 64 << 30, None).unwrap();
        reserve(8192, 0, None).unwrap();
        assert!(reserve(u64::MAX, 1, None).is_err());
        assert!(reserve(1, u64::MAX, None).is_err());
        reserve(1, 0, None).unwrap();
    });
    thread.join().unwrap();
}

/// Threads that meet with all their fibers begun.
struct Threads {
    barrier: Barrier,
    entries: AtomicUsize,
}

unsafe extern "C" fn crowd(
    _: LaunchAddress,
    context: *mut u8,
    _: *const GroupRecord,
    number: u64,
    fibers: *mut c_void,
) {
    // SAFETY: the test passes one, which outlives its threads.
    let threads = unsafe { &*context.cast::<Threads>() };
    // SAFETY: that is what it was given.
    unsafe { pause(fibers, 1) };
    if number == 0 {
        threads.barrier.wait();
        let entries = std::fs::read_to_string("/proc/self/maps").unwrap_or_default().lines().count();
        threads.entries.fetch_max(entries, Ordering::Relaxed);
        threads.barrier.wait();
    }
}

/// Entries of the list of mappings while so many threads have a thousand fibers each.
fn entries_with(count: usize) -> usize {
    let threads = Threads { barrier: Barrier::new(count), entries: AtomicUsize::new(0) };
    std::thread::scope(|scope| {
        let one = || {
            // SAFETY: `crowd` takes it.
            unsafe { run(crowd, null(), (&raw const threads).cast_mut().cast(), null(), 1000) };
        };
        let handles: Vec<_> = (0..count).map(|_| scope.spawn(one)).collect();
        // The end of the scope alone does not wait until the threads have dropped what is theirs.
        handles.into_iter().for_each(|handle| handle.join().unwrap());
    });
    threads.entries.into_inner()
}

#[test]
fn guards_of_many_threads_leave_room_in_the_list_of_mappings() {
    let all = GUARDS.load(Ordering::Relaxed);
    for _ in 0..3 {
        let many = entries_with(10);
        assert!(many > 4000, "stacks have guards: {many}");
        assert!(many < 2 * 4096 + 2000, "they have no end: {many}");
    }
    // A thread that ends gives back what it had; the other tests have few.
    assert!(GUARDS.load(Ordering::Relaxed) + 1000 > all);
}

/// The first two fibers meet at one named barrier five times, the others at another twice; then all at that of the work-group.
unsafe extern "C" fn two_sides(
    _: LaunchAddress,
    context: *mut u8,
    _: *const GroupRecord,
    number: u64,
    fibers: *mut c_void,
) {
    // SAFETY: that is what it was given.
    let [first, second] = [2, 3].map(|wanted| unsafe { make_named_barrier(fibers, wanted) });
    let (own, rounds) = if number < 2 { (first, 5) } else { (second, 2) };
    for round in 0..rounds {
        note(context, number, round);
        // SAFETY: as above.
        unsafe { wait_at_named_barrier(fibers, own) };
    }
    // SAFETY: as above.
    unsafe { pause(fibers, 1) };
    note(context, number, 100);
}

#[test]
fn who_waits_at_a_named_barrier_goes_on_when_as_many_have_come_as_it_is_for() {
    let log = Log::default();
    // SAFETY: `two_sides` takes a log.
    unsafe { run(two_sides, null(), (&raw const log).cast_mut().cast(), null(), 5) };
    let log = log.into_inner();
    assert_eq!(log.len(), 2 * 5 + 3 * 2 + 5);
    for side in [0..2, 2..5] {
        let own: Vec<_> = log.iter().filter(|(number, _)| side.contains(number)).collect();
        assert!(own.is_sorted_by_key(|(_, round)| *round), "{log:?}");
    }
    assert_eq!(log[16..], [0, 1, 2, 3, 4].map(|number| (number, 100)), "those who wait longest hold up the others");
}

/// Each round has a barrier of its own, for all fibers but the last.
unsafe extern "C" fn a_barrier_a_round(
    _: LaunchAddress,
    context: *mut u8,
    _: *const GroupRecord,
    number: u64,
    fibers: *mut c_void,
) {
    for round in 0..100 {
        // SAFETY: that is what it was given.
        let barrier = unsafe { make_named_barrier(fibers, 3) };
        if number < 3 {
            note(context, number, 2 * round);
            // SAFETY: as above.
            unsafe { wait_at_named_barrier(fibers, barrier) };
            note(context, number, 2 * round + 1);
        }
    }
}

#[test]
fn there_may_be_any_number_of_named_barriers() {
    let log = Log::default();
    // SAFETY: `a_barrier_a_round` takes a log.
    unsafe { run(a_barrier_a_round, null(), (&raw const log).cast_mut().cast(), null(), 4) };
    let log = log.into_inner();
    assert_eq!(log.len(), 600);
    assert!(log.is_sorted_by_key(|(_, step)| *step), "{log:?}");
}

/// Fibers wait at a barrier for more than there are, but for the last, which waits for all of them.
unsafe extern "C" fn too_few(
    _: LaunchAddress,
    context: *mut u8,
    _: *const GroupRecord,
    number: u64,
    fibers: *mut c_void,
) {
    // SAFETY: that is what it was given.
    let barrier = unsafe { make_named_barrier(fibers, 7) };
    if number < 3 {
        for step in 0..2 {
            // SAFETY: as above.
            unsafe { wait_at_named_barrier(fibers, barrier) };
            note(context, number, step);
        }
    }
    // SAFETY: as above.
    unsafe { pause(fibers, 1) };
    note(context, number, 2);
}

#[test]
fn who_waits_at_a_named_barrier_for_more_than_come_goes_on_in_the_end() {
    let log = Log::default();
    // SAFETY: `too_few` takes a log.
    unsafe { run(too_few, null(), (&raw const log).cast_mut().cast(), null(), 4) };
    let waited = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)];
    let all = [0, 1, 2, 3].map(|number| (number, 2));
    assert_eq!(log.into_inner(), [&waited[..], &all].concat());
}
