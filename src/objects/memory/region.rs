//! Regions of memory: bounds, rectangles, overlap. Pure arithmetic; nothing here touches memory.

use std::ops::Range;

use crate::ApiError;

/// Checks that `size` bytes at `offset` lie inside an object of `total` bytes.
pub fn check_range(total: usize, offset: usize, size: usize) -> Result<(), ApiError> {
    match offset.checked_add(size) {
        Some(end) if end <= total => Ok(()),
        _ => Err(ApiError::InvalidValue.because("the region reaches beyond the buffer")),
    }
}

/// Whether two ranges have a byte in common.
pub fn ranges_overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end && !a.is_empty() && !b.is_empty()
}

/// The extent of a rectangle: bytes per row, rows, slices. None is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Bytes in a row.
    pub width: usize,
    /// Rows in a slice.
    pub height: usize,
    /// Slices.
    pub depth: usize,
}

impl Extent {
    /// From the region argument. No element may be zero.
    pub fn new([width, height, depth]: [usize; 3]) -> Result<Self, ApiError> {
        if width == 0 || height == 0 || depth == 0 {
            return Err(ApiError::InvalidValue.because("a side of the region is zero"));
        }
        Ok(Extent { width, height, depth })
    }
}

/// Where a rectangle lies in linear memory. Made only together with an [`Extent`] that it holds for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Offset of the first byte.
    pub start: usize,
    /// Bytes from a row to the next.
    pub row_pitch: usize,
    /// Bytes from a slice to the next.
    pub slice_pitch: usize,
}

impl Placement {
    /// From the arguments of a rectangle command. A pitch of zero means tightly packed.
    ///
    /// # Errors
    /// `InvalidValue` if rows or slices overlap, if a slice is not a whole number of rows, or if a number does not fit.
    pub fn new(origin: [usize; 3], extent: Extent, row_pitch: usize, slice_pitch: usize) -> Result<Self, ApiError> {
        let row_pitch = if row_pitch == 0 { extent.width } else { row_pitch };
        // A row must hold the region's width.
        if row_pitch < extent.width {
            return Err(ApiError::InvalidValue.because("a row pitch is less than a row of the region"));
        }
        let packed = extent.height.checked_mul(row_pitch).ok_or(ApiError::InvalidValue)?;
        let slice_pitch = if slice_pitch == 0 { packed } else { slice_pitch };
        // A slice must hold the region's rows, and start where a row starts.
        if slice_pitch < packed || !slice_pitch.is_multiple_of(row_pitch) {
            return Err(ApiError::InvalidValue.because("a slice pitch holds no whole number of rows, or too few"));
        }
        let [x, y, z] = origin;
        let start = (|| {
            let slices = z.checked_mul(slice_pitch)?;
            let rows = y.checked_mul(row_pitch)?;
            slices.checked_add(rows)?.checked_add(x)
        })()
        .ok_or(ApiError::InvalidValue)?;
        let placement = Placement { start, row_pitch, slice_pitch };
        placement.end(extent).ok_or(ApiError::InvalidValue)?;
        Ok(placement)
    }

    /// One past the offset of the last byte; `None` if that does not fit.
    pub fn end(&self, extent: Extent) -> Option<usize> {
        let slices = (extent.depth - 1).checked_mul(self.slice_pitch)?;
        let rows = (extent.height - 1).checked_mul(self.row_pitch)?;
        self.start.checked_add(slices)?.checked_add(rows)?.checked_add(extent.width)
    }

    /// Checks that the rectangle lies inside an object of `total` bytes.
    pub fn check(&self, extent: Extent, total: usize) -> Result<(), ApiError> {
        match self.end(extent) {
            Some(end) if end <= total => Ok(()),
            _ => Err(ApiError::InvalidValue.because("the region reaches beyond the object")),
        }
    }

    /// The same rectangle seen from `by` bytes before.
    pub fn shifted(self, by: usize) -> Option<Self> {
        Some(Placement { start: self.start.checked_add(by)?, ..self })
    }
}

