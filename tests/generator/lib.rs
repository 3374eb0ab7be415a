//! Random OpenCL C kernels whose results are defined, for differential tests.
//!
//! - **Takes**: a seed.
//! - **Gives**: the source of a kernel `k(global uint *out, global const uint *in, uint n, local uint *scratch)`. Each
//!   work-item writes [`WORDS_PER_ITEM`] words at its linear id; [`SHARED_WORDS`] words behind them are added to by all.
//! - **Never**: makes a kernel with a data race, a division by zero, a loop without end, or a barrier that work-items of
//!   a group reach differently (those that returned count as arrived).
//!
//! Each kernel mixes what is hard for a work-group compiler: barriers in loops and uniform branches, several a loop,
//! early returns, divergent loops and switches, private arrays indexed dynamically, pointers to private variables that
//! escape into calls, local memory, atomics, numbers of every type and vectors of every size, structures, collectives,
//! sub-groups that wait for each other.
#![forbid(unsafe_code)]

mod expression;
mod guard;
mod overlap;
mod random;
mod statement;
mod tile;
mod typed;

pub use overlap::OverlapKernel;
pub use random::Random;

use statement::Writer;

/// Words that each work-item writes.
pub const WORDS_PER_ITEM: usize = 8;
/// Words behind those of the work-items, changed by atomics of all.
pub const SHARED_WORDS: usize = 8;
/// Words of the input buffer.
pub const INPUT_WORDS: usize = 64;

/// A kernel `k(global uint *out, global const uint *in, uint n)` whose work-items share no memory but for sums of all, and do not
/// wait for each other: work-groups may run side by side.
pub fn kernel_apart(seed: u64) -> String {
    let mut writer = Writer::new(Random::new(seed), seed % 3 == 2);
    writer.apart();
    writer.text
}

/// A kernel `k(global uint *out, global const uint *in, uint n)` whose work-items, in up to three dimensions, leave loops in
/// different turns and write three words each, those of a row side by side.
pub fn kernel_tile(seed: u64) -> String {
    let mut writer = tile::Writer::new(Random::new(seed ^ 0x3131));
    writer.kernel();
    writer.text
}

/// A kernel `k(global uint *out, global const uint *in, uint n, local uint *scratch)` whose work-items leave by comparisons of
/// their places and write numbers of several widths, those of a row side by side.
pub fn kernel_guards(seed: u64) -> String {
    let mut writer = guard::Writer::new(Random::new(seed ^ 0x6161));
    writer.kernel();
    writer.text
}

/// A kernel `k(global P *p, global Q *q, uint n)` whose work-items load and store through two pointers: to places that may be one,
/// or, if `disjoint`, to none that is.
pub fn kernel_overlap(seed: u64, disjoint: bool) -> OverlapKernel {
    overlap::kernel(Random::new(seed ^ 0xa1a1), disjoint)
}

/// The kernel that `seed` stands for. Every third has but one block of statements, on values of any type.
pub fn kernel(seed: u64) -> String {
    let mut writer = Writer::new(Random::new(seed), seed % 3 == 2);
    writer.kernel();
    writer.text
}
