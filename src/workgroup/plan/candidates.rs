//! Candidate plans: a kernel's work-items one after the other, or as gangs of so many lanes, priced side by side.
//!
//! Lanes are worth as many as the data is narrow: a register that holds 8 numbers of 32 bits holds 32 bytes, which cost no more
//! to add. What is wide in the same kernel takes several registers then, and what there are no registers for is spilled.

use crate::ir::{Function, Inst, InstId, Kind, Opcode, Scalar};

use crate::analyse::course::Traversal;
use crate::analyse::shape::Shape;
use crate::bounds::candidates::{MOST_LANES, MOST_WRITTEN, USUALLY_WRITTEN};
use crate::bounds::components::LONGEST;
use crate::plan::costs::Costs;
use crate::plan::estimate::{Estimate, estimate};
use crate::plan::gangs::Gangs;
use crate::plan::pressure::spills;
use crate::recipe::Width;

/// Cycles of a gang beside what its instructions take, for the loop that it is an iteration of: a cost, of an addition, a
/// comparison and a branch.
const ITERATION: f64 = 2.0;

/// The part of the time that more lanes have to save: a cost, as rows are written for gangs of one more length, and what is left
/// of a row gets longer.
const SAVED: f64 = 0.1;

/// A way to run a kernel, and its price.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    /// Lanes of a whole gang; 1 of work-items one after the other.
    pub(crate) lanes: u32,
    /// Cycles a work-item, as the estimate counts.
    pub(crate) time: f64,
    /// Registers that the results of all instructions take, which is as long as the code is.
    written: f64,
}

impl Candidate {
    /// Gangs that spend so much on values without registers.
    fn of(costs: &Costs<'_>, found: &Estimate, spilled: f64, written: f64) -> Candidate {
        let lanes = costs.gang.lanes;
        Candidate { lanes, time: (found.gang + spilled + ITERATION) / f64::from(lanes), written }
    }
}

/// How many lanes whole gangs may have.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) most: u32,
    /// May they have twice the usual ones though their numbers are not narrow?
    pub(super) may_double: bool,
}

/// The candidates, and the one that is taken.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    pub(crate) all: Vec<Candidate>,
}

impl Candidates {
    /// Prices gangs of the usual lanes, of which the costs and the estimate are known, and of more, up to the limits: as many as the
    /// narrowest numbers fill a register with, and twice the usual ones where these leave room.
    pub(super) fn of<'f, 'm: 'f>(
        usual: &Costs<'_>,
        found: &Estimate,
        costs: impl Fn(u32) -> Costs<'f>,
        gangs: &Gangs,
        limits: Limits,
    ) -> Candidates {
        let doubles = limits.may_double && found.components_room();
        let useful = natural(usual, gangs).max(if doubles { 2 * gangs.lanes } else { 0 });
        let most = useful.min(limits.most).min(MOST_LANES);
        let single = Candidate { lanes: 1, time: found.single / f64::from(gangs.lanes), written: 0.0 };
        let own = Candidate::of(usual, found, spilled(usual, gangs).unwrap_or(0.0), written(usual, gangs));
        let mut all = vec![single, own];
        let doubled = std::iter::successors(gangs.lanes.checked_mul(2), |lanes| lanes.checked_mul(2));
        for lanes in doubled.take_while(|lanes| *lanes <= most) {
            let costs = costs(lanes);
            let written = written(&costs, gangs);
            let is_narrow = !(doubles && lanes == 2 * gangs.lanes);
            if is_narrow && !(is_possible(&costs, gangs) && written <= MOST_WRITTEN) {
                break;
            }
            let Some(spilled) = spilled(&costs, gangs) else { break };
            all.push(Candidate::of(&costs, &estimate(&costs, gangs.usual()), spilled, written));
        }
        Candidates { all }
    }

    /// The lanes that are taken, if gangs are: more than the usual ones where these save enough for the code that they take.
    pub(super) fn best(&self) -> Option<Candidate> {
        let gangs = self.all.iter().copied().filter(|candidate| candidate.lanes > 1);
        gangs.reduce(|best, more| {
            let saved = SAVED * (more.written / USUALLY_WRITTEN).max(1.0);
            if more.time <= (1.0 - saved) * best.time { more } else { best }
        })
    }

    /// Do some gangs take less than that part of the time of work-items one after the other?
    pub(super) fn pay(&self, part: f64) -> bool {
        let single = self.all.iter().find(|candidate| candidate.lanes == 1);
        self.best().zip(single).is_some_and(|(best, single)| best.time <= part * single.time)
    }

    /// All but the one with so many lanes, the cheapest first.
    pub(super) fn others(&self, lanes: u32) -> Vec<Candidate> {
        let mut others: Vec<_> = self.all.iter().copied().filter(|candidate| candidate.lanes != lanes).collect();
        others.sort_by(|one, other| one.time.total_cmp(&other.time));
        others
    }
}

/// What gangs spend on values that have no registers; `None` where that is not looked at.
fn spilled(costs: &Costs<'_>, gangs: &Gangs) -> Option<f64> {
    gangs.regions.iter().map(|region| spills(costs, region)).sum()
}

/// As many lanes as the narrowest numbers fill a register with that differ from lane to lane.
fn natural(costs: &Costs<'_>, gangs: &Gangs) -> u32 {
    let bits = varying(costs, gangs).filter_map(|id| bits(costs.function, costs.inst(id))).min();
    bits.map_or(gangs.lanes, |bits| costs.gang.vectors.bits / bits)
}

/// Bits of the numbers that an instruction gives or stores, where these are numbers and no truths.
fn bits(function: &Function<'_>, inst: &Inst<'_>) -> Option<u32> {
    match function.moved_type(inst).scalar()? {
        Scalar::Int(bits) => Some(bits).filter(|bits| *bits >= 8),
        Scalar::Half | Scalar::BFloat => Some(16),
        _ => None,
    }
}

/// Can gangs of so many lanes be written? No access may be longer than the longest vector. And lanes that leave loops in different
/// iterations wait for the last, which is the later the more they are.
fn is_possible(costs: &Costs<'_>, gangs: &Gangs) -> bool {
    let parts = |Traversal { graph, course }: &Traversal| (0..graph.loops.len()).any(|number| course.diverges(number));
    let is_short = |id: InstId| {
        let inst = costs.inst(id);
        let parts = costs.numbers(id).unwrap_or(costs.width(id).parts);
        !matches!(inst.opcode, Opcode::Load | Opcode::Store) || parts * costs.lanes <= LONGEST as f64
    };
    !gangs.regions.iter().any(parts) && varying(costs, gangs).all(is_short)
}

/// Registers that the results of all instructions take. What each lane does by itself is written for each.
fn written(costs: &Costs<'_>, gangs: &Gangs) -> f64 {
    let of = |id: InstId| {
        let Width { registers, parts } = costs.width(id);
        if costs.is_scattered(id) { costs.lanes * parts } else { registers }
    };
    varying(costs, gangs).map(of).sum()
}

/// The instructions of all regions that lanes do not have in common: what varies, and stores.
fn varying<'c>(costs: &'c Costs<'_>, gangs: &'c Gangs) -> impl Iterator<Item = InstId> + 'c {
    let blocks = gangs.regions.iter().flat_map(|region| &region.graph.blocks);
    let ids = blocks.flat_map(|block| costs.block(*block)).copied();
    ids.filter(|id| {
        let inst = costs.inst(*id);
        let varies = matches!(costs.shapes.of(*id), Shape::Varying | Shape::Wrapping(_));
        varies || (matches!(inst.kind, Kind::Plain) && inst.opcode == Opcode::Store)
    })
}
