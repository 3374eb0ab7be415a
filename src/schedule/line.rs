//! Threads that run the application's code: callbacks, and native kernels.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::{self, Thread};

use parking_lot::Mutex;

use crate::fork;
use crate::threads::{PerProcess, spawn};

/// A closure for another thread.
pub type Call = Box<dyn FnOnce() + Send>;

/// One thread and what it has to do, in order. The thread is started with the first call.
struct Line {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    calls: VecDeque<Call>,
    thread: Option<Thread>,
    /// Whether the thread is asleep, or about to be.
    asleep: bool,
}

/// Application code may use as much stack as on any thread of its own.
const STACK: usize = 8 << 20;

static CALLBACKS: PerProcess<Line> = PerProcess::new();
static NATIVE: PerProcess<Line> = PerProcess::new();

/// Runs a callback of the application, soon, on the callback thread. After calls posted earlier.
pub fn post_callback(call: Call) {
    post(CALLBACKS.get(Line::new), "oxicl-callbacks", call);
}

/// Runs a native kernel on the thread for native kernels. It is not the callback thread: a native kernel may wait for
/// what a callback does.
pub fn post_native(call: Call) {
    post(NATIVE.get(Line::new), "oxicl-native", call);
}

impl Line {
    fn new() -> Self {
        Line { state: Mutex::new(State::default()) }
    }
}

fn post(line: &'static Line, name: &str, call: Call) {
    let mut state = line.state.lock();
    state.calls.push_back(call);
    if state.thread.is_none() {
        // Without a thread the call waits until a later post can start one.
        state.thread = spawn(name.to_owned(), STACK, move || main(line)).ok();
    } else if state.asleep {
        state.asleep = false;
        let thread = state.thread.clone();
        drop(state);
        if let Some(thread) = thread {
            thread.unpark();
        }
    }
}

fn main(line: &'static Line) {
    loop {
        let section = fork::enter();
        let mut state = line.state.lock();
        let call = state.calls.pop_front();
        state.asleep = call.is_none();
        drop(state);
        drop(section);
        match call {
            // A panic in the call is its own business; the thread goes on.
            Some(call) => drop(catch_unwind(AssertUnwindSafe(call))),
            None => thread::park(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{post_callback, post_native};
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn calls_run_in_order_on_another_thread_and_survive_a_panic() {
        let (sender, receiver) = channel();
        for index in 0..100 {
            let sender = sender.clone();
            post_callback(Box::new(move || {
                sender.send((index, std::thread::current().id())).unwrap();
                assert!(index != 50, "a callback panics, as the test wants");
            }));
        }
        let seen: Vec<_> = (0..100).map(|_| receiver.recv_timeout(Duration::from_secs(10)).unwrap()).collect();
        assert!(seen.iter().map(|(index, _)| *index).eq(0..100));
        assert!(seen.iter().all(|(_, id)| *id != std::thread::current().id()));
    }

    #[test]
    fn a_native_kernel_can_wait_for_a_callback() {
        let (sender, receiver) = channel();
        let (done, end) = channel();
        post_native(Box::new(move || done.send(receiver.recv_timeout(Duration::from_secs(10))).unwrap()));
        post_callback(Box::new(move || sender.send(7).unwrap()));
        assert_eq!(end.recv().unwrap(), Ok(7));
    }
}
