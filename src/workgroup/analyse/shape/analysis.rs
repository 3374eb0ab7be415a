//! How shapes follow from each other, and from the branches at which work-items diverge.

use std::collections::HashSet;

use super::extension::low_bits;
use super::{Given, Layout, Shape, Shapes};
use crate::analyse::coalescing::is_place_in_row;
use crate::analyse::dominators::{Reconvergence, spread};
use crate::bounds::CHAIN;
use crate::ir::{BlockId, Function, Inst, InstId, Kind, Opcode, Operand, StateId, Type, space};
use oxicl_ops::SubGroup;

pub(super) struct Analysis<'f, 'm> {
    pub(super) function: &'f Function<'m>,
    pub(super) result: Shapes,
    pub(super) users: Vec<Vec<InstId>>,
    /// For each instruction, the blocks whose branch or return uses it.
    pub(super) branches: Vec<Vec<BlockId>>,
    pub(super) successors: Vec<Vec<BlockId>>,
    /// Extensions. Their shapes depend on where work-items do not diverge.
    pub(super) extensions: Vec<InstId>,
    /// Where diverged work-items reconverge; `None` if that is not known.
    pub(super) reconvergence: Option<Reconvergence>,
    /// For each block at which diverged work-items reconverge, how they diverged: `Row` from row to row, or `Varying`.
    pub(super) join: Vec<Option<Shape>>,
    pub(super) diverged: Vec<Option<Shape>>,
    pub(super) given: Given<'f>,
    /// Instructions of which only the low 32 bits matter.
    pub(super) low: Vec<bool>,
    pub(super) work: Vec<InstId>,
    /// States after collective operations with a uniform result.
    pub(super) uniform_states: HashSet<StateId>,
    pub(super) budget: usize,
    /// Does anything but a barrier order memory among work-items? If not, plain loads of one address between two
    /// barriers give all of them the same value, as a write in between would be a race.
    pub(super) ordered: bool,
}

impl Analysis<'_, '_> {
    pub(super) fn run(&mut self) {
        let mut labels = vec![None; self.function.blocks.len()];
        self.work.extend((0..self.function.insts.len() as u32).rev().map(InstId));
        for block in self.function.block_ids() {
            // A branch on a parameter, which need not be uniform.
            self.diverge_if_varying(block, &mut labels);
        }
        while let Some(id) = self.work.pop() {
            let new = self.evaluate(id);
            let old = self.result.shapes[id.index()];
            let joined = match (old, new) {
                (_, None) => continue,
                (None, Some(new)) => new,
                (Some(old), Some(new)) => old.join(new),
            };
            if old == Some(joined) {
                continue;
            }
            self.result.shapes[id.index()] = Some(joined);
            self.work.extend_from_slice(&self.users[id.index()]);
            for block in self.branches[id.index()].clone() {
                self.diverge_if_varying(block, &mut labels);
            }
        }
    }

    /// Marks the joins of a branch whose condition turned out to vary.
    fn diverge_if_varying(&mut self, block: BlockId, labels: &mut [Option<BlockId>]) {
        let Some(condition) = self.function.condition(block) else { return };
        let Some(shape) = self.operand(condition) else { return };
        let level = if shape.is_row_uniform() { Shape::Row } else { Shape::Varying };
        if shape == Shape::Uniform || self.diverged[block.index()] >= Some(level) {
            return;
        }
        self.diverged[block.index()] = Some(level);
        if level == Shape::Varying {
            let affine = |id: &&InstId| matches!(self.result.shapes[id.index()], Some(Shape::Affine(_)));
            self.work.extend(self.extensions.iter().filter(affine));
        }
        let joins = match &self.reconvergence {
            Some(reconvergence) if self.budget >= self.function.blocks.len() => {
                self.budget -= self.function.blocks.len();
                let end = reconvergence.points[block.index()];
                // In the whole function, across cuts.
                let follow = |block: BlockId| &self.successors[block.index()][..];
                let mut joins = spread(block, end, &self.function.rank, labels, follow).joins;
                joins.extend(reconvergence.exits_apart(block));
                joins
            }
            _ => self.function.block_ids().collect(),
        };
        for join in joins {
            if self.join[join.index()] < Some(level) {
                self.join[join.index()] = Some(level);
                self.work.extend_from_slice(&self.function.block(join).insts);
            }
        }
    }

    /// The shape of an operand as far as known.
    pub(super) fn operand(&self, operand: Operand) -> Option<Shape> {
        match operand {
            Operand::Inst(id) => self.result.shapes[id.index()],
            other => Some(self.result.of_operand(other)),
        }
    }

