//! Which values are live where a work-item starts again after a barrier.
//!
//! Each use of a value is followed backwards to the definition; the value is live in the blocks on the way. That takes
//! no memory per block and value, so it works for functions of any size.

use crate::bounds::MOST_VALUES_ACROSS_BARRIERS;
use crate::failure::{Result, failure};
use crate::ir::{BlockId, Function, Inst, InstId, Kind, Operand};

/// The blocks that use each value. A phi uses it at the end of the block that it comes from.
fn uses(function: &Function<'_>) -> Vec<Vec<BlockId>> {
    let mut uses = vec![Vec::new(); function.insts.len()];
    let insts = function.insts.iter().filter(|inst| function.reachable[inst.block.index()]);
    let at_end = |block| function.used_at_end(block).iter().map(move |operand| (*operand, block));
    for (operand, block) in insts.flat_map(Inst::uses).chain(function.block_ids().flat_map(at_end)) {
        if let Operand::Inst(used) = operand {
            uses[used.index()].push(block);
        }
    }
    uses
}

/// The live values at the start of each state, in rising order, without the addresses of private objects.
pub(crate) fn live_values(function: &Function<'_>) -> Result<Vec<Vec<InstId>>> {
    let mut at_state = vec![Vec::new(); function.states.len()];
    if !function.has_cuts() {
        return Ok(at_state);
    }
    let blocks = function.blocks.len();
    let mut predecessors = vec![Vec::new(); blocks];
    for block in function.block_ids().filter(|block| function.reachable[block.index()]) {
        for next in function.successors_through_cuts(block) {
            predecessors[next.index()].push(block);
        }
    }
    let mut state_of = vec![None; blocks];
    for (state, start) in function.states.iter().enumerate().skip(1) {
        state_of[start.index()] = Some(state);
    }
    let mut seen = vec![None; blocks];
    let mut work = Vec::new();
    let mut total = 0;
    for ((id, inst), uses) in function.numbered().zip(uses(function)) {
        if matches!(inst.kind, Kind::Alloca) {
            continue;
        }
        // A use in the defining block comes after the definition, except by a phi in a loop of one block. There the
        // value is not live at the block's start either.
        work.extend(uses.into_iter().filter(|b| *b != inst.block));
        while let Some(block) = work.pop() {
            if seen[block.index()].replace(id) == Some(id) {
                continue;
            }
            if let Some(state) = state_of[block.index()] {
                at_state[state].push(id);
                total += 1;
            }
            work.extend(predecessors[block.index()].iter().filter(|b| **b != inst.block));
        }
        if total > MOST_VALUES_ACROSS_BARRIERS {
            return failure("too many values are alive across barriers");
        }
    }
    Ok(at_state)
}
