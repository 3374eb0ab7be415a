//! Threads that run the application's code: callbacks, and native kernels.
//!
//! Such code may end its thread (`pthread_exit`). Then another thread takes over: first what comes after the call that
//! did not return, then the calls that are left.
#![allow(unsafe_code, reason = "the start routine of a thread that the application may end")]

use std::collections::VecDeque;
use std::ffi::{CStr, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};

use parking_lot::Mutex;

use crate::foreign::{Bare, Foreign};
use crate::fork;
use crate::threads::{self, AtEnd, PerProcess};

/// A closure for another thread.
pub type Call = Box<dyn FnOnce() + Send>;

/// What is done before and after a function of the application, on a thread for such functions.
pub trait Around: Send {
    /// The function is about to be called.
    fn before(&mut self);
    /// It has returned, or has ended its thread instead.
    fn after(self: Box<Self>, returned: bool);
}

/// A call, and what is done around it.
struct Entry {
    foreign: Foreign,
    around: Option<Box<dyn Around>>,
}

/// One thread and what it has to do, in order. The thread is started with the first call.
struct Line {
    name: &'static CStr,
    /// The process that it belongs to, by [`fork::generation`].
    generation: u32,
    /// There is a thread, or one is being started.
    manned: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    entries: VecDeque<Entry>,
    /// What is being called. It is kept here, because a thread that ends drops nothing.
    current: Option<Entry>,
    thread: Option<Thread>,
    /// Whether the thread is asleep, or about to be.
    asleep: bool,
}

/// Bytes of stack. A cost: application code may use as much as on any thread of its own.
const STACK: usize = 8 << 20;

/// Calls `abandoned` with the line of a thread when that ends, but not when the process exits, where nothing of ours is
/// to run.
static OWN: AtEnd = AtEnd::new(abandoned);

static CALLBACKS: PerProcess<Line> = PerProcess::new();
static NATIVE: PerProcess<Line> = PerProcess::new();

/// Runs a callback of the application on the callback thread, after callbacks that were posted earlier.
pub fn post_callback(foreign: Foreign) {
    let line = CALLBACKS.get(|| Line::new(c"oxicl-callbacks"));
    line.post(Entry { foreign, around: None });
}

/// Runs a native kernel on the thread for native kernels. It is not the callback thread: a native kernel may wait for
/// what a callback does.
pub fn post_native(foreign: Foreign, around: Box<dyn Around>) {
    let line = NATIVE.get(|| Line::new(c"oxicl-native"));
    line.post(Entry { foreign, around: Some(around) });
}

impl Line {
    fn new(name: &'static CStr) -> Self {
        Line { name, generation: fork::generation(), manned: AtomicBool::new(false), state: Mutex::default() }
    }

    fn post(&'static self, entry: Entry) {
        let mut state = self.state.lock();
        state.entries.push_back(entry);
        let thread = if std::mem::take(&mut state.asleep) { state.thread.clone() } else { None };
        drop(state);
        if let Some(thread) = thread {
            thread.unpark();
        }
        self.man();
    }

    /// Starts a thread if there is none. If there can be none now, a later call may start it.
    fn man(&'static self) {
        if !self.manned.swap(true, Ordering::AcqRel) && threads::spawn_foreign(STACK, main, self.address()).is_err() {
            self.manned.store(false, Ordering::Release);
        }
    }

    fn address(&'static self) -> *mut c_void {
        ptr::from_ref(self).cast_mut().cast()
    }

    /// A new thread takes over. If there was another, the application ended it in a call.
    fn take_over(&'static self) {
        threads::name_this(self.name);
        {
            let _section = fork::enter();
            OWN.set(self.address());
            self.state.lock().thread = Some(thread::current());
        }
        self.finish(false);
    }

    /// Waits for the next call, and prepares it.
    fn next(&self) -> Bare {
        loop {
            let section = fork::enter();
            let mut state = self.state.lock();
            let Some(mut entry) = state.entries.pop_front() else {
                state.asleep = true;
                drop(state);
                drop(section);
                thread::park();
                continue;
            };
            drop(state);
            if let Some(around) = &mut entry.around {
                // A panic is the entry's own business; the thread goes on.
                let _ = catch_unwind(AssertUnwindSafe(|| around.before()));
            }
            return self.state.lock().current.insert(entry).foreign.bare();
        }
    }

