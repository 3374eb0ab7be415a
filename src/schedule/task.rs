//! A job under way: what is handed out, what is finished, and the job itself until its end.
#![allow(unsafe_code, reason = "shares a job among threads and takes it out when the last of them is done")]

use std::cell::UnsafeCell;
use std::fmt;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::progress::Progress;
use crate::worker_slot::{WorkerSlot, WorkerSlots};
use crate::{Failed, fork};

/// Work that divides into units, which threads run in any grouping. It has no progress of its own, so the same job can
/// be run again, and several times at once.
pub trait Job: Send + Sync {
    /// Number of units.
    fn units(&self) -> u64;

    /// The least number of units in a chunk.
    fn grain(&self) -> u64 {
        1
    }

    /// Expected time for everything on one thread, in nanoseconds, if known.
    fn cost(&self) -> Option<u64>;

    /// Roughly how many small steps it takes. Where the cost is unknown, a job is judged by this.
    fn steps(&self) -> u64 {
        self.units()
    }

    /// Runs some units, in increasing order.
    ///
    /// # Errors
    /// They could not be run; the whole job then counts as failed, though other units run.
    fn run(&self, units: Range<u64>, slot: &mut WorkerSlot) -> Result<(), Failed>;

    /// Whether [`sampled`](Job::sampled) is wanted.
    fn wants_sample(&self) -> bool {
        false
    }

    /// Told how long one thread took for some units.
    fn sampled(&self, _units: u64, _nanoseconds: u64) {}

    /// Called after the last unit.
    fn finish(&self) {}

    /// The job that is run in place of this one from now on, if there is one: the code that it runs has become better
    /// since it was made.
    fn successor(&self) -> Option<Arc<dyn Job>> {
        None
    }
}

impl<J: Job + ?Sized> Job for Arc<J> {
    fn units(&self) -> u64 {
        (**self).units()
    }
    fn grain(&self) -> u64 {
        (**self).grain()
    }
    fn cost(&self) -> Option<u64> {
        (**self).cost()
    }
    fn steps(&self) -> u64 {
        (**self).steps()
    }
    fn run(&self, units: Range<u64>, slot: &mut WorkerSlot) -> Result<(), Failed> {
        (**self).run(units, slot)
    }
    fn wants_sample(&self) -> bool {
        (**self).wants_sample()
    }
    fn sampled(&self, units: u64, nanoseconds: u64) {
        (**self).sampled(units, nanoseconds);
    }
    fn finish(&self) {
        (**self).finish();
    }
    fn successor(&self) -> Option<Arc<dyn Job>> {
        (**self).successor()
    }
}

/// Waking a thread pays if there is this much work for it, in nanoseconds.
const WORTH_A_THREAD: u64 = 8_000;
/// A chunk is to take at least this long, in nanoseconds.
const WORTH_A_CHUNK: u64 = 2_000;
/// After this time a job that was thought short asks for more threads.
const SLOW: Duration = Duration::from_micros(20);

/// What the pool asks a task, whatever its job is.
#[derive(Debug)]
pub struct TaskState {
    progress: Progress,
    /// Whether it was listed for workers.
    listed: AtomicBool,
}

impl TaskState {
    /// How many threads are worth it.
    pub fn threads(&self) -> u32 {
        self.progress.threads()
    }

    /// Whether units are left to hand out.
    pub fn more(&self) -> bool {
        self.progress.more()
    }

    /// Marks it as listed; true if it was not.
    pub fn list(&self) -> bool {
        !self.listed.load(Ordering::Relaxed) && !self.listed.swap(true, Ordering::Relaxed)
    }

    /// Whether it was listed.
    pub fn was_listed(&self) -> bool {
        self.listed.load(Ordering::Relaxed)
    }
}

/// A job and its progress. The job is dropped when its last unit is finished.
pub struct Task<J> {
    state: TaskState,
    failed: AtomicBool,
    job: UnsafeCell<Option<J>>,
}

// SAFETY: the job is shared while units are unfinished, hence `Sync`; it is dropped on any thread, hence `Send`. All
// changes of the cell are made by a thread that has exclusive use of it, as the comments at each say.
unsafe impl<J: Send + Sync> Sync for Task<J> {}

impl<J> fmt::Debug for Task<J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task").field("state", &self.state).finish_non_exhaustive()
    }
}

impl<J: Job> Task<J> {
    /// Lays the job out for the slots of a device. `None` is a task without units, which never runs.
    pub fn new(job: Option<J>, slots: WorkerSlots) -> Self {
        let progress = job.as_ref().map_or_else(|| Progress::new(0, 1, 1), |job| lay_out(job, slots));
        let state = TaskState { progress, listed: AtomicBool::new(false) };
        Task { state, failed: AtomicBool::new(false), job: UnsafeCell::new(job) }
    }

    /// What the pool asks.
    pub fn state(&self) -> &TaskState {
        &self.state
    }

