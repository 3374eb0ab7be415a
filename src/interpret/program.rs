//! A module prepared for execution: slots of values, places of variables, values in memory.

use std::collections::HashMap;
use std::sync::Arc;

use oxicl_spirv::grammar::StorageClass;
use oxicl_spirv::{Def, Id, Module, Type, TypeRef};
use oxicl_validate::{Facts, ValidModule};

use crate::Fault;
use crate::memory::{CONSTANT, INPUT};
use crate::value::Value;

/// Takes bytes for an offset or address.
pub(crate) type Store<'a> = &'a mut dyn FnMut(u64, &[u8]) -> Result<(), Fault>;

/// A valid module, ready to run.
#[derive(Debug)]
pub struct Program {
    valid: Arc<ValidModule>,
    /// Slot of each id in the frame of its function, by the id's number.
    slots: Vec<u32>,
    /// Slots that each function needs.
    slot_counts: Vec<usize>,
    /// Offsets of Input and UniformConstant variables in their memory.
    offsets: HashMap<Id, u64>,
    input_bytes: usize,
    constant_bytes: usize,
    /// The order of each function's blocks, where there is an instruction at which sub-groups meet; else nothing.
    orders: Vec<Vec<u32>>,
}

impl Program {
    /// Prepares a module.
    ///
    /// # Errors
    /// The module breaks what `validate` promises, or its constant data is too large.
    pub fn new(valid: Arc<ValidModule>) -> Result<Self, Fault> {
        let mut program = Program {
            valid,
            slots: Vec::new(),
            slot_counts: Vec::new(),
            offsets: HashMap::new(),
            input_bytes: 0,
            constant_bytes: 0,
            orders: Vec::new(),
        };
        let module = program.valid.module();
        if crate::collective::has_sub_group_operations(module) {
            program.orders = module.functions.iter().map(|function| crate::order::order(module, function)).collect();
        }
        program.number_values();
        program.place_variables()?;
        Ok(program)
    }

    pub(crate) fn module(&self) -> &Module {
        self.valid.module()
    }

    pub(crate) fn facts(&self) -> &Facts {
        self.valid.facts()
    }

    /// The place of a block in its function's order, if the module has an instruction at which sub-groups meet.
    pub(crate) fn place(&self, function: u32, block: u32) -> Option<u32> {
        self.orders.get(function as usize)?.get(block as usize).copied()
    }

    fn number_values(&mut self) {
        let module = self.valid.module();
        let mut slots = vec![0; module.bound as usize];
        for function in &module.functions {
            let parameters = function.parameters.iter().map(|parameter| parameter.id);
            let results = function.blocks.iter().flat_map(|block| &block.instructions).filter_map(|inst| inst.result);
            let mut count = 0;
            for id in parameters.chain(results) {
                if let Some(slot) = slots.get_mut(id.number() as usize) {
                    *slot = count;
                }
                count += 1;
            }
            self.slot_counts.push(count as usize);
        }
        self.slots = slots;
    }

    fn place_variables(&mut self) -> Result<(), Fault> {
        let valid = Arc::clone(&self.valid);
        for global in &valid.module().globals {
            let layout = self.pointee(global.ty).and_then(|ty| self.layout(ty))?;
            let end = match global.storage {
                StorageClass::Input => &mut self.input_bytes,
                StorageClass::UniformConstant if !valid.facts().program_block.offsets.contains_key(&global.id) => {
                    &mut self.constant_bytes
                }
                _ => continue,
            };
            let offset = end.next_multiple_of(layout.align.max(1) as usize);
            *end = offset.checked_add(layout.size as usize).ok_or(Fault::Memory)?;
            self.offsets.insert(global.id, offset as u64);
        }
        Ok(())
    }

    pub(crate) fn input_bytes(&self) -> usize {
        self.input_bytes
    }

    pub(crate) fn constant_bytes(&self) -> usize {
        self.constant_bytes
    }