    /// The shape of an instruction from those of its operands; `None` while they are unknown.
    fn evaluate(&self, id: InstId) -> Option<Shape> {
        let inst = self.function.inst(id);
        if self.given.apart.contains(&id) {
            return Some(Shape::Varying);
        }
        match &inst.kind {
            Kind::Alloca => Some(self.given.strides.get(&id).map_or(Shape::Varying, |stride| affine(Some(*stride)))),
            Kind::Call if inst.is_pure() => self.all_uniform(inst),
            Kind::Call | Kind::Print | Kind::Barrier => Some(Shape::Varying),
            Kind::NamedBarrier(_) => Some(Shape::Uniform),
            Kind::Query(query) => Some(self.result.of_query(*query)),
            Kind::SubGroup(operation) => self.sub_group(*operation, inst),
            Kind::Collective(_, collective) if collective.is_uniform() => Some(Shape::Uniform),
            Kind::Collective(..) => Some(Shape::Varying),
            Kind::Gathered(state) => match self.uniform_states.contains(state) {
                true => Some(Shape::Uniform),
                false => Some(Shape::Varying),
            },
            Kind::Phi(_) if self.join[inst.block.index()] == Some(Shape::Varying) => Some(Shape::Varying),
            Kind::Phi(_) => {
                let shape = inst.operands.iter().filter_map(|o| self.part(id, *o)).reduce(Shape::join)?;
                // Rows that come by different edges have different values.
                let rows_diverge = self.join[inst.block.index()] == Some(Shape::Row);
                Some(match shape {
                    Shape::Uniform if rows_diverge => Shape::Row,
                    Shape::Wrapping(_) => Shape::Varying,
                    other => other,
                })
            }
            Kind::Plain | Kind::StorageClass => self.plain(id, inst),
        }
    }

    /// The shape of the result of a sub-group operation.
    fn sub_group(&self, operation: SubGroup, inst: &Inst<'_>) -> Option<Shape> {
        if self.given.layout == Layout::Rows || !operation.is_uniform() {
            return Some(Shape::Varying);
        }
        match operation {
            // A uniform operand gives the same, whichever lane it is taken from.
            SubGroup::Broadcast if self.operand(*inst.operands.first()?)? == Shape::Uniform => Some(Shape::Uniform),
            _ => Some(Shape::Row),
        }
    }

    /// As uniform as the least uniform operand.
    pub(super) fn all_uniform(&self, inst: &Inst<'_>) -> Option<Shape> {
        let mut result = Shape::Uniform;
        for operand in &inst.operands {
            let shape = self.operand(*operand)?;
            result = result.max(if shape.is_row_uniform() { shape } else { Shape::Varying });
        }
        Some(result)
    }

    fn plain(&self, id: InstId, inst: &Inst<'_>) -> Option<Shape> {
        match inst.opcode {
            Opcode::Load => {
                let space = self.function.type_at(inst, 0).map_or(0, Type::address_space);
                let constant = space == space::CONSTANT || self.is_argument(inst.operands[0]);
                let atomic = inst.is_atomic();
                if inst.is_volatile() || atomic || (!constant && (space == space::PRIVATE || self.ordered)) {
                    return Some(Shape::Varying);
                }
                self.all_uniform(inst)
            }
            Opcode::AtomicRmw | Opcode::AtomicCmpXchg => Some(Shape::Varying),
            // Poison may freeze to a different value in each row.
            Opcode::Freeze => self.all_uniform(inst).map(|shape| shape.max(Shape::Row)),
            Opcode::Call if !inst.is_pure() => Some(Shape::Varying),
            Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Shl | Opcode::Or => self.arithmetic(id, inst),
            Opcode::Xor if self.function.is_complement(inst) => {
                let shape = self.operand(inst.operands[0])?;
                Some(if shape.is_row_uniform() {
                    shape
                } else {
                    self.linear(inst, shape.stride().and_then(i64::checked_neg))
                })
            }
            Opcode::GetElementPtr => self.address(inst),
            Opcode::Trunc => {
                let shape = self.operand(inst.operands[0])?;
                Some(if shape.wraps() { Shape::Varying } else { shape })
            }
            Opcode::AddrSpaceCast | Opcode::PtrToInt | Opcode::IntToPtr => {
                let shape = self.operand(inst.operands[0])?;
                Some(if shape.is_row_uniform() { shape } else { self.linear(inst, shape.stride()) })
            }
            Opcode::SExt | Opcode::ZExt => self.extension(id, inst),
            Opcode::AShr | Opcode::And => self.low_bits(inst),
            Opcode::ICmp => self.comparison(id, inst),
            _ => self.all_uniform(inst),
        }
    }

    /// Does an address lie in an argument by value that nobody writes?
    fn is_argument(&self, operand: Operand) -> bool {
        matches!(self.function.base(operand), Operand::Parameter(index) if self.result.is_read_only(index))
    }

