//! SPIR-V 3.3.12, composite instructions.

use oxicl_spirv::{Instruction, Operand, Type};

use crate::Fault;
use crate::machine::Machine;
use crate::value::Value;

impl Machine<'_> {
    /// OpVectorExtractDynamic; an index out of range is undefined; as in `lower` it counts modulo the number of
    /// components.
    pub(crate) fn vector_extract_dynamic(&self, inst: &Instruction) -> Result<Value, Fault> {
        let (vector, index) = (self.operand(inst, 0)?, self.operand(inst, 1)?.scalar()?);
        let lanes = vector.lanes()?;
        Ok(Value::Scalar(lanes.get((index % lanes.len().max(1) as u64) as usize).copied().unwrap_or(0)))
    }

    /// OpVectorInsertDynamic.
    pub(crate) fn vector_insert_dynamic(&self, inst: &Instruction) -> Result<Value, Fault> {
        let (vector, component) = (self.operand(inst, 0)?, self.operand(inst, 1)?.scalar()?);
        let index = self.operand(inst, 2)?.scalar()?;
        let mut lanes = vector.lanes()?.to_vec();
        let count = lanes.len().max(1) as u64;
        if let Some(lane) = lanes.get_mut((index % count) as usize) {
            *lane = component;
        }
        Ok(Value::Vector(lanes))
    }

    /// OpVectorShuffle; 0xFFFFFFFF selects an undefined component, here 0.
    pub(crate) fn vector_shuffle(&self, inst: &Instruction) -> Result<Value, Fault> {
        let (a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let all: Vec<u64> = a.lanes()?.iter().chain(b.lanes()?).copied().collect();
        Ok(Value::Vector(self.literals(inst, 2).map(|index| all.get(index).copied().unwrap_or(0)).collect()))
    }

    /// OpCompositeConstruct; a vector may be made of scalars and shorter vectors.
    pub(crate) fn composite_construct(&self, inst: &Instruction) -> Result<Value, Fault> {
        let count = inst.operands(self.module()).len();
        let parts = (0..count).map(|index| self.operand(inst, index)).collect::<Result<Vec<_>, _>>()?;
        if matches!(self.result_type(inst)?, Type::Vector { .. }) {
            let mut lanes = Vec::new();
            for part in &parts {
                lanes.extend_from_slice(part.lanes()?);
            }
            return Ok(Value::Vector(lanes));
        }
        Ok(Value::Composite(parts))
    }

    /// OpCompositeExtract.
    pub(crate) fn composite_extract(&self, inst: &Instruction) -> Result<Value, Fault> {
        let mut value = self.operand(inst, 0)?;
        for index in self.literals(inst, 1) {
            value = match value {
                Value::Vector(lanes) => lanes.get(index).copied().map(Value::Scalar),
                Value::Composite(mut members) => (index < members.len()).then(|| members.swap_remove(index)),
                Value::Scalar(_) => None,
            }
            .ok_or(Fault::Malformed("an index outside a composite"))?;
        }
        Ok(value)
    }

    /// OpCompositeInsert.
    pub(crate) fn composite_insert(&self, inst: &Instruction) -> Result<Value, Fault> {
        let (object, mut composite) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let mut place = &mut composite;
        let mut indices = self.literals(inst, 2).peekable();
        while let Some(index) = indices.next() {
            match place {
                Value::Composite(members) => {
                    place = members.get_mut(index).ok_or(Fault::Malformed("an index outside a composite"))?;
                }
                Value::Vector(lanes) if indices.peek().is_none() => {
                    *lanes.get_mut(index).ok_or(Fault::Malformed("an index outside a vector"))? = object.scalar()?;
                    return Ok(composite);
                }
                _ => return Err(Fault::Malformed("an index into a scalar")),
            }
        }
        *place = object;
        Ok(composite)
    }

    fn literals(&self, inst: &Instruction, from: usize) -> impl Iterator<Item = usize> {
        inst.operands(self.module()).get(from..).unwrap_or(&[]).iter().filter_map(|operand| match operand {
            Operand::Word(word) => Some(*word as usize),
            Operand::Id(_) => None,
        })
    }
}
