//! How a plan is made: a sequence of decisions, each based on those before it.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use oxicl_abi::CONTEXT_ALIGN;
use oxicl_ops::Query;
use oxicl_protocol::Decision;

use crate::analyse::interleave::{Among, Units, interleaved, stride};
use crate::analyse::liveness::live_values;
use crate::analyse::lockstep::goes_in_step;
use crate::analyse::memory::{Home, Name, Object, objects, users};
use crate::analyse::regions::{Progress, Region, progress, region};
use crate::analyse::rematerialise::rematerialised;
use crate::analyse::shape::{Given, Layout, Shape, Shapes, shapes};
use crate::analyse::streams::Streams;
use crate::bounds::FRAME_OBJECT_OF_GANG;
use crate::declined::Declined;
use crate::failure::Result;
use crate::ir::{Function, InstId, Operand, StateId};
use crate::plan::aos;
use crate::plan::bodies::{agreements, decide_all_on, is_written_once, lengths};
use crate::plan::candidates::Candidates;
use crate::plan::costs::Costs;
use crate::plan::decisions::{Cost, Plan};
use crate::plan::describe::describe;
use crate::plan::estimate::{Estimate, estimate};
use crate::plan::gangs::{GangRegion, Gangs, gangs};
use crate::plan::rows::{self, differs_in_group, is_shared_load, rows_at_once, rows_of_tile};
use crate::plan::slots::lay_out;
use crate::plan::wanted::Wanted;
use crate::recipe::Lanes;
use crate::switches::Subject;

/// The most rows of a tile. A cost: with four, every register of the machine has a result to wait for.
const MOST_OF_TILE: u32 = 4;

/// The private objects of a kernel, and what follows from them for its values.
struct Private {
    objects: Vec<Object>,
    /// Addresses in objects that lie interleaved where there are gangs.
    interleaved: HashMap<InstId, Units>,
    /// Arguments by value that nobody writes.
    read_only: HashSet<u32>,
    /// Shapes of the parameters.
    parameters: Vec<Shape>,
}

impl Private {
    fn new(function: &Function<'_>, lanes: u32, mut parameters: Vec<Shape>) -> Private {
        let objects = objects(function);
        let mut read_only = HashSet::new();
        for object in &objects {
            if let Name::Parameter(index) = object.name {
                if object.home == Home::Arguments {
                    read_only.insert(index);
                } else {
                    // Each work-item has a copy of its own, side by side.
                    parameters[index as usize] = Shape::Affine(object.stride() as i64);
                }
            }
        }
        let interleaved = match lanes {
            0 | 1 => HashMap::new(),
            _ => interleaved(function, &objects, &users(function)),
        };
        Private { objects, interleaved, read_only, parameters }
    }

    /// The distance between the addresses of a variable for neighbours in a row, in bytes.
    fn strides(&self) -> HashMap<InstId, i64> {
        let of = |object: &Object| match object.name {
            Name::Alloca(id) => Some((id, stride(object, self.interleaved.get(&id).copied()) as i64)),
            Name::Parameter(_) => None,
        };
        self.objects.iter().filter_map(of).collect()
    }

    /// Gives each lane one block of the interleaved objects that the vectors of `addresses` lead into. Were there any?
    fn give_blocks(&mut self, addresses: &BTreeSet<InstId>) -> bool {
        let object = |id: &InstId| self.interleaved.get(id).map(|units| units.object);
        let objects: HashSet<InstId> = addresses.iter().filter_map(object).collect();
        self.interleaved.retain(|_, units| !objects.contains(&units.object));
        !objects.is_empty()
    }
}

/// A plan in the making. What is not decided yet is empty.
struct Draft<'d, 'm> {
    function: &'d Function<'m>,
    wanted: Wanted,
    /// The usual number of lanes, and the machine's registers.
    gang: Lanes,
    plan: Plan,
    estimate: Option<Estimate>,
}

