//! The fibers of a work-group: parts of it that wait for each other. Each has a stack of its own; where one waits, the thread
//! goes on with another. A thread needs one stack as long as none waits: what comes next runs on it when a part is over.
#![allow(unsafe_code, reason = "changes stacks, and is called by generated code")]

use std::arch::naked_asm;
use std::cell::Cell;
use std::collections::VecDeque;
use std::ffi::c_void;
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

use oxicl_abi::{Fiber, GroupRecord, LaunchAddress};

use crate::Failed;
use crate::depth::{Bound, HEADROOM};
use crate::mapping::{GUARD, Mapping};

/// What a kernel may need whose launch could not reserve stacks, in bytes: a bound.
const UNRESERVED: u64 = 1 << 20;
/// Bytes that the stacks of a thread may keep from one launch to the next.
const KEPT: u64 = 32 << 20;
/// Stacks end at so many different places, and so many bytes apart, a multiple of the alignment of vectors.
const COLOURS: usize = 61;
const COLOUR: usize = 192;
/// What that takes of a stack at most, in bytes.
const COLOURED: u64 = (COLOURS * COLOUR) as u64;
/// Guards that may still be made in this process. Each takes two entries of the process's list of mappings, which is short:
/// one for itself, and one for what lies behind it.
static GUARDS: AtomicUsize = AtomicUsize::new(4096);
/// Turns of a loop that waits, of one fiber, before others go on.
const PATIENCE: u32 = 32;
/// Turns before other threads do.
const LONG: u32 = 4096;

/// Stacks side by side, of a thread that has run fibers.
#[derive(Default)]
struct Stacks {
    mapping: Option<Mapping>,
    /// Bytes of one, with its guard.
    stride: usize,
    /// How many have been used, and how many of them have guards.
    used: usize,
    guarded: usize,
    /// How many have been used since their memory was given back.
    touched: usize,
    /// They are looked at when they have been used.
    watched: bool,
}

thread_local! {
    static STACKS: Cell<Stacks> = Cell::default();
}

/// Takes the stacks of this thread; it has none if it ends.
fn take() -> Stacks {
    STACKS.try_with(Cell::take).unwrap_or_default()
}

/// Keeps the stacks of this thread; false if it ends.
fn keep(stacks: Stacks) -> bool {
    STACKS.try_with(|kept| kept.set(stacks)).is_ok()
}

/// Makes room for `count` fibers that need at most `bytes` bytes of stack each, on this thread; they are looked at if they are
/// `watched`.
///
/// # Errors
/// The system has no memory.
pub(crate) fn reserve(count: u64, bytes: u64, watched: Option<Bound>) -> Result<(), Failed> {
    let mut stacks = take();
    if watched.is_some() {
        // Each is filled when it is used first.
        stacks = Stacks::default();
        stacks.watched = true;
    }
    stacks.reserve(count, bytes)?;
    // A thread that ends keeps nothing: `run` makes stacks of its own there.
    if keep(stacks) || bytes <= UNRESERVED { Ok(()) } else { Err(Failed) }
}

/// Gives memory of this thread's stacks back if fibers that need `bytes` bytes of stack each may have touched much. Those that
/// were watched go.
///
/// # Errors
/// One was used deeper than it may be.
pub(crate) fn trim(bytes: u64, watched: Option<Bound>) -> Result<(), Failed> {
    let mut stacks = take();
    if let Some(bound) = watched.filter(|_| stacks.watched) {
        return (0..stacks.used).try_for_each(|number| bound.check("a fiber's stack", stacks.depth(number)));
    }
    if (stacks.touched as u64).saturating_mul(bytes) > KEPT {
        let touched = stacks.touched * stacks.stride;
        if let Some(mapping) = &mut stacks.mapping {
            mapping.forget(touched);
        }
        stacks.touched = 0;
    }
    keep(stacks);
    Ok(())
}

impl Stacks {
    fn reserve(&mut self, count: u64, bytes: u64) -> Result<(), Failed> {
        let usable = bytes.checked_add(HEADROOM + COLOURED).ok_or(Failed)?;
        let stride = usable.checked_next_multiple_of(GUARD as u64).and_then(|bytes| bytes.checked_add(GUARD as u64));
        let stride = stride.ok_or(Failed)?;
        if stride > self.stride as u64 || !self.are(count) {
            let watched = self.watched;
            *self = Stacks::default();
            let mut mapping = Mapping::new(stride.checked_mul(count.max(1)).ok_or(Failed)?).ok_or(Failed)?;
            mapping.in_small_pages();
            self.mapping = Some(mapping);
            self.stride = stride as usize;
            self.watched = watched;
        }
        Ok(())
    }

