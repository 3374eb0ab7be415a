//! Copies and fills that go past the caches.
//!
//! An ordinary store first reads the cache line that it writes. For transfers larger than the caches, that costs a
//! third of the memory traffic of a copy and half of that of a fill, and evicts what the application has in the caches.
#![allow(unsafe_code, reason = "streaming stores exist only as intrinsics on raw pointers")]

use oxicl_caps::DeviceCaps;

/// Bytes of the largest cache where the system does not report them.
const USUAL_LAST_CACHE: u64 = 32 << 20;

/// Whether streaming pays for a transfer or launch that reads and writes so many bytes in all: it does where these do
/// not fit in the largest cache. Measured with one of 32 MiB: streaming took 0.65 of the time for copies of 16 MiB and
/// 1.1 times the time for copies of 8 MiB, and 0.7 for fills of 48 MiB and 1.2 for fills of 24 MiB.
pub fn is_worth_streaming(bytes: u64) -> bool {
    let last = match DeviceCaps::host().cpu.caches.last {
        0 => USUAL_LAST_CACHE,
        known => known,
    };
    bytes >= last
}

/// Size of the tile that fills repeat: two cache lines, and the largest pattern.
pub const TILE: usize = 128;

#[cfg(target_arch = "x86_64")]
mod machine {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
    use std::ptr;

    use super::TILE;

    const LINE: usize = 64;

    /// Bytes up to the next cache line, at most `len`.
    fn head(to: *const u8, len: usize) -> usize {
        to.align_offset(LINE).min(len)
    }

    /// Copies memory.
    ///
    /// # Safety
    /// Both are valid for `len` bytes, and do not overlap.
    pub unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
        let head = head(to, len);
        let lines = (len - head) / LINE;
        // SAFETY: head, lines and tail together are the `len` bytes for which both are valid; after the head, `to` is
        // aligned to a line.
        unsafe {
            ptr::copy_nonoverlapping(from, to, head);
            for line in 0..lines {
                let offset = head + line * LINE;
                let (from, to) = (from.add(offset).cast::<__m128i>(), to.add(offset).cast::<__m128i>());
                let part = |index| _mm_loadu_si128(from.add(index));
                let (a, b, c, d) = (part(0), part(1), part(2), part(3));
                _mm_stream_si128(to, a);
                _mm_stream_si128(to.add(1), b);
                _mm_stream_si128(to.add(2), c);
                _mm_stream_si128(to.add(3), d);
            }
            let done = head + lines * LINE;
            ptr::copy_nonoverlapping(from.add(done), to.add(done), len - done);
            // Streaming stores are not ordered with others: what follows must find them done.
            _mm_sfence();
        }
    }

    /// Orders this thread's streaming stores before what it stores next, as other threads see them.
    pub fn end_streams() {
        // SAFETY: every x86-64 has the instruction.
        unsafe { _mm_sfence() }
    }

    /// Fills memory with copies of a tile, the first one at the start.
    ///
    /// # Safety
    /// `to` is valid for `len` bytes and does not overlap the tile.
    pub unsafe fn fill(to: *mut u8, len: usize, tile: &[u8; TILE]) {
        let head = head(to, len);
        // What a pair of lines holds: the tile from where the head left off.
        let mut pair = [0; TILE];
        for (place, byte) in pair.iter_mut().zip(tile.iter().cycle().skip(head)) {
            *place = *byte;
        }
        let pairs = (len - head) / TILE;
        let done = head + pairs * TILE;
        // SAFETY: head, pairs and tail together are the `len` valid bytes; after the head, `to` is aligned to a line.
        // The head is shorter than the tile, and so is the tail.
        unsafe {
            ptr::copy_nonoverlapping(tile.as_ptr(), to, head);
            let parts: [__m128i; 8] =
                [0, 1, 2, 3, 4, 5, 6, 7].map(|part| _mm_loadu_si128(pair.as_ptr().cast::<__m128i>().add(part)));
            for index in 0..pairs {
                let to = to.add(head + index * TILE).cast::<__m128i>();
                for (part, &value) in parts.iter().enumerate() {
                    _mm_stream_si128(to.add(part), value);
                }
            }
            ptr::copy_nonoverlapping(pair.as_ptr(), to.add(done), len - done);
            _mm_sfence();
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod machine {
    use std::ptr;

    /// Orders this thread's streaming stores before what it stores next, as other threads see them.
    pub fn end_streams() {
        std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
    }

    /// Copies memory.
    ///
    /// # Safety
    /// Both are valid for `len` bytes, and do not overlap.
    pub unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
        // SAFETY: as the caller promises.
        unsafe { ptr::copy_nonoverlapping(from, to, len) }
    }

    /// Fills memory with copies of a tile, the first one at the start.
    ///
    /// # Safety
    /// `to` is valid for `len` bytes and does not overlap the tile.
    pub unsafe fn fill(to: *mut u8, len: usize, tile: &[u8; super::TILE]) {
        let mut done = 0;
        while done < len {
            let now = (len - done).min(tile.len());
            // SAFETY: `now` bytes of both are valid.
            unsafe { copy(tile.as_ptr(), to.add(done), now) }
            done += now;
        }
    }
}

pub use machine::{copy, end_streams, fill};

#[cfg(test)]
mod tests {
    use super::{TILE, copy, fill};

    #[test]
    fn every_alignment_and_length_is_copied_exactly() {
        let source: Vec<u8> = (0..600u32).map(|i| (i * 7) as u8).collect();
        for from in [0, 1, 15, 64] {
            for to in [0, 1, 16, 63, 64] {
                for len in [0, 1, 63, 64, 65, 130, 500] {
                    let mut target = vec![0xAA; 600];
                    // SAFETY: both slices are longer than the largest offset with the largest length.
                    unsafe { copy(source[from..].as_ptr(), target[to..].as_mut_ptr(), len) }
                    let mut expected = vec![0xAA; 600];
                    expected[to..to + len].copy_from_slice(&source[from..from + len]);
                    assert!(target == expected, "{from} {to} {len}");
                }
            }
        }
    }

    #[test]
    fn fill_repeats_the_tile_from_the_start() {
        let mut tile = [0; TILE];
        for (index, byte) in tile.iter_mut().enumerate() {
            *byte = index as u8;
        }
        for at in [0, 5, 63, 64, 70] {
            for len in [0, 1, 127, 128, 129, 900] {
                let mut target = vec![0xAA; 1010];
                // SAFETY: the slice from the largest offset on is long enough.
                unsafe { fill(target[at..].as_mut_ptr(), len, &tile) }
                assert!(target[at..at + len].iter().enumerate().all(|(index, &byte)| byte == tile[index % TILE]));
                assert!(target[..at].iter().chain(&target[at + len..]).all(|&byte| byte == 0xAA));
            }
        }
    }
}
