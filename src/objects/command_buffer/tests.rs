//! Executions without a kernel: what is recorded are closures and jobs that fail, count or take long.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use khronos_headers as cl;
use oxicl_schedule::{Failed, Job, WorkerSlot};
use parking_lot::Mutex;

use super::CommandBuffer;
use crate::ApiError;
use crate::command::Action;
use crate::event::Event;
use crate::properties::PropertyList;
use crate::queue::Queue;
use crate::testing;

/// A queue, and a command buffer for it.
fn make(properties: u64) -> (Arc<Queue>, Arc<CommandBuffer>) {
    let context = testing::context();
    let queue = Queue::create_plain(&context, &context.devices[0], properties).unwrap();
    let buffer = CommandBuffer::create(&queue, PropertyList::absent()).unwrap();
    (queue, buffer)
}

type Log = Arc<Mutex<Vec<u32>>>;

fn note(log: &Log, number: u32) -> Action {
    let log = Arc::clone(log);
    Action::Short(Arc::new(move || log.lock().push(number)))
}

/// Adds up its units; fails at one of them.
struct Sum {
    units: u64,
    fails_at: Option<u64>,
    sum: Arc<AtomicU64>,
}

impl Job for Sum {
    fn units(&self) -> u64 {
        self.units
    }
    fn cost(&self) -> Option<u64> {
        Some(self.units * 1000)
    }
    fn run(&self, units: Range<u64>, _: &mut WorkerSlot) -> Result<(), Failed> {
        if self.fails_at.is_some_and(|unit| units.contains(&unit)) {
            return Err(Failed);
        }
        self.sum.fetch_add(units.sum(), Ordering::Relaxed);
        Ok(())
    }
}

fn sum(sum: &Arc<AtomicU64>, units: u64, fails_at: Option<u64>) -> Action {
    Action::Job(Arc::new(Sum { units, fails_at, sum: Arc::clone(sum) }))
}

fn run(buffer: &Arc<CommandBuffer>) -> Arc<Event> {
    buffer.enqueue(None, &[]).unwrap()
}

#[test]
fn jobs_and_short_commands_keep_their_order() {
    let (_queue, buffer) = make(0);
    let (log, total) = (Log::default(), Arc::new(AtomicU64::new(0)));
    for number in 0..1000 {
        let action = if number % 5 == 0 { sum(&total, u64::from(number % 3) * 4, None) } else { note(&log, number) };
        buffer.record(&[], |_| Ok(action)).unwrap();
    }
    buffer.finalize().unwrap();
    for _ in 0..3 {
        log.lock().clear();
        assert_eq!(run(&buffer).wait(), Ok(()));
        assert!(log.lock().iter().copied().eq((0..1000).filter(|number| number % 5 != 0)));
    }
}

/// Adds nothing, and is run in the place of itself from its second execution on: by a job that adds.
struct Changing {
    executions: AtomicU64,
    successor: Arc<Sum>,
}

impl Job for Changing {
    fn units(&self) -> u64 {
        1
    }
    fn cost(&self) -> Option<u64> {
        None
    }
    fn run(&self, _: Range<u64>, _: &mut WorkerSlot) -> Result<(), Failed> {
        Ok(())
    }
    fn successor(&self) -> Option<Arc<dyn Job>> {
        let is_first = self.executions.fetch_add(1, Ordering::Relaxed) == 0;
        (!is_first).then(|| Arc::clone(&self.successor) as Arc<dyn Job>)
    }
}

#[test]
fn an_execution_runs_what_a_job_has_become() {
    let (_queue, buffer) = make(0);
    let sum = Arc::new(AtomicU64::new(0));
    let successor = Arc::new(Sum { units: 5, fails_at: None, sum: Arc::clone(&sum) });
    let changing = Changing { executions: AtomicU64::new(0), successor };
    buffer.record(&[], |_| Ok(Action::Job(Arc::new(changing)))).unwrap();
    buffer.finalize().unwrap();
    for expected in [0, 10, 20] {
        assert_eq!(run(&buffer).wait(), Ok(()));
        assert_eq!(sum.load(Ordering::Relaxed), expected);
    }
}

#[test]
fn independent_jobs_all_run_whoever_runs_them() {
    let (queue, buffer) = make(cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    let total = Arc::new(AtomicU64::new(0));
    for _ in 0..200 {
        buffer.record(&[], |_| Ok(sum(&total, 100, None))).unwrap();
    }
    buffer.finalize().unwrap();
    let events: Vec<_> = (0..5).map(|_| run(&buffer)).collect();
    queue.flush();
    for event in events {
        assert_eq!(event.wait(), Ok(()));
    }
    assert_eq!(total.load(Ordering::Relaxed), 5 * 200 * 4950);
}

#[test]
fn a_command_that_fails_fails_the_execution_and_those_behind_it_do_not_run() {
    let (queue, buffer) = make(0);
    let (log, total) = (Log::default(), Arc::new(AtomicU64::new(0)));
    buffer.record(&[], |_| Ok(note(&log, 1))).unwrap();
    buffer.record(&[], |_| Ok(sum(&total, 10, Some(3)))).unwrap();
    buffer.record(&[], |_| Ok(note(&log, 2))).unwrap();
    buffer.record(&[], |_| Ok(sum(&total, 10, None))).unwrap();
    buffer.finalize().unwrap();
    let failed = run(&buffer);
    assert_eq!(failed.wait(), Err(ApiError::ExecStatusErrorForEventsInWaitList));
    assert_eq!(failed.ended(), Some(ApiError::OutOfResources.code()));
    assert_eq!(*log.lock(), [1]);
    // The queue goes on: order is no reason to fail.
    assert_eq!(queue.marker(&[]).unwrap().wait(), Ok(()));
}

#[test]
fn a_command_that_panics_fails_the_execution() {
    let (_queue, buffer) = make(0);
    let log = Log::default();
    buffer.record(&[], |_| Ok(Action::Short(Arc::new(|| panic!("as the test wants"))))).unwrap();
    buffer.record(&[], |_| Ok(note(&log, 1))).unwrap();
    buffer.finalize().unwrap();
    assert!(run(&buffer).wait().is_err() && log.lock().is_empty());
}

#[test]
fn an_execution_keeps_what_it_runs_and_lets_it_go() {
    let (queue, buffer) = make(0);
    let total = Arc::new(AtomicU64::new(0));
    buffer.record(&[], |_| Ok(sum(&total, 10, None))).unwrap();
    buffer.finalize().unwrap();
    let user = Event::user(&queue.context);
    let event = buffer.enqueue(None, std::slice::from_ref(&user)).unwrap();
    drop(buffer);
    user.set_user_status(cl::CL_COMPLETE).unwrap();
    assert_eq!(event.wait(), Ok(()));
    assert_eq!(total.load(Ordering::Relaxed), 45);
    // The thread that ran it lets go a moment after the event has ended.
    let start = Instant::now();
    while Arc::strong_count(&total) != 1 {
        assert!(start.elapsed() < Duration::from_secs(20), "something keeps what has run");
        thread::yield_now();
    }
}

#[test]
fn an_error_records_nothing() {
    let (_queue, buffer) = make(0);
    assert_eq!(buffer.record(&[], |_| Err(ApiError::MemCopyOverlap)), Err(ApiError::MemCopyOverlap));
    assert_eq!(buffer.record(&[1], |_| Ok(Action::Nothing)), Err(ApiError::InvalidSyncPointWaitList));
    assert_eq!(buffer.record(&[], |_| Ok(Action::Nothing)), Ok(1));
    assert_eq!(buffer.record(&[1], |_| Ok(Action::Nothing)), Ok(2));
}
