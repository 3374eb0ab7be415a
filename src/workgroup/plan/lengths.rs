//! Which gangs a region has code for: those that may be partial, under a mask, do for whole ones as well; whole ones of one or
//! several lengths have code of their own where that saves time.

use crate::analyse::course::{Mask, Traversal};
use crate::bounds::gangs::{LARGE, SHORT_OF_SCATTERED, SMALL, SMALLEST};
use crate::ir::Function;
use crate::plan::costs::Costs;
use crate::plan::gangs::Gangs;
use crate::plan::guards::WORTH;
use crate::plan::masks::share_of_entry;

/// Lanes of the whole gangs that a region is written for, the longest first; `interleaved` are those of one that waits for its own
/// results. Rows that are too short for the longest have shorter ones, in fewer steps the longer the region.
pub(super) fn lengths(
    function: &Function<'_>,
    gangs: &Gangs,
    region: &Traversal,
    interleaved: Option<u32>,
) -> Vec<u32> {
    let mut lengths: Vec<u32> = interleaved.into_iter().chain([gangs.whole]).collect();
    let insts = instructions(function, region, |_| true);
    if gangs.is_narrow && insts <= SMALLEST {
        let halves = std::iter::successors(Some(gangs.whole / 2), |lanes| Some(lanes / 2));
        lengths.extend(halves.take_while(|lanes| *lanes > gangs.lanes));
    }
    let most = if gangs.is_narrow { LARGE } else { SMALL };
    if gangs.whole > gangs.lanes && insts <= most {
        lengths.push(gangs.lanes);
    }
    lengths
}

/// Is a region written for gangs under a mask only? Where most of it lies under one anyway, that costs nothing. Else the longer the
/// region, the more of the time has to go to the mask for whole gangs to have code of their own.
pub(super) fn is_written_once(costs: &Costs<'_>, gangs: &Gangs, region: &Traversal) -> bool {
    let all = instructions(costs.function, region, |_| true);
    let masked = instructions(costs.function, region, |mask| mask != Mask::Entry);
    let length = all as f64 / SHORT_OF_SCATTERED as f64;
    let gains_little = || gangs.scattered > 0 && share_of_entry(costs, region) <= WORTH * length;
    gangs.is_plain
        || all > LARGE
        || (gangs.whole == gangs.lanes && 2 * masked > all)
        || (length > 1.0 && gains_little())
}

/// Instructions of a region under such masks.
fn instructions(function: &Function<'_>, Traversal { graph, course }: &Traversal, is_meant: fn(Mask) -> bool) -> usize {
    let nodes = (0..graph.end()).filter(|node| is_meant(course.masks[*node]));
    nodes.map(|node| function.block(graph.blocks[node]).insts.len()).sum()
}
