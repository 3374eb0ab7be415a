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
        let address = self.operand(inst, 0)?.scalar()?;
        if inst.op == Op::AtomicFlagTestAndSet {
            let old = self.update(address, 4, &mut |_| Some(1))?;
            return Ok(Value::Scalar(u64::from(old != 0)));
        }
        let size = self.program.size(self.result_type_ref(inst)?)? as usize;
        let change = self.change(inst)?;
        let old = self.update(address, size, &mut |old| change.of(old))?;
        Ok(Value::Scalar(old))
    }

    /// What the atomic does to what was there.
    fn change(&self, inst: &Instruction) -> Result<Change, Fault> {
        let (op, width) = (inst.op, self.result_width(inst)?);
        let (value, comparator) = match op {
            Op::AtomicLoad => (0, 0),
            Op::AtomicIIncrement | Op::AtomicIDecrement => (1, 0),
            Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => {
                (self.operand(inst, 4)?.scalar()?, self.operand(inst, 5)?.scalar()?)
            }
            _ => (self.operand(inst, 3)?.scalar()?, 0),
        };
        Ok(Change { op, width, value, comparator })
    }
}

/// An atomic operation with its operands.
struct Change {
    op: Op,
    width: u32,
    value: u64,
    comparator: u64,
}

impl Change {
    /// What is stored, given what was there; `None` if nothing is.
    fn of(&self, old: u64) -> Option<u64> {
        let (width, value) = (self.width, self.value);
        let signed = |bits| sign_extend(bits, width);
        let float = |f: fn(f64, f64) -> f64| encode(f(decode(old, width), decode(value, width)), width);
        let new = match self.op {
            Op::AtomicLoad => return None,
            Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => {
                return (old == self.comparator).then_some(value);
            }
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
        Some(truncate(new, width))
    }
}
