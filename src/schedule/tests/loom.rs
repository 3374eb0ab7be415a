//! The queues under the model checker: the same files, compiled against loom's primitives.
#![allow(dead_code, reason = "only what is modelled is used here")]

mod sync {
    pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};

    /// parking_lot's way of locking over loom's mutex.
    #[derive(Debug)]
    pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

    impl<T> Mutex<T> {
        pub(crate) fn new(value: T) -> Self {
            Mutex(loom::sync::Mutex::new(value))
        }
        pub(crate) fn lock(&self) -> loom::sync::MutexGuard<'_, T> {
            self.0.lock().unwrap()
        }
        pub(crate) fn try_lock(&self) -> Option<loom::sync::MutexGuard<'_, T>> {
            self.0.try_lock().ok()
        }
    }
}

#[path = "../gate.rs"]
mod gate;
#[path = "../progress.rs"]
mod progress;
#[path = "../ready.rs"]
mod ready;

use gate::Gate;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use loom::thread;
use progress::Progress;
use ready::{Pick, Ready};

/// Tries every interleaving with up to three preemptions, so that the normal run takes seconds.
fn check(model: fn()) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(model);
}

#[test]
#[ignore = "long: every interleaving whatsoever"]
fn every_model_holds_without_a_bound() {
    for model in [opening, chunks, sleeping, slots] {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = None;
        builder.check(model);
    }
}

#[test]
fn one_thread_opens_a_gate_and_sees_what_the_blockers_did() {
    check(opening);
}

fn opening() {
    let gate = Arc::new(Gate::new());
    let data = Arc::new(AtomicU64::new(0));
    let opened = Arc::new(AtomicUsize::new(0));
    let blocker = {
        let (gate, data, opened) = (gate.clone(), data.clone(), opened.clone());
        thread::spawn(move || {
            data.store(7, Ordering::Relaxed);
            if gate.unblock() {
                assert_eq!(data.load(Ordering::Relaxed), 7);
                opened.fetch_add(1, Ordering::Relaxed);
            }
        })
    };
    let flusher = {
        let (gate, data, opened) = (gate.clone(), data.clone(), opened.clone());
        thread::spawn(move || {
            if gate.release() {
                assert_eq!(data.load(Ordering::Relaxed), 7);
                opened.fetch_add(1, Ordering::Relaxed);
            }
        })
    };
    if gate.take() {
        assert_eq!(data.load(Ordering::Relaxed), 7);
        opened.fetch_add(1, Ordering::Relaxed);
    }
    blocker.join().unwrap();
    flusher.join().unwrap();
    assert_eq!(opened.load(Ordering::Relaxed), 1);
}

#[test]
fn every_unit_is_run_once_and_the_finisher_sees_all() {
    check(chunks);
}

fn chunks() {
    let progress = Arc::new(Progress::new(3, 2, 1));
    let sum = Arc::new(AtomicU64::new(0));
    let run = |progress: Arc<Progress>, sum: Arc<AtomicU64>| {
        let mut units = 0;
        while let Some(chunk) = progress.take() {
            units += chunk.end - chunk.start;
            sum.fetch_add(chunk.map(|unit| 1 << (8 * unit)).sum(), Ordering::Relaxed);
        }
        let finisher = units > 0 && progress.done(units);
        if finisher {
            assert_eq!(sum.load(Ordering::Relaxed), 0x01_01_01);
        }
        finisher
    };
    let other = {
        let (progress, sum) = (progress.clone(), sum.clone());
        thread::spawn(move || run(progress, sum))
    };
    let here = run(progress.clone(), sum.clone());
    assert!(here ^ other.join().unwrap());
}

/// A worker that sleeps is one whose flag the waker sets: a parking token.
struct Sleeper {
    token: AtomicBool,
}

#[test]
fn no_wake_up_is_lost_between_a_push_and_a_worker_that_goes_to_sleep() {
    check(sleeping);
}

fn sleeping() {
    let ready = Arc::new(Ready::<u32>::new(0));
    let sleeper = Arc::new(Sleeper { token: AtomicBool::new(false) });
    let worker = {
        let ready = ready.clone();
        thread::spawn(move || ready.find(Some(0), |task| Pick::Join(*task)).is_some())
    };
    if let Some(woken) = ready.push(5, 1) {
        assert_eq!(woken, 0);
        sleeper.token.store(true, Ordering::Relaxed);
    }
    let found = worker.join().unwrap();
    assert!(found ^ sleeper.token.load(Ordering::Relaxed), "found it or is woken for it");
}

#[test]
fn a_worker_that_missed_a_slot_is_woken_when_the_slot_is_given_up() {
    check(slots);
}

fn slots() {
    let ready = Arc::new(Ready::<u32>::new(0));
    let slot = Arc::new(sync::Mutex::new(()));
    let taken = slot.try_lock().unwrap();
    assert!(ready.push(5, 1).is_none());
    let worker = {
        let (ready, slot) = (ready.clone(), slot.clone());
        thread::spawn(move || {
            let pick = |_: &u32| if slot.try_lock().is_some() { Pick::Join(()) } else { Pick::Skip };
            ready.find(Some(0), pick).is_some()
        })
    };
    drop(taken);
    let woken = ready.wake_for_slot().is_some();
    assert!(worker.join().unwrap() ^ woken);
}
