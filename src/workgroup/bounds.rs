//! Bounds on compile time and on stacks: how far analyses look, how much code is written several times, and what lies
//! in frames.
//!
//! Past a bound less is known of a kernel, plainer code is written, or, where a bound says so, the kernel is refused;
//! what the code does stays the same. Before changing one, look at the time that builds take, and at the kernels that
//! cross it. Costs, and constants needed for correctness, stand where they are used and say which of the two they are.

/// Reconvergence of control.
pub(crate) mod dominators {
    /// Blocks times loops past which no reconvergence point is computed.
    pub(crate) const LARGEST: usize = 4_000_000;
}

/// What lies in the frame of the function that runs work-groups, and so on the stack of a thread; the rest lies in the
/// work-group's state.
pub(crate) mod frame {
    /// Bytes of the largest private object of a work-item.
    pub(crate) const MOST: u64 = 1024;
    /// Bytes of the largest private object of a gang, all lanes together.
    pub(crate) const MOST_OF_GANG: u64 = 8 << 10;
}

/// Graphs of regions.
pub(crate) mod graph {
    /// Blocks of a region past which gangs decline it.
    pub(crate) const LARGEST: usize = 4_000;
}

/// The course of gangs.
pub(crate) mod course {
    /// Steps of all walks together, past which gangs decline a region. A walk from a branch to where lanes reconverge
    /// takes a step for each block; passing on the blocks that are still to run takes one for each of them.
    pub(crate) const BUDGET: usize = 2_000_000;
}

/// Code that is duplicated for each state.
pub(crate) mod regions {
    /// All regions together may have this many times the instructions of the function, plus [`REPEAT_SLACK`].
    pub(crate) const REPEAT_FACTOR: usize = 4;
    pub(crate) const REPEAT_SLACK: usize = 4_000;
    /// States up to which each has a region with loops of its own. LLVM takes more than linear time for many loops in
    /// one function.
    pub(crate) const REGIONS: usize = 32;
    /// The same for functions with sub-group operations, which gangs have to run.
    pub(crate) const REGIONS_OF_GANGS: usize = 256;
    /// Divergent branches times the blocks of their regions, past which work-items are assumed to diverge.
    pub(crate) const BUDGET: usize = 4_000_000;
}

/// Values across barriers.
pub(crate) mod liveness {
    /// Live values summed over all states, past which a kernel is refused.
    pub const LIMIT: usize = 20_000_000;
}

/// Private objects.
pub(crate) mod memory {
    /// Objects times blocks walked, past which objects are kept for each work-item, which is always right.
    pub(crate) const WORK_LIMIT: usize = 4_000_000;
}

/// Shapes.
pub(crate) mod shape {
    /// Branches times blocks walked, past which every value counts as varying, which is always right.
    pub(crate) const WORK_LIMIT: usize = 4_000_000;
    /// Instructions followed back from a value: to an extension that may wrap, or to find how large a number can be, or
    /// whether it is made of ids, arguments and constants alone.
    pub(crate) const FAR: usize = 8;
    /// Instructions around an extended number that are searched before the answer is no.
    pub(crate) const MOST: usize = 16;
    /// The same where the number may be used in addresses only, of which unrolled loops have many.
    pub(crate) const MOST_PLACES: usize = 256;
}

/// Induction.
pub(crate) mod induction {
    /// Casts and masks followed from a number back to what it was made of.
    pub(crate) const CASTS: usize = 8;
    /// Sums followed back from a number to see whether it wraps.
    pub(crate) const SUMS: usize = 8;
    /// Casts, sums, minima and maxima followed back from the start of a loop, and from its end.
    pub(crate) const WINDOW: usize = 16;
}

/// Grid-stride loops: their stride is as long as the launch.
pub(crate) mod grid_stride {
    /// Casts and products followed back from such a stride.
    pub(crate) const FAR: usize = 8;
}

/// Guards: comparisons that gangs agree on.
pub(crate) mod guards {
    /// Conditions among a region's guards, and likewise instructions that compute their operands, which are written
    /// once more.
    pub(crate) const MOST: usize = 64;
}

/// Slices of replicated atomic operations.
pub(crate) mod slice {
    /// Instructions followed back from an operand to a load.
    pub(crate) const FAR: usize = 8;
}

/// Types as lanes hold them. LLVM splits long vectors, in more than linear time.
pub(crate) mod components {
    /// Elements of the longest vector or array, and components of the largest type.
    pub(crate) const ELEMENTS: u64 = 256;
    pub(crate) const MOST: usize = 512;
    /// Elements of the longest vector that is loaded or stored at once.
    pub(crate) const LONGEST: u64 = 128;
    /// Elements of the longest vector that holds a value of all lanes in AoS layout.
    pub(crate) const LONGEST_AOS: u32 = 256;
}

/// What is written twice.
pub(crate) mod twice {
    /// Instructions of a function up to which speculated contiguous accesses are written for either case, and kernels
    /// have a second body for coalesced work-groups.
    pub(crate) const LONGEST: usize = 1000;
}

/// Strided and speculated contiguous accesses.
pub(crate) mod speculated {
    /// Instructions of an address that are searched for its stride.
    pub(crate) const FAR: usize = 24;
    /// Lanes up to which strided accesses are written one by one.
    pub(crate) const MOST_WALKED: u32 = 32;
}

/// Accesses to records (interleave groups).
pub(crate) mod record {
    /// Instructions of the largest block that is searched.
    pub(crate) const LARGE: usize = 512;
    /// Numbers of the largest record.
    pub(crate) const MOST: i64 = 16;
}

