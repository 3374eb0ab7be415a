//! The copy and fill engines: jobs that move bytes in parallel chunks.

use std::ops::Range;

use oxicl_device::{HostSpan, Pattern, is_worth_streaming};
use oxicl_schedule::{Failed, Job, WorkerSlot};

use super::region::{Extent, Placement, RectCopy};

/// Bytes per unit of a linear transfer: a page, so that threads do not share one.
const UNIT: usize = 4096;
/// Bytes that are worth handing out.
const GRAIN: usize = 64 << 10;
/// What one thread moves, in bytes per nanosecond; only an estimate, to decide how many threads are worth waking.
const BYTES_PER_NANOSECOND: u64 = 8;
/// Transfers up to this size are done at once by whoever starts them.
pub const SMALL: usize = 16 << 10;

/// What a transfer does.
#[derive(Clone, Debug)]
pub enum Move {
    /// Copies a span onto another of the same length.
    Linear {
        /// Where the bytes come from.
        from: HostSpan,
        /// Where they go to.
        to: HostSpan,
    },
    /// Copies a rectangle.
    Rect {
        /// The memory that the source placement is in.
        from: HostSpan,
        /// The memory that the destination placement is in.
        to: HostSpan,
        /// Which bytes.
        copy: RectCopy,
    },
    /// Fills a rectangle.
    FillRect {
        /// The memory that it is in.
        to: HostSpan,
        /// With what; a row is a whole number of these.
        pattern: Pattern,
        /// Which bytes; source and destination are the same.
        rect: RectCopy,
    },
    /// Fills a span.
    Fill {
        /// What is filled.
        to: HostSpan,
        /// With what.
        pattern: Pattern,
    },
}

impl Move {
    /// A rectangle copy in its cheapest form.
    pub fn rect(from: HostSpan, to: HostSpan, copy: RectCopy) -> Self {
        let copy = copy.merged();
        let whole = (copy.rows() == 1)
            .then(|| Some((from.part(copy.from.start, copy.extent.width)?, to.part(copy.to.start, copy.extent.width)?)))
            .flatten();
        match whole {
            Some((from, to)) => Move::Linear { from, to },
            None => Move::Rect { from, to, copy },
        }
    }

    /// A rectangle to be filled, in its cheapest form.
    pub fn fill_rect(to: HostSpan, pattern: Pattern, extent: Extent, place: Placement) -> Self {
        let rect = RectCopy { extent, from: place, to: place }.merged();
        let whole = (rect.rows() == 1).then(|| to.part(rect.to.start, rect.extent.width)).flatten();
        match whole {
            Some(to) => Move::Fill { to, pattern },
            None => Move::FillRect { to, pattern, rect },
        }
    }

    /// Number of bytes that are written.
    pub fn bytes(&self) -> usize {
        match self {
            Move::Linear { to, .. } | Move::Fill { to, .. } => to.len(),
            Move::Rect { copy: rect, .. } | Move::FillRect { rect, .. } => rect.extent.width * rect.rows(),
        }
    }

    /// Number of bytes that are read or written.
    fn touched(&self) -> usize {
        match self {
            Move::Linear { .. } | Move::Rect { .. } => self.bytes().saturating_mul(2),
            Move::Fill { .. } | Move::FillRect { .. } => self.bytes(),
        }
    }

    /// Rows of a rectangle are divided too, if they are long: pieces per row.
    fn pieces(copy: &RectCopy) -> usize {
        copy.extent.width.div_ceil(GRAIN)
    }

    /// Where in source and destination a piece starts, and its length.
    fn piece(copy: &RectCopy, unit: usize) -> (usize, usize, usize) {
        let pieces = Self::pieces(copy);
        let (from_row, to_row) = copy.row(unit / pieces);
        let start = (unit % pieces) * GRAIN;
        (from_row + start, to_row + start, GRAIN.min(copy.extent.width - start))
    }

    fn units(&self) -> usize {
        match self {
            Move::Linear { to, .. } | Move::Fill { to, .. } => to.len().div_ceil(UNIT),
            Move::Rect { copy: rect, .. } | Move::FillRect { rect, .. } => rect.rows() * Self::pieces(rect),
        }
    }

    fn grain(&self) -> usize {
        match self {
            Move::Linear { .. } | Move::Fill { .. } => GRAIN / UNIT,
            Move::Rect { copy: rect, .. } | Move::FillRect { rect, .. } => (GRAIN / rect.extent.width).max(1),
        }
    }

    fn run(&self, units: Range<usize>) {
        let streaming = is_worth_streaming(self.touched() as u64);
        match self {
            Move::Linear { from, to } => {
                let bytes = linear(units, to.len());
                to.copy_from(bytes.start, from, bytes.start, bytes.len(), streaming);
            }
            Move::Fill { to, pattern } => {
                // A unit is a whole number of patterns, so each piece starts with a whole pattern.
                let bytes = linear(units, to.len());
                to.fill(bytes.start, bytes.len(), pattern, streaming);
            }
            Move::Rect { from, to, copy } => {
                for unit in units {
                    let (from_start, to_start, len) = Self::piece(copy, unit);
                    to.copy_from(to_start, from, from_start, len, streaming);
                }
            }
            Move::FillRect { to, pattern, rect } => {
                // A piece is a whole number of patterns, so each starts with a whole pattern.
                for unit in units {
                    let (_, start, len) = Self::piece(rect, unit);
                    to.fill(start, len, pattern, streaming);
                }
            }
        }
    }

    /// Does all of it on this thread.
    pub fn run_all(&self) {
        self.run(0..self.units());
    }
}

