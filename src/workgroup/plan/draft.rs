//! How a plan is made: a sequence of decisions, each based on those before it.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use oxicl_abi::CONTEXT_ALIGN;
use oxicl_ops::Query;
use oxicl_protocol::Decision;

use crate::analyse::course::Traversal;
use crate::analyse::interleave::{Among, Units, interleaved, stride};
use crate::analyse::liveness::{Liveness, liveness};
use crate::analyse::lockstep::goes_in_step;
use crate::analyse::memory::{Home, Name, Object, objects, users};
use crate::analyse::regions::{Progress, Region, progress, region};
use crate::analyse::rematerialise::rematerialise;
use crate::analyse::shape::{Given, Layout, Shape, Shapes, shapes};
use crate::analyse::streams::Streams;
use crate::bounds::FRAME_OBJECT_OF_GANG;
use crate::declined::Declined;
use crate::failure::Result;
use crate::ir::{Function, InstId, StateId};
use crate::plan::all_on;
use crate::plan::aos;
use crate::plan::candidates::Candidates;
use crate::plan::costs::Costs;
use crate::plan::decisions::{Cost, Plan};
use crate::plan::describe::describe;
use crate::plan::estimate::{Estimate, estimate};
use crate::plan::gangs::{Gangs, Kernel, gangs};
use crate::plan::guards::{self, agreements};
use crate::plan::lengths::{is_written_once, lengths};
use crate::plan::rows::{self, differs_in_group, is_shared_load, rows_at_once, rows_of_tile};
use crate::plan::slots::lay_out;
use crate::plan::wanted::{Wanted, asks_for_rows};
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
            Name::Alloca(id) => Some((id, stride(object, self.interleaved.get(&id)) as i64)),
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

/// A plan in the making.
struct Draft<'d, 'm> {
    function: &'d Function<'m>,
    wanted: Wanted,
    /// The usual number of lanes, and the machine's registers.
    gang: Lanes,
    private: Private,
    liveness: Liveness,
    /// Values of divergent loops that are used behind the loop: each lane has the value of its own last iteration.
    apart: BTreeSet<InstId>,
    shapes: Rc<Shapes>,
    regions: Vec<Region>,
    progress: Progress,
    /// The region that serves all states.
    all: Option<Region>,
    gangs: Result<Gangs, Declined>,
    /// Which values lanes keep in AoS layout.
    aos: Vec<bool>,
    /// Which instructions may differ between rows that go through a region together.
    of_row: Vec<bool>,
    estimate: Option<Estimate>,
    candidates: Candidates,
}