/// Whether accesses may overlap.
pub(crate) mod overlap {
    /// Length of a chain of address computations.
    pub(crate) const DEEP: usize = 8;
    /// Instructions and objects that are looked at to find where an address comes from.
    pub(crate) const ROOTS: usize = 32;
    /// Accesses of a loop, or of a block, that are compared with each other.
    pub(crate) const ACCESSES: usize = 64;
}

/// Lane numbers that are known at compile time.
pub(crate) mod sub_group {
    /// Length of the chain of operations that such a number is followed through.
    pub(crate) const FAR: usize = 8;
}

/// Paired gathers: loads of neighbouring numbers.
pub(crate) mod pair {
    /// Instructions from the first load to the second.
    pub(crate) const FAR: usize = 16;
}

/// Numbers that LLVM packs into vectors for a single work-item.
pub(crate) mod packed {
    /// Instructions between extracting numbers from vectors and inserting the result into one.
    pub(crate) const FAR: usize = 16;
}

/// Comparisons of 64-bit numbers by 32-bit distances.
pub(crate) mod comparison {
    /// Instructions searched back from the branch at a block's end for such a comparison.
    pub(crate) const MOST: usize = 16;
}

/// What lanes cost.
pub(crate) mod estimate {
    /// Instructions searched back from a condition, or the index of an access, for a load.
    pub(crate) const FAR: usize = 24;
    /// Part of the time of running work-items one by one that gangs may take in the baseline tier. Its code only runs
    /// until the full tier's is there, and the code of gangs takes several times as long to generate where lanes access
    /// places of their own. Of every 100th module of a DPC++ library the 95th percentile is 83 ms for x86-64-v3 (176 ms
    /// with 0.9), and the same for AVX-512.
    pub(crate) const WORTH_IN_BASELINE: f64 = 0.5;
}

/// Register pressure.
pub(crate) mod pressure {
    /// Steps from uses back to definitions, past which no longer gangs are considered.
    pub(crate) const BUDGET: usize = 50_000;
}

/// Gangs longer than the usual ones.
pub(crate) mod candidates {
    /// Lanes of the longest gang, as many as masks have bits.
    pub(crate) const MOST_LANES: u32 = 64;
    /// Part of a region's time that each instruction written adds to its price: longer code takes longer to compile,
    /// and more of the instruction caches. So the longer a region's code is, the more a gang with twice the code has to
    /// save. With five times of it, 145 programs compile in 17% less time, and the kernels that change take 9% longer
    /// (x86-64-v3 on Zen 4).
    pub(crate) const WRITTEN: f64 = 0.00005;
}

/// Recurrences of loops.
pub(crate) mod recurrence {
    /// Instructions of a loop times the values that it carries from iteration to iteration, past which its recurrences
    /// are ignored.
    pub(crate) const BUDGET: usize = 100_000;
}

/// Rows that are unrolled and jammed.
pub(crate) mod rows {
    /// Nested loops through which a value is followed. Past them, every value counts as different in each row.
    pub(crate) const DEEPEST: usize = 8;
}

/// Bodies that are written once more without masks: of regions for gangs that agree on guards, and of loops for
/// iterations that all lanes are in.
pub(crate) mod bodies {
    /// Instructions of a body up to which the least saving is enough. A longer one has to save more, in proportion.
    pub(crate) const USUAL: usize = 400;
}

/// Storage of values that outlive a region.
pub(crate) mod slots {
    /// Collective operations of a function up to which gathered values live in the frame. LLVM makes phis of these, for
    /// each operation at each.
    pub(crate) const FRAME_COLLECTIVES: usize = 16;
}

/// Kernels with many barriers.
pub(crate) mod kernel {
    /// States past which a kernel is compiled in little time. Many places store which state is next, and LLVM's passes
    /// and code generator take quadratic time to merge them into one.
    pub(crate) const MOST_STATES: usize = 256;
    /// States past which a kernel is compiled like one that hardly runs; else thousands of barriers would take seconds.
    pub(crate) const TOO_MANY_STATES: usize = 1024;
}

/// Loops that LLVM may vectorise.
pub(crate) mod loops {
    /// Instructions of a region up to which LLVM may vectorise its loop over work-items. LLVM's vectoriser follows
    /// chains of operands from every instruction: 5,000 in a line take it seconds, 10,000 minutes.
    pub(crate) const LONGEST_VECTORISED: usize = 3_000;
}

/// Versions of functions.
pub(crate) mod versions {
    /// Versions of one function that are specialised for a pattern of arguments.
    pub(crate) const PATTERNS: usize = 4;
    /// Components of a version's varying arguments and its result together.
    pub(crate) const MOST_COMPONENTS: usize = 64;
}

/// Constants.
pub(crate) mod copy {
    /// Depth of nested constant expressions that are followed. A kernel with deeper ones is refused.
    pub(crate) const DEPTH: u32 = 64;
}

/// Prefetches for later iterations.
pub(crate) mod prefetch {
    /// Length of the chain of instructions that computes a loop's stride or end once more.
    pub(crate) const FAR: usize = 8;
}

/// Remarks.
pub(crate) mod explain {
    /// Remarks of one sort; further ones are only counted.
    pub(crate) const MOST: usize = 20;
    /// Values that are searched for the cause of a divergence.
    pub(crate) const FAR: usize = 2_000;
}
