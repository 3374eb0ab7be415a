//! Values of SSA ids.

use crate::Fault;

/// A value. Scalars are bits zero-extended to 64: booleans 0 or 1, integers and floating-point numbers their
/// representation, pointers their address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Boolean, integer, floating-point number or pointer.
    Scalar(u64),
    /// Components of a vector.
    Vector(Vec<u64>),
    /// Members of a structure or array.
    Composite(Vec<Value>),
}

impl Value {
    /// The bits of a scalar.
    pub fn scalar(&self) -> Result<u64, Fault> {
        match self {
            Value::Scalar(bits) => Ok(*bits),
            _ => Err(Fault::Malformed("a scalar was expected")),
        }
    }

    /// A scalar as a slice of one, or a vector's components.
    pub fn lanes(&self) -> Result<&[u64], Fault> {
        match self {
            Value::Scalar(bits) => Ok(std::slice::from_ref(bits)),
            Value::Vector(components) => Ok(components),
            Value::Composite(_) => Err(Fault::Malformed("a scalar or vector was expected")),
        }
    }

    /// A value of the same shape as this scalar or vector, from `f` of each component.
    pub fn map(&self, f: impl FnMut(u64) -> u64) -> Result<Value, Fault> {
        Ok(self.with_lanes(self.lanes()?.iter().copied().map(f).collect()))
    }

    /// A value of the same shape from components of two scalars or vectors.
    pub fn zip(&self, other: &Value, mut f: impl FnMut(u64, u64) -> u64) -> Result<Value, Fault> {
        let (a, b) = (self.lanes()?, other.lanes()?);
        if a.len() != b.len() {
            return Err(Fault::Malformed("operands differ in component count"));
        }
        Ok(self.with_lanes(a.iter().zip(b).map(|(a, b)| f(*a, *b)).collect()))
    }

    /// `lanes` in the shape of `self`.
    pub fn with_lanes(&self, lanes: Vec<u64>) -> Value {
        match self {
            Value::Scalar(_) => Value::Scalar(lanes.first().copied().unwrap_or(0)),
            _ => Value::Vector(lanes),
        }
    }
}

/// The bits of `value` that an integer of `width` bits keeps.
pub fn truncate(value: u64, width: u32) -> u64 {
    if width >= 64 { value } else { value & ((1 << width) - 1) }
}

/// The signed number that `width` bits stand for.
pub fn sign_extend(bits: u64, width: u32) -> i64 {
    let shift = 64 - width.clamp(1, 64);
    ((bits << shift) as i64) >> shift
}
