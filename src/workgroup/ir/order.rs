//! Orders and dominators of graphs whose nodes have numbers.

/// Reverse post-order from some roots; what the last root reaches comes first.
pub(crate) fn reverse_post_order<'s, N: Copy + Into<usize> + 's>(
    roots: impl IntoIterator<Item = N>,
    count: usize,
    successors: impl Fn(N) -> &'s [N],
) -> Vec<N> {
    let mut seen = vec![false; count];
    let mut order = Vec::new();
    for root in roots {
        let mut stack = Vec::new();
        if !std::mem::replace(&mut seen[root.into()], true) {
            stack.push((root, 0));
        }
        while let Some((node, next)) = stack.last_mut() {
            if let Some(successor) = successors(*node).get(*next).copied() {
                *next += 1;
                if !std::mem::replace(&mut seen[successor.into()], true) {
                    stack.push((successor, 0));
                }
            } else {
                order.push(*node);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

/// The place of each node in an order; `usize::MAX` of what is not in it.
pub(crate) fn ranks(order: &[usize], count: usize) -> Vec<usize> {
    let mut ranks = vec![usize::MAX; count];
    order.iter().enumerate().for_each(|(rank, node)| ranks[*node] = rank);
    ranks
}

/// Immediate dominators, for `order` in reverse post-order: the root's is itself, `None` for what is not reached.
pub(crate) fn dominators(root: usize, order: &[usize], predecessors: &[Vec<usize>]) -> Vec<Option<usize>> {
    let rank = ranks(order, predecessors.len());
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

/// The edges of a graph reversed: the predecessors of each node.
pub(crate) fn turned_round(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut result = vec![Vec::new(); successors.len()];
    for (node, next) in successors.iter().enumerate() {
        next.iter().for_each(|to| result[*to].push(node));
    }
    result
}
