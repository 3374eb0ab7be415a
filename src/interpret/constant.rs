//! SPIR-V 3.3.7, constants, as values. They are made for each launch: some hold addresses.

use oxicl_spirv::grammar::{Op, StorageClass};
use oxicl_spirv::{Constant, ConstantKind, Def, Id, Operand, Type, TypeRef};

use crate::Fault;
use crate::kernel::Kernel;
use crate::memory::{LOCAL, zeroed};
use crate::program::Program;
use crate::value::{Value, sign_extend};

/// The constants of a launch.
#[derive(Debug)]
pub(crate) struct Constants {
    values: Vec<Value>,
    /// Content of the UniformConstant variables outside the program block.
    pub(crate) memory: Vec<u8>,
}

impl Constants {
    pub(crate) fn value(&self, index: u32) -> Result<&Value, Fault> {
        self.values.get(index as usize).ok_or(Fault::Malformed("a constant used before its definition"))
    }
}

impl Program {
    /// The constants of a launch of `kernel`.
    pub(crate) fn constants(&self, kernel: &Kernel, program_block: u64) -> Result<Constants, Fault> {
        let module = self.module();
        let mut maker =
            Maker { program: self, kernel, program_block, values: Vec::with_capacity(module.constants.len()) };
        for constant in &module.constants {
            let value = maker.evaluate(constant)?;
            maker.values.push(value);
        }
        let mut memory = zeroed(self.constant_bytes() as u64)?;
        for global in module.globals.iter().filter(|global| global.storage == StorageClass::UniformConstant) {
            if let (Some(offset), Some(initializer)) = (self.constant_offset(global.id), global.initializer) {
                self.put(&mut memory, offset, &maker.constituent(initializer)?, self.pointee(global.ty)?)?;
            }
        }
        Ok(Constants { values: maker.values, memory })
    }

    /// Address of a module-scope variable for a kernel.
    pub(crate) fn address(&self, kernel: &Kernel, id: Id, program_block: u64) -> Result<u64, Fault> {
        match kernel.local_offset(id) {
            Some(offset) => Ok(LOCAL + offset),
            None if self.module().global(id).is_some_and(|global| global.storage == StorageClass::Workgroup) => {
                // Only functions that the kernel does not reach use it.
                Ok(0)
            }
            None => self.variable_address(id, program_block),
        }
    }
}

struct Maker<'p> {
    program: &'p Program,
    kernel: &'p Kernel,
    program_block: u64,
    values: Vec<Value>,
}

impl Maker<'_> {
    /// The value of a constant whose constituents are evaluated already.
    fn evaluate(&self, constant: &Constant) -> Result<Value, Fault> {
        match &constant.kind {
            ConstantKind::Bool(value) => Ok(Value::Scalar(u64::from(*value))),
            ConstantKind::Scalar(bits) => Ok(Value::Scalar(*bits)),
            // What has no place in memory is never used as a value.
            ConstantKind::Null | ConstantKind::Undef => Ok(self.program.zero(constant.ty).unwrap_or(Value::Scalar(0))),
            ConstantKind::Composite(parts) => {
                let parts = parts.iter().map(|part| self.constituent(*part)).collect::<Result<Vec<_>, _>>()?;
                if matches!(self.program.module().ty(constant.ty), Type::Vector { .. }) {
                    return Ok(Value::Vector(parts.iter().map(Value::scalar).collect::<Result<_, _>>()?));
                }
                Ok(Value::Composite(parts))
            }
            ConstantKind::Operation { op, operands } => {
                let start = operands.start as usize;
                let operands = self.program.module().operands.get(start..start + operands.len as usize);
                self.operation(constant.ty, *op, operands.unwrap_or_default())
            }
            ConstantKind::Other { op, .. } => Err(Fault::Instruction(*op)),
            ConstantKind::Sampler { addressing, normalized, filter } => {
                crate::image::literal(*addressing, *normalized, *filter).map(Value::Scalar)
            }
        }
    }

    fn constituent(&self, id: Id) -> Result<Value, Fault> {
        match self.program.module().def(id) {
            Def::Constant(constant) => {
                self.values.get(constant.0 as usize).cloned().ok_or(Fault::Malformed("a constant used too early"))
            }
            _ => self.program.address(self.kernel, id, self.program_block).map(Value::Scalar),
        }
    }

    /// OpSpecConstantOp of addresses; all others are folded before a module is valid.
    fn operation(&self, ty: TypeRef, op: Op, operands: &[Operand]) -> Result<Value, Fault> {
        let ids: Vec<Id> = operands
            .iter()
            .filter_map(|operand| match operand {
                Operand::Id(id) => Some(*id),
                Operand::Word(_) => None,
            })
            .collect();
        let (base, indices) = ids.split_first().ok_or(Fault::Malformed("an operation without operands"))?;
        let value = self.constituent(*base)?;
        match op {
            Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                let module = self.program.module();
                let mut address = value.scalar()?;
                if let Some(bytes) = module.bytes_into_variable(ty, op, operands) {
                    return Ok(Value::Scalar(address.wrapping_add(bytes as u64)));
                }
                let ty = module.type_of(*base).ok_or(Fault::Malformed("an operand has no type"))?;
                let mut ty = self.program.pointee(ty)?;
                let element = matches!(op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain);
                for (position, index) in indices.iter().enumerate() {
                    let width = module.type_of(*index).map_or(Ok(64), |ty| self.program.element_width(ty))?;
                    let index = sign_extend(self.constituent(*index)?.scalar()?, width);
                    let offset = if element && position == 0 {
                        index.wrapping_mul(self.program.size(ty)? as i64)
                    } else {
                        let (offset, member) = self.program.member(ty, index)?;
                        ty = member;
                        offset
                    };
                    address = address.wrapping_add(offset as u64);
                }
                Ok(Value::Scalar(address))
            }
            Op::IAdd | Op::ISub => {
                let other = indices.first().ok_or(Fault::Malformed("an operation without its second operand"))?;
                let (one, other) = (value.scalar()?, self.constituent(*other)?.scalar()?);
                Ok(Value::Scalar(if op == Op::IAdd { one.wrapping_add(other) } else { one.wrapping_sub(other) }))
            }
            Op::ConvertPtrToU => {
                let width = self.program.element_width(ty)?;
                Ok(Value::Scalar(value.scalar()? & (u64::MAX >> (64 - width.clamp(1, 64)))))
            }
            Op::Bitcast | Op::PtrCastToGeneric | Op::GenericCastToPtr | Op::ConvertUToPtr | Op::CopyObject => Ok(value),
            _ => Err(Fault::Instruction(op)),
        }
    }
}
