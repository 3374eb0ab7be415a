//! Host memory: the bytes behind buffers and shared virtual memory, and the only code that touches them.
//!
//! What buffers hold is shared with kernels, with the application through host pointers, and with other commands. That
//! these do not race is the application's duty, as the specification puts it, and cannot be seen from here. So this
//! memory is never lent out as a slice; it is read and written through raw pointers only, by the functions below.
#![allow(unsafe_code, reason = "allocates and copies memory that is shared with kernels and the application")]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use crate::stream;

/// Alignment that every allocation has at least, in bytes: that of the largest type of OpenCL C, `long16`.
pub const MIN_ALIGN: usize = 128;
/// Size of a huge page, where allocations are large enough to have one.
const HUGE_PAGE: usize = 2 << 20;
/// From this size on, memory is mapped by the operating system: zero pages that cost nothing until touched. Smaller
/// memory would have no huge pages, and zeroing memory that the C library has kept is much cheaper than touching new
/// small pages: some clients create a buffer for every command.
const MAPPED_FROM: usize = 2 * HUGE_PAGE;

/// Some bytes of memory that commands may use: an address, a length and a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostSpan {
    start: *mut u8,
    len: usize,
}

// SAFETY: a span is an address and a length; who uses it keeps to the promise of `HostSpan::new`, on any thread.
unsafe impl Send for HostSpan {}
// SAFETY: as above; a span has no interior state.
unsafe impl Sync for HostSpan {}

impl HostSpan {
    /// A span.
    ///
    /// # Safety
    /// Until the last command that is given this span has ended, the `len` bytes at `start` stay valid for reading, and
    /// for writing if a command writes there, and nobody accesses them in a way that races with those commands.
    pub const unsafe fn new(start: *mut u8, len: usize) -> Self {
        HostSpan { start, len }
    }

