//! OpenCL vectors in AoS layout: all elements of the first lane, then the second's, as they lie in memory.
//!
//! In SoA layout such a vector is one vector of lanes for each of its elements, so a contiguous load takes them apart
//! and a store puts them together, by shuffles. Where nothing between the two uses a single element, as in sums and
//! products of whole vectors, AoS layout does without these shuffles.

use oxicl_llvm::{Opcode, Type, Value};

use crate::emit::transpose::{deinterleave, interleave};
use crate::emit::vector::{parts, picked, shuffled, splat_to};
use crate::emit::widen::region::Widener;
use crate::failure::{Failure, OrFail, Result};
use crate::ir::{Inst, Operand};
use crate::recipe::Aos;

impl<'m> Widener<'_, '_, 'm> {
    /// The type of a value that is kept in AoS layout.
    pub(crate) fn aos_type(&self, ty: Type<'m>) -> Type<'m> {
        ty.scalar().vector(parts(ty) * self.lanes)
    }

    /// Is the value an OpenCL vector in AoS layout? Else it is components.
    pub(crate) fn is_aos(&self, ty: Type<'m>, components: &[Value<'m>]) -> bool {
        let (count, [one]) = (parts(ty), components) else { return false };
        count > 1 && one.ty().length() == u64::from(count * self.lanes)
    }

