//! Slices of replicated atomic operations: what only the operation needs, down to what lanes load side by side.
//! Each lane computes it by itself, in the loop over lanes. If several operations follow each other, as where a lane
//! counts each element of a vector of the language, they may need the same: each lane then does all of them in one go.
//!
//! If vectors were used, each lane's address would go through memory to that loop. Lanes then come to their addresses so
//! late that they load before earlier lanes have stored to the same place, and processors start them again: histograms
//! on Emerald Rapids take 2.7 times as long.

use std::collections::HashMap;
use std::rc::Rc;

use crate::ir::{BlockId, Inst, InstId, Kind, Opcode, Operand};
use oxicl_protocol::Decision;

use crate::analyse::idioms::product::high_product;
use crate::analyse::instructions::{is_harmless, is_integer_binary};
use crate::analyse::shape::Shape;
use crate::bounds::{CHAIN, RUN};
use crate::recipe::{Recipe, Recipes, Way};

/// The slices of a block's atomic operations, in the order of the block.
#[derive(Default)]
pub(super) struct Slices {
    of: HashMap<InstId, Vec<InstId>>,
    /// The operation that each varying instruction of a slice is for. Others may need what advances by a stride unless
    /// it wraps, so that is computed from the first lane's as well.
    with: HashMap<InstId, InstId>,
}

/// Operations of a block that follow each other.
struct Run {
    /// From where on loads may move to the last operation.
    first_load: usize,
    /// What the operations need, and all but the last one.
    slice: Vec<InstId>,
    /// The place of the last one.
    end: usize,
    /// How many there are.
    count: usize,
}

