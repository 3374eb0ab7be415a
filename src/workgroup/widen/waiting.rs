//! Loops in which a work-item waits for what another one does. Lanes of a gang go on together: one that has taken a lock
//! would wait behind the loop for those that still want it. So kernels with such loops run one work-item at a time.

use std::collections::HashSet;

use oxicl_llvm::{Opcode, Ordering, RmwOp};

use crate::arena::{Function, Inst, InstId, Operand};
use crate::widen::graph::Graph;

/// Does a loop end when an atomic operation finds something that the loop itself does not bring about?
pub(crate) fn waits(function: &Function<'_>, graph: &Graph, number: usize) -> bool {
    let nodes = graph.loops[number].header..graph.loops[number].end;
    let insts: Vec<InstId> =
        nodes.clone().flat_map(|node| function.block(graph.blocks[node]).insts.iter().copied()).collect();
    let of_loop = |operand: &Operand<'_>| match operand {
        Operand::Inst(id) => {
            graph.numbers.get(&function.inst(*id).block).is_some_and(|node| graph.is_in(*node, number))
        }
        _ => false,
    };
    let mut asked: HashSet<InstId> = HashSet::new();
    for id in &insts {
        match asks(function.inst(*id), &of_loop) {
            Asks::Nothing => {}
            Asks::Others => {
                asked.insert(*id);
            }
            // Whoever fails has seen another succeed, and tries again with what is there now.
            Asks::Again => return false,
        }
    }
    let mut size = 0;
    while asked.len() != size {
        size = asked.len();
        for id in &insts {
            let uses = |operand: &Operand<'_>| matches!(operand, Operand::Inst(used) if asked.contains(used));
            if function.inst(*id).operands.iter().any(uses) {
                asked.insert(*id);
            }
        }
    }
    let leaves = |node: usize| graph.successors[node].iter().any(|next| !graph.is_in(*next, number));
    let decides = |node: usize| function.terminator_use(graph.blocks[node]).is_some_and(|id| asked.contains(&id));
    nodes.into_iter().any(|node| leaves(node) && decides(node))
}

/// What an instruction of a loop finds out.
enum Asks {
    Nothing,
    /// What others did, which may be nothing yet.
    Others,
    /// Whether nobody came between: it compares with what was read in this turn.
    Again,
}

fn asks(inst: &Inst<'_>, of_loop: &dyn Fn(&Operand<'_>) -> bool) -> Asks {
    let value = inst.value;
    match inst.opcode {
        Opcode::Load if value.is_volatile() || value.ordering() != Ordering::NotAtomic => Asks::Others,
        Opcode::AtomicCmpXchg if inst.operands.get(1).is_some_and(of_loop) => Asks::Again,
        Opcode::AtomicCmpXchg => Asks::Others,
        Opcode::AtomicRmw => {
            // One that counts gets somewhere by itself.
            let counts = matches!(value.rmw_op(), Some(RmwOp::Add | RmwOp::Sub))
                && value.operand(1).and_then(|number| number.as_u64()) != Some(0);
            if counts || inst.operands.get(1).is_some_and(of_loop) { Asks::Nothing } else { Asks::Others }
        }
        _ => Asks::Nothing,
    }
}
