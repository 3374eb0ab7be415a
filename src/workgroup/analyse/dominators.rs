//! Loops of graphs whose nodes are numbers; and where work-items reconverge that diverge at a branch.

use std::collections::{BTreeSet, HashSet};

use crate::bounds::dominators::LARGEST;
use crate::ir::BlockId;
use crate::ir::order::{dominators, reverse_post_order, turned_round};

/// A loop with one way in.
pub(crate) struct NaturalLoop {
    pub(crate) header: usize,
    /// From where it goes into another iteration.
    pub(crate) latches: Vec<usize>,
    pub(crate) nodes: HashSet<usize>,
    /// Where it leads, behind it.
    pub(crate) exits: Vec<usize>,
}

/// The loops of a graph by `order`, a reverse post-order, outer before inner; `None` if there is a loop with several entries.
pub(crate) fn natural_loops(
    successors: &[Vec<usize>],
    predecessors: &[Vec<usize>],
    order: &[usize],
    idom: &[Option<usize>],
) -> Option<Vec<NaturalLoop>> {
    let mut rank = vec![usize::MAX; idom.len()];
    order.iter().enumerate().for_each(|(r, node)| rank[*node] = r);
    let dominates = |above: usize, below: usize| {
        let mut at = below;
        while rank[at] > rank[above] {
            at = idom[at].unwrap_or(at);
        }
        at == above
    };
    let mut found: Vec<NaturalLoop> = Vec::new();
    for latch in order.iter().copied() {
        for header in successors[latch].iter().copied().filter(|h| rank[*h] <= rank[latch]) {
            if !dominates(header, latch) {
                return None;
            }
            match found.iter_mut().find(|l| l.header == header) {
                Some(l) => l.latches.push(latch),
                None => {
                    let (latches, nodes, exits) = (vec![latch], HashSet::from([header]), Vec::new());
                    found.push(NaturalLoop { header, latches, nodes, exits });
                }
            }
        }
    }
    for l in &mut found {
        let mut work = l.latches.clone();
        while let Some(node) = work.pop() {
            if l.nodes.insert(node) {
                work.extend(predecessors[node].iter().copied().filter(|from| rank[*from] != usize::MAX));
            }
        }
        let out = l.nodes.iter().flat_map(|node| &successors[*node]).copied().filter(|next| !l.nodes.contains(next));
        l.exits = out.collect::<BTreeSet<_>>().into_iter().collect();
    }
    found.sort_by_key(|l| rank[l.header]);
    Some(found)
}

/// The graph of one iteration of each loop: instead of into another iteration, a loop goes on behind itself. What each way
/// through *it* reaches, each way through an iteration reaches, but for what is only reached in a later one.
pub(crate) fn of_one_iteration(successors: &[Vec<usize>], loops: &[NaturalLoop], end: usize) -> Vec<Vec<usize>> {
    let mut result = successors.to_vec();
    for l in loops {
        for latch in &l.latches {
            let next = &mut result[*latch];
            next.retain(|to| *to != l.header);
            let exits = if l.exits.is_empty() { std::slice::from_ref(&end) } else { &l.exits[..] };
            next.extend(exits);
            next.sort_unstable();
            next.dedup();
        }
    }
    result
}

/// Where work-items reconverge.
pub(crate) struct Reconvergence {
    /// For each block, the one in which all ways from it meet in the same iteration of all loops; `None` where they end apart.
    pub(crate) points: Vec<Option<BlockId>>,
    pub(crate) loops: Vec<NaturalLoop>,
}

impl Reconvergence {
    /// Where lanes that diverge behind a block may be in different iterations, as they leave a loop around it apart: behind these.
    pub(crate) fn exits_apart(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        let point = self.points[block.index()];
        let left = move |l: &&NaturalLoop| {
            l.nodes.contains(&block.index()) && point.is_none_or(|point| !l.nodes.contains(&point.index()))
        };
        self.loops.iter().filter(left).flat_map(|l| &l.exits).map(|exit| BlockId(*exit as u32))
    }
}

/// Where ways meet in a function whose first block is the entry; `None` if there are loops with several entries, or too many.
pub(crate) fn reconvergence(successors: &[Vec<BlockId>]) -> Option<Reconvergence> {
    // All ends lead to one.
    let end = successors.len();
    let next = |next: &Vec<BlockId>| match next.is_empty() {
        true => vec![end],
        false => next.iter().map(|next| next.index()).collect(),
    };
    let mut forwards: Vec<Vec<usize>> = successors.iter().map(next).collect();
    forwards.push(Vec::new());
    let backwards = turned_round(&forwards);
    let order = reverse_post_order([0], end + 1, |node| &forwards[node]);
    let loops = natural_loops(&forwards, &backwards, &order, &dominators(0, &order, &backwards))?;
    if loops.len().saturating_mul(end) > LARGEST {
        return None;
    }
    let forwards = of_one_iteration(&forwards, &loops, end);
    let backwards = turned_round(&forwards);
    let order = reverse_post_order([end], end + 1, |node| &backwards[node]);
    let found = dominators(end, &order, &forwards).into_iter().take(end);
    let points = found.map(|point| point.filter(|point| *point != end).map(|point| BlockId(point as u32))).collect();
    Some(Reconvergence { points, loops })
}