    /// Are there so many?
    fn are(&self, count: u64) -> bool {
        let needed = (self.stride as u64).checked_mul(count.max(1));
        self.mapping.as_ref().zip(needed).is_some_and(|(mapping, needed)| mapping.len() >= needed)
    }

    /// The part of the mapping that a stack is, above its guard.
    fn part(&self, number: usize) -> Range<usize> {
        let start = number * self.stride;
        // Neighbours do not begin in the same lines of the caches.
        start + GUARD..start + self.stride - number % COLOURS * COLOUR
    }

    /// How deep a stack was used that is watched, in bytes.
    fn depth(&mut self, number: usize) -> u64 {
        let part = self.part(number);
        self.mapping.as_mut().map_or(0, |mapping| mapping.depth(part))
    }

    /// One past the last byte of a stack that is to be used, aligned to 64.
    fn end(&mut self, number: usize) -> *mut u8 {
        let part = self.part(number);
        let Some(mapping) = &mut self.mapping else { return null_mut() };
        self.touched = self.touched.max(number + 1);
        if number >= self.used {
            self.used = number + 1;
            if GUARDS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok() {
                self.guarded += 1;
                mapping.guard(number * self.stride, GUARD);
            }
            if self.watched {
                mapping.fill(part.clone());
            }
        }
        mapping.start().wrapping_add(part.end)
    }
}

impl Drop for Stacks {
    fn drop(&mut self) {
        self.mapping = None;
        GUARDS.fetch_add(self.guarded, Ordering::Relaxed);
    }
}

/// Why a fiber has left its stack.
#[derive(Clone, Copy)]
enum Why {
    /// Others are to go on for a while.
    Turn,
    Barrier,
    /// It is over, and no other is to begin.
    Over,
}

/// The fibers of a work-group that runs.
struct Fibers {
    fiber: Fiber,
    launch: LaunchAddress,
    context: *mut u8,
    group: *const GroupRecord,
    /// The next that begins, and how many there are.
    next: u64,
    count: u64,
    /// Another may go on.
    has_ready: bool,
    turns: u32,
    /// The number of the one that runs.
    current: u64,
    why: Why,
    /// The stack pointer of the fiber that has left last, and of whom it has left to.
    left: *mut u8,
    home: *mut u8,
}

/// [`oxicl_abi::RunFibers`].
///
/// # Safety
/// `fiber` is one, and the others are what it is to be called with.
pub unsafe extern "C" fn run(
    fiber: Fiber,
    launch: LaunchAddress,
    context: *mut u8,
    group: *const GroupRecord,
    count: u64,
) {
    let mut stacks = take();
    // A launch has reserved them, or could not and needs no more than this.
    if !stacks.are(count) && stacks.reserve(count, UNRESERVED).is_err() {
        std::process::abort();
    }
    let mut fibers = Fibers {
        fiber,
        launch,
        context,
        group,
        next: 0,
        count,
        has_ready: false,
        turns: 0,
        current: 0,
        why: Why::Over,
        left: null_mut(),
        home: null_mut(),
    };
    // Fibers reach it by this pointer only.
    let fibers = &raw mut fibers;
    // The numbers, stacks and stack pointers of those that have left and are not over, and the stacks that are free.
    let mut ready: VecDeque<(u64, usize, *mut u8)> = VecDeque::new();
    let mut waiting: Vec<(u64, usize, *mut u8)> = Vec::new();
    let mut free: Vec<usize> = Vec::new();
    let mut begun = 0;
    loop {
        // SAFETY: it lives in this call, and no fiber runs.
        let (next, all_begun) = unsafe { ((*fibers).next, (*fibers).next == (*fibers).count) };
        let (number, stack, at) = if !all_begun {
            let stack = free.pop().unwrap_or(begun);
            begun = begun.max(stack + 1);
            // SAFETY: the stack is free; there are as many as there can be fibers.
            (next, stack, unsafe { prepare(stacks.end(stack), fibers) })
        } else if let Some(next) = ready.pop_front() {
            next
        } else if !waiting.is_empty() {
            // Who gathers something does so in order.
            waiting.sort_unstable_by_key(|(number, ..)| *number);
            ready.extend(waiting.drain(..));
            continue;
        } else {
            break;
        };
        // SAFETY: as above. What is at `at` was left by `prepare` or by `leave`.
        unsafe {
            (*fibers).has_ready = !ready.is_empty();
            (*fibers).current = number;
            switch(&raw mut (*fibers).home, at);
            let left = ((*fibers).current, stack, (*fibers).left);
            match (*fibers).why {
                Why::Turn => ready.push_back(left),
                Why::Barrier => waiting.push(left),
                Why::Over => free.push(stack),
            }
        }
    }
    keep(stacks);
}

