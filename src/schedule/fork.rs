//! Surviving `fork`.
//!
//! A child has one thread and a copy of memory as it was at the call. A lock that another thread held then stays locked
//! in the child for ever. So every thread marks the sections in which it may hold a lock of ours ([`enter`]), and
//! `fork` waits until no other thread is in one. Marking costs two plain stores: the waiting side pays with a system
//! call that makes all threads' stores visible (`membarrier`).
//!
//! `fork` does not wait for ever: if a thread stays in its section for too long, the child is [`locked_out`]. Code that
//! could need a lock there asks first, and gives up.
//!
//! Threads, sockets and jobs in flight do not exist in the child. Whatever stands for one remembers the [`generation`]
//! it was made in and is made anew when that has changed.
#![allow(
    unsafe_code,
    reason = "registers fork handlers and calls membarrier: system calls that the standard library lacks"
)]

use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering, compiler_fence, fence};
use std::thread;
use std::time::{Duration, Instant};

/// A thread is in `fork`: no other thread may begin a section.
const FORKING: u32 = 1;
/// The system has no membarrier: sections have to fence themselves.
const FENCED: u32 = 2;

static STATE: AtomicU32 = AtomicU32::new(0);
static GENERATION: AtomicU32 = AtomicU32::new(0);
static COUNTERS: AtomicPtr<Counter> = AtomicPtr::new(ptr::null_mut());

/// Another thread is in a section while this one forks, and stays there.
static STUCK: AtomicBool = AtomicBool::new(false);
/// This process is the child of a fork at which a thread was stuck in a section, or a child of such a child.
static LOCKED_OUT: AtomicBool = AtomicBool::new(false);

/// How long `fork` waits for sections to end. A bound: the application waits for us, and the child is then
/// [`locked_out`]. Our sections are short, even if an overloaded machine stretches them; only one that is stuck, such
/// as in a write that nobody reads, takes that long.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often the waiting threads look again.
const POLL: Duration = Duration::from_micros(50);

/// How many forks lie between the process that loaded the library and this one: 0 in the former, 1 in its child and so
/// on.
pub fn generation() -> u32 {
    GENERATION.load(Ordering::Relaxed)
}

/// Whether locks of ours may be held by threads that do not exist in this process, so that taking one may block for
/// ever. Once true it stays true, also in children.
#[inline]
pub fn locked_out() -> bool {
    LOCKED_OUT.load(Ordering::Relaxed)
}

/// How many nested sections one thread is in. Never freed, but reused by a later thread.
struct Counter {
    depth: AtomicU32,
    used: AtomicBool,
    next: *mut Counter,
}

thread_local! {
    /// Without a destructor, so that it can be read even while the thread ends.
    static MINE: Cell<Option<&'static Counter>> = const { Cell::new(None) };
    static RETURN: Return = const { Return };
}

/// Gives the counter back when the thread ends.
struct Return;

impl Drop for Return {
    fn drop(&mut self) {
        if let Some(counter) = MINE.take() {
            counter.depth.store(0, Ordering::Release);
            counter.used.store(false, Ordering::Release);
        }
    }
}

/// A section in which the thread may hold locks; ends when dropped.
#[derive(Debug)]
pub struct Section {
    /// A section belongs to its thread.
    _not_send: std::marker::PhantomData<*const ()>,
}

impl Drop for Section {
    fn drop(&mut self) {
        if let Some(counter) = MINE.get() {
            let depth = counter.depth.load(Ordering::Relaxed);
            counter.depth.store(depth.saturating_sub(1), Ordering::Release);
        }
    }
}

/// Begins a section; sections nest. While another thread forks, this waits until the fork is over.
#[inline]
pub fn enter() -> Section {
    let counter = MINE.get().unwrap_or_else(register);
    let depth = counter.depth.load(Ordering::Relaxed);
    counter.depth.store(depth + 1, Ordering::Relaxed);
    // The forking thread's membarrier takes the place of a fence between this store and the load.
    compiler_fence(Ordering::SeqCst);
    if depth == 0 && STATE.load(Ordering::Relaxed) != 0 {
        come_in(counter, 1);
    }
    compiler_fence(Ordering::Acquire);
    Section { _not_send: std::marker::PhantomData }
}