/// Plans a function, given the shapes of its parameters.
pub(crate) fn plan_with(function: &Function<'_>, wanted: Wanted, parameters: Vec<Shape>) -> Result<Plan> {
    let mut draft = Draft::new(function, wanted.allowed(function), parameters)?;
    let shapes = Rc::clone(&draft.shapes);
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
    /// Finds the regions, and whether gangs can run them. A value that turns out to be `apart` makes others vary, so
    /// that everything is found anew.
    fn new(function: &'d Function<'m>, wanted: Wanted, parameters: Vec<Shape>) -> Result<Self> {
        let gang = Lanes::of(wanted.lanes(), wanted.vectors);
        let mut private = Private::new(function, gang.lanes, parameters);
        let liveness = liveness(function)?;
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
            let states = || (0..function.states.len()).map(|state| StateId(state as u32));
            let mut regions: Vec<Region> = states().map(|state| region(function, vec![state])).collect();
            let progress = progress(function, &shapes, &regions);
            let all = (progress != Progress::Together).then(|| region(function, states().collect()));
            if matches!(progress, Progress::OneRegion(_)) {
                regions.clear();
            }
            let known = apart.len();
            let kernel = Kernel {
                function,
                shapes: &shapes,
                regions: &regions,
                progress,
                liveness: &liveness,
                lanes: gang.lanes,
                layout: wanted.layout,
                shares_locks: !wanted.is_required,
                is_plain: wanted.is_plain,
            };
            let gangs = if gang.lanes > 1 { gangs(&kernel, &mut apart) } else { Err(Declined::OneLane) };
            if private.give_blocks(&apart) || apart.len() > known && gangs.is_ok() {
                continue;
            }
            let (aos, of_row, estimate) = (Vec::new(), Vec::new(), None);
            return Ok(Draft {
                function,
                wanted,
                gang,
                private,
                liveness,
                apart,
                shapes: Rc::new(shapes),
                regions,
                progress,
                all,
                gangs,
                aos,
                of_row,
                estimate,
                candidates: Candidates::default(),
            });
        }
    }

    /// Do diverged work-items still run as gangs, each state under its mask? Only gangs can do sub-group operations.
    fn by_state(&self) -> bool {
        let has_sub_groups = self.function.has_sub_group_operations() && self.wanted.sub_group_size > 1;
        has_sub_groups && self.progress == Progress::MayDiverge
    }

    /// Values that outlive a region.
    fn kept(&self) -> HashSet<InstId> {
        (1..self.function.states.len()).flat_map(|state| self.liveness.at_state(state).iter().copied()).collect()
    }

    /// Finds the regions that have a second body, for gangs whose lanes agree on guards.
    fn find_agreements(&mut self, costs: &Costs<'_>) {
        let by_state = self.by_state();
        let Ok(found) = &mut self.gangs else { return };
        if !self.wanted.may_agree(self.function) {
            return;
        }
        let kernel = guards::Kernel {
            costs,
            objects: &self.private.objects,
            apart: &self.apart,
            liveness: &self.liveness,
            together: self.progress == Progress::Together,
            by_state,
            rows: self.wanted.layout == Layout::Rows,
        };
        found.agreements = agreements(&kernel, &self.regions, found);
    }

    /// Decides which values are kept in AoS layout, estimates what gangs cost, and declines them where they do not pay.
    /// `costs` assumes that no value is kept in AoS layout.
    fn weigh(&mut self, costs: &Costs<'_>) {
        let (function, shapes) = (self.function, &*self.shapes);
        let Ok(found) = &self.gangs else { return };
        let known = aos::Known {
            function,
            shapes,
            interleaved: &self.private.interleaved,
            apart: &self.apart,
            kept: self.kept(),
            regions: &found.regions,
            gang: self.gang,
        };
        self.aos = aos::aos(&known);
        let priced = |lanes: u32| Costs::new(function, shapes, &self.aos, Lanes { lanes, ..self.gang });
        let lanes = self.gang.lanes;
        let most = self.wanted.most_lanes(function, lanes);
        let together = if self.wanted.may_join_rows(function) { MOST_OF_TILE * lanes } else { 0 };
        let weighed = |usual: &Costs<'_>| {
            let estimate = estimate(usual, found);
            let candidates = Candidates::of(usual, &estimate, priced, found, most, together);
            (estimate, candidates)
        };
        let holds_some = self.aos.contains(&true);
        let (estimate, candidates) = if holds_some { weighed(&priced(lanes)) } else { weighed(costs) };
        self.candidates = candidates;
        let in_step = || found.regions.iter().any(|region| goes_in_step(function, shapes, &region.graph));
        let differs = || {
            let blocks = found.regions.iter().flat_map(|region| &region.graph.blocks);
            blocks.flat_map(|block| &function.block(*block).insts).any(|id| !shapes.of(*id).is_row_uniform())
        };
        let may_decline = self.wanted.may_decline(function);
        if may_decline && function.has_loops() && !function.has_cuts() && !differs() {
            // They are for work-groups or launches of one work-item. LLVM vectorises their loops, but not in a gang.
            self.gangs = Err(Declined::SameForAll);
        } else if may_decline && self.candidates.cost().part() > self.wanted.worth() && !in_step() {
            self.gangs = Err(Declined::DoesNotPay);
        }
        self.estimate = Some(estimate);
    }

    /// Finds the loops that have a second body, for iterations that all lanes are in.
    fn find_all_on(&mut self, costs: &Costs<'_>) {
        let Ok(found) = &mut self.gangs else { return };
        if self.wanted.is_plain {
            return;
        }
        for (region, agreement) in found.regions.iter_mut().zip(&mut found.agreements) {
            let courses = [Some(&mut region.course), agreement.as_mut().map(|agreement| &mut agreement.course)];
            courses.into_iter().flatten().for_each(|course| all_on::decide(costs, &region.graph, course));
        }
    }

    /// Decides the lengths of the whole gangs of each region.
    fn lengthen_gangs(&mut self) {
        let (Ok(found), Some(estimate)) = (&mut self.gangs, &self.estimate) else { return };
        found.scattered = estimate.scattered;
        for (number, region) in self.regions.iter().enumerate() {
            let best = self.candidates.best(number).lanes;
            let may = best > found.lanes && self.function.allows(Decision::Interleave, region.states[0]);
            let longest = if may { best } else { found.lanes };
            found.lengths[number] = lengths(self.function, found, number, longest, &self.candidates);
        }
    }

    /// Decides which regions are written only once, for gangs under a mask.
    fn write_once(&mut self) {
        let Ok(found) = &mut self.gangs else { return };
        let once = |number: usize| {
            found.agreements[number].is_none() && is_written_once(self.function, found, number, &self.candidates)
        };
        found.once = (0..found.regions.len()).map(once).collect();
    }

    /// Decides which regions run several rows together.
    fn join_rows(&mut self, costs: &Costs<'_>) {
        let (function, wanted, lanes) = (self.function, self.wanted, self.gang.lanes);
        let Ok(found) = &mut self.gangs else { return };
        let has_objects = self.private.objects.iter().any(|object| object.home != Home::Arguments);
        let together = self.progress == Progress::Together;
        if !self.apart.is_empty() || has_objects || !together || !wanted.may_join_rows(function) {
            return;
        }
        self.of_row = rows::of_row(function, &self.shapes, differs_in_group);
        let long = !function.has_cuts() && wanted.row.is_none_or(|row| row >= 2 * lanes);
        let states = self.regions.iter().map(|region| region.states[0]);
        for (number, ((rows, region), state)) in found.rows.iter_mut().zip(&found.regions).zip(states).enumerate() {
            *rows = rows_at_once(costs, region, &self.of_row, long);
            // As many lanes pay down a column as along a row.
            let count = self.candidates.up_to(number, MOST_OF_TILE * lanes).lanes / lanes;
            if rows.is_none() && count > 1 && !function.has_cuts() {
                *rows = rows_of_tile(function, &self.shapes, region, &self.of_row, count, lanes);
            }
            *rows = rows.filter(|_| function.allows(Decision::Rows, state));
        }
        for (agreement, rows) in found.agreements.iter_mut().zip(&found.rows) {
            // Rows with masks of their own need not agree with each other.
            *agreement = agreement.take().filter(|_| rows.is_none_or(|rows| !rows.own_masks));
        }
    }

    /// Moves private objects to the state of the work-group where those of a gang are too large for the frame.
    fn place_objects(&mut self) {
        let Ok(found) = &self.gangs else { return };
        for object in &mut self.private.objects {
            let large = object.stride().saturating_mul(u64::from(found.most())) > FRAME_OBJECT_OF_GANG;
            if object.home == Home::Frame && large && !self.function.in_fibers {
                (object.home, object.reason) = (Home::Group, "it is large");
            }
            let among = |id| self.private.interleaved.get(&id).map(|units| units.among);
            if matches!(object.name, Name::Alloca(id) if among(id) == Some(Among::Gang)) {
                // The lanes' units lie side by side from the start of a cache line.
                object.align = object.align.max(CONTEXT_ALIGN.min(64));
            }
        }
    }

    /// Lays out what the plan keeps, and makes the remarks.
    fn finish(self) -> Plan {
        let (function, wanted, by_state) = (self.function, self.wanted, self.by_state());
        let has_tiles = |gangs: &Gangs| gangs.rows.iter().flatten().any(|rows| rows.own_masks);
        let has_columns = |gangs: &Gangs| has_tiles(gangs) || columns(function, &self.shapes, &gangs.regions);
        let cost = self
            .estimate
            .as_ref()
            .map(|estimate| Cost { of_gang: estimate.gang + estimate.refetched, one_by_one: estimate.single });
        let rematerialised = rematerialise(function, &self.kept());
        let mut plan = Plan {
            layout: wanted.layout,
            coalescing: wanted.coalescing,
            most_coalesced: 0,
            cost: cost.unwrap_or_default(),
            sub_group_size: wanted.sub_group_size,
            columns: self.gangs.as_ref().is_ok_and(has_columns)
                && function.allows(Decision::Columns, Subject::Function),
            streams: Streams::default(),
            shapes: self.shapes,
            rematerialised,
            liveness: self.liveness,
            regions: self.regions,
            all: self.all.filter(|_| !by_state),
            apart: self.apart,
            aos: self.aos,
            of_row: self.of_row,
            progress: self.progress,
            slots: HashMap::new(),
            scan_slots: HashMap::new(),
            gather_offsets: HashMap::new(),
            state_slot: 0,
            records: None,
            calls: None,
            versions: Vec::new(),
            declined: self.gangs.as_ref().err().copied(),
            gangs: self.gangs.ok(),
            vectors: wanted.vectors,
            objects: self.private.objects,
            interleaved: self.private.interleaved,
            object_offsets: HashMap::new(),
            group_bytes: 0,
            item_bytes: 0,
            longest_slot: 0,
            candidates: self.candidates,
            remarks: Vec::new(),
        };
        lay_out(&mut plan, self.function);
        plan.remarks = describe(&plan, function, self.gang.lanes, self.estimate.as_ref());
        plan
    }
}

/// Does a kernel load in a loop what other rows load too, at addresses that differ along x?
fn columns(function: &Function<'_>, shapes: &Shapes, regions: &[Traversal]) -> bool {
    if function.has_cuts() || !asks_for_rows(function) {
        return false;
    }
    let of_row = rows::of_row(function, shapes, Query::tells_rows_apart);
    let shared = |id: &InstId| is_shared_load(function.inst(*id), shapes, &of_row);
    regions.iter().any(|Traversal { graph, .. }| {
        let nodes = (0..graph.end()).filter(|node| graph.depth(*node) > 0);
        nodes.into_iter().any(|node| function.block(graph.blocks[node]).insts.iter().any(shared))
    })
}
