//! SPIR-V 3.3.13, arithmetic instructions.

use oxicl_spirv::grammar::Op;
use oxicl_spirv::{Instruction, Type};

use crate::Fault;
use crate::float::{decode, encode};
use crate::machine::Machine;
use crate::value::{Value, sign_extend, truncate};

impl Machine<'_> {
    /// Integer operations of two operands. Division is total, as `lower` makes it: by zero it gives the dividend, and the
    /// remainder is 0; the overflowing signed quotient wraps.
    pub(crate) fn integer_binary(&self, inst: &Instruction) -> Result<Value, Fault> {
        let (a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let width = self.result_width(inst)?;
        let signed = |bits| sign_extend(bits, width);
        let op = inst.op;
        a.zip(&b, |a, b| {
            let result = match op {
                Op::IAdd => a.wrapping_add(b),
                Op::ISub => a.wrapping_sub(b),
                Op::IMul => a.wrapping_mul(b),
                Op::UDiv => a.checked_div(b).unwrap_or(a),
                Op::UMod => a.checked_rem(b).unwrap_or(0),
                Op::SDiv if b == 0 => a,
                Op::SDiv => signed(a).wrapping_div(signed(b)) as u64,
                Op::SRem | Op::SMod if b == 0 => 0,
                Op::SRem => signed(a).wrapping_rem(signed(b)) as u64,
                _ => {
                    let remainder = signed(a).wrapping_rem(signed(b));
                    let differs = remainder != 0 && (remainder < 0) != (signed(b) < 0);
                    (if differs { remainder + signed(b) } else { remainder }) as u64
                }
            };
            truncate(result, width)
        })
    }

    /// OpSNegate.
    pub(crate) fn s_negate(&self, inst: &Instruction) -> Result<Value, Fault> {
        let width = self.result_width(inst)?;
        self.operand(inst, 0)?.map(|a| truncate(a.wrapping_neg(), width))
    }

    /// OpFNegate: flips the sign bit, of NaN too.
    pub(crate) fn f_negate(&self, inst: &Instruction) -> Result<Value, Fault> {
        let width = self.result_width(inst)?;
        self.operand(inst, 0)?.map(|a| a ^ (1 << (width - 1)))
    }

    /// Floating-point operations of two operands.
    pub(crate) fn float_binary(&self, inst: &Instruction) -> Result<Value, Fault> {
        let (a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let width = self.result_width(inst)?;
        let op = inst.op;
        a.zip(&b, |a, b| {
            let (a, b) = (decode(a, width), decode(b, width));
            let result = match op {
                Op::FAdd => a + b,
                Op::FSub => a - b,
                Op::FMul => a * b,
                Op::FDiv => a / b,
                Op::FRem => a % b,
                _ => {
                    let remainder = a % b;
                    let differs = remainder != 0.0 && (remainder < 0.0) != (b < 0.0);
                    if differs { remainder + b } else { remainder.copysign(b) }
                }
            };
            encode(result, width)
        })
    }

    /// OpVectorTimesScalar.
    pub(crate) fn vector_times_scalar(&self, inst: &Instruction) -> Result<Value, Fault> {
        let width = self.result_width(inst)?;
        let scalar = decode(self.operand(inst, 1)?.scalar()?, width);
        self.operand(inst, 0)?.map(|a| encode(decode(a, width) * scalar, width))
    }

    /// OpDot: products summed from the first component on, each step rounded.
    pub(crate) fn dot(&self, inst: &Instruction) -> Result<Value, Fault> {
        let width = self.result_width(inst)?;
        let (a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let mut sum: Option<u64> = None;
        for (a, b) in a.lanes()?.iter().zip(b.lanes()?) {
            let product = encode(decode(*a, width) * decode(*b, width), width);
            sum = Some(match sum {
                None => product,
                Some(sum) => encode(decode(sum, width) + decode(product, width), width),
            });
        }
        Ok(Value::Scalar(sum.unwrap_or(0)))
    }

    /// OpIAddCarry, OpISubBorrow, OpUMulExtended, OpSMulExtended: a structure of low part and carry or high part.
    pub(crate) fn extended(&self, inst: &Instruction) -> Result<Value, Fault> {
        let (a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let width = match self.result_type(inst)? {
            Type::Struct { members } => {
                self.element_width(*members.first().ok_or(Fault::Malformed("an empty structure"))?)?
            }
            _ => return Err(Fault::Malformed("a structure was expected")),
        };
        let op = inst.op;
        let full = move |a: u64, b: u64| -> u128 {
            match op {
                Op::IAddCarry => u128::from(a) + u128::from(b),
                Op::ISubBorrow => {
                    let borrow = u128::from(a < b);
                    u128::from(truncate(a.wrapping_sub(b), width)) | (borrow << width)
                }
                Op::UMulExtended => u128::from(a) * u128::from(b),
                _ => (i128::from(sign_extend(a, width)) * i128::from(sign_extend(b, width))) as u128,
            }
        };
        let low = a.zip(&b, |a, b| truncate(full(a, b) as u64, width))?;
        let high = a.zip(&b, |a, b| truncate((full(a, b) >> width) as u64, width))?;
        Ok(Value::Composite(vec![low, high]))
    }

    /// OpSDot and its kin: products of components of 8 or more bits, summed exactly, then wrapped or, with an
    /// accumulator, saturated. Operands of 32 bits are four components of 8 where the format says so.
    pub(crate) fn integer_dot(&self, inst: &Instruction) -> Result<Value, Fault> {
        let (a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let width = self.result_width(inst)?;
        let a_signed = !matches!(inst.op, Op::UDot | Op::UDotAccSat);
        let b_signed = matches!(inst.op, Op::SDot | Op::SDotAccSat);
        let (a, b) = (self.dot_lanes(inst, 0, &a, a_signed)?, self.dot_lanes(inst, 1, &b, b_signed)?);
        let sum: i128 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
        if !matches!(inst.op, Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat) {
            return Ok(Value::Scalar(truncate(sum as u64, width)));
        }
        let accumulator = self.operand(inst, 2)?.scalar()?;
        let (accumulator, low, high) = if a_signed {
            (i128::from(sign_extend(accumulator, width)), -(1i128 << (width - 1)), (1i128 << (width - 1)) - 1)
        } else {
            (i128::from(accumulator), 0, (1i128 << width) - 1)
        };
        Ok(Value::Scalar(truncate((sum + accumulator).clamp(low, high) as u64, width)))
    }

    fn dot_lanes(&self, inst: &Instruction, index: usize, value: &Value, signed: bool) -> Result<Vec<i128>, Fault> {
        let number = |bits: u64, width: u32| {
            if signed { i128::from(sign_extend(bits, width)) } else { i128::from(truncate(bits, width)) }
        };
        match value {
            Value::Vector(lanes) => {
                let width = self.operand_width(inst, index)?;
                Ok(lanes.iter().map(|lane| number(*lane, width)).collect())
            }
            packed => {
                let word = packed.scalar()?;
                Ok((0..4).map(|lane| number(word >> (8 * lane), 8)).collect())
            }
        }
    }
}