    /// Address of the first byte.
    pub fn address(&self) -> usize {
        self.start.expose_provenance()
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the span has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A part; `None` unless it lies inside.
    pub fn part(&self, offset: usize, len: usize) -> Option<HostSpan> {
        let end = offset.checked_add(len)?;
        (end <= self.len).then(|| HostSpan { start: self.start.wrapping_add(offset), len })
    }

    /// Whether the two have bytes in common.
    pub fn overlaps(&self, other: &HostSpan) -> bool {
        let (a, b) = (self.start.addr(), other.start.addr());
        a < b.saturating_add(other.len) && b < a.saturating_add(self.len)
    }

    /// Copies `len` bytes from `from` at `from_offset` to here at `offset`, or nothing unless both parts lie inside
    /// their spans. The two may overlap. `streaming` goes past the caches.
    pub fn copy_from(&self, offset: usize, from: &HostSpan, from_offset: usize, len: usize, streaming: bool) {
        let (Some(to), Some(from)) = (self.part(offset, len), from.part(from_offset, len)) else {
            debug_assert!(false, "copy outside of its spans");
            return;
        };
        if streaming && !to.overlaps(&from) {
            // SAFETY: both parts lie inside their spans, whose makers promised validity and absence of races; they do
            // not overlap.
            unsafe { stream::copy(from.start, to.start, len) }
        } else if to.start != from.start {
            // SAFETY: both parts lie inside their spans, whose makers promised validity and absence of races.
            unsafe { ptr::copy(from.start, to.start, len) }
        }
    }

    /// Writes a slice to the start.
    pub fn write(&self, bytes: &[u8]) {
        let len = bytes.len().min(self.len);
        // SAFETY: no more than the span holds is written; its maker promised validity and absence of races.
        unsafe { ptr::copy(bytes.as_ptr(), self.start, len) }
    }

    /// Reads bytes from the start, as many as the slice has and the span holds.
    pub fn read(&self, bytes: &mut [u8]) {
        let len = bytes.len().min(self.len);
        // SAFETY: no more than the span holds is read; its maker promised validity and absence of races.
        unsafe { ptr::copy(self.start, bytes.as_mut_ptr(), len) }
    }

    /// An atomic access of `size` bytes, 1, 2, 4 or 8, at `offset`: gives what was there, and stores what `change`
    /// makes of it, if anything. `None`, with nothing done, unless it lies inside and is aligned.
    pub fn update(&self, offset: usize, size: usize, change: &mut dyn FnMut(u64) -> Option<u64>) -> Option<u64> {
        macro_rules! update {
            ($atomic:ty, $word:ty, $start:expr) => {{
                // SAFETY: the part lies inside the span and is aligned for the type; the span's maker promised validity
                // and absence of races other than with atomic accesses.
                let cell = unsafe { <$atomic>::from_ptr($start.cast()) };
                let next = |old: $word| change(u64::from(old)).map(|new| new as $word);
                u64::from(cell.fetch_update(Ordering::SeqCst, Ordering::SeqCst, next).unwrap_or_else(|old| old))
            }};
        }
        let part = self.part(offset, size)?;
        if size == 0 || !part.start.addr().is_multiple_of(size) {
            return None;
        }
        Some(match size {
            1 => update!(AtomicU8, u8, part.start),
            2 => update!(AtomicU16, u16, part.start),
            4 => update!(AtomicU32, u32, part.start),
            8 => update!(AtomicU64, u64, part.start),
            _ => return None,
        })
    }

    /// Fills the bytes `offset .. offset + len` with a pattern that repeats from `offset` on. `streaming` goes past the
    /// caches.
    pub fn fill(&self, offset: usize, len: usize, pattern: &Pattern, streaming: bool) {
        let Some(to) = self.part(offset, len) else {
            debug_assert!(false, "fill outside of its span");
            return;
        };
        if streaming {
            // SAFETY: the part lies inside the span, whose maker promised validity and absence of races; the pattern
            // is ours, so it does not overlap.
            unsafe { stream::fill(to.start, len, &pattern.bytes) }
            return;
        }
        if let Some(byte) = pattern.single_byte() {
            // SAFETY: the part lies inside the span, whose maker promised validity and absence of races.
            unsafe { ptr::write_bytes(to.start, byte, len) }
            return;
        }
        let tile = pattern.tile();
        let mut done = 0;
        while done < len {
            let now = (len - done).min(tile.len());
            // SAFETY: as above; `tile` is a local, so it does not overlap.
            unsafe { ptr::copy_nonoverlapping(tile.as_ptr(), to.start.wrapping_add(done), now) }
            done += now;
        }
    }
}

/// Reads bytes at an address that may be anything; false if they are not all there.
pub fn probe(address: usize, bytes: &mut [u8]) -> bool {
    let local = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    let remote = libc::iovec { iov_base: ptr::with_exposed_provenance_mut(address), iov_len: bytes.len() };
    // SAFETY: the system call reads `remote` as if it were another process's memory, and answers with an error where
    // nothing is mapped; `local` is ours.
    let done = unsafe { libc::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0) };
    usize::try_from(done) == Ok(bytes.len())
}

/// Writes bytes at an address that may be anything, but is the application's to lend; false if they cannot all be
/// written.
pub fn poke(address: usize, bytes: &[u8]) -> bool {
    let local = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    let remote = libc::iovec { iov_base: ptr::with_exposed_provenance_mut(address), iov_len: bytes.len() };
    // SAFETY: the system call writes `remote` as if it were another process's memory, and answers with an error where
    // nothing writable is mapped. That what is there may be written is the application's promise, as for every pointer
    // into system memory that it gives to a kernel.
    let done = unsafe { libc::process_vm_writev(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0) };
    usize::try_from(done) == Ok(bytes.len())
}

/// A fill pattern: a power of two of bytes, at most [`Pattern::MAX`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    bytes: [u8; Pattern::MAX],
    len: usize,
}

impl Pattern {
    /// Largest pattern in bytes: the largest vector type.
    pub const MAX: usize = 128;

