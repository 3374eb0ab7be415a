//! The decisions for one kernel: pieces, what is kept across barriers and where, private objects.

mod alone;
mod chain;
mod column;
mod estimate;
pub(crate) mod gangs;
mod guards;
mod masks;
pub(crate) mod packing;
mod presence;
pub(crate) mod rows;
mod slots;
mod web;

use std::collections::{BTreeSet, HashMap, HashSet};

use oxicl_llvm::{Module, Value};
use oxicl_protocol::CONTEXT_ALIGN;
use oxicl_target::{Ability, Vectors};

use crate::analyse::course::Course;
use crate::analyse::graph::Graph;
use crate::analyse::interleave::interleaved;
use crate::analyse::liveness::{Liveness, liveness};
use crate::analyse::lockstep::goes_in_step;
use crate::analyse::memory::{Home, Name, Object, objects, users};
use crate::analyse::packing::Packing;
use crate::analyse::pieces::{Piece, Progress, piece, progress};
use crate::analyse::remake::{Remake, remake};
use crate::analyse::shape::{Layout, Shape, Shapes, shapes};
use crate::analyse::waiting;
use crate::arena::{BlockId, Function, InstId, Kind, StateId, read_for_fibers};
use crate::failure::{Declined, Failure};
use crate::operation::Query;
use crate::plan::estimate::{Lanes, estimate, room_for_more};
use crate::plan::gangs::{Gangs, gangs};
use crate::plan::rows::{differs_in_group, is_shared_load, may_join_rows, rows_at_once, rows_of_tile};
use crate::plan::web::Known;

use slots::lay_out;

/// Where a value that is needed behind a barrier is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// Once, in the frame.
    Uniform,
    /// In the state, one for each work-item; the offset, in bytes, is for one work-item. In the piece that serves every
    /// state it is from the start of the work-item's record.
    Item(u64),
}

/// What a gang costs, and its work-items one by one, as the estimate counts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    pub(crate) of_gang: f64,
    pub(crate) one_by_one: f64,
}

/// The decisions for a kernel.
pub(crate) struct Plan {
    /// Values that lanes have each from a turn of its own.
    pub(crate) apart: BTreeSet<InstId>,
    /// Which instructions' results lanes keep in one, with all parts of each lane together; empty where there are none.
    pub(crate) unsplit: Vec<bool>,
    /// Which instructions may differ between rows; empty where no rows go through a piece together.
    pub(crate) of_row: Vec<bool>,
    /// Which work-items a gang has.
    pub(crate) layout: Layout,
    /// How several work-groups run as one, if they do, and the most work-items along x that these have.
    pub(crate) packing: Option<Packing>,
    pub(crate) most_packed: u32,
    pub(crate) cost: Cost,
    /// S: work-items of a full sub-group.
    pub(crate) sub_group_size: u32,
    pub(crate) shapes: Shapes,
    pub(crate) remake: Remake,
    liveness: Liveness,
    /// One piece a state, in order of the states; empty if there is only the piece of all states.
    pub(crate) pieces: Vec<Piece>,
    /// The piece of all states, where it is needed. Without it, work-items that have parted run their pieces under masks.
    pub(crate) all: Option<Piece>,
    pub(crate) progress: Progress,
    pub(crate) slots: HashMap<InstId, Slot>,
    /// Offset, in bytes for one work-item, of the results of each scan, by the state behind it.
    pub(crate) scan_slots: HashMap<StateId, u64>,
    /// Offset, in the group's part, of what collective operations gather, by the state behind each; in the frame if it is
    /// not here.
    pub(crate) gather_offsets: HashMap<StateId, u64>,
    /// Offset, in bytes for one work-item, of the state that a work-item is at.
    pub(crate) state_slot: u64,
    /// Offset and size, in bytes for one work-item, of the records that hold all values where one piece serves every state.
    /// That may have thousands, and an array of each would have a start that all the code keeps at hand.
    pub(crate) records: Option<(u64, u64)>,
    /// How the pieces of single states run as gangs, if they do.
    pub(crate) gangs: Option<Gangs>,
    /// Do work-items of a column load the same in a loop, or leave one together?
    pub(crate) columns: bool,
    /// The machine's vector registers.
    pub(crate) vectors: Vectors,
    /// Why not, if they do not.
    pub(crate) declined: Option<Declined>,
    pub(crate) objects: Vec<Object>,
    /// Addresses in objects that lie interleaved where there are gangs, and the bytes of a unit.
    pub(crate) interleaved: HashMap<InstId, u64>,
    /// Offset of each object that lives in the state: for one work-item, or in the group's part.
    pub(crate) object_offsets: HashMap<Name, u64>,
    /// Bytes of state for the work-group and for each work-item.
    pub(crate) group_bytes: u64,
    pub(crate) item_bytes: u64,
    pub(crate) remarks: Vec<String>,
}

