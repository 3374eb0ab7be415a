//! Dominators of the blocks of a function: Lengauer and Tarjan's algorithm, near-linear whatever the graph looks like.

/// Immediate dominators, as numbered trees, so that a query is two comparisons.
#[derive(Debug)]
pub(crate) struct Dominators {
    /// Interval of each block in a walk of the dominator tree; `None` where the entry does not reach it.
    interval: Vec<Option<(u32, u32)>>,
    /// Immediate dominator of each block that is reached; the entry has none.
    immediate: Vec<Option<u32>>,
}

/// No block.
const NONE: u32 = u32::MAX;

/// The state of the algorithm; vectors are indexed by position in the depth-first walk.
struct Builder {
    /// Block at each position of the walk.
    order: Vec<u32>,
    /// Position of each block, or `NONE`.
    position: Vec<u32>,
    parent: Vec<u32>,
    semi: Vec<u32>,
    ancestor: Vec<u32>,
    label: Vec<u32>,
}

impl Dominators {
    /// Computes the dominators of a graph whose entry is block 0.
    pub(crate) fn of(successors: &[Vec<u32>]) -> Dominators {
        let mut builder = Builder::walk(successors);
        let immediate = builder.immediate_dominators(successors);
        let interval = intervals(&builder.order, &immediate, successors.len());
        Dominators { interval, immediate }
    }

    /// The entry reaches `block`.
    pub(crate) fn reaches(&self, block: u32) -> bool {
        self.interval.get(block as usize).is_some_and(Option::is_some)
    }

    /// `a` dominates `b`; a block dominates itself. What the entry does not reach is dominated by every block.
    pub(crate) fn dominates(&self, a: u32, b: u32) -> bool {
        match (self.interval.get(a as usize), self.interval.get(b as usize)) {
            (_, Some(None)) => true,
            (Some(Some((first, last))), Some(Some((number, _)))) => (first..=last).contains(&number),
            _ => false,
        }
    }

    /// The immediate dominator of `block`.
    pub(crate) fn immediate(&self, block: u32) -> Option<u32> {
        self.immediate.get(block as usize).copied().flatten()
    }
}

impl Builder {
    /// Numbers the blocks in depth-first order.
    fn walk(successors: &[Vec<u32>]) -> Builder {
        let count = successors.len();
        let mut builder = Builder {
            order: Vec::with_capacity(count),
            position: vec![NONE; count],
            parent: Vec::with_capacity(count),
            semi: Vec::new(),
            ancestor: Vec::new(),
            label: Vec::new(),
        };
        let mut stack = vec![(0u32, NONE)];
        while let Some((block, parent)) = stack.pop() {
            let Some(position) = builder.position.get_mut(block as usize) else { continue };
            if *position != NONE {
                continue;
            }
            *position = builder.order.len() as u32;
            let number = *position;
            builder.order.push(block);
            builder.parent.push(parent);
            for &next in successors.get(block as usize).into_iter().flatten().rev() {
                if builder.position.get(next as usize) == Some(&NONE) {
                    stack.push((next, number));
                }
            }
        }
        let reached = builder.order.len();
        builder.semi = (0..reached as u32).collect();
        builder.label = (0..reached as u32).collect();
        builder.ancestor = vec![NONE; reached];
        builder
    }

    /// The position of least semidominator on the path from `start` to the root of its tree, paths compressed.
    fn evaluate(&mut self, start: u32) -> u32 {
        if self.ancestor[start as usize] == NONE {
            return self.label[start as usize];
        }
        let mut path = Vec::new();
        let mut at = start;
        while self.ancestor[self.ancestor[at as usize] as usize] != NONE {
            path.push(at);
            at = self.ancestor[at as usize];
        }
        while let Some(position) = path.pop() {
            let above = self.ancestor[position as usize] as usize;
            if self.semi[self.label[above] as usize] < self.semi[self.label[position as usize] as usize] {
                self.label[position as usize] = self.label[above];
            }
            self.ancestor[position as usize] = self.ancestor[above];
        }
        self.label[start as usize]
    }