    /// Place and type of a built-in variable.
    pub(crate) fn input(&self, id: Id) -> Result<(usize, TypeRef), Fault> {
        let offset = *self.offsets.get(&id).ok_or(Fault::Malformed("an unplaced variable"))?;
        let global = self.module().global(id).ok_or(Fault::Malformed("no such variable"))?;
        Ok((offset as usize, self.pointee(global.ty)?))
    }

    /// Address of a module-scope variable that is not in local memory.
    pub(crate) fn variable_address(&self, id: Id, program_block: u64) -> Result<u64, Fault> {
        if let Some(offset) = self.facts().program_block.offsets.get(&id) {
            return Ok(program_block.wrapping_add(*offset));
        }
        let global = self.module().global(id).ok_or(Fault::Malformed("no such variable"))?;
        let offset = self.offsets.get(&id).ok_or(Fault::Malformed("an unplaced variable"))?;
        Ok(offset + if global.storage == StorageClass::Input { INPUT } else { CONSTANT })
    }

    /// Offset of a UniformConstant variable that the machine keeps itself.
    pub(crate) fn constant_offset(&self, id: Id) -> Option<u64> {
        self.offsets.get(&id).copied()
    }

    pub(crate) fn slot(&self, id: Id) -> usize {
        self.slots.get(id.number() as usize).copied().unwrap_or(0) as usize
    }

    pub(crate) fn slot_count(&self, function: u32) -> usize {
        self.slot_counts.get(function as usize).copied().unwrap_or(0)
    }

    /// Index of the function that an id names.
    pub(crate) fn function(&self, id: Id) -> Result<u32, Fault> {
        match self.module().def(id) {
            Def::Function(index) => Ok(index),
            _ => Err(Fault::Malformed("a call of no function")),
        }
    }

    /// Width, in bits, of a scalar type or of a vector's components; 1 for booleans, 64 for pointers and handles.
    pub(crate) fn element_width(&self, ty: TypeRef) -> Result<u32, Fault> {
        match self.module().ty(ty) {
            Type::Bool => Ok(1),
            Type::Int { width, .. } | Type::Float { width, .. } => Ok(*width),
            Type::Pointer { .. }
            | Type::Event
            | Type::DeviceEvent
            | Type::ReserveId
            | Type::Queue
            | Type::Image { .. }
            | Type::Sampler => Ok(64),
            Type::Vector { component, .. } => self.element_width(*component),
            _ => Err(Fault::Malformed("a scalar or vector type was expected")),
        }
    }

    /// Components of a vector type; 1 for others.
    pub(crate) fn lane_count(&self, ty: TypeRef) -> u64 {
        match self.module().ty(ty) {
            Type::Vector { count, .. } => u64::from(*count),
            _ => 1,
        }
    }

    /// What a pointer type points to.
    pub(crate) fn pointee(&self, pointer: TypeRef) -> Result<TypeRef, Fault> {
        match self.module().ty(pointer) {
            Type::Pointer { pointee, .. } => Ok(*pointee),
            _ => Err(Fault::Malformed("a pointer was expected")),
        }
    }

    fn layout(&self, ty: TypeRef) -> Result<oxicl_spirv::Layout, Fault> {
        self.valid.layouts().get(ty).ok_or(Fault::Malformed("a type without a place in memory"))
    }

    /// Size of a type in memory, in bytes.
    pub(crate) fn size(&self, ty: TypeRef) -> Result<u64, Fault> {
        Ok(self.layout(ty)?.size)
    }

    /// Alignment of a type in memory, in bytes.
    pub(crate) fn align(&self, ty: TypeRef) -> Result<u64, Fault> {
        Ok(self.layout(ty)?.align)
    }

    fn member_offset(&self, ty: TypeRef, index: usize) -> Result<u64, Fault> {
        self.valid.layouts().member_offset(ty, index).ok_or(Fault::Malformed("a member outside its structure"))
    }

    fn length(&self, id: Id) -> Result<u64, Fault> {
        self.module().constant_bits(id).ok_or(Fault::Malformed("an array without a constant length"))
    }

