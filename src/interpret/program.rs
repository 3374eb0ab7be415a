//! A module prepared for execution: slots of values, layout of types, constants.

use std::collections::HashMap;

use oxicl_spirv::grammar::{Decoration, StorageClass};
use oxicl_spirv::{ConstantRef, Id, Module, Type, TypeRef};
use oxicl_validate::{Facts, ValidModule};

use crate::Fault;
use crate::memory::{CONSTANT, INPUT, LOCAL};
use crate::value::Value;

/// A valid module, ready to run.
pub struct Program<'m> {
    pub(crate) module: &'m Module,
    pub(crate) facts: &'m Facts,
    /// Slot of each id in the frame of its function.
    slots: HashMap<Id, u32>,
    /// Slots that each function needs.
    slot_counts: Vec<usize>,
    /// Offsets of Workgroup, Input and UniformConstant variables in their memory.
    offsets: HashMap<Id, u64>,
    local_bytes: u64,
    input_bytes: usize,
    constant_bytes: usize,
    constants: Vec<Value>,
}

impl<'m> Program<'m> {
    /// Prepares a module.
    pub fn new(valid: &'m ValidModule) -> Result<Self, Fault> {
        let (module, facts) = (valid.module(), valid.facts());
        let mut program = Program {
            module,
            facts,
            slots: HashMap::new(),
            slot_counts: Vec::new(),
            offsets: HashMap::new(),
            local_bytes: 0,
            input_bytes: 0,
            constant_bytes: 0,
            constants: Vec::new(),
        };
        program.number_values();
        program.place_variables()?;
        for constant in &module.constants {
            let value = program.evaluate_constant(constant)?;
            program.constants.push(value);
        }
        Ok(program)
    }

    fn number_values(&mut self) {
        for function in &self.module.functions {
            let parameters = function.parameters.iter().map(|parameter| parameter.id);
            let results = function.blocks.iter().flat_map(|block| &block.instructions).filter_map(|inst| inst.result);
            let mut count = 0;
            for id in parameters.chain(results) {
                self.slots.insert(id, count);
                count += 1;
            }
            self.slot_counts.push(count as usize);
        }
    }

    fn place_variables(&mut self) -> Result<(), Fault> {
        for global in &self.module.globals {
            let Type::Pointer { pointee, .. } = self.module.ty(global.ty) else {
                return Err(Fault::Malformed("a variable that is no pointer"));
            };
            let (size, align) = (self.size(*pointee)?, self.align(*pointee)?.max(1));
            let end = match global.storage {
                StorageClass::Workgroup => &mut self.local_bytes,
                StorageClass::Input => {
                    let offset = self.input_bytes.next_multiple_of(align as usize);
                    self.input_bytes = offset + size as usize;
                    self.offsets.insert(global.id, offset as u64);
                    continue;
                }
                StorageClass::UniformConstant if !self.facts.program_block.offsets.contains_key(&global.id) => {
                    let offset = self.constant_bytes.next_multiple_of(align as usize);
                    self.constant_bytes = offset + size as usize;
                    self.offsets.insert(global.id, offset as u64);
                    continue;
                }
                _ => continue,
            };
            let offset = end.next_multiple_of(align);
            *end = offset + size;
            self.offsets.insert(global.id, offset);
        }
        Ok(())
    }

    /// Bytes of local memory that the module's own variables take; local arguments lie behind them.
    pub fn local_bytes(&self) -> u64 {
        self.local_bytes
    }

    pub(crate) fn input_bytes(&self) -> usize {
        self.input_bytes
    }

    /// Place and type of a built-in variable.
    pub(crate) fn input(&self, id: Id) -> Result<(usize, TypeRef), Fault> {
        let offset = *self.offsets.get(&id).ok_or(Fault::Malformed("an unplaced variable"))?;
        let global = self.module.global(id).ok_or(Fault::Malformed("no such variable"))?;
        match self.module.ty(global.ty) {
            Type::Pointer { pointee, .. } => Ok((offset as usize, *pointee)),
            _ => Err(Fault::Malformed("a variable that is no pointer")),
        }
    }

    /// Address of a module-scope variable.
    pub(crate) fn variable_address(&self, id: Id, program_block: u64) -> Result<u64, Fault> {
        if let Some(offset) = self.facts.program_block.offsets.get(&id) {
            return Ok(program_block + offset);
        }
        let global = self.module.global(id).ok_or(Fault::Malformed("no such variable"))?;
        let offset = self.offsets.get(&id).ok_or(Fault::Malformed("an unplaced variable"))?;
        Ok(offset
            + match global.storage {
                StorageClass::Workgroup => LOCAL,
                StorageClass::Input => INPUT,
                _ => CONSTANT,
            })
    }

