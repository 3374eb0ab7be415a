//! The decisions for a kernel, which emission obeys.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use oxicl_protocol::Decision;
use oxicl_target::{Ability, Vectors};

use crate::analyse::components::components_of;
use crate::analyse::course::Mask;
use crate::analyse::graph::Graph;
use crate::analyse::interleave::Units;
use crate::analyse::memory::{Home, Name, Object};
use crate::analyse::regions::{Progress, Region};
use crate::analyse::shape::Shapes;
use crate::analyse::streams::Streams;
use crate::declined::Declined;
use crate::ir::{Function, Inst, InstId, Kind, Operand, Scalar, StateId, Type};
use crate::plan::candidates::{Candidates, Priced};
use crate::plan::gangs::{GangRegion, Gangs};
use crate::plan::versions::Version;
use crate::recipe::{Basis, Calls, RegionEntry};
use crate::switches::Subject;

/// Where a value that is needed behind a barrier is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// Once, in the frame.
    Uniform,
    /// In the state, one for each work-item, at an offset in bytes for one work-item. In the region that serves all
    /// states, the offset is from the start of the work-item's record.
    Item(u64),
}

/// The estimated cycles of gangs and of work-items one by one: of all work-items of a gang, or of one work-item.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    pub(crate) of_gang: f64,
    pub(crate) one_by_one: f64,
}

impl Cost {
    /// The time of gangs as a part of that of work-items one by one.
    pub(super) fn part(self) -> f64 {
        if self.one_by_one > 0.0 { self.of_gang / self.one_by_one } else { 1.0 }
    }
}

/// The decisions for a kernel.
pub(crate) struct Plan {
    /// Values of divergent loops that are used behind the loop: each lane has the value of its own last iteration.
    pub(crate) apart: BTreeSet<InstId>,
    /// Which instructions' results are kept in AoS layout, all parts of a lane together; empty where there are none.
    pub(crate) aos: Vec<bool>,
    /// Which instructions may differ between rows; empty where no region runs several rows together.
    pub(crate) of_row: Vec<bool>,
    /// Where several work-groups run as one, the most work-items along x that each may have.
    pub(crate) most_coalesced: u32,
    pub(crate) cost: Cost,
    /// With the layout of gangs, and their interleaved objects.
    pub(crate) shapes: Rc<Shapes>,
    /// Which instructions are cheaper to rematerialise than to keep.
    pub(super) rematerialised: Vec<bool>,
    /// Values that are live where each state begins.
    pub(super) live: Vec<Vec<InstId>>,
    /// One region for each state, in order of the states; empty if there is only the region that serves all states.
    pub(crate) regions: Vec<Region>,
    /// The region that serves all states, if needed. Without it, diverged work-items run their regions under masks.
    pub(crate) all: Option<Region>,
    pub(crate) progress: Progress,
    pub(crate) slots: HashMap<InstId, Slot>,
    /// Offset, in bytes for one work-item, of the results of each scan, by the state behind it.
    pub(crate) scan_slots: HashMap<StateId, u64>,
    /// Offset, in the group's part, of what collective operations gather, by the state behind each. Where there is
    /// none, it is in the frame.
    pub(crate) gather_offsets: HashMap<StateId, u64>,
    /// Offset, in bytes for one work-item, of the state that a work-item is at.
    pub(crate) state_slot: u64,
    /// Offset and size, in bytes for one work-item, of the records that hold all values where one region serves all
    /// states. There may be thousands of values, and the code would keep the start of an array for each at hand.
    pub(crate) records: Option<(u64, u64)>,
    /// The version of each call, once versions are planned.
    pub(crate) calls: Option<Calls>,
    /// Versions of functions that a kernel's gangs call, directly or not; only a kernel's own plan lists them.
    pub(crate) versions: Vec<Version>,
    /// How the regions of single states run as gangs, or why they do not.
    pub(crate) gangs: Result<Gangs, Declined>,
    /// Do work-items of a column load the same in a loop, or leave a loop together?
    pub(crate) columns: bool,
    /// Where stores are streaming stores in large launches.
    pub(crate) streams: Streams,
    /// The machine's vector registers.
    pub(crate) vectors: Vectors,
    pub(crate) objects: Vec<Object>,
    /// Offset of each object that lives in the state: for one work-item, or in the group's part.
    pub(crate) object_offsets: HashMap<Name, u64>,
    /// Bytes of state for the work-group and for each work-item.
    pub(crate) group_bytes: u64,
    pub(crate) item_bytes: u64,
    /// The most bytes of these that a work-item has in one piece.
    pub(crate) longest_slot: u64,
    /// The lanes that gangs could have, with their prices.
    pub(super) candidates: Candidates,
    pub(crate) remarks: Vec<String>,
}

impl Plan {
    /// The units of an object, if gangs have it interleaved.
    pub(crate) fn units(&self, object: &Object) -> Option<Units> {
        match object.name {
            Name::Alloca(id) if self.gangs.is_ok() => self.shapes.units(Operand::Inst(id)),
            _ => None,
        }
    }