fn linear(units: Range<usize>, len: usize) -> Range<usize> {
    units.start.saturating_mul(UNIT).min(len)..units.end.saturating_mul(UNIT).min(len)
}

/// A transfer as a job, with what has to live until it is done.
#[derive(Debug)]
pub struct Transfer<A> {
    work: Move,
    /// Only kept.
    _alive: A,
}

impl<A> Transfer<A> {
    /// A transfer that keeps something alive.
    pub fn new(work: Move, alive: A) -> Self {
        Transfer { work, _alive: alive }
    }

    /// Does all of it on this thread.
    pub fn run_all(&self) {
        self.work.run_all();
    }
}

impl<A: Send + Sync> Job for Transfer<A> {
    fn units(&self) -> u64 {
        self.work.units() as u64
    }

    fn grain(&self) -> u64 {
        self.work.grain() as u64
    }

    fn cost(&self) -> Option<u64> {
        Some(self.work.bytes() as u64 / BYTES_PER_NANOSECOND)
    }

    fn run(&self, units: Range<u64>, _slot: &mut WorkerSlot) -> Result<(), Failed> {
        self.work.run(units.start as usize..units.end as usize);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxicl_device::HostMemory;

    fn memory(bytes: &[u8]) -> HostMemory {
        let memory = HostMemory::new(bytes.len(), 1).expect("small");
        memory.span().write(bytes);
        memory
    }

    fn read(memory: &HostMemory) -> Vec<u8> {
        let mut bytes = vec![0; memory.span().len()];
        memory.span().read(&mut bytes);
        bytes
    }

    fn noise(len: usize) -> Vec<u8> {
        (0..len).map(|i| (i as u32).wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect()
    }

    /// Runs a move in chunks of `step` units, last chunk first.
    fn run_in_chunks(work: &Move, step: usize) {
        let units = work.units();
        let mut end = units;
        while end > 0 {
            let start = end.saturating_sub(step);
            work.run(start..end);
            end = start;
        }
    }

    #[test]
    fn linear_copy_in_any_chunks_moves_every_byte() {
        for len in [1, UNIT - 1, UNIT, UNIT + 1, 5 * UNIT + 77] {
            for step in [1, 2, 3, 100] {
                let (from, to) = (memory(&noise(len)), memory(&vec![0; len]));
                let work = Move::Linear { from: from.span(), to: to.span() };
                run_in_chunks(&work, step);
                assert_eq!(read(&to), noise(len), "{len} {step}");
            }
        }
    }

    #[test]
    fn fill_in_any_chunks_keeps_the_pattern_in_step() {
        let pattern_bytes: Vec<u8> = (0..128).collect();
        let pattern = Pattern::new(&pattern_bytes).expect("a power of two");
        for count in [1, 31, 33, 1000] {
            let to = memory(&vec![0; count * 128]);
            run_in_chunks(&Move::Fill { to: to.span(), pattern: pattern.clone() }, 1);
            assert!(read(&to).chunks(128).all(|part| part == pattern_bytes));
        }
    }

    #[test]
    fn rectangles_in_any_chunks_are_filled_and_nothing_beside_them() {
        let pattern_bytes: Vec<u8> = (1..17).collect();
        let pattern = Pattern::new(&pattern_bytes).expect("a power of two");
        for (width, height, depth, gap) in [(16, 4, 5, 2), (32, 1, 3, 0), (2 * GRAIN + 16, 2, 2, 3), (64, 3, 1, 0)] {
            let extent = Extent { width, height, depth };
            let place = Placement::new([2, 1, 0], extent, width + gap, 0).expect("valid");
            let size = place.end(extent).expect("fits") + 4;
            let mut expected = vec![0xAA; size];
            let rect = RectCopy { extent, from: place, to: place };
            for row in 0..rect.rows() {
                for (byte, value) in expected[rect.row(row).1..][..width].iter_mut().zip(pattern_bytes.iter().cycle()) {
                    *byte = *value;
                }
            }
            for step in [1, 2, 1000] {
                let to = memory(&vec![0xAA; size]);
                run_in_chunks(&Move::fill_rect(to.span(), pattern.clone(), extent, place), step);
                assert!(read(&to) == expected, "{width} {height} {depth} {step}");
            }
        }
    }

    #[test]
    fn rectangles_with_long_and_short_rows_move_exactly_their_bytes() {
        for (width, height, depth, gap) in [(3, 4, 5, 2), (1, 7, 1, 9), (GRAIN + 5, 2, 2, 3), (2 * GRAIN, 3, 1, 1)] {
            let extent = Extent { width, height, depth };
            let from_place = Placement::new([1, 0, 0], extent, width + gap, 0).expect("valid");
            let to_place = Placement::new([2, 1, 0], extent, width + gap + 1, 0).expect("valid");
            let size = |place: Placement| place.end(extent).expect("fits") + 4;
            let source = noise(size(from_place));
            let (from, to) = (memory(&source), memory(&vec![0xAA; size(to_place)]));
            let mut expected = vec![0xAA; size(to_place)];
            let copy = RectCopy { extent, from: from_place, to: to_place };
            for row in 0..copy.rows() {
                let (a, b) = copy.row(row);
                expected[b..b + width].copy_from_slice(&source[a..a + width]);
            }
            for step in [1, 2, 1000] {
                to.span().write(&vec![0xAA; size(to_place)]);
                run_in_chunks(&Move::rect(from.span(), to.span(), copy), step);
                assert!(read(&to) == expected, "{width} {height} {depth} {step}");
            }
        }
    }
}
