//! The order of a function's blocks in which the work-items of a sub-group wait for each other: those that are farther
//! behind may still come to where the others are. Every block stands before those that it leads to, and the blocks of a
//! loop stand together, its header first, but for the ways back to headers.

use std::collections::HashSet;

use oxicl_spirv::{Def, Function, Module, Operand};

/// The place of each block in the order; blocks that control does not come to are last.
pub(crate) fn order(module: &Module, function: &Function) -> Vec<u32> {
    let count = function.blocks.len();
    let successors: Vec<Vec<usize>> = function
        .blocks
        .iter()
        .map(|block| {
            let end = block.instructions.last();
            let operands = end.map_or(&[][..], |end| end.operands(module)).iter();
            let targets = operands.filter_map(|operand| match operand {
                Operand::Id(id) => match module.def(*id) {
                    Def::Block(target) => Some(target.block as usize),
                    _ => None,
                },
                Operand::Word(_) => None,
            });
            targets.filter(|target| *target < count).collect()
        })
        .collect();
    let mut places = vec![u32::MAX; count];
    let mut next = 0;
    // Sets of blocks, each with the one that it is entered by; the first in order on top.
    let mut stack = vec![(0, (0..count).collect::<HashSet<usize>>())];
    while let Some((entry, blocks)) = stack.pop() {
        let parts = components(entry, &blocks, &successors);
        if let [(only, _)] = parts[..]
            && blocks.len() == 1
        {
            places[only] = next;
            next += 1;
            continue;
        }
        stack.extend(parts.into_iter().rev());
    }
    places
}

/// The strongly connected parts of a set of blocks, ways back to its entry left out, in the order in which they lead to
/// each other; each with the block that it is entered by.
fn components(entry: usize, blocks: &HashSet<usize>, successors: &[Vec<usize>]) -> Vec<(usize, HashSet<usize>)> {
    let inside = |block: &usize| blocks.contains(block) && *block != entry;
    let mut seen = HashSet::from([entry]);
    let mut finished = Vec::new();
    let mut stack = vec![(entry, 0)];
    while let Some((block, next)) = stack.last_mut() {
        match successors[*block].get(*next) {
            Some(target) => {
                *next += 1;
                if inside(target) && seen.insert(*target) {
                    stack.push((*target, 0));
                }
            }
            None => {
                finished.push(*block);
                stack.pop();
            }
        }
    }
    let mut predecessors = std::collections::HashMap::<usize, Vec<usize>>::new();
    for block in &finished {
        for target in successors[*block].iter().filter(|target| inside(target)) {
            predecessors.entry(*target).or_default().push(*block);
        }
    }
    let mut parts = Vec::new();
    let mut assigned = HashSet::new();
    for first in finished.into_iter().rev() {
        if !assigned.insert(first) {
            continue;
        }
        let mut part = HashSet::from([first]);
        let mut work = vec![first];
        while let Some(block) = work.pop() {
            for from in predecessors.get(&block).into_iter().flatten() {
                if assigned.insert(*from) {
                    part.insert(*from);
                    work.push(*from);
                }
            }
        }
        parts.push((first, part));
    }
    parts
}
