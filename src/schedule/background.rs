//! Threads for long work that no call waits for: builds whose end a callback reports.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

use parking_lot::Mutex;

use crate::fork;
use crate::line::Call;
use crate::threads::{PerProcess, spawn};

#[derive(Default)]
struct State {
    work: VecDeque<Call>,
    threads: u32,
}

/// Bytes of a thread's stack. Linking does not recurse, but validating large modules has large frames.
const STACK: usize = 8 << 20;

static BACKGROUND: PerProcess<Mutex<State>> = PerProcess::new();

/// Runs `work` on a background thread, of which there is at most one per CPU; on this thread, if none can be started.
/// `work` begins in a section ([`fork::enter`]). A child process does not take over its parent's unfinished work.
pub fn post_work(work: Call) {
    let state = BACKGROUND.get(Mutex::default);
    {
        let mut state = state.lock();
        state.work.push_back(work);
        if state.threads >= crate::cpu_count() {
            return;
        }
        state.threads += 1;
    }
    if spawn("oxicl-build".to_owned(), STACK, || main(state)).is_err() {
        main(state);
    }
}

/// Runs `main` on a thread of its own; on this thread, if none can be started. `main` begins in a section
/// ([`fork::enter`]). It does not run in a child process.
pub fn start_apart(name: &str, main: fn()) {
    // Who starts threads must be told of forks, even before the first thread enters a section.
    drop(fork::enter());
    let run = move || {
        let _section = fork::enter();
        // A panic ends only `main`.
        drop(catch_unwind(main));
    };
    if spawn(name.to_owned(), STACK, run).is_err() {
        run();
    }
}

/// Works until there is nothing left to do.
fn main(state: &Mutex<State>) {
    loop {
        let _section = fork::enter();
        let work = {
            let mut state = state.lock();
            let work = state.work.pop_front();
            if work.is_none() {
                state.threads -= 1;
            }
            work
        };
        match work {
            // A panic ends only this work; the thread goes on.
            Some(work) => drop(catch_unwind(AssertUnwindSafe(work))),
            None => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::post_work;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn all_work_is_done_by_other_threads_and_survives_a_panic() {
        let (sender, receiver) = channel();
        for index in 0..100 {
            let sender = sender.clone();
            post_work(Box::new(move || {
                sender.send((index, std::thread::current().id())).unwrap();
                assert!(index != 50, "work panics, as the test wants");
            }));
        }
        let mut seen: Vec<_> = (0..100).map(|_| receiver.recv_timeout(Duration::from_secs(10)).unwrap()).collect();
        assert!(seen.iter().all(|(_, id)| *id != std::thread::current().id()));
        seen.sort_by_key(|(index, _)| *index);
        assert!(seen.iter().map(|(index, _)| *index).eq(0..100));
    }
}