/// Runs `f` outside all sections of this thread: for blocking, for kernels, and for code of the application. The thread
/// must hold no lock of ours.
#[inline]
pub fn outside<R>(f: impl FnOnce() -> R) -> R {
    /// Re-enters the sections even if `f` unwinds.
    struct Back(&'static Counter, u32);
    impl Drop for Back {
        fn drop(&mut self) {
            self.0.depth.store(self.1, Ordering::Relaxed);
            compiler_fence(Ordering::SeqCst);
            if self.1 != 0 && STATE.load(Ordering::Relaxed) != 0 {
                come_in(self.0, self.1);
            }
            compiler_fence(Ordering::Acquire);
        }
    }
    let counter = MINE.get().unwrap_or_else(register);
    let depth = counter.depth.load(Ordering::Relaxed);
    counter.depth.store(0, Ordering::Release);
    let _back = Back(counter, depth);
    f()
}

/// Enters a section at `depth`, after waiting for any fork that is under way.
#[cold]
fn come_in(counter: &Counter, depth: u32) {
    loop {
        counter.depth.store(depth, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        if STATE.load(Ordering::SeqCst) & FORKING == 0 {
            return;
        }
        counter.depth.store(0, Ordering::Release);
        thread::sleep(POLL);
    }
}

/// Gives the thread a counter.
#[cold]
fn register() -> &'static Counter {
    install();
    let counter = unused().unwrap_or_else(add);
    MINE.set(Some(counter));
    // Fails if the thread is ending already; then the counter stays marked as used for ever, at depth 0.
    let _ = RETURN.try_with(|_| ());
    counter
}

fn unused() -> Option<&'static Counter> {
    counters().find(|counter| counter.used.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok())
}

fn add() -> &'static Counter {
    let new = Box::into_raw(Box::new(Counter {
        depth: AtomicU32::new(0),
        used: AtomicBool::new(true),
        next: ptr::null_mut(),
    }));
    let mut head = COUNTERS.load(Ordering::Acquire);
    loop {
        // SAFETY: `new` was just allocated and is not in the list yet, so nobody else has it.
        unsafe { (*new).next = head };
        match COUNTERS.compare_exchange_weak(head, new, Ordering::Release, Ordering::Acquire) {
            Ok(_) => break,
            Err(seen) => head = seen,
        }
    }
    // SAFETY: it is never freed, and from here on only shared.
    unsafe { &*new }
}

fn counters() -> impl Iterator<Item = &'static Counter> {
    let mut at = COUNTERS.load(Ordering::Acquire);
    std::iter::from_fn(move || {
        // SAFETY: the list only grows, at its head, and no counter is ever freed.
        let counter: &'static Counter = unsafe { at.as_ref() }?;
        at = counter.next;
        Some(counter)
    })
}

/// 0 at first, then the id of the process that is registering the handlers, then [`INSTALLED`].
static INSTALLING: AtomicU32 = AtomicU32::new(0);
const INSTALLED: u32 = u32::MAX;

/// Registers the handlers, once. Nobody is in a section before that is done.
fn install() {
    let own = std::process::id();
    // Not a `Once`: a child made while another thread is in here would wait for that thread for ever. Such a child
    // finds its parent's process id and installs the handlers itself; had they been registered before the fork, `child`
    // would have stored [`INSTALLED`].
    loop {
        match INSTALLING.load(Ordering::SeqCst) {
            INSTALLED => return,
            process if process == own => thread::sleep(POLL),
            before => {
                if INSTALLING.compare_exchange(before, own, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
                    break;
                }
            }
        }
    }
    // SAFETY: the handlers are functions without arguments in a library that is never unloaded.
    unsafe { libc::pthread_atfork(Some(prepare), Some(parent), Some(child)) };
    if !membarrier(REGISTER) {
        STATE.fetch_or(FENCED, Ordering::SeqCst);
    }
    INSTALLING.store(INSTALLED, Ordering::SeqCst);
}

/// Allows this process to use the next command.
const REGISTER: libc::c_int = 16;
/// A full fence on every running thread of this process.
const EVERYBODY: libc::c_int = 8;

fn membarrier(command: libc::c_int) -> bool {
    // SAFETY: takes plain numbers and touches no memory.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
}