    /// Immediate dominators by block.
    fn immediate_dominators(&mut self, successors: &[Vec<u32>]) -> Vec<Option<u32>> {
        let reached = self.order.len();
        let mut predecessors: Vec<Vec<u32>> = vec![Vec::new(); reached];
        for (from, block) in self.order.iter().enumerate() {
            for &to in successors.get(*block as usize).into_iter().flatten() {
                match self.position.get(to as usize) {
                    Some(&to) if to != NONE => predecessors[to as usize].push(from as u32),
                    _ => {}
                }
            }
        }
        let mut dominator = vec![0u32; reached];
        let mut bucket: Vec<Vec<u32>> = vec![Vec::new(); reached];
        for number in (1..reached as u32).rev() {
            for predecessor in std::mem::take(&mut predecessors[number as usize]) {
                let best = self.evaluate(predecessor);
                let semi = self.semi[best as usize];
                if semi < self.semi[number as usize] {
                    self.semi[number as usize] = semi;
                }
            }
            bucket[self.semi[number as usize] as usize].push(number);
            let parent = self.parent[number as usize];
            self.ancestor[number as usize] = parent;
            for waiting in std::mem::take(&mut bucket[parent as usize]) {
                let best = self.evaluate(waiting);
                dominator[waiting as usize] =
                    if self.semi[best as usize] < self.semi[waiting as usize] { best } else { parent };
            }
        }
        let mut immediate = vec![None; successors.len()];
        for number in 1..reached {
            if dominator[number] != self.semi[number] {
                dominator[number] = dominator[dominator[number] as usize];
            }
            immediate[self.order[number] as usize] = Some(self.order[dominator[number] as usize]);
        }
        immediate
    }
}

/// Numbers the dominator tree so that a block's descendants are an interval.
fn intervals(order: &[u32], immediate: &[Option<u32>], count: usize) -> Vec<Option<(u32, u32)>> {
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); count];
    for &block in order {
        if let Some(parent) = immediate[block as usize] {
            children[parent as usize].push(block);
        }
    }
    let mut interval = vec![None; count];
    let mut next = 0u32;
    // Each block is pushed to be opened, and again to be closed.
    let mut stack: Vec<(u32, bool)> = order.first().map(|entry| (*entry, false)).into_iter().collect();
    while let Some((block, close)) = stack.pop() {
        if close {
            if let Some((_, last)) = &mut interval[block as usize] {
                *last = next - 1;
            }
            continue;
        }
        interval[block as usize] = Some((next, next));
        next += 1;
        stack.push((block, true));
        stack.extend(children[block as usize].iter().map(|child| (*child, false)));
    }
    interval
}

#[cfg(test)]
mod tests {
    use super::Dominators;

    /// Whether `a` is on every path from the entry to `b`, by removing it.
    fn dominates_by_removal(successors: &[Vec<u32>], a: u32, b: u32) -> bool {
        let reach = |without: Option<u32>| {
            let mut seen = vec![false; successors.len()];
            let mut stack = vec![0u32];
            while let Some(block) = stack.pop() {
                if Some(block) == without || std::mem::replace(&mut seen[block as usize], true) {
                    continue;
                }
                stack.extend(&successors[block as usize]);
            }
            seen[b as usize]
        };
        !reach(None) || a == b || !reach(Some(a))
    }

    #[test]
    fn dominators_agree_with_the_definition_on_random_graphs() {
        let mut state = 0x2545_f491_4f6c_dd1du64;
        let mut random = |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) % below
        };
        for _ in 0..400 {
            let count = 2 + random(12);
            let successors: Vec<Vec<u32>> = (0..count)
                .map(|_| (0..random(4)).map(|_| u32::try_from(1 + random(count - 1)).expect("small")).collect())
                .collect();
            let dominators = Dominators::of(&successors);
            for a in 0..count as u32 {
                for b in 0..count as u32 {
                    if dominators.reaches(a) || !dominators.reaches(b) {
                        let expected = dominates_by_removal(&successors, a, b);
                        assert_eq!(dominators.dominates(a, b), expected, "{a} {b} in {successors:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_ladder_of_a_hundred_thousand_blocks_is_quick() {
        let count = 100_000u32;
        let successors: Vec<Vec<u32>> = (0..count)
            .map(|block| [block + 1, block + 2, count - 1].iter().copied().filter(|to| *to < count).collect())
            .collect();
        let dominators = Dominators::of(&successors);
        assert!(dominators.dominates(0, count - 1));
        assert_eq!(dominators.immediate(count - 1), Some(0));
    }
}
