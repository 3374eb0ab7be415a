//! How a value differs between the work-items of a work-group.

mod analysis;
mod extension;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap, HashSet};

use oxicl_ops::Query;

use crate::ir::{BlockId, Function, InstId, Opcode, Operand};

use crate::analyse::coalescing::Coalescing;
use crate::analyse::dominators::reconvergence;
use crate::analyse::interleave::Units;
use crate::analyse::memory::users;
use crate::bounds::SHAPE_STEPS;

use analysis::{Analysis, orders_memory};
pub(crate) use extension::low_bits;
use extension::low_only;

/// What the lanes of a value have in common, from the most to the least known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shape {
    /// The same in all work-items of the work-group.
    Uniform,
    /// The same in all work-items of a row along x.
    Row,
    /// In a row along x, each work-item's value is its predecessor's plus this: a number, or bytes of an address.
    Affine(i64),
    /// `Affine` in gangs in which the narrow number that it was extended from does not wrap, else anything.
    Wrapping(i64),
    /// Anything.
    Varying,
}

impl Shape {
    fn join(self, other: Shape) -> Shape {
        match (self, other) {
            (a, b) if a == b => a,
            (Shape::Uniform | Shape::Row, Shape::Uniform | Shape::Row) => Shape::Row,
            _ => Shape::Varying,
        }
    }

    /// The stride from one work-item of a row to the next, 0 if it is the same. `Wrapping` counts as `Affine`.
    pub(crate) fn stride(self) -> Option<i64> {
        match self {
            Shape::Uniform | Shape::Row => Some(0),
            Shape::Affine(stride) | Shape::Wrapping(stride) => Some(stride),
            Shape::Varying => None,
        }
    }

    fn wraps(self) -> bool {
        matches!(self, Shape::Wrapping(_))
    }

    /// Is it the same in all work-items of a row?
    pub(crate) fn is_row_uniform(self) -> bool {
        matches!(self, Shape::Uniform | Shape::Row)
    }
}

/// Which work-items run side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Neighbours of a row.
    Rows,
    /// The work-items of a sub-group, which are neighbours of a row.
    SubGroups,
    /// The work-items of a sub-group, whatever their rows: only their linear local ids advance by one. What shapes say
    /// of a row then holds for the sub-group.
    Line,
}

/// Shapes of all instructions.
pub(crate) struct Shapes {
    shapes: Vec<Option<Shape>>,
    parameters: Vec<Shape>,
    /// Which work-items side by side the shapes are of.
    pub(crate) layout: Layout,
    /// S: work-items of a full sub-group.
    pub(crate) sub_group_size: u32,
    pub(crate) coalescing: Option<Coalescing>,
    /// Addresses in interleaved objects.
    interleaved: HashMap<InstId, Units>,
    /// Arguments by value that nobody writes.
    read_only: HashSet<u32>,
    /// Signed numbers with a stride that are taken not to wrap along a row, although nothing promises it: the
    /// work-items of rows in which one does run one by one.
    pub(crate) row_checked: Vec<InstId>,
}

impl Shapes {
    /// The units of the interleaved object that an operand points into.
    pub(crate) fn units(&self, operand: Operand) -> Option<Units> {
        match operand {
            Operand::Inst(id) => self.interleaved.get(&id).copied(),
            _ => None,
        }
    }

    /// Is a parameter an argument by value that nobody writes?
    pub(crate) fn is_read_only(&self, parameter: u32) -> bool {
        self.read_only.contains(&parameter)
    }

    pub(crate) fn of(&self, id: InstId) -> Shape {
        self.shapes[id.index()].unwrap_or(Shape::Varying)
    }

    pub(crate) fn of_operand(&self, operand: Operand) -> Shape {
        match operand {
            Operand::Inst(id) => self.of(id),
            Operand::Parameter(index) => self.parameters[index as usize],
            _ => Shape::Uniform,
        }
    }

