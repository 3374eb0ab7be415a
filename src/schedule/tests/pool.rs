//! The pool as its users see it.
#![allow(unsafe_code, reason = "forks")]

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use oxicl_schedule::{Failed, Helper, Job, Outbox, Runnable, Seat, Seats, Task, fork, submit};

/// Counts its units, and how many threads are in it at once.
struct Count {
    units: u64,
    each: Duration,
    sum: Arc<AtomicU64>,
    inside: Arc<AtomicUsize>,
    most_inside: Arc<AtomicUsize>,
}

impl Job for Count {
    fn units(&self) -> u64 {
        self.units
    }
    fn cost(&self) -> Option<u64> {
        None
    }
    fn run(&self, units: Range<u64>, _: &mut Seat) -> Result<(), Failed> {
        let inside = self.inside.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_inside.fetch_max(inside, Ordering::SeqCst);
        for unit in units {
            self.sum.fetch_add(unit + 1, Ordering::Relaxed);
            if !self.each.is_zero() {
                thread::sleep(self.each);
            }
        }
        self.inside.fetch_sub(1, Ordering::SeqCst);
        Ok(())
    }
}

struct Work {
    seats: Seats,
    task: Task<Count>,
    ended: AtomicU64,
    then: Vec<Arc<Work>>,
}

impl Runnable for Work {
    fn seats(&self) -> Seats {
        self.seats
    }
    fn threads(&self) -> u32 {
        self.task.threads()
    }
    fn more(&self) -> bool {
        self.task.more()
    }
    fn list(&self) -> bool {
        self.task.list()
    }
    fn was_listed(&self) -> bool {
        self.task.was_listed()
    }
    fn run(&self, seat: &mut Seat, slow: &mut dyn FnMut()) -> bool {
        self.task.run(seat, slow).is_some()
    }
    fn on_end(self: Arc<Self>, ready: &mut Outbox) {
        self.ended.fetch_add(1, Ordering::Release);
        ready.extend(self.then.iter().cloned().map(|next| -> Arc<dyn Runnable> { next }));
    }
}

#[derive(Clone, Default)]
struct Counters {
    sum: Arc<AtomicU64>,
    inside: Arc<AtomicUsize>,
    most_inside: Arc<AtomicUsize>,
}

impl Counters {
    fn work(&self, units: u64, each: Duration, seats: Seats, then: Vec<Arc<Work>>) -> Arc<Work> {
        let Counters { sum, inside, most_inside } = self.clone();
        let task = Task::new(Some(Count { units, each, sum, inside, most_inside }), seats);
        Arc::new(Work { seats, task, ended: AtomicU64::new(0), then })
    }
}

fn wait(work: &Work) {
    let start = Instant::now();
    while work.ended.load(Ordering::Acquire) == 0 {
        assert!(start.elapsed() < Duration::from_secs(20), "the work does not end");
        thread::yield_now();
    }
    assert_eq!(work.ended.load(Ordering::Acquire), 1);
}

#[test]
fn what_is_submitted_runs_without_a_waiter_and_so_does_what_follows() {
    let counters = Counters::default();
    let last = counters.work(10, Duration::ZERO, Seats::all(), vec![]);
    let other = counters.work(10, Duration::ZERO, Seats::all(), vec![]);
    let first = counters.work(1000, Duration::ZERO, Seats::all(), vec![last.clone(), other.clone()]);
    submit(first.clone());
    for work in [first, last, other] {
        wait(&work);
    }
    assert_eq!(counters.sum.load(Ordering::Relaxed), 500_500 + 2 * 55);
}

#[test]
fn a_helper_ends_a_task_alone() {
    let counters = Counters::default();
    let work = counters.work(1, Duration::ZERO, Seats::all(), vec![]);
    let mut outbox = Outbox::new();
    loop {
        // Other tests use the same seats.
        if let Some(mut helper) = Helper::sit(Seats::all()) {
            helper.run(work.clone(), &mut outbox);
            break;
        }
    }
    assert_eq!(work.ended.load(Ordering::Relaxed), 1);
    assert!(!work.was_listed());
}

#[test]
fn no_more_threads_run_for_a_device_than_it_has_seats() {
    let one = Seats::all().split(0, 1).unwrap();
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
                    let work = counters.work(units, Duration::ZERO, Seats::all(), vec![]);
                    submit(work.clone());
                    if units % 2 == 0
                        && let Some(mut helper) = Helper::sit(Seats::all())
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

#[test]
fn a_child_runs_new_work_with_a_pool_of_its_own() {
    let counters = Counters::default();
    let busy = counters.work(100, Duration::from_millis(20), Seats::all(), vec![]);
    submit(busy.clone());
    // SAFETY: the child uses only what survives a fork, and leaves by _exit.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let _section = fork::enter();
        let fresh = Counters::default();
        let work = fresh.work(100, Duration::ZERO, Seats::all(), vec![]);
        submit(work.clone());
        let start = Instant::now();
        while work.ended.load(Ordering::Acquire) == 0 && start.elapsed() < Duration::from_secs(10) {
            thread::yield_now();
        }
        let good = fresh.sum.load(Ordering::Relaxed) == 5050 && busy.ended.load(Ordering::Relaxed) == 0;
        // SAFETY: leaves without running anything of the test harness.
        unsafe { libc::_exit(i32::from(!good)) };
    }
    let mut status = 0;
    // SAFETY: waits for the child.
    unsafe { libc::waitpid(child, &mut status, 0) };
    assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "status {status:#x}");
    wait(&busy);
}
