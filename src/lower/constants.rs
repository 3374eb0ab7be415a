//! Section 3.49.7, constants.
//!
//! Every constant is an LLVM constant, but those that depend on the address of a program-scope variable: that is known
//! only when a kernel runs, so functions build these anew.

use oxicl_abi::SamplerBits;
use oxicl_llvm::{Context, Value};
use oxicl_spirv::{ConstantKind, ConstantRef, Def, Id, Operand, Type, TypeRef};
use spirv::Op;

use crate::types::Lowered;
use crate::unit::Unit;

/// The LLVM constants of a module's constants; `None` where there is none.
#[derive(Default)]
pub(crate) struct Constants<'a>(Vec<Option<Value<'a>>>);

impl<'a> Constants<'a> {
    /// Lowers all constants in order: each only names earlier ones and variables.
    pub fn of(unit: &Unit<'a>) -> Self {
        let mut constants = Constants(Vec::with_capacity(unit.module.constants.len()));
        for constant in &unit.module.constants {
            let value = unit.types.get(constant.ty).and_then(|ty| match &constant.kind {
                ConstantKind::Composite(parts) => constants.composite(unit, constant.ty, ty, parts),
                ConstantKind::Operation { op, operands } => {
                    let operands =
                        unit.module.operands.get(operands.start as usize..(operands.start + operands.len) as usize)?;
                    constants.operation(unit, constant.ty, *op, operands)
                }
                kind => scalar(ty, kind),
            });
            constants.0.push(value);
        }
        constants
    }

    /// The LLVM constant that an id names: a constant, a global variable or a function of its own.
    pub fn get(&self, unit: &Unit<'a>, id: Id) -> Option<Value<'a>> {
        match unit.module.def(id) {
            Def::Constant(ConstantRef(index)) => self.0.get(index as usize).copied().flatten(),
            Def::Global(_) if unit.block_offset(id).is_none() => unit.global(id).ok(),
            _ => None,
        }
    }

    fn composite(&self, unit: &Unit<'a>, ty: TypeRef, lowered: &Lowered<'a>, parts: &[Id]) -> Option<Value<'a>> {
        let values: Option<Vec<_>> = parts.iter().map(|id| self.get(unit, *id)).collect();
        let values = values?;
        match unit.module.ty(ty) {
            Type::Vector { .. } => Some(unit.context.const_vector(&values)),
            Type::Array { .. } => {
                let element = lowered.memory.element()?;
                let values: Vec<_> = values.iter().map(|v| memory_constant(unit.context, element, *v)).collect();
                Some(element.const_array(&values))
            }
            Type::Struct { .. } => {
                let mut fields: Vec<Value<'a>> = (0..lowered.memory.length() as u32)
                    .filter_map(|m| Some(lowered.memory.member(m)?.zero()))
                    .collect();
                for (value, index) in values.iter().zip(&lowered.members) {
                    let field = fields.get_mut(*index as usize)?;
                    *field = memory_constant(unit.context, field.ty(), *value);
                }
                Some(unit.context.const_struct(&fields, lowered.memory.is_packed()))
            }
            _ => None,
        }
    }

