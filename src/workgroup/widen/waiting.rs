//! Loops in which a work-item waits for what another one does. Lanes of a gang go on together: one that has taken a lock
//! would wait behind the loop for those that still want it. So kernels with such loops run one work-item at a time, unless
//! they do something in sub-groups: then it is a sub-group that waits for another.

use std::collections::{BTreeSet, HashSet};

use oxicl_llvm::{Opcode, Ordering, RmwOp};

use crate::arena::{BlockId, Function, Inst, InstId, Kind, Operand, Terminator};
use crate::plan::Piece;
use crate::widen::graph::{Graph, graph};

/// Does a loop wait by changing what it asks for, as who takes a lock does? Lanes that each want it are not to go on together.
pub(crate) fn locks(function: &Function<'_>, graph: &Graph, number: usize) -> bool {
    let nodes = graph.loops[number].header..graph.loops[number].end;
    let mut insts = nodes.flat_map(|node| &function.block(graph.blocks[node]).insts);
    let changes = |id: &InstId| {
        let inst = function.inst(*id);
        inst.opcode != Opcode::Load && matches!(asks(inst, &|_| false), Asks::Others)
    };
    insts.any(changes) && waits(function, graph, number)
}

/// Has a function something that a loop may ask?
pub(crate) fn may_wait(function: &Function<'_>) -> bool {
    function.insts.iter().any(|inst| matches!(asks(inst, &|_| false), Asks::Others))
}

/// The blocks from which loops of a piece that wait go into another turn.
pub(crate) fn yields(function: &Function<'_>, piece: &Piece) -> BTreeSet<BlockId> {
    if !may_wait(function) {
        return BTreeSet::new();
    }
    let Ok(graph) = graph(function, piece) else { return BTreeSet::new() };
    let waiting = (0..graph.loops.len()).filter(|l| waits(function, &graph, *l));
    waiting.map(|l| graph.blocks[graph.loops[l].latch]).collect()
}

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
        // Whoever comes to a barrier lets others go on.
        if matches!(function.inst(*id).kind, Kind::Barrier | Kind::Collective(..)) {
            return false;
        }
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
            let inst = function.inst(*id);
            if inst.operands.iter().any(uses) || says_which_way(function, inst, &asked) {
                asked.insert(*id);
            }
        }
    }
    let leaves = |node: usize| graph.successors[node].iter().any(|next| !graph.is_in(*next, number));
    let decides = |node: usize| function.terminator_use(graph.blocks[node]).is_some_and(|id| asked.contains(&id));
    nodes.into_iter().any(|node| leaves(node) && decides(node))
}

/// Is it a truth value that says which way a branch went, whose condition was asked for?
fn says_which_way(function: &Function<'_>, inst: &Inst<'_>, asked: &HashSet<InstId>) -> bool {
    let Kind::Phi(from) = &inst.kind else { return false };
    let decided = |block: &BlockId| {
        let conditional =
            matches!(&function.block(*block).terminator, Terminator::Branch { successors, .. } if successors.len() > 1);
        conditional && function.terminator_use(*block).is_some_and(|id| asked.contains(&id))
    };
    let is_truth = inst.value.ty().is_int() && inst.value.ty().int_width() == 1;
    is_truth && from.iter().any(decided)
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
