//! The blocks of a region as a graph: dominators, loops, and an order in which everything that a block dominates
//! directly follows it and loops are contiguous.
//!
//! Nodes are numbered in that order. The last number is the end, the successor of every block that leaves the region.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::analyse::dominators::{NaturalLoop, natural_loops, of_one_iteration};
use crate::analyse::induction::{Bound, bounds};
use crate::analyse::regions::Region;
use crate::bounds::BLOCKS;
use crate::declined::Declined;
use crate::ir::order::{dominators, ranks, reverse_post_order, turned_round};
use crate::ir::{BlockId, Function, InstId};

/// A loop with one back edge, whose latch is no other loop's.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) header: usize,
    pub(crate) latch: usize,
    /// Number of the loop around it.
    pub(crate) parent: Option<usize>,
    /// One past the last of its nodes, which are contiguous from the header on.
    pub(crate) end: usize,
    /// What its branches compare its counters with.
    pub(crate) bounds: Vec<Bound>,
}

impl Loop {
    /// Its nodes, in order.
    pub(crate) fn nodes(&self) -> Range<usize> {
        self.header..self.end
    }
}

/// The control flow of a region.
pub(crate) struct Graph {
    pub(crate) blocks: Vec<BlockId>,
    pub(crate) numbers: HashMap<BlockId, usize>,
    /// The successors of each node, without repetition.
    pub(crate) successors: Vec<Vec<usize>>,
    pub(crate) predecessors: Vec<Vec<usize>>,
    /// Immediate dominator; the first node's is itself.
    dominators: Vec<usize>,
    /// Immediate post-dominator; the end's is itself.
    post_dominators: Vec<usize>,
    pub(crate) loops: Vec<Loop>,
    /// The innermost loop of each node.
    innermost: Vec<Option<usize>>,
}

impl Graph {
    /// The number of the end.
    pub(crate) fn end(&self) -> usize {
        self.blocks.len()
    }

    pub(crate) fn dominator(&self, node: usize) -> usize {
        self.dominators[node]
    }

    pub(crate) fn post_dominator(&self, node: usize) -> usize {
        self.post_dominators[node]
    }

    /// Does every path from `from` to the end go through `node`?
    pub(crate) fn post_dominates(&self, node: usize, from: usize) -> bool {
        let mut at = from;
        while at != node && at != self.end() {
            at = self.post_dominators[at];
        }
        at == node
    }

    /// Does every path to `to` go through `node`?
    pub(crate) fn dominates(&self, node: usize, to: usize) -> bool {
        let mut at = to;
        while at > node {
            at = self.dominators[at];
        }
        at == node
    }

    /// Does a path lead from one node to another, which may be the same?
    pub(crate) fn leads(&self, from: usize, to: usize) -> bool {
        let (mut work, mut seen) = (vec![from], vec![false; self.end() + 1]);
        while let Some(node) = work.pop() {
            if node == to {
                return true;
            }
            if !std::mem::replace(&mut seen[node], true) {
                work.extend_from_slice(&self.successors[node]);
            }
        }
        false
    }

    pub(crate) fn innermost(&self, node: usize) -> Option<usize> {
        self.innermost.get(node).copied().flatten()
    }

    pub(crate) fn is_in(&self, node: usize, number: usize) -> bool {
        self.loops[number].nodes().contains(&node)
    }

    /// Does an edge lead from a node out of a loop?
    pub(crate) fn leaves(&self, node: usize, number: usize) -> bool {
        self.successors[node].iter().any(|next| !self.is_in(*next, number))
    }

    /// The nodes of a loop that an edge leads out from.
    pub(crate) fn exits(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        self.loops[number].nodes().filter(move |node| self.leaves(*node, number))
    }

    /// The instructions of a loop, in order.
    pub(crate) fn insts<'g>(&'g self, function: &'g Function<'_>, number: usize) -> impl Iterator<Item = InstId> + 'g {
        self.loops[number].nodes().flat_map(|node| &function.block(self.blocks[node]).insts).copied()
    }

    /// Is a block in a loop?
    pub(crate) fn holds(&self, number: usize, block: BlockId) -> bool {
        self.numbers.get(&block).is_some_and(|node| self.is_in(*node, number))
    }

    /// How many loops a node is in.
    pub(crate) fn depth(&self, node: usize) -> usize {
        self.around(node).count()
    }

    /// The loops that a node is in, from the innermost one out.
    pub(crate) fn around(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.innermost(node), |number| self.loops[*number].parent)
    }

    /// Does a loop contain no other loop?
    pub(crate) fn is_innermost(&self, number: usize) -> bool {
        self.loops.iter().all(|other| other.parent != Some(number))
    }

    /// The loop that a node is the header of.
    pub(crate) fn headed(&self, node: usize) -> Option<usize> {
        self.innermost(node).filter(|l| self.loops[*l].header == node)
    }

    /// The loop that a node is the latch of.
    pub(crate) fn latched(&self, node: usize) -> Option<usize> {
        (0..self.loops.len()).find(|l| self.loops[*l].latch == node)
    }
}

/// The successors of each block, without repetition, before the final numbers are known; the end comes last.
fn edges(function: &Function<'_>, blocks: &[BlockId]) -> Vec<Vec<usize>> {
    let numbers: HashMap<BlockId, usize> = blocks.iter().enumerate().map(|(n, b)| (*b, n)).collect();
    let of_block = |block: &BlockId| {
        let mut seen = Vec::new();
        for next in function.successors(*block).iter().map(|next| numbers[next]) {
            if !seen.contains(&next) {
                seen.push(next);
            }
        }
        if seen.is_empty() { vec![blocks.len()] } else { seen }
    };
    blocks.iter().map(of_block).chain([Vec::new()]).collect()
}

