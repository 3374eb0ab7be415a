//! Accesses by which a work-item goes down a column of a matrix, while its neighbours go down those beside it.
//!
//! A gang takes a part of a row each iteration. A work-item by itself takes one number of a line of the cache, which is often
//! gone before the next work-item comes for the next number: lines that lie a power of two apart share few places there.

use crate::ir::InstId;

use crate::analyse::graph::Graph;
use crate::analyse::induction::{Step, Steps};
use crate::analyse::shape::Shape;
use crate::plan::costs::Costs;

/// A cost: bytes from iteration to iteration from which on it is a column: a line of the cache.
const LINE: u64 = 64;

/// Is an instruction of a node such an access? `steps` are those of each loop.
pub(crate) fn goes_down_column(costs: &Costs<'_>, graph: &Graph, steps: &[Steps], node: usize, id: InstId) -> bool {
    let inst = costs.inst(id);
    let Some(address) = inst.address() else { return false };
    let is_beside =
        matches!(costs.shape(address), Shape::Affine(stride) | Shape::Wrapping(stride) if stride.unsigned_abs() < LINE);
    let far = |number: usize| match steps[number].of(address) {
        Step::By(0) | Step::Anyhow => None,
        Step::By(bytes) => Some(bytes.unsigned_abs() >= LINE),
        // By what is not known beforehand is far.
        Step::Evenly => Some(true),
    };
    let mut loops = graph.around(node);
    is_beside && loops.find_map(far).unwrap_or(false)
}
