//! Decisions of the work-group compiler by name, and which of them it may take: `OXICL_DISABLE` and `OXICL_DECISIONS`. Each makes
//! code faster, and none is needed for what a kernel computes, so that a wrong one is found by leaving them out.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// A kind of decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// Work-items run as lanes of vectors.
    Gangs,
    /// Another body for gangs that agree on guards.
    Guards,
    /// Several registers a value.
    Interleave,
    /// Several rows go through a region at once.
    Rows,
    /// Several short work-groups run as one.
    Coalescing,
    /// Work-groups of a column come one after the other.
    Columns,
    /// Each mask has a register.
    Masks,
    /// Vectors of the language stay as they lie in memory.
    AosLayout,
    /// Private objects of lanes lie interleaved.
    Private,
    /// Values are computed again behind a barrier.
    Rematerialise,
    /// Whole records are loaded and stored side by side.
    Records,
    /// Two neighbouring numbers are gathered as one.
    Pairs,
    /// Narrow numbers are gathered and scattered by words.
    Words,
    /// Tables are held in registers.
    Tables,
    /// Lanes are asked whether they lie side by side.
    Speculation,
    /// Lanes at a constant distance are accessed one by one.
    Walks,
    /// Later iterations are prefetched.
    Prefetch,
    /// Large launches write with streaming stores.
    Streams,
    /// Long comparisons by short numbers.
    Comparisons,
    /// Upper halves of products by halves of the factors.
    Products,
    /// Division by what lanes share.
    Divisors,
    /// Counters that leave a loop are counted by lanes.
    Counters,
    /// Lanes compute what an atomic operation at a place of their own needs one after the other, too.
    Slices,
    /// Stores of some lanes to private objects store what the others have again.
    Blends,
    /// Lanes at places of their own in a small private object access all of it.
    Choices,
    /// Launches run by gangs along y, where work-groups have one work-item along x or such gangs are cheaper.
    Turns,
    /// Launches of which no two buffers overlap run by code that relies on it.
    Disjoint,
    /// Launches whose rows are too short for gangs run by shorter ones, or one work-item after the other.
    ShortRows,
}

/// The decisions, each with its name and what is decided.
const TABLE: [(Decision, &str, &str); 28] = {
    use Decision as D;
    [
        (D::Gangs, "gangs", "work-items of a row run as lanes of vectors, where the build options leave that open"),
        (D::Guards, "guards", "gangs whose work-items agree on guards have a body without masks for these"),
        (D::Interleave, "interleave", "whole gangs have several registers a value"),
        (D::Rows, "rows", "several rows go through a region at once (unroll and jam)"),
        (D::Coalescing, "coalescing", "short work-groups run as one"),
        (D::Columns, "columns", "work-groups of a column come one after the other"),
        (D::Masks, "masks", "each mask has a register, in functions where LLVM would put several into one"),
        (D::AosLayout, "aos-layout", "vectors of the language stay as they lie in memory (AoS layout)"),
        (D::Private, "private", "private objects of lanes lie interleaved"),
        (D::Rematerialise, "rematerialise", "values are computed again behind a barrier instead of kept"),
        (D::Records, "records", "all numbers of records are loaded and stored side by side (interleave groups)"),
        (D::Pairs, "pairs", "two loads of neighbouring numbers are one gather"),
        (D::Words, "words", "narrow and small numbers are gathered and scattered by words"),
        (D::Tables, "tables", "small constant tables are held in registers"),
        (D::Speculation, "speculation", "lanes are asked whether they lie side by side (speculated contiguous access)"),
        (D::Walks, "walks", "lanes at a constant distance are loaded and stored one by one"),
        (D::Prefetch, "prefetch", "what later iterations load is prefetched"),
        (D::Streams, "streams", "launches that touch more memory than the caches hold write with streaming stores"),
        (D::Comparisons, "comparisons", "long comparisons are made by short numbers"),
        (D::Products, "products", "upper halves of long products are made of products of halves"),
        (D::Divisors, "divisors", "divisions by what lanes share are made of products with its inverse"),
        (D::Counters, "counters", "counters that leave a loop are counted by lanes"),
        (D::Slices, "slices", "lanes that change places of their own compute what only that needs one by one"),
        (D::Blends, "blends", "stores of some lanes to private objects store what the others have there again"),
        (
            D::Choices,
            "choices",
            "lanes that are at places of their own in small private objects access all of them and choose",
        ),
        (
            D::Turns,
            "turns",
            "launches are run by gangs along y, where these are cheaper or work-groups have one work-item along x",
        ),
        (
            D::Disjoint,
            "disjoint",
            "launches of which no two buffers overlap are run by code that relies on it, where that is better",
        ),
        (
            D::ShortRows,
            "short-rows",
            "launches whose rows are too short for gangs are run by shorter ones, or one work-item after the other",
        ),
    ]
};