    /// A pattern; `None` unless its size is a power of two up to [`Pattern::MAX`].
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let len = bytes.len();
        if !Self::is_size(len) {
            return None;
        }
        let mut repeated = [0; Self::MAX];
        for (place, &byte) in repeated.iter_mut().zip(bytes.iter().cycle()) {
            *place = byte;
        }
        Some(Pattern { bytes: repeated, len })
    }

    /// Whether patterns of this size exist.
    pub fn is_size(len: usize) -> bool {
        len.is_power_of_two() && len <= Self::MAX
    }

    /// Size in bytes.
    pub fn size(&self) -> usize {
        self.len
    }

    fn single_byte(&self) -> Option<u8> {
        let first = self.bytes[0];
        self.bytes.iter().all(|&byte| byte == first).then_some(first)
    }

    /// The pattern repeated until copying it is worth a call.
    fn tile(&self) -> [u8; 1024] {
        let mut tile = [0; 1024];
        for part in tile.chunks_exact_mut(Self::MAX) {
            part.copy_from_slice(&self.bytes);
        }
        tile
    }
}

/// Memory of our own. It starts as zeros, and is given back on drop.
#[derive(Debug)]
pub struct HostMemory {
    span: HostSpan,
    origin: Origin,
}

#[derive(Debug)]
enum Origin {
    Heap(Layout),
    Mapping { address: usize, len: usize },
}

impl HostMemory {
    /// `size` bytes, aligned to `align` (a power of two) and to [`MIN_ALIGN`]; `None` if there is no memory.
    pub fn new(size: usize, align: usize) -> Option<Self> {
        if size == 0 || size > isize::MAX as usize || !align.is_power_of_two() {
            return None;
        }
        let align = align.max(MIN_ALIGN);
        if size >= MAPPED_FROM { Self::mapped(size, align) } else { Self::from_heap(size, align) }
    }

    fn from_heap(size: usize, align: usize) -> Option<Self> {
        // Whole units of the alignment, so that two allocations never share a cache line.
        let layout = Layout::from_size_align(size, align).ok()?.pad_to_align();
        // SAFETY: the size is not zero.
        let start = unsafe { alloc_zeroed(layout) };
        (!start.is_null()).then(|| HostMemory { span: HostSpan { start, len: size }, origin: Origin::Heap(layout) })
    }

    fn mapped(size: usize, align: usize) -> Option<Self> {
        let align = align.max(HUGE_PAGE);
        // The kernel aligns to pages only. The excess is never touched, so it costs address space only.
        let len = size.checked_add(align)?;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new private mapping at an address that the kernel chooses touches nothing that exists.
        let base = unsafe { libc::mmap(ptr::null_mut(), len, protection, kind, -1, 0) };
        if base == libc::MAP_FAILED {
            return None;
        }
        let base = base.cast::<u8>();
        let start = base.wrapping_add(base.align_offset(align));
        // Huge pages make large buffers much cheaper to touch for the first time. Refusal does not matter.
        // SAFETY: advice about a part of the mapping just made.
        unsafe { libc::madvise(start.cast(), size, libc::MADV_HUGEPAGE) };
        let origin = Origin::Mapping { address: base.expose_provenance(), len };
        Some(HostMemory { span: HostSpan { start, len: size }, origin })
    }