    /// Arguments by value of which each work-item has a copy, by their parameters.
    pub(crate) fn copied_arguments(&self) -> impl Iterator<Item = (u32, &Object)> {
        self.objects.iter().filter(|object| object.home != Home::Arguments).filter_map(|object| match object.name {
            Name::Parameter(index) => Some((index, object)),
            Name::Alloca(_) => None,
        })
    }

    /// Why there are no gangs, if there are none.
    pub(super) fn declined(&self) -> Option<Declined> {
        self.gangs.as_ref().err().copied()
    }

    /// Has any region a loop?
    pub(crate) fn has_loops(&self, function: &Function<'_>) -> bool {
        let all = self.all.iter().filter(|_| self.regions.is_empty());
        self.regions.iter().chain(all).any(|region| !region.back_edges(function).is_empty())
    }

    /// The price of the plan for whole gangs, and that of the next best plan.
    pub(super) fn priced(&self) -> Option<(Priced, Priced)> {
        let longest = |gangs: &Gangs| gangs.regions.iter().map(|region| region.lengths[0]).collect::<Vec<u32>>();
        self.candidates.priced(self.gangs.as_ref().ok().map(longest).as_deref())
    }

    /// The price of the plan in cycles a work-item, if it was priced.
    pub(crate) fn price(&self) -> Option<f64> {
        self.priced().map(|(chosen, _)| chosen.price)
    }

    /// May gangs come to a region with only some of their work-items at its state?
    pub(crate) fn by_state(&self) -> bool {
        self.progress == Progress::MayDiverge && self.all.is_none()
    }

    /// Values that outlive a region.
    pub(super) fn kept(&self) -> HashSet<InstId> {
        self.live.iter().flatten().copied().collect()
    }

    /// Values from before a state that are alive where it begins, without the addresses of private objects.
    pub(crate) fn live_at(&self, state: StateId) -> &[InstId] {
        &self.live[state.index()]
    }

    /// Do gangs whose values take several registers run under masks, with nothing in the kernel narrower than 32 bits?
    /// Booleans that are kept for each work-item are narrower, as they are bytes in memory.
    pub(crate) fn wants_mask_a_register(&self, function: &Function<'_>) -> bool {
        let Ok(gangs) = &self.gangs else { return false };
        let masked = |region: &GangRegion| region.course.masks.iter().any(|mask| *mask != Mask::Entry);
        let plain = |inst: &Inst<'_>| {
            let constant =
                |operand: &Operand| function.as_constant(*operand).is_some_and(|constant| is_narrow(&constant.ty));
            let is_no_call = !matches!(inst.kind, Kind::Call | Kind::Print | Kind::Collective(..) | Kind::SubGroup(_));
            is_no_call && !is_narrow(&inst.ty) && !inst.operands.iter().any(constant)
        };
        let short = |(id, slot): (&InstId, &Slot)| *slot != Slot::Uniform && function.inst(*id).ty.size() < 4;
        self.vectors.can(Ability::Masks)
            && gangs.most() > self.vectors.lanes()
            && gangs.regions.iter().any(masked)
            && !function.parameters.iter().any(|parameter| is_narrow(&parameter.ty))
            && function.insts.iter().all(plain)
            && !self.slots.iter().any(short)
            && function.allows(Decision::Masks, Subject::Function)
    }

    /// What recipes for so many lanes are chosen by.
    pub(crate) fn basis<'r, 'm>(&'r self, function: &'r Function<'m>, lanes: u32) -> Basis<'r, 'm> {
        let (shapes, aos, calls) = (&self.shapes, &self.aos, self.calls.as_ref());
        Basis { function, shapes, aos, vectors: self.vectors, lanes, calls, streams: Some(&self.streams) }
    }

    /// What is there when a region begins.
    pub(crate) fn at_entry<'r>(&self, function: &Function<'_>, region: &Region, graph: &'r Graph) -> RegionEntry<'r> {
        let defined: HashSet<InstId> = region.insts(function).collect();
        let live = region.states.iter().flat_map(|state| self.live_at(*state)).copied();
        let given: HashSet<InstId> = live.filter(|id| self.slots.contains_key(id)).collect();
        let variables = given.iter().chain(&self.apart).copied().filter(|id| defined.contains(id)).collect();
        RegionEntry { given, remade: self.rematerialised_in(function, region), variables, ..RegionEntry::first(graph) }
    }

    /// Values that are rematerialised in a region and all that they are computed from, in the order of computation.
    pub(crate) fn rematerialised_in(&self, function: &Function<'_>, region: &Region) -> BTreeSet<InstId> {
        let mut wanted = BTreeSet::new();
        for state in &region.states {
            wanted.extend(self.live_at(*state).iter().filter(|id| self.rematerialised[id.index()]));
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

/// Has a type numbers of fewer than 32 bits? Booleans do not count.
fn is_narrow(ty: &Type) -> bool {
    let narrow = |component: &Scalar| match component {
        Scalar::Int(bits) => (2..32).contains(bits),
        component => component.bits() < 32,
    };
    components_of(ty).map_or(true, |components| components.iter().any(narrow))
}
