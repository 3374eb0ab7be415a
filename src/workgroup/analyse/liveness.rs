//! Which values are alive where a work-item starts again behind a barrier.

use crate::analyse::bits::Bits;
use crate::arena::{BlockId, Function, Kind, Operand};

/// Live values at the start of each state, as indices of instructions.
pub(crate) struct Liveness {
    at_state: Vec<Bits>,
}

impl Liveness {
    pub(crate) fn at_state(&self, state: usize) -> &Bits {
        &self.at_state[state]
    }
}

/// Blocks in an order in which successors mostly come first.
fn post_order(function: &Function<'_>) -> Vec<BlockId> {
    let mut seen = vec![false; function.blocks.len()];
    let mut order = Vec::new();
    let mut stack = vec![(BlockId(0), function.successors_through_cuts(BlockId(0)))];
    seen[0] = true;
    while let Some((block, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(next) => {
                if !std::mem::replace(&mut seen[next.index()], true) {
                    stack.push((next, function.successors_through_cuts(next)));
                }
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order
}

/// Computes liveness.
pub(crate) fn liveness(function: &Function<'_>) -> Liveness {
    let (blocks, insts) = (function.blocks.len(), function.insts.len());
    let mut live_in = vec![Bits::new(insts); blocks];
    if !function.has_cuts() {
        return Liveness { at_state: vec![Bits::new(insts)] };
    }
    // What a block hands to phis of its successors.
    let mut to_phis = vec![Vec::new(); blocks];
    for inst in &function.insts {
        if let Kind::Phi(from) = &inst.kind {
            for (block, operand) in from.iter().zip(&inst.operands) {
                if let Operand::Inst(used) = operand {
                    to_phis[block.index()].push(used.index());
                }
            }
        }
    }
    let order = post_order(function);
    let mut changed = true;
    while changed {
        changed = false;
        for block in &order {
            let live = live_before(function, *block, &live_in, &to_phis[block.index()]);
            changed |= live_in[block.index()].union(&live);
        }
    }
    Liveness { at_state: function.states.iter().map(|b| live_in[b.index()].clone()).collect() }
}

fn live_before(function: &Function<'_>, block: BlockId, live_in: &[Bits], to_phis: &[usize]) -> Bits {
    let mut live = Bits::new(function.insts.len());
    for successor in function.successors_through_cuts(block) {
        live.union(&live_in[successor.index()]);
    }
    for used in to_phis {
        live.insert(*used);
    }
    if let Some(used) = function.terminator_use(block) {
        live.insert(used.index());
    }
    for id in function.block(block).insts.iter().rev() {
        live.remove(id.index());
        let inst = function.inst(*id);
        if matches!(inst.kind, Kind::Phi(_)) {
            continue;
        }
        for operand in &inst.operands {
            if let Operand::Inst(used) = operand {
                live.insert(used.index());
            }
        }
    }
    live
}