/// Plans a function, given the shapes of its parameters.
pub(crate) fn plan_with(function: &Function<'_>, wanted: Wanted, parameters: Vec<Shape>) -> Result<Plan> {
    let mut draft = Draft::new(function, wanted.allowed(function), parameters)?;
    let shapes = Rc::clone(&draft.plan.shapes);
    let costs = Costs::new(function, &shapes, &[], draft.gang);
    draft.find_agreements(&costs);
    draft.weigh(&costs);
    draft.find_all_on(&costs);
    draft.lengthen_gangs();
    draft.join_rows(&costs);
    draft.write_once();
    draft.place_objects();
    Ok(draft.finish())
}

impl<'d, 'm> Draft<'d, 'm> {
    /// Finds the regions, and whether gangs can run them; again whenever another value turns out to be `apart`.
    fn new(function: &'d Function<'m>, wanted: Wanted, parameters: Vec<Shape>) -> Result<Self> {
        let gang = Lanes::of(wanted.lanes(), wanted.vectors);
        let mut private = Private::new(function, gang.lanes, parameters);
        let live = live_values(function)?;
        let mut apart = BTreeSet::new();
        loop {
            let given = Given {
                parameters: &private.parameters,
                strides: &private.strides(),
                interleaved: &private.interleaved,
                read_only: &private.read_only,
                layout: wanted.layout,
                sub_group_size: wanted.sub_group_size,
                coalescing: wanted.coalescing,
                checks_rows: wanted.is_kernel && wanted.layout == Layout::Rows && !function.in_fibers,
                apart: &apart,
            };
            let shapes = shapes(function, given);
            let (regions, all, progress) = find_regions(function, &wanted, &shapes);
            let known = apart.len();
            let gangs = match progress {
                _ if gang.lanes <= 1 => Err(Declined::OneLane),
                Progress::OneRegion(reason) => Err(reason),
                _ => gangs(function, &wanted, &shapes, &regions, &live, &mut apart),
            };
            if private.give_blocks(&apart) || apart.len() > known && gangs.is_ok() {
                continue;
            }
            let plan = Plan {
                apart,
                aos: Vec::new(),
                of_row: Vec::new(),
                most_coalesced: 0,
                cost: Cost::default(),
                shapes: Rc::new(shapes),
                rematerialised: Vec::new(),
                live,
                regions,
                all,
                progress,
                slots: HashMap::new(),
                scan_slots: HashMap::new(),
                gather_offsets: HashMap::new(),
                state_slot: 0,
                records: None,
                calls: None,
                versions: Vec::new(),
                gangs,
                columns: false,
                streams: Streams::default(),
                vectors: wanted.vectors,
                objects: private.objects,
                object_offsets: HashMap::new(),
                group_bytes: 0,
                item_bytes: 0,
                longest_slot: 0,
                candidates: Candidates::default(),
                remarks: Vec::new(),
            };
            return Ok(Draft { function, wanted, gang, plan, estimate: None });
        }
    }

    /// Finds the regions that have a second body, for gangs whose lanes agree on guards.
    fn find_agreements(&mut self, costs: &Costs<'_>) {
        let Ok(found) = &self.plan.gangs else { return };
        if !self.wanted.may_agree(self.function) {
            return;
        }
        let agreements = agreements(costs, &self.plan, found);
        for (region, agreement) in self.plan.gangs.iter_mut().flat_map(|found| &mut found.regions).zip(agreements) {
            region.agreement = agreement;
        }
    }

