//! Lines of the cache that an access takes a part of, where a loop goes on to others in each iteration: down a column of a matrix, or
//! by as much as a launch has work-items.
//!
//! The neighbours of a gang, or of a work-item by itself, take the rest of a line in loops of their own. By then it is often gone:
//! lines that lie a power of two apart share few places in a cache. What a work-group has to itself stays in the nearest cache.

use crate::ir::{InstId, space};

use crate::analyse::graph::Graph;
use crate::analyse::induction::{Step, Steps};
use crate::analyse::shape::Shape;
use crate::plan::costs::Costs;
use crate::prices::overrides;

/// Costs: bytes from iteration to iteration from which on each has lines of its own, the length of one; and from which on a row is a page
/// or more, so that lines share places.
const LINE: u64 = 64;
const PAGE: u64 = 4096;

/// What an access costs more as lines are fetched again.
pub(crate) struct Column {
    /// Cycles for a line.
    line: f64,
    /// From a lane's place to the next one's, in bytes.
    stride: u64,
}

impl Column {
    /// Of an instruction of a node, if it is such an access. `steps` are those of each loop.
    pub(crate) fn of(costs: &Costs<'_>, graph: &Graph, steps: &[Steps], node: usize, id: InstId) -> Option<Column> {
        let address = costs.inst(id).address()?;
        if matches!(costs.function.type_of(address).address_space(), space::LOCAL | space::PRIVATE) {
            return None;
        }
        let (Shape::Affine(stride) | Shape::Wrapping(stride)) = costs.shape(address) else { return None };
        let stride = stride.unsigned_abs();
        let far = |number: usize| match steps[number].of(address) {
            Step::By(0) | Step::Anyhow => None,
            Step::By(bytes) => Some(bytes.unsigned_abs()),
            // By what is not known beforehand is far.
            Step::Evenly => Some(u64::MAX),
        };
        let far = graph.around(node).find_map(far).filter(|far| stride < LINE && *far >= LINE)?;
        let line = if far < PAGE { overrides::NEAR_COLUMN.cycles } else { overrides::COLUMN.cycles };
        Some(Column { line, stride })
    }

    /// Cycles for so many lanes: the part of their lines that others come for.
    pub(crate) fn price(&self, lanes: f64) -> f64 {
        let lines = lanes * self.stride as f64 / LINE as f64;
        self.line * (1.0 - lines).max(0.0)
    }
}