    /// An operand's shape for a user. If only its low 32 bits matter, what is extended from as many is affine.
    fn part(&self, user: InstId, operand: Operand) -> Option<Shape> {
        let shape = self.operand(operand)?;
        let (true, Shape::Wrapping(stride), Operand::Inst(id)) = (self.low[user.index()], shape, operand) else {
            return Some(shape);
        };
        let inst = self.function.inst(id);
        let cut = match inst.opcode {
            Opcode::SExt | Opcode::ZExt => {
                self.function.type_at(inst, 0).is_some_and(|narrow| narrow.int_width() >= 32)
            }
            _ => low_bits(self.function, inst).is_some_and(|low| low.left >= 32),
        };
        Some(if cut { Shape::Affine(stride) } else { shape })
    }

    fn arithmetic(&self, id: InstId, inst: &Inst<'_>) -> Option<Shape> {
        let (left, right) = (self.part(id, *inst.operands.first()?)?, self.part(id, *inst.operands.get(1)?)?);
        let constant = |index: usize| self.function.i64_at(inst, index);
        let opcode = if inst.is_disjoint() { Opcode::Add } else { inst.opcode };
        if self.given.coalescing.is_some() && is_place_in_row(self.function, id) {
            return Some(Shape::Affine(1));
        }
        if left.is_row_uniform() && right.is_row_uniform() {
            return Some(left.max(right));
        }
        if opcode == Opcode::Sub && matches!(left, Shape::Affine(_)) && left == right {
            return Some(Shape::Row);
        }
        let stride = left.stride().zip(right.stride()).and_then(|(left, right)| match opcode {
            Opcode::Add => left.checked_add(right),
            Opcode::Sub => left.checked_sub(right),
            Opcode::Mul if right == 0 => left.checked_mul(constant(1)?),
            Opcode::Mul => right.checked_mul(constant(0).filter(|_| left == 0)?),
            Opcode::Shl => left.checked_mul(1i64.checked_shl(u32::try_from(constant(1)?).ok()?)?),
            _ => None,
        });
        Some(if left.wraps() || right.wraps() { self.linear(inst, stride) } else { affine(stride) })
    }

    /// An address is affine if its base is and its indices are.
    fn address(&self, inst: &Inst<'_>) -> Option<Shape> {
        let uniform = self.all_uniform(inst)?;
        if uniform.is_row_uniform() {
            return Some(uniform);
        }
        let mut stride = self.operand(inst.operands[0])?.stride();
        for (index, bytes) in self.function.indices(inst) {
            let shape = self.operand(index)?;
            if shape.is_row_uniform() {
                continue;
            }
            if inst.operands.first().is_some_and(|base| self.result.units(*base).is_some()) {
                return Some(Shape::Varying);
            }
            // A narrower index is extended, and may wrap before that.
            let wide = self.function.type_of(index).is_int_of(64);
            let more = shape.stride().zip(bytes.filter(|_| wide)).and_then(|(stride, bytes)| stride.checked_mul(bytes));
            stride = stride.zip(more).and_then(|(stride, more)| stride.checked_add(more));
        }
        Some(self.linear(inst, stride))
    }

    /// The shape of a value with a stride: `Wrapping` if an operand may wrap, else `Affine`. Only one operand may wrap,
    /// and it may be no more than `CHAIN` instructions away, as all of these are computed again where it wraps.
    fn linear(&self, inst: &Inst<'_>, stride: Option<i64>) -> Shape {
        let affine = affine(stride);
        let Shape::Affine(stride) = affine else { return affine };
        let mut at = inst;
        for _ in 0..CHAIN {
            let wraps = |operand: &&Operand| self.operand(**operand).is_some_and(Shape::wraps);
            let mut wrapping = at.operands.iter().filter(wraps);
            match (wrapping.next(), wrapping.next()) {
                (None, _) if std::ptr::eq(at, inst) => return affine,
                (None, _) => return Shape::Wrapping(stride),
                (Some(Operand::Inst(id)), None) => at = self.function.inst(*id),
                _ => return Shape::Varying,
            }
        }
        Shape::Varying
    }
}

/// A stride of 0 counts as varying: it says that lanes of a row agree, not that rows do.
fn affine(stride: Option<i64>) -> Shape {
    match stride {
        Some(stride) if stride != 0 => Shape::Affine(stride),
        _ => Shape::Varying,
    }
}

/// May an instruction order memory among work-items?
pub(super) fn orders_memory(inst: &Inst<'_>) -> bool {
    let calls = inst.opcode == Opcode::Call && inst.intrinsic().is_none() && !inst.is_pure();
    inst.is_atomic() || calls && !matches!(inst.kind, Kind::Query(_) | Kind::Gathered(_) | Kind::SubGroup(_))
}
