//! The words that describe recipes. A golden case shows each of them.

use std::fmt;

macro_rules! phrases {
    ($($name:ident: $words:literal),+ $(,)?) => {
        /// What a plan says of how an instruction is written, as a whole or in part.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Phrase {
            $($name),+
        }

        impl Phrase {
            /// All of them.
            #[cfg(test)]
            pub(crate) const ALL: &'static [Phrase] = &[$(Phrase::$name),+];

            fn words(self) -> &'static str {
                match self {
                    $(Phrase::$name => $words),+
                }
            }
        }
    };
}

impl fmt::Display for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

phrases! {
    // With others, or once.
    With: "with %",
    WithStore: "with the last store",
    Once: "once",
    Linear: "the first lane's, with a stride of",
    UnlessWrapped: "the first lane's, and whether it wraps",
    PlaceInRow: "the first lane's place in a row of work-groups",
    PlaceInSubGroup: "the place in the sub-group",
    PlaceInGroup: "the place in one of several work-groups",
    PrivateShared: "in an interleaved object, the first lane's",
    PrivateEach: "in an interleaved object, each lane's",
    Phi: "as lanes come",
    // Arithmetic.
    Vector: "on vectors",
    Elementwise: "on vectors by llvm.",
    Aos: "on one vector of all parts",
    AosIntrinsic: "on one vector of all parts by llvm.",
    AosNumber: "one number in all parts",
    HighProduct: "by products of halves",
    ShortComparison: "by distances of 32 bits",
    SharedInverse: "by a shared inverse",
    Constant: "by a constant",
    OwnDivisor: "by each lane's number",
    AsFloats: "as floats",
    AsDoubles: "as doubles",
    AsDoublesOrEstimates: "as doubles, large ones by estimates",
    AsDoublesOrByLane: "as doubles, large ones lane by lane",
    ByEstimates: "by estimates",
    DividedByLane: "divided lane by lane",
    // Memory.
    OnePlace: "one place",
    Contiguous: "contiguous",
    ContiguousAos: "contiguous, in one vector of all parts",
    ByLaneIfMissing: "lane by lane if some are missing",
    ContiguousWords: "contiguous words",
    Reversed: "contiguous, the last lane first",
    Strided: "strided by",
    Picked: "picked from a vector; under a mask",
    Walked: "one by one; if lanes are missing",
    ScatteredByLane: "scattered, lane by lane",
    ScatteredWords: "scattered words of",
    Scattered: "scattered",
    Interleaved: "interleaved by",
    Chosen: "chosen from all",
    Shifted: "shifted out of units or into them",
    Within: "within units",
    Blended: "and if lanes are missing, blended with what they have",
    IfWrapped: "if the index wraps",
    IfIndices: "if indices of 32 bits are side by side",
    IfAddresses: "if addresses are side by side",
    Prefetched: "and prefetched",
    Streamed: "streaming if the launch is large",
    Record: "numbers of a record at once",
    Pair: "with the next number",
    LookUp: "looked up in registers",
    LookUpBytes: "looked up in registers, byte by byte",
    LookUpSixteen: "looked up in registers of 16 bytes, byte by byte",
    // Atomic operations.
    IfOnePlace: "if lanes share the place",
    Combined: "one change by all lanes' values combined",
    Scanned: "one change by all lanes' values scanned",
    InTurn: "one exchange behind all lanes in turn",
    // Sub-groups.
    NothingToWaitFor: "nothing to wait for",
    OwnValue: "each lane's own value",
    OwnTruth: "each lane's own truth",
    BeforeFirst: "what comes before the first",
    Ballot: "a bit of each lane",
    FromAny: "what all lanes have",
    FromKnown: "from lanes that are known",
    FromShared: "from a lane whose number is shared",
    FromAgreed: "from a lane that all name",
    FromEach: "from the lane that each names",
    LanesCombined: "lanes combined among themselves",
    LanesScanned: "lanes scanned",
    NeighboursCombined: "neighbours combined",
    // Work-groups.
    ByWorkGroup: "by the work-group",
    Gathered: "what the work-group gave",
    Reduce: "lanes combined, then with what was gathered",
    Parts: "each lane to its part of what was gathered",
    Scan: "lanes behind what was gathered",
    Broadcast: "the lane that is named",
    OneByOne: "lanes arrive one by one",
    Barrier: "a barrier",
    MakeNamedBarrier: "a named barrier is made",
    WaitAtNamedBarrier: "a barrier for some sub-groups",
    // Calls, and what is done lane by lane.
    Call: "a call of version",
    Replicate: "lane by lane",
    Prints: "it prints",
    Place: "it asks for a place of each lane's own",
    StorageClass: "it asks for a storage class",
    Ordered: "an atomic or volatile access",
    OwnPlace: "each lane changes a place of its own",
    Type: "a type without vectors",
    Operation: "an operation without vectors",
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::declined::Declined;

    #[test]
    fn each_recipe_and_each_reason_to_decline_gangs_has_a_golden_case() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
        let paths = fs::read_dir(&folder).expect("the folder is there").map(|entry| entry.expect("readable").path());
        let texts: String = paths.map(|path| fs::read_to_string(path).expect("readable")).collect();
        let mut expected: String =
            texts.lines().filter(|line| line.starts_with("; PLAN")).map(|line| format!("{line}\n")).collect();
        let reasons = Declined::ALL.iter().filter(|reason| **reason != Declined::OneLane);
        let mut words: Vec<String> = Phrase::ALL.iter().map(|phrase| phrase.words().to_owned()).collect();
        words.extend(reasons.map(|reason| reason.words()));
        // A phrase may be the beginning of another one.
        words.sort_by_key(|words| std::cmp::Reverse(words.len()));
        let mut missing = Vec::new();
        for words in words {
            if expected.contains(&words) {
                expected = expected.replace(&words, "");
            } else {
                missing.push(words);
            }
        }
        assert!(missing.is_empty(), "no case expects these words in a plan: {missing:#?}");
    }
}