    /// Runs chunks until none are left to hand out. `slow` is called at most once, when more threads would help. The
    /// one caller that finishes the last unit is told the outcome; the job is gone by then.
    pub fn run(&self, slot: &mut WorkerSlot, slow: &mut dyn FnMut()) -> Option<Result<(), Failed>> {
        let first = self.state.progress.take()?;
        // SAFETY: the cell changes only when all units are reported finished; until we report ours, the job is there
        // and shared.
        let job = unsafe { (*self.job.get()).as_ref() }?;
        let sample = job.wants_sample();
        let probing = self.state.progress.threads() == 1 && self.state.progress.total() > 1;
        let start = (sample || probing).then(Instant::now);
        let mut asked = !probing;
        let mut units = 0;
        let mut next = Some(first);
        while let Some(chunk) = next {
            units += chunk.end - chunk.start;
            let run = || catch_unwind(AssertUnwindSafe(|| job.run(chunk, slot)));
            if !matches!(fork::outside(run), Ok(Ok(()))) {
                self.failed.store(true, Ordering::Relaxed);
            }
            if !asked && self.state.progress.more() && start.is_some_and(|start| start.elapsed() > SLOW) {
                asked = true;
                slow();
            }
            next = self.state.progress.take();
        }
        if sample && let Some(start) = start {
            job.sampled(units, u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX));
        }
        if !self.state.progress.done(units) {
            return None;
        }
        // SAFETY: all units are reported finished, and only one caller is told so: nobody else uses the job.
        let job = unsafe { (*self.job.get()).take() };
        let finished = catch_unwind(AssertUnwindSafe(|| {
            if let Some(job) = job {
                job.finish();
            }
        }));
        let failed = finished.is_err() || self.failed.load(Ordering::Relaxed);
        Some(if failed { Err(Failed) } else { Ok(()) })
    }

    /// Gives up a job of which no unit was handed out: takes all and runs none. Does nothing otherwise.
    pub fn cancel(&self) {
        if self.state.progress.take_all() {
            // SAFETY: all units were handed to us, so nobody else uses the job, and nobody will.
            drop(unsafe { (*self.job.get()).take() });
        }
    }
}

/// How many threads are worth it, if there were as many, for work that takes one thread `cost` nanoseconds.
pub fn worthwhile_threads(cost: u64) -> u32 {
    u32::try_from(cost / WORTH_A_THREAD + 1).unwrap_or(u32::MAX)
}

fn lay_out(job: &impl Job, slots: WorkerSlots) -> Progress {
    let units = job.units();
    let most = u32::try_from(units.div_ceil(job.grain().max(1))).unwrap_or(u32::MAX).min(slots.len());
    let Some(cost) = job.cost() else { return Progress::new(units, most, job.grain()) };
    let smallest = u128::from(units) * u128::from(WORTH_A_CHUNK) / u128::from(cost.max(1));
    let threads = most.min(worthwhile_threads(cost));
    // A task for one thread starts with a probe, which must stay small.
    let smallest =
        if threads == 1 { 1 } else { u64::try_from(smallest).unwrap_or(u64::MAX).min(units / u64::from(threads)) };
    Progress::new(units, threads, smallest.max(job.grain()))
}

#[cfg(test)]
mod tests {
    use super::{Job, Task};
    use crate::Failed;
    use crate::worker_slot::{WorkerSlot, WorkerSlots};
    use std::ops::Range;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::{Arc, Weak};

    struct Sum {
        total: Arc<AtomicU64>,
        units: u64,
        outcome: fn() -> Result<(), Failed>,
        alive: Arc<()>,
    }

    impl Job for Sum {
        fn units(&self) -> u64 {
            self.units
        }
        fn cost(&self) -> Option<u64> {
            Some(1)
        }
        fn run(&self, units: Range<u64>, _: &mut WorkerSlot) -> Result<(), Failed> {
            self.total.fetch_add(units.sum::<u64>(), Ordering::Relaxed);
            (self.outcome)()
        }
        fn finish(&self) {
            self.total.fetch_add(1_000_000, Ordering::Relaxed);
        }
    }

    fn sum(units: u64, outcome: fn() -> Result<(), Failed>) -> (Task<Sum>, Arc<AtomicU64>, Weak<()>) {
        let (total, alive) = (Arc::new(AtomicU64::new(0)), Arc::new(()));
        let weak = Arc::downgrade(&alive);
        (Task::new(Some(Sum { total: total.clone(), units, outcome, alive }), WorkerSlots::all()), total, weak)
    }

    #[test]
    fn the_last_unit_ends_the_job_and_drops_it() {
        let (task, total, alive) = sum(1000, || Ok(()));
        assert_eq!(task.run(&mut WorkerSlot::default(), &mut || {}), Some(Ok(())));
        assert_eq!(total.load(Ordering::Relaxed), 1_000_000 + 999 * 500);
        assert!(alive.upgrade().is_none());
        assert_eq!(task.run(&mut WorkerSlot::default(), &mut || {}), None);
    }

    #[test]
    fn an_error_or_a_panic_in_a_unit_fails_the_job_but_ends_it() {
        for outcome in [(|| Err(Failed)) as fn() -> Result<(), Failed>, || panic!("a unit panics, as the test wants")] {
            let (task, _, alive) = sum(3, outcome);
            assert_eq!(task.run(&mut WorkerSlot::default(), &mut || {}), Some(Err(Failed)));
            assert!(alive.upgrade().is_none());
        }
    }

    #[test]
    fn a_cancelled_job_runs_nothing_and_is_dropped() {
        let (task, total, alive) = sum(3, || Ok(()));
        task.cancel();
        assert!(alive.upgrade().is_none());
        assert_eq!(task.run(&mut WorkerSlot::default(), &mut || {}), None);
        assert_eq!(total.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_short_job_that_turns_out_slow_asks_for_threads_once() {
        let (task, ..) = sum(200, || {
            std::thread::sleep(std::time::Duration::from_micros(30));
            Ok(())
        });
        let mut asked = 0;
        assert_eq!(task.run(&mut WorkerSlot::default(), &mut || asked += 1), Some(Ok(())));
        assert_eq!(asked, 1);
    }

    #[test]
    fn the_field_that_shows_the_life_of_a_job_is_kept() {
        let (task, ..) = sum(1, || Ok(()));
        // SAFETY: nobody runs the task.
        assert!(unsafe { (*task.job.get()).as_ref() }.is_some_and(|job| Arc::strong_count(&job.alive) == 1));
    }
}
