//! Functions that read or write memory.

use oxicl_spirv::Instruction;
use oxicl_spirv::grammar::{FPRoundingMode, OpenclStd100Op as Std};

use super::{common, math, remainder};
use crate::Fault;
use crate::float::{decode, encode, encode_rounded, toward};
use crate::machine::Machine;
use crate::value::{Value, truncate};

impl Machine<'_> {
    /// Functions that read or write memory.
    pub(super) fn memory_function(&mut self, inst: &Instruction, std: Std) -> Result<Value, Fault> {
        match std {
            Std::prefetch => Ok(Value::Scalar(0)),
            Std::fract | Std::modf | Std::frexp | Std::sincos | Std::remquo | Std::lgamma_r => {
                self.two_results(inst, std)
            }
            Std::vloadn => {
                let ty = self.result_type_ref(inst)?;
                let (lanes, bytes) = (self.program.lane_count(ty), u64::from(self.result_width(inst)? / 8));
                let offset = self.argument(inst, 0)?.scalar()?.wrapping_mul(lanes * bytes);
                let base = self.argument(inst, 1)?.scalar()?.wrapping_add(offset);
                let values = (0..lanes).map(|lane| self.read_bits(base + lane * bytes, bytes));
                Ok(Value::Vector(values.collect::<Result<_, _>>()?))
            }
            Std::vstoren => {
                let value = self.argument(inst, 0)?;
                let bytes = u64::from(self.operand_width(inst, 2)? / 8);
                let lanes = value.lanes()?.to_vec();
                let offset = self.argument(inst, 1)?.scalar()?.wrapping_mul(lanes.len() as u64 * bytes);
                let base = self.argument(inst, 2)?.scalar()?.wrapping_add(offset);
                for (lane, bits) in lanes.iter().enumerate() {
                    self.write(base + lane as u64 * bytes, &bits.to_le_bytes()[..bytes as usize])?;
                }
                Ok(Value::Scalar(0))
            }
            Std::vload_half | Std::vload_halfn | Std::vloada_halfn => {
                let ty = self.result_type_ref(inst)?;
                let (lanes, width) = (self.program.lane_count(ty), self.result_width(inst)?);
                let stride = if std == Std::vloada_halfn && lanes == 3 { 4 } else { lanes };
                let offset = self.argument(inst, 0)?.scalar()?.wrapping_mul(stride * 2);
                let base = self.argument(inst, 1)?.scalar()?.wrapping_add(offset);
                let mut values = Vec::new();
                for lane in 0..lanes {
                    values.push(encode(decode(self.read_bits(base + lane * 2, 2)?, 16), width));
                }
                Ok(if lanes == 1 { Value::Scalar(values[0]) } else { Value::Vector(values) })
            }
            _ => self.store_halves(inst, std),
        }
    }

    fn store_halves(&mut self, inst: &Instruction, std: Std) -> Result<Value, Fault> {
        let value = self.argument(inst, 0)?;
        let width = self.operand_width(inst, 2)?;
        let explicit = matches!(std, Std::vstore_half_r | Std::vstore_halfn_r | Std::vstorea_halfn_r);
        let mode = if explicit { inst.word(self.module(), 5).and_then(FPRoundingMode::from_u32) } else { None };
        let lanes = value.lanes()?.to_vec();
        let aligned = matches!(std, Std::vstorea_halfn | Std::vstorea_halfn_r);
        let stride = if aligned && lanes.len() == 3 { 4 } else { lanes.len() as u64 };
        let offset = self.argument(inst, 1)?.scalar()?.wrapping_mul(stride * 2);
        let base = self.argument(inst, 2)?.scalar()?.wrapping_add(offset);
        for (lane, bits) in lanes.iter().enumerate() {
            let half = encode_rounded(decode(*bits, width), 16, mode.unwrap_or(FPRoundingMode::RTE));
            self.write(base + lane as u64 * 2, &half.to_le_bytes()[..2])?;
        }
        Ok(Value::Scalar(0))
    }

    /// fract, modf, frexp, sincos, remquo, lgamma_r: one result is stored through the last argument.
    fn two_results(&mut self, inst: &Instruction, std: Std) -> Result<Value, Fault> {
        let value = self.argument(inst, 0)?;
        let second = if std == Std::remquo { self.argument(inst, 1)?.lanes()?.to_vec() } else { Vec::new() };
        let pointer = self.argument(inst, if std == Std::remquo { 2 } else { 1 })?.scalar()?;
        let width = self.result_width(inst)?;
        let (mut results, mut stored) = (Vec::new(), Vec::new());
        for (lane, bits) in value.lanes()?.iter().enumerate() {
            let x = decode(*bits, width);
            let (result, other) = match std {
                Std::fract => fract(x, width),
                Std::modf => (
                    encode(if x.is_infinite() { 0f64.copysign(x) } else { (x - x.trunc()).copysign(x) }, width),
                    encode(x.trunc(), width),
                ),
                Std::sincos => (math::function(std, &[*bits], width).unwrap_or(0), math::cosine(x, width)),
                Std::remquo => {
                    let y = decode(second.get(lane).copied().unwrap_or(0), width);
                    let (rest, quotient) = remainder::remquo(x, y);
                    (encode(rest, width), truncate(quotient as u64, 32))
                }
                Std::lgamma_r => {
                    let (logarithm, sign) = math::ln_gamma(x, width);
                    (logarithm, truncate(sign as u64, 32))
                }
                _ => {
                    let (mantissa, exponent) = common::split(x);
                    (encode(mantissa, width), truncate(exponent as u64, 32))
                }
            };
            results.push(result);
            stored.push(other);
        }
        let integers = matches!(std, Std::frexp | Std::remquo | Std::lgamma_r);
        let other_bytes = if integers { 4 } else { u64::from(width / 8) };
        for (lane, bits) in stored.iter().enumerate() {
            self.write(pointer + lane as u64 * other_bytes, &bits.to_le_bytes()[..other_bytes as usize])?;
        }
        Ok(value.with_lanes(results))
    }

    fn read_bits(&mut self, address: u64, bytes: u64) -> Result<u64, Fault> {
        let mut buffer = [0; 8];
        self.read(address, &mut buffer[..bytes as usize])?;
        Ok(u64::from_le_bytes(buffer))
    }
}

/// The fraction, below 1, and the whole number below.
fn fract(x: f64, width: u32) -> (u64, u64) {
    let fraction =
        if x.is_infinite() { 0f64.copysign(x) } else { (x - x.floor()).copysign(if x == 0.0 { x } else { 1.0 }) };
    let largest = toward(encode(1.0, width), width, false);
    let fraction = if fraction.is_nan() { f64::NAN } else { fraction.min(decode(largest, width)) };
    (encode(fraction, width), encode(x.floor(), width))
}
