//! The fibers of a work-group: sub-groups or work-items that wait for each other. Each has a stack of its own; where
//! one waits, the thread goes on with another. As long as none waits, a thread needs one stack only: when a fiber is
//! over, the next one begins on it.
#![allow(unsafe_code, reason = "changes stacks, and is called by generated code")]

mod stacks;
mod switch;
#[cfg(test)]
mod tests;
mod waiting;

use std::ffi::c_void;
use std::ptr::null_mut;

use oxicl_abi::{Fiber, GroupRecord, LaunchAddress, Printf, Services};

use stacks::{UNRESERVED, keep, take};
use switch::{prepare, switch};
use waiting::{Left, NamedBarrier, Waiting};

pub(crate) use stacks::{reserve, trim};

/// Iterations of waiting loops after which another fiber of the work-group goes on.
const PATIENCE: u32 = 32;
/// Iterations of waiting loops after which the thread lets other threads run.
const LONG: u32 = 4096;

/// Why a fiber has left its stack.
#[derive(Clone, Copy)]
enum Why {
    /// Others are to go on for a while.
    Yields,
    /// It waits for all at the barrier of the work-group.
    Barrier,
    NamedBarrier(NamedBarrier),
    /// It is over, and no other is to begin.
    Over,
}

/// The fibers of a work-group that runs.
struct Fibers {
    fiber: Fiber,
    launch: LaunchAddress,
    context: *mut u8,
    group: *const GroupRecord,
    /// The next fiber to begin, and how many there are.
    next: u64,
    count: u64,
    /// Another fiber is ready to go on.
    has_ready: bool,
    /// Iterations of waiting loops so far, of all fibers together.
    iterations: u32,
    /// The number of the fiber that runs.
    current: u64,
    why: Why,
    /// How many named barriers were made, and whether the last one was made since all fibers last met at the barrier of
    /// the work-group. If so, the other fibers are about to ask for the same one.
    named_barriers: u32,
    is_making: bool,
    /// The stack pointer of the fiber that left its stack last, and that of `run`, to which it left.
    left: *mut u8,
    home: *mut u8,
}

/// The services that kernels call, with this `printf`.
pub const fn services(printf: Printf) -> Services {
    Services { printf, run_fibers: run, pause, make_named_barrier, wait_at_named_barrier }
}

/// [`oxicl_abi::RunFibers`].
///
/// # Safety
/// `fiber` is a fiber's code, and the other arguments are what it is to be called with.
unsafe extern "C" fn run(fiber: Fiber, launch: LaunchAddress, context: *mut u8, group: *const GroupRecord, count: u64) {
    let mut stacks = take();
    // The launch has reserved stacks, or the thread is ending and cannot keep them; in that case no fiber needs more
    // than this.
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
        iterations: 0,
        current: 0,
        why: Why::Over,
        named_barriers: 0,
        is_making: false,
        left: null_mut(),
        home: null_mut(),
    };
    // Fibers access it through this pointer only.
    let fibers = &raw mut fibers;
    let mut waiting = Waiting::default();
    // Stacks that no fiber is on.
    let mut free: Vec<usize> = Vec::new();
    let mut begun = 0;
    loop {
        // SAFETY: it lives in this call, and no fiber runs.
        let (next, all_begun) = unsafe { ((*fibers).next, (*fibers).next == (*fibers).count) };
        let Left { number, stack, at } = if !all_begun {
            let stack = free.pop().unwrap_or(begun);
            begun = begun.max(stack + 1);
            // SAFETY: the stack is free; there are as many as there can be fibers.
            Left { number: next, stack, at: unsafe { prepare(stacks.end(stack), fibers) } }
        } else if let Some(next) = waiting.ready.pop_front() {
            next
        } else if waiting.release_named() {
            continue;
        } else if waiting.release_all() {
            // SAFETY: as above.
            unsafe { (*fibers).is_making = false };
            continue;
        } else {
            break;
        };
        // SAFETY: as above. What is at `at` was left by `prepare` or by `leave`.
        unsafe {
            (*fibers).has_ready = !waiting.ready.is_empty();
            (*fibers).current = number;
            switch(&raw mut (*fibers).home, at);
            let left = Left { number: (*fibers).current, stack, at: (*fibers).left };
            match (*fibers).why {
                Why::Yields => waiting.ready.push_back(left),
                Why::Barrier => waiting.barrier.push(left),
                Why::NamedBarrier(barrier) => waiting.arrive(barrier, left),
                Why::Over => free.push(stack),
            }
        }
    }
    keep(stacks);
}

/// [`oxicl_abi::Pause`].
///
/// # Safety
/// `fibers` is what the calling fiber was given.
unsafe extern "C" fn pause(fibers: *mut c_void, barrier: u32) {
    let fibers: *mut Fibers = fibers.cast();
    // SAFETY: it lives as long as its fibers, of which only this one runs.
    unsafe {
        if barrier != 0 {
            return leave(fibers, Why::Barrier);
        }
        let iterations = (*fibers).iterations.wrapping_add(1);
        (*fibers).iterations = iterations;
        if iterations.is_multiple_of(LONG) {
            libc::sched_yield();
        }
        if iterations.is_multiple_of(PATIENCE) && ((*fibers).has_ready || (*fibers).next < (*fibers).count) {
            leave(fibers, Why::Yields);
        }
    }
}

/// [`oxicl_abi::MakeNamedBarrier`]. The first fiber that comes makes it, and none goes on before all have it.
///
/// # Safety
/// As for [`pause`].
unsafe extern "C" fn make_named_barrier(fibers: *mut c_void, wanted: u32) -> u64 {
    let fibers: *mut Fibers = fibers.cast();
    // SAFETY: as for `pause`.
    unsafe {
        if !(*fibers).is_making {
            (*fibers).is_making = true;
            (*fibers).named_barriers = (*fibers).named_barriers.wrapping_add(1);
        }
        let barrier = NamedBarrier { number: (*fibers).named_barriers, wanted };
        leave(fibers, Why::Barrier);
        barrier.to_bits()
    }
}

/// [`oxicl_abi::WaitAtNamedBarrier`].
///
/// # Safety
/// As for [`pause`].
unsafe extern "C" fn wait_at_named_barrier(fibers: *mut c_void, barrier: u64) {
    // SAFETY: as for `pause`.
    unsafe { leave(fibers.cast(), Why::NamedBarrier(NamedBarrier::from_bits(barrier))) }
}

/// The fiber that runs leaves its stack, and comes back when it may go on.
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

/// What runs on the stack of a fiber: fibers, one after the other, as long as some have not begun.
unsafe extern "C" fn work(fibers: *mut Fibers) -> ! {
    // SAFETY: as for `pause`. The fiber is given what `run` was given.
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
