//! Address spaces, by the numbers that they have in LLVM IR.

/// What each work-item has to itself.
pub const PRIVATE: u32 = 0;
/// What all work-items share.
pub const GLOBAL: u32 = 1;
/// The same, where nobody writes.
pub const CONSTANT: u32 = 2;
/// What a work-group shares.
pub const LOCAL: u32 = 3;
/// Any of these but constant memory.
pub const GENERIC: u32 = 4;
