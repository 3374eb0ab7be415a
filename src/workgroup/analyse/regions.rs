//! Regions: what runs between two barriers, and whether work-items may diverge in one.

use std::collections::HashMap;

use crate::analyse::dominators::spread;
use crate::analyse::shape::Shapes;
use crate::bounds::{PROGRESS_STEPS, REGIONS, REGIONS_OF_GANGS, REPEAT_FACTOR, REPEAT_SLACK};
use crate::declined::Declined;
use crate::ir::order::reverse_post_order;
use crate::ir::{BlockId, Function, InstId, StateId, Terminator};

/// How a region may end for a work-item: at the barrier of a state, or with a return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Exit {
    Cut(StateId),
    Return,
}

impl Exit {
    /// The number that stands for it in generated code.
    pub(crate) fn code(self) -> u64 {
        match self {
            Exit::Cut(state) => u64::from(state.0),
            Exit::Return => u64::from(u32::MAX),
        }
    }
}

/// What a state reaches before the next barrier. All work-items run it before anything else.
pub(crate) struct Region {
    /// Where work-items enter: one state, or all of them in the region that serves every state.
    pub(crate) states: Vec<StateId>,
    /// Blocks, each before those that it dominates.
    pub(crate) blocks: Vec<BlockId>,
    /// The ways out.
    pub(crate) exits: Vec<Exit>,
}

/// A back edge, as positions in the region's `blocks`.
pub(crate) struct BackEdge {
    pub(crate) latch: usize,
    pub(crate) header: usize,
}

impl Region {
    /// May its work-items leave it by different exits?
    pub(crate) fn may_diverge(&self, progress: Progress) -> bool {
        progress == Progress::MayDiverge && self.exits.len() > 1
    }

    /// The states at which it ends, unless it returns.
    pub(crate) fn next_states(&self) -> impl Iterator<Item = StateId> {
        self.exits.iter().filter_map(|exit| if let Exit::Cut(state) = exit { Some(*state) } else { None })
    }

    /// Its instructions, in the order of its blocks.
    pub(crate) fn insts<'r>(&'r self, function: &'r Function<'_>) -> impl Iterator<Item = InstId> + 'r {
        self.blocks.iter().flat_map(|block| &function.block(*block).insts).copied()
    }

    /// The back edges of its loops.
    pub(crate) fn back_edges(&self, function: &Function<'_>) -> Vec<BackEdge> {
        let order: HashMap<_, _> = self.blocks.iter().enumerate().map(|(place, block)| (*block, place)).collect();
        let ways = self.blocks.iter().enumerate().flat_map(|(latch, block)| {
            let next = function.successors(*block).iter().filter_map(|next| order.get(next).copied());
            next.filter(move |header| *header <= latch).map(move |header| BackEdge { latch, header })
        });
        ways.collect()
    }
}

/// The blocks from the starts of `states` up to the next cuts.
pub(crate) fn region(function: &Function<'_>, states: Vec<StateId>) -> Region {
    let starts = states.iter().rev().map(|state| function.states[state.index()]);
    let blocks = reverse_post_order(starts, function.blocks.len(), |block| function.successors(block));
    let mut exits: Vec<Exit> = blocks.iter().filter_map(|b| exit_of(function, *b)).collect();
    exits.sort_unstable();
    exits.dedup();
    Region { states, blocks, exits }
}

/// The exit that a block takes, if it ends a region.
pub(crate) fn exit_of(function: &Function<'_>, block: BlockId) -> Option<Exit> {
    match &function.block(block).terminator {
        Terminator::Cut { state, .. } => Some(Exit::Cut(*state)),
        Terminator::Return(_) => Some(Exit::Return),
        _ => None,
    }
}

/// How the states of a kernel follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// All work-items provably go from state to state together.
    Together,
    /// They usually do so, but may diverge: some may return early.
    MayDiverge,
    /// One region serves all states. A region each would repeat too much code, for this reason.
    OneRegion(Declined),
}

pub(crate) fn progress(function: &Function<'_>, shapes: &Shapes, regions: &[Region]) -> Progress {
    let count = |blocks: &[BlockId]| blocks.iter().map(|b| function.block(*b).insts.len() + 1).sum::<usize>();
    let repeated: usize = regions.iter().map(|p| count(&p.blocks)).sum();
    let (most, reason) = match function.has_sub_group_operations() {
        true => (REGIONS_OF_GANGS, Declined::ManyRegionsOfGangs),
        false => (REGIONS, Declined::ManyRegions),
    };
    if regions.len() > most {
        return Progress::OneRegion(reason);
    }
    if repeated > function.insts.len() * REPEAT_FACTOR + REPEAT_SLACK {
        return Progress::OneRegion(Declined::LongRegions);
    }
    let mut labels = vec![None; function.blocks.len()];
    let mut budget = PROGRESS_STEPS;
    for region in regions.iter().filter(|p| p.exits.len() > 1) {
        for block in region.blocks.iter().filter(|b| shapes.is_divergent(function, **b)) {
            if budget < region.blocks.len() {
                return Progress::MayDiverge;
            }
            budget -= region.blocks.len();
            let joins = spread(*block, None, &function.rank, &mut labels, |b| function.successors(b));
            let ends = || joins.labels.iter().filter_map(|(b, label)| exit_of(function, *b).map(|e| (e, *label)));
            // If there are several exits and several labels, some two ends differ in both.
            let Some((exit, label)) = ends().next() else { continue };
            if ends().any(|(e, _)| e != exit) && ends().any(|(_, l)| l != label) {
                return Progress::MayDiverge;
            }
        }
    }
    Progress::Together
}