    /// Does what comes after the current call, if there is one.
    fn finish(&self, returned: bool) {
        let _section = fork::enter();
        let current = self.state.lock().current.take();
        let end = || {
            if let Some(Entry { foreign, around }) = current {
                around.into_iter().for_each(|around| around.after(returned));
                drop(foreign);
            }
        };
        // As above.
        let _ = catch_unwind(AssertUnwindSafe(end));
    }
}

/// A line's thread. Nothing in this frame has to be dropped, so that the application may end the thread.
extern "C-unwind" fn main(line: *mut c_void) -> *mut c_void {
    // SAFETY: `man` passes a line, and lines live for ever.
    let line: &'static Line = unsafe { &*line.cast() };
    line.take_over();
    loop {
        let call = line.next();
        // SAFETY: the line keeps the call's [`Foreign`] until `finish`, and this frame, the only one of ours, drops
        // nothing.
        unsafe { call.run() };
        line.finish(true);
    }
}

/// The thread of a line is ending, in a call. This takes no lock, as the thread no longer counts in sections.
extern "C" fn abandoned(line: *mut c_void) {
    // SAFETY: as in `main`.
    let line: &'static Line = unsafe { &*line.cast() };
    // A child leaves its parent's calls alone.
    if line.generation == fork::generation() {
        line.manned.store(false, Ordering::Release);
        line.man();
    }
}

#[cfg(test)]
mod tests {
    use super::{Around, post_callback, post_native};
    use crate::foreign::{Foreign, returning};
    use std::sync::mpsc::{Sender, channel};
    use std::thread::{self, ThreadId};
    use std::time::Duration;

    const TIMEOUT: Duration = Duration::from_secs(10);

    unsafe extern "C-unwind" {
        fn pthread_exit(value: *mut std::ffi::c_void) -> !;
    }

    /// Ends its thread.
    fn ending() -> Foreign {
        // SAFETY: the frames of a line have nothing to drop.
        Foreign::new(|| unsafe { pthread_exit(std::ptr::null_mut()) })
    }

    /// Tells what comes around a call.
    struct Told(Sender<&'static str>);

    impl Around for Told {
        fn before(&mut self) {
            self.0.send("before").unwrap();
        }
        fn after(self: Box<Self>, returned: bool) {
            self.0.send(if returned { "returned" } else { "ended" }).unwrap();
        }
    }

    /// Tells when it is dropped.
    struct Dropped(Sender<(u32, ThreadId)>);

    impl Drop for Dropped {
        fn drop(&mut self) {
            let _ = self.0.send((u32::MAX, thread::current().id()));
        }
    }

    #[test]
    fn calls_run_in_order_on_another_thread_and_may_end_it() {
        let (sender, receiver) = channel();
        for index in 0..100 {
            let told = sender.clone();
            post_callback(returning(move || told.send((index, thread::current().id())).unwrap()));
            if index == 50 {
                post_callback(ending().keeping(Dropped(sender.clone())));
            }
        }
        let seen: Vec<_> = (0..101).map(|_| receiver.recv_timeout(TIMEOUT).unwrap()).collect();
        assert!(seen.iter().map(|(index, _)| *index).eq((0..=50).chain([u32::MAX]).chain(51..100)));
        assert!(seen.iter().all(|(_, id)| *id != thread::current().id()));
        assert_ne!(seen[50].1, seen[52].1, "the thread has ended");
    }

    #[test]
    fn a_native_kernel_can_wait_for_a_callback_or_end_its_thread() {
        let (sender, receiver) = channel();
        let (done, end) = channel();
        let (told, order) = channel();
        post_native(
            returning(move || done.send(receiver.recv_timeout(TIMEOUT)).unwrap()),
            Box::new(Told(told.clone())),
        );
        post_callback(returning(move || sender.send(7).unwrap()));
        assert_eq!(end.recv().unwrap(), Ok(7));
        post_native(ending(), Box::new(Told(told.clone())));
        post_native(returning(|| ()), Box::new(Told(told)));
        let order: Vec<_> = (0..6).map(|_| order.recv_timeout(TIMEOUT).unwrap()).collect();
        assert_eq!(order, ["before", "returned", "before", "ended", "before", "returned"]);
    }

    #[test]
    fn many_calls_may_end_their_threads() {
        let (sender, receiver) = channel();
        for index in 0..200 {
            post_callback(ending());
            let sender = sender.clone();
            post_callback(returning(move || sender.send(index).unwrap()));
        }
        for index in 0..200 {
            assert_eq!(receiver.recv_timeout(TIMEOUT), Ok(index));
        }
    }
}
