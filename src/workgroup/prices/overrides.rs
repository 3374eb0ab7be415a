//! Measured prices, for what LLVM's TargetTransformInfo and its scheduling models do not know or are wrong about.
//!
//! There are at most [`MOST`]. Each says on which processor and by which command it was measured, and what was found.
//! `docs/costs.md` has the same table, and a test compares the two.

/// How many rows there may be. Before you add one, see whether LLVM knows the answer.
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

/// Declares the rows: what each is the price of, the cycles, on which processor, by what, and what was found.
macro_rules! rows {
    ($($(#[$doc:meta])* $name:ident: $of:literal = $cycles:literal on $processor:literal by $command:expr
        => $figure:literal,)+) => {
        $($(#[$doc])*
        pub(crate) const $name: Override =
            Override { of: $of, cycles: $cycles, processor: $processor, command: $command, figure: $figure };)+

        /// All rows.
        #[cfg(test)]
        pub(crate) const ALL: &[Override] = &[$($name),+];
    };
}

rows! {
    /// LLVM's models leave out the cost of the lock.
    ATOMIC: "an atomic operation by a work-item"
        = 18.9 on "Zen 5" by BESIDE => "an atomic addition: 18.9 cycles",

    /// The cache line goes back and forth between the cores.
    CONTENDED: "the same at an address that all work-items of a launch share"
        = 56.0 on "Emerald Rapids" by BESIDE => "an atomic addition by two threads at once: 56.0 cycles",

    /// LLVM's models of Intel's processors give the longest time that a division may take, and for 32-bit numbers that of
    /// 64-bit ones: from 3 cycles to 57.
    DIVISION_32: "a division of integers of 32 bits by a work-item, on x86-64"
        = 5.9 on "Zen 5" by COSTS => "udiv i32: 5.86 cycles, sdiv i32: 5.91",

    /// The same for 64-bit numbers.
    DIVISION_64: "a division of integers of 64 bits by a work-item, on x86-64"
        = 6.8 on "Zen 5" by COSTS => "udiv i64: 6.81 cycles, sdiv i64: 6.87",

    /// The latency. One cycle of the figure is that of the `or` between two divisions.
    DIVISION_32_LATENCY: "until the quotient of integers of 32 bits is there, on x86-64"
        = 11.4 on "Zen 5" by BESIDE => "a division of 32 bits that waits for the one before: 12.4 cycles",

    /// The same for 64-bit numbers.
    DIVISION_64_LATENCY: "until the quotient of integers of 64 bits is there, on x86-64"
        = 15.5 on "Zen 5" by BESIDE => "a division of 64 bits that waits for the one before: 16.5 cycles",

    /// The call alone: the function was too long to be inlined.
    CALL: "a call of a function"
        = 4.0 on "Zen 5" by BESIDE => "a call: 4.0 cycles",

    /// Making a mask from comparisons, testing it, and finding its first lane.
    MASK_MADE: "a mask that is made, looked at, and its first lane found"
        = 5.0 on "Zen 5" by "cargo xtask bench guarded plain" => "copies of bytes: 5 cycles a gang more with masks than without",

    /// Lanes that change memory in turn take a branch each: atomic operations, and stores without masks.
    LANE_BRANCH: "the branch of a lane around an access that the machine has no mask for"
        = 2.5 on "Zen 3" by "cargo xtask bench guarded plain" => "histograms of bytes: 1.1 in place of 0.5 ns an atomic operation",

    /// The mispredictions of a branch, half of whose predictions are wrong, for each time that it runs.
    WRONG_GUESS: "a branch that nothing foretells, for a work-item by itself"
        = 10.0 on "Zen 5" by BESIDE => "11.0 cycles by a random bit, 1.0 by one that is on",

    /// Where a work-item goes down a column, it uses one number of each cache line.
    COLUMN: "an access by which a work-item goes down a column"
        = 11.5 on "Zen 5" by BESIDE => "1.7, 3.3, 13.0, 54.1 and 51.5 cycles in squares of 256 to 4096: their geometric mean",

    /// The same for rows that are known to be shorter than a page, or known to be few.
    NEAR_COLUMN: "the same for rows shorter than a page, or as many rows as the nearest cache has lines"
        = 2.4 on "Zen 5" by BESIDE => "1.7 and 3.3 cycles in squares of 256 and 512: their geometric mean",

    /// Unlike gathers, single loads wait for memory in parallel. TargetTransformInfo's price is of the nearest cache.
    FAR_GATHER: "a number gathered by an instruction from memory that any work-item may use, more than from the nearest cache"
        = 0.6 on "Zen 5" by BESIDE => "in tables of 16 KiB to 16 MiB 1.71 cycles, loads of single numbers 1.10: geometric means",

    /// Processors fetch ahead for a load that advances by a stride, but not for the lanes of a gather.
    ROW_GATHER: "the same, or a number scattered, where each lane goes along a row of its own and gathers are not fast"
        = 1.1 on "Zen 5" by BESIDE => "in rows of 384, 1000 and 4000 numbers 1.95 cycles, loads of single numbers 0.86: geometric means",

    /// LLVM's models know the latency of the nearest cache.
    FAR_CHAIN: "until a number from memory that any work-item may use is there that says where the next one is, more than from the nearest cache"
        = 19.0 on "Zen 5" by BESIDE => "a chain through tables of 16 KiB to 16 MiB: 24.3 cycles, geometric mean; of 16 KiB: 5.0",

    /// TargetTransformInfo has one price for all machines.
    FAST_GATHER: "a number gathered by an instruction where gathers are fast"
        = 0.4 on "Emerald Rapids" by COSTS => "gather <16 x float>: 6.01 cycles, <8 x double>: 3.58",

    /// Numbers narrower than what the machine gathers. TargetTransformInfo extracts addresses from 512-bit registers step
    /// by step, which the accesses do not wait for.
    BY_LANE: "a number that a lane loads or stores by itself, where others are gathered"
        = 1.1 on "Zen 5" by BESIDE => "loads of single numbers in tables of 16 KiB to 16 MiB 1.10 cycles: geometric mean",

    /// The address of such an access comes from a vector as a rule.
    LANE_ADDRESS: "the address of such a number, taken out of a vector"
        = 1.1 on "Emerald Rapids" by COSTS => "gather <16 x i8>: 33.98 cycles, <16 x i16>: 35.25, 2.2 a lane; less the row above",

    /// Such a number, with its address, where there are no gathers. TargetTransformInfo counts the instructions that take the
    /// address out of its vector and put the number into another, but processors start several of them in a cycle.
    EXTRACTED: "a number that a lane loads or stores by itself, with its address, where none are gathered"
        = 1.4 on "Zen 3" by COSTS => "for x86-64-v3 gather <8 x float>: 11.15 cycles, scatter: 16.06; on Zen 5, Zen 4 and Emerald Rapids 7.83 to 14.01",

    /// The same where lanes diverge: the next access waits for the mask, and so for the numbers before. At least so much more.
    EXTRACTED_APART: "the same where lanes diverge, more"
        = 0.5 on "Zen 3" by "cargo xtask bench sparse" => "for x86-64-v3 in gangs of 8 lanes 2.9 times the time of work-items one after the other",

    /// Operations of different kinds run in parallel, which their separate prices do not say. That matters in loops with a
    /// recurrence: how much else can run meanwhile.
    BUSY: "a cycle of an operation's price, in a loop that waits for its own results"
        = 0.6 on "Zen 5" by "cargo xtask bench mandelbrot" => "20.4, 17.8 and 11.2 ns with one, two and four registers a value, for x86-64-v3",
}