    /// Content of the UniformConstant variables outside the program block.
    pub(crate) fn constant_memory(&self, program_block: u64) -> Vec<u8> {
        let mut memory = vec![0; self.constant_bytes];
        for global in self.module.globals.iter().filter(|global| global.storage == StorageClass::UniformConstant) {
            let (Some(offset), Some(initializer)) = (self.offsets.get(&global.id), global.initializer) else {
                continue;
            };
            let Type::Pointer { pointee, .. } = self.module.ty(global.ty) else { continue };
            let value = match self.module.def(initializer) {
                oxicl_spirv::Def::Constant(constant) => self.constant(constant),
                _ => self.variable_address(initializer, program_block).map(Value::Scalar),
            };
            let Ok(parts) = value.and_then(|value| self.to_bytes(&value, *pointee)) else { continue };
            for (inner, bytes) in parts {
                let start = (offset + inner) as usize;
                memory[start..start + bytes.len()].copy_from_slice(&bytes);
            }
        }
        memory
    }

    pub(crate) fn slot(&self, id: Id) -> usize {
        self.slots.get(&id).copied().unwrap_or(0) as usize
    }

    pub(crate) fn slot_count(&self, function: u32) -> usize {
        self.slot_counts.get(function as usize).copied().unwrap_or(0)
    }

    pub(crate) fn constant(&self, constant: ConstantRef) -> Result<Value, Fault> {
        self.constants
            .get(constant.0 as usize)
            .cloned()
            .ok_or(Fault::Malformed("a constant used before its definition"))
    }

    /// Width, in bits, of a scalar type or of a vector's components; 1 for booleans, 64 for pointers.
    pub(crate) fn element_width(&self, ty: TypeRef) -> Result<u32, Fault> {
        match self.module.ty(ty) {
            Type::Bool => Ok(1),
            Type::Int { width, .. } | Type::Float { width, .. } => Ok(*width),
            Type::Pointer { .. } => Ok(64),
            Type::Vector { component, .. } => self.element_width(*component),
            _ => Err(Fault::Malformed("a scalar or vector type was expected")),
        }
    }

    /// Size of a type in memory, in bytes.
    pub(crate) fn size(&self, ty: TypeRef) -> Result<u64, Fault> {
        match self.module.ty(ty) {
            Type::Vector { component, count } => Ok(self.size(*component)? * slots_of_vector(*count)),
            Type::Array { element, length } => Ok(self.stride(*element)? * self.length(*length)?),
            Type::Struct { members } => {
                let mut end = 0;
                for (index, member) in members.iter().enumerate() {
                    end = self.struct_offset(ty, index)? + self.size(*member)?;
                }
                Ok(end.next_multiple_of(self.align(ty)?))
            }
            _ => Ok(u64::from(self.element_width(ty)?.div_ceil(8))),
        }
    }

    /// Alignment of a type in memory, in bytes.
    pub(crate) fn align(&self, ty: TypeRef) -> Result<u64, Fault> {
        match self.module.ty(ty) {
            Type::Array { element, .. } => self.align(*element),
            Type::Struct { .. } if self.packed(ty) => Ok(1),
            Type::Struct { members } => members.iter().try_fold(1, |align, member| Ok(align.max(self.align(*member)?))),
            _ => self.size(ty),
        }
    }

    /// Distance of neighbouring elements of a type, in bytes.
    pub(crate) fn stride(&self, ty: TypeRef) -> Result<u64, Fault> {
        Ok(self.size(ty)?.next_multiple_of(self.align(ty)?.max(1)))
    }

    fn length(&self, id: Id) -> Result<u64, Fault> {
        match self.module.constant(id).map(|constant| &constant.kind) {
            Some(oxicl_spirv::ConstantKind::Scalar(length)) => Ok(*length),
            _ => Err(Fault::Malformed("an array without a constant length")),
        }
    }

    fn packed(&self, ty: TypeRef) -> bool {
        let id = self.module.type_ids[ty.0 as usize];
        self.module.decorations_of(id).iter().any(|d| d.decoration == Decoration::CPacked)
    }

