//! Prices that neither LLVM's TargetTransformInfo nor its scheduling models know, or are wrong about: measured ones.
//!
//! There are at most [`MOST`]. A row says on which processor it was measured, with what, and what it came to; `docs/costs.md` has
//! the same table, and a test holds them together.

/// How many rows there may be: who adds one asks first whether LLVM knows the answer.
#[cfg(test)]
pub(super) const MOST: usize = 25;

/// A price that was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Override {
    /// What it is the price of.
    pub(crate) of: &'static str,
    /// Cycles.
    pub(crate) cycles: f64,
    /// On which processor.
    pub(crate) processor: &'static str,
    /// By what.
    pub(crate) command: &'static str,
    /// What was found.
    pub(crate) figure: &'static str,
}

/// Measures most of them.
const BESIDE: &str = "cargo run --release -p oxicl-llvm --example beside";

/// Measures operations that LLVM knows, too.
const COSTS: &str = "cargo run --release -p oxicl-llvm --example costs -- docs/costs.md";

/// LLVM's models leave out what the lock costs.
pub(crate) const ATOMIC: Override = Override {
    of: "an atomic operation by a work-item",
    cycles: 18.9,
    processor: "Zen 5",
    command: BESIDE,
    figure: "an atomic addition: 18.9 cycles",
};

/// LLVM's models of Intel's processors take the longest time that a division may take, for words that of long numbers: from 3
/// cycles to 57.
pub(crate) const DIVISION_32: Override = Override {
    of: "a division of integers of 32 bits by a work-item, on x86-64",
    cycles: 5.9,
    processor: "Zen 5",
    command: COSTS,
    figure: "udiv i32: 5.86 cycles, sdiv i32: 5.91",
};

/// The same of long numbers.
pub(crate) const DIVISION_64: Override = Override {
    of: "a division of integers of 64 bits by a work-item, on x86-64",
    cycles: 6.8,
    processor: "Zen 5",
    command: COSTS,
    figure: "udiv i64: 6.81 cycles, sdiv i64: 6.87",
};

/// Until its result is there. A cycle of what was found is the or between.
pub(crate) const DIVISION_32_LATENCY: Override = Override {
    of: "until the quotient of integers of 32 bits is there, on x86-64",
    cycles: 11.4,
    processor: "Zen 5",
    command: BESIDE,
    figure: "a division of 32 bits that waits for the one before: 12.4 cycles",
};

/// The same of long numbers.
pub(crate) const DIVISION_64_LATENCY: Override = Override {
    of: "until the quotient of integers of 64 bits is there, on x86-64",
    cycles: 15.5,
    processor: "Zen 5",
    command: BESIDE,
    figure: "a division of 64 bits that waits for the one before: 16.5 cycles",
};

/// What is called is a function that was too long to be inlined; this is the call alone.
pub(crate) const CALL: Override = Override {
    of: "a call of a function",
    cycles: 4.0,
    processor: "Zen 5",
    command: BESIDE,
    figure: "a call: 4.0 cycles",
};

/// A mask from comparisons, looked at, and its first lane found.
pub(crate) const MASK_MADE: Override = Override {
    of: "a mask that is made, looked at, and its first lane found",
    cycles: 5.0,
    processor: "Zen 5",
    command: "cargo xtask bench guarded plain",
    figure: "copies of bytes: 5 cycles a gang more with masks than without",
};

/// Lanes that change memory one after the other, in atomic operations and in stores that the machine has no mask for, go there by a branch each.
pub(crate) const LANE_BRANCH: Override = Override {
    of: "the branch of a lane around an access that the machine has no mask for",
    cycles: 2.5,
    processor: "Zen 3",
    command: "cargo xtask bench guarded plain",
    figure: "histograms of bytes: 1.1 in place of 0.5 ns an atomic operation",
};

/// The wrong guesses among many of the branch, of which half are wrong.
pub(crate) const WRONG_GUESS: Override = Override {
    of: "a branch that nothing foretells, for a work-item by itself",
    cycles: 10.0,
    processor: "Zen 5",
    command: BESIDE,
    figure: "11.0 cycles by a random bit, 1.0 by one that is on",
};

/// Where a work-item goes down a column, its number is the only one of its line of the cache.
pub(crate) const COLUMN: Override = Override {
    of: "an access by which a work-item goes down a column",
    cycles: 11.5,
    processor: "Zen 5",
    command: BESIDE,
    figure: "1.7, 3.3, 13.0, 54.1 and 51.5 cycles in squares of 256 to 4096: their geometric mean",
};

/// The same of rows that are known to be shorter than a page.
pub(crate) const NEAR_COLUMN: Override = Override {
    of: "an access by which a work-item goes down a column of rows shorter than a page",
    cycles: 2.4,
    processor: "Zen 5",
    command: BESIDE,
    figure: "1.7 and 3.3 cycles in squares of 256 and 512: their geometric mean",
};

/// Loads of single numbers wait for memory beside each other, a gather's hardly do. TargetTransformInfo has the nearest cache.
pub(crate) const FAR_GATHER: Override = Override {
    of: "a number gathered by an instruction from memory that any work-item may use, more than from the nearest cache",
    cycles: 0.6,
    processor: "Zen 5",
    command: BESIDE,
    figure: "in tables of 16 KiB to 16 MiB 1.71 cycles, loads of single numbers 1.10: geometric means",
};

/// Numbers that are narrower than what a machine gathers. TargetTransformInfo takes addresses out of registers of 512 bits step by step,
/// which the accesses do not wait for.
pub(crate) const BY_LANE: Override = Override {
    of: "a number that a lane loads or stores by itself, where others are gathered",
    cycles: 1.1,
    processor: "Zen 5",
    command: BESIDE,
    figure: "loads of single numbers in tables of 16 KiB to 16 MiB 1.10 cycles: geometric mean",
};

/// Where it does so, its address comes from a vector as a rule.
pub(crate) const LANE_ADDRESS: Override = Override {
    of: "the address of such a number, taken out of a vector",
    cycles: 1.1,
    processor: "Emerald Rapids",
    command: COSTS,
    figure: "gather <16 x i8>: 33.98 cycles, <16 x i16>: 35.25, 2.2 a lane; less the row above",
};

/// Operations of several sorts run beside each other, which the price of each by itself does not say. It matters where a loop waits
/// for its own results: what else may run meanwhile.
pub(crate) const BUSY: Override = Override {
    of: "a cycle of an operation's price, in a loop that waits for its own results",
    cycles: 0.6,
    processor: "Zen 5",
    command: "cargo xtask bench mandelbrot",
    figure: "20.4, 17.8 and 11.2 ns with one, two and four registers a value, for x86-64-v3",
};

/// All rows.
#[cfg(test)]
pub(crate) const ALL: &[Override] = &[
    ATOMIC,
    DIVISION_32,
    DIVISION_64,
    DIVISION_32_LATENCY,
    DIVISION_64_LATENCY,
    CALL,
    MASK_MADE,
    LANE_BRANCH,
    WRONG_GUESS,
    COLUMN,
    NEAR_COLUMN,
    FAR_GATHER,
    BY_LANE,
    LANE_ADDRESS,
    BUSY,
];