extern "C" fn prepare() {
    // The forking thread holds no lock of ours. While it waits for another thread that forks, it leaves its sections:
    // otherwise the two would wait for each other.
    let mine = MINE.get();
    let depth = mine.map_or(0, |counter| counter.depth.swap(0, Ordering::SeqCst));
    while STATE.fetch_or(FORKING, Ordering::SeqCst) & FORKING != 0 {
        thread::sleep(POLL);
    }
    if let Some(counter) = mine {
        counter.depth.store(depth, Ordering::SeqCst);
    }
    fence(Ordering::SeqCst);
    membarrier(EVERYBODY);
    let start = Instant::now();
    let mut stuck = busy();
    while stuck && start.elapsed() < PATIENCE {
        thread::sleep(POLL);
        stuck = busy();
    }
    STUCK.store(stuck, Ordering::Relaxed);
}

/// Whether another thread is in a section.
fn busy() -> bool {
    let mine = MINE.get().map_or(ptr::null(), ptr::from_ref);
    counters().any(|counter| !ptr::eq(counter, mine) && counter.depth.load(Ordering::Acquire) != 0)
}

extern "C" fn parent() {
    STATE.fetch_and(!FORKING, Ordering::SeqCst);
}

extern "C" fn child() {
    if STUCK.load(Ordering::Relaxed) {
        LOCKED_OUT.store(true, Ordering::Relaxed);
    }
    let mine = MINE.get().map_or(ptr::null(), ptr::from_ref);
    for counter in counters().filter(|counter| !ptr::eq(*counter, mine)) {
        counter.depth.store(0, Ordering::Relaxed);
        counter.used.store(false, Ordering::Relaxed);
    }
    if STATE.load(Ordering::Relaxed) & FENCED == 0 && !membarrier(REGISTER) {
        STATE.fetch_or(FENCED, Ordering::SeqCst);
    }
    INSTALLING.store(INSTALLED, Ordering::SeqCst);
    GENERATION.fetch_add(1, Ordering::SeqCst);
    STATE.fetch_and(!FORKING, Ordering::SeqCst);
}

#[cfg(test)]
mod tests {
    use super::{enter, generation, outside};
    use parking_lot::Mutex;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::Instant;

    /// Forks, runs `f` in the child, and says whether it returned true there.
    fn in_child(f: impl FnOnce() -> bool) -> bool {
        // SAFETY: the child only runs `f`, which uses nothing but locks kept free by sections, and leaves by _exit.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let code = i32::from(!f());
            // SAFETY: ends the child without running anything of the test harness.
            unsafe { libc::_exit(code) };
        }
        let mut status = 0;
        // SAFETY: waits for the child made above.
        unsafe { libc::waitpid(child, &mut status, 0) };
        libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0
    }

    #[test]
    fn a_lock_taken_in_sections_is_free_in_every_child() {
        drop(enter());
        let lock = Mutex::new(0u64);
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while !stop.load(Ordering::Relaxed) {
                        let _section = enter();
                        let mut guard = lock.lock();
                        *guard += 1;
                        outside_lock_pause();
                    }
                });
            }
            let before = generation();
            let good = (0..50).all(|_| {
                in_child(|| {
                    let _section = enter();
                    lock.try_lock().is_some() && generation() == before + 1
                })
            });
            // Stop the threads first: a panic in here would wait for them for ever.
            stop.store(true, Ordering::Relaxed);
            assert!(good);
            assert_eq!(generation(), before);
        });
    }

    fn outside_lock_pause() {
        for _ in 0..200 {
            std::hint::spin_loop();
        }
    }

    #[test]
    fn a_thread_that_forks_in_its_own_section_does_not_wait_for_itself() {
        // Nor for another that does the same at the same time.
        let fork_often = || {
            for _ in 0..20 {
                let _section = enter();
                assert!(in_child(|| true));
                let depth = super::MINE.get().map(|counter| counter.depth.load(Ordering::Relaxed));
                assert_eq!(depth, Some(1));
            }
        };
        let start = Instant::now();
        thread::scope(|scope| {
            scope.spawn(fork_often);
            fork_often();
        });
        assert!(start.elapsed() < 2 * super::PATIENCE);
    }

    #[test]
    fn outside_restores_the_depth() {
        let _one = enter();
        let _two = enter();
        outside(|| {
            let _three = enter();
        });
        let depth = super::MINE.get().map(|counter| counter.depth.load(Ordering::Relaxed));
        assert_eq!(depth, Some(2));
    }
}
