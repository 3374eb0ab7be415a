//! The pipelines, as lists of LLVM's passes with the reason for each.

/// Before `workgroup`, for fast kernels.
pub const BEFORE: &[&str] = &[
    // What `inline` marked.
    "always-inline",
    // Functions that nothing calls any more.
    "globaldce",
    // Variables become values, so that what lives across a barrier is as little as can be.
    "function(sroa<modify-cfg>)",
    // The same address or id once, not once a use.
    "function(early-cse<memssa>)",
    // Fewer blocks and fewer branches to cut and to analyse.
    "function(simplifycfg)",
    // Canonical arithmetic: strides and uniform values show.
    "function(instcombine<no-verify-fixpoint>)",
    // What instcombine made equal or dead.
    "function(early-cse,simplifycfg,adce)",
    // One return, so that a piece has one such exit.
    "function(mergereturn)",
    // Loops count in the width of addresses. Behind `workgroup`, where they stand inside of the loops over work-items, whose
    // counters everything hangs on, this takes a sixth of all time.
    "function(loop(indvars))",
    // What is the same in all iterations leaves the loop, and a number in memory that only the loop changes is a value in it: behind
    // `workgroup`, where lanes access it under masks or each at its place, LLVM sees neither.
    "function(loop-mssa(licm<no-allowspeculation>))",
    // One latch a loop, and its values leave by phis, which is where work-items that left in different turns meet.
    "function(loop-simplify,lcssa)",
];

/// Behind that, where accesses were marked that do not overlap.
pub const DISJOINT: &[&str] = &[
    // What was loaded or stored before others were stored is known, and what is stored again is not stored.
    "function(early-cse<memssa>,dse)",
    // As above.
    "function(loop-mssa(licm<no-allowspeculation>))",
    "function(loop-simplify,lcssa)",
];

/// Behind that, where `offsets` has split indices.
pub const SPLIT: &[&str] = &[
    // What was split.
    "function(adce)",
];

/// Behind that, where `unroll` has marked loops.
pub const UNROLL_ARRAYS: &[&str] = &[
    // The loops become straight lines, in which indices are numbers.
    "function(loop(loop-unroll-full),instsimplify,simplifycfg)",
    // The arrays that they walk become values.
    "function(sroa<modify-cfg>,early-cse,simplifycfg)",
    // What is now known of them.
    "function(instcombine<no-verify-fixpoint>,early-cse,simplifycfg,adce)",
    // What loops around load again and again, as above.
    "function(loop-mssa(licm<no-allowspeculation>))",
    // One return, and loops as `workgroup` reads them, once more.
    "function(mergereturn)",
    "function(loop-simplify,lcssa)",
];

/// Behind that, where `copies` has written out fills and copies.
pub const WRITTEN_OUT: &[&str] = &[
    // What is only copied is no array any more, and what is read of a constant is known. (This drops the empty copies, too.)
    "function(sroa<modify-cfg>,instcombine<no-verify-fixpoint>,early-cse<memssa>)",
    // Values of loops leave by phis, of which that took away those with one operand.
    "function(loop-simplify,lcssa)",
];

/// Behind that, where `contract` has fused products with sums.
pub const FUSED: &[&str] = &[
    // What was fused, or written without the permission.
    "function(adce)",
];

/// Before `workgroup`, for functions of the device library, which clang has optimised.
pub const BEFORE_LIBRARY: &[&str] = &[
    // One return, and loops as `workgroup` reads them, as above.
    "function(mergereturn,loop-simplify,lcssa)",
];

/// Before `workgroup`, in linear time.
pub const BEFORE_CHEAP: &[&str] = &[
    // What `inline` marked.
    "always-inline",
    // Functions that nothing calls any more.
    "globaldce",
    // Variables become values; without it each would live in memory across every barrier.
    "function(sroa<modify-cfg>)",
    // Cheap common subexpressions.
    "function(early-cse,simplifycfg)",
    // One return, as above.
    "function(mergereturn)",
    // As above.
    "function(loop-simplify,lcssa)",
];

/// What decides about passes that cost much and serve few.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Code that hardly ever runs.
    pub rare: bool,
    /// Loops of the kernel's own, beside those over work-items.
    pub loops: bool,
    /// Such loops in each other, in code for lanes.
    pub nested: bool,
    /// Lanes of vectors, rather than work-items that run one at a time.
    pub gangs: bool,
    /// Loops that `workgroup` wants to run for several work-items together.
    pub together: bool,
    /// Instructions on vectors of the language, where work-items run one at a time.
    pub vectors: bool,
}

/// Behind `workgroup`, for fast kernels. LLVM's own list for speed, without what was done before, what serves languages that
/// we do not have, and most repetitions: the same code in half the time. This is the part up to the vectorizer.
pub fn before_vectors(found: Found) -> Vec<&'static str> {
    if found.rare {
        return RARE.to_vec();
    }
    let mut passes = CLEAN.to_vec();
    passes.push(if found.gangs { HOIST } else { HOIST_AND_UNSWITCH });
    passes.push(if found.loops { SHORT_LOOPS } else { NEEDLESS_LOOPS });
    if found.gangs {
        passes.push(SIMPLIFY_GANGS);
        passes.extend(found.loops.then_some("loop-unroll<O3>"));
        passes.extend(found.nested.then_some(HOIST_AGAIN));
        passes.push(SELECTS);
    } else {
        passes.extend(SIMPLIFY);
    }
    if found.together {
        passes.push(JAM);
    }
    passes
}

