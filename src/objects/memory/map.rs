//! Which regions of a buffer are mapped.
//!
//! The host always sees the buffer's own memory, so mapping moves no data. What remains is to know what is mapped: for
//! the map count, to recognise the pointer that is unmapped, and to refuse a second mapping for writing.

use std::ops::Range;

use parking_lot::Mutex;

use super::image::ImageRegion;
use super::region::ranges_overlap;
use crate::ApiError;

/// A mapping that is registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// The buffer or sub-buffer that was mapped, as a number that differs from those of its relatives.
    pub owner: usize,
    /// Bytes of the outermost buffer, from the first one that is mapped to the last.
    pub range: Range<usize>,
    /// Which part of an image it is; all bytes between its first and its last are more.
    pub part: Option<ImageRegion>,
    /// Whether it is for writing.
    pub write: bool,
}

impl Mapping {
    /// Whether both have a byte in common.
    fn overlaps(&self, other: &Mapping) -> bool {
        let apart = match (self.part, other.part) {
            (Some(one), Some(another)) if self.owner == other.owner => !one.overlaps(&another),
            _ => false,
        };
        !apart && ranges_overlap(&self.range, &other.range)
    }
}

/// The mappings of a buffer and all its sub-buffers.
#[derive(Debug, Default)]
pub struct MapTable(Mutex<Vec<Mapping>>);

impl MapTable {
    /// Registers a mapping.
    ///
    /// # Errors
    /// `InvalidOperation` if a region that overlaps it is mapped for writing, and so is this one.
    pub fn add(&self, mapping: Mapping) -> Result<(), ApiError> {
        let mut mappings = self.0.lock();
        let conflict = |other: &Mapping| mapping.write && other.write && mapping.overlaps(other);
        if mappings.iter().any(conflict) {
            return Err(ApiError::InvalidOperation.because("the region overlaps one that is mapped for writing"));
        }
        mappings.try_reserve(1).map_err(|_| ApiError::OutOfHostMemory)?;
        mappings.push(mapping);
        Ok(())
    }

    /// Takes a mapping of `owner` that starts at `start` out of the table.
    ///
    /// # Errors
    /// `InvalidValue` if there is none.
    pub fn take(&self, owner: usize, start: usize) -> Result<Mapping, ApiError> {
        let mut mappings = self.0.lock();
        let found = mappings.iter().position(|mapping| mapping.owner == owner && mapping.range.start == start);
        found
            .map(|index| mappings.swap_remove(index))
            .ok_or_else(|| ApiError::InvalidValue.because("nothing is mapped there"))
    }

    /// Puts back what was taken, because the command was not enqueued after all.
    pub fn put_back(&self, mapping: Mapping) {
        self.0.lock().push(mapping);
    }

    /// Number of mappings of `owner`.
    pub fn count(&self, owner: usize) -> usize {
        self.0.lock().iter().filter(|mapping| mapping.owner == owner).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapping(owner: usize, range: Range<usize>, write: bool) -> Mapping {
        Mapping { owner, range, part: None, write }
    }

    #[test]
    fn parts_of_an_image_side_by_side_do_not_overlap() {
        let part = |x, region| Some(ImageRegion { level: 0, origin: [x, 0, 0], region });
        let table = MapTable::default();
        let left = Mapping { part: part(0, [4, 9, 1]), ..mapping(1, 0..100, true) };
        let right = Mapping { part: part(4, [4, 9, 1]), ..mapping(1, 4..104, true) };
        assert_eq!(table.add(left.clone()), Ok(()));
        assert_eq!(table.add(right), Ok(()));
        assert_eq!(table.add(Mapping { part: part(3, [1, 1, 1]), ..left.clone() }), Err(ApiError::InvalidOperation));
        // Of another object with the same memory, nobody knows which bytes a part is.
        assert_eq!(table.add(Mapping { owner: 2, ..left }), Err(ApiError::InvalidOperation));
    }

    #[test]
    fn overlapping_mappings_for_writing_are_refused_across_sub_buffers() {
        let table = MapTable::default();
        assert_eq!(table.add(mapping(1, 0..16, true)), Ok(()));
        assert_eq!(table.add(mapping(2, 15..20, true)), Err(ApiError::InvalidOperation));
        assert_eq!(table.add(mapping(2, 16..20, true)), Ok(()));
        assert_eq!(table.add(mapping(2, 0..20, false)), Ok(()));
        assert_eq!(table.count(1), 1);
        assert_eq!(table.count(2), 2);
    }

    #[test]
    fn each_mapping_is_unmapped_once_and_only_through_its_owner() {
        let table = MapTable::default();
        table.add(mapping(1, 8..16, false)).expect("no conflict");
        table.add(mapping(1, 8..32, false)).expect("no conflict");
        assert_eq!(table.take(2, 8), Err(ApiError::InvalidValue));
        assert_eq!(table.take(1, 9), Err(ApiError::InvalidValue));
        assert!(table.take(1, 8).is_ok());
        assert!(table.take(1, 8).is_ok());
        assert_eq!(table.take(1, 8), Err(ApiError::InvalidValue));
    }

    #[test]
    fn region_can_be_mapped_for_writing_again_after_it_was_unmapped() {
        let table = MapTable::default();
        table.add(mapping(1, 0..8, true)).expect("no conflict");
        table.take(1, 0).expect("mapped");
        assert_eq!(table.add(mapping(1, 0..8, true)), Ok(()));
    }
}