/// Whether two rectangles of one extent, in one memory, have a byte in common.
///
/// With equal pitches this is exact. With different pitches, which can only occur between different sub-buffers, it
/// compares the spans from first to last byte.
pub fn rects_overlap(extent: Extent, a: Placement, b: Placement) -> bool {
    if (a.row_pitch, a.slice_pitch) != (b.row_pitch, b.slice_pitch) {
        return match (a.end(extent), b.end(extent)) {
            (Some(a_end), Some(b_end)) => ranges_overlap(&(a.start..a_end), &(b.start..b_end)),
            _ => true,
        };
    }
    // The rectangles share a byte if and only if the distance d of their starts is one of the distances between two
    // bytes of the extent: d = dz * slice + dy * row + dx with |dz| < depth, |dy| < height, |dx| < width. As a row is
    // no wider than its pitch, and a slice no larger than its own, dy * row + dx is smaller than a slice in magnitude
    // and dx smaller than a row. So with d >= 0, dz is the quotient or one more, and the same holds for dy.
    let distance = a.start.abs_diff(b.start);
    let candidates = |distance: usize, pitch: usize| {
        let quotient = distance / pitch;
        let rest = distance % pitch;
        // Below the target by `rest`, or above it by `pitch - rest`.
        [(quotient, rest), (quotient + 1, pitch - rest)]
    };
    candidates(distance, a.slice_pitch).into_iter().any(|(dz, rest)| {
        dz < extent.depth
            && candidates(rest, a.row_pitch).into_iter().any(|(dy, rest)| dy < extent.height && rest < extent.width)
    })
}

/// Two rectangles of one extent, one to be copied onto the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RectCopy {
    /// Extent of both.
    pub extent: Extent,
    /// Where the bytes come from.
    pub from: Placement,
    /// Where they go to.
    pub to: Placement,
}

impl RectCopy {
    /// The same copy with as few, and as long, rows as can be: rows and slices that follow each other without a gap on
    /// both sides become one.
    pub fn merged(mut self) -> Self {
        let Extent { width, height, depth } = self.extent;
        let rows_touch = |place: &Placement| height == 1 || place.row_pitch == width;
        // Slices are a whole number of rows, so with merged rows a slice without gap is one long row.
        let slices_touch = |place: &Placement| depth == 1 || place.slice_pitch == width * height;
        if !(rows_touch(&self.from) && rows_touch(&self.to)) {
            // Rows of adjacent slices may still stand at equal distances.
            if slices_are_rows(&self.from, height) && slices_are_rows(&self.to, height) {
                self.extent = Extent { width, height: height * depth, depth: 1 };
            }
            return self;
        }
        if slices_touch(&self.from) && slices_touch(&self.to) {
            self.extent = Extent { width: width * height * depth, height: 1, depth: 1 };
        } else {
            // One row per slice.
            self.extent = Extent { width: width * height, height: depth, depth: 1 };
            self.from.row_pitch = self.from.slice_pitch;
            self.to.row_pitch = self.to.slice_pitch;
        }
        self
    }

    /// Number of rows in all slices.
    pub fn rows(&self) -> usize {
        self.extent.height * self.extent.depth
    }

    /// Offsets, in source and destination, of a row.
    pub fn row(&self, row: usize) -> (usize, usize) {
        let (z, y) = (row / self.extent.height, row % self.extent.height);
        let offset = |place: &Placement| place.start + z * place.slice_pitch + y * place.row_pitch;
        (offset(&self.from), offset(&self.to))
    }
}

