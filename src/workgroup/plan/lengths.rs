//! Which gangs a region has code for. The code for gangs under a mask does for whole ones, too. Whole gangs have code
//! of their own, for one or several lengths, where that saves time.

use crate::analyse::course::{Mask, Traversal};
use crate::bounds::USUAL_BODY;
use crate::ir::Function;
use crate::plan::candidates::Candidates;
use crate::plan::gangs::Gangs;
use crate::plan::guards::is_worth_a_body;

/// The lanes of the whole gangs that a region is written for, the longest first. Shorter ones, for rows that are too
/// short for the longest, are written where they are worth the code.
pub(super) fn lengths(
    function: &Function<'_>,
    gangs: &Gangs,
    number: usize,
    longest: u32,
    candidates: &Candidates,
) -> Vec<u32> {
    let instructions = instructions(function, &gangs.regions[number], |_| true);
    let shorter = std::iter::successors(Some(gangs.lanes), |lanes| Some(lanes * 2));
    let mut lengths = Vec::new();
    // Each length has to save time over the shorter ones chosen so far.
    for lanes in shorter.take_while(|lanes| *lanes < longest) {
        if is_worth_a_body(candidates.saved_by(number, lanes, lengths.last().copied()), instructions) {
            lengths.push(lanes);
        }
    }
    lengths.push(longest);
    lengths.reverse();
    lengths
}

/// Is a region written only once, for gangs under a mask? In the baseline tier, always. Else if most of it is masked
/// anyway, it is long, or lanes go to places of their own; unless code for whole gangs saves enough.
pub(super) fn is_written_once(function: &Function<'_>, gangs: &Gangs, number: usize, candidates: &Candidates) -> bool {
    let region = &gangs.regions[number];
    let all = instructions(function, region, |_| true);
    let masked = instructions(function, region, |mask| mask != Mask::Entry);
    let longest = gangs.lengths[number][0];
    let gains_little = || !is_worth_a_body(candidates.saved_by_whole(number, longest), all);
    let mostly_masked = gangs.lengths[number] == [gangs.lanes] && 2 * masked > all;
    gangs.is_plain || ((mostly_masked || gangs.scattered > 0 || all > USUAL_BODY) && gains_little())
}

/// Counts the instructions of a region under masks that are meant.
fn instructions(function: &Function<'_>, Traversal { graph, course }: &Traversal, is_meant: fn(Mask) -> bool) -> usize {
    let nodes = (0..graph.end()).filter(|node| is_meant(course.masks[*node]));
    nodes.map(|node| function.block(graph.blocks[node]).insts.len()).sum()
}
