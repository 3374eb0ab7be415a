//! Threads of ours, and state that exists once per process.
#![allow(unsafe_code, reason = "blocks signals, and keeps what is made per process for ever")]

use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::thread::{self, Thread};

use crate::fork;

/// Starts a detached thread in which all signals are blocked: the application's handlers run in its own threads.
///
/// # Errors
/// The system refuses another thread.
pub(crate) fn spawn(name: String, stack: usize, main: impl FnOnce() + Send + 'static) -> io::Result<Thread> {
    let mut all = MaybeUninit::uninit();
    let mut before = MaybeUninit::uninit();
    // SAFETY: fills a signal set, then exchanges the mask of this thread for it. A new thread inherits the mask.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
    }
    let started = thread::Builder::new().name(name).stack_size(stack).spawn(main);
    // SAFETY: `before` was written above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut()) };
    started.map(|handle| handle.thread().clone())
}

/// Something with threads behind it, made when it is first asked for, and again in a child process. What a parent had
/// is left alone: its locks may be held by threads that are not there.
pub(crate) struct PerProcess<T>(AtomicPtr<(u32, T)>);

impl<T: Sync + 'static> PerProcess<T> {
    /// Nothing yet.
    pub(crate) const fn new() -> Self {
        PerProcess(AtomicPtr::new(ptr::null_mut()))
    }

    /// This process's.
    pub(crate) fn get(&self, make: impl FnOnce() -> T) -> &'static T {
        let seen = self.0.load(Ordering::Acquire);
        // SAFETY: null, or made below and never freed.
        match unsafe { seen.as_ref() } {
            Some((generation, value)) if *generation == fork::generation() => value,
            _ => self.make(seen, make),
        }
    }

    #[cold]
    fn make(&self, seen: *mut (u32, T), make: impl FnOnce() -> T) -> &'static T {
        // Whoever has threads must learn of forks, even before the first of them enters a section.
        drop(fork::enter());
        let new = Box::into_raw(Box::new((fork::generation(), make())));
        let kept = match self.0.compare_exchange(seen, new, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => new,
            Err(other) => {
                // SAFETY: `new` was not published, so it is ours alone.
                drop(unsafe { Box::from_raw(new) });
                other
            }
        };
        // SAFETY: published, hence never freed.
        &unsafe { &*kept }.1
    }
}
