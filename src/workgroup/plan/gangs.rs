//! Which regions of a kernel run as gangs.

use std::collections::BTreeSet;

use crate::analyse::components::components_of;
use crate::analyse::course::{Course, course};
use crate::analyse::graph::{Graph, graph};
use crate::analyse::guards::Guards;
use crate::analyse::regions::Region;
use crate::analyse::shape::{Layout, Shape, Shapes};
use crate::analyse::waiting;
use crate::declined::Declined;
use crate::ir::{Function, InstId, Operand, StateId, Terminator};
use crate::plan::rows::Together;
use crate::plan::trips::ITERATIONS;
use crate::plan::wanted::Wanted;

/// How the regions of a kernel run as gangs.
pub(crate) struct Gangs {
    /// The usual number of lanes, which partial gangs have, too.
    pub(crate) lanes: u32,
    /// In order of the states.
    pub(crate) regions: Vec<GangRegion>,
    /// How many accesses every gang runs in which each lane has an address of its own.
    pub(crate) scattered: usize,
    /// The baseline tier: each region is written only once, for gangs under a mask.
    pub(crate) is_plain: bool,
}

/// A region as gangs run it.
pub(crate) struct GangRegion {
    pub(crate) graph: Graph,
    /// The course of any gang.
    pub(crate) course: Course,
    /// The lanes of the whole gangs that it is written for, the longest first.
    pub(crate) lengths: Vec<u32>,
    /// Is it written only once, for gangs under a mask?
    pub(crate) once: bool,
    /// How several rows go through it together, if they do.
    pub(crate) rows: Option<Together>,
    /// How often it runs, where 1.0 is a region that runs once.
    pub(crate) often: f64,
    /// Its second body, for gangs whose lanes agree on guards.
    pub(crate) agreement: Option<Agreement>,
}

/// The second body of a region, for gangs whose lanes agree on its guards.
pub(crate) struct Agreement {
    pub(crate) guards: Guards,
    /// Their course through the blocks of the region.
    pub(crate) course: Course,
    /// The entry node's successor from which nothing is done, by this gang and those behind it in its stretch.
    pub(crate) idle: Option<usize>,
}

impl GangRegion {
    /// Does it run tiles: several rows, each under masks of its own?
    pub(crate) fn has_tiles(&self) -> bool {
        self.rows.is_some_and(|rows| rows.own_masks)
    }

    /// The course that most gangs take.
    pub(crate) fn usual(&self) -> &Course {
        self.agreement.as_ref().map_or(&self.course, |agreement| &agreement.course)
    }
}

impl Gangs {
    /// The lanes of the longest gang of any region, along a row.
    pub(crate) fn most(&self) -> u32 {
        let of_region = |region: &GangRegion| region.rows.map(|rows| rows.lanes).max(region.lengths.first().copied());
        self.regions.iter().filter_map(of_region).fold(self.lanes, u32::max)
    }
}

/// Decides whether gangs run the regions. Values of divergent loops that are used behind the loop are added to `apart`;
/// the shapes have to be found again with these varying. `live` has the values that are live where each state begins.
pub(crate) fn gangs(
    function: &Function<'_>,
    wanted: &Wanted,
    shapes: &Shapes,
    regions: &[Region],
    live: &[Vec<InstId>],
    apart: &mut BTreeSet<InstId>,
) -> Result<Gangs, Declined> {
    for (id, inst) in function.numbered() {
        let varies = matches!(shapes.of(id), Shape::Wrapping(_) | Shape::Varying);
        if varies && components_of(&inst.ty).is_err() {
            return Err(Declined::ManyParts);
        }
    }
    let lanes = wanted.lanes();
    let mut result = Vec::with_capacity(regions.len());
    for (region, often) in regions.iter().zip(often(regions)) {
        let graph = graph(function, region)?;
        let course = course(function, shapes, &graph, &BTreeSet::new())?;
        for l in (0..graph.loops.len()).filter(|l| course.diverges(*l)) {
            leaking(function, &graph, l, live, apart);
        }
        if wanted.layout == Layout::Rows && !apart.is_empty() {
            return Err(Declined::SeveralWaysOut);
        }
        let waits = |l: usize| course.diverges(l) && waiting::waits(function, &graph, l);
        if !function.in_fibers && (0..graph.loops.len()).any(waits) {
            return Err(Declined::Waits);
        }
        let locks = |l: usize| course.diverges(l) && waiting::locks(function, shapes, &graph, l);
        // A kernel that requires a size has no smaller sub-groups, whose work-items could wait for each other's locks.
        if !wanted.is_required && (0..graph.loops.len()).any(locks) {
            return Err(Declined::Locks);
        }
        let (once, rows, agreement) = (false, None, None);
        result.push(GangRegion { graph, course, lengths: vec![lanes], once, rows, often, agreement });
    }
    Ok(Gangs { lanes, regions: result, scattered: 0, is_plain: wanted.is_plain })
}

/// How often each region runs: once, or as often as a loop is assumed to if it is in loops around barriers.
fn often(regions: &[Region]) -> Vec<f64> {
    let comes_back = |number: usize| {
        let (mut open, mut seen) = (vec![number], BTreeSet::new());
        while let Some(at) = open.pop() {
            open.extend(regions[at].next_states().map(StateId::index).filter(|to| seen.insert(*to)));
        }
        seen.contains(&number)
    };
    (0..regions.len()).map(|number| if comes_back(number) { ITERATIONS } else { 1.0 }).collect()
}

/// Finds values of a loop that are used outside, but not by a phi at an exit. Lanes that left early would find that of
/// the last iteration. LCSSA form excludes this, but not for loops that only a cut makes: entered midway.
fn leaking(function: &Function<'_>, graph: &Graph, number: usize, live: &[Vec<InstId>], found: &mut BTreeSet<InstId>) {
    let inside = |block| graph.holds(number, block);
    let mut note = |operand: &Operand| match operand {
        Operand::Inst(id) if inside(function.inst(*id).block) => {
            found.insert(*id);
        }
        _ => {}
    };
    for block in (0..graph.end()).filter(|node| !graph.is_in(*node, number)).map(|node| graph.blocks[node]) {
        for id in &function.block(block).insts {
            let uses = function.inst(*id).uses().filter(|(_, block)| !inside(*block));
            uses.for_each(|(operand, _)| note(&operand));
        }
        if let Terminator::Cut { state, .. } = &function.block(block).terminator {
            live[state.index()].iter().for_each(|id| note(&Operand::Inst(*id)));
        }
        function.used_at_end(block).iter().for_each(&mut note);
    }
}
