//! Memory from the system, for stacks and context blocks.
#![allow(unsafe_code, reason = "maps and unmaps memory")]

use std::ops::Range;
use std::ptr::{self, NonNull};
use std::slice;

/// Size and alignment of what `mprotect` can protect. Larger pages only make the guard larger.
const PAGE: usize = 4096;

/// A private zeroed mapping behind inaccessible pages: running off its start faults.
#[derive(Debug)]
pub struct Mapping {
    base: NonNull<u8>,
    guard: usize,
    bytes: usize,
}

// SAFETY: it is memory that only its owner reaches; nothing of it belongs to a thread.
unsafe impl Send for Mapping {}

/// Inaccessible bytes before a mapping, and below each stack of fibers. Needed for correctness: generated code touches
/// its stack at least once in half as many bytes, so that it cannot step over them.
pub(crate) const GUARD: usize = 64 << 10;

/// A word that no code leaves on a stack by chance.
const UNTOUCHED: u64 = 0x5a17_c0de_0bad_5eed;

impl Mapping {
    /// Maps at least `bytes` bytes. `None` if the system refuses.
    pub fn new(bytes: u64) -> Option<Mapping> {
        let bytes = usize::try_from(bytes).ok()?.checked_next_multiple_of(PAGE)?.max(PAGE);
        let all = bytes.checked_add(GUARD)?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: asks for new memory at a place that the kernel chooses.
        let base = unsafe { libc::mmap(ptr::null_mut(), all, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        if base == libc::MAP_FAILED {
            return None;
        }
        let mapping = Mapping { base: NonNull::new(base.cast())?, guard: GUARD, bytes };
        // SAFETY: the range is the start of the mapping made above, which nobody else knows.
        if unsafe { libc::mprotect(base, GUARD, libc::PROT_NONE) } != 0 {
            return None;
        }
        Some(mapping)
    }

    /// The first usable byte, page-aligned.
    pub fn start(&mut self) -> *mut u8 {
        // SAFETY: the mapping is `guard + bytes` long.
        unsafe { self.base.as_ptr().add(self.guard) }
    }

    /// One past the last byte, page-aligned.
    pub fn end(&mut self) -> *mut u8 {
        // SAFETY: one past the end of the same mapping.
        unsafe { self.base.as_ptr().add(self.guard + self.bytes) }
    }

    /// Makes bytes inaccessible, in whole pages. It does not matter if the system refuses: only erroneous code runs
    /// into them.
    pub(crate) fn guard(&mut self, offset: usize, bytes: usize) {
        if offset.checked_add(bytes).is_some_and(|end| end <= self.bytes) {
            // SAFETY: the range lies in the mapping, whose owner says that nothing is kept there.
            unsafe { libc::mprotect(self.start().add(offset).cast(), bytes, libc::PROT_NONE) };
        }
    }

    /// Writes a zero at an offset where nothing is kept, so that its page is present.
    pub(crate) fn touch(&mut self, offset: usize) {
        if offset < self.bytes {
            // SAFETY: the byte lies in the mapping; the owner says that it is accessible and nothing is kept there.
            unsafe { self.start().add(offset).write_volatile(0) };
        }
    }

    /// Has the system use small pages only: touching a little of a large page takes all of its memory.
    pub(crate) fn in_small_pages(&mut self) {
        // SAFETY: it is the whole mapping, whose content stays. A system without large pages has nothing to do.
        unsafe { libc::madvise(self.start().cast(), self.bytes, libc::MADV_NOHUGEPAGE) };
    }

    /// Gives the first `bytes` bytes back to the system; they are zero again.
    pub(crate) fn forget(&mut self, bytes: usize) {
        // SAFETY: the range lies in the mapping, whose owner says that nothing is kept there.
        unsafe { libc::madvise(self.start().cast(), bytes.min(self.bytes), libc::MADV_DONTNEED) };
    }

    /// Fills a range that nothing uses with a pattern that shows later use. Offsets are multiples of a word's size.
    pub(crate) fn fill(&mut self, range: Range<usize>) {
        self.words(range).fill(UNTOUCHED);
    }

    /// How many bytes at the end of a range were used since it was filled. No code runs there now.
    pub(crate) fn depth(&mut self, range: Range<usize>) -> u64 {
        let words = self.words(range);
        let untouched = words.iter().take_while(|word| **word == UNTOUCHED).count();
        size_of_val(&words[untouched..]) as u64
    }

    /// A range as words; none if it is not inside.
    fn words(&mut self, range: Range<usize>) -> &mut [u64] {
        let is_inside =
            range.start <= range.end && range.end <= self.bytes && range.start.is_multiple_of(size_of::<u64>());
        if !is_inside {
            return &mut [];
        }
        let start = self.start().wrapping_add(range.start).cast();
        // SAFETY: the range lies in the mapping and begins at a word; the owner says that it is accessible and nothing
        // runs there.
        unsafe { slice::from_raw_parts_mut(start, range.len() / size_of::<u64>()) }
    }

    /// Usable bytes.
    pub fn len(&self) -> u64 {
        self.bytes as u64
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: unmaps exactly what `new` mapped; the owner is gone, so nobody uses it.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.guard + self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::Mapping;

    #[test]
    fn the_lowest_word_that_was_written_tells_the_depth() {
        let mut mapping = Mapping::new(8192).unwrap();
        let range = 512..4096;
        mapping.fill(range.clone());
        assert_eq!(mapping.depth(range.clone()), 0);
        for (at, depth) in [(4095, 8), (4000, 96), (3001, 1096), (4050, 1096), (512, 3584), (511, 3584)] {
            // SAFETY: it is inside the mapping.
            unsafe { mapping.start().add(at).write(7) };
            assert_eq!(mapping.depth(range.clone()), depth, "{at}");
        }
        assert_eq!(mapping.depth(4096..8200), 0, "there is no such range");
    }
}