    /// The shape of the answer to a query, wherever it is asked.
    pub(crate) fn of_query(&self, query: Query) -> Shape {
        if let Some(shape) = self.coalescing.and_then(|coalescing| of_coalesced(coalescing, query)) {
            return shape;
        }
        let gangs_are_sub_groups = self.layout != Layout::Rows;
        match query {
            query if query.is_uniform() => Shape::Uniform,
            Query::SubGroupSize | Query::SubGroupLocalId if self.sub_group_size == 1 => Shape::Uniform,
            Query::SubGroupId if self.sub_group_size == 1 => Shape::Affine(1),
            Query::SubGroupSize | Query::SubGroupId if gangs_are_sub_groups => Shape::Row,
            Query::SubGroupLocalId if gangs_are_sub_groups => Shape::Affine(1),
            Query::LocalLinearId => Shape::Affine(1),
            _ if self.layout == Layout::Line => Shape::Varying,
            query if query.has_unit_stride() => Shape::Affine(1),
            query if query.is_same_in_a_row() => Shape::Row,
            _ => Shape::Varying,
        }
    }

    /// May the work-items diverge at the end of this block?
    pub(crate) fn is_divergent(&self, function: &Function<'_>, block: BlockId) -> bool {
        function.condition(block).is_some_and(|condition| self.of_operand(condition) != Shape::Uniform)
    }
}

/// The shape of a query's answer in coalesced work-groups, all of one size, if the query tells these apart.
fn of_coalesced(coalescing: Coalescing, query: Query) -> Option<Shape> {
    query.tells_groups_apart().then_some(match query {
        Query::LocalSize(_) => Shape::Uniform,
        Query::LocalId(_) if coalescing.of_one => Shape::Uniform,
        Query::LocalLinearId if coalescing.of_one => Shape::Row,
        Query::GroupId(_) if coalescing.of_one => Shape::Affine(1),
        _ => Shape::Varying,
    })
}

/// What shapes depend on, beside the function.
#[derive(Clone, Copy)]
pub(crate) struct Given<'g> {
    /// Shapes of the parameters.
    pub(crate) parameters: &'g [Shape],
    /// Bytes from a private object to that of the next work-item in a row.
    pub(crate) strides: &'g HashMap<InstId, i64>,
    /// Addresses in interleaved objects. There an index that varies gives no stride.
    pub(crate) interleaved: &'g HashMap<InstId, Units>,
    /// Arguments by value that nobody writes.
    pub(crate) read_only: &'g HashSet<u32>,
    pub(crate) layout: Layout,
    pub(crate) sub_group_size: u32,
    pub(crate) coalescing: Option<Coalescing>,
    /// Is code written that asks of each row whether numbers wrap in it?
    pub(crate) checks_rows: bool,
    /// Values that each lane takes from an iteration of its own. They vary, whatever their operands.
    pub(crate) apart: &'g BTreeSet<InstId>,
}

/// Computes the shapes of a function's instructions.
pub(crate) fn shapes(function: &Function<'_>, given: Given<'_>) -> Shapes {
    let count = function.insts.len();
    let users = users(function).of_insts;
    let mut branches = vec![Vec::new(); count];
    for block in function.block_ids() {
        if let Some(used) = function.terminator_use(block) {
            branches[used.index()].push(block);
        }
    }
    let blocks = function.blocks.len();
    let low = low_only(function, &users);
    let successors: Vec<_> = function.block_ids().map(|block| function.successors_through_cuts(block)).collect();
    let extensions = function.numbered().filter(|(_, inst)| matches!(inst.opcode, Opcode::SExt | Opcode::ZExt));
    let extensions = extensions.map(|(id, _)| id).collect();
    let mut analysis = Analysis {
        function,
        result: Shapes {
            shapes: vec![None; count],
            parameters: given.parameters.to_vec(),
            layout: given.layout,
            sub_group_size: given.sub_group_size,
            coalescing: given.coalescing,
            interleaved: given.interleaved.clone(),
            read_only: given.read_only.clone(),
            row_checked: Vec::new(),
        },
        users,
        branches,
        reconvergence: reconvergence(&successors),
        successors,
        extensions,
        join: vec![None; blocks],
        diverged: vec![None; blocks],
        given,
        low,
        work: Vec::new(),
        uniform_states: function.collectives().filter(|c| c.1.is_uniform()).map(|c| c.0).collect(),
        budget: SHAPE_STEPS,
        ordered: function.insts.iter().any(orders_memory),
    };
    analysis.run();
    analysis.result.row_checked = analysis.row_checked();
    analysis.result
}