/// [`oxicl_abi::Pause`].
///
/// # Safety
/// `fibers` is what the fiber was given that calls.
pub unsafe extern "C" fn pause(fibers: *mut c_void, barrier: u32) {
    let fibers: *mut Fibers = fibers.cast();
    // SAFETY: it lives as long as its fibers, of which only this one runs.
    unsafe {
        if barrier != 0 {
            return leave(fibers, Why::Barrier);
        }
        let turns = (*fibers).turns.wrapping_add(1);
        (*fibers).turns = turns;
        if turns.is_multiple_of(LONG) {
            libc::sched_yield();
        }
        if turns.is_multiple_of(PATIENCE) && ((*fibers).has_ready || (*fibers).next < (*fibers).count) {
            leave(fibers, Why::Turn);
        }
    }
}

/// The fiber that runs leaves its stack, and comes back when it is its turn.
///
/// # Safety
/// As for [`pause`].
unsafe fn leave(fibers: *mut Fibers, why: Why) {
    // SAFETY: as for `pause`; `home` is where `run` is.
    unsafe {
        (*fibers).why = why;
        switch(&raw mut (*fibers).left, (*fibers).home);
    }
}

/// What runs on the stack of a fiber: one after the other, as long as there are any that have not begun.
unsafe extern "C" fn work(fibers: *mut Fibers) -> ! {
    // SAFETY: as for `pause`. What the fiber is given is what `run` was.
    unsafe {
        while (*fibers).next < (*fibers).count {
            let number = (*fibers).next;
            (*fibers).next += 1;
            (*fibers).current = number;
            ((*fibers).fiber)((*fibers).launch, (*fibers).context, (*fibers).group, number, fibers.cast());
        }
        leave(fibers, Why::Over);
    }
    // Nobody comes back to a fiber that is over.
    std::process::abort()
}

/// Puts onto a stack what [`switch`] takes from it, so that [`begin`] comes next; gives the stack pointer.
///
/// # Safety
/// `end` is the end of a stack that nobody uses, aligned to 16.
unsafe fn prepare(end: *mut u8, fibers: *mut Fibers) -> *mut u8 {
    // SAFETY: `SAVED` words and two more fit into a stack.
    unsafe {
        let words = end.cast::<usize>().sub(SAVED + 2);
        words.write_bytes(0, SAVED + 2);
        words.add(FIBERS).write(fibers as usize);
        words.add(RETURN).write(begin as *const () as usize);
        words.cast()
    }
}

#[cfg(target_arch = "x86_64")]
mod words {
    /// Words that `switch` leaves on a stack, and which of them is the pointer for `begin` (r12) and where it goes on.
    pub(super) const SAVED: usize = 7;
    pub(super) const FIBERS: usize = 3;
    pub(super) const RETURN: usize = 6;
}

#[cfg(target_arch = "aarch64")]
mod words {
    /// As for x86-64; x19 and x30.
    pub(super) const SAVED: usize = 20;
    pub(super) const FIBERS: usize = 0;
    pub(super) const RETURN: usize = 11;
}

use words::{FIBERS, RETURN, SAVED};

/// Keeps the stack pointer in `from`, and goes on where the stack is that `to` points to. What the ABI wants kept lies on the
/// stack; the control words of floating point are the same everywhere.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn switch(from: *mut *mut u8, to: *mut u8) {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov [rdi], rsp",
        "mov rsp, rsi",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// The first on a stack, which is aligned to 16 here.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn begin() {
    naked_asm!("mov rdi, r12", "call {work}", "ud2", work = sym work)
}

