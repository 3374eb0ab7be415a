//! SPIR-V 3.3.18, atomic instructions. Work-items take turns, so every access is atomic and ordered by itself.

use oxicl_spirv::Instruction;
use oxicl_spirv::grammar::Op;

use crate::Fault;
use crate::float::{decode, encode};
use crate::machine::Machine;
use crate::value::{Value, sign_extend, truncate};

impl Machine<'_> {
    /// Atomics that give a value.
    pub(crate) fn atomic(&mut self, inst: &Instruction) -> Result<Value, Fault> {
        let address = match inst.op {
            Op::AtomicLoad
            | Op::AtomicExchange
            | Op::AtomicCompareExchange
            | Op::AtomicCompareExchangeWeak
            | Op::AtomicIIncrement
            | Op::AtomicIDecrement
            | Op::AtomicIAdd
            | Op::AtomicISub
            | Op::AtomicSMin
            | Op::AtomicUMin
            | Op::AtomicSMax
            | Op::AtomicUMax
            | Op::AtomicAnd
            | Op::AtomicOr
            | Op::AtomicXor
            | Op::AtomicFlagTestAndSet
            | Op::AtomicFAddEXT
            | Op::AtomicFMinEXT
            | Op::AtomicFMaxEXT => self.operand(inst, 0)?.scalar()?,
            op => return Err(Fault::Instruction(op)),
        };
        if inst.op == Op::AtomicFlagTestAndSet {
            let mut flag = [0; 4];
            self.read(address, &mut flag)?;
            self.write(address, &1u32.to_le_bytes())?;
            return Ok(Value::Scalar(u64::from(flag != [0; 4])));
        }
        let ty = self.result_type_ref(inst)?;
        let old = self.read_value(address, ty)?;
        let new = self.updated(inst, old.scalar()?)?;
        if let Some(new) = new {
            self.write_value(address, &Value::Scalar(new), ty)?;
        }
        Ok(old)
    }

    /// What the atomic stores, given what was there; `None` if it stores nothing.
    fn updated(&self, inst: &Instruction, old: u64) -> Result<Option<u64>, Fault> {
        let width = self.result_width(inst)?;
        let signed = |bits| sign_extend(bits, width);
        if matches!(inst.op, Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak) {
            let (value, comparator) = (self.operand(inst, 4)?.scalar()?, self.operand(inst, 5)?.scalar()?);
            return Ok((old == comparator).then_some(value));
        }
        let value = match inst.op {
            Op::AtomicLoad => return Ok(None),
            Op::AtomicIIncrement | Op::AtomicIDecrement => 1,
            _ => self.operand(inst, 3)?.scalar()?,
        };
        let float = |f: fn(f64, f64) -> f64| encode(f(decode(old, width), decode(value, width)), width);
        let new = match inst.op {
            Op::AtomicExchange => value,
            Op::AtomicIIncrement | Op::AtomicIAdd => old.wrapping_add(value),
            Op::AtomicIDecrement | Op::AtomicISub => old.wrapping_sub(value),
            Op::AtomicSMin => {
                if signed(value) < signed(old) {
                    value
                } else {
                    old
                }
            }
            Op::AtomicSMax => {
                if signed(value) > signed(old) {
                    value
                } else {
                    old
                }
            }
            Op::AtomicUMin => old.min(value),
            Op::AtomicUMax => old.max(value),
            Op::AtomicAnd => old & value,
            Op::AtomicOr => old | value,
            Op::AtomicXor => old ^ value,
            Op::AtomicFAddEXT => float(|a, b| a + b),
            Op::AtomicFMinEXT => float(f64::min),
            _ => float(f64::max),
        };
        Ok(Some(truncate(new, width)))
    }
}