impl Plan {
    /// Has the machine instructions that gather?
    pub(crate) fn gathers(&self) -> bool {
        self.vectors.can(Ability::Gather)
    }

    /// Has a piece a loop, behind whichever barrier?
    pub(crate) fn has_loops(&self, function: &Function<'_>) -> bool {
        let all = self.all.iter().filter(|_| self.pieces.is_empty());
        self.pieces.iter().chain(all).any(|piece| !piece.ways_back(function).is_empty())
    }

    /// May gangs come to a piece of which not all work-items are at its state?
    pub(crate) fn by_state(&self) -> bool {
        self.progress == Progress::MayPart && self.all.is_none()
    }

    /// Values that are alive where a state begins and were computed before, objects' addresses not among them.
    pub(crate) fn live_at(&self, state: StateId) -> &[InstId] {
        self.liveness.at_state(state.index())
    }
}

/// What gangs may take of the time of one work-item after the other: it is not known how full they are.
const WORTH: f64 = 0.9;

/// Bytes up to which the private objects of a gang that have one name live in the frame.
const GANG_FRAME_LIMIT: u64 = 8 << 10;

/// Lanes from which on several rows may go through a piece at once. A bound: with fewer, what is shared is so small a part that
/// nobody has measured a gain.
const FEWEST_OF_ROW: u32 = 8;

/// How many work-items may run as a gang.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// That many, or as many as pay if it is 0.
    pub(crate) lanes: u32,
    /// The machine's vector registers.
    pub(crate) vectors: Vectors,
    /// Work-items of a row, where it is known.
    pub(crate) row: Option<u32>,
    /// Which work-items a gang has.
    pub(crate) layout: Layout,
    /// S: work-items of a full sub-group.
    pub(crate) sub_group_size: u32,
    /// The kernel asks for that size.
    pub(crate) is_required: bool,
    /// How several work-groups in a row run as one, if they do.
    pub(crate) packing: Option<Packing>,
}

impl Wanted {
    /// As many lanes as numbers of 32 bits fill a register, but no more than a row has work-items.
    pub(crate) fn lanes(self) -> u32 {
        let natural = self.vectors.lanes();
        match self.lanes {
            _ if self.layout != Layout::Rows => self.sub_group_size,
            0 => self.row.map_or(natural, |row| natural.min(1 << row.max(1).ilog2())),
            lanes => lanes,
        }
    }

    /// May a gang that is whole have two registers a value? Where work-items do not wait for each other, as small work-groups do.
    fn may_double(self, function: &Function<'_>, lanes: u32) -> bool {
        self.lanes == 0
            && self.layout == Layout::Rows
            && self.packing.is_none()
            && self.row.is_none_or(|row| row >= 2 * lanes)
            && !function.has_cuts()
            && !function.insts.iter().any(|inst| matches!(inst.kind, Kind::Call | Kind::Print))
    }

    /// May several rows of a work-group go through some pieces at once?
    fn may_join_rows(self, function: &Function<'_>) -> bool {
        self.lanes == 0
            && self.layout == Layout::Rows
            && self.vectors.lanes() >= FEWEST_OF_ROW
            && self.packing.is_none()
            && asks_for_rows(function)
            && may_join_rows(function)
    }

    /// May gangs whose lanes agree on guards have a body of their own? Not where all gangs have masks anyway: fibers, lines of
    /// several rows, and several work-groups that run as one beside the usual body.
    fn may_agree(self, function: &Function<'_>) -> bool {
        self.layout != Layout::Line && !function.in_fibers && !self.packing.is_some_and(|packing| packing.is_aside)
    }

    /// May the gangs of some pieces have more registers a value where they are whole?
    fn may_be_deep(self, function: &Function<'_>) -> bool {
        self.lanes == 0
            && self.layout == Layout::Rows
            && self.packing.is_none()
            // The rows of tiles are short.
            && (self.row.is_some() || !function.has_cuts() || !asks_for_rows(function))
    }
}