/// The vectorizer.
pub fn vectorise(found: Found) -> Vec<&'static str> {
    if found.rare || found.gangs { Vec::new() } else { vec![VECTORISE] }
}

/// The part behind the vectorizer.
pub fn behind_vectors(found: Found) -> Vec<&'static str> {
    if found.rare {
        return Vec::new();
    }
    let mut passes = if found.gangs { Vec::new() } else { vec![CLEAN_VECTORS] };
    if found.vectors {
        passes.push(STRAIGHT_LINE);
    }
    if found.loops && !found.gangs {
        passes.push(UNROLL);
    }
    if found.together {
        passes.push(REDUCE);
    }
    passes.push(LAST);
    passes
}

const CLEAN: &[&str] = &[
    // The frame places that `workgroup` uses for what has several definitions.
    "sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>",
];

/// For what hardly ever runs: less for the code generator to do.
const RARE: &[&str] =
    &["sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,adce,simplifycfg"];

/// What is the same for all gangs leaves their loop. (Before loops are turned over, too: a long header keeps them from it.)
const HOIST: &str = "loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,\
     loop-rotate<header-duplication>,licm<allowspeculation>,simple-loop-unswitch<no-nontrivial;trivial>),simplifycfg";

/// What is the same for all work-items leaves their loop: values, and then branches, as a loop with a branch makes no vectors.
const HOIST_AND_UNSWITCH: &str = "loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,\
     loop-rotate<header-duplication>,licm<allowspeculation>,simple-loop-unswitch<nontrivial;trivial>),simplifycfg";

/// Loops that need not run, or are short enough to be written out. (Loops that are a copy or a fill stay loops: as vectors
/// they are no slower than the call, and they are short.)
const SHORT_LOOPS: &str = "loop(loop-deletion,loop-unroll-full)";

/// The loops over work-items of a kernel that does nothing.
const NEEDLESS_LOOPS: &str = "loop(loop-deletion)";

const SIMPLIFY: &[&str] = &[
    // Arrays that unrolled loops walked, values known twice, dead stores and bits.
    "sroa<modify-cfg>,gvn,sccp,bdce,instcombine<no-verify-fixpoint>,dse",
    // What became invariant since.
    "loop-mssa(licm<allowspeculation>)",
    SINK,
];

/// Branches that are cheaper as selects, and so no obstacle to vectors.
const SINK: &str = "simplifycfg<hoist-common-insts;sink-common-insts>,instcombine<no-verify-fixpoint>";

/// The same for gangs, which are vectors already. What this leaves is not made canonical once more: the code generator sees
/// through it. (Values known twice are found by order of the blocks; gvn takes three times as long and finds no more.)
const SIMPLIFY_GANGS: &str = "sroa<modify-cfg>,early-cse<memssa>,sccp,bdce,dse";

/// What a short loop loaded in each turn of another, and that loads now once it is written out, is loaded before.
const HOIST_AGAIN: &str = "loop-mssa(licm<allowspeculation>)";

/// Branches of gangs that are cheaper as selects.
const SELECTS: &str = "simplifycfg<hoist-common-insts;sink-common-insts>";

/// Loops of the kernel for several work-items together, where `workgroup` says how many and LLVM proves that it may.
const JAM: &str = "loop-simplify,lcssa,loop(loop-unroll-and-jam),simplifycfg,instcombine<no-verify-fixpoint>";

/// Loops over work-items, and loops of the kernel itself, as vectors.
const VECTORISE: &str = "loop(loop-rotate<header-duplication>),loop-vectorize,infer-alignment";

/// What vectorising left.
const CLEAN_VECTORS: &str = "instcombine<no-verify-fixpoint>,\
     simplifycfg<switch-to-lookup;hoist-common-insts;sink-common-insts>";

/// Straight-line code as vectors: the four numbers of a float4.
const STRAIGHT_LINE: &str = "slp-vectorizer,vector-combine";

/// Short loops several turns at once, and what that shows. What is invariant leaves loops once more in the code generator.
const UNROLL: &str = "loop-unroll<O3>,instcombine<no-verify-fixpoint>";

/// Addresses that a loop computes by multiplication advance by addition. For the loops that the time is spent in: the code
/// generator is told not to, as it takes a seventh of all compile time.
const REDUCE: &str = "loop-mssa(licm<allowspeculation>),loop(canon-freeze,loop-reduce)";

/// Last touches before code generation.
const LAST: &str = "loop-sink,instsimplify,div-rem-pairs,simplifycfg";

/// Behind `workgroup`: the scalar functions that the work-group functions came from go.
pub const AFTER: &[&str] = &["globaldce"];

/// Behind `workgroup`, in linear time.
pub const AFTER_CHEAP: &[&str] = &[
    // The scalar functions that the work-group functions came from.
    "globaldce",
    // The frame places that `workgroup` uses for what has several definitions.
    "function(sroa<modify-cfg>,early-cse,simplifycfg,adce)",
];
