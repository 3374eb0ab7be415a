//! The pipelines, as lists of LLVM's passes with the reason for each.

/// Before `workgroup`, for kernels that are to be fast.
pub const INLINE: &[&str] = &[
    // What `inline` marked.
    "always-inline",
    // Functions that nothing calls any more.
    "globaldce",
    // Variables become values, so that as little as possible lives across barriers.
    "function(sroa<modify-cfg>)",
];

/// Then, once it is known where pointers point.
pub const BEFORE: &[&str] = &[
    // Each address or id is computed once, not once a use.
    "function(early-cse<memssa>)",
    // Fewer blocks and fewer branches to cut and to analyse.
    "function(simplifycfg)",
    // Loops whose body runs at most once, such as `for (i = get_local_id(0); i < 256; i += 256)`, become branches, while the
    // number of iterations can still be seen: instcombine would write `i + 256` as `i | 256`. A bound on compile time: two
    // tests of the condition, which may come first.
    "function(loop-unroll<no-partial;no-runtime;no-peeling;upperbound;full-unroll-max=2>,simplifycfg)",
    // Canonical arithmetic, in which strides and uniform values can be seen.
    "function(instcombine<no-verify-fixpoint>)",
    // What instcombine made equal or dead.
    "function(early-cse,simplifycfg,adce)",
    // One return, so that a region has one such exit.
    "function(mergereturn)",
    // Induction variables become as wide as addresses. Behind `workgroup`, where these loops are inside the loops over
    // work-items, on whose counters everything depends, this takes a sixth of all time.
    "function(loop(indvars))",
    // Invariants leave loops, and a number in memory that only a loop changes becomes a value in it. Behind
    // `workgroup`, where lanes access it under masks or each at an address of its own, LLVM sees neither.
    "function(loop-mssa(licm<no-allowspeculation>))",
    // The accesses that licm makes of those in a loop are aligned as their objects are.
    "function(infer-alignment)",
    // One latch per loop, and phis for its live-outs: there work-items reconverge that left in different iterations.
    "function(loop-simplify,lcssa)",
];

/// After that, where accesses were marked that do not overlap.
pub const DISJOINT: &[&str] = &[
    // Values loaded or stored before other buffers were written are still known, and stores that are overwritten go.
    "function(early-cse<memssa>,dse)",
    // As above.
    "function(loop-mssa(licm<no-allowspeculation>),infer-alignment)",
    "function(loop-simplify,lcssa)",
];

/// After that, where `offsets` has split indices.
pub const SPLIT: &[&str] = &[
    // Removes the indices that were split.
    "function(adce)",
];

/// After that, where `unroll` has marked loops.
pub const UNROLL_ARRAYS: &[&str] = &[
    // The loops become straight-line code, in which indices are constants.
    "function(loop(loop-unroll-full),instsimplify,simplifycfg)",
    // The arrays that they walk become values, and what passes through other arrays is forwarded.
    "function(sroa<modify-cfg>,early-cse<memssa>,dse,simplifycfg)",
    // What is now known of these values.
    "function(instcombine<no-verify-fixpoint>,early-cse,simplifycfg,adce)",
    // Invariant loads leave the loops around, as above.
    "function(loop-mssa(licm<no-allowspeculation>),infer-alignment)",
    // One return, and loops as `workgroup` reads them, once more.
    "function(mergereturn)",
    "function(loop-simplify,lcssa)",
];

/// After that, where `copies` has written out fills and copies.
pub const WRITTEN_OUT: &[&str] = &[
    // Arrays that were only copied become values, and loads of constants are folded. (The emptied copies go, too.)
    "function(sroa<modify-cfg>,instcombine<no-verify-fixpoint>,early-cse<memssa>)",
    // Phis for the live-outs of loops again: the passes above removed those with one operand.
    "function(loop-simplify,lcssa)",
];

/// After that, where `contract` has fused products with sums.
pub const FUSED: &[&str] = &[
    // Removes the operations that `contract` has replaced.
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

/// What decides whether passes run that cost much and serve few functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// It hardly ever runs, or has very many regions.
    pub rare: bool,
    /// It has loops of its own, beside those over work-items.
    pub loops: bool,
    /// It has nests of such loops, and runs gangs.
    pub nested: bool,
    /// It runs gangs, rather than one work-item at a time.
    pub gangs: bool,
    /// It has loops that `workgroup` wants unrolled and jammed over several work-items.
    pub together: bool,
    /// It runs one work-item at a time, and has vectors of the language.
    pub vectors: bool,
}

/// After `workgroup`, for fast kernels: the passes up to the vectorizer. This is LLVM's own list for speed, without
/// what ran before, what serves languages that we do not have, and most repetitions. It makes the same code in half the
/// time.
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

