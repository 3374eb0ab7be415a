//! Constants, each of which a function has once.

use std::rc::Rc;

use crate::ir::types::{Scalar, Type};
use crate::ir::{ConstantId, Opcode};

/// A constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Constant {
    pub(crate) ty: Type,
    pub(crate) kind: ConstantKind,
}

/// What it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ConstantKind {
    /// An integer of at most 128 bits, zero-extended.
    Int(u128),
    /// A floating-point number by its bits.
    Float(u64),
    /// The null pointer, or an aggregate or vector of zeros.
    Zero,
    Undef,
    Poison,
    /// An array, structure or vector.
    Aggregate(Vec<ConstantId>),
    /// The address of a variable or function.
    Global(Rc<Global>),
    /// A constant expression.
    Expression(Expression),
    /// A constant that was not looked into, by a number that tells it from others.
    Unknown(u32),
}

/// What is known of a global.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Global {
    pub(crate) name: String,
    /// The type of the content, if it is a variable that is defined here and never written.
    pub(crate) content: Option<Type>,
}

/// An operation on constants.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Expression {
    pub(crate) opcode: Opcode,
    /// The source element type of an address computation.
    pub(crate) source: Option<Type>,
    pub(crate) operands: Vec<ConstantId>,
}

impl Constant {
    /// An integer of at most 64 bits, zero-extended.
    pub(crate) fn as_u64(&self) -> Option<u64> {
        match (&self.ty, &self.kind) {
            (Type::Scalar(Scalar::Int(..=64)), ConstantKind::Int(value)) => Some(*value as u64),
            _ => None,
        }
    }

    /// The same, sign-extended.
    pub(crate) fn as_i64(&self) -> Option<i64> {
        let above = 64 - self.ty.int_width().min(64);
        self.as_u64().map(|value| if above == 64 { 0 } else { (value << above) as i64 >> above })
    }

    /// An integer of at most 128 bits.
    pub(crate) fn as_u128(&self) -> Option<u128> {
        if let ConstantKind::Int(value) = self.kind { Some(value) } else { None }
    }
}
