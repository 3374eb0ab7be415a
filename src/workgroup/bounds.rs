//! Bounds on compile time and on stacks: how far analyses look, how large what is written several times may be, and what lies in frames.
//!
//! Past one of them less is known of a kernel, plainer code is written, or where it says so the kernel is refused; what the code
//! does stays the same. Who changes one looks at the time that builds take, and at the kernels that come to lie on its other
//! side. Costs, and what correctness asks for, stand where they are used and say which of the two they are.

/// Where control reconverges.
pub(crate) mod dominators {
    /// Blocks times loops past which nothing is said.
    pub(crate) const LARGEST: usize = 4_000_000;
}

/// What lies in the frame of the function that runs work-groups, and so on the stack of a thread; the rest lies in the state of the
/// work-group.
pub(crate) mod frame {
    /// Bytes of a private object of one work-item.
    pub(crate) const MOST: u64 = 1024;
    /// Bytes of the private objects of a gang that have one name.
    pub(crate) const MOST_OF_GANG: u64 = 8 << 10;
}

/// Graphs of regions.
pub(crate) mod graph {
    /// Nodes past which a region is not looked at.
    pub(crate) const LARGEST: usize = 4_000;
}

/// The course of gangs.
pub(crate) mod course {
    /// Steps of all walks together, past which a region is declined: those from branches to where lanes meet again, of a block each,
    /// and those that pass on which blocks wait, of a block that waits each.
    pub(crate) const BUDGET: usize = 2_000_000;
}

/// Code that each state has a copy of.
pub(crate) mod regions {
    /// Regions together may have this many times the instructions of the function, and [`REPEAT_SLACK`] more.
    pub(crate) const REPEAT_FACTOR: usize = 4;
    pub(crate) const REPEAT_SLACK: usize = 4_000;
    /// Regions that a function has loops of its own for. LLVM takes more than linear time for many loops in one function.
    pub(crate) const REGIONS: usize = 32;
    /// The same for functions that gangs have to run.
    pub(crate) const REGIONS_OF_GANGS: usize = 256;
    /// Branches in a region times its blocks that are looked at before divergence is taken to be possible.
    pub(crate) const BUDGET: usize = 4_000_000;
}

/// Values across barriers.
pub(crate) mod liveness {
    /// Values alive at states, all states together, past which a kernel is refused.
    pub const LIMIT: usize = 20_000_000;
}

/// Private objects.
pub(crate) mod memory {
    /// Objects times blocks that are walked before objects simply live per work-item, which is always right.
    pub(crate) const WORK_LIMIT: usize = 4_000_000;
}

/// Shapes.
pub(crate) mod shape {
    /// Branches times blocks that are looked at before everything counts as varying, which is always right.
    pub(crate) const WORK_LIMIT: usize = 4_000_000;
    /// Instructions behind the extension of a number that may wrap, or before one whose largest is asked for.
    pub(crate) const FAR: usize = 8;
    /// Instructions that use an extended number which are looked at before the answer is no.
    pub(crate) const MOST: usize = 16;
    /// The same where the number may only be part of the places of accesses, which unrolled loops have many of.
    pub(crate) const MOST_PLACES: usize = 256;
}

/// Induction.
pub(crate) mod induction {
    /// Casts and masks between a number and what it was made of that are looked at.
    pub(crate) const CASTS: usize = 8;
    /// Sums behind a number that are looked at.
    pub(crate) const SUMS: usize = 8;
}

/// Strides as long as the launch.
pub(crate) mod grid_stride {
    /// Casts and products behind a number that are looked at.
    pub(crate) const FAR: usize = 8;
}

/// Comparisons by which lanes leave.
pub(crate) mod guards {
    /// Instructions that the operands of a region's comparisons may take, which are written once more.
    pub(crate) const MOST: usize = 64;
}

/// Types as lanes hold them. LLVM takes long vectors apart, in more than linear time.
pub(crate) mod components {
    /// Elements that a vector or array may have, and components a type.
    pub(crate) const ELEMENTS: u64 = 256;
    pub(crate) const MOST: usize = 512;
    /// Elements of the longest vector that is loaded or stored at once.
    pub(crate) const LONGEST: u64 = 128;
    /// Elements of the longest vector that lanes keep in AoS layout.
    pub(crate) const LONGEST_AOS: u32 = 256;
}

/// What is written twice.
pub(crate) mod twice {
    /// Instructions of a function up to which accesses whose lanes may lie side by side are written for either case, and a
    /// kernel has a second body for short work-groups that run as one.
    pub(crate) const LONGEST: usize = 1000;
}

/// Accesses whose lanes lie apart, or may.
pub(crate) mod speculated {
    /// Instructions of an index that are looked at.
    pub(crate) const FAR: usize = 24;
    /// Lanes for which accesses are written one by one.
    pub(crate) const MOST_WALKED: u32 = 32;
}

/// Accesses to records.
pub(crate) mod record {
    /// Instructions of a block that is looked at.
    pub(crate) const LARGE: usize = 512;
    /// Numbers of a record.
    pub(crate) const MOST: i64 = 16;
}

