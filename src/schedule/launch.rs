//! One ND-range of a compiled kernel.
#![allow(unsafe_code, reason = "the constructor's promise that the compiled kernel may be called")]

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use oxicl_abi::{Entry, LaunchRecord};

use crate::call::{Call, enter};
use crate::depth::Bound;
use crate::order::Order;
use crate::worker_slot::WorkerSlot;
use crate::{Failed, fibers};

/// What a kernel cost when it ran last. Kernels are launched again and again, mostly with the same cost per work-item.
#[derive(Debug, Default)]
pub struct CostHint {
    /// Nanoseconds per work-item, as the bits of an `f32`; 0 if unknown.
    per_item: AtomicU32,
    /// Launches left until the next sample.
    rest: AtomicU32,
}

/// One launch in so many is sampled.
const SAMPLED: u32 = 16;

impl CostHint {
    /// Expected time of `items` work-items on one thread, in nanoseconds.
    pub fn estimate(&self, items: u64) -> Option<u64> {
        let per_item = f32::from_bits(self.per_item.load(Ordering::Relaxed));
        (per_item > 0.0).then(|| (items as f64 * f64::from(per_item)) as u64)
    }

    /// Whether to sample this time.
    pub fn due(&self) -> bool {
        let rest = self.rest.load(Ordering::Relaxed);
        // A lost update samples once more or once less.
        self.rest.store(if rest == 0 { SAMPLED } else { rest - 1 }, Ordering::Relaxed);
        rest == 0
    }

    /// Learns that a thread took so long for `items` work-items.
    ///
    /// One sample at most doubles or halves the hint: a thread that was interrupted, or touched its memory for the
    /// first time, says little. As long as samples are farther off, every launch is sampled.
    pub fn sample(&self, items: u64, nanoseconds: u64) {
        let new = ((nanoseconds as f64 / items.max(1) as f64) as f32).max(LEAST);
        let old = f32::from_bits(self.per_item.load(Ordering::Relaxed));
        let next = if old <= 0.0 { new } else { new.clamp(old / 2.0, old * 2.0) };
        if next != new || old <= 0.0 {
            self.rest.store(0, Ordering::Relaxed);
        }
        self.per_item.store(next.to_bits(), Ordering::Relaxed);
    }
}

/// No kernel is taken to be faster than this, in nanoseconds per work-item.
const LEAST: f32 = 1e-3;

/// A launch, ready to run. `K` is what it keeps alive: code, arguments.
#[derive(Debug)]
pub struct Launch<K> {
    entry: Entry,
    order: Order,
    record: LaunchRecord,
    context_bytes: u64,
    stack_bytes: u64,
    /// Bytes at the start of the context block that are zero when a work-group begins.
    zeroed: u64,
    groups: u64,
    /// If set, the depth of stacks is checked after use.
    watched: Option<Bound>,
    keep: K,
}

impl<K> Launch<K> {
    /// A launch of all work-groups of `record`. `None` if their number overflows.
    ///
    /// # Safety
    /// `entry` is a compiled kernel that is to be called in this `order`, fits `record`'s argument block, and needs at
    /// most `context_bytes` of context and `stack_bytes` of stack. Code, argument block and program block stay valid as
    /// long as `keep` lives.
    pub unsafe fn new(
        (entry, order): (Entry, Order),
        record: LaunchRecord,
        context_bytes: u64,
        stack_bytes: u64,
        keep: K,
    ) -> Option<Self> {
        let groups = record.groups()?;
        Some(Launch { entry, order, record, context_bytes, stack_bytes, zeroed: 0, groups, watched: None, keep })
    }

    /// The launch with the first `bytes` bytes of the context block zeroed before each work-group.
    #[must_use]
    pub fn zeroing(mut self, bytes: u64) -> Self {
        self.zeroed = bytes.min(self.context_bytes);
        self
    }

    /// The launch with its stacks watched: it fails if it uses them deeper than was said. The kernel calls services if
    /// `has_services`. Watching is slow, and for tests.
    #[must_use]
    pub fn watched(mut self, has_services: bool) -> Self {
        self.watched = Some(Bound { kernel: self.stack_bytes, has_services });
        self
    }

    /// Number of work-groups.
    pub fn groups(&self) -> u64 {
        self.groups
    }

    /// Work-items of a full work-group.
    pub fn group_items(&self) -> u64 {
        self.record.group_items()
    }

    /// The order of its work-groups.
    pub fn order(&self) -> Order {
        self.order
    }

    /// What it keeps alive.
    pub fn keep(&self) -> &K {
        &self.keep
    }

    /// Runs some work-groups, in their order.
    ///
    /// # Errors
    /// There is no memory for the context block or the stack, or a watched launch used more stack than it may.
    pub fn run(&self, groups: Range<u64>, slot: &mut WorkerSlot) -> Result<(), Failed> {
        let context = slot.context(self.context_bytes)?;
        let stack = slot.stack(self.stack_bytes)?;
        let fiber = self.order.style().fiber;
        let has_fibers = fiber > 0;
        if has_fibers {
            let count = self.group_items().div_ceil(u64::from(fiber));
            fibers::reserve(count, self.stack_bytes, self.watched)?;
        }
        if self.watched.is_some() {
            slot.fill_stack();
        }
        let count = groups.end.saturating_sub(groups.start);
        let at_a_time = if self.zeroed == 0 { count } else { 1 };
        let launch = &raw const self.record;
        let mut call =
            Call { entry: self.entry, order: self.order, launch, context, groups: (groups.start, at_a_time) };
        while call.groups.0 < groups.end {
            // SAFETY: the constructor's caller vouches for entry, record and sizes; `self.keep` lives; stack and
            // context belong to the worker slot, which is ours for the call. `zeroed` is no more than the context block
            // has.
            unsafe {
                context.write_bytes(0, self.zeroed as usize);
                enter(&call, stack);
            }
            call.groups.0 += at_a_time;
        }
        self.watched.map_or(Ok(()), |bound| bound.check("a thread's stack", slot.depth()))?;
        if has_fibers { fibers::trim(self.stack_bytes, self.watched) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::CostHint;

    #[test]
    fn one_odd_sample_moves_the_hint_little_and_many_move_it_far() {
        let hint = CostHint::default();
        assert_eq!(hint.estimate(100), None);
        hint.sample(10, 100);
        assert_eq!(hint.estimate(100), Some(1000));
        hint.sample(1, 1_000_000);
        assert_eq!(hint.estimate(1), Some(20));
        hint.sample(1, 10);
        assert_eq!(hint.estimate(1), Some(10));
        for _ in 0..17 {
            assert!(hint.due(), "each is sampled while they are far off");
            hint.sample(1, 1_000_000);
        }
        assert_eq!(hint.estimate(1), Some(1_000_000));
        hint.sample(0, 0);
        assert!(hint.estimate(1).is_some());
    }

    #[test]
    fn one_launch_in_some_is_sampled() {
        let hint = CostHint::default();
        let due = (0..170).filter(|_| hint.due()).count();
        assert_eq!(due, 10);
    }
}