    fn struct_offset(&self, ty: TypeRef, index: usize) -> Result<u64, Fault> {
        let Type::Struct { members } = self.module.ty(ty) else {
            return Err(Fault::Malformed("a structure was expected"));
        };
        let packed = self.packed(ty);
        let mut offset = 0u64;
        for (position, member) in members.iter().enumerate().take(index + 1) {
            if !packed {
                offset = offset.next_multiple_of(self.align(*member)?.max(1));
            }
            if position == index {
                return Ok(offset);
            }
            offset += self.size(*member)?;
        }
        Err(Fault::Malformed("a member outside its structure"))
    }

    /// Offset and type of element or member `index`.
    pub(crate) fn member(&self, ty: TypeRef, index: i64) -> Result<(i64, TypeRef), Fault> {
        match self.module.ty(ty) {
            Type::Array { element, .. } => Ok((index.wrapping_mul(self.stride(*element)? as i64), *element)),
            Type::Vector { component, .. } => Ok((index.wrapping_mul(self.size(*component)? as i64), *component)),
            Type::Struct { members } => {
                let member = *members.get(index as usize).ok_or(Fault::Malformed("a member outside its structure"))?;
                Ok((self.struct_offset(ty, index as usize)? as i64, member))
            }
            _ => Err(Fault::Malformed("an index into a scalar")),
        }
    }

    /// The value that bytes in memory stand for.
    pub(crate) fn value_of(&self, bytes: &[u8], ty: TypeRef) -> Result<Value, Fault> {
        let part = |offset: u64, ty: TypeRef| -> Result<Value, Fault> {
            let start = offset as usize;
            let end = start + self.size(ty)? as usize;
            self.value_of(bytes.get(start..end).ok_or(Fault::Malformed("too few bytes"))?, ty)
        };
        match self.module.ty(ty) {
            Type::Vector { component, count } => {
                let size = self.size(*component)?;
                let lanes = (0..u64::from(*count)).map(|lane| part(lane * size, *component)?.scalar());
                Ok(Value::Vector(lanes.collect::<Result<_, _>>()?))
            }
            Type::Array { element, length } => {
                let (stride, length) = (self.stride(*element)?, self.length(*length)?);
                Ok(Value::Composite((0..length).map(|i| part(i * stride, *element)).collect::<Result<_, _>>()?))
            }
            Type::Struct { members } => {
                let members = members.iter().enumerate().map(|(i, member)| part(self.struct_offset(ty, i)?, *member));
                Ok(Value::Composite(members.collect::<Result<_, _>>()?))
            }
            Type::Bool => Ok(Value::Scalar(u64::from(bytes.first().is_some_and(|byte| byte & 1 == 1)))),
            _ => Ok(Value::Scalar(bytes.iter().take(8).rev().fold(0, |bits, byte| (bits << 8) | u64::from(*byte)))),
        }
    }

    /// Offsets and bytes that a value has in memory, padding left out.
    pub(crate) fn to_bytes(&self, value: &Value, ty: TypeRef) -> Result<Vec<(u64, Vec<u8>)>, Fault> {
        let mut parts = Vec::new();
        self.append_bytes(value, ty, 0, &mut parts)?;
        Ok(parts)
    }

    fn append_bytes(&self, value: &Value, ty: TypeRef, at: u64, parts: &mut Vec<(u64, Vec<u8>)>) -> Result<(), Fault> {
        match (self.module.ty(ty), value) {
            (Type::Vector { component, .. }, Value::Vector(lanes)) => {
                let size = self.size(*component)?;
                for (lane, bits) in lanes.iter().enumerate() {
                    self.append_bytes(&Value::Scalar(*bits), *component, at + lane as u64 * size, parts)?;
                }
            }
            (Type::Array { element, .. }, Value::Composite(elements)) => {
                let stride = self.stride(*element)?;
                for (index, value) in elements.iter().enumerate() {
                    self.append_bytes(value, *element, at + index as u64 * stride, parts)?;
                }
            }
            (Type::Struct { members }, Value::Composite(values)) => {
                for (index, (member, value)) in members.iter().zip(values).enumerate() {
                    self.append_bytes(value, *member, at + self.struct_offset(ty, index)?, parts)?;
                }
            }
            (_, Value::Scalar(bits)) => {
                parts.push((at, bits.to_le_bytes()[..self.size(ty)?.min(8) as usize].to_vec()));
            }
            _ => return Err(Fault::Malformed("a value of another shape than its type")),
        }
        Ok(())
    }

    /// The null value of a type.
    pub(crate) fn zero(&self, ty: TypeRef) -> Result<Value, Fault> {
        self.value_of(&vec![0; self.size(ty)? as usize], ty)
    }
}

/// A vector of three takes the space of four.
fn slots_of_vector(count: u32) -> u64 {
    if count == 3 { 4 } else { u64::from(count) }
}
