//! Which fibers of a work-group wait for what, and which of them goes on next.

use std::collections::{BTreeMap, VecDeque};
use std::mem;

/// A fiber that has left its stack and is not over.
pub(super) struct Left {
    pub(super) number: u64,
    /// The number of its stack.
    pub(super) stack: usize,
    /// The stack pointer.
    pub(super) at: *mut u8,
}

/// A named barrier. It exists only as the value that the kernel keeps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NamedBarrier {
    /// Its number among those of the work-group.
    pub(super) number: u32,
    /// How many fibers have to arrive before they go on.
    pub(super) wanted: u32,
}

impl NamedBarrier {
    /// The value that the kernel keeps.
    pub(super) fn to_bits(self) -> u64 {
        u64::from(self.number) << 32 | u64::from(self.wanted)
    }

    pub(super) fn from_bits(bits: u64) -> Self {
        NamedBarrier { number: (bits >> 32) as u32, wanted: bits as u32 }
    }
}

/// The fibers of a work-group that have left their stacks and are not over.
#[derive(Default)]
pub(super) struct Waiting {
    /// Those that may go on, the next one first.
    pub(super) ready: VecDeque<Left>,
    /// Those at the barrier of the work-group.
    pub(super) barrier: Vec<Left>,
    /// Those at each named barrier, in the order in which they have come.
    named: BTreeMap<NamedBarrier, Vec<Left>>,
}

impl Waiting {
    /// A fiber arrives at a named barrier. If it is the last that the barrier waits for, all that wait there may go on.
    pub(super) fn arrive(&mut self, barrier: NamedBarrier, fiber: Left) {
        let here = self.named.entry(barrier).or_default();
        here.push(fiber);
        if here.len() >= barrier.wanted as usize {
            self.ready.extend(self.named.remove(&barrier).into_iter().flatten());
        }
    }

    /// Releases the fibers at named barriers in order. Called when no fiber is ready: they wait for more fibers than
    /// will come. False if there are none.
    pub(super) fn release_named(&mut self) -> bool {
        let released = mem::take(&mut self.named).into_values().flatten().collect();
        self.release(released)
    }

    /// Releases the fibers at the barrier of the work-group in order. Called when no fiber is ready or at a named
    /// barrier: all that are not over have arrived there. False if there are none.
    pub(super) fn release_all(&mut self) -> bool {
        let released = mem::take(&mut self.barrier);
        self.release(released)
    }

    /// Makes fibers ready in the order of their numbers, so that code that gathers something does so in order.
    fn release(&mut self, mut fibers: Vec<Left>) -> bool {
        fibers.sort_unstable_by_key(|fiber| fiber.number);
        self.ready.extend(fibers);
        !self.ready.is_empty()
    }
}
