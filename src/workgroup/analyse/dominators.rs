//! Natural loops of graphs whose nodes are numbers, and where work-items join and reconverge that diverged at a branch.
//!
//! Joins are found by labels that spread from each successor of the branch along the edges. A block that two labels
//! reach is a join, and spreads a label of its own. A label that comes back to the branch spreads on from there, so
//! that the exit of a loop that work-items leave in different iterations is a join too. Each block's label changes at
//! most twice. Blocks spread in reverse post-order: a block that spread before all its labels were there would turn
//! later blocks into joins. Where all paths from the branch meet, work-items reconverge, so no label spreads from
//! there.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashSet};

use crate::bounds::RECONVERGENCE;
use crate::ir::BlockId;
use crate::ir::order::{dominators, ranks, reverse_post_order, turned_round};

/// A loop with one entry, its header.
pub(crate) struct NaturalLoop {
    pub(crate) header: usize,
    /// The sources of its back edges.
    pub(crate) latches: Vec<usize>,
    pub(crate) nodes: HashSet<usize>,
    /// The nodes outside the loop to which its edges lead.
    pub(crate) exits: Vec<usize>,
}

/// The loops of a graph, outer before inner; `order` is a reverse post-order. `None` if a loop has several entries.
pub(crate) fn natural_loops(
    successors: &[Vec<usize>],
    predecessors: &[Vec<usize>],
    order: &[usize],
    idom: &[Option<usize>],
) -> Option<Vec<NaturalLoop>> {
    let rank = ranks(order, idom.len());
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

/// The graph of one iteration of each loop: edges to the loop's exits replace its back edges. In it a node
/// post-dominates the same nodes as before, except where paths reach it only in a later iteration.
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
    /// For each block, the one in which all paths from it meet in the same iteration of all loops, if they do.
    pub(crate) points: Vec<Option<BlockId>>,
    pub(crate) loops: Vec<NaturalLoop>,
}

impl Reconvergence {
    /// The exits of loops that lanes may leave in different iterations if they diverge at the end of a block: the loops
    /// around it in which they do not reconverge.
    pub(crate) fn exits_apart(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        let point = self.points[block.index()];
        let left = move |l: &&NaturalLoop| {
            l.nodes.contains(&block.index()) && point.is_none_or(|point| !l.nodes.contains(&point.index()))
        };
        self.loops.iter().filter(left).flat_map(|l| &l.exits).map(|exit| BlockId(*exit as u32))
    }
}

/// Where paths meet in a function; `None` if a loop has several entries, or there are too many loops and blocks.
pub(crate) fn reconvergence(successors: &[Vec<BlockId>]) -> Option<Reconvergence> {
    // All blocks without successors lead to one end.
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
    if loops.len().saturating_mul(end) > RECONVERGENCE {
        return None;
    }
    let forwards = of_one_iteration(&forwards, &loops, end);
    let backwards = turned_round(&forwards);
    let order = reverse_post_order([end], end + 1, |node| &backwards[node]);
    let found = dominators(end, &order, &forwards).into_iter().take(end);
    let points = found.map(|point| point.filter(|point| *point != end).map(|point| BlockId(point as u32))).collect();
    Some(Reconvergence { points, loops })
}

/// Joins of one branch, and the label of every block that was reached.
pub(crate) struct Joins {
    pub(crate) joins: Vec<BlockId>,
    pub(crate) labels: Vec<(BlockId, BlockId)>,
}

/// Spreads labels from the successors of `branch`, up to `end`, along edges that `follow` gives for a block. `labels`
/// is scratch space, one entry a block, all `None`; it is given back so. `rank` is the order of blocks.
pub(crate) fn spread<'f>(
    branch: BlockId,
    end: Option<BlockId>,
    rank: &[u32],
    labels: &mut [Option<BlockId>],
    follow: impl Fn(BlockId) -> &'f [BlockId],
) -> Joins {
    let mut reached = Vec::new();
    let mut joins = Vec::new();
    let mut work = BinaryHeap::new();
    let mut visit = |block: BlockId, label: BlockId, labels: &mut [Option<BlockId>], work: &mut BinaryHeap<_>| {
        let slot = &mut labels[block.index()];
        match *slot {
            None => {
                reached.push(block);
                *slot = Some(label);
                work.push(Reverse((rank[block.index()], block)));
            }
            Some(old) if old != label && old != block => {
                *slot = Some(block);
                joins.push(block);
                work.push(Reverse((rank[block.index()], block)));
            }
            Some(old) if old == block && label != block && !joins.contains(&block) => joins.push(block),
            Some(_) => {}
        }
    };
    for successor in follow(branch) {
        visit(*successor, *successor, labels, &mut work);
    }
    while let Some(Reverse((_, block))) = work.pop() {
        let Some(label) = labels[block.index()].filter(|_| Some(block) != end) else { continue };
        for successor in follow(block) {
            visit(*successor, label, labels, &mut work);
        }
    }
    let labels = reached.into_iter().filter_map(|b| labels[b.index()].take().map(|l| (b, l))).collect();
    Joins { joins, labels }
}
