//! What a thread needs to run kernels: a stack and a context block. A device has one worker slot per compute unit, so
//! at most that many threads run for it, whoever they are.

use crate::Failed;
use crate::depth::HEADROOM;
use crate::mapping::Mapping;

/// Accessible bytes before and behind a context block. The vectors of a gang reach beyond local memory where lanes at
/// its ends are off, and a masked load is a hundred times slower where the page of such a lane is absent: on Zen 3, 300
/// cycles instead of 3. A cost: a gang of 64 doubles has 512 bytes, and a page is the smallest unit.
const MARGIN: usize = 4096;

/// The place of one thread at a device.
#[derive(Debug, Default)]
pub struct WorkerSlot {
    stack: Option<Mapping>,
    context: Option<Mapping>,
}

impl WorkerSlot {
    /// Top of a stack for a kernel that needs `bytes` bytes, aligned to a page.
    ///
    /// # Errors
    /// The system has no memory.
    pub(crate) fn stack(&mut self, bytes: u64) -> Result<*mut u8, Failed> {
        Ok(at_least(&mut self.stack, bytes.checked_add(HEADROOM).ok_or(Failed)?)?.end())
    }

    /// Fills the stack with a pattern, so that its depth can be measured.
    pub(crate) fn fill_stack(&mut self) {
        if let Some(stack) = &mut self.stack {
            stack.fill(0..stack.len() as usize);
        }
    }

    /// How deep the stack was used since it was filled, in bytes.
    pub(crate) fn depth(&mut self) -> u64 {
        self.stack.as_mut().map_or(0, |stack| stack.depth(0..stack.len() as usize))
    }

    /// A context block of at least `bytes` bytes, aligned to a page; its content is arbitrary.
    ///
    /// # Errors
    /// The system has no memory.
    pub(crate) fn context(&mut self, bytes: u64) -> Result<*mut u8, Failed> {
        let bytes = bytes.max(1);
        let mapping = at_least(&mut self.context, bytes.checked_add(2 * MARGIN as u64).ok_or(Failed)?)?;
        // Both margins are touched: the system makes a page when it is first touched.
        mapping.touch(0);
        mapping.touch(MARGIN + bytes as usize);
        Ok(mapping.start().wrapping_add(MARGIN))
    }
}

/// The mapping in `slot`, replaced if it is too small.
fn at_least(slot: &mut Option<Mapping>, bytes: u64) -> Result<&mut Mapping, Failed> {
    if slot.as_ref().is_none_or(|mapping| mapping.len() < bytes) {
        // The old one goes first: its content is dead, and both may not fit.
        *slot = None;
        *slot = Mapping::new(bytes);
    }
    slot.as_mut().ok_or(Failed)
}

/// A contiguous set of slots: a device, or a sub-device of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WorkerSlots {
    pub(crate) first: u32,
    pub(crate) count: u32,
    /// Threads keep to the CPUs that the slots stand for.
    pub(crate) bound: bool,
}

impl WorkerSlots {
    /// All slots of this machine: one per CPU that the process may use.
    pub fn all() -> Self {
        WorkerSlots { first: 0, count: crate::cpu_count(), bound: false }
    }

    /// The number of slots: the compute units of the device.
    #[allow(clippy::len_without_is_empty, reason = "a set of slots is never empty")]
    pub fn len(self) -> u32 {
        self.count
    }

    /// `count` of these slots, from the one at `first` on; `None` if they are not all among these, or `count` is 0.
    pub fn split(self, first: u32, count: u32) -> Option<WorkerSlots> {
        let end = first.checked_add(count)?;
        (count > 0 && end <= self.count).then_some(WorkerSlots { first: self.first + first, count, ..self })
    }

    /// The index of the last slot.
    pub(crate) fn last(self) -> u32 {
        self.first + (self.count - 1)
    }

    /// The indices of all slots, from `preferred` on if it is among them, else from the first on; they wrap around.
    pub(crate) fn indices(self, preferred: u32) -> impl Iterator<Item = usize> {
        let skip =
            if preferred >= self.first && preferred - self.first < self.count { preferred - self.first } else { 0 };
        (0..self.count).map(move |step| (self.first + (step + skip) % self.count) as usize)
    }

    /// Whether a worker slot is among these.
    pub(crate) fn contains(self, slot: usize) -> bool {
        slot >= self.first as usize && slot < self.first as usize + self.count as usize
    }
}

#[cfg(test)]
mod tests {
    use super::{WorkerSlot, WorkerSlots};

    #[test]
    fn a_split_stays_inside() {
        let all = WorkerSlots { first: 0, count: 8, bound: false };
        let half = all.split(4, 4).unwrap();
        assert_eq!(half.split(1, 2), Some(WorkerSlots { first: 5, count: 2, bound: false }));
        assert_eq!(half.split(3, 2), None);
        assert_eq!(all.split(0, 0), None);
        assert_eq!(all.split(u32::MAX, 2), None);
        assert_eq!(half.indices(6).collect::<Vec<_>>(), [6, 7, 4, 5]);
        assert_eq!(half.indices(0).collect::<Vec<_>>(), [4, 5, 6, 7]);
    }

    #[test]
    fn a_context_block_grows_to_what_is_asked() {
        let mut slot = WorkerSlot::default();
        let small = slot.context(100).unwrap();
        assert_eq!(slot.context(50).unwrap(), small);
        let large = slot.context(10 << 20).unwrap();
        assert_eq!(large.align_offset(128), 0);
        assert!(slot.context(u64::MAX / 2).is_err());
        assert!(slot.stack(64).is_ok());
    }
}