    /// The bytes. They stay valid as long as this memory lives.
    pub fn span(&self) -> HostSpan {
        self.span
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        match self.origin {
            // SAFETY: allocated with this layout, and given back once.
            Origin::Heap(layout) => unsafe { dealloc(self.span.start, layout) },
            Origin::Mapping { address, len } => {
                // SAFETY: mapped by us with this address and length, and given back once.
                unsafe { libc::munmap(ptr::with_exposed_provenance_mut(address), len) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(memory: &HostMemory) -> Vec<u8> {
        let mut bytes = vec![0xEE; memory.span().len()];
        memory.span().read(&mut bytes);
        bytes
    }

    #[test]
    fn memory_is_aligned_and_zero_at_every_size() {
        for size in [1, 3, 127, 128, 4096, MAPPED_FROM - 1, MAPPED_FROM, MAPPED_FROM + 1, 2 * HUGE_PAGE + 5] {
            for align in [1, 128, 4096, 65536] {
                let memory = HostMemory::new(size, align).expect("small");
                assert_eq!(memory.span().address() % align.max(MIN_ALIGN), 0, "{size} {align}");
                assert_eq!(memory.span().len(), size);
                assert!(read(&memory).iter().all(|&byte| byte == 0));
            }
        }
    }

    #[test]
    fn impossible_sizes_give_no_memory() {
        for size in [0, usize::MAX, isize::MAX as usize, isize::MAX as usize + 1, usize::MAX - HUGE_PAGE] {
            assert!(HostMemory::new(size, 128).is_none(), "{size}");
        }
    }

    #[test]
    fn large_memory_costs_nothing_until_touched() {
        let memory = HostMemory::new(64 << 30, 128).expect("address space is there");
        memory.span().part((64 << 30) - 4, 4).expect("inside").write(&[1, 2, 3, 4]);
    }

    #[test]
    fn part_outside_of_a_span_does_not_exist() {
        let memory = HostMemory::new(10, 1).expect("small");
        let span = memory.span();
        assert!(span.part(10, 0).is_some());
        assert!(span.part(3, 8).is_none());
        assert!(span.part(usize::MAX, 2).is_none());
    }

    #[test]
    fn an_atomic_access_is_inside_and_aligned_or_is_none() {
        let memory = HostMemory::new(12, 1).expect("small");
        for size in [1, 2, 4, 8] {
            assert_eq!(
                memory.span().update(0, size, &mut |old| Some(old + 1)),
                Some(if size == 1 { 0 } else { size.ilog2().into() })
            );
            assert_eq!(memory.span().update(0, size, &mut |_| None), Some(u64::from(size.ilog2()) + 1));
        }
        for (offset, size) in [(1, 2), (2, 4), (4, 8), (12, 1), (0, 0), (0, 3), (0, 16)] {
            assert_eq!(memory.span().update(offset, size, &mut |_| Some(0)), None, "{offset} {size}");
        }
    }

    #[test]
    fn memory_that_is_not_there_is_neither_read_nor_written() {
        let memory = HostMemory::new(4, 1).expect("small");
        let mut bytes = [0; 4];
        assert!(poke(memory.span().address(), &[1, 2, 3, 4]) && probe(memory.span().address(), &mut bytes));
        assert_eq!(bytes, [1, 2, 3, 4]);
        for address in [0, 8, usize::MAX - 2, 1 << 62] {
            assert!(!probe(address, &mut bytes) && !poke(address, &bytes), "{address:#x}");
        }
    }

    #[test]
    fn copies_within_one_memory_may_overlap() {
        let memory = HostMemory::new(8, 1).expect("small");
        memory.span().write(&[1, 2, 3, 4, 5, 6, 7, 8]);
        memory.span().copy_from(2, &memory.span(), 0, 6, false);
        assert_eq!(read(&memory), [1, 2, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn fill_repeats_the_pattern_and_nothing_else() {
        for log in 0..=7 {
            let pattern_bytes: Vec<u8> = (1..=1u8 << log).collect();
            let pattern = Pattern::new(&pattern_bytes).expect("a power of two");
            assert_eq!(pattern.size(), pattern_bytes.len());
            for count in [0, 1, 2, 17, 300] {
                let len = count * pattern.size();
                let memory = HostMemory::new(len + 6, 1).expect("small");
                memory.span().fill(3, len, &pattern, false);
                let bytes = read(&memory);
                assert_eq!(bytes[..3], [0; 3]);
                assert_eq!(bytes[3 + len..], [0; 3]);
                assert!(bytes[3..3 + len].chunks(pattern.size()).all(|part| part == pattern_bytes));
            }
        }
    }

    #[test]
    fn pattern_of_another_size_does_not_exist() {
        for size in [0, 3, 12, 129, 256] {
            assert!(Pattern::new(&vec![1; size]).is_none(), "{size}");
        }
    }
}