/// The passes after the vectorizer.
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
    // Promotes the places in the frame that `workgroup` uses for values with several definitions.
    "sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>",
];

/// For functions that hardly ever run: leaves less for the code generator to do.
const RARE: &[&str] =
    &["sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,adce,simplifycfg"];

/// Hoists what is the same for all gangs out of their loop. (Before loops are rotated, too: a long header prevents
/// that.)
const HOIST: &str = "loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,\
     loop-rotate<header-duplication>,licm<allowspeculation>,simple-loop-unswitch<no-nontrivial;trivial>),simplifycfg";

/// Hoists what is the same for all work-items out of their loop: values, and then branches, as a loop with a branch is
/// not vectorised.
const HOIST_AND_UNSWITCH: &str = "loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,\
     loop-rotate<header-duplication>,licm<allowspeculation>,simple-loop-unswitch<nontrivial;trivial>),simplifycfg";

/// Deletes loops that need not run, and unrolls short ones. (Loops that copy or fill memory stay loops: vectorised,
/// they are no slower than the call, and they are short.)
const SHORT_LOOPS: &str = "loop(loop-deletion,loop-unroll-full)";

/// Deletes the loops over work-items of a kernel that does nothing.
const NEEDLESS_LOOPS: &str = "loop(loop-deletion)";

const SIMPLIFY: &[&str] = &[
    // Promotes arrays that unrolled loops walked; removes values that are computed twice, dead stores and dead bits.
    "sroa<modify-cfg>,gvn,sccp,bdce,instcombine<no-verify-fixpoint>,dse",
    // What became invariant since.
    "loop-mssa(licm<allowspeculation>)",
    SINK,
];

/// Turns branches into selects where these are cheaper, so that they do not prevent vectors.
const SINK: &str = "simplifycfg<hoist-common-insts;sink-common-insts>,instcombine<no-verify-fixpoint>";

/// Like [`SIMPLIFY`], for gangs, which are vectors already. The result is not made canonical once more: the code
/// generator sees through it. (Values that are computed twice are found along the dominator tree; gvn takes three times
/// as long and finds no more.)
const SIMPLIFY_GANGS: &str = "sroa<modify-cfg>,early-cse<memssa>,sccp,bdce,dse";

/// Hoists what a short loop, now unrolled, loads in each iteration of the loop around it.
const HOIST_AGAIN: &str = "loop-mssa(licm<allowspeculation>)";

/// Turns branches of gangs into selects where these are cheaper.
const SELECTS: &str = "simplifycfg<hoist-common-insts;sink-common-insts>";

/// Unrolls and jams loops of the kernel over several work-items, where `workgroup` says how many and LLVM proves that
/// it may.
const JAM: &str = "loop-simplify,lcssa,loop(loop-unroll-and-jam),simplifycfg,instcombine<no-verify-fixpoint>";

/// Vectorises loops over work-items, and loops of the kernel itself.
const VECTORISE: &str = "loop(loop-rotate<header-duplication>),loop-vectorize,infer-alignment";

/// Cleans up after the vectorizer.
const CLEAN_VECTORS: &str = "instcombine<no-verify-fixpoint>,\
     simplifycfg<switch-to-lookup;hoist-common-insts;sink-common-insts>";

/// Vectorises straight-line code: the four numbers of a float4.
const STRAIGHT_LINE: &str = "slp-vectorizer,vector-combine";

/// Unrolls short loops by a factor, and simplifies the result. The code generator hoists invariants once more.
const UNROLL: &str = "loop-unroll<O3>,instcombine<no-verify-fixpoint>";

/// Replaces multiplications in the addresses of a loop by additions from iteration to iteration. For the loops that the
/// time is spent in; the code generator is told not to, as it takes a seventh of all compile time.
const REDUCE: &str = "loop-mssa(licm<allowspeculation>),loop(canon-freeze,loop-reduce)";

/// Last touches before code generation.
const LAST: &str = "loop-sink,instsimplify,div-rem-pairs,simplifycfg";

/// After `workgroup`: removes the scalar functions that the work-group functions came from.
pub const AFTER: &[&str] = &["globaldce"];

/// After all others: inlines the functions for streaming stores.
pub const STREAMS: &[&str] = &["always-inline"];

/// After `workgroup`, in linear time.
pub const AFTER_CHEAP: &[&str] = &[
    // Removes the scalar functions that the work-group functions came from.
    "globaldce",
    // Promotes the places in the frame that `workgroup` uses for values with several definitions.
    "function(sroa<modify-cfg>,early-cse,simplifycfg,adce)",
];
