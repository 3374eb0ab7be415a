//! What the body of a region has beside what its own instructions give: values from before it, and conditions that lanes agree on.

use std::collections::{BTreeSet, HashSet};

use crate::analyse::graph::Graph;
use crate::ir::{BlockId, Function, InstId, Kind};

/// The region that a body is of, and what is there when it begins.
#[derive(Clone)]
pub(crate) struct RegionEntry<'r> {
    pub(crate) graph: &'r Graph,
    /// Conditions that are one truth for all lanes, whatever they are elsewhere.
    pub(crate) agreed: Option<&'r BTreeSet<InstId>>,
    /// Values that were computed before a barrier and are loaded.
    pub(crate) given: HashSet<InstId>,
    /// Values that are computed once more where the region begins.
    pub(crate) remade: BTreeSet<InstId>,
    /// What varies and has several definitions: given and computed anew, or of an iteration of each lane's own.
    pub(crate) variables: HashSet<InstId>,
}

impl<'r> RegionEntry<'r> {
    /// The region that a function begins with, where nothing was computed before.
    pub(crate) fn first(graph: &'r Graph) -> Self {
        RegionEntry { graph, agreed: None, given: HashSet::new(), remade: BTreeSet::new(), variables: HashSet::new() }
    }

    /// Is a value computed in the region, or where it begins?
    pub(crate) fn computes(&self, function: &Function<'_>, id: InstId) -> bool {
        self.remade.contains(&id) || self.graph.numbers.contains_key(&function.inst(id).block)
    }

    /// Has what an operand was made of a value in a block? Of what was computed before a barrier only what is used behind it does.
    pub(crate) fn has(&self, function: &Function<'_>, id: InstId, block: BlockId) -> bool {
        let inst = function.inst(id);
        let node = |block: BlockId| self.graph.numbers.get(&block).copied();
        let is_before = || matches!((node(inst.block), node(block)), (Some(a), Some(b)) if self.graph.dominates(a, b));
        matches!(inst.kind, Kind::Alloca)
            || [&self.given, &self.variables].iter().any(|known| known.contains(&id))
            || self.remade.contains(&id)
            || is_before()
    }
}
