//! Hands out the units of a job in chunks.

use std::ops::Range;

use super::sync::{AtomicU64, Ordering};

/// How many units of a job were handed out and finished so far.
///
/// Chunks are handed out in increasing order, so a unit starts only after all units before it: kernels that wait for an
/// earlier work-group rely on it.
#[derive(Debug)]
pub struct Progress {
    next: AtomicU64,
    left: AtomicU64,
    total: u64,
    smallest: u64,
    threads: u64,
}

/// The first chunk of a job that is expected to be too short for several threads is one in so many of its units. The
/// expectation may be wrong, and units that are handed out can no longer be shared.
const PROBE: u64 = 64;

impl Progress {
    /// `total` units for `threads` threads, at least `smallest` a chunk.
    pub fn new(total: u64, threads: u32, smallest: u64) -> Self {
        Progress {
            next: AtomicU64::new(0),
            left: AtomicU64::new(total),
            total,
            smallest: smallest.max(1),
            threads: u64::from(threads.max(1)),
        }
    }

    /// The next chunk, if units are left. Whoever takes one must report it to [`done`](Progress::done).
    pub fn take(&self) -> Option<Range<u64>> {
        let mut next = self.next.load(Ordering::Relaxed);
        loop {
            if next >= self.total {
                return None;
            }
            let end = next + self.chunk(next);
            match self.next.compare_exchange_weak(next, end, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some(next..end),
                Err(seen) => next = seen,
            }
        }
    }

    fn chunk(&self, next: u64) -> u64 {
        let remaining = self.total - next;
        let wanted = if self.threads == 1 {
            // Growing chunks: the probe first, then three times the units before.
            (self.total / PROBE).max(next.saturating_mul(3))
        } else {
            // Shrinking chunks, so that the threads end together.
            remaining / (4 * self.threads)
        };
        wanted.max(self.smallest).min(remaining)
    }

    /// Takes all units, if none was handed out; nobody reports them as done then.
    #[must_use]
    pub fn take_all(&self) -> bool {
        self.total > 0 && self.next.compare_exchange(0, self.total, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Whether units are left to hand out.
    pub fn more(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.total
    }

    /// Reports finished units; true for the one caller that reports the last.
    #[must_use]
    pub fn done(&self, units: u64) -> bool {
        // Release: the finisher sees what our units did. Acquire: if we are the finisher, we see what everybody's did.
        self.left.fetch_sub(units, Ordering::AcqRel) == units
    }

    /// Number of all units.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// How many threads it was laid out for.
    pub fn threads(&self) -> u32 {
        u32::try_from(self.threads).unwrap_or(u32::MAX)
    }
}
