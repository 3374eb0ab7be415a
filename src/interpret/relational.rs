//! SPIR-V 3.3.15, relational and logical instructions.

use oxicl_spirv::Instruction;
use oxicl_spirv::grammar::Op;

use crate::Fault;
use crate::float::decode;
use crate::machine::Machine;
use crate::value::{Value, sign_extend};

impl Machine<'_> {
    /// OpAny and OpAll; of integers, as clang writes them, the highest bits count.
    pub(crate) fn any_all(&self, inst: &Instruction) -> Result<Value, Fault> {
        let vector = self.operand(inst, 0)?;
        let highest = self.operand_width(inst, 0)?.saturating_sub(1);
        let is_set = |bits: &u64| bits >> highest & 1 != 0;
        let result = match inst.op {
            Op::Any => vector.lanes()?.iter().any(is_set),
            _ => vector.lanes()?.iter().all(is_set),
        };
        Ok(Value::Scalar(u64::from(result)))
    }

    /// OpIsNan, OpIsInf, OpIsFinite, OpIsNormal, OpSignBitSet.
    pub(crate) fn classify(&self, inst: &Instruction) -> Result<Value, Fault> {
        let width = self.operand_width(inst, 0)?;
        let op = inst.op;
        let smallest_normal = match width {
            16 => 2f64.powi(-14),
            32 => f64::from(f32::MIN_POSITIVE),
            _ => f64::MIN_POSITIVE,
        };
        self.operand(inst, 0)?.map(|bits| {
            let number = decode(bits, width);
            u64::from(match op {
                Op::IsNan => number.is_nan(),
                Op::IsInf => number.is_infinite(),
                Op::IsFinite => number.is_finite(),
                Op::IsNormal => number.is_finite() && number.abs() >= smallest_normal,
                _ => bits >> (width - 1) & 1 == 1,
            })
        })
    }

    /// OpLogicalEqual, OpLogicalNotEqual, OpLogicalOr, OpLogicalAnd.
    pub(crate) fn logical(&self, inst: &Instruction) -> Result<Value, Fault> {
        let op = inst.op;
        self.operand(inst, 0)?.zip(&self.operand(inst, 1)?, |a, b| match op {
            Op::LogicalEqual => u64::from(a == b),
            Op::LogicalNotEqual => u64::from(a != b),
            Op::LogicalOr => a | b,
            _ => a & b,
        })
    }

    /// OpLogicalNot.
    pub(crate) fn logical_not(&self, inst: &Instruction) -> Result<Value, Fault> {
        self.operand(inst, 0)?.map(|a| a ^ 1)
    }

    /// OpSelect, on scalars, vectors and, since SPIR-V 1.4, composites.
    pub(crate) fn select(&self, inst: &Instruction) -> Result<Value, Fault> {
        let (condition, a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?, self.operand(inst, 2)?);
        match condition {
            Value::Scalar(condition) => Ok(if condition != 0 { a } else { b }),
            condition => {
                let (condition, a_lanes, b_lanes) = (condition.lanes()?, a.lanes()?, b.lanes()?);
                let lanes = condition.iter().zip(a_lanes.iter().zip(b_lanes));
                Ok(Value::Vector(lanes.map(|(c, (a, b))| if *c != 0 { *a } else { *b }).collect()))
            }
        }
    }

    /// Integer comparisons, OpPtrEqual and OpPtrNotEqual.
    pub(crate) fn compare_integers(&self, inst: &Instruction) -> Result<Value, Fault> {
        let width = self.operand_width(inst, 0)?;
        let op = inst.op;
        let signed = |bits| sign_extend(bits, width);
        self.operand(inst, 0)?.zip(&self.operand(inst, 1)?, |a, b| {
            u64::from(match op {
                Op::IEqual | Op::PtrEqual => a == b,
                Op::INotEqual | Op::PtrNotEqual => a != b,
                Op::UGreaterThan => a > b,
                Op::UGreaterThanEqual => a >= b,
                Op::ULessThan => a < b,
                Op::ULessThanEqual => a <= b,
                Op::SGreaterThan => signed(a) > signed(b),
                Op::SGreaterThanEqual => signed(a) >= signed(b),
                Op::SLessThan => signed(a) < signed(b),
                _ => signed(a) <= signed(b),
            })
        })
    }

    /// Floating-point comparisons; the unordered forms hold when an operand is NaN.
    pub(crate) fn compare_floats(&self, inst: &Instruction) -> Result<Value, Fault> {
        let width = self.operand_width(inst, 0)?;
        let op = inst.op;
        self.operand(inst, 0)?.zip(&self.operand(inst, 1)?, |a, b| {
            let (a, b) = (decode(a, width), decode(b, width));
            let unordered = a.is_nan() || b.is_nan();
            u64::from(match op {
                Op::FOrdEqual => a == b,
                Op::FUnordEqual => unordered || a == b,
                Op::FOrdNotEqual | Op::LessOrGreater => !unordered && a != b,
                Op::FUnordNotEqual => a != b,
                Op::FOrdLessThan => a < b,
                Op::FUnordLessThan => unordered || a < b,
                Op::FOrdGreaterThan => a > b,
                Op::FUnordGreaterThan => unordered || a > b,
                Op::FOrdLessThanEqual => a <= b,
                Op::FUnordLessThanEqual => unordered || a <= b,
                Op::FOrdGreaterThanEqual => a >= b,
                Op::FUnordGreaterThanEqual => unordered || a >= b,
                Op::Ordered => !unordered,
                _ => unordered,
            })
        })
    }
}
