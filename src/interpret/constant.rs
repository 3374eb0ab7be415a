//! SPIR-V 3.3.7, constants, as values.

use oxicl_spirv::{Constant, ConstantKind, Def, Id, Type};

use crate::Fault;
use crate::program::Program;
use crate::value::Value;

impl Program<'_> {
    /// The value of a constant whose constituents are evaluated already.
    pub(crate) fn evaluate_constant(&self, constant: &Constant) -> Result<Value, Fault> {
        match &constant.kind {
            ConstantKind::Bool(value) => Ok(Value::Scalar(u64::from(*value))),
            ConstantKind::Scalar(bits) => Ok(Value::Scalar(*bits)),
            ConstantKind::Null | ConstantKind::Undef => self.zero(constant.ty),
            ConstantKind::Composite(parts) => {
                let parts = parts.iter().map(|part| self.constituent(*part)).collect::<Result<Vec<_>, _>>()?;
                if matches!(self.module.ty(constant.ty), Type::Vector { .. }) {
                    return Ok(Value::Vector(parts.iter().map(Value::scalar).collect::<Result<_, _>>()?));
                }
                Ok(Value::Composite(parts))
            }
            ConstantKind::Operation { op, .. } | ConstantKind::Other { op, .. } => Err(Fault::Instruction(*op)),
            ConstantKind::Sampler { .. } => Err(Fault::Malformed("samplers are not executed")),
        }
    }

    fn constituent(&self, id: Id) -> Result<Value, Fault> {
        match self.module.def(id) {
            Def::Constant(constant) => self.constant(constant),
            // An address in the program block, whose place is not known here.
            _ => self.variable_address(id, 0).map(Value::Scalar),
        }
    }
}
