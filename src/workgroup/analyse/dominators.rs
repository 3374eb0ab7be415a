//! Orders and dominators of graphs whose nodes are numbers.

use crate::arena::BlockId;

/// Immediate dominators by the order `rank` (a reverse post-order; `None` for what is not reached), walked upwards.
pub(crate) fn dominators(root: usize, order: &[usize], predecessors: &[Vec<usize>]) -> Vec<Option<usize>> {
    let mut rank = vec![usize::MAX; predecessors.len()];
    order.iter().enumerate().for_each(|(r, node)| rank[*node] = r);
    let mut result: Vec<Option<usize>> = vec![None; predecessors.len()];
    result[root] = Some(root);
    let mut changed = true;
    while changed {
        changed = false;
        for node in order.iter().copied().filter(|n| *n != root) {
            let mut new: Option<usize> = None;
            for from in &predecessors[node] {
                if result[*from].is_none() {
                    continue;
                }
                new = Some(match new {
                    None => *from,
                    Some(mut other) => {
                        let mut this = *from;
                        while this != other {
                            while rank[this] > rank[other] {
                                this = result[this].unwrap_or(root);
                            }
                            while rank[other] > rank[this] {
                                other = result[other].unwrap_or(root);
                            }
                        }
                        this
                    }
                });
            }
            if new.is_some() && result[node] != new {
                result[node] = new;
                changed = true;
            }
        }
    }
    result
}

/// Reverse post-order from a root.
pub(crate) fn reverse_post_order(root: usize, successors: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; successors.len()];
    let mut order = Vec::new();
    let mut stack = vec![(root, 0)];
    seen[root] = true;
    while let Some((node, next)) = stack.last_mut() {
        if let Some(successor) = successors[*node].get(*next) {
            *next += 1;
            if !std::mem::replace(&mut seen[*successor], true) {
                stack.push((*successor, 0));
            }
        } else {
            order.push(*node);
            stack.pop();
        }
    }
    order.reverse();
    order
}

/// The block in which all ways from each block meet again; `None` where they end apart, or not at all.
pub(crate) fn meeting_points(successors: &[Vec<BlockId>]) -> Vec<Option<BlockId>> {
    // All ends lead to one.
    let end = successors.len();
    let mut backwards = vec![Vec::new(); end + 1];
    let mut forwards = vec![Vec::new(); end + 1];
    for (block, next) in successors.iter().enumerate() {
        let next: Vec<usize> = if next.is_empty() { vec![end] } else { next.iter().map(|next| next.index()).collect() };
        next.iter().for_each(|next| backwards[*next].push(block));
        forwards[block] = next;
    }
    let order = reverse_post_order(end, &backwards);
    let found = dominators(end, &order, &forwards).into_iter().take(end);
    found.map(|point| point.filter(|point| *point != end).map(|point| BlockId(point as u32))).collect()
}