    /// What `specialise` leaves of OpSpecConstantOp: operations on addresses.
    fn operation(&self, unit: &Unit<'a>, ty: TypeRef, op: Op, operands: &[Operand]) -> Option<Value<'a>> {
        let lowered = unit.types.get(ty)?;
        let value = |n: usize| match operands.get(n) {
            Some(Operand::Id(id)) => self.get(unit, *id),
            _ => None,
        };
        match op {
            Op::Bitcast
            | Op::PtrCastToGeneric
            | Op::GenericCastToPtr
            | Op::CopyObject
            | Op::ConvertPtrToU
            | Op::ConvertUToPtr => {
                let (value, to) = (value(0)?, lowered.register);
                match (value.ty().is_pointer(), to.is_pointer()) {
                    (true, true) => Some(cast_pointer(value, to)),
                    (true, false) if to.is_int() => Some(value.const_ptr_to_int(to)),
                    (false, true) if value.ty().is_int() => Some(value.const_int_to_ptr(to)),
                    (false, false) if value.ty() == to => Some(value),
                    _ => None,
                }
            }
            Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                let Some(Operand::Id(base)) = operands.first() else { return None };
                let mut indices = Vec::new();
                for operand in &operands[1..] {
                    let Operand::Id(id) = operand else { return None };
                    indices.push(unit.module.constant_signed(*id)?);
                }
                let element = matches!(op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain);
                let offset = match unit.module.bytes_into_variable(ty, op, operands) {
                    Some(bytes) => bytes,
                    None => constant_offset(unit, unit.module.type_of(*base)?, &indices, element)?,
                };
                let byte = unit.context.int_type(8);
                let index = unit.context.int_type(64).const_signed(offset);
                Some(cast_pointer(self.get(unit, *base)?.const_gep(byte, &[index]), lowered.register))
            }
            _ => None,
        }
    }
}

/// A constant pointer as another pointer type.
fn cast_pointer<'a>(value: Value<'a>, ty: oxicl_llvm::Type<'a>) -> Value<'a> {
    if value.ty() == ty { value } else { value.const_addrspace_cast(ty) }
}

/// Bytes from a pointer of type `pointer` to what constant indices lead to.
pub(crate) fn constant_offset(unit: &Unit<'_>, pointer: TypeRef, indices: &[i64], element: bool) -> Option<i64> {
    let Type::Pointer { pointee, .. } = unit.module.ty(pointer) else { return None };
    let (mut ty, mut offset, mut rest) = (*pointee, 0i64, indices);
    if element {
        let (first, others) = indices.split_first()?;
        offset = first.checked_mul(unit.layouts.size_of(ty)? as i64)?;
        rest = others;
    }
    for index in rest {
        let step = match unit.module.ty(ty) {
            Type::Struct { members } => {
                let member = usize::try_from(*index).ok()?;
                let step = unit.layouts.member_offset(ty, member)? as i64;
                ty = *members.get(member)?;
                step
            }
            Type::Array { element, .. } | Type::Vector { component: element, .. } => {
                ty = *element;
                index.checked_mul(unit.layouts.size_of(ty)? as i64)?
            }
            _ => return None,
        };
        offset = offset.checked_add(step)?;
    }
    Some(offset)
}

fn scalar<'a>(ty: &Lowered<'a>, kind: &ConstantKind) -> Option<Value<'a>> {
    match kind {
        ConstantKind::Bool(value) => Some(ty.register.const_int(u64::from(*value))),
        ConstantKind::Scalar(bits) if ty.register.is_float() => Some(ty.register.const_float_bits(*bits)),
        ConstantKind::Scalar(bits) => Some(ty.register.const_int(*bits)),
        ConstantKind::Sampler { addressing, normalized, filter } => {
            Some(ty.register.const_int(SamplerBits::from_literal(*addressing, *normalized, *filter)?.bits()))
        }
        // An undefined value may be any, but must be one: zero is.
        ConstantKind::Null | ConstantKind::Undef => Some(ty.register.zero()),
        _ => None,
    }
}

/// A constant in the form that a memory cell has: booleans become bytes.
pub(crate) fn memory_constant<'a>(context: &'a Context, memory: oxicl_llvm::Type<'a>, value: Value<'a>) -> Value<'a> {
    if value.ty() == memory {
        return value;
    }
    if memory.is_int() {
        return memory.const_int(value.as_u64().unwrap_or(0));
    }
    // A vector of booleans; there is none longer than 16.
    let Some(element) = memory.element() else { return value };
    let bit = |n: u32| value.constant_element(n).and_then(Value::as_u64).unwrap_or(0);
    let elements: Vec<_> = (0..memory.length() as u32).map(|n| element.const_int(bit(n))).collect();
    context.const_vector(&elements)
}