    /// The components of a value that may be in AoS layout.
    pub(crate) fn split(&self, ty: Type<'m>, components: Vec<Value<'m>>) -> Vec<Value<'m>> {
        if self.is_aos(ty, &components) {
            deinterleave(self.b, self.recipes.vectors, components[0], parts(ty), self.lanes)
        } else {
            components
        }
    }

    /// A value in AoS layout, from what may be components.
    pub(crate) fn join(&self, ty: Type<'m>, components: Vec<Value<'m>>) -> Value<'m> {
        if self.is_aos(ty, &components) { components[0] } else { interleave(self.b, self.recipes.vectors, &components) }
    }

    /// The lanes' mask for a value: repeated for each element if that is in AoS layout.
    pub(crate) fn mask_for(&self, value: Value<'m>, mask: Value<'m>) -> Value<'m> {
        self.repeat(mask, value.ty().length() as u32 / self.lanes)
    }

    /// An operand in AoS layout, if it is kept so.
    pub(crate) fn kept_as_aos(&self, operand: Operand) -> Option<Value<'m>> {
        let Operand::Inst(id) = operand else { return None };
        if let Some(value) = self.state.aos.get(&id) {
            return Some(*value);
        }
        let [place] = self.state.variables.get(&id)?[..] else { return None };
        let ty = self.function.inst(id).llvm.ty();
        (parts(ty) > 1).then(|| self.b.load(self.aos_type(ty), place, 0))
    }

    /// An operand in AoS layout, however it is kept.
    pub(crate) fn aos_of(&self, operand: Operand) -> Result<Value<'m>> {
        if let Some(value) = self.kept_as_aos(operand) {
            return Ok(value);
        }
        let ty = self.type_of(operand)?;
        if !self.shape(operand).is_row_uniform() {
            return Ok(self.join(ty, self.components(operand)?));
        }
        let value = self.first(operand)?;
        if !ty.is_vector() {
            return Ok(self.splat(value));
        }
        Ok(self.repeated(value))
    }

    /// A uniform vector in AoS layout: repeated for each lane.
    pub(crate) fn repeated(&self, value: Value<'m>) -> Value<'m> {
        let count = parts(value.ty());
        picked(self.b, value, (0..count * self.lanes).map(|i| i % count))
    }

    /// The result of an instruction that is kept in AoS layout.
    pub(crate) fn as_aos(&self, inst: &Inst<'m>, how: &Aos) -> Result<Value<'m>> {
        let count = parts(inst.llvm.ty());
        match how {
            Aos::Operation => self.computed_in_one(inst),
            Aos::Intrinsic(row) => {
                let each = (0..).zip(&inst.operands[..inst.llvm.arguments().len()]);
                let each = each.map(|(index, argument)| match row.scalar {
                    Some(scalar) if scalar == index => self.first(*argument),
                    _ => self.aos_of(*argument),
                });
                let result = self.intrinsic_of(inst, row, &each.collect::<Result<Vec<_>>>()?);
                result.ok_or_else(|| Failure("a call that is of whole vectors only".to_owned()))
            }
            Aos::Number(number) => self.in_each_part(*number, count),
            Aos::Part(operand, part) => Ok(self.repeat(self.components(*operand)?[*part as usize], count)),
        }
    }

    fn computed_in_one(&self, inst: &Inst<'m>) -> Result<Value<'m>> {
        let (b, value) = (self.b, *inst.llvm);
        let operand = |index: usize| self.aos_of(inst.operands[index]);
        Ok(match inst.opcode {
            Opcode::BitCast => b.bit_cast(operand(0)?, self.aos_type(value.ty())),
            Opcode::Select => {
                let result = b.select(self.condition_in_one(inst)?, operand(1)?, operand(2)?);
                result.set_fast_math(value.fast_math());
                result
            }
            Opcode::InsertElement => self.insert_in_one(inst)?,
            Opcode::ShuffleVector => self.shuffle_in_one(inst)?,
            _ => {
                let operands = inst.operands.iter().map(|operand| self.aos_of(*operand));
                self.on_numbers(inst, &operands.collect::<Result<Vec<_>>>()?)?
            }
        })
    }

    /// The condition of a select: uniform, or one for each element.
    fn condition_in_one(&self, inst: &Inst<'m>) -> Result<Value<'m>> {
        let condition = inst.operands[0];
        if self.type_of(condition)?.is_vector() {
            return self.aos_of(condition);
        }
        if self.shape(condition).is_row_uniform() {
            return self.first(condition);
        }
        Ok(self.repeat(self.component(condition)?, parts(inst.llvm.ty())))
    }

    /// A uniform or varying number, in each of a lane's `count` elements.
    fn in_each_part(&self, operand: Operand, count: u32) -> Result<Value<'m>> {
        if self.shape(operand).is_row_uniform() {
            return Ok(splat_to(self.b, self.first(operand)?, self.lanes * count));
        }
        Ok(self.repeat(self.component(operand)?, count))
    }

    fn insert_in_one(&self, inst: &Inst<'m>) -> Result<Value<'m>> {
        let count = parts(inst.llvm.ty());
        let index = self.function.u64_at(inst, 2).or_fail("a part without a number")?;
        let (all, new) = (self.aos_of(inst.operands[0])?, self.in_each_part(inst.operands[1], count)?);
        let length = count * self.lanes;
        let pick = |i: u32| if u64::from(i % count) == index { length + i } else { i };
        Ok(shuffled(self.b, [all, new], (0..length).map(pick)))
    }

    fn shuffle_in_one(&self, inst: &Inst<'m>) -> Result<Value<'m>> {
        let b = self.b;
        let picked = inst.llvm.shuffle_mask();
        let from = parts(self.type_of(inst.operands[0])?);
        let first = self.aos_of(inst.operands[0])?;
        let uses_second = picked.iter().flatten().any(|index| *index >= from);
        let second = if uses_second { self.aos_of(inst.operands[1])? } else { first.ty().poison() };
        let length = from * self.lanes;
        let order = (0..self.lanes).flat_map(|lane| {
            picked.iter().map(move |index| match (*index)? {
                index if index < from => Some(lane * from + index),
                index => Some(length + lane * from + index - from),
            })
        });
        Ok(b.shuffle(first, second, &order.collect::<Vec<_>>()))
    }

    /// One element of each lane of a value in AoS layout.
    pub(crate) fn part_in_one(&self, all: Value<'m>, index: u32) -> Value<'m> {
        let count = all.ty().length() as u32 / self.lanes;
        picked(self.b, all, (0..self.lanes).map(|lane| lane * count + index))
    }
}