    /// Decides which values are kept in AoS layout, estimates what gangs cost, and declines them where they do not pay.
    /// `costs` assumes that no value is kept in AoS layout, and that gangs know no condition.
    fn weigh(&mut self, costs: &Costs<'_>) {
        let (function, shapes) = (self.function, Rc::clone(&self.plan.shapes));
        let (shapes, plan) = (&*shapes, &mut self.plan);
        let Ok(found) = &plan.gangs else { return };
        plan.aos =
            aos::aos(&aos::Known { function, plan, kept: plan.kept(), regions: &found.regions, gang: self.gang });
        let agreed = found.regions.iter().filter_map(|region| region.agreement.as_ref());
        let known: BTreeSet<InstId> = agreed.flat_map(|agreement| &agreement.guards.conditions).copied().collect();
        let priced =
            |lanes: u32| Costs::new(function, shapes, &plan.aos, Lanes { lanes, ..self.gang }).knowing(known.clone());
        let lanes = self.gang.lanes;
        let most = self.wanted.most_lanes(function, lanes);
        let together = if self.wanted.may_join_rows(function) { MOST_OF_TILE * lanes } else { 0 };
        let weighed = |usual: &Costs<'_>| {
            let estimate = estimate(usual, found);
            let candidates = Candidates::of(usual, &estimate, priced, found, most, together);
            (estimate, candidates)
        };
        let is_as_before = known.is_empty() && !plan.aos.contains(&true);
        let (estimate, candidates) = if is_as_before { weighed(costs) } else { weighed(&priced(lanes)) };
        let in_step = || found.regions.iter().any(|region| goes_in_step(function, shapes, &region.graph));
        let differs = || {
            let blocks = found.regions.iter().flat_map(|region| &region.graph.blocks);
            blocks.flat_map(|block| &function.block(*block).insts).any(|id| !shapes.of(*id).is_row_uniform())
        };
        plan.cost = Cost { of_gang: estimate.gang + estimate.refetched, one_by_one: estimate.single };
        plan.candidates = candidates;
        let may_decline = self.wanted.may_decline(function);
        if may_decline && function.has_loops() && !function.has_cuts() && !differs() {
            // They are for work-groups or launches of one work-item. LLVM vectorises their loops, but not in a gang.
            plan.gangs = Err(Declined::SameForAll);
        } else if may_decline && plan.candidates.part() > self.wanted.worth() && !in_step() {
            plan.gangs = Err(Declined::DoesNotPay);
        }
        self.estimate = Some(estimate);
    }

    /// Finds the loops that have a second body, for iterations that all lanes are in.
    fn find_all_on(&mut self, costs: &Costs<'_>) {
        let Ok(found) = &mut self.plan.gangs else { return };
        if self.wanted.is_plain {
            return;
        }
        for GangRegion { graph, course, agreement, .. } in &mut found.regions {
            decide_all_on(costs, graph, course);
            agreement.iter_mut().for_each(|agreement| decide_all_on(costs, graph, &mut agreement.course));
        }
    }

    /// Decides the lengths of the whole gangs of each region.
    fn lengthen_gangs(&mut self) {
        let (Ok(found), Some(estimate)) = (&mut self.plan.gangs, &self.estimate) else { return };
        found.scattered = estimate.scattered;
        for (number, region) in self.plan.regions.iter().enumerate() {
            let best = self.plan.candidates.best(number).lanes;
            let may = best > found.lanes && self.function.allows(Decision::Interleave, region.states[0]);
            let longest = if may { best } else { found.lanes };
            found.regions[number].lengths = lengths(self.function, found, number, longest, &self.plan.candidates);
        }
    }

    /// Decides which regions are written only once, for gangs under a mask.
    fn write_once(&mut self) {
        let Ok(found) = &mut self.plan.gangs else { return };
        for number in 0..found.regions.len() {
            found.regions[number].once = found.regions[number].agreement.is_none()
                && is_written_once(self.function, found, number, &self.plan.candidates);
        }
    }

    /// Decides which regions run several rows together.
    fn join_rows(&mut self, costs: &Costs<'_>) {
        let (function, wanted, lanes) = (self.function, self.wanted, self.gang.lanes);
        let Ok(found) = &mut self.plan.gangs else { return };
        let has_objects = self.plan.objects.iter().any(|object| object.home != Home::Arguments);
        let together = self.plan.progress == Progress::Together;
        if !self.plan.apart.is_empty() || has_objects || !together || !wanted.may_join_rows(function) {
            return;
        }
        self.plan.of_row = rows::of_row(function, &self.plan.shapes, differs_in_group);
        let long = !function.has_cuts() && wanted.row.is_none_or(|row| row >= 2 * lanes);
        let states = self.plan.regions.iter().map(|region| region.states[0]);
        for (number, (region, state)) in found.regions.iter_mut().zip(states).enumerate() {
            let mut rows = rows_at_once(costs, region, &self.plan.of_row, long);
            // As many lanes pay down a column as along a row.
            let count = self.plan.candidates.up_to(number, MOST_OF_TILE * lanes).lanes / lanes;
            if rows.is_none() && count > 1 && !function.has_cuts() {
                rows = rows_of_tile(function, &self.plan.shapes, region, &self.plan.of_row, count, lanes);
            }
            region.rows = rows.filter(|_| function.allows(Decision::Rows, state));
            // Rows with masks of their own need not agree with each other.
            if region.has_tiles() {
                region.agreement = None;
            }
        }
    }

    /// Moves private objects to the state of the work-group where those of a gang are too large for the frame.
    fn place_objects(&mut self) {
        let Ok(found) = &self.plan.gangs else { return };
        for object in &mut self.plan.objects {
            let large = object.stride().saturating_mul(u64::from(found.most())) > FRAME_OBJECT_OF_GANG;
            if object.home == Home::Frame && large && !self.function.in_fibers {
                (object.home, object.reason) = (Home::Group, "it is large");
            }
            let among = |id| self.plan.shapes.units(Operand::Inst(id)).map(|units| units.among);
            if matches!(object.name, Name::Alloca(id) if among(id) == Some(Among::Gang)) {
                // The lanes' units lie side by side from the start of a cache line.
                object.align = object.align.max(CONTEXT_ALIGN.min(64));
            }
        }
    }

    /// Lays out what the plan keeps, and makes the remarks.
    fn finish(self) -> Plan {
        let Draft { function, gang, estimate, mut plan, .. } = self;
        let has_columns = |gangs: &Gangs| {
            gangs.regions.iter().any(GangRegion::has_tiles) || columns(function, &plan.shapes, &gangs.regions)
        };
        plan.rematerialised = rematerialised(function, &plan.kept());
        plan.columns =
            plan.gangs.as_ref().is_ok_and(has_columns) && function.allows(Decision::Columns, Subject::Function);
        lay_out(&mut plan, function);
        plan.remarks = describe(&plan, function, gang.lanes, estimate.as_ref());
        plan
    }
}

