//! Values that are alive where work-items enter and leave a region. How one value is loaded or stored is up to the
//! callers: single work-items and gangs differ in it.

use std::collections::{BTreeSet, HashSet};

use oxicl_llvm::Value;

use crate::analyse::regions::{Exit, Region};
use crate::emit::copy::{Copier, Mapped};
use crate::emit::kernel::Emitter;
use crate::emit::regions::Regions;
use crate::failure::{Result, failure};
use crate::ir::{InstId, StateId};
use crate::plan::Slot;

/// A value that is alive where a region begins.
pub(crate) struct Alive {
    pub(crate) id: InstId,
    pub(crate) slot: Slot,
    /// The region computes it again as well.
    pub(crate) is_variable: bool,
}

impl Alive {
    /// Gives the value, the work-item's `own` if each has one, to the copier: as a variable if computed again.
    pub(crate) fn give<'m>(
        &self,
        e: &Emitter<'_, 'm>,
        copier: &mut Copier<'_, 'm>,
        own: Option<Value<'m>>,
    ) -> Result<()> {
        let value = match (own, copier.values.get(&self.id)) {
            (Some(value), _) => value,
            (None, Some(Mapped::Value(value))) => *value,
            (None, _) => return failure("a uniform value was not loaded"),
        };
        let mapped = if self.is_variable {
            let place = e.frame.alloca(value.ty(), 0);
            e.b.store(value, place, 0);
            Mapped::Variable(place)
        } else {
            Mapped::Value(value)
        };
        copier.values.insert(self.id, mapped);
        Ok(())
    }
}

/// A region that work-items have entered.
pub(crate) struct Passage<'p, 'm> {
    regions: &'p Regions<'p, 'm>,
    region: &'p Region,
    /// Values that were loaded from their slots and are not computed again in the region: the slots still hold them.
    kept: HashSet<InstId>,
    /// Values in uniform slots that some exit of the region stores.
    written: BTreeSet<InstId>,
}

impl<'p, 'm> Passage<'p, 'm> {
    /// Enters a region whose values stay in their slots.
    pub(crate) fn by_slots(regions: &'p Regions<'p, 'm>, region: &'p Region) -> Self {
        Passage { regions, region, kept: HashSet::new(), written: BTreeSet::new() }
    }

    /// Enters a region at a state: loads the values that are alive there.
    pub(crate) fn at(
        e: &Emitter<'_, 'm>,
        regions: &'p Regions<'p, 'm>,
        region: &'p Region,
        state: StateId,
        mut load: impl FnMut(Alive) -> Result<()>,
    ) -> Result<Self> {
        let computed: HashSet<InstId> = region.insts(e.function).collect();
        let mut kept = HashSet::new();
        for id in e.plan.live_at(state).iter().copied() {
            let Some(slot) = e.plan.slots.get(&id).copied() else { continue };
            let is_variable = computed.contains(&id);
            load(Alive { id, slot, is_variable })?;
            if !is_variable {
                kept.insert(id);
            }
        }
        let live = region.next_states().flat_map(|state| e.plan.live_at(state)).copied();
        let is_written = |id: &InstId| e.plan.slots.get(id) == Some(&Slot::Uniform) && !kept.contains(id);
        let written = live.filter(is_written).collect();
        Ok(Passage { regions, region, kept, written })
    }

    /// Stores the values that are alive behind an exit.
    pub(crate) fn store_alive(
        &self,
        e: &Emitter<'_, 'm>,
        exit: Exit,
        mut store: impl FnMut(InstId, Slot) -> Result<()>,
    ) -> Result<()> {
        let mut alive = HashSet::new();
        if let Exit::Cut(state) = exit {
            for id in e.plan.live_at(state).iter().copied() {
                alive.insert(id);
                if let Some(slot) = e.plan.slots.get(&id).filter(|_| !self.kept.contains(&id)) {
                    store(id, *slot)?;
                }
            }
        }
        // A uniform slot that only another exit stores gets poison, so as not to depend on the work-item before.
        for id in self.written.iter().filter(|id| !alive.contains(id)) {
            e.b.store(e.function.inst(*id).llvm.ty().poison(), e.uniform[id], 0);
        }
        Ok(())
    }

    /// Records by which exit work-items left: in state slots if `in_slots` or if they may diverge, else in `ends`.
    pub(crate) fn note_exit(
        &self,
        e: &Emitter<'_, 'm>,
        exit: Exit,
        in_slots: bool,
        store: impl FnOnce(Value<'m>) -> Result<()>,
    ) -> Result<()> {
        let code = e.b.context().int_type(32).const_int(exit.code());
        if in_slots || self.region.may_diverge(e.plan.progress) {
            store(code)?;
        }
        if !in_slots {
            self.regions.ends.note(e, self.region, code);
        }
        Ok(())
    }
}
