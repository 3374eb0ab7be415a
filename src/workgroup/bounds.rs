//! Bounds on compile time and on stacks: how far analyses look, how much code is written several times, and what lies
//! in frames.
//!
//! Past a bound less is known of a kernel, plainer code is written, or, where a bound says so, the kernel is refused;
//! what the code does stays the same. Before changing one, look at the time that builds take, and at the kernels that
//! cross it. Costs, and constants needed for correctness, stand where they are used and say which of the two they are.

// How far analyses look.

/// Instructions that are followed back from a value, one behind the other: casts, sums, products, address computations.
pub(crate) const CHAIN: usize = 8;
/// Instructions that are searched for a pattern around one: between two loads or from numbers to a vector, back from a
/// branch or from where a loop starts and ends, and around an extended number.
pub(crate) const NEARBY: usize = 16;
/// Instructions that are searched back from a condition or an index for a load, and from an address for its stride.
pub(crate) const SEARCHED: usize = 24;
/// Instructions around an extended number that may be used in addresses only, of which unrolled loops have many.
pub(crate) const ADDRESSES: usize = 256;
/// Instructions and objects that are looked at to find where an address comes from.
pub(crate) const ROOTS: usize = 32;
/// Accesses of a loop, or of a block, that are compared with each other.
pub(crate) const COMPARED_ACCESSES: usize = 64;
/// Instructions of the largest block that is searched for the numbers of a record, and numbers of the largest record.
pub(crate) const RECORD_BLOCK: usize = 512;
pub(crate) const RECORD_NUMBERS: i64 = 16;
/// Operations on memory that each lane does in one go: as many as the longest vectors of the language have elements.
pub(crate) const RUN: usize = 16;
/// Conditions among a region's guards, and instructions that compute their operands, which are written again.
pub(crate) const MOST_GUARDS: usize = 64;
/// Nested loops through which a value is followed, past which it counts as different in each row.
pub(crate) const DEEPEST_LOOPS: usize = 8;
/// Depth of nested constant expressions that are followed. A kernel with deeper ones is refused.
pub(crate) const DEEPEST_CONSTANT: u32 = 64;
/// Values that are searched for the cause of a divergence, and remarks of one sort; further ones are only counted.
pub(crate) const CAUSES: usize = 2_000;
pub(crate) const MOST_REMARKS: usize = 20;

// Work that grows faster than the function.

/// Blocks times loops past which no reconvergence point is computed.
pub(crate) const RECONVERGENCE: usize = 4_000_000;
/// Branches times blocks walked, past which every value counts as varying, which is always right.
pub(crate) const SHAPE_STEPS: usize = 4_000_000;
/// Objects times blocks walked, past which private objects are kept for each work-item, which is always right.
pub(crate) const OBJECT_STEPS: usize = 4_000_000;
/// Divergent branches times the blocks of their regions, past which work-items are assumed to diverge.
pub(crate) const PROGRESS_STEPS: usize = 4_000_000;
/// Live values summed over all states, past which a kernel is refused.
pub const MOST_VALUES_ACROSS_BARRIERS: usize = 20_000_000;
/// Blocks of a region past which gangs decline it.
pub(crate) const BLOCKS: usize = 4_000;
/// Steps of all walks for the course of gangs, past which they decline a region: each block between a branch and where
/// lanes reconverge is one, and so is each that is passed on as still to run.
pub(crate) const COURSE_STEPS: usize = 2_000_000;
/// Steps from uses back to definitions for the pressure on registers, past which no longer gangs are considered.
pub(crate) const PRESSURE_STEPS: usize = 50_000;
/// Instructions of a loop times the values that it carries between iterations, past which recurrences are ignored.
pub(crate) const RECURRENCE_STEPS: usize = 100_000;

// Long vectors, which LLVM splits in more than linear time.

/// Elements of the longest vector or array that lanes hold, and components of the largest type.
pub(crate) const ELEMENTS: u64 = 256;
pub(crate) const COMPONENTS: usize = 512;
/// Elements of the longest vector that is loaded or stored at once.
pub(crate) const LONGEST_ACCESS: u64 = 128;
/// Elements of the longest vector that holds a value of all lanes in AoS layout.
pub(crate) const LONGEST_AOS: u32 = 256;
/// Lanes of the longest gang, as many as masks have bits.
pub(crate) const MOST_LANES: u32 = 64;

// Code that is written several times.

/// Regions of all states together may have this many times the instructions of the function, plus [`REPEAT_SLACK`].
pub(crate) const REPEAT_FACTOR: usize = 4;
pub(crate) const REPEAT_SLACK: usize = 4_000;
/// States up to which each has a region with loops of its own.
pub(crate) use oxicl_ops::REGIONS;
/// The same for functions with sub-group operations, which gangs have to run.
pub(crate) const REGIONS_OF_GANGS: usize = 256;
/// Instructions of a function up to which speculated accesses and coalesced work-groups have a second body.
pub(crate) const WRITTEN_TWICE: usize = 1000;
/// Instructions up to which the least saving is enough to write a body once more without masks: of a region for gangs
/// that agree on guards, or of a loop for iterations of all lanes. A longer one has to save more in proportion.
pub(crate) const USUAL_BODY: usize = 400;
/// Lanes up to which strided accesses are written one by one.
pub(crate) const MOST_WALKED: u32 = 32;
/// Versions of one function that are specialised for a pattern of arguments.
pub(crate) const PATTERNS: usize = 4;
/// Components of a version's varying arguments and its result together.
pub(crate) const VERSION_COMPONENTS: usize = 64;
/// Part of a region's time that each instruction written adds to its price, as longer code takes longer to compile and
/// more of the instruction caches. With five times of it, 145 programs compile in 17% less time, and the kernels that
/// change take 9% longer (x86-64-v3 on Zen 4).
pub(crate) const WRITTEN: f64 = 0.00005;
/// Part of the time of running work-items one by one that gangs may take in the baseline tier. Its code only runs until
/// the full tier's is there, and the code of gangs takes several times as long to generate where lanes access places of
/// their own. Of every 100th module of a DPC++ library the 95th percentile is 83 ms for x86-64-v3 (176 ms with 0.9),
/// and the same for AVX-512.
pub(crate) const WORTH_IN_BASELINE: f64 = 0.5;

// What LLVM takes long for.

/// Collective operations up to which gathered values live in the frame. LLVM makes phis of all of them at each.
pub(crate) const FRAME_COLLECTIVES: usize = 16;
/// States past which a kernel is compiled in little time. Many places store which state is next, and LLVM's passes and
/// code generator take quadratic time to merge them into one.
pub(crate) const MOST_STATES: usize = 256;
/// States past which a kernel is compiled like one that hardly runs; else thousands of barriers would take seconds.
pub(crate) const TOO_MANY_STATES: usize = 1024;
/// Instructions of a region up to which LLVM may vectorise its loop over work-items. LLVM's vectoriser follows chains
/// of operands from every instruction: 5,000 in a line take it seconds, 10,000 minutes.
pub(crate) const LONGEST_VECTORISED: usize = 3_000;

// What lies in the frame of the function that runs work-groups, on a thread's stack; the rest lies in the state.

/// Bytes of the largest private object of a work-item.
pub(crate) const FRAME_OBJECT: u64 = 1024;
/// Bytes of the largest private object of a gang, all lanes together.
pub(crate) const FRAME_OBJECT_OF_GANG: u64 = 8 << 10;