/// The blocks of a function without cuts from which loops that wait for other work-items go into another turn.
pub(crate) fn yields(function: &Function<'_>) -> BTreeSet<BlockId> {
    waiting::yields(function, &piece(function, vec![StateId(0)]))
}

/// May a loop of a function wait for other work-items?
pub(crate) fn may_wait(function: &Function<'_>) -> bool {
    waiting::may_wait(function)
}

/// Reads a kernel for fibers.
pub(crate) fn for_fibers<'m>(kernel: Value<'m>) -> Result<Function<'m>, Failure> {
    let mut function = read_for_fibers(kernel)?;
    function.yields = yields(&function);
    Ok(function)
}

/// Decides for a kernel.
pub(crate) fn plan(module: &Module<'_>, function: &Function<'_>, wanted: Wanted) -> Result<Plan, Failure> {
    plan_with(module, function, wanted, vec![Shape::Uniform; function.parameters.len()])
}

/// Decides for a function that gangs call with arguments of these shapes.
pub(crate) fn plan_with(
    module: &Module<'_>,
    function: &Function<'_>,
    wanted: Wanted,
    mut parameters: Vec<Shape>,
) -> Result<Plan, Failure> {
    let lanes = wanted.lanes();
    let mut objects = objects(module, function);
    let mut read_only = HashSet::new();
    for object in &objects {
        if let Name::Parameter(index) = object.name {
            if object.home == Home::Arguments {
                read_only.insert(index);
            } else {
                // Each work-item has a copy of its own, one after the other.
                parameters[index as usize] = Shape::Affine(object.stride() as i64);
            }
        }
    }
    let interleaved = match lanes {
        0 | 1 => HashMap::new(),
        _ => interleaved(module, function, &objects, &users(function)),
    };
    let strides = objects.iter().filter_map(|object| match object.name {
        Name::Alloca(id) => Some((id, interleaved.get(&id).map_or(object.stride(), |unit| *unit) as i64)),
        Name::Parameter(_) => None,
    });
    let gang = (wanted.layout, wanted.sub_group_size, wanted.packing);
    let strides = strides.collect();
    let liveness = liveness(function)?;
    let mut apart = BTreeSet::new();
    let (shapes, pieces, progress, all, mut gangs) = loop {
        let shapes = shapes(module, function, parameters.clone(), &strides, &interleaved, &read_only, gang, &apart);
        let mut pieces: Vec<Piece> =
            (0..function.states.len()).map(|s| piece(function, vec![StateId(s as u32)])).collect();
        let progress = progress(function, &shapes, &pieces);
        let all = (progress != Progress::Together)
            .then(|| piece(function, (0..function.states.len()).map(|s| StateId(s as u32)).collect()));
        if progress == Progress::OnePiece {
            pieces.clear();
        }
        let known = apart.len();
        let gangs = match lanes {
            0 | 1 => Err("one lane"),
            _ => {
                let live_at = |state: StateId| liveness.at_state(state.index()).to_vec();
                gangs(
                    function,
                    &shapes,
                    &pieces,
                    progress,
                    &live_at,
                    lanes,
                    (wanted.layout, !wanted.is_required),
                    &mut apart,
                )
            }
        };
        // Units of interleaved objects are no vectors of addresses.
        let possible = gangs.is_ok() && !apart.iter().any(|id| interleaved.contains_key(id));
        if apart.len() == known || !possible {
            let leaks = apart.len() > known;
            let gangs = if leaks { gangs.and(Err("a value leaves a loop by several ways")) } else { gangs };
            break (shapes, pieces, progress, all, gangs);
        }
    };
    let (mut scattered, mut leaves_room, mut ratio, mut cost) = (0, false, None, Cost::default());
    let mut unsplit = Vec::new();
    // Only gangs know what a sub-group does: those that have parted run as gangs too, each state's under its mask.
    let by_state = function.has_sub_group_operations() && wanted.sub_group_size > 1 && progress == Progress::MayPart;
    if let Ok(found) = &mut gangs
        && wanted.may_agree(function)
    {
        let live_at = |state: StateId| liveness.at_state(state.index());
        let (together, objects, apart) = (progress == Progress::Together, &objects[..], &apart);
        let kernel = guards::Kernel {
            module,
            function,
            shapes: &shapes,
            objects,
            apart,
            live_at: &live_at,
            together,
            by_state,
            rows: wanted.layout == Layout::Rows,
            gang: Lanes::of(lanes, wanted.vectors),
        };
        found.agreements = guards::agreements(&kernel, &pieces, found);
    }
    if let Ok(found) = &gangs {
        let gang = Lanes::of(lanes, wanted.vectors);
        let states = 1..function.states.len();
        let kept = states.flat_map(|state| liveness.at_state(state).iter().copied()).collect();
        let (interleaved, pieces) = (&interleaved, &found.pieces[..]);
        let known = Known { module, function, shapes: &shapes, interleaved, apart: &apart, kept, pieces, gang };
        unsplit = web::unsplit(&known);
        let estimate = estimate(module, function, (&shapes, &unsplit), found.usual(), gang);
        ratio = Some(estimate.ratio());
        cost = Cost { of_gang: estimate.gang, one_by_one: estimate.single };
        (scattered, leaves_room) = (estimate.scattered, estimate.leaves_room());
        let in_step = || found.pieces.iter().any(|(graph, _)| goes_in_step(function, &shapes, graph));
        let differs = || {
            let blocks = found.pieces.iter().flat_map(|(graph, _)| &graph.blocks);
            blocks.flat_map(|block| &function.block(*block).insts).any(|id| !shapes.of(*id).is_row_uniform())
        };
        let may_decline = wanted.lanes == 0 && !function.has_sub_group_operations();
        if may_decline && function.has_loops() && !function.has_cuts() && !differs() {
            // They are for work-groups of one, or launches of one. LLVM makes vectors of their loops, but not in a gang.
            gangs = Err("lanes would all do the same");
        } else if may_decline && estimate.ratio() > WORTH && !in_step() {
            gangs = Err("lanes do not pay: much is done lane by lane, or each at an address of its own");
        }
    }
    // Registers that the pieces have for each value.
    let mut room = vec![None; pieces.len()];
    if let Ok(found) = &mut gangs {
        found.scattered = scattered;
        if leaves_room && wanted.may_double(function, lanes) {
            found.whole = 2 * lanes;
        }
        if wanted.may_be_deep(function) {
            for (number, (deep, piece)) in found.deep.iter_mut().zip(&found.pieces).enumerate() {
                let times = room_for_more(module, function, &shapes, piece, Lanes::of(lanes, wanted.vectors));
                room[number] = times;
                let more = times.map(|times| times * lanes).filter(|more| *more > found.whole);
                *deep = more.filter(|more| wanted.row.is_none_or(|row| row >= *more));
            }
            if let [Some(_)] = found.deep[..] {
                // What is left of a row has gangs of the usual size.
                found.whole = lanes;
            }
        }
    }
    let mut of_row = Vec::new();
    if let Ok(found) = &mut gangs {
        let alone = apart.is_empty() && objects.iter().all(|object| object.home == Home::Arguments);
        if wanted.may_join_rows(function) && alone && progress == Progress::Together {
            of_row = rows::of_row(function, &shapes, differs_in_group);
            let long = !function.has_cuts() && wanted.row.is_none_or(|row| row >= 2 * lanes);
            for ((rows, piece), room) in found.rows.iter_mut().zip(&found.pieces).zip(&room) {
                let gang = Lanes::of(lanes, wanted.vectors);
                *rows = rows_at_once(module, function, &shapes, &piece.0, &of_row, gang, long);
                if let (None, Some(count), false) = (&rows, room, function.has_cuts()) {
                    *rows = rows_of_tile(function, &shapes, piece, &of_row, (*count, lanes));
                }
            }
            for (agreement, rows) in found.agreements.iter_mut().zip(&found.rows) {
                // Rows with masks of their own need not agree with each other.
                *agreement = agreement.take().filter(|_| rows.is_none_or(|rows| !rows.own_masks));
            }
        }
    }
    if let Ok(found) = &gangs {
        for object in &mut objects {
            let large = object.stride().saturating_mul(u64::from(found.most())) > GANG_FRAME_LIMIT;
            if object.home == Home::Frame && large && !function.in_fibers {
                (object.home, object.reason) = (Home::Group, "it is large");
            }
            if matches!(object.name, Name::Alloca(id) if interleaved.contains_key(&id)) {
                // What is side by side is at the start of a cache line.
                object.align = object.align.max(CONTEXT_ALIGN.min(64));
            }
        }
    }
    let has_tiles = |gangs: &Gangs| gangs.rows.iter().flatten().any(|rows| rows.own_masks);
    let columns = gangs.as_ref().is_ok_and(|gangs| has_tiles(gangs) || columns(function, &shapes, &gangs.pieces));
    let mut plan = Plan {
        layout: wanted.layout,
        packing: wanted.packing,
        most_packed: 0,
        cost,
        sub_group_size: wanted.sub_group_size,
        shapes,
        remake: remake(function),
        liveness,
        pieces,
        all: all.filter(|_| !by_state),
        apart,
        unsplit,
        of_row,
        progress,
        slots: HashMap::new(),
        scan_slots: HashMap::new(),
        gather_offsets: HashMap::new(),
        state_slot: 0,
        records: None,
        gangs: None,
        columns,
        vectors: wanted.vectors,
        declined: None,
        objects,
        interleaved,
        object_offsets: HashMap::new(),
        group_bytes: 0,
        item_bytes: 0,
        remarks: Vec::new(),
    };
    let mut remark = match &gangs {
        Ok(gangs) => format!("gangs of {} work-items", gangs.most()),
        Err(reason) => format!("one work-item at a time: {reason}"),
    };
    if let Some(ratio) = ratio {
        remark += &format!("; estimated for gangs: {ratio:.2} of the time, {scattered} accesses are each lane's own");
    }
    if wanted.packing.is_some() {
        remark += "; work-groups that are short along x run as one";
    }
    if let Some(rows) = gangs.iter().flat_map(|gangs| &gangs.rows).flatten().next() {
        let why = if rows.own_masks { "lanes leave a loop apart" } else { "rows load the same" };
        remark += &format!("; where {why}, {} rows at once", rows.count);
    }
    let in_one = plan.unsplit.iter().filter(|keeps| **keeps).count();
    if in_one > 0 {
        remark += &format!("; {in_one} vectors of the language are kept in one");
    }
    plan.declined = gangs.as_ref().err().copied();
    plan.gangs = gangs.ok();
    lay_out(&mut plan, module, function);
    describe(&mut plan, function);
    if plan.gangs.iter().flat_map(|gangs| &gangs.agreements).any(Option::is_some) {
        remark += "; gangs whose work-items agree on guards run without masks for these";
    }
    if lanes > 1 {
        plan.remarks.push(remark);
    }
    Ok(plan)
}