fn slices_are_rows(place: &Placement, height: usize) -> bool {
    place.row_pitch.checked_mul(height) == Some(place.slice_pitch)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small generator, so that failures repeat.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 % bound as u64) as usize
        }
    }

    fn bytes(extent: Extent, place: Placement) -> Vec<usize> {
        let mut all = Vec::new();
        for z in 0..extent.depth {
            for y in 0..extent.height {
                for x in 0..extent.width {
                    all.push(place.start + z * place.slice_pitch + y * place.row_pitch + x);
                }
            }
        }
        all
    }

    fn random_placement(random: &mut Random, extent: Extent) -> Placement {
        let row = extent.width + random.below(4);
        let slice = row * (extent.height + random.below(3));
        let origin = [random.below(9), random.below(4), random.below(3)];
        Placement::new(origin, extent, row, slice).expect("valid by construction")
    }

    fn random_extent(random: &mut Random) -> Extent {
        Extent { width: 1 + random.below(6), height: 1 + random.below(4), depth: 1 + random.below(3) }
    }

    #[test]
    fn range_out_of_bounds_is_refused_even_if_its_end_does_not_fit() {
        assert_eq!(check_range(10, 0, 10), Ok(()));
        assert_eq!(check_range(10, 10, 0), Ok(()));
        for (offset, size) in [(0, 11), (11, 0), (1, 10), (usize::MAX, 1), (1, usize::MAX)] {
            assert_eq!(check_range(10, offset, size), Err(ApiError::InvalidValue), "{offset} {size}");
        }
    }

    #[test]
    fn zero_in_a_region_is_refused() {
        for region in [[0, 1, 1], [1, 0, 1], [1, 1, 0]] {
            assert_eq!(Extent::new(region), Err(ApiError::InvalidValue));
        }
    }

    #[test]
    fn pitches_of_zero_mean_tightly_packed() {
        let extent = Extent { width: 7, height: 3, depth: 2 };
        let place = Placement::new([1, 2, 1], extent, 0, 0).expect("valid");
        assert_eq!(place, Placement { start: 21 + 14 + 1, row_pitch: 7, slice_pitch: 21 });
    }

    #[test]
    fn pitches_that_do_not_hold_the_region_are_refused() {
        let extent = Extent { width: 8, height: 3, depth: 1 };
        for (row, slice) in [(7, 0), (8, 23), (8, 25), (10, 24), (10, 35)] {
            assert_eq!(Placement::new([0; 3], extent, row, slice), Err(ApiError::InvalidValue), "{row} {slice}");
        }
        assert!(Placement::new([0; 3], extent, 10, 40).is_ok());
    }

    #[test]
    fn rectangles_whose_numbers_do_not_fit_are_refused() {
        let huge = usize::MAX / 2;
        for (origin, region, row) in [
            ([0, 0, huge], [8, 8, 8], 0),
            ([0, huge, 0], [8, 8, 8], 0),
            ([huge, huge, 0], [8, 8, 8], 0),
            ([0; 3], [huge, 3, 1], 0),
            ([0; 3], [8, 3, 3], huge),
            ([0; 3], [8, 3, huge], 0),
            ([huge + 8, 0, 0], [huge, 1, 1], 0),
        ] {
            let extent = Extent::new(region).expect("no zero");
            assert_eq!(Placement::new(origin, extent, row, 0), Err(ApiError::InvalidValue), "{origin:?} {region:?}");
        }
    }

    #[test]
    fn end_is_one_past_the_last_byte() {
        let mut random = Random(1);
        for _ in 0..2000 {
            let extent = random_extent(&mut random);
            let place = random_placement(&mut random, extent);
            let last = bytes(extent, place).into_iter().max().map(|last| last + 1);
            assert_eq!(place.end(extent), last);
            assert!(place.check(extent, last.unwrap_or(0)).is_ok());
            assert!(place.check(extent, last.unwrap_or(0) - 1).is_err());
        }
    }

    #[test]
    fn overlap_of_rectangles_with_equal_pitches_is_exact() {
        let mut random = Random(2);
        let mut seen = [0, 0];
        for _ in 0..20_000 {
            let extent = random_extent(&mut random);
            let a = random_placement(&mut random, extent);
            let b = Placement { start: random.below(60), ..a };
            let (of_a, of_b) = (bytes(extent, a), bytes(extent, b));
            let expected = of_a.iter().any(|byte| of_b.contains(byte));
            seen[usize::from(expected)] += 1;
            assert_eq!(rects_overlap(extent, a, b), expected, "{extent:?} {a:?} {b:?}");
            assert_eq!(rects_overlap(extent, b, a), expected);
        }
        assert!(seen.iter().all(|&count| count > 1000), "both answers must occur: {seen:?}");
    }

    #[test]
    fn overlap_of_rectangles_with_different_pitches_is_never_missed() {
        let mut random = Random(3);
        for _ in 0..20_000 {
            let extent = random_extent(&mut random);
            let (a, b) = (random_placement(&mut random, extent), random_placement(&mut random, extent));
            let (of_a, of_b) = (bytes(extent, a), bytes(extent, b));
            if of_a.iter().any(|byte| of_b.contains(byte)) {
                assert!(rects_overlap(extent, a, b), "{extent:?} {a:?} {b:?}");
            }
        }
    }

    #[test]
    fn merging_rows_keeps_every_pair_of_bytes() {
        let mut random = Random(4);
        let mut merged_to_one_row = 0;
        for _ in 0..5000 {
            let extent = random_extent(&mut random);
            let tight = |random: &mut Random| {
                let origin = [random.below(9), 0, 0];
                Placement::new(origin, extent, 0, 0).expect("valid")
            };
            let place = |random: &mut Random| match random.below(2) {
                0 => tight(random),
                _ => random_placement(random, extent),
            };
            let copy = RectCopy { extent, from: place(&mut random), to: place(&mut random) };
            let pairs = |copy: &RectCopy| {
                let mut pairs = Vec::new();
                for row in 0..copy.rows() {
                    let (from, to) = copy.row(row);
                    pairs.extend((0..copy.extent.width).map(|x| (from + x, to + x)));
                }
                pairs.sort_unstable();
                pairs
            };
            let merged = copy.merged();
            assert_eq!(pairs(&merged), pairs(&copy), "{copy:?}");
            merged_to_one_row += usize::from(copy.rows() > 1 && merged.rows() == 1);
        }
        assert!(merged_to_one_row > 100);
    }
}
