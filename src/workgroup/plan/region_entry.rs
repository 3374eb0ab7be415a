//! What is there when a body of a region begins, and what its recipes are chosen by.

use std::collections::{BTreeSet, HashSet};

use crate::analyse::graph::Graph;
use crate::analyse::regions::Region;
use crate::ir::{Function, InstId, Kind, Operand};
use crate::plan::Plan;
use crate::recipe::{Basis, RegionEntry};

impl Plan {
    /// What recipes for so many lanes are chosen by.
    pub(crate) fn basis<'r, 'm>(&'r self, function: &'r Function<'m>, lanes: u32) -> Basis<'r, 'm> {
        let (shapes, aos, calls) = (&self.shapes, &self.aos, self.calls.as_ref());
        Basis { function, shapes, aos, vectors: self.vectors, lanes, calls, streams: Some(&self.streams) }
    }

    /// What is there when a region begins.
    pub(crate) fn at_entry<'r>(&self, function: &Function<'_>, region: &Region, graph: &'r Graph) -> RegionEntry<'r> {
        let blocks = region.blocks.iter();
        let defined: HashSet<InstId> = blocks.flat_map(|block| function.block(*block).insts.iter().copied()).collect();
        let live = region.states.iter().flat_map(|state| self.live_at(*state)).copied();
        let given: HashSet<InstId> = live.filter(|id| self.slots.contains_key(id)).collect();
        let variables = given.iter().chain(&self.apart).copied().filter(|id| defined.contains(id)).collect();
        RegionEntry { given, remade: self.rematerialised_in(function, region), variables, ..RegionEntry::first(graph) }
    }

    /// Values that are rematerialised in a region and all that they are computed from, in the order of computation.
    pub(crate) fn rematerialised_in(&self, function: &Function<'_>, region: &Region) -> BTreeSet<InstId> {
        let mut wanted = BTreeSet::new();
        for state in &region.states {
            wanted.extend(self.live_at(*state).iter().filter(|id| self.rematerialised.is_cheap(**id)));
        }
        let mut work: Vec<InstId> = wanted.iter().copied().collect();
        while let Some(id) = work.pop() {
            for operand in &function.inst(id).operands {
                if let Operand::Inst(used) = operand
                    && !matches!(function.inst(*used).kind, Kind::Alloca)
                    && wanted.insert(*used)
                {
                    work.push(*used);
                }
            }
        }
        // An operand has a lower number than its user.
        wanted
    }
}
