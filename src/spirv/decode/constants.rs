//! Constants, specialisation constants and module-level OpUndef.

use spirv::Op;

use super::{Decoder, error, ids_of, index, word_at};
use crate::error::DecodeError;
use crate::instruction::Operand;
use crate::module::{Constant, ConstantKind, Def};
use crate::parse::Parsed;
use crate::types::{ConstantRef, Type, TypeRef};

/// True for the instructions that declare a constant at module scope.
pub fn is_constant(op: Op) -> bool {
    is_spec(op)
        || matches!(
            op,
            Op::ConstantTrue
                | Op::ConstantFalse
                | Op::Constant
                | Op::ConstantComposite
                | Op::ConstantSampler
                | Op::ConstantNull
                | Op::Undef
                | Op::ConstantPipeStorage
                | Op::ConstantFunctionPointerINTEL
                | Op::ConstantCompositeReplicateEXT
        )
}

fn is_spec(op: Op) -> bool {
    matches!(
        op,
        Op::SpecConstantTrue
            | Op::SpecConstantFalse
            | Op::SpecConstant
            | Op::SpecConstantComposite
            | Op::SpecConstantOp
            | Op::SpecConstantCompositeReplicateEXT
    )
}

impl Decoder {
    pub(super) fn constant(&mut self, at: &Parsed, operands: &[Operand]) -> Result<(), DecodeError> {
        let id = Self::result(at)?;
        let ty = self.result_type(at)?;
        let kind = match at.op {
            Op::ConstantTrue | Op::SpecConstantTrue => ConstantKind::Bool(true),
            Op::ConstantFalse | Op::SpecConstantFalse => ConstantKind::Bool(false),
            Op::Constant | Op::SpecConstant => self.scalar(at, ty, operands)?,
            Op::ConstantComposite | Op::SpecConstantComposite => ConstantKind::Composite(ids_of(operands)),
            Op::ConstantNull => ConstantKind::Null,
            Op::Undef => ConstantKind::Undef,
            Op::ConstantSampler => ConstantKind::Sampler {
                addressing: word_at(at, operands, 0)?,
                normalized: word_at(at, operands, 1)? != 0,
                filter: word_at(at, operands, 2)?,
            },
            Op::SpecConstantOp => {
                let number = word_at(at, operands, 0)?;
                let op = Op::from_u32(number).ok_or_else(|| error(at, format!("operation {number} is unknown")))?;
                let operands = self.keep(operands.get(1..).unwrap_or_default());
                ConstantKind::Operation { op, operands }
            }
            op => ConstantKind::Other { op, operands: self.keep(operands) },
        };
        self.define(at, id, Def::Constant(ConstantRef(index(self.module.constants.len()))))?;
        let spec = is_spec(at.op);
        self.module.constants.push(Constant { id, ty, kind, spec, offset: at.offset });
        Ok(())
    }

    /// A literal, zero-extended from the width of its type.
    fn scalar(&self, at: &Parsed, ty: TypeRef, operands: &[Operand]) -> Result<ConstantKind, DecodeError> {
        let low = u64::from(word_at(at, operands, 0)?);
        let bits = match operands.get(1) {
            Some(_) => low | u64::from(word_at(at, operands, 1)?) << 32,
            None => low,
        };
        let width = match self.module.types.get(ty.0 as usize) {
            Some(Type::Int { width, .. } | Type::Float { width, .. }) => *width,
            _ => return Err(error(at, "its type is no numerical type")),
        };
        let mask = 1u64.checked_shl(width).map_or(u64::MAX, |bit| bit - 1);
        Ok(ConstantKind::Scalar(bits & mask))
    }
}
