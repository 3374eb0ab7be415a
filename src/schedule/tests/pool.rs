//! The pool as its users see it.

mod work;

use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use oxicl_schedule::{Helper, Outbox, WorkerSlots, submit};

use work::{Counters, wait};

#[test]
fn what_is_submitted_runs_without_a_waiter_and_so_does_what_follows() {
    let counters = Counters::default();
    let last = counters.work(10, Duration::ZERO, WorkerSlots::all(), vec![]);
    let other = counters.work(10, Duration::ZERO, WorkerSlots::all(), vec![]);
    let first = counters.work(1000, Duration::ZERO, WorkerSlots::all(), vec![last.clone(), other.clone()]);
    submit(first.clone());
    for work in [first, last, other] {
        wait(&work);
    }
    assert_eq!(counters.sum.load(Ordering::Relaxed), 500_500 + 2 * 55);
}

#[test]
fn a_helper_ends_a_task_alone() {
    let counters = Counters::default();
    let work = counters.work(1, Duration::ZERO, WorkerSlots::all(), vec![]);
    let mut outbox = Outbox::new();
    loop {
        // Other tests use the same slots.
        if let Some(mut helper) = Helper::sit(WorkerSlots::all()) {
            helper.run(work.clone(), &mut outbox);
            break;
        }
    }
    assert_eq!(work.ended.load(Ordering::Relaxed), 1);
    assert!(!work.task.state().was_listed());
}

#[test]
fn no_more_threads_run_for_a_device_than_it_has_worker_slots() {
    let one = WorkerSlots::all().split(0, 1).unwrap();
    let counters = Counters::default();
    let works: Vec<_> = (0..20).map(|_| counters.work(20, Duration::from_micros(50), one, vec![])).collect();
    for work in &works {
        submit(work.clone());
        if let Some(mut helper) = Helper::sit(one) {
            helper.run(work.clone(), &mut Outbox::new());
        }
    }
    for work in &works {
        wait(work);
    }
    assert_eq!(counters.most_inside.load(Ordering::Relaxed), 1);
}

#[test]
fn many_threads_submit_and_help() {
    let counters = Counters::default();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for units in 1..200 {
                    let work = counters.work(units, Duration::ZERO, WorkerSlots::all(), vec![]);
                    submit(work.clone());
                    if units % 2 == 0
                        && let Some(mut helper) = Helper::sit(WorkerSlots::all())
                    {
                        helper.run(work.clone(), &mut Outbox::new());
                    }
                    wait(&work);
                }
            });
        }
    });
    let each: u64 = (1..200u64).map(|units| units * (units + 1) / 2).sum();
    assert_eq!(counters.sum.load(Ordering::Relaxed), 8 * each);
}
