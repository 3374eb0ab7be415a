//! The decisions for one kernel: regions, what is kept across barriers and where, private objects.

mod aos;
mod bodies;
mod calls;
mod candidates;
mod column;
mod costs;
mod decisions;
mod describe;
mod draft;
mod estimate;
mod forms;
pub(crate) mod gangs;
mod kernel;
mod masks;
pub(crate) mod presence;
mod pressure;
mod pricing;
mod print;
mod recurrence;
pub(crate) mod rows;
mod scalar_cost;
mod slots;
mod trips;
pub(crate) mod versions;
mod wanted;

use std::collections::BTreeSet;

use crate::analyse::regions::region;
use crate::analyse::shape::{Layout, Shape};
use crate::analyse::streams::Streams;
use crate::analyse::waiting;
use crate::failure::Result;
use crate::ir::call_tree::CallTree;
use crate::ir::{BlockId, Function, StateId};

pub(crate) use decisions::{Plan, Slot};
pub(crate) use draft::plan_with;
pub(crate) use kernel::{most_coalesced, plan_baseline, plan_kernel};
pub(crate) use print::print;
pub(crate) use wanted::{Build, Wanted, vectors};

/// A kernel as it runs, the functions that it calls, and the plans for it.
pub(crate) struct Planned<'m> {
    pub(crate) function: Function<'m>,
    pub(crate) tree: CallTree<'m>,
    /// One plan or two. Of two, the first is for work-groups whose rows consist of whole sub-groups and the second for
    /// any work-group; or the second is for several work-groups that run as one.
    pub(crate) plans: Vec<Plan>,
    /// Would gangs along y be much cheaper?
    pub(crate) turns: bool,
    /// Would code that relies on buffers that do not overlap be much cheaper?
    pub(crate) disjoint: bool,
    /// The longest row, in work-items, that takes much less time one work-item after the other than as a gang.
    pub(crate) scalar_rows: u32,
    /// Row lengths that take much less time in gangs of as many lanes: the sum of these powers of two.
    pub(crate) narrow_rows: u32,
}

impl<'m> Planned<'m> {
    /// Also plans the functions that the gangs call.
    fn new(function: Function<'m>, tree: CallTree<'m>, mut plans: Vec<Plan>) -> Result<Self> {
        for plan in &mut plans {
            versions::plan_calls(&function, &tree, plan)?;
        }
        Ok(Planned { function, tree, plans, turns: false, disjoint: false, scalar_rows: 0, narrow_rows: 0 })
    }
}

/// The latches of loops that wait for other work-items, in a function without cuts.
pub(crate) fn yields(function: &Function<'_>) -> BTreeSet<BlockId> {
    waiting::yields(function, &region(function, vec![StateId(0)]))
}

/// Plans a kernel's function, whose parameters are uniform.
fn plan(function: &Function<'_>, wanted: Wanted) -> Result<Plan> {
    let plan = plan_with(function, wanted, vec![Shape::Uniform; function.parameters.len()])?;
    let may_stream = !wanted.is_plain && wanted.layout == Layout::Rows;
    let streams = if may_stream { Streams::of(function, &plan.shapes) } else { Streams::default() };
    Ok(Plan { streams, ..plan })
}