/// Makes the graph of a region with one state.
pub(crate) fn graph(function: &Function<'_>, region: &Region) -> Result<Graph, Declined> {
    if region.blocks.len() > BLOCKS {
        return Err(Declined::ManyBlocks);
    }
    let successors = edges(function, &region.blocks);
    let predecessors = turned_round(&successors);
    let count = region.blocks.len();
    let order = reverse_post_order([0], count + 1, |node| &successors[node]);
    let idom = dominators(0, &order, &predecessors);
    let raw_loops = natural_loops(&successors, &predecessors, &order, &idom);
    let raw_loops = raw_loops.ok_or(Declined::SeveralEntries)?;
    if raw_loops.iter().any(|l| l.latches.len() > 1) {
        return Err(Declined::SeveralWaysBack);
    }
    // LLVM gives each loop a latch of its own, but not loops that begin after a cut.
    let mut latches = HashSet::new();
    if !raw_loops.iter().flat_map(|l| &l.latches).all(|latch| latches.insert(*latch)) {
        return Err(Declined::SharedWayBack);
    }
    if raw_loops.iter().any(|l| l.exits.is_empty()) {
        return Err(Declined::Endless);
    }
    let mut innermost = vec![None; count + 1];
    for (number, l) in raw_loops.iter().enumerate() {
        // Inner loops come later.
        l.nodes.iter().for_each(|node| innermost[*node] = Some(number));
    }
    let final_order = compact(&order, &idom, &raw_loops, &innermost);
    let mut number = ranks(&final_order, count + 1);
    number[count] = count;
    let renumber = |lists: &[Vec<usize>]| {
        let mut result = vec![Vec::new(); count + 1];
        for (node, list) in lists.iter().enumerate() {
            result[number[node]] = list.iter().map(|n| number[*n]).collect();
        }
        result
    };
    // A node that some lanes reach only in a later iteration does not post-dominate in this one.
    let iteration = of_one_iteration(&successors, &raw_loops, count);
    let turned = turned_round(&iteration);
    let backwards = reverse_post_order([count], count + 1, |node| &turned[node]);
    if backwards.len() != count + 1 {
        return Err(Declined::Endless);
    }
    let post = dominators(count, &backwards, &iteration);
    let loops: Vec<Loop> = raw_loops
        .iter()
        .enumerate()
        .map(|(index, l)| Loop {
            header: number[l.header],
            latch: number[l.latches[0]],
            parent: (0..index).rev().find(|outer| raw_loops[*outer].nodes.contains(&l.header)),
            end: number[l.header] + l.nodes.len(),
            bounds: Vec::new(),
        })
        .collect();
    let mut result = Graph {
        blocks: final_order.iter().map(|node| region.blocks[*node]).collect(),
        numbers: HashMap::new(),
        successors: renumber(&successors),
        predecessors: renumber(&predecessors),
        dominators: vec![0; count + 1],
        post_dominators: vec![count; count + 1],
        loops,
        innermost: vec![None; count + 1],
    };
    for node in 0..=count {
        result.dominators[number[node]] = number[idom[node].unwrap_or(0)];
        result.post_dominators[number[node]] = number[post[node].unwrap_or(count)];
        result.innermost[number[node]] = innermost[node];
    }
    result.numbers = result.blocks.iter().enumerate().map(|(n, b)| (*b, n)).collect();
    for number in 0..result.loops.len() {
        let l = &result.loops[number];
        let stays = |node: usize| result.successors[node].iter().map(|next| result.is_in(*next, number)).collect();
        let blocks = l.nodes().map(|node| (result.blocks[node], stays(node)));
        result.loops[number].bounds = bounds(function, result.blocks[l.header], blocks);
    }
    Ok(result)
}

/// The final order: the nodes that a node dominates follow it, in reverse post-order, those outside its loop last.
fn compact(order: &[usize], idom: &[Option<usize>], loops: &[NaturalLoop], innermost: &[Option<usize>]) -> Vec<usize> {
    enum Step {
        Node(usize),
        Leave(usize),
    }
    let end = idom.len() - 1;
    let mut children = vec![Vec::new(); idom.len()];
    for node in order.iter().copied().filter(|n| *n != 0 && *n != end) {
        children[idom[node].unwrap_or(0)].push(node);
    }
    let rank = ranks(order, idom.len());
    let mut later: Vec<Vec<usize>> = vec![Vec::new(); loops.len()];
    let mut result = Vec::with_capacity(end);
    let mut stack = vec![Step::Node(0)];
    while let Some(step) = stack.pop() {
        match step {
            Step::Node(node) => {
                result.push(node);
                if let Some(l) = innermost[node].filter(|l| loops[*l].header == node) {
                    stack.push(Step::Leave(l));
                }
                for child in children[node].iter().rev().copied() {
                    // The outermost loop that the node is in and the child is not.
                    let left = loops.iter().position(|l| l.nodes.contains(&node) && !l.nodes.contains(&child));
                    match left {
                        Some(number) => later[number].push(child),
                        None => stack.push(Step::Node(child)),
                    }
                }
            }
            Step::Leave(number) => {
                let mut nodes = std::mem::take(&mut later[number]);
                nodes.sort_by_key(|node| std::cmp::Reverse(rank[*node]));
                stack.extend(nodes.into_iter().map(Step::Node));
            }
        }
    }
    result
}
