//! OpenCL.std. Integer functions, comparisons, roundings, loads and stores are exact. Transcendental functions are the
//! host's double-precision ones rounded once: exact enough to check float, not double.

use oxicl_spirv::grammar::{FPRoundingMode, OpenclStd100Op as Std};
use oxicl_spirv::{Def, Instruction, Type};

use crate::Fault;
use crate::float::{decode, encode, encode_rounded, fma};
use crate::machine::Machine;
use crate::value::{Value, sign_extend, truncate};

impl Machine<'_> {
    /// OpExtInst: operands are the set, the number, then the arguments.
    pub(crate) fn library_call(&mut self, inst: &Instruction) -> Result<Value, Fault> {
        let set = self.operand_id(inst, 0)?;
        let number = inst.word(self.module(), 1).ok_or(Fault::Malformed("OpExtInst without a number"))?;
        let known = matches!(self.module().def(set), Def::InstructionSet)
            && matches!(self.module().instruction_sets.get(&set), Some((oxicl_spirv::InstructionSet::OpenClStd, _)));
        if !known {
            // Debug information and non-semantic instructions have no value that anything could use.
            return Ok(Value::Scalar(0));
        }
        let std = Std::from_u32(number).ok_or(Fault::LibraryFunction(number))?;
        match std {
            Std::vloadn
            | Std::vstoren
            | Std::vload_half
            | Std::vload_halfn
            | Std::vloada_halfn
            | Std::vstore_half
            | Std::vstore_half_r
            | Std::vstore_halfn
            | Std::vstore_halfn_r
            | Std::vstorea_halfn
            | Std::vstorea_halfn_r
            | Std::prefetch
            | Std::fract
            | Std::modf
            | Std::frexp
            | Std::sincos => self.memory_function(inst, std),
            Std::shuffle | Std::shuffle2 => self.shuffle(inst, std),
            Std::cross
            | Std::distance
            | Std::length
            | Std::normalize
            | Std::fast_distance
            | Std::fast_length
            | Std::fast_normalize => self.geometric(inst, std),
            _ => self.lanewise(inst, std),
        }
    }

    fn argument(&self, inst: &Instruction, index: usize) -> Result<Value, Fault> {
        self.operand(inst, index + 2)
    }

    /// Functions of each component by itself.
    fn lanewise(&self, inst: &Instruction, std: Std) -> Result<Value, Fault> {
        let count = inst.operands(self.module()).len() - 2;
        let arguments = (0..count).map(|index| self.argument(inst, index)).collect::<Result<Vec<_>, _>>()?;
        let is_float = matches!(self.element_type(self.operand_type(inst, 2)?), Type::Float { .. });
        let (width, result_width) = (self.operand_width(inst, 2)?, self.result_width(inst)?);
        let first = arguments.first().ok_or(Fault::Malformed("a function without arguments"))?;
        let lanes = first.lanes()?.len();
        let mut results = Vec::with_capacity(lanes);
        for lane in 0..lanes {
            let mut row = Vec::with_capacity(count);
            for argument in &arguments {
                let argument = argument.lanes()?;
                // Scalars among the arguments stand for a vector of equal components.
                row.push(*argument.get(lane).or(argument.first()).ok_or(Fault::Malformed("an empty argument"))?);
            }
            let result = match (is_float, std) {
                (_, Std::bitselect) => Some((row[0] & !row[2]) | (row[1] & row[2])),
                (_, Std::select) => {
                    let condition_width = self.operand_width(inst, 4)?;
                    let taken = if lanes == 1 { row[2] != 0 } else { row[2] >> (condition_width - 1) & 1 == 1 };
                    Some(if taken { row[1] } else { row[0] })
                }
                (true, _) => float_function(std, &row, width),
                (false, _) => integer_function(std, &row, width),
            };
            let result = result.ok_or(Fault::LibraryFunction(std as u32))?;
            results.push(truncate(result, result_width));
        }
        Ok(first.with_lanes(results))
    }

    fn element_type(&self, ty: oxicl_spirv::TypeRef) -> &Type {
        match self.module().ty(ty) {
            Type::Vector { component, .. } => self.module().ty(*component),
            other => other,
        }
    }

    fn shuffle(&self, inst: &Instruction, std: Std) -> Result<Value, Fault> {
        let mut all = self.argument(inst, 0)?.lanes()?.to_vec();
        let mask = if std == Std::shuffle2 {
            all.extend_from_slice(self.argument(inst, 1)?.lanes()?);
            self.argument(inst, 2)?
        } else {
            self.argument(inst, 1)?
        };
        mask.map(|index| all[index as usize % all.len()])
    }

    fn geometric(&self, inst: &Instruction, std: Std) -> Result<Value, Fault> {
        let width = self.result_width(inst)?;
        let numbers = |value: Value| -> Result<Vec<f64>, Fault> {
            Ok(value.lanes()?.iter().map(|bits| decode(*bits, width)).collect())
        };
        let a = numbers(self.argument(inst, 0)?)?;
        let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        Ok(match std {
            Std::cross => {
                let b = numbers(self.argument(inst, 1)?)?;
                let mut lanes = vec![0; a.len()];
                for (i, lane) in lanes.iter_mut().take(3).enumerate() {
                    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                    *lane = encode(a[j] * b[k] - a[k] * b[j], width);
                }
                Value::Vector(lanes)
            }
            Std::distance | Std::fast_distance => {
                let b = numbers(self.argument(inst, 1)?)?;
                let difference: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
                Value::Scalar(encode(norm(&difference), width))
            }
            Std::length | Std::fast_length => Value::Scalar(encode(norm(&a), width)),
            _ => {
                let length = norm(&a);
                let scale = |x: &f64| encode(if length == 0.0 { *x } else { x / length }, width);
                self.argument(inst, 0)?.with_lanes(a.iter().map(scale).collect())
            }
        })
    }

    /// Functions that read or write memory.
    fn memory_function(&mut self, inst: &Instruction, std: Std) -> Result<Value, Fault> {
        match std {
            Std::prefetch => Ok(Value::Scalar(0)),
            Std::fract | Std::modf | Std::frexp | Std::sincos => self.two_results(inst, std),
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

    /// fract, modf, frexp, sincos: one result is stored through the pointer.
    fn two_results(&mut self, inst: &Instruction, std: Std) -> Result<Value, Fault> {
        let (value, pointer) = (self.argument(inst, 0)?, self.argument(inst, 1)?.scalar()?);
        let width = self.result_width(inst)?;
        let (mut results, mut stored) = (Vec::new(), Vec::new());
        for bits in value.lanes()? {
            let x = decode(*bits, width);
            let (result, other) = match std {
                Std::fract => {
                    let largest = crate::float::toward(encode(1.0, width), width, false);
                    (encode((x - x.floor()).min(decode(largest, width)), width), encode(x.floor(), width))
                }
                Std::modf => (
                    encode(if x.is_infinite() { 0f64.copysign(x) } else { (x - x.trunc()).copysign(x) }, width),
                    encode(x.trunc(), width),
                ),
                Std::sincos => (encode(x.sin(), width), encode(x.cos(), width)),
                _ => {
                    let (mantissa, exponent) = split(x);
                    (encode(mantissa, width), truncate(exponent as u64, 32))
                }
            };
            results.push(result);
            stored.push(other);
        }
        let other_bytes = if std == Std::frexp { 4 } else { u64::from(width / 8) };
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

/// Mantissa in [0.5, 1) and exponent.
fn split(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let (scaled, shift) = if x.abs() < f64::MIN_POSITIVE { (x * 2f64.powi(64), -64) } else { (x, 0) };
    let exponent = ((scaled.to_bits() >> 52) & 0x7FF) as i32 - 1022;
    let mantissa = f64::from_bits((scaled.to_bits() & !(0x7FF << 52)) | (1022 << 52));
    (mantissa, exponent + shift)
}

fn integer_function(std: Std, row: &[u64], width: u32) -> Option<u64> {
    let s = |i: usize| i128::from(sign_extend(row[i], width));
    let u = |i: usize| i128::from(row[i]);
    let (s_low, s_high) = (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1);
    let u_high = (1i128 << width) - 1;
    let low24 = |i: usize| i128::from(truncate(row[i], 24));
    let signed24 = |i: usize| i128::from(sign_extend(truncate(row[i], 24), 24));
    Some(match std {
        Std::s_abs => s(0).unsigned_abs() as i128,
        Std::u_abs => u(0),
        Std::s_abs_diff => (s(0) - s(1)).abs(),
        Std::u_abs_diff => (u(0) - u(1)).abs(),
        Std::s_add_sat => (s(0) + s(1)).clamp(s_low, s_high),
        Std::u_add_sat => (u(0) + u(1)).min(u_high),
        Std::s_sub_sat => (s(0) - s(1)).clamp(s_low, s_high),
        Std::u_sub_sat => (u(0) - u(1)).max(0),
        Std::s_hadd => (s(0) + s(1)) >> 1,
        Std::u_hadd => (u(0) + u(1)) >> 1,
        Std::s_rhadd => (s(0) + s(1) + 1) >> 1,
        Std::u_rhadd => (u(0) + u(1) + 1) >> 1,
        Std::s_clamp => s(0).max(s(1)).min(s(2)),
        Std::u_clamp => u(0).max(u(1)).min(u(2)),
        Std::s_max => s(0).max(s(1)),
        Std::u_max => u(0).max(u(1)),
        Std::s_min => s(0).min(s(1)),
        Std::u_min => u(0).min(u(1)),
        Std::clz => i128::from(row[0].leading_zeros() - (64 - width)),
        Std::ctz => i128::from(row[0].trailing_zeros().min(width)),
        Std::popcount => i128::from(row[0].count_ones()),
        Std::s_mul_hi => (s(0) * s(1)) >> width,
        Std::u_mul_hi => ((row[0] as u128 * row[1] as u128) >> width) as i128,
        Std::s_mad_hi => ((s(0) * s(1)) >> width) + s(2),
        Std::u_mad_hi => ((row[0] as u128 * row[1] as u128) >> width) as i128 + u(2),
        Std::s_mad_sat => (s(0) * s(1) + s(2)).clamp(s_low, s_high),
        Std::u_mad_sat => (row[0] as u128 * row[1] as u128 + row[2] as u128).min(u_high as u128) as i128,
        Std::s_mul24 => signed24(0) * signed24(1),
        Std::u_mul24 => low24(0) * low24(1),
        Std::s_mad24 => signed24(0) * signed24(1) + s(2),
        Std::u_mad24 => low24(0) * low24(1) + u(2),
        Std::s_upsample | Std::u_upsample => (u(0) << width) | u(1),
        Std::rotate => {
            let by = (row[1] % u64::from(width)) as u32;
            let rotated = if by == 0 { row[0] } else { (row[0] << by) | (row[0] >> (width - by)) };
            i128::from(truncate(rotated, width))
        }
        _ => return None,
    } as u64)
}

fn float_function(std: Std, row: &[u64], width: u32) -> Option<u64> {
    let x = |i: usize| decode(row[i], width);
    let number = match std {
        Std::fabs => return Some(row[0] & !(1 << (width - 1))),
        Std::copysign => return Some((row[0] & !(1 << (width - 1))) | (row[1] & (1 << (width - 1)))),
        Std::fma | Std::mad => return Some(fma(row[0], row[1], row[2], width)),
        Std::ilogb => return Some(truncate((split(x(0)).1 - 1) as u64, 32)),
        Std::ldexp => x(0) * 2f64.powi(sign_extend(row[1], 32).clamp(-2000, 2000) as i32),
        Std::ceil => x(0).ceil(),
        Std::floor => x(0).floor(),
        Std::trunc => x(0).trunc(),
        Std::rint => x(0).round_ties_even(),
        Std::round => x(0).round(),
        Std::fmax => x(0).max(x(1)),
        Std::fmin => x(0).min(x(1)),
        Std::fmax_common => {
            if x(0) < x(1) {
                x(1)
            } else {
                x(0)
            }
        }
        Std::fmin_common => {
            if x(1) < x(0) {
                x(1)
            } else {
                x(0)
            }
        }
        Std::fclamp => x(0).max(x(1)).min(x(2)),
        Std::fmod => x(0) % x(1),
        Std::fdim => {
            if x(0).is_nan() || x(1).is_nan() {
                f64::NAN
            } else {
                (x(0) - x(1)).max(0.0)
            }
        }
        Std::maxmag => match x(0).abs().partial_cmp(&x(1).abs()) {
            Some(std::cmp::Ordering::Greater) => x(0),
            Some(std::cmp::Ordering::Less) => x(1),
            _ => x(0).max(x(1)),
        },
        Std::minmag => match x(0).abs().partial_cmp(&x(1).abs()) {
            Some(std::cmp::Ordering::Less) => x(0),
            Some(std::cmp::Ordering::Greater) => x(1),
            _ => x(0).min(x(1)),
        },
        Std::nextafter => return Some(next_after(row[0], row[1], width)),
        Std::sqrt | Std::half_sqrt | Std::native_sqrt => x(0).sqrt(),
        Std::rsqrt | Std::half_rsqrt | Std::native_rsqrt => 1.0 / x(0).sqrt(),
        Std::half_recip | Std::native_recip => 1.0 / x(0),
        Std::half_divide | Std::native_divide => x(0) / x(1),
        Std::degrees => x(0) * (180.0 / std::f64::consts::PI),
        Std::radians => x(0) * (std::f64::consts::PI / 180.0),
        Std::step => {
            if x(1) < x(0) {
                0.0
            } else {
                1.0
            }
        }
        Std::mix => x(0) + (x(1) - x(0)) * x(2),
        Std::smoothstep => {
            let t = ((x(2) - x(0)) / (x(1) - x(0))).clamp(0.0, 1.0);
            t * t * (3.0 - 2.0 * t)
        }
        Std::sign => {
            if x(0).is_nan() {
                0.0
            } else if x(0) == 0.0 {
                x(0)
            } else {
                1f64.copysign(x(0))
            }
        }
        _ => transcendental(std, row, width)?,
    };
    Some(encode(number, width))
}

fn next_after(from: u64, to: u64, width: u32) -> u64 {
    let (a, b) = (decode(from, width), decode(to, width));
    if a.is_nan() || b.is_nan() {
        return encode(f64::NAN, width);
    }
    if a == b { to } else { crate::float::toward(from, width, b > a) }
}

fn transcendental(std: Std, row: &[u64], width: u32) -> Option<f64> {
    let x = decode(row[0], width);
    let y = || decode(row[1], width);
    Some(match std {
        Std::acos => x.acos(),
        Std::acosh => x.acosh(),
        Std::asin => x.asin(),
        Std::asinh => x.asinh(),
        Std::atan => x.atan(),
        Std::atanh => x.atanh(),
        Std::atan2 => x.atan2(y()),
        Std::cbrt => x.cbrt(),
        Std::cos | Std::half_cos | Std::native_cos => x.cos(),
        Std::cosh => x.cosh(),
        Std::exp | Std::half_exp | Std::native_exp => x.exp(),
        Std::exp2 | Std::half_exp2 | Std::native_exp2 => x.exp2(),
        Std::exp10 | Std::half_exp10 | Std::native_exp10 => 10f64.powf(x),
        Std::expm1 => x.exp_m1(),
        Std::hypot => x.hypot(y()),
        Std::log | Std::half_log | Std::native_log => x.ln(),
        Std::log2 | Std::half_log2 | Std::native_log2 => x.log2(),
        Std::log10 | Std::half_log10 | Std::native_log10 => x.log10(),
        Std::log1p => x.ln_1p(),
        Std::pow | Std::powr | Std::half_powr | Std::native_powr => x.powf(y()),
        Std::pown => x.powi(sign_extend(row[1], 32) as i32),
        Std::sin | Std::half_sin | Std::native_sin => x.sin(),
        Std::sinh => x.sinh(),
        Std::tan | Std::half_tan | Std::native_tan => x.tan(),
        Std::tanh => x.tanh(),
        _ => return None,
    })
}
