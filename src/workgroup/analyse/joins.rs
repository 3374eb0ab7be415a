//! Where work-items that diverged at a branch reconverge.
//!
//! From each successor of the branch a label spreads along the edges. A block that two labels reach is a join, and
//! spreads a label of its own. A label that comes back to the branch spreads on from there, so that the exit of a loop
//! that work-items leave in different iterations is a join too. Each block's label changes at most twice. Blocks spread
//! in reverse post-order: a block that spread before all its labels were there would turn later blocks into joins.
//!
//! Where all paths from the branch meet, work-items reconverge, so no label spreads from there.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::ir::{BlockId, Function};

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

/// Joins of a branch in the whole function, across cuts, up to where all paths meet.
pub(crate) fn joins_of(
    function: &Function<'_>,
    successors: &[Vec<BlockId>],
    branch: BlockId,
    end: Option<BlockId>,
    labels: &mut [Option<BlockId>],
) -> Vec<BlockId> {
    debug_assert_eq!(successors.len(), function.blocks.len());
    spread(branch, end, &function.rank, labels, |b| &successors[b.index()]).joins
}
