//! Threads of ours, and state that exists once per process.
#![allow(
    unsafe_code,
    reason = "blocks signals, starts threads that may be unwound, and keeps what is made per process for ever"
)]

use std::ffi::{CStr, c_int, c_void};
use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::thread::{self, Thread};

use once_cell::sync::OnceCell;

use crate::fork;

/// Starts a detached thread in which all signals are blocked: the application's handlers run in its own threads.
///
/// # Errors
/// The system refuses another thread.
pub(crate) fn spawn(name: String, stack: usize, main: impl FnOnce() + Send + 'static) -> io::Result<Thread> {
    let started = without_signals(|| thread::Builder::new().name(name).stack_size(stack).spawn(main));
    started.map(|handle| handle.thread().clone())
}

/// Runs `f` with all signals blocked. A thread that it starts inherits that.
fn without_signals<R>(f: impl FnOnce() -> R) -> R {
    let mut all = MaybeUninit::uninit();
    let mut before = MaybeUninit::uninit();
    // SAFETY: fills a signal set, then exchanges the mask of this thread for it.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
    }
    let result = f();
    // SAFETY: `before` was written above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut()) };
    result
}

/// The start routine of a thread that the application may end. Nothing in its frame is dropped then.
pub(crate) type ForeignMain = extern "C-unwind" fn(*mut c_void) -> *mut c_void;

unsafe extern "C" {
    /// As `libc` declares it, except that the start routine may be unwound, which the C library allows: `pthread_exit`
    /// does it.
    fn pthread_create(
        thread: *mut libc::pthread_t,
        attributes: *const libc::pthread_attr_t,
        main: ForeignMain,
        argument: *mut c_void,
    ) -> c_int;
}

/// Starts a detached thread that the application may end, with all signals blocked as in [`spawn`]. It is no thread of
/// the standard library, whose frames around `main` catch what unwinds.
///
/// # Errors
/// The system refuses another thread.
pub(crate) fn spawn_foreign(stack: usize, main: ForeignMain, argument: *mut c_void) -> io::Result<()> {
    let mut attributes = MaybeUninit::uninit();
    let mut thread = MaybeUninit::uninit();
    let start = || {
        // SAFETY: the attributes are made first and destroyed last; `main` gets what the caller has for it.
        unsafe {
            let attributes = attributes.as_mut_ptr();
            let mut code = libc::pthread_attr_init(attributes);
            if code == 0 {
                libc::pthread_attr_setstacksize(attributes, stack);
                libc::pthread_attr_setdetachstate(attributes, libc::PTHREAD_CREATE_DETACHED);
                code = pthread_create(thread.as_mut_ptr(), attributes, main, argument);
                libc::pthread_attr_destroy(attributes);
            }
            code
        }
    };
    match without_signals(start) {
        0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}

/// Gives this thread a name, of at most 15 bytes.
pub(crate) fn name_this(name: &CStr) {
    // SAFETY: the name ends with a zero; one that is too long is refused.
    unsafe { libc::pthread_setname_np(libc::pthread_self(), name.as_ptr()) };
}

/// An action at the end of each thread that asked for it, but not at the end of the process.
pub(crate) struct AtEnd {
    key: OnceCell<libc::pthread_key_t>,
    action: unsafe extern "C" fn(*mut c_void),
}

impl AtEnd {
    /// Calls `action` with the value that the thread has set.
    pub(crate) const fn new(action: unsafe extern "C" fn(*mut c_void)) -> Self {
        AtEnd { key: OnceCell::new(), action }
    }

    /// Sets the value for this thread. If the process has no key left, nothing is done at the end of this thread.
    pub(crate) fn set(&self, value: *mut c_void) {
        let create = || {
            let mut key = 0;
            // SAFETY: writes the key; the action is in a library that is never unloaded.
            let code = unsafe { libc::pthread_key_create(&mut key, Some(self.action)) };
            if code == 0 { Ok(key) } else { Err(code) }
        };
        if let Ok(key) = self.key.get_or_try_init(create) {
            // SAFETY: the key was made above and is never deleted.
            unsafe { libc::pthread_setspecific(*key, value) };
        }
    }
}

/// A value with threads behind it, made when it is first asked for, and again in a child process. A child leaves its
/// parent's value alone: its locks may be held by threads that do not exist in the child.
pub(crate) struct PerProcess<T>(AtomicPtr<(u32, T)>);

impl<T: Sync + 'static> PerProcess<T> {
    /// Nothing yet.
    pub(crate) const fn new() -> Self {
        PerProcess(AtomicPtr::new(ptr::null_mut()))
    }

    /// This process's value.
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
        // Who starts threads must be told of forks, even before the first thread enters a section.
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
