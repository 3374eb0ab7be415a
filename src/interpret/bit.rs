//! SPIR-V 3.3.14, bit instructions.

use oxicl_spirv::Instruction;
use oxicl_spirv::grammar::Op;

use crate::Fault;
use crate::machine::Machine;
use crate::value::{Value, sign_extend, truncate};

impl Machine<'_> {
    /// Shifts. The amount is taken modulo the width, as OpenCL C does. Of a base that is wider than the result the low bits count.
    pub(crate) fn shift(&self, inst: &Instruction) -> Result<Value, Fault> {
        let (base, amount) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let width = self.result_width(inst)?;
        let op = inst.op;
        base.zip(&amount, |base, amount| {
            let amount = (amount % u64::from(width)) as u32;
            let result = match op {
                Op::ShiftLeftLogical => base << amount,
                Op::ShiftRightLogical => base >> amount,
                _ => (sign_extend(base, width) >> amount) as u64,
            };
            truncate(result, width)
        })
    }

    /// OpBitwiseOr, OpBitwiseXor, OpBitwiseAnd, whose constant may mask what is wider: its own higher bits are 0 here.
    pub(crate) fn bitwise(&self, inst: &Instruction) -> Result<Value, Fault> {
        let op = inst.op;
        self.operand(inst, 0)?.zip(&self.operand(inst, 1)?, |a, b| match op {
            Op::BitwiseOr => a | b,
            Op::BitwiseXor => a ^ b,
            _ => a & b,
        })
    }

    /// OpNot.
    pub(crate) fn not(&self, inst: &Instruction) -> Result<Value, Fault> {
        let width = self.result_width(inst)?;
        self.operand(inst, 0)?.map(|a| truncate(!a, width))
    }

    /// OpBitCount and OpBitReverse.
    pub(crate) fn bit_unary(&self, inst: &Instruction) -> Result<Value, Fault> {
        let width = self.result_width(inst)?;
        let op = inst.op;
        self.operand(inst, 0)?.map(|a| match op {
            Op::BitCount => u64::from(a.count_ones()),
            _ => a.reverse_bits() >> (64 - width),
        })
    }

    /// OpBitFieldInsert.
    pub(crate) fn bit_field_insert(&self, inst: &Instruction) -> Result<Value, Fault> {
        let (base, insert) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let (offset, count) = self.bit_field(inst, 2)?;
        let width = self.result_width(inst)?;
        let mask = truncate(u64::MAX, count.max(1)) & if count == 0 { 0 } else { u64::MAX };
        base.zip(&insert, |base, insert| truncate((base & !(mask << offset)) | ((insert & mask) << offset), width))
    }

    /// OpBitFieldSExtract and OpBitFieldUExtract.
    pub(crate) fn bit_field_extract(&self, inst: &Instruction) -> Result<Value, Fault> {
        let (offset, count) = self.bit_field(inst, 1)?;
        let width = self.result_width(inst)?;
        let op = inst.op;
        self.operand(inst, 0)?.map(|base| {
            if count == 0 {
                return 0;
            }
            let field = truncate(base >> offset, count);
            match op {
                Op::BitFieldSExtract => truncate(sign_extend(field, count) as u64, width),
                _ => field,
            }
        })
    }

    fn bit_field(&self, inst: &Instruction, index: usize) -> Result<(u32, u32), Fault> {
        let offset = self.operand(inst, index)?.scalar()? & 63;
        let count = self.operand(inst, index + 1)?.scalar()?.min(64);
        Ok((offset as u32, count as u32))
    }

    /// OpBitwiseFunctionINTEL: bit `a + 2 b + 4 c` of the table.
    pub(crate) fn bitwise_function(&self, inst: &Instruction) -> Result<Value, Fault> {
        let (a, b, c) = (self.operand(inst, 0)?, self.operand(inst, 1)?, self.operand(inst, 2)?);
        let (table, width) = (self.operand(inst, 3)?.scalar()?, self.result_width(inst)?);
        let c = c.lanes()?.to_vec();
        let mut lane = 0;
        a.zip(&b, |a, b| {
            let c = c.get(lane).copied().unwrap_or(0);
            lane += 1;
            (0..width).fold(0, |result, bit| {
                let index = (a >> bit & 1) | (b >> bit & 1) << 1 | (c >> bit & 1) << 2;
                result | (table >> index & 1) << bit
            })
        })
    }
}
