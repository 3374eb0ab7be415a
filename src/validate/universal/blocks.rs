//! Blocks: what stands where in them, and the graph of their branches.

use std::collections::HashSet;

use oxicl_spirv::grammar::Op;
use oxicl_spirv::{BlockRef, Def, Function, Id, Instruction, Module, Operand, op_name};

use super::dominators::Dominators;
use crate::at::Subject;
use crate::rule::Rule;
use crate::violation::{Fault, Location, Report};

/// The blocks of a function as a graph.
#[derive(Debug)]
pub(crate) struct Graph {
    /// Blocks that branch to each block, without duplicates.
    pub(crate) predecessors: Vec<Vec<u32>>,
    /// Dominators.
    pub(crate) dominators: Dominators,
}

/// True for instructions that end a block.
pub(crate) fn is_terminator(op: Op) -> bool {
    matches!(
        op,
        Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::Return
            | Op::ReturnValue
            | Op::Unreachable
            | Op::Kill
            | Op::TerminateInvocation
            | Op::TerminateRayKHR
            | Op::IgnoreIntersectionKHR
            | Op::EmitMeshTasksEXT
    )
}

/// What an operand of an instruction that names labels, functions or sets is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    Value,
    Label,
    Function,
    InstructionSet,
    AliasList,
}

/// What operand `position` of `op` names, if it is an id.
pub(crate) fn expected(op: Op, position: usize) -> Expected {
    match (op, position) {
        (Op::Branch | Op::LoopMerge | Op::SelectionMerge, _) => Expected::Label,
        (Op::BranchConditional | Op::Switch, 1..) => Expected::Label,
        (Op::Phi, position) if position % 2 == 1 => Expected::Label,
        (Op::FunctionCall, 0) => Expected::Function,
        (Op::ExtInst, 0) => Expected::InstructionSet,
        (Op::Load, 1..) | (Op::Store | Op::CopyMemory, 2..) | (Op::CopyMemorySized, 3..) => Expected::AliasList,
        _ => Expected::Value,
    }
}

/// Labels that a terminator branches to.
fn targets<'m>(module: &'m Module, terminator: &'m Instruction) -> impl Iterator<Item = Id> + 'm {
    let operands = match terminator.op {
        Op::Branch | Op::BranchConditional | Op::Switch => terminator.operands(module),
        _ => &[],
    };
    operands.iter().enumerate().filter_map(|(position, operand)| match operand {
        Operand::Id(id) if expected(terminator.op, position) == Expected::Label => Some(*id),
        _ => None,
    })
}

/// Checks the order of instructions in the blocks of function `number`, and builds the graph; `None` if the blocks make
/// no graph.
pub(crate) fn check(subject: Subject<'_>, number: u32, function: &Function, report: &mut Report) -> Option<Graph> {
    let mut sound = true;
    for (index, block) in function.blocks.iter().enumerate() {
        let location = Location { op: Some(Op::Label), result: Some(block.label), offset: block.offset };
        let ended = block.instructions.last().is_some_and(|last| is_terminator(last.op));
        if !ended {
            report.add(location, fault(Rule::BlockEnd, "the block does not end with a terminator"));
            sound = false;
        }
        sound &= check_order(subject, &block.instructions, index == 0, report);
    }
    if !sound {
        return None;
    }
    check_merges(subject, number, function, report);
    let graph = build(subject, number, function, report)?;
    check_block_order(function, &graph, report);
    check_phis(subject, function, &graph, report);
    Some(graph)
}

fn fault(rule: Rule, detail: impl Into<String>) -> Fault {
    Fault { rule, detail: detail.into() }
}

/// Phis, then variables (in the entry), then the rest, a merge directly before the terminator, which is last.
fn check_order(subject: Subject<'_>, instructions: &[Instruction], entry: bool, report: &mut Report) -> bool {
    let mut sound = true;
    let (mut phis, mut variables) = (true, true);
    let last = instructions.len().saturating_sub(1);
    for (position, instruction) in instructions.iter().enumerate() {
        let op = instruction.op;
        let mut complain = |rule: Rule, detail: String| {
            report.add(subject.location(instruction), fault(rule, detail));
            sound = false;
        };
        if is_terminator(op) && position != last {
            complain(Rule::BlockEnd, format!("{} is followed by other instructions of its block", op_name(op)));
        }
        let follows_merge = position + 1 == last;
        if matches!(op, Op::LoopMerge | Op::SelectionMerge | Op::LoopControlINTEL) && !follows_merge {
            complain(Rule::MergePlacement, format!("{} does not stand directly before the terminator", op_name(op)));
        }
        let next = instructions.get(position + 1).map(|next| next.op);
        match (op, next) {
            (Op::SelectionMerge, Some(Op::BranchConditional | Op::Switch)) => {}
            (Op::LoopMerge | Op::LoopControlINTEL, Some(Op::Branch | Op::BranchConditional)) => {}
            (Op::SelectionMerge | Op::LoopMerge | Op::LoopControlINTEL, Some(next)) if follows_merge => {
                complain(Rule::MergePlacement, format!("{} stands before {}", op_name(op), op_name(next)));
            }
            _ => {}
        }
        let silent = op == Op::ExtInst && is_debug(subject, instruction);
        match op {
            Op::Phi if entry => complain(Rule::PhiPlacement, "OpPhi stands in the entry block".to_owned()),
            Op::Phi if !phis => {
                complain(Rule::PhiPlacement, "OpPhi stands after other instructions of its block".to_owned())
            }
            Op::Variable if !entry => {
                complain(Rule::VariablePlacement, "OpVariable stands outside the entry block".to_owned())
            }
            Op::Variable if !variables => {
                complain(Rule::VariablePlacement, "OpVariable stands after other instructions".to_owned())
            }
            _ => {}
        }
        phis &= op == Op::Phi || silent;
        variables &= matches!(op, Op::Variable | Op::Phi) || silent;
    }
    sound
}

