//! Accesses that fetch lines again, as these are gone from the nearest cache by then: of lanes that go along rows of their
//! own, and those that use only a part of each cache line, in loops whose iterations each go on to other lines: down a
//! column of a matrix, or by a stride as long as the launch.
//!
//! The neighbours of the gang, or of the single work-item, use the rest of a line in loops of their own. By then the
//! line is often gone: lines a power of two apart compete for few places in a cache. Memory of a work-group's own stays
//! in the nearest cache.

use oxicl_target::{LINE, PAGE};

use crate::analyse::graph::Graph;
use crate::analyse::induction::{Bound, Step, Steps};
use crate::analyse::shape::Shape;
use crate::ir::{InstId, space};
use crate::plan::costs::Costs;
use crate::prices::overrides;

/// A cost: the lines that a set of the nearest cache holds at a time, of most processors.
const WAYS: f64 = 8.0;

/// A cost: the lines that the nearest cache of most processors holds: 32 KiB.
const LINES: u64 = 512;

/// A frequency: how often rows of unknown length are pages long, so that the lines of their first numbers are of one set.
const WHOLE_PAGES: f64 = 0.25;

/// What an access by which each lane goes along a row of its own costs a gang in addition, because more lanes than a set of
/// the nearest cache has lines lose these to each other. (A product of a matrix of 1024 x 1024 with a vector, a row for each
/// lane, took 3.7 times as long in gangs of 16 as of 8 on Zen 3.)
pub(super) fn rows_of_lanes(costs: &Costs<'_>, graph: &Graph, steps: &[Steps], node: usize, id: InstId) -> Option<f64> {
    let address =
        costs.inst(id).address().filter(|address| space::is_far(costs.function.type_of(*address).address_space()))?;
    let often = match costs.shape(address) {
        Shape::Varying => WHOLE_PAGES,
        Shape::Affine(stride) if stride.unsigned_abs().is_multiple_of(PAGE) => 1.0,
        _ => return None,
    };
    let along =
        matches!(steps[graph.innermost(node)?].of(address), Step::By(bytes) if (1..LINE as i64).contains(&bytes));
    along.then(|| often * overrides::NEAR_COLUMN.cycles * (costs.lanes - WAYS).max(0.0))
}

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
        let address = costs
            .inst(id)
            .address()
            .filter(|address| space::is_far(costs.function.type_of(*address).address_space()))?;
        let (Shape::Affine(stride) | Shape::Wrapping(stride)) = costs.shape(address) else { return None };
        let stride = stride.unsigned_abs();
        let far = |number: usize| match steps[number].of(address) {
            Step::By(0) | Step::Anyhow => None,
            Step::By(bytes) => Some((number, bytes.unsigned_abs())),
            // A step that is known only at run time counts as far.
            Step::Evenly => Some((number, u64::MAX)),
        };
        let (number, far) = graph.around(node).find_map(far).filter(|(_, far)| stride < LINE && *far >= LINE)?;
        let rows = graph.loops[number].bounds.iter().filter_map(Bound::most_iterations).min();
        let line = match rows {
            Some(rows) if rows as f64 <= WAYS => return None,
            Some(..=LINES) => overrides::NEAR_COLUMN.cycles,
            _ if far < PAGE => overrides::NEAR_COLUMN.cycles,
            _ => overrides::COLUMN.cycles,
        };
        Some(Column { line, stride })
    }

    /// Cycles for an access by so many lanes: the price of a line, times the part of it that others use.
    pub(crate) fn price(&self, lanes: f64) -> f64 {
        let lines = lanes * self.stride as f64 / LINE as f64;
        self.line * (1.0 - lines).max(0.0)
    }
}