impl<'m> Recipes<'_, 'm> {
    /// What each lane computes by itself for a replicated instruction, in order.
    pub(crate) fn slice(&self, id: InstId) -> Vec<InstId> {
        self.slices(self.function.inst(id).block).of.get(&id).cloned().unwrap_or_default()
    }

    /// The recipe of an instruction that is computed for a replicated one.
    pub(super) fn in_slice(&self, id: InstId) -> Option<Recipe> {
        self.slices(self.function.inst(id).block).with.get(&id).map(|whole| Recipe::With(*whole))
    }

    fn slices(&self, block: BlockId) -> Rc<Slices> {
        let known = self.slices.borrow().get(&block).cloned();
        known.unwrap_or_else(|| {
            let slices = Rc::new(self.slices_of(block));
            self.slices.borrow_mut().insert(block, slices.clone());
            slices
        })
    }

    fn slices_of(&self, block: BlockId) -> Slices {
        let insts = &self.function.block(block).insts;
        let mut slices = Slices::default();
        let mut run: Option<Run> = None;
        for (at, id) in insts.iter().enumerate() {
            let inst = self.function.inst(*id);
            let is_atomic = matches!(inst.opcode, Opcode::AtomicRmw | Opcode::AtomicCmpXchg);
            if !is_atomic || inst.is_volatile() || self.shape_of(*id) != Shape::Varying || self.atomic(*id).is_some() {
                continue;
            }
            let before = &insts[..at];
            // Loads do not move past what may change memory.
            let change = before.iter().rposition(|other| !is_harmless(self.function, *other));
            let first_load = change.map_or(0, |last| last + 1);
            let joint = run.filter(|run| change == Some(run.end)).and_then(|run| self.goes_on(run, inst, before));
            let slice = match &joint {
                Some(run) if self.is_own(inst, &run.slice) => run.slice.clone(),
                _ => self.slice_of(inst, before, first_load, Vec::new(), true),
            };
            run = joint.or_else(|| {
                let slice = self.slice_of(inst, before, first_load, Vec::new(), false);
                Some(Run { first_load, slice, end: at, count: 1 })
            });
            if slice.is_empty() || !self.function.allows(Decision::Slices, *id) {
                continue;
            }
            slices.of.retain(|other, _| !slice.contains(other));
            let varying = slice.iter().filter(|member| self.varies(**member));
            slices.with.extend(varying.map(|member| (*member, *id)));
            slices.of.insert(*id, slice);
        }
        slices
    }

    /// A run of operations with another one, which comes behind the instructions `before`; `None` if it is long enough, or
    /// if something between the last two may see what the former changes.
    fn goes_on(&self, run: Run, inst: &Inst<'m>, before: &[InstId]) -> Option<Run> {
        let Run { first_load, mut slice, end, count } = run;
        slice.push(before[end]);
        let slice = self.slice_of(inst, before, first_load, slice, false);
        let is_load = |id: &&InstId| self.function.inst(**id).opcode == Opcode::Load;
        let is_apart = before[end..].iter().filter(is_load).all(|load| slice.contains(load));
        (count < RUN && is_apart).then_some(Run { first_load, slice, end: before.len(), count: count + 1 })
    }

    /// The slice of an operation behind the instructions `before` of its block: these and what it needs besides; of loads,
    /// what lies at or behind `first_load`. If it is to be its `own`, without what others need as well.
    fn slice_of(
        &self,
        inst: &Inst<'m>,
        before: &[InstId],
        first_load: usize,
        mut slice: Vec<InstId>,
        own: bool,
    ) -> Vec<InstId> {
        for operand in &inst.operands {
            let mut longer = slice.clone();
            let reaches = self.reaches_loads(*operand, before, first_load, CHAIN, &mut longer);
            if reaches && (!own || self.is_own(inst, &longer)) {
                slice = longer;
            }
        }
        slice.sort_by_key(|member| before.iter().rposition(|other| other == member));
        slice
    }

    /// Does nothing else use what varies in a slice?
    fn is_own(&self, inst: &Inst<'m>, slice: &[InstId]) -> bool {
        let users = || slice.iter().map(|user| self.function.inst(*user)).chain([inst]);
        let uses =
            |id| users().flat_map(|user| &user.operands).filter(|operand| **operand == Operand::Inst(id)).count();
        slice.iter().filter(|id| self.varies(**id)).all(|id| self.function.uses(*id) as usize == uses(*id))
    }

    fn varies(&self, id: InstId) -> bool {
        self.shape(Operand::Inst(id)) == Shape::Varying
    }

    /// Adds what an operand is computed from in a block, whose instructions so far are `before`. Returns whether lanes
    /// load all of its varying numbers side by side, at or behind `first_load`.
    fn reaches_loads(
        &self,
        operand: Operand,
        before: &[InstId],
        first_load: usize,
        far: usize,
        slice: &mut Vec<InstId>,
    ) -> bool {
        let (Operand::Inst(id), shape) = (operand, self.shape(operand)) else { return true };
        if !matches!(shape, Shape::Varying | Shape::Wrapping(_)) || slice.contains(&id) {
            return true;
        }
        let inst = self.function.inst(id);
        let Some(at) = before.iter().rposition(|other| *other == id) else { return false };
        let is_simple = match inst.opcode {
            Opcode::Load => shape == Shape::Varying && at >= first_load && self.is_beside(id),
            Opcode::Trunc => high_product(self.function, id).is_none(),
            Opcode::GetElementPtr => self.shapes.units(operand).is_none(),
            Opcode::ExtractElement => self.function.as_u64(inst.operands[1]).is_some(),
            opcode => matches!(opcode, Opcode::ZExt | Opcode::SExt) || is_integer_binary(opcode),
        };
        let is_plain = matches!(inst.kind, Kind::Plain) && self.computes(id);
        if !is_simple || !is_plain || far == 0 {
            return false;
        }
        slice.push(id);
        inst.operands.iter().all(|operand| self.reaches_loads(*operand, before, first_load, far - 1, slice))
    }

    /// Does a load by itself load a number or a vector of the language for each lane, side by side but for a wrap?
    fn is_beside(&self, id: InstId) -> bool {
        let inst = self.function.inst(id);
        let Some(Recipe::Access(access)) = self.memory(id) else { return false };
        let (Shape::Affine(stride) | Shape::Wrapping(stride)) = self.shape(access.address) else { return false };
        let is_beside = stride.unsigned_abs() == inst.ty.size();
        let is_whole = inst.ty.single().is_some() || inst.ty.is_vector();
        is_beside && is_whole && inst.is_ordinary() && !matches!(access.way, Way::Private(_))
    }
}
