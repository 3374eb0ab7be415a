//! Type declarations and module-scope variables.

use spirv::{Op, StorageClass};

use super::{Decoder, error, id_at, ids_of, string_at, word_at, words_of};
use crate::error::{DecodeError, DecodeFault};
use crate::instruction::Operand;
use crate::module::{Def, GlobalVariable, Id};
use crate::parse::Parsed;
use crate::types::{Type, TypeRef};

impl Decoder {
    /// OpTypeForwardPointer: pointer type, storage class.
    pub(super) fn forward_pointer(&mut self, at: &Parsed, operands: &[Operand]) -> Result<(), DecodeError> {
        let id = id_at(at, operands, 0)?;
        match self.module.def(id) {
            Def::Type(_) => {
                self.forward_pointers.insert(id, at.offset);
                Ok(())
            }
            _ => Err(error(at, format!("{id} is no type")).of(DecodeFault::NoType)),
        }
    }

    /// Forward declarations must announce pointers: everything that walks types relies on it that only pointers close
    /// a cycle.
    pub(super) fn check_forward_pointers(&self) -> Result<(), DecodeError> {
        let is_pointer = |id: &Id| match self.module.def(*id) {
            Def::Type(ty) => matches!(self.module.types.get(ty.0 as usize), Some(Type::Pointer { .. })),
            _ => false,
        };
        match self.forward_pointers.iter().find(|(id, _)| !is_pointer(id)) {
            Some((id, offset)) => {
                let message = format!("OpTypeForwardPointer: {id} is no pointer type");
                Err(DecodeError::grammar(*offset as usize, message).of(DecodeFault::ForwardPointer))
            }
            None => Ok(()),
        }
    }

    /// A type that a declaration is made of: declared before, or a pointer announced before.
    fn part(&self, at: &Parsed, id: Id) -> Result<TypeRef, DecodeError> {
        match self.module.def(id) {
            Def::Type(ty) if self.forward_pointers.contains_key(&id) => Ok(ty),
            _ => self.declared_type(at, id),
        }
    }

    fn part_at(&self, at: &Parsed, operands: &[Operand], position: usize) -> Result<TypeRef, DecodeError> {
        self.part(at, id_at(at, operands, position)?)
    }

    fn parts(&self, at: &Parsed, operands: &[Operand]) -> Result<Vec<TypeRef>, DecodeError> {
        ids_of(operands).into_iter().map(|id| self.part(at, id)).collect()
    }

    /// Any OpType instruction with a result.
    pub(super) fn type_declaration(&mut self, at: &Parsed, operands: &[Operand]) -> Result<(), DecodeError> {
        let id = Self::result(at)?;
        let ty = match at.op {
            Op::TypeVoid => Type::Void,
            Op::TypeBool => Type::Bool,
            Op::TypeInt => Type::Int { width: word_at(at, operands, 0)?, signed: word_at(at, operands, 1)? != 0 },
            Op::TypeFloat => {
                let encoding = operands.get(1).map(|_| word_at(at, operands, 1)).transpose()?;
                Type::Float { width: word_at(at, operands, 0)?, encoding }
            }
            Op::TypeVector => {
                Type::Vector { component: self.declared_part(at, operands, 0)?, count: word_at(at, operands, 1)? }
            }
            Op::TypeArray => Type::Array { element: self.part_at(at, operands, 0)?, length: id_at(at, operands, 1)? },
            Op::TypeStruct => Type::Struct { members: self.parts(at, operands)? },
            Op::TypeOpaque => Type::Opaque { name: string_at(at, operands, 0)?.0 },
            Op::TypePointer => self.pointer(at, operands)?,
            Op::TypeFunction => Type::Function {
                result: self.part_at(at, operands, 0)?,
                parameters: self.parts(at, operands.get(1..).unwrap_or_default())?,
            },
            Op::TypeEvent => Type::Event,
            Op::TypeDeviceEvent => Type::DeviceEvent,
            Op::TypeReserveId => Type::ReserveId,
            Op::TypeQueue => Type::Queue,
            Op::TypeSampler => Type::Sampler,
            Op::TypePipe => Type::Pipe { access: word_at(at, operands, 0)? },
            Op::TypePipeStorage => Type::PipeStorage,
            Op::TypeNamedBarrier => Type::NamedBarrier,
            Op::TypeImage => Type::Image {
                sampled: self.declared_part(at, operands, 0)?,
                operands: words_of(operands.get(1..).unwrap_or_default()),
            },
            Op::TypeSampledImage => Type::SampledImage { image: self.declared_part(at, operands, 0)? },
            op => Type::Other { opcode: op as u32, operands: words_of(operands) },
        };
        // `number_types` saw the same instructions in the same order.
        if self.module.type_ids.get(self.module.types.len()) != Some(&id) {
            return Err(error(at, "is not among the type declarations of the module"));
        }
        self.module.types.push(ty);
        self.module.type_offsets.push(at.offset);
        Ok(())
    }

    fn declared_part(&self, at: &Parsed, operands: &[Operand], position: usize) -> Result<TypeRef, DecodeError> {
        self.declared_type(at, id_at(at, operands, position)?)
    }

    fn pointer(&self, at: &Parsed, operands: &[Operand]) -> Result<Type, DecodeError> {
        let storage = storage_class(at, word_at(at, operands, 0)?)?;
        Ok(Type::Pointer { storage, pointee: self.part_at(at, operands, 1)? })
    }

    /// A module-scope OpVariable.
    pub(super) fn global(&mut self, at: &Parsed, operands: &[Operand]) -> Result<(), DecodeError> {
        let id = Self::result(at)?;
        let ty = self.result_type(at)?;
        let storage = storage_class(at, word_at(at, operands, 0)?)?;
        let initializer = operands.get(1).map(|_| id_at(at, operands, 1)).transpose()?;
        self.define(at, id, Def::Global(super::index(self.module.globals.len())))?;
        self.module.globals.push(GlobalVariable { id, ty, storage, initializer, offset: at.offset });
        Ok(())
    }
}

fn storage_class(at: &Parsed, word: u32) -> Result<StorageClass, DecodeError> {
    StorageClass::from_u32(word).ok_or_else(|| error(at, format!("storage class {word} is unknown")))
}
