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

/// Behind `workgroup`, for fast kernels: LLVM's own list for speed, with both vectorisers.
pub(crate) const AFTER: &[&str] = &[
    // The scalar functions that the work-group functions came from.
    "globaldce",
    "default<O3>",
];

/// Behind `workgroup`, in linear time.
pub(crate) const AFTER_CHEAP: &[&str] = &[
    // The scalar functions that the work-group functions came from.
    "globaldce",
    // The frame places that `workgroup` uses for what has several definitions.
    "function(sroa<modify-cfg>,early-cse,simplifycfg,adce)",
];
