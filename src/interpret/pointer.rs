//! SPIR-V 3.3.8, memory instructions, and conversions of pointers.

use oxicl_spirv::grammar::{Op, StorageClass};
use oxicl_spirv::{Instruction, Type, TypeRef};

use crate::Fault;
use crate::machine::Machine;
use crate::memory::{CONSTANT, INPUT, LOCAL, PRIVATE, slice_mut};
use crate::value::{Value, sign_extend, truncate};

impl Machine<'_> {
    /// Reads memory of any kind.
    pub(crate) fn read(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Fault> {
        let size = bytes.len();
        match self.own(address, size)? {
            Some(own) => bytes.copy_from_slice(own),
            None => self.memory.load(address, bytes)?,
        }
        Ok(())
    }

    /// Writes memory of any kind.
    pub(crate) fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        if (CONSTANT..PRIVATE).contains(&address) {
            return Err(Fault::Address { address, size: bytes.len() });
        }
        match self.own(address, bytes.len())? {
            Some(own) => own.copy_from_slice(bytes),
            None => self.memory.store(address, bytes)?,
        }
        Ok(())
    }

    /// Memory that is the machine's own; `None` for global memory.
    fn own(&mut self, address: u64, size: usize) -> Result<Option<&mut [u8]>, Fault> {
        let item = &mut self.items[self.current];
        let (bytes, base) = match address {
            PRIVATE.. => (&mut item.private, PRIVATE),
            INPUT.. => (&mut item.input, INPUT),
            CONSTANT.. => (&mut self.constant_memory, CONSTANT),
            LOCAL.. => (&mut self.local, LOCAL),
            _ => return Ok(None),
        };
        slice_mut(bytes, address - base, size).map(Some).ok_or(Fault::Address { address, size })
    }

    /// Reads a value of a type.
    pub(crate) fn read_value(&mut self, address: u64, ty: TypeRef) -> Result<Value, Fault> {
        let mut bytes = vec![0; self.program.size(ty)? as usize];
        self.read(address, &mut bytes)?;
        self.program.value_of(&bytes, ty)
    }

    /// Writes a value of a type.
    pub(crate) fn write_value(&mut self, address: u64, value: &Value, ty: TypeRef) -> Result<(), Fault> {
        // Padding keeps its content: only members are stored.
        for (offset, bytes) in self.program.to_bytes(value, ty)? {
            self.write(address.wrapping_add(offset), &bytes)?;
        }
        Ok(())
    }

    fn pointee(&self, pointer: TypeRef) -> Result<TypeRef, Fault> {
        match self.module().ty(pointer) {
            Type::Pointer { pointee, .. } => Ok(*pointee),
            _ => Err(Fault::Malformed("a pointer was expected")),
        }
    }

    /// OpVariable in a function.
    pub(crate) fn variable(&mut self, inst: &Instruction) -> Result<Value, Fault> {
        let pointee = self.pointee(self.result_type_ref(inst)?)?;
        let (size, align) = (self.program.size(pointee)?, self.program.align(pointee)?);
        let private = &mut self.items[self.current].private;
        let offset = private.len().next_multiple_of(align.max(1) as usize);
        private.resize(offset + size as usize, 0);
        let address = PRIVATE + offset as u64;
        if let Some(initializer) = inst.id(self.module(), 1) {
            let value = self.value(initializer)?;
            self.write_value(address, &value, pointee)?;
        }
        Ok(Value::Scalar(address))
    }

    /// OpLoad.
    pub(crate) fn load(&mut self, inst: &Instruction) -> Result<Value, Fault> {
        let address = self.operand(inst, 0)?.scalar()?;
        self.read_value(address, self.result_type_ref(inst)?)
    }

    /// Instructions that store and define nothing.
    pub(crate) fn effect(&mut self, inst: &Instruction) -> Result<(), Fault> {
        let target = self.operand(inst, 0)?.scalar()?;
        match inst.op {
            Op::CopyMemory => {
                let pointee = self.pointee(self.operand_type(inst, 0)?)?;
                self.copy(target, self.operand(inst, 1)?.scalar()?, self.program.size(pointee)?)
            }
            Op::CopyMemorySized => {
                let size = self.operand(inst, 2)?.scalar()?;
                self.copy(target, self.operand(inst, 1)?.scalar()?, size)
            }
            Op::AtomicFlagClear => self.write(target, &0u32.to_le_bytes()),
            op => {
                let index = if op == Op::AtomicStore { 3 } else { 1 };
                let (value, ty) = (self.operand(inst, index)?, self.operand_type(inst, index)?);
                self.write_value(target, &value, ty)
            }
        }
    }

    fn copy(&mut self, target: u64, source: u64, size: u64) -> Result<(), Fault> {
        let mut byte = [0];
        for offset in 0..size {
            self.read(source.wrapping_add(offset), &mut byte)?;
            self.write(target.wrapping_add(offset), &byte)?;
        }
        Ok(())
    }

    /// The four access chains.
    pub(crate) fn access_chain(&mut self, inst: &Instruction) -> Result<Value, Fault> {
        let mut address = self.operand(inst, 0)?.scalar()?;
        let mut ty = self.pointee(self.operand_type(inst, 0)?)?;
        let mut next = 1;
        if matches!(inst.op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain) {
            let element = self.index(inst, next)?;
            address = address.wrapping_add((element as u64).wrapping_mul(self.program.stride(ty)?));
            next += 1;
        }
        for position in next..inst.operands(self.module()).len() {
            let index = self.index(inst, position)?;
            let (offset, member) = self.program.member(ty, index)?;
            address = address.wrapping_add(offset as u64);
            ty = member;
        }
        Ok(Value::Scalar(address))
    }

    /// An index, which is signed.
    fn index(&self, inst: &Instruction, position: usize) -> Result<i64, Fault> {
        Ok(sign_extend(self.operand(inst, position)?.scalar()?, self.operand_width(inst, position)?))
    }

    /// OpPtrDiff: the difference in elements.
    pub(crate) fn pointer_difference(&self, inst: &Instruction) -> Result<Value, Fault> {
        let size = self.program.stride(self.pointee(self.operand_type(inst, 0)?)?)?.max(1) as i64;
        let (a, b) = (self.operand(inst, 0)?.scalar()?, self.operand(inst, 1)?.scalar()?);
        let difference = (a.wrapping_sub(b) as i64).wrapping_div(size);
        Ok(Value::Scalar(truncate(difference as u64, self.result_width(inst)?)))
    }

    /// OpSizeOf.
    pub(crate) fn size_of(&self, inst: &Instruction) -> Result<Value, Fault> {
        Ok(Value::Scalar(self.program.size(self.pointee(self.operand_type(inst, 0)?)?)?))
    }

    /// Conversions between pointers, and between pointers and integers.
    pub(crate) fn convert_pointer(&self, inst: &Instruction) -> Result<Value, Fault> {
        let address = self.operand(inst, 0)?.scalar()?;
        let result = match inst.op {
            Op::ConvertPtrToU => truncate(address, self.result_width(inst)?),
            Op::GenericPtrMemSemantics => match address {
                PRIVATE.. => 0,
                LOCAL.. => 0x100,
                _ => 0x200,
            },
            Op::GenericCastToPtrExplicit => {
                let storage = match self.result_type(inst)? {
                    Type::Pointer { storage, .. } => *storage,
                    _ => return Err(Fault::Malformed("a pointer was expected")),
                };
                let actual = match address {
                    PRIVATE.. => StorageClass::Function,
                    LOCAL.. => StorageClass::Workgroup,
                    _ => StorageClass::CrossWorkgroup,
                };
                if storage == actual { address } else { 0 }
            }
            _ => address,
        };
        Ok(Value::Scalar(result))
    }
}
