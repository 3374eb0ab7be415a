//! What a region costs whole gangs of so many lanes.

use crate::ir::{Function, Inst, InstId, Kind, Opcode, Scalar};

use crate::analyse::course::Course;
use crate::analyse::graph::Graph;
use crate::analyse::shape::Shape;
use crate::bounds::candidates::WRITTEN;
use crate::bounds::components::LONGEST;
use crate::plan::candidates::Candidate;
use crate::plan::costs::Costs;
use crate::plan::estimate::estimate_region;
use crate::plan::gangs::Usual;
use crate::plan::masks::share_of_entry;
use crate::plan::presence::Presence;
use crate::plan::pressure::spills;
use crate::plan::recurrence::{Section, sections, waiting};
use crate::recipe::Width;

/// Cycles of a gang beside what its instructions take, for the loop that it is an iteration of: a cost, as processors go back in a
/// loop once a cycle.
const ITERATION: f64 = 1.0;

/// The part of the time that as many lanes more as gangs usually have must save: a cost, as what is left of a row gets longer by as
/// much.
const LEFT: f64 = 0.04;

/// The candidates of a region in the making.
pub(super) struct Pricing<'g> {
    graph: &'g Graph,
    /// The course that most gangs take.
    course: &'g Course,
    /// How often the region runs in the time of one that runs once.
    often: f64,
    sections: Vec<Section>,
    /// Lanes of the narrowest numbers that fill a register: up to these, more are asked for though some did not pay.
    natural: u32,
    /// Instructions that lanes do not have in common.
    pub(super) instructions: usize,
    /// The part of the time of the usual gangs, where these are whole, that they would take longer under a mask.
    pub(super) masked: f64,
    /// The fewest lanes first.
    pub(super) all: Vec<Candidate>,
    /// Do more lanes not pay?
    pub(super) is_done: bool,
}

impl<'g> Pricing<'g> {
    /// Prices gangs of the usual lanes.
    pub(super) fn new(usual: &Costs<'_>, region: Usual<'g>) -> Self {
        let Usual { graph, course, often } = region;
        let mut pricing = Pricing {
            graph,
            course,
            often,
            sections: sections(usual, graph),
            natural: natural(usual, graph),
            instructions: varying(usual, graph).count(),
            masked: 0.0,
            all: Vec::new(),
            is_done: false,
        };
        pricing.price(usual);
        pricing.masked = share_of_entry(usual, graph, course);
        pricing
    }

    /// Prices gangs of so many lanes.
    pub(super) fn price(&mut self, costs: &Costs<'_>) {
        let Pricing { graph, course, .. } = *self;
        let lanes = costs.gang.lanes;
        let presence = Presence::new(costs, graph, course);
        let spilled = spills(costs, graph, &presence);
        self.is_done |= spilled.is_none();
        if !self.all.is_empty() && (self.is_done || !is_possible(costs, graph)) {
            self.is_done = true;
            return;
        }
        let found = estimate_region(costs, graph, course, &presence);
        let vectors = found.gang - found.shared + spilled.unwrap_or(0.0);
        // What is done once goes on beside, but not hand in hand: as with what is waited for, both together take the square root of
        // their squares.
        let of_item = self.often / f64::from(lanes);
        let time = of_item * vectors.hypot(found.shared + ITERATION);
        let waits = of_item * waiting(costs, graph, course, &presence, &self.sections);
        let price = (time + waits) * (1.0 + LEFT * self.longer(lanes) + WRITTEN * written(costs, graph));
        self.is_done |= lanes >= self.natural && self.all.last().is_some_and(|fewer| fewer.price < price);
        self.all.push(Candidate { lanes, time, price });
    }

    /// How many times the usual lanes gangs of so many have more.
    fn longer(&self, lanes: u32) -> f64 {
        self.all.first().map_or(0.0, |usual| f64::from(lanes) / f64::from(usual.lanes) - 1.0)
    }
}

/// As many lanes as the narrowest numbers fill a register with that differ from lane to lane.
fn natural(costs: &Costs<'_>, graph: &Graph) -> u32 {
    let bits = varying(costs, graph).filter_map(|id| bits(costs.function, costs.inst(id))).min();
    bits.map_or(costs.gang.lanes, |bits| costs.gang.vectors.bits / bits)
}

/// Bits of the numbers that an instruction gives or stores, where these are numbers and no truths.
fn bits(function: &Function<'_>, inst: &Inst<'_>) -> Option<u32> {
    match function.moved_type(inst).scalar()? {
        Scalar::Int(bits) => Some(bits).filter(|bits| *bits >= 8),
        Scalar::Half | Scalar::BFloat => Some(16),
        _ => None,
    }
}

/// Can gangs of so many lanes be written? No access may be longer than the longest vector.
fn is_possible(costs: &Costs<'_>, graph: &Graph) -> bool {
    varying(costs, graph).all(|id| {
        let inst = costs.inst(id);
        let parts = costs.numbers(id).unwrap_or(costs.width(id).parts);
        !matches!(inst.opcode, Opcode::Load | Opcode::Store) || parts * costs.lanes <= LONGEST as f64
    })
}

/// Registers that the results of all instructions take. What each lane does by itself is written for each.
fn written(costs: &Costs<'_>, graph: &Graph) -> f64 {
    let of = |id: InstId| {
        let Width { registers, parts } = costs.width(id);
        if costs.is_scattered(id) { costs.lanes * parts } else { registers }
    };
    varying(costs, graph).map(of).sum()
}

/// The instructions of a region that lanes do not have in common: what varies, and stores.
fn varying<'c>(costs: &'c Costs<'_>, graph: &'c Graph) -> impl Iterator<Item = InstId> + 'c {
    let ids = graph.blocks.iter().flat_map(|block| costs.block(*block)).copied();
    ids.filter(|id| {
        let inst = costs.inst(*id);
        let varies = matches!(costs.shapes.of(*id), Shape::Varying | Shape::Wrapping(_));
        varies || (matches!(inst.kind, Kind::Plain) && inst.opcode == Opcode::Store)
    })
}
