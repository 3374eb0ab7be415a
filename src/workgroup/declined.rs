//! Why gangs do not run a kernel or a version of a function. A reason that follows from a bound gives its figure.

use crate::bounds::{
    BLOCKS, COMPONENTS, COURSE_STEPS, ELEMENTS, FRAME_OBJECT, FRAME_OBJECT_OF_GANG, REGIONS, REGIONS_OF_GANGS,
    REPEAT_FACTOR, REPEAT_SLACK, VERSION_COMPONENTS,
};

macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident: $words:literal),+ $(,)?) => {
        /// Why gangs do not run a kernel or a version of a function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Declined {
            $($(#[$doc])* $name),+
        }

        impl Declined {
            /// All reasons.
            #[cfg(test)]
            pub(crate) const ALL: &'static [Declined] = &[$(Declined::$name),+];

            /// The reason in words, as remarks give it.
            pub(crate) fn words(self) -> String {
                match self {
                    $(Declined::$name => format!($words)),+
                }
            }
        }
    };
}

reasons! {
    /// Nobody asks for more. No remark gives it.
    OneLane: "one lane",
    ManyRegions: "one region serves all states, of which there are more than {REGIONS}",
    /// The same for functions that gangs have to run.
    ManyRegionsOfGangs: "one region serves all states, of which there are more than {REGIONS_OF_GANGS}",
    LongRegions: "one region serves all states, as those of each would have {REPEAT_FACTOR} times the instructions and {REPEAT_SLACK} more",
    ManyParts: "a value of more than {ELEMENTS} elements, or {COMPONENTS} parts",
    SeveralWaysOut: "a value leaves a loop by several ways",
    SeveralEntries: "a loop with several entries",
    SeveralWaysBack: "a loop with several ways back",
    SharedWayBack: "a block that goes back to several loops",
    Endless: "a loop without end",
    Waits: "a loop waits for other work-items",
    WaitsAtNamedBarriers: "each is a sub-group, and waits for others at named barriers",
    Locks: "a loop waits for a lock",
    FunctionWaits: "a function waits for other work-items",
    ManyBlocks: "a region of more than {BLOCKS} blocks",
    ManyBranches: "more than {COURSE_STEPS} steps through blocks between branches and where lanes meet again",
    ManyWaiting: "more than {COURSE_STEPS} steps through branches and blocks that wait for their turn",
    SameForAll: "lanes would all do the same",
    DoesNotPay: "lanes do not pay: much is done lane by lane, or each at an address of its own",
    /// A function is told one work-item's place, from which those of a `Layout::Line`'s other lanes do not follow.
    AsksInLine: "the function asks for places, and lanes are of several rows",
    TakesCopy: "the function takes or gives a value by its address",
    LongArguments: "the function takes and gives more than {VERSION_COMPONENTS} numbers",
    LargeObjects: "the function has private objects of more than {FRAME_OBJECT} bytes, or {FRAME_OBJECT_OF_GANG} for a gang",
}
