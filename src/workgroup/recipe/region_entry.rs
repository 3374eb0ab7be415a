//! What the body of a region knows besides its own instructions: values from before the region, and conditions that
//! lanes agree on.

use std::collections::{BTreeSet, HashSet};

use crate::analyse::graph::Graph;
use crate::ir::{BlockId, Function, InstId, Kind};

/// The region that a body belongs to, and what is available when it begins.
#[derive(Clone)]
pub(crate) struct RegionEntry<'r> {
    pub(crate) graph: &'r Graph,
    /// Conditions that all lanes agree on in this body, whatever their shapes elsewhere.
    pub(crate) agreed: Option<&'r BTreeSet<InstId>>,
    /// Values that were computed before a barrier and are loaded from their slots.
    pub(crate) given: HashSet<InstId>,
    /// Values that are rematerialised where the region begins.
    pub(crate) remade: BTreeSet<InstId>,
    /// Values with several definitions: loaded and computed again, or used behind a loop that lanes leave one by one.
    pub(crate) variables: HashSet<InstId>,
}

impl<'r> RegionEntry<'r> {
    /// The first region of a function, before which nothing was computed.
    pub(crate) fn first(graph: &'r Graph) -> Self {
        RegionEntry { graph, agreed: None, given: HashSet::new(), remade: BTreeSet::new(), variables: HashSet::new() }
    }

    /// Is a value computed in the region, or where it begins?
    pub(crate) fn computes(&self, function: &Function<'_>, id: InstId) -> bool {
        self.remade.contains(&id) || self.graph.numbers.contains_key(&function.inst(id).block)
    }

    /// Is a result available in a block? Of those computed before a barrier, only those that are used behind it are.
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
