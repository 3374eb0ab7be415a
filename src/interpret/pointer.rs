//! SPIR-V 3.3.8, memory instructions, and conversions of pointers.

use oxicl_spirv::grammar::{Op, StorageClass};
use oxicl_spirv::{Instruction, Type, TypeRef};

use crate::Fault;
use crate::machine::Machine;
use crate::memory::{CONSTANT, INPUT, LOCAL, PRIVATE, grow, slice_mut, word, zeroed};
use crate::value::{Value, sign_extend, truncate};

impl Machine<'_> {
    /// Reads memory of any kind.
    pub(crate) fn read(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Fault> {
        let size = bytes.len();
        let item = &self.items[self.current];
        let (own, base) = match address {
            PRIVATE.. => (&item.private, PRIVATE),
            INPUT.. => (&item.input, INPUT),
            CONSTANT.. => (&self.constants.memory, CONSTANT),
            LOCAL.. => (&self.local, LOCAL),
            _ => return self.memory.load(address, bytes),
        };
        let start = usize::try_from(address - base).unwrap_or(usize::MAX);
        let end = start.saturating_add(size);
        bytes.copy_from_slice(own.get(start..end).ok_or(Fault::Address { address, size })?);
        Ok(())
    }

    /// Writes memory of any kind.
    pub(crate) fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        let size = bytes.len();
        let (own, base) = match address {
            PRIVATE.. => (&mut self.items[self.current].private, PRIVATE),
            CONSTANT.. => return Err(Fault::Address { address, size }),
            LOCAL.. => (&mut self.local, LOCAL),
            _ => return self.memory.store(address, bytes),
        };
        slice_mut(own, address - base, size).ok_or(Fault::Address { address, size })?.copy_from_slice(bytes);
        Ok(())
    }

    /// An atomic access; gives what was there.
    pub(crate) fn update(
        &mut self,
        address: u64,
        size: usize,
        change: &mut dyn FnMut(u64) -> Option<u64>,
    ) -> Result<u64, Fault> {
        if address < LOCAL {
            return self.memory.update(address, size, change);
        }
        let mut bytes = [0; 8];
        let bytes = bytes.get_mut(..size).ok_or(Fault::Address { address, size })?;
        self.read(address, bytes)?;
        let old = word(bytes);
        if let Some(new) = change(old) {
            self.write(address, new.to_le_bytes().get(..size).unwrap_or_default())?;
        }
        Ok(old)
    }

    /// Reads a value of a type.
    pub(crate) fn read_value(&mut self, address: u64, ty: TypeRef) -> Result<Value, Fault> {
        let size = self.program.size(ty)?;
        if size <= 128 {
            let mut bytes = [0; 128];
            let bytes = &mut bytes[..size as usize];
            self.read(address, bytes)?;
            return self.program.value_of(bytes, ty);
        }
        let mut bytes = zeroed(size)?;
        self.read(address, &mut bytes)?;
        self.program.value_of(&bytes, ty)
    }

    /// Writes a value of a type. Padding keeps its content: only members are stored.
    pub(crate) fn write_value(&mut self, address: u64, value: &Value, ty: TypeRef) -> Result<(), Fault> {
        let program = self.program;
        program.each_part(value, ty, address, &mut |at, bytes| self.write(at, bytes))
    }

    /// OpVariable in a function.
    pub(crate) fn variable(&mut self, inst: &Instruction) -> Result<Value, Fault> {
        let pointee = self.program.pointee(self.result_type_ref(inst)?)?;
        let declared = inst.result.and_then(|id| self.module().alignment(id)).unwrap_or(1);
        let align = self.program.align(pointee)?.max(u64::from(declared));
        let address = self.allocate(self.program.size(pointee)?, align)?;
        if let Some(initializer) = inst.id(self.module(), 1) {
            let value = self.value(initializer)?;
            self.write_value(address, &value, pointee)?;
        }
        Ok(Value::Scalar(address))
    }

    /// Private memory, which the function's end gives back.
    pub(crate) fn allocate(&mut self, size: u64, align: u64) -> Result<u64, Fault> {
        let private = &mut self.items[self.current].private;
        let offset = private.len().next_multiple_of(align.max(1) as usize);
        let end = usize::try_from(size).ok().and_then(|size| offset.checked_add(size)).ok_or(Fault::Memory)?;
        grow(private, end)?;
        Ok(PRIVATE + offset as u64)
    }

    /// OpVariableLengthArrayINTEL: the operand is the number of elements.
    pub(crate) fn variable_length_array(&mut self, inst: &Instruction) -> Result<Value, Fault> {
        let element = self.program.pointee(self.result_type_ref(inst)?)?;
        let count = self.operand(inst, 0)?.scalar()?;
        let size = self.program.size(element)?.checked_mul(count).ok_or(Fault::Memory)?;
        self.allocate(size, self.program.align(element)?.max(16)).map(Value::Scalar)
    }

    /// OpSaveMemoryINTEL: what it gives is the end of private memory.
    pub(crate) fn save_memory(&self) -> Value {
        Value::Scalar(PRIVATE + self.items[self.current].private.len() as u64)
    }

    /// OpMaskedGatherINTEL: operands are pointers, alignment, mask, and what masked lanes give.
    pub(crate) fn masked_gather(&mut self, inst: &Instruction) -> Result<Value, Fault> {
        let (pointers, mask, fill) = (self.operand(inst, 0)?, self.operand(inst, 2)?, self.operand(inst, 3)?);
        let ty = self.component(self.result_type_ref(inst)?);
        let fill = fill.lanes()?.to_vec();
        let mut lanes = Vec::new();
        for (lane, (pointer, active)) in pointers.lanes()?.iter().zip(mask.lanes()?).enumerate() {
            lanes.push(match active {
                0 => *fill.get(lane).or(fill.first()).ok_or(Fault::Malformed("no value for masked lanes"))?,
                _ => self.read_value(*pointer, ty)?.scalar()?,
            });
        }
        Ok(pointers.with_lanes(lanes))
    }

    /// OpMaskedScatterINTEL: operands are the vector, pointers, alignment and mask.
    fn masked_scatter(&mut self, inst: &Instruction) -> Result<(), Fault> {
        let (values, pointers, mask) = (self.operand(inst, 0)?, self.operand(inst, 1)?, self.operand(inst, 3)?);
        let ty = self.component(self.operand_type(inst, 0)?);
        for ((value, pointer), active) in values.lanes()?.iter().zip(pointers.lanes()?).zip(mask.lanes()?) {
            if *active != 0 {
                self.write_value(*pointer, &Value::Scalar(*value), ty)?;
            }
        }
        Ok(())
    }

    /// The component type of a vector type; other types are their own.
    pub(crate) fn component(&self, ty: TypeRef) -> TypeRef {
        match self.module().ty(ty) {
            Type::Vector { component, .. } => *component,
            _ => ty,
        }
    }

    /// OpSubgroupBlockReadINTEL.
    pub(crate) fn block_read(&mut self, inst: &Instruction) -> Result<Value, Fault> {
        let (address, ty) = (self.operand(inst, 0)?.scalar()?, self.result_type_ref(inst)?);
        let mut lanes = Vec::new();
        for index in 0..self.program.lane_count(ty) {
            let place = self.block_place(address, index, self.component(ty))?;
            lanes.push(self.read_value(place, self.component(ty))?.scalar()?);
        }
        Ok(if matches!(self.module().ty(ty), Type::Vector { .. }) {
            Value::Vector(lanes)
        } else {
            Value::Scalar(lanes[0])
        })
    }

    /// OpSubgroupBlockWriteINTEL.
    fn block_write(&mut self, inst: &Instruction) -> Result<(), Fault> {
        let (address, value) = (self.operand(inst, 0)?.scalar()?, self.operand(inst, 1)?);
        let ty = self.component(self.operand_type(inst, 1)?);
        for (index, bits) in (0..).zip(value.lanes()?) {
            let place = self.block_place(address, index, ty)?;
            self.write_value(place, &Value::Scalar(*bits), ty)?;
        }
        Ok(())
    }

    /// Where the work-item has a component of a block: those with one number lie side by side in a sub-group.
    fn block_place(&self, address: u64, index: u64, ty: TypeRef) -> Result<u64, Fault> {
        let size = self.group.sub_group_size;
        let element = self.current as u64 % size + index * size;
        Ok(address.wrapping_add(element.wrapping_mul(self.program.size(ty)?)))
    }

    /// OpLoad.
    pub(crate) fn load(&mut self, inst: &Instruction) -> Result<Value, Fault> {
        let address = self.operand(inst, 0)?.scalar()?;
        self.read_value(address, self.result_type_ref(inst)?)
    }

    /// Instructions that store and define nothing.
    pub(crate) fn effect(&mut self, inst: &Instruction) -> Result<(), Fault> {
        if inst.op == Op::MaskedScatterINTEL {
            return self.masked_scatter(inst);
        }
        if inst.op == Op::SubgroupBlockWriteINTEL {
            return self.block_write(inst);
        }
        let target = self.operand(inst, 0)?.scalar()?;
        match inst.op {
            Op::CopyMemory => {
                let pointee = self.program.pointee(self.operand_type(inst, 0)?)?;
                self.copy(target, self.operand(inst, 1)?.scalar()?, self.program.size(pointee)?)
            }
            Op::CopyMemorySized => {
                let size = self.operand(inst, 2)?.scalar()?;
                self.copy(target, self.operand(inst, 1)?.scalar()?, size)
            }
            Op::AtomicFlagClear => self.update(target, 4, &mut |_| Some(0)).map(drop),
            Op::AtomicStore => {
                let value = self.operand(inst, 3)?.scalar()?;
                let size = self.program.size(self.operand_type(inst, 3)?)?;
                self.update(target, size as usize, &mut |_| Some(value)).map(drop)
            }
            Op::RestoreMemoryINTEL => {
                let end = usize::try_from(target.wrapping_sub(PRIVATE)).unwrap_or(usize::MAX);
                let private = &mut self.items[self.current].private;
                if end > private.len() {
                    return Err(Fault::Address { address: target, size: 0 });
                }
                private.truncate(end);
                Ok(())
            }
            _ => {
                let (value, ty) = (self.operand(inst, 1)?, self.operand_type(inst, 1)?);
                self.write_value(target, &value, ty)
            }
        }
    }

    /// Copies bytes, as if all were read before any is written.
    pub(crate) fn copy(&mut self, target: u64, source: u64, size: u64) -> Result<(), Fault> {
        let mut bytes = zeroed(size)?;
        self.read(source, &mut bytes)?;
        self.write(target, &bytes)
    }

    /// The four access chains.
    pub(crate) fn access_chain(&mut self, inst: &Instruction) -> Result<Value, Fault> {
        let base = self.operand(inst, 0)?;
        // A vector of pointers, pointer by pointer.
        let pointee = self.program.pointee(self.component(self.operand_type(inst, 0)?))?;
        let pointers = base.lanes()?.iter().enumerate();
        let addresses = pointers.map(|(lane, pointer)| self.follow(inst, *pointer, pointee, lane));
        let addresses = addresses.collect::<Result<Vec<_>, _>>()?;
        Ok(base.with_lanes(addresses))
    }

    /// The address that the indices of an access chain lead to; vectors have one for each `lane`.
    fn follow(&self, inst: &Instruction, mut address: u64, mut ty: TypeRef, lane: usize) -> Result<u64, Fault> {
        let mut next = 1;
        if matches!(inst.op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain) {
            let element = self.index(inst, next, lane)?;
            address = address.wrapping_add((element as u64).wrapping_mul(self.program.size(ty)?));
            next += 1;
        }
        for position in next..inst.operands(self.module()).len() {
            let index = self.index(inst, position, lane)?;
            let (offset, member) = self.program.member(ty, index)?;
            address = address.wrapping_add(offset as u64);
            ty = member;
        }
        Ok(address)
    }

    /// An index, which is signed.
    fn index(&self, inst: &Instruction, position: usize, lane: usize) -> Result<i64, Fault> {
        let value = self.operand(inst, position)?;
        let indices = value.lanes()?;
        let index = indices.get(lane).or(indices.first()).ok_or(Fault::Malformed("no index"))?;
        Ok(sign_extend(*index, self.operand_width(inst, position)?))
    }

    /// OpPtrDiff: the difference in elements.
    pub(crate) fn pointer_difference(&self, inst: &Instruction) -> Result<Value, Fault> {
        let size = self.program.size(self.program.pointee(self.operand_type(inst, 0)?)?)?.max(1) as i64;
        let (a, b) = (self.operand(inst, 0)?.scalar()?, self.operand(inst, 1)?.scalar()?);
        let difference = (a.wrapping_sub(b) as i64).wrapping_div(size);
        Ok(Value::Scalar(truncate(difference as u64, self.result_width(inst)?)))
    }

    /// OpSizeOf.
    pub(crate) fn size_of(&self, inst: &Instruction) -> Result<Value, Fault> {
        Ok(Value::Scalar(self.program.size(self.program.pointee(self.operand_type(inst, 0)?)?)?))
    }

    /// Conversions between pointers, and between pointers and integers; vectors of these are converted one by one.
    pub(crate) fn convert_pointer(&self, inst: &Instruction) -> Result<Value, Fault> {
        let addresses = self.operand(inst, 0)?;
        match inst.op {
            Op::ConvertPtrToU => {
                let width = self.result_width(inst)?;
                addresses.map(|address| truncate(address, width))
            }
            Op::GenericPtrMemSemantics => addresses.map(|address| match address {
                PRIVATE.. => 0,
                LOCAL.. => 0x100,
                _ => 0x200,
            }),
            Op::GenericCastToPtrExplicit => {
                let storage = match self.result_type(inst)? {
                    Type::Pointer { storage, .. } => *storage,
                    _ => return Err(Fault::Malformed("a pointer was expected")),
                };
                addresses.map(|address| {
                    let actual = match address {
                        PRIVATE.. => StorageClass::Function,
                        LOCAL.. => StorageClass::Workgroup,
                        _ => StorageClass::CrossWorkgroup,
                    };
                    if storage == actual { address } else { 0 }
                })
            }
            _ => Ok(addresses),
        }
    }
}
