//! What a region costs whole gangs of a given number of lanes.

use crate::ir::{Function, Inst, InstId, Kind, Opcode, Scalar};

use crate::analyse::course::Course;
use crate::analyse::graph::Graph;
use crate::analyse::shape::Shape;
use crate::bounds::{LONGEST_ACCESS, WRITTEN};
use crate::plan::candidates::Candidate;
use crate::plan::costs::Costs;
use crate::plan::estimate::estimate_region;
use crate::plan::gangs::GangRegion;
use crate::plan::masks::share_of_entry;
use crate::plan::presence::Presence;
use crate::plan::pressure::{Spills, spills};
use crate::plan::recurrence::{Section, sections, waiting};
use crate::recipe::Width;

/// Cycles that the loop over gangs, or over work-items, adds to each. A cost: processors take a back edge once a cycle.
pub(super) const ITERATION: f64 = 1.0;

/// The part of the time that a gang has to save for each further multiple of the usual lanes. A cost: the remainder of
/// a row grows in proportion. Of 0.02 to 0.12, this makes the best choices for 120 kernels (x86-64-v3 on Zen 4).
const LEFT: f64 = 0.04;

/// The candidates of a region, as they are priced.
pub(super) struct Pricing<'g> {
    graph: &'g Graph,
    /// The course that most gangs take.
    course: &'g Course,
    /// How often the region runs, where 1.0 is a region that runs once.
    often: f64,
    sections: Vec<Section>,
    /// Lanes whose narrowest varying numbers fill a register. Up to there, not paying does not end the search.
    natural: u32,
    /// Instructions that vary from lane to lane.
    pub(super) instructions: usize,
    /// The part of the usual gangs' time under a mask that goes to the mask.
    pub(super) masked: f64,
    /// The fewest lanes first.
    pub(super) all: Vec<Candidate>,
    /// Is there no point in pricing more lanes?
    pub(super) is_done: bool,
}

impl<'g> Pricing<'g> {
    /// Prices gangs of the usual lanes.
    pub(super) fn new(usual: &Costs<'_>, region: &'g GangRegion) -> Self {
        let (graph, course) = (&region.graph, region.usual());
        let mut pricing = Pricing {
            graph,
            course,
            often: region.often,
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

    /// Prices gangs of the lanes that `costs` is for.
    pub(super) fn price(&mut self, costs: &Costs<'_>) {
        let Pricing { graph, course, .. } = *self;
        let lanes = costs.gang.lanes;
        let presence = Presence::new(costs, graph, course);
        let spilled = spills(costs, graph, course, &presence);
        self.is_done |= spilled.is_none();
        if !self.all.is_empty() && (self.is_done || !is_possible(costs, graph)) {
            self.is_done = true;
            return;
        }
        let found = estimate_region(costs, graph, course, &presence);
        let Spills { price: spilled, parts } = spilled.unwrap_or_default();
        // Stores and loads of what is spilled, and what is done once, overlap with the vectors, but not perfectly. As
        // with waiting, they together take the square root of the sum of their squares.
        let vectors = (found.gang - found.shared).hypot(spilled);
        let of_item = self.often / f64::from(lanes);
        let time = of_item * (vectors.hypot(found.shared + ITERATION) + found.refetched);
        let waits = of_item * waiting(costs, graph, course, &presence, &self.sections, &parts);
        let price = (time + waits) * (1.0 + LEFT * self.longer(lanes) + WRITTEN * written(costs, graph));
        self.is_done |= lanes >= self.natural && self.all.last().is_some_and(|fewer| fewer.price < price);
        self.all.push(Candidate { lanes, time, price });
    }

    /// How much longer a gang is than a usual one, in multiples of the latter.
    fn longer(&self, lanes: u32) -> f64 {
        self.all.first().map_or(0.0, |usual| f64::from(lanes) / f64::from(usual.lanes) - 1.0)
    }
}

/// How many of the narrowest varying numbers fill a register.
fn natural(costs: &Costs<'_>, graph: &Graph) -> u32 {
    let bits = varying(costs, graph).filter_map(|id| bits(costs.function, costs.inst(id))).min();
    bits.map_or(costs.gang.lanes, |bits| costs.gang.vectors.bits / bits)
}

/// Bits of the integers or half-precision numbers that an instruction gives or stores; `None` of booleans and others.
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
        let parts = costs.price(id).numbers.unwrap_or(costs.width(id).parts);
        !matches!(inst.opcode, Opcode::Load | Opcode::Store) || parts * costs.lanes <= LONGEST_ACCESS as f64
    })
}

/// Registers that the results of all instructions take. What each lane does by itself is written for each lane.
fn written(costs: &Costs<'_>, graph: &Graph) -> f64 {
    let of = |id: InstId| {
        let Width { registers, parts } = costs.width(id);
        if costs.price(id).scattered { costs.lanes * parts } else { registers }
    };
    varying(costs, graph).map(of).sum()
}

/// The instructions of a region that vary from lane to lane, and the stores.
fn varying<'c>(costs: &'c Costs<'_>, graph: &'c Graph) -> impl Iterator<Item = InstId> + 'c {
    let ids = graph.blocks.iter().flat_map(|block| costs.block(*block)).copied();
    ids.filter(|id| {
        let inst = costs.inst(*id);
        let varies = matches!(costs.shape_of(*id), Shape::Varying | Shape::Wrapping(_));
        varies || (matches!(inst.kind, Kind::Plain) && inst.opcode == Opcode::Store)
    })
}