/// As for x86-64.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
unsafe extern "C" fn switch(from: *mut *mut u8, to: *mut u8) {
    naked_asm!(
        "sub sp, sp, #160",
        "stp x19, x20, [sp]",
        "stp x21, x22, [sp, #16]",
        "stp x23, x24, [sp, #32]",
        "stp x25, x26, [sp, #48]",
        "stp x27, x28, [sp, #64]",
        "stp x29, x30, [sp, #80]",
        "stp d8, d9, [sp, #96]",
        "stp d10, d11, [sp, #112]",
        "stp d12, d13, [sp, #128]",
        "stp d14, d15, [sp, #144]",
        "mov x9, sp",
        "str x9, [x0]",
        "mov sp, x1",
        "ldp x19, x20, [sp]",
        "ldp x21, x22, [sp, #16]",
        "ldp x23, x24, [sp, #32]",
        "ldp x25, x26, [sp, #48]",
        "ldp x27, x28, [sp, #64]",
        "ldp x29, x30, [sp, #80]",
        "ldp d8, d9, [sp, #96]",
        "ldp d10, d11, [sp, #112]",
        "ldp d12, d13, [sp, #128]",
        "ldp d14, d15, [sp, #144]",
        "add sp, sp, #160",
        "ret",
    )
}

/// As for x86-64.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
unsafe extern "C" fn begin() {
    naked_asm!("mov x0, x19", "bl {work}", "brk #1", work = sym work)
}

#[cfg(test)]
mod tests {
    use super::{GUARDS, pause, reserve, run, trim};
    use oxicl_abi::{GroupRecord, LaunchAddress};
    use std::cell::RefCell;
    use std::ffi::c_void;
    use std::ptr::null;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    type Log = RefCell<Vec<(u64, u32)>>;

    /// Notes what a fiber does: its number and a step.
    fn note(context: *mut u8, number: u64, step: u32) {
        // SAFETY: the tests pass a log.
        unsafe { &*context.cast::<Log>() }.borrow_mut().push((number, step));
    }

    unsafe extern "C" fn barriers(
        _: LaunchAddress,
        context: *mut u8,
        _: *const GroupRecord,
        number: u64,
        fibers: *mut c_void,
    ) {
        // Values that live across, in registers of both kinds.
        let mut sum = number as f64 + 0.5;
        for step in 0..3 {
            note(context, number, step);
            if number == 1 && step == 1 {
                return;
            }
            // SAFETY: that is what it was given.
            unsafe { pause(fibers, 1) };
            sum += 1.0;
        }
        assert_eq!(sum, number as f64 + 3.5);
    }

    #[test]
    fn nobody_passes_a_barrier_before_all_that_are_left_have_come() {
        let log = Log::default();
        // SAFETY: `barriers` takes a log.
        unsafe { run(barriers, null(), (&raw const log).cast_mut().cast(), null(), 4) };
        let log = log.into_inner();
        assert_eq!(log.len(), 11);
        assert!(log.is_sorted_by_key(|(_, step)| *step), "{log:?}");
    }

    /// Each waits for the one with the next number, the last for none.
    unsafe extern "C" fn chain(
        _: LaunchAddress,
        context: *mut u8,
        _: *const GroupRecord,
        number: u64,
        fibers: *mut c_void,
    ) {
        // SAFETY: the test passes a log.
        let log = unsafe { &*context.cast::<Log>() };
        while number < 99 && !log.borrow().iter().any(|(other, _)| *other == number + 1) {
            // SAFETY: that is what it was given.
            unsafe { pause(fibers, 0) };
        }
        note(context, number, 0);
    }

    #[test]
    fn who_waits_for_a_later_one_goes_on_in_the_end() {
        let log = Log::default();
        for _ in 0..2 {
            log.borrow_mut().clear();
            // SAFETY: `chain` takes a log.
            unsafe { run(chain, null(), (&raw const log).cast_mut().cast(), null(), 100) };
            let order: Vec<u64> = log.borrow().iter().map(|(number, _)| *number).collect();
            assert_eq!(order, (0..100).rev().collect::<Vec<_>>());
        }
    }

    unsafe extern "C" fn stacks(
        _: LaunchAddress,
        context: *mut u8,
        _: *const GroupRecord,
        number: u64,
        _: *mut c_void,
    ) {
        let place = std::hint::black_box(&number) as *const u64 as usize;
        note(context, number, (place % 4096) as u32);
    }