/// What accesses may overlap.
pub(crate) mod overlap {
    /// Address computations one behind the other.
    pub(crate) const DEEP: usize = 8;
    /// Instructions and objects that an address may come from.
    pub(crate) const ROOTS: usize = 32;
    /// Accesses of a loop, or of a block, that are compared with each other.
    pub(crate) const ACCESSES: usize = 64;
}

/// Numbers of lanes that are known.
pub(crate) mod sub_group {
    /// Operations one behind the other that such a number is followed through.
    pub(crate) const FAR: usize = 8;
}

/// Loads of neighbouring numbers.
pub(crate) mod pair {
    /// Instructions between the two.
    pub(crate) const FAR: usize = 16;
}

/// Numbers that a work-item by itself has in vectors.
pub(crate) mod packed {
    /// Operations between where one is taken out of a vector and where it is put into one.
    pub(crate) const FAR: usize = 16;
}

/// Short comparisons of long numbers.
pub(crate) mod comparison {
    /// Instructions between a comparison and the end of its block that are looked at.
    pub(crate) const MOST: usize = 16;
}

/// What lanes cost.
pub(crate) mod estimate {
    /// Instructions behind a condition, or the index of an access, that are looked at for a load.
    pub(crate) const FAR: usize = 24;
    /// What gangs may take of the time of one work-item after the other in the baseline tier, whose code only runs until the full
    /// tier's is there: the code of gangs takes several times as long to generate where accesses are each lane's own. Of every 100th
    /// module of a DPC++ library the 95th percentile is 83 ms for x86-64-v3 (176 by 0.9), and the same for AVX-512.
    pub(crate) const WORTH_IN_BASELINE: f64 = 0.5;
}

/// Values that are alive at once.
pub(crate) mod pressure {
    /// Steps from uses back to definitions, past which no more lanes are thought of.
    pub(crate) const BUDGET: usize = 50_000;
}

/// Gangs of more lanes than the usual ones.
pub(crate) mod candidates {
    /// Lanes of a gang, for which masks have bits.
    pub(crate) const MOST_LANES: u32 = 64;
    /// What an instruction that is written makes of the time, in parts: longer code takes longer to compile, and more of the
    /// caches of instructions. So the longer the code of a region is, the more has to be saved by gangs whose code is twice as long.
    pub(crate) const WRITTEN: f64 = 0.00025;
}

/// Loops that wait for their own results.
pub(crate) mod recurrence {
    /// Instructions times values that go from iteration to iteration, past which nothing is said.
    pub(crate) const BUDGET: usize = 100_000;
}

/// Rows that go through a region at once.
pub(crate) mod rows {
    /// Nested loops through which a value is followed. What goes through more differs.
    pub(crate) const DEEPEST: usize = 8;
}

/// Code that is written once more without masks: regions for gangs that agree on guards, and loops for iterations that all lanes
/// are in.
pub(crate) mod bodies {
    /// Instructions of a body for which the least saving is enough. A longer one has to save more, in proportion.
    pub(crate) const USUAL: usize = 400;
}

/// Places of what outlives a region.
pub(crate) mod slots {
    /// Collective operations whose gathered values live in the frame. LLVM makes phis of these, for each one at each.
    pub(crate) const FRAME_COLLECTIVES: usize = 16;
}

/// Kernels with many barriers.
pub(crate) mod kernel {
    /// States past which a kernel is made in little time: where so many places store which is next, LLVM's passes and code
    /// generator take the square of their number to have one do it for all.
    pub(crate) const MOST_STATES: usize = 256;
    /// States past which it is taken for a kernel that hardly runs, or thousands of barriers would take seconds.
    pub(crate) const TOO_MANY_STATES: usize = 1024;
}

/// Loops that LLVM may make vectors of.
pub(crate) mod loops {
    /// Instructions of a region up to which LLVM may make vectors of its work-items. Its vectorizer follows chains of operands
    /// from every instruction: 5,000 in a line take it seconds, 10,000 minutes.
    pub(crate) const LONGEST_VECTORISED: usize = 3_000;
}

/// Versions of functions.
pub(crate) mod versions {
    /// Versions of one function that go by the pattern of their arguments.
    pub(crate) const PATTERNS: usize = 4;
    /// Numbers that a version may take or give.
    pub(crate) const MOST_COMPONENTS: usize = 64;
}

/// Constants.
pub(crate) mod copy {
    /// Depth of nested constant expressions that are followed. A kernel with deeper ones is refused.
    pub(crate) const DEPTH: u32 = 64;
}

/// What later iterations load.
pub(crate) mod prefetch {
    /// Instructions of a number that are computed once more.
    pub(crate) const FAR: usize = 8;
}

/// Remarks.
pub(crate) mod explain {
    /// Remarks of one sort; what is more is counted.
    pub(crate) const MOST: usize = 20;
    /// Values that are looked at to find where one comes from.
    pub(crate) const FAR: usize = 2_000;
}
