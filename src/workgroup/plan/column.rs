//! Accesses by which a work-item goes down a column of a matrix, while its neighbours go down those beside it.
//!
//! A gang takes a part of a row each iteration. A work-item by itself takes one number of a line of the cache, which is often
//! gone before the next work-item comes for the next number: lines that lie a power of two apart share few places there. What a
//! work-group has to itself stays in the nearest cache.

use crate::ir::{InstId, space};

use crate::analyse::graph::Graph;
use crate::analyse::induction::{Step, Steps};
use crate::analyse::shape::Shape;
use crate::plan::costs::Costs;
use crate::prices::overrides;

/// Costs: bytes from iteration to iteration from which on it is a column, a line of the cache; and from which on a row is a page or
/// more, so that lines share places.
const LINE: u64 = 64;
const PAGE: u64 = 4096;

/// Cycles that a work-item by itself takes more for an instruction of a node, if it is such an access. `steps` are those of each loop.
pub(crate) fn column_price(costs: &Costs<'_>, graph: &Graph, steps: &[Steps], node: usize, id: InstId) -> Option<f64> {
    let address = costs.inst(id).address()?;
    if matches!(costs.function.type_of(address).address_space(), space::LOCAL | space::PRIVATE) {
        return None;
    }
    let is_beside =
        matches!(costs.shape(address), Shape::Affine(stride) | Shape::Wrapping(stride) if stride.unsigned_abs() < LINE);
    let far = |number: usize| match steps[number].of(address) {
        Step::By(0) | Step::Anyhow => None,
        Step::By(bytes) => Some(bytes.unsigned_abs()),
        // By what is not known beforehand is far.
        Step::Evenly => Some(u64::MAX),
    };
    let far = graph.around(node).find_map(far).filter(|far| is_beside && *far >= LINE)?;
    Some(if far < PAGE { overrides::NEAR_COLUMN.cycles } else { overrides::COLUMN.cycles })
}
