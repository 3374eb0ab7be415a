//! Where counters end: branches in a loop on how a counter of it compares with a bound.

use crate::ir::{Function, IntPredicate, Operand};

use super::{Recurrence, recurrence};
use crate::analyse::graph::Graph;

/// A comparison on which a branch of a loop depends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bound {
    /// What is compared, in this iteration or the next, at whatever width.
    pub(crate) counter: Recurrence,
    /// With what. It may be another number in each iteration.
    pub(crate) end: Operand,
    /// The same, if it is a constant.
    constant: Option<u64>,
    pub(crate) predicate: IntPredicate,
    /// Does control leave the loop by the branch?
    pub(crate) leaves: bool,
}

impl Bound {
    /// How many iterations there are at most if the counter begins at 0 or above and neither wraps; `None` if the step or the
    /// end is not a constant, or the loop does not end here.
    pub(crate) fn most_iterations(&self) -> Option<u64> {
        let step = u64::try_from(self.counter.step()?).ok().filter(|step| *step > 0)?;
        Some(self.constant.filter(|_| self.leaves)?.div_ceil(step))
    }
}

/// What the branches of a loop compare its counters with.
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