    #[test]
    fn who_does_not_wait_runs_in_order_on_one_stack() {
        let log = Log::default();
        // SAFETY: `stacks` takes a log.
        unsafe { run(stacks, null(), (&raw const log).cast_mut().cast(), null(), 1000) };
        let log = log.into_inner();
        assert!(log.iter().enumerate().all(|(index, (number, place))| *number == index as u64 && *place == log[0].1));
    }

    /// Keeps much on its stack while others go on.
    unsafe extern "C" fn deep(
        _: LaunchAddress,
        context: *mut u8,
        _: *const GroupRecord,
        number: u64,
        fibers: *mut c_void,
    ) {
        let mut bytes = [number as u8; 700 << 10];
        std::hint::black_box(&mut bytes);
        // SAFETY: that is what it was given.
        unsafe { pause(fibers, 1) };
        note(context, number, bytes.iter().filter(|byte| **byte == number as u8).count() as u32);
    }

    #[test]
    fn stacks_are_as_large_as_was_asked() {
        let log = Log::default();
        reserve(20, 700 << 10, None).unwrap();
        // SAFETY: `deep` takes a log.
        unsafe { run(deep, null(), (&raw const log).cast_mut().cast(), null(), 20) };
        assert_eq!(log.into_inner(), (0..20).map(|number| (number, 700 << 10)).collect::<Vec<_>>());
        // What was on the stacks is gone, and they are as good as before.
        trim(4 << 20, None).unwrap();
        let log = Log::default();
        // SAFETY: as above.
        unsafe { run(barriers, null(), (&raw const log).cast_mut().cast(), null(), 4) };
        assert_eq!(log.into_inner().len(), 11);
    }

    #[test]
    fn stacks_are_as_large_as_the_launch_needs_them_not_as_those_before() {
        let thread = std::thread::spawn(|| {
            // This much a fiber would be more than there are addresses for many.
            reserve(1, 64 << 30, None).unwrap();
            reserve(8192, 0, None).unwrap();
            assert!(reserve(u64::MAX, 1, None).is_err());
            assert!(reserve(1, u64::MAX, None).is_err());
            reserve(1, 0, None).unwrap();
        });
        thread.join().unwrap();
    }

    /// Threads that meet with all their fibers begun.
    struct Threads {
        barrier: Barrier,
        entries: AtomicUsize,
    }

    unsafe extern "C" fn crowd(
        _: LaunchAddress,
        context: *mut u8,
        _: *const GroupRecord,
        number: u64,
        fibers: *mut c_void,
    ) {
        // SAFETY: the test passes one, which outlives its threads.
        let threads = unsafe { &*context.cast::<Threads>() };
        // SAFETY: that is what it was given.
        unsafe { pause(fibers, 1) };
        if number == 0 {
            threads.barrier.wait();
            let entries = std::fs::read_to_string("/proc/self/maps").unwrap_or_default().lines().count();
            threads.entries.fetch_max(entries, Ordering::Relaxed);
            threads.barrier.wait();
        }
    }

    /// Entries of the list of mappings while so many threads have a thousand fibers each.
    fn entries_with(count: usize) -> usize {
        let threads = Threads { barrier: Barrier::new(count), entries: AtomicUsize::new(0) };
        std::thread::scope(|scope| {
            let one = || {
                // SAFETY: `crowd` takes it.
                unsafe { run(crowd, null(), (&raw const threads).cast_mut().cast(), null(), 1000) };
            };
            let handles: Vec<_> = (0..count).map(|_| scope.spawn(one)).collect();
            // The end of the scope alone does not wait until the threads have dropped what is theirs.
            handles.into_iter().for_each(|handle| handle.join().unwrap());
        });
        threads.entries.into_inner()
    }

    #[test]
    fn guards_of_many_threads_leave_room_in_the_list_of_mappings() {
        let all = GUARDS.load(Ordering::Relaxed);
        for _ in 0..3 {
            let many = entries_with(10);
            assert!(many > 4000, "stacks have guards: {many}");
            assert!(many < 2 * 4096 + 2000, "they have no end: {many}");
        }
        // A thread that ends gives back what it had; the other tests have few.
        assert!(GUARDS.load(Ordering::Relaxed) + 1000 > all);
    }
}
