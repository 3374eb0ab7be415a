//! Work that counts, for tests of the pool.
#![allow(dead_code, reason = "not every test uses all of it")]

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use oxicl_schedule::{Failed, Job, Outbox, Runnable, Task, TaskState, WorkerSlot, WorkerSlots};

/// Counts its units, and how many threads are in it at once.
pub struct Count {
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
    fn run(&self, units: Range<u64>, _: &mut WorkerSlot) -> Result<(), Failed> {
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

/// A task of the pool.
pub struct Work {
    slots: WorkerSlots,
    /// Its progress.
    pub task: Task<Count>,
    /// How often it ended.
    pub ended: AtomicU64,
    then: Vec<Arc<Work>>,
}

impl Runnable for Work {
    fn slots(&self) -> WorkerSlots {
        self.slots
    }
    fn state(&self) -> &TaskState {
        self.task.state()
    }
    fn run(&self, slot: &mut WorkerSlot, slow: &mut dyn FnMut()) -> bool {
        self.task.run(slot, slow).is_some()
    }
    fn on_end(self: Arc<Self>, ready: &mut Outbox) {
        self.ended.fetch_add(1, Ordering::Release);
        ready.extend(self.then.iter().cloned().map(|next| -> Arc<dyn Runnable> { next }));
    }
}

/// What the works of a test count together.
#[derive(Clone, Default)]
pub struct Counters {
    /// The numbers of all units, from 1 on.
    pub sum: Arc<AtomicU64>,
    inside: Arc<AtomicUsize>,
    /// Threads at once.
    pub most_inside: Arc<AtomicUsize>,
}

impl Counters {
    /// A task of `units`, each of which takes so long; `then` is ready when it has ended.
    pub fn work(&self, units: u64, each: Duration, slots: WorkerSlots, then: Vec<Arc<Work>>) -> Arc<Work> {
        let Counters { sum, inside, most_inside } = self.clone();
        let task = Task::new(Some(Count { units, each, sum, inside, most_inside }), slots);
        Arc::new(Work { slots, task, ended: AtomicU64::new(0), then })
    }
}

/// Waits for the end, and that it came once.
pub fn wait(work: &Work) {
    let start = Instant::now();
    while work.ended.load(Ordering::Acquire) == 0 {
        assert!(start.elapsed() < Duration::from_secs(20), "the work does not end");
        thread::yield_now();
    }
    assert_eq!(work.ended.load(Ordering::Acquire), 1);
}