    /// Offset and type of element or member `index`.
    pub(crate) fn member(&self, ty: TypeRef, index: i64) -> Result<(i64, TypeRef), Fault> {
        match self.module().ty(ty) {
            Type::Array { element, .. } => Ok((index.wrapping_mul(self.size(*element)? as i64), *element)),
            Type::Vector { component, .. } => Ok((index.wrapping_mul(self.size(*component)? as i64), *component)),
            Type::Struct { members } => {
                let member = *members.get(index as usize).ok_or(Fault::Malformed("a member outside its structure"))?;
                Ok((self.member_offset(ty, index as usize)? as i64, member))
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
        match self.module().ty(ty) {
            Type::Vector { component, count } => {
                let size = self.size(*component)?;
                let lanes = (0..u64::from(*count)).map(|lane| part(lane * size, *component)?.scalar());
                Ok(Value::Vector(lanes.collect::<Result<_, _>>()?))
            }
            Type::Array { element, length } => {
                let (stride, length) = (self.size(*element)?, self.length(*length)?);
                Ok(Value::Composite((0..length).map(|i| part(i * stride, *element)).collect::<Result<_, _>>()?))
            }
            Type::Struct { members } => {
                let members = members.iter().enumerate().map(|(i, member)| part(self.member_offset(ty, i)?, *member));
                Ok(Value::Composite(members.collect::<Result<_, _>>()?))
            }
            Type::Bool => Ok(Value::Scalar(u64::from(bytes.first().is_some_and(|byte| byte & 1 == 1)))),
            _ => {
                let bits = bytes.iter().take(8).rev().fold(0, |bits, byte| (bits << 8) | u64::from(*byte));
                Ok(Value::Scalar(crate::value::truncate(bits, self.element_width(ty)?)))
            }
        }
    }

    /// Calls `store` with the offset and the bytes of each part that a value has in memory, padding left out.
    pub(crate) fn each_part(&self, value: &Value, ty: TypeRef, at: u64, store: Store<'_>) -> Result<(), Fault> {
        match (self.module().ty(ty), value) {
            (Type::Vector { component, .. }, Value::Vector(lanes)) => {
                let size = self.size(*component)?;
                let mut bytes = [0; 128];
                for (place, bits) in bytes.chunks_mut(size as usize).zip(lanes) {
                    place.copy_from_slice(bits.to_le_bytes().get(..place.len()).unwrap_or_default());
                }
                store(at, bytes.get(..lanes.len() * size as usize).ok_or(Fault::Malformed("a vector too wide"))?)
            }
            (Type::Array { element, .. }, Value::Composite(elements)) => {
                let stride = self.size(*element)?;
                for (index, value) in elements.iter().enumerate() {
                    self.each_part(value, *element, at + index as u64 * stride, store)?;
                }
                Ok(())
            }
            (Type::Struct { members }, Value::Composite(values)) => {
                for (index, (member, value)) in members.iter().zip(values).enumerate() {
                    self.each_part(value, *member, at + self.member_offset(ty, index)?, store)?;
                }
                Ok(())
            }
            (_, Value::Scalar(bits)) => store(at, &bits.to_le_bytes()[..self.size(ty)?.min(8) as usize]),
            _ => Err(Fault::Malformed("a value of another shape than its type")),
        }
    }

    /// Stores a value in a memory of the machine's own.
    pub(crate) fn put(&self, memory: &mut [u8], offset: u64, value: &Value, ty: TypeRef) -> Result<(), Fault> {
        self.each_part(value, ty, offset, &mut |at, bytes| {
            crate::memory::slice_mut(memory, at, bytes.len())
                .ok_or(Fault::Malformed("a variable too small"))?
                .copy_from_slice(bytes);
            Ok(())
        })
    }

    /// The null value of a type.
    pub(crate) fn zero(&self, ty: TypeRef) -> Result<Value, Fault> {
        self.value_of(&crate::memory::zeroed(self.size(ty)?)?, ty)
    }
}
