//! What an operand is for a gang: one value, or the components of all lanes.

use oxicl_llvm::{Type, Value};

use super::Widener;
use crate::analyse::shape::Shape;
use crate::emit::vector::{splat_to, take_apart, vectors_of};
use crate::failure::{Result, failure};
use crate::ir::{self, ConstantId, Operand};

impl<'e, 'm> Widener<'_, 'e, 'm> {
    /// The shape of an operand in this body.
    pub(crate) fn shape(&self, operand: Operand) -> Shape {
        self.recipes.shape(operand)
    }

    pub(crate) fn vector(&self, ty: Type<'m>) -> Type<'m> {
        ty.vector(self.lanes)
    }

    /// The types of the vectors that hold a value for the gang, one per component.
    pub(crate) fn vectors_of(&self, ty: &ir::Type) -> Result<Vec<Type<'m>>> {
        vectors_of(self.b.context(), ty, self.lanes)
    }

    /// One value in all lanes.
    pub(crate) fn splat(&self, value: Value<'m>) -> Value<'m> {
        splat_to(self.b, value, self.lanes)
    }

    /// The vector of 0, `stride`, twice `stride` and so on.
    pub(crate) fn steps(&self, ty: Type<'m>, stride: i64) -> Value<'m> {
        let numbers: Vec<_> =
            (0..i64::from(self.lanes)).map(|lane| ty.const_signed(lane.wrapping_mul(stride))).collect();
        self.b.context().const_vector(&numbers)
    }

    /// The vector that begins with a number or an address and advances by a stride.
    pub(crate) fn steps_from(&self, first: Value<'m>, stride: i64) -> Value<'m> {
        let b = self.b;
        if first.ty().is_pointer() {
            return b.byte_offset(first, self.steps(b.context().int_type(64), stride));
        }
        b.add(self.splat(first), self.steps(first.ty(), stride))
    }

    /// A constant, as LLVM has it.
    pub(crate) fn llvm_constant(&self, id: ConstantId) -> Value<'m> {
        *self.function.llvm_constants[id.index()]
    }

    /// The type of an operand.
    pub(crate) fn type_of(&self, operand: Operand) -> Result<Type<'m>> {
        match operand {
            Operand::Inst(id) => Ok(self.function.inst(id).llvm.ty()),
            Operand::Parameter(index) => Ok(self.function.parameters[index as usize].llvm.ty()),
            Operand::Constant(id) => Ok(self.llvm_constant(id).ty()),
            Operand::Opaque => failure("the lanes of what is no value"),
        }
    }

    /// The value of a uniform operand, or the first lane's of an affine one.
    pub(crate) fn first(&self, operand: Operand) -> Result<Value<'m>> {
        if let (Shape::Wrapping(_), Operand::Inst(id)) = (self.e.plan.shapes.of_operand(operand), operand)
            && !self.state.wraps.contains_key(&id)
        {
            // It was computed elsewhere and is kept as a vector, whose lanes advance by a stride here.
            return Ok(self.b.extract_element(self.component(operand)?, self.b.context().int_type(64).zero()));
        }
        self.scalar.value(operand)
    }

    /// The components of an operand as vectors of lanes.
    pub(crate) fn components(&self, operand: Operand) -> Result<Vec<Value<'m>>> {
        if let Operand::Inst(id) = operand {
            if let Some(components) = self.state.wide.get(&id) {
                return Ok(components.clone());
            }
            if let Some(all) = self.kept_as_aos(operand) {
                return Ok(self.split(self.function.inst(id).llvm.ty(), vec![all]));
            }
            if let Some(places) = self.state.variables.get(&id) {
                let each = places.iter().zip(self.vectors_of(&self.function.inst(id).ty)?);
                return Ok(each.map(|(place, vector)| self.b.load(vector, *place, 0)).collect());
            }
        }
        if let Operand::Parameter(index) = operand
            && let Some(components) = self.parameters.get(&index)
        {
            return Ok(components.clone());
        }
        if let (Shape::Wrapping(_), Operand::Inst(id)) = (self.shape(operand), operand) {
            return self.wrapped(id);
        }
        let value = self.first(operand)?;
        if let Shape::Affine(stride) = self.shape(operand) {
            return Ok(vec![self.steps_from(value, stride)]);
        }
        Ok(take_apart(self.b, value)?.into_iter().map(|component| self.splat(component)).collect())
    }

    /// The only component of an operand.
    pub(crate) fn component(&self, operand: Operand) -> Result<Value<'m>> {
        match self.components(operand)?[..] {
            [component] => Ok(component),
            _ => failure("a value of several parts where one is wanted"),
        }
    }
}
