//! Geometric functions.

use oxicl_spirv::Instruction;
use oxicl_spirv::grammar::OpenclStd100Op as Std;

use crate::Fault;
use crate::float::{decode, encode};
use crate::machine::Machine;
use crate::real::Real;
use crate::value::Value;

impl Machine<'_> {
    pub(super) fn geometric(&self, inst: &Instruction, std: Std) -> Result<Value, Fault> {
        let width = self.result_width(inst)?;
        let numbers = |value: Value| -> Result<Vec<f64>, Fault> {
            Ok(value.lanes()?.iter().map(|bits| decode(*bits, width)).collect())
        };
        let a = numbers(self.argument(inst, 0)?)?;
        Ok(match std {
            Std::cross => {
                let b = numbers(self.argument(inst, 1)?)?;
                let mut lanes = vec![0; a.len()];
                for (i, lane) in lanes.iter_mut().take(3).enumerate() {
                    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                    *lane = difference_of_products([a[j], b[k]], [a[k], b[j]], width);
                }
                Value::Vector(lanes)
            }
            Std::distance | Std::fast_distance => {
                let b = numbers(self.argument(inst, 1)?)?;
                // What overflows as a double does not as a real number.
                let special = a.iter().zip(&b).map(|(a, b)| if a.is_finite() && b.is_finite() { 0.0 } else { a - b });
                let exact = a.iter().zip(&b).map(|(a, b)| Real::from_f64(*a) - Real::from_f64(*b));
                Value::Scalar(norm(special.collect(), exact.collect(), width))
            }
            Std::length | Std::fast_length => {
                Value::Scalar(norm(a.clone(), a.iter().map(|a| Real::from_f64(*a)).collect(), width))
            }
            _ => self.argument(inst, 0)?.with_lanes(normalize(&a, width)),
        })
    }
}

/// `a0 a1 - b0 b1`, as the formula says: each operation rounded.
fn difference_of_products(a: [f64; 2], b: [f64; 2], width: u32) -> u64 {
    let product = |factors: [f64; 2]| decode(encode(factors[0] * factors[1], width), width);
    encode(product(a) - product(b), width)
}

/// The length of a vector. `special` tells infinities and NaN.
fn norm(special: Vec<f64>, exact: Vec<Real>, width: u32) -> u64 {
    let infinite = |number: &f64| number.is_infinite();
    // As with `hypot`, an infinity counts even beside a NaN.
    if special.iter().any(infinite) {
        return encode(f64::INFINITY, width);
    }
    if special.iter().any(|number| number.is_nan()) {
        return encode(f64::NAN, width);
    }
    exact.iter().fold(Real::ZERO, |sum, one| sum + *one * *one).sqrt().round(width)
}

fn normalize(a: &[f64], width: u32) -> Vec<u64> {
    if a.iter().any(|number| number.is_nan()) {
        return vec![encode(f64::NAN, width); a.len()];
    }
    // "If any element of p is infinity, ... as if each infinity were copysign(1, p[i]) and the others copysign(0, p[i])."
    let infinite = a.iter().any(|number| number.is_infinite());
    let direction: Vec<f64> = a
        .iter()
        .map(|number| match infinite {
            true if number.is_infinite() => 1f64.copysign(*number),
            true => 0f64.copysign(*number),
            false => *number,
        })
        .collect();
    let exact: Vec<Real> = direction.iter().map(|number| Real::from_f64(*number)).collect();
    let length = exact.iter().fold(Real::ZERO, |sum, one| sum + *one * *one).sqrt();
    let quotient = |(number, exact): (&f64, &Real)| {
        if exact.is_zero() || length.is_zero() { encode(*number, width) } else { (*exact / length).round(width) }
    };
    direction.iter().zip(&exact).map(quotient).collect()
}
