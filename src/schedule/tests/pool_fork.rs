//! The pool and `fork`. Alone in this program: every thread has to mark its sections.
#![allow(unsafe_code, reason = "forks")]

mod work;

use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use oxicl_schedule::{WorkerSlots, fork, submit};

use work::{Counters, wait};

#[test]
fn a_child_runs_new_work_with_a_pool_of_its_own() {
    let counters = Counters::default();
    let section = fork::enter();
    let busy = counters.work(100, Duration::from_millis(20), WorkerSlots::all(), vec![]);
    submit(busy.clone());
    drop(section);
    // SAFETY: the child uses only what survives a fork, and leaves by _exit.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let _section = fork::enter();
        let fresh = Counters::default();
        let work = fresh.work(100, Duration::ZERO, WorkerSlots::all(), vec![]);
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