/// The regions of single states and the one that serves all, as far as the way work-items go on needs them.
fn find_regions(function: &Function<'_>, wanted: &Wanted, shapes: &Shapes) -> (Vec<Region>, Option<Region>, Progress) {
    let states = || (0..function.states.len()).map(|state| StateId(state as u32));
    let regions: Vec<Region> = states().map(|state| region(function, vec![state])).collect();
    let progress = progress(function, shapes, &regions);
    let all = || Some(region(function, states().collect()));
    match progress {
        Progress::Together => (regions, None, progress),
        // Only gangs can do sub-group operations: diverged work-items run each state under its mask.
        Progress::MayDiverge if function.has_sub_group_operations() && wanted.sub_group_size > 1 => {
            (regions, None, progress)
        }
        Progress::MayDiverge => (regions, all(), progress),
        Progress::OneRegion(_) => (Vec::new(), all(), progress),
    }
}

/// Does a kernel load in a loop what other rows load too, at addresses that differ along x?
fn columns(function: &Function<'_>, shapes: &Shapes, regions: &[GangRegion]) -> bool {
    if function.has_cuts() || !function.asks(Query::tells_rows_apart) {
        return false;
    }
    let of_row = rows::of_row(function, shapes, Query::tells_rows_apart);
    let shared = |id: &InstId| is_shared_load(function.inst(*id), shapes, &of_row);
    regions.iter().any(|GangRegion { graph, .. }| {
        let nodes = (0..graph.end()).filter(|node| graph.depth(*node) > 0);
        nodes.into_iter().any(|node| function.block(graph.blocks[node]).insts.iter().any(shared))
    })
}
