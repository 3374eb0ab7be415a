//! The stacks of fibers: reserved by a launch, kept by their thread from launch to launch.

use std::cell::Cell;
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Failed;
use crate::depth::{Bound, HEADROOM};
use crate::mapping::{GUARD, Mapping};

/// How much stack a kernel may need, in bytes, on a thread that cannot keep reserved stacks because it is ending: a
/// bound.
pub(super) const UNRESERVED: u64 = 1 << 20;
/// Bytes that the stacks of a thread may keep from one launch to the next.
const KEPT: u64 = 32 << 20;
/// Stack colouring: `COLOURS` different places at which stacks end, `COLOUR` bytes apart, which is a multiple of the
/// alignment of vectors.
const COLOURS: usize = 61;
const COLOUR: usize = 192;
/// What colouring takes of a stack at most, in bytes.
const COLOURED: u64 = (COLOURS * COLOUR) as u64;
/// Guards that may still be made in this process. Each takes two entries of the process's short list of mappings: one
/// for itself, and one for the stack behind it.
pub(super) static GUARDS: AtomicUsize = AtomicUsize::new(4096);

/// The stacks of a thread that has run fibers, side by side in one mapping.
#[derive(Default)]
pub(super) struct Stacks {
    mapping: Option<Mapping>,
    /// Bytes of one stack with its guard.
    stride: usize,
    /// How many have been used, and how many of them have guards.
    used: usize,
    guarded: usize,
    /// How many have been used since their memory was given back.
    touched: usize,
    /// Their depth is checked after use.
    watched: bool,
}

thread_local! {
    static STACKS: Cell<Stacks> = Cell::default();
}

/// Takes the stacks of this thread; a thread that is ending has none.
pub(super) fn take() -> Stacks {
    STACKS.try_with(Cell::take).unwrap_or_default()
}

/// Keeps the stacks for this thread; false if it is ending.
pub(super) fn keep(stacks: Stacks) -> bool {
    STACKS.try_with(|kept| kept.set(stacks)).is_ok()
}

/// Reserves stacks on this thread for `count` fibers that need at most `bytes` bytes of stack each. If they are
/// `watched`, their depth is checked after use.
///
/// # Errors
/// The system has no memory.
pub(crate) fn reserve(count: u64, bytes: u64, watched: Option<Bound>) -> Result<(), Failed> {
    let mut stacks = take();
    if watched.is_some() {
        // They are new ones: each is filled when it is first used.
        stacks = Stacks::default();
        stacks.watched = true;
    }
    stacks.reserve(count, bytes)?;
    // A thread that is ending keeps nothing: `run` makes stacks of its own there.
    if keep(stacks) || bytes <= UNRESERVED { Ok(()) } else { Err(Failed) }
}

/// Gives memory of this thread's stacks back to the system if fibers that need `bytes` bytes of stack each may have
/// touched much. Watched stacks are checked, and dropped.
///
/// # Errors
/// A watched stack was used deeper than it may be.
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
    pub(super) fn reserve(&mut self, count: u64, bytes: u64) -> Result<(), Failed> {
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

    /// Whether there are stacks for `count` fibers.
    pub(super) fn are(&self, count: u64) -> bool {
        let needed = (self.stride as u64).checked_mul(count.max(1));
        self.mapping.as_ref().zip(needed).is_some_and(|(mapping, needed)| mapping.len() >= needed)
    }

    /// Where a stack lies in the mapping, above its guard.
    fn range(&self, number: usize) -> Range<usize> {
        let start = number * self.stride;
        // Neighbouring stacks do not begin in the same lines of the caches.
        start + GUARD..start + self.stride - number % COLOURS * COLOUR
    }

    /// How deep a watched stack was used, in bytes.
    fn depth(&mut self, number: usize) -> u64 {
        let range = self.range(number);
        self.mapping.as_mut().map_or(0, |mapping| mapping.depth(range))
    }

    /// One past the last byte of a stack that is to be used, aligned to 64.
    pub(super) fn end(&mut self, number: usize) -> *mut u8 {
        let range = self.range(number);
        let Some(mapping) = &mut self.mapping else { return null_mut() };
        self.touched = self.touched.max(number + 1);
        if number >= self.used {
            self.used = number + 1;
            if GUARDS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok() {
                self.guarded += 1;
                mapping.guard(number * self.stride, GUARD);
            }
            if self.watched {
                mapping.fill(range.clone());
            }
        }
        mapping.start().wrapping_add(range.end)
    }
}

impl Drop for Stacks {
    fn drop(&mut self) {
        self.mapping = None;
        GUARDS.fetch_add(self.guarded, Ordering::Relaxed);
    }
}
