//! The pipelines, as lists of LLVM's passes with the reason for each.

/// Before `workgroup`, for fast kernels.
pub(crate) const BEFORE: &[&str] = &[
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
    // One latch a loop, and its values leave by phis, which is where work-items that left in different turns meet.
    "function(loop-simplify,lcssa)",
];

/// Before `workgroup`, in linear time.
pub(crate) const BEFORE_CHEAP: &[&str] = &[
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

/// Behind `workgroup`, for fast kernels. LLVM's own list for speed, without what was done before, what serves languages that
/// we do not have, and most repetitions: the same code in little more than half the time.
pub(crate) const AFTER: &[&str] = &[
    // The scalar functions that the work-group functions came from.
    "globaldce",
    // The frame places that `workgroup` uses for what has several definitions.
    "function(sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>)",
    // What is the same for all work-items leaves their loop: values, and then branches.
    "function(loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,\
     loop-rotate<header-duplication>,licm<allowspeculation>,simple-loop-unswitch<nontrivial;trivial>))",
    // What unswitching made simple.
    "function(simplifycfg,instcombine<no-verify-fixpoint>)",
    // Loops that are a copy or a fill, that need not run, or are short enough to be written out.
    "function(loop(loop-idiom,indvars,loop-deletion,loop-unroll-full))",
    // Arrays that unrolled loops walked, values known twice, dead stores and bits.
    "function(sroa<modify-cfg>,gvn,sccp,bdce,instcombine<no-verify-fixpoint>,dse)",
    // What became invariant since.
    "function(loop-mssa(licm<allowspeculation>))",
    // Branches that are cheaper as selects, and so no obstacle to vectors.
    "function(simplifycfg<hoist-common-insts;sink-common-insts>,instcombine<no-verify-fixpoint>)",
    // Loops of the kernel for several work-items together, where `workgroup` says how many and LLVM proves that it may.
    "function(loop-simplify,lcssa,loop(loop-unroll-and-jam),simplifycfg,instcombine<no-verify-fixpoint>)",
    // Loops over work-items, and loops of the kernel itself, as vectors.
    "function(loop(loop-rotate<header-duplication>),loop-vectorize,infer-alignment)",
    // What vectorising left.
    "function(instcombine<no-verify-fixpoint>,\
     simplifycfg<switch-to-lookup;hoist-common-insts;sink-common-insts>)",
    // Straight-line code as vectors: the four numbers of a float4.
    "function(slp-vectorizer,vector-combine)",
    // Short loops several turns at once, and what that shows.
    "function(loop-unroll<O3>,instcombine<no-verify-fixpoint>,loop-mssa(licm<allowspeculation>))",
    // Last touches before code generation.
    "function(loop-sink,instsimplify,div-rem-pairs,simplifycfg)",
];

/// Behind `workgroup`, in linear time.
pub(crate) const AFTER_CHEAP: &[&str] = &[
    // The scalar functions that the work-group functions came from.
    "globaldce",
    // The frame places that `workgroup` uses for what has several definitions.
    "function(sroa<modify-cfg>,early-cse,simplifycfg,adce)",
];
