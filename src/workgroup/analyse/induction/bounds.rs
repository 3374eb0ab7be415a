//! The bounds of a loop's counters: branches in the loop that depend on a comparison of a counter.

use crate::ir::{Function, IntPredicate, Operand};

use super::{Recurrence, recurrence};
use crate::analyse::graph::Graph;

/// A comparison of a counter, on which a branch of its loop depends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bound {
    /// The counter that is compared: its phi or its next value, at whatever width.
    pub(crate) counter: Recurrence,
    /// What the counter is compared with. It may change from iteration to iteration.
    pub(crate) end: Operand,
    /// `end`, if it is a constant.
    constant: Option<u64>,
    pub(crate) predicate: IntPredicate,
    /// Does one of the branch's edges leave the loop?
    pub(crate) leaves: bool,
}

impl Bound {
    /// The maximum trip count, if the counter starts at 0 or above and does not wrap. `None` unless the step is a
    /// positive constant, the end is a constant, and the branch leaves the loop.
    pub(crate) fn most_iterations(&self) -> Option<u64> {
        let step = u64::try_from(self.counter.step()?).ok().filter(|step| *step > 0)?;
        Some(self.constant.filter(|_| self.leaves)?.div_ceil(step))
    }
}

/// The bounds that the branches of a loop compare its counters with.
pub(crate) fn bounds<'m>(function: &Function<'m>, graph: &Graph, number: usize) -> Vec<Bound> {
    let l = &graph.loops[number];
    let header = function.block(graph.blocks[l.header]);
    let counters: Vec<_> = header.insts.iter().filter_map(|id| recurrence(function, *id)).collect();
    let bound = |node: usize| {
        let leaves = graph.successors[node].iter().any(|next| !graph.is_in(*next, number));
        let compare = function.made_by(function.condition(graph.blocks[node])?)?;
        let predicate = compare.int_predicate()?;
        let [left, right] = compare.operands[..] else { return None };
        counters.iter().find_map(|counter| {
            let end = match (counter.is_counted_by(function, left), counter.is_counted_by(function, right)) {
                (true, false) => right,
                (false, true) => left,
                _ => return None,
            };
            Some(Bound { counter: counter.clone(), end, constant: function.as_u64(end), predicate, leaves })
        })
    };
    (l.header..l.end).filter_map(bound).collect()
}