/// A block is the merge block of one header at most.
fn check_merges(subject: Subject<'_>, number: u32, function: &Function, report: &mut Report) {
    let mut merged = HashSet::new();
    for (index, block) in function.blocks.iter().enumerate() {
        let last = block.instructions.len().saturating_sub(1);
        let Some(merge) = last.checked_sub(1).and_then(|at| block.instructions.get(at)) else { continue };
        if !matches!(merge.op, Op::LoopMerge | Op::SelectionMerge) {
            continue;
        }
        let Some(target) = merge.id(subject.module, 0) else { continue };
        let own = Def::Block(BlockRef { function: number, block: index as u32 });
        let is_loop = merge.op == Op::LoopMerge;
        let detail = if subject.module.def(target) == own {
            format!("the merge block {target} is the header itself")
        } else if is_loop && merge.id(subject.module, 1) == Some(target) {
            format!("the merge block {target} is the continue target too")
        } else if matches!(subject.module.def(target), Def::Block(_)) && !merged.insert(target) {
            format!("{target} is the merge block of another header too")
        } else {
            continue;
        };
        report.add(subject.location(merge), fault(Rule::MergeTarget, detail));
    }
}

/// OpExtInst of a set that is no OpenCL.std.
pub(crate) fn is_debug(subject: Subject<'_>, instruction: &Instruction) -> bool {
    let set = instruction.id(subject.module, 0).and_then(|set| subject.module.instruction_sets.get(&set));
    set.is_some_and(|(set, _)| *set != oxicl_spirv::InstructionSet::OpenClStd)
}

fn build(subject: Subject<'_>, number: u32, function: &Function, report: &mut Report) -> Option<Graph> {
    let count = function.blocks.len();
    let mut successors: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut predecessors: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut sound = true;
    for (from, block) in function.blocks.iter().enumerate() {
        let Some(terminator) = block.instructions.last() else { continue };
        let mut complain = |detail: String| {
            report.add(subject.location(terminator), fault(Rule::BranchTarget, detail));
            sound = false;
        };
        for target in targets(subject.module, terminator) {
            match subject.module.def(target) {
                Def::Block(BlockRef { function, block: 0 }) if function == number => {
                    complain("a branch goes to the entry block".to_owned());
                }
                Def::Block(BlockRef { function, block }) if function == number => successors[from].push(block),
                Def::Block(_) => complain(format!("a branch goes to {target} in another function")),
                _ => complain(format!("a branch goes to {target}, which is no label")),
            }
        }
        successors[from].sort_unstable();
        successors[from].dedup();
        for to in &successors[from] {
            predecessors[*to as usize].push(from as u32);
        }
    }
    let dominators = Dominators::of(&successors);
    sound.then_some(Graph { predecessors, dominators })
}

fn check_block_order(function: &Function, graph: &Graph, report: &mut Report) {
    for (index, block) in function.blocks.iter().enumerate() {
        let index = index as u32;
        if graph.dominators.immediate(index).is_some_and(|dominator| dominator > index) {
            let location = Location { op: Some(Op::Label), result: Some(block.label), offset: block.offset };
            report.add(location, fault(Rule::BlockOrder, "the block stands before one that dominates it"));
        }
    }
}

/// Each phi names each predecessor once.
fn check_phis(subject: Subject<'_>, function: &Function, graph: &Graph, report: &mut Report) {
    let mut parents = Vec::new();
    for (index, block) in function.blocks.iter().enumerate() {
        let phis = block.instructions.iter().take_while(|instruction| instruction.op != Op::Variable);
        for phi in phis.filter(|instruction| instruction.op == Op::Phi) {
            parents.clear();
            let mut known = true;
            for (_, operand) in phi.operands(subject.module).iter().enumerate().filter(|(at, _)| at % 2 == 1) {
                match operand {
                    Operand::Id(id) => match subject.module.def(*id) {
                        Def::Block(parent) => parents.push(parent.block),
                        _ => known = false,
                    },
                    Operand::Word(_) => known = false,
                }
            }
            parents.sort_unstable();
            if known && parents != graph.predecessors[index] {
                let detail = format!(
                    "OpPhi has {} parents where its block has {} predecessors, or not the same ones",
                    parents.len(),
                    graph.predecessors[index].len()
                );
                report.add(subject.location(phi), fault(Rule::Phi, detail));
            }
        }
    }
}
