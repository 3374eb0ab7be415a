//! Address spaces, by the numbers that `lower` gives them.

/// What each work-item has to itself.
pub(crate) const PRIVATE: u32 = 0;
/// What all work-items share.
pub(crate) const GLOBAL: u32 = 1;
/// The same, where nobody writes.
pub(crate) const CONSTANT: u32 = 2;
/// What a work-group shares.
pub(crate) const LOCAL: u32 = 3;
/// Any of these but constant memory.
pub(crate) const GENERIC: u32 = 4;
