//! Functions of the device library that some machines have an instruction for, but LLVM no operation.

use crate::library;

/// Prefix of the names of the functions without a body that stand for these instructions.
const OF_MACHINE: &str = "oxicl.machine.";

/// What such an instruction computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineOperation {
    /// m of x = m 2^k with 0.75 <= m < 1.5.
    Fraction,
    /// k of x = m 2^k with 0.75 <= m < 1.5.
    FractionExponent,
    /// x 2^k of x and k.
    Scale,
    /// x^(-1/2), with a relative error of at most 2^-14.
    RsqrtEstimate,
}

/// The functions, and the types of their numbers.
const FUNCTIONS: [(&str, &str, MachineOperation); 5] = [
    ("fraction", "f32", MachineOperation::Fraction),
    ("fraction_exponent", "f32", MachineOperation::FractionExponent),
    ("scale", "f32", MachineOperation::Scale),
    ("scale", "f64", MachineOperation::Scale),
    ("rsqrt_estimate", "f32", MachineOperation::RsqrtEstimate),
];

impl MachineOperation {
    /// The names of the library's functions.
    pub fn library_names() -> impl Iterator<Item = String> {
        FUNCTIONS.iter().map(|(function, ty, _)| library::name(function, ty))
    }

    /// The names of the functions without a body that stand for the instructions, in the same order.
    pub fn names() -> impl Iterator<Item = String> {
        FUNCTIONS.iter().map(|(function, ty, _)| format!("{OF_MACHINE}{function}.{ty}"))
    }

    /// The operation that a function without a body stands for.
    pub fn parse(name: &str) -> Option<MachineOperation> {
        let rest = name.strip_prefix(OF_MACHINE)?;
        let is_it = |(function, ty, _): &&(&str, &str, _)| rest.strip_prefix(function) == Some(&format!(".{ty}"));
        FUNCTIONS.iter().find(is_it).map(|(.., operation)| *operation)
    }
}