/// Does a kernel know more dimensions than one?
fn asks_for_rows(function: &Function<'_>) -> bool {
    function.asks(Query::tells_rows_apart)
}

/// Does a kernel load in a loop from where those in other rows do, and not all of a row from one place?
fn columns(function: &Function<'_>, shapes: &Shapes, pieces: &[(Graph, Course)]) -> bool {
    if function.has_cuts() || !asks_for_rows(function) {
        return false;
    }
    let of_row = rows::of_row(function, shapes, Query::tells_rows_apart);
    let shared = |id: &InstId| is_shared_load(function.inst(*id), shapes, &of_row);
    pieces.iter().any(|(graph, _)| {
        let nodes = (0..graph.end()).filter(|node| graph.depth(*node) > 0);
        nodes.into_iter().any(|node| function.block(graph.blocks[node]).insts.iter().any(shared))
    })
}

fn describe(plan: &mut Plan, function: &Function<'_>) {
    let remarks = &mut plan.remarks;
    let states = function.states.len();
    let barriers = if states == 2 { "1 barrier".to_owned() } else { format!("{} barriers", states - 1) };
    remarks.push(match (states, plan.progress) {
        _ if function.in_fibers => match &plan.gangs {
            Some(_) => "each sub-group waits on a stack of its own".to_owned(),
            None => "each work-item waits on a stack of its own".to_owned(),
        },
        (1, _) => "no barrier: one piece, one loop over the work-items".to_owned(),
        (_, Progress::Together) => format!("{barriers}: {states} pieces, each a plain loop"),
        (_, Progress::MayPart) => format!("{barriers}: {states} pieces, and one for work-items that part"),
        (_, Progress::OnePiece) => format!("{barriers}: one piece for all {states} states"),
    });
    let uniform = plan.slots.values().filter(|s| **s == Slot::Uniform).count();
    if function.has_cuts() {
        let kept = plan.slots.len() - uniform;
        remarks.push(format!("kept across barriers: {uniform} values once, {kept} for each work-item"));
    }
    for object in plan.objects.iter().filter(|o| matches!(o.home, Home::Item | Home::Group)) {
        let place = if object.home == Home::Item { "for each work-item" } else { "once" };
        remarks.push(format!("private object of {} bytes in the context {place}: {}", object.bytes, object.reason));
    }
}
