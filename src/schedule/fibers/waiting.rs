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

/// A named barrier. It is nowhere but in what the kernel keeps of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NamedBarrier {
    /// Its number among those of the work-group.
    pub(super) number: u32,
    /// How many fibers wait there until they go on.
    pub(super) wanted: u32,
}

impl NamedBarrier {
    /// As the kernel has it.
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
    /// A fiber comes to a named barrier. If it is the last that the barrier is for, all that wait there may go on.
    pub(super) fn arrive(&mut self, barrier: NamedBarrier, fiber: Left) {
        let here = self.named.entry(barrier).or_default();
        here.push(fiber);
        if here.len() >= barrier.wanted as usize {
            self.ready.extend(self.named.remove(&barrier).into_iter().flatten());
        }
    }

    /// If no fiber is ready, those at named barriers wait for more than will come. They go on, in order, to their own ends. False
    /// if there are none.
    pub(super) fn release_named(&mut self) -> bool {
        let released = mem::take(&mut self.named).into_values().flatten().collect();
        self.release(released)
    }

    /// If no fiber is ready, nor at a named barrier, all that are not over have come to the barrier of the work-group. They go on, in
    /// order. False if there are none.
    pub(super) fn release_all(&mut self) -> bool {
        let released = mem::take(&mut self.barrier);
        self.release(released)
    }

    /// Fibers may go on in the order of their numbers: who gathers something does so in order.
    fn release(&mut self, mut fibers: Vec<Left>) -> bool {
        fibers.sort_unstable_by_key(|fiber| fiber.number);
        self.ready.extend(fibers);
        !self.ready.is_empty()
    }
}