impl Decision {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Decision> {
        TABLE.into_iter().map(|(decision, ..)| decision)
    }

    fn row(self) -> (Decision, &'static str, &'static str) {
        TABLE[self as usize]
    }

    /// Its name, which stays the same from version to version.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// What is decided, as a clause.
    pub fn what(self) -> &'static str {
        self.row().2
    }

    /// The decision of a name.
    pub fn named(name: &str) -> Option<Decision> {
        Decision::all().find(|decision| decision.name() == name)
    }
}

/// How far decisions are taken: the first ones of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Limit {
    /// So many decisions.
    pub count: u32,
    /// Of this kernel. Those whose names come earlier have all of theirs, and those whose names come later none. Without a
    /// name, so many decisions of each kernel.
    pub kernel: Option<String>,
}

impl Limit {
    /// Reads `NUMBER` or `KERNEL:NUMBER`.
    pub fn parse(text: &str) -> Option<Limit> {
        let (kernel, count) = match text.rsplit_once(':') {
            Some((kernel, count)) => (Some(kernel.to_owned()), count),
            None => (None, text),
        };
        Some(Limit { count: count.trim().parse().ok()?, kernel })
    }

    /// How many decisions a kernel has; `None` for all.
    pub fn of(&self, kernel: &str) -> Option<u32> {
        match self.kernel.as_deref().map(|last| kernel.cmp(last)) {
            None | Some(std::cmp::Ordering::Equal) => Some(self.count),
            Some(std::cmp::Ordering::Less) => None,
            Some(std::cmp::Ordering::Greater) => Some(0),
        }
    }
}

/// Which decisions may be taken, and which passes are run. They change code, so they are part of every request and of the cache's keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Switches {
    /// These are not.
    pub disabled: BTreeSet<Decision>,
    /// Only the first ones are.
    pub limit: Option<Limit>,
    /// `OXICL_PASSES=all`: the code generator has all of LLVM's passes, those too that find nothing to do in kernels.
    pub all_passes: bool,
    /// Kernel in which comparisons that are made by short numbers are made wrong: for tests of what finds such a decision.
    pub wrong_in: Option<String>,
}

impl Switches {
    /// Reads a list of names with commas, and gives those that are none.
    pub fn disable(&mut self, list: &str) -> Vec<String> {
        let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
        let mut unknown = Vec::new();
        for name in names {
            match Decision::named(name) {
                Some(decision) => _ = self.disabled.insert(decision),
                None => unknown.push(name.to_owned()),
            }
        }
        unknown
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn the_table_has_every_decision_at_its_place_under_a_name_of_its_own() {
        for (place, decision) in Decision::all().enumerate() {
            assert_eq!(decision as usize, place, "{decision:?}");
            assert_eq!(Decision::named(decision.name()), Some(decision));
            assert_eq!(decision.name().replace('-', ""), format!("{decision:?}").to_lowercase());
        }
        // A decision behind the last row of the table has no row.
        assert_eq!(Decision::ShortRows as usize + 1, TABLE.len());
    }

    #[test]
    fn the_manual_lists_every_decision() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/manual/src/environment.md");
        let page = fs::read_to_string(path).expect("the page");
        let rows: Vec<_> = page.lines().filter(|line| line.starts_with("| `")).collect();
        for decision in Decision::all() {
            let row = format!("| `{}` | {} |", decision.name(), decision.what());
            assert!(rows.contains(&row.as_str()), "the manual has no line {row}");
        }
    }

    #[test]
    fn names_are_read_and_others_are_told() {
        let mut switches = Switches::default();
        assert_eq!(switches.disable("guards, pairs,,guard"), ["guard"]);
        assert_eq!(switches.disabled, BTreeSet::from([Decision::Guards, Decision::Pairs]));
    }

    #[test]
    fn a_limit_is_of_each_kernel_or_goes_through_their_names() {
        assert_eq!(Limit::parse("3"), Some(Limit { count: 3, kernel: None }));
        assert_eq!(Limit::parse("a:b:3"), Some(Limit { count: 3, kernel: Some("a:b".into()) }));
        for bad in ["", "k", "k:", "-1", "k:x", ":"] {
            assert_eq!(Limit::parse(bad), None, "{bad}");
        }
        let each = Limit { count: 3, kernel: None };
        assert_eq!((each.of("a"), each.of("z")), (Some(3), Some(3)));
        let until = Limit { count: 3, kernel: Some("m".into()) };
        assert_eq!((until.of("a"), until.of("m"), until.of("z")), (None, Some(3), Some(0)));
    }
}
