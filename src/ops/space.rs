//! Address spaces, by the numbers that they have in LLVM IR.

/// Private memory: of one work-item.
pub const PRIVATE: u32 = 0;
/// Global memory: shared by all work-items.
pub const GLOBAL: u32 = 1;
/// Constant memory: shared by all work-items, and never written.
pub const CONSTANT: u32 = 2;
/// Local memory: shared by a work-group.
pub const LOCAL: u32 = 3;
/// Generic: any of these but constant memory.
pub const GENERIC: u32 = 4;

/// May memory of an address space be in another cache than the nearest? That of a work-group's own stays there.
pub const fn is_far(space: u32) -> bool {
    !matches!(space, PRIVATE | LOCAL)
}
