//! Accesses that use only a part of each cache line, in loops whose iterations each go on to other lines: down a column
//! of a matrix, or by a stride as long as the launch.
//!
//! The neighbours of the gang, or of the single work-item, use the rest of a line in loops of their own. By then the
//! line is often gone: lines a power of two apart compete for few places in a cache. Memory of a work-group's own stays
//! in the nearest cache.

use oxicl_target::{LINE, PAGE};

use crate::analyse::graph::Graph;
use crate::analyse::induction::{Step, Steps};
use crate::analyse::shape::Shape;
use crate::ir::{InstId, space};
use crate::plan::costs::Costs;
use crate::prices::overrides;

/// What an access costs in addition because its lines are fetched again.
pub(crate) struct Column {
    /// Cycles to fetch a line again.
    line: f64,
    /// The stride between neighbouring lanes, in bytes.
    stride: u64,
}

impl Column {
    /// The column that an instruction of `node` goes down, if it does. `steps` are those of each loop.
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
            // A step that is known only at run time counts as far.
            Step::Evenly => Some(u64::MAX),
        };
        let far = graph.around(node).find_map(far).filter(|far| stride < LINE && *far >= LINE)?;
        let line = if far < PAGE { overrides::NEAR_COLUMN.cycles } else { overrides::COLUMN.cycles };
        Some(Column { line, stride })
    }

    /// Cycles for an access by so many lanes: the price of a line, times the part of it that others use.
    pub(crate) fn price(&self, lanes: f64) -> f64 {
        let lines = lanes * self.stride as f64 / LINE as f64;
        self.line * (1.0 - lines).max(0.0)
    }
}
