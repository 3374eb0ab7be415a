//! SPIR-V 3.3.11, conversion instructions.

use oxicl_spirv::Instruction;
use oxicl_spirv::grammar::{Decoration, FPRoundingMode, Op};

use crate::Fault;
use crate::float::{decode, encode, encode_integer, encode_rounded, round_to_integer};
use crate::machine::Machine;
use crate::value::{Value, sign_extend, truncate};

impl Machine<'_> {
    /// OpConvertFToU and OpConvertFToS. Out of range saturates, NaN gives 0: what SaturatedConversion asks for, and one
    /// of the results that are allowed without it.
    pub(crate) fn convert_float_to_integer(&self, inst: &Instruction) -> Result<Value, Fault> {
        let (from, to) = (self.operand_width(inst, 0)?, self.result_width(inst)?);
        let mode = self.rounding_mode(inst).unwrap_or(FPRoundingMode::RTZ);
        let (low, high) = integer_range(inst.op == Op::ConvertFToS, to);
        self.operand(inst, 0)?.map(|bits| {
            let rounded = round_to_integer(decode(bits, from), mode) as i128;
            truncate(rounded.clamp(low, high) as u64, to)
        })
    }

    /// OpConvertSToF and OpConvertUToF.
    pub(crate) fn convert_integer_to_float(&self, inst: &Instruction) -> Result<Value, Fault> {
        let (from, to) = (self.operand_width(inst, 0)?, self.result_width(inst)?);
        let mode = self.rounding_mode(inst).unwrap_or(FPRoundingMode::RTE);
        let signed = inst.op == Op::ConvertSToF;
        self.operand(inst, 0)?.map(|bits| {
            let integer = if signed { i128::from(sign_extend(bits, from)) } else { i128::from(bits) };
            encode_integer(integer, to, mode)
        })
    }

    /// OpFConvert.
    pub(crate) fn convert_float(&self, inst: &Instruction) -> Result<Value, Fault> {
        let (from, to) = (self.operand_width(inst, 0)?, self.result_width(inst)?);
        let mode = self.rounding_mode(inst).unwrap_or(FPRoundingMode::RTE);
        self.operand(inst, 0)?.map(|bits| encode_rounded(decode(bits, from), to, mode))
    }

    /// OpUConvert and OpSConvert.
    pub(crate) fn convert_integer(&self, inst: &Instruction) -> Result<Value, Fault> {
        let (from, to) = (self.operand_width(inst, 0)?, self.result_width(inst)?);
        let signed = inst.op == Op::SConvert;
        let saturated = self.decoration(inst, Decoration::SaturatedConversion).is_some();
        let (low, high) = integer_range(signed, to);
        self.operand(inst, 0)?.map(|bits| {
            let integer = if signed { i128::from(sign_extend(bits, from)) } else { i128::from(bits) };
            let integer = if saturated { integer.clamp(low, high) } else { integer };
            truncate(integer as u64, to)
        })
    }

    /// OpSatConvertSToU and OpSatConvertUToS.
    pub(crate) fn convert_saturated(&self, inst: &Instruction) -> Result<Value, Fault> {
        let (from, to) = (self.operand_width(inst, 0)?, self.result_width(inst)?);
        let from_signed = inst.op == Op::SatConvertSToU;
        let (low, high) = integer_range(!from_signed, to);
        self.operand(inst, 0)?.map(|bits| {
            let integer = if from_signed { i128::from(sign_extend(bits, from)) } else { i128::from(bits) };
            truncate(integer.clamp(low, high) as u64, to)
        })
    }

    /// OpBitcast, which may change the number of components: the lowest component comes from the lowest bits.
    pub(crate) fn bitcast(&self, inst: &Instruction) -> Result<Value, Fault> {
        let value = self.operand(inst, 0)?;
        let (from, to) = (self.operand_width(inst, 0)?, self.result_width(inst)?);
        if from == to {
            return Ok(value);
        }
        let bytes: Vec<u8> =
            value.lanes()?.iter().flat_map(|bits| bits.to_le_bytes().into_iter().take((from / 8) as usize)).collect();
        let lanes: Vec<u64> = bytes
            .chunks((to / 8) as usize)
            .map(|chunk| chunk.iter().rev().fold(0, |bits, byte| (bits << 8) | u64::from(*byte)))
            .collect();
        Ok(if lanes.len() == 1 { Value::Scalar(lanes[0]) } else { Value::Vector(lanes) })
    }

    /// OpConvertFToBF16INTEL and OpConvertBF16ToFINTEL: the upper half of a float, rounded to nearest even.
    pub(crate) fn convert_bfloat16(&self, inst: &Instruction) -> Result<Value, Fault> {
        let widen = inst.op == Op::ConvertBF16ToFINTEL;
        self.operand(inst, 0)?.map(|bits| match widen {
            true => bits << 16,
            false if f32::from_bits(bits as u32).is_nan() => (bits >> 16) | 0x40,
            false => (bits + 0x7FFF + (bits >> 16 & 1)) >> 16,
        })
    }

    /// OpQuantizeToF16: a float as a half has it; what is denormal there becomes zero.
    pub(crate) fn quantize(&self, inst: &Instruction) -> Result<Value, Fault> {
        self.operand(inst, 0)?.map(|bits| {
            let half = encode(decode(bits, 32), 16);
            let half = if half & 0x7C00 == 0 { half & 0x8000 } else { half };
            encode(decode(half, 16), 32)
        })
    }

    fn rounding_mode(&self, inst: &Instruction) -> Option<FPRoundingMode> {
        let operands = self.decoration(inst, Decoration::FPRoundingMode)?;
        FPRoundingMode::from_u32(*operands.first()?)
    }
}

/// Smallest and largest integer of the type.
fn integer_range(signed: bool, width: u32) -> (i128, i128) {
    if signed { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) }
}
