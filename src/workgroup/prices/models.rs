//! What LLVM's scheduling models say of operations that differ between processors with the same instructions, or that
//! TargetTransformInfo knows little of. `src/llvm/examples/models` writes the table.
//!
//! A target says what instructions the processor has, not which one it is. So a figure is the mean over the processors
//! with these instructions.

use oxicl_llvm::{Access, Opcode};
use oxicl_target::{Ability, Target};

use crate::prices::overrides;
use crate::prices::question::{Move, Number, Operation, Question};

/// The table.
const TEXT: &str = include_str!("models.tsv");

/// Intrinsics on the bits of a number: in effect, shuffles of its bytes by tables.
pub(super) const BITS: [&str; 5] = ["llvm.ctpop", "llvm.bswap", "llvm.bitreverse", "llvm.ctlz", "llvm.cttz"];

/// Floating-point intrinsics that integer units do as well.
pub(super) const LOGIC: [&str; 4] = ["llvm.fabs", "llvm.copysign", "llvm.minnum", "llvm.maxnum"];

/// The table's names of divisions of integers.
const UDIV: &str = "udiv";
const SDIV: &str = "sdiv";

/// An operation that the table has the latency of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Latency {
    Add,
    Mul,
    Division,
    SquareRoot,
    Fma,
    Minimum,
    Round,
    Compare,
    Shift,
    UnsignedDivision,
    SignedDivision,
    Convert,
    Load,
    /// A simple integer operation: one cycle, since cycles are counted by such operations.
    Simple,
}

/// The name of the operation in the table whose throughput answers a question, and the number to look it up with.
pub(super) fn throughput_of(question: &Question) -> Option<(&'static str, Number)> {
    let Question { operation, number, lanes } = *question;
    // Narrow integers are divided like 32-bit ones, but multiplied and shifted in other ways.
    let word = if number.bits() < 32 { Number::Int(32) } else { number };
    let wide = number.bits() >= 32;
    Some(match operation {
        Operation::Arithmetic(Opcode::UDiv | Opcode::URem) if lanes == 1 => (UDIV, word),
        Operation::Arithmetic(Opcode::SDiv | Opcode::SRem) if lanes == 1 => (SDIV, word),
        Operation::Arithmetic(Opcode::FDiv) if wide => ("fdiv", number),
        Operation::Arithmetic(Opcode::Mul) if wide => ("mul", number),
        Operation::Arithmetic(Opcode::Shl | Opcode::LShr) if wide => ("shl", number),
        Operation::Intrinsic("llvm.sqrt", _) if wide => ("sqrt", number),
        Operation::Intrinsic("llvm.fshl" | "llvm.fshr", _) if wide => ("rotate", number),
        Operation::Masked(Access::Store) => ("masked store", Number::Int(number.bits())),
        Operation::Move(Move::Permute) if !wide && lanes > 1 => ("permute", Number::Int(number.bits())),
        Operation::Move(Move::Unpack) => ("unpack", Number::Float),
        _ => return None,
    })
}

impl Latency {
    /// Its name in the table for this sort of number; `None` if it is not there.
    fn name(self, number: Number) -> Option<&'static str> {
        Some(match self {
            Latency::Add if !number.is_int() => "fadd",
            Latency::Mul if !number.is_int() => "fmul",
            Latency::Mul => "mul",
            Latency::Division => "fdiv",
            Latency::SquareRoot => "sqrt",
            Latency::Fma => "fma",
            Latency::Minimum => "minnum",
            Latency::Round => "floor",
            Latency::Compare if number.is_int() => "icmp",
            Latency::Compare => "fcmp",
            Latency::Shift => "shl",
            Latency::UnsignedDivision => UDIV,
            Latency::SignedDivision => SDIV,
            Latency::Convert => "convert",
            Latency::Load => "load",
            Latency::Add | Latency::Simple => return None,
        })
    }
}

/// The table's rows for one machine.
pub(super) struct Table {
    /// Bits of the registers that rows of vectors are for.
    pub(super) bits: u32,
    is_x86: bool,
    rows: Vec<Row>,
}

struct Row {
    is_latency: bool,
    operation: &'static str,
    /// The type of number; `vector` in front means a register of these.
    ty: &'static str,
    cycles: f64,
}

impl Table {
    /// The rows of the machine whose instructions a target has.
    pub(super) fn of(target: &Target) -> Table {
        let (name, bits) = match target {
            _ if target.triple.starts_with("aarch64") => ("aarch64", 128),
            _ if target.can(Ability::Gather) => ("x86-64-v4", 512),
            _ if target.can(Ability::Fma) => ("x86-64-v3", 256),
            _ => ("x86-64-v2", 128),
        };
        let rows = TEXT.lines().filter_map(|line| Row::parse(line.strip_prefix(name)?)).collect();
        Table { bits, is_x86: name != "aarch64", rows }
    }

    /// The throughput of an operation, by its name in the table, on a register or on a number, in cycles.
    pub(super) fn cycles(&self, of: &str, number: Number, is_vector: bool) -> Option<f64> {
        if self.is_x86 && [UDIV, SDIV].contains(&of) {
            let division = if number.bits() == 64 { overrides::DIVISION_64 } else { overrides::DIVISION_32 };
            return Some(division.cycles);
        }
        self.find(false, of, number, is_vector)
    }

    /// The latency in cycles; 1 for what the table does not have, as most operations take that.
    pub(super) fn latency(&self, of: Latency, number: Number, is_vector: bool) -> f64 {
        if self.is_x86 && matches!(of, Latency::UnsignedDivision | Latency::SignedDivision) {
            let long = number.bits() == 64;
            return if long { overrides::DIVISION_64_LATENCY } else { overrides::DIVISION_32_LATENCY }.cycles;
        }
        let found = of.name(number).and_then(|name| self.find(true, name, number, is_vector));
        found.unwrap_or(1.0)
    }

    fn find(&self, is_latency: bool, operation: &str, number: Number, is_vector: bool) -> Option<f64> {
        let ty = match (operation, number) {
            ("load", _) if is_latency => "ptr",
            (_, Number::Int(8)) => "i8",
            (_, Number::Int(16)) => "i16",
            (_, Number::Int(32)) => "i32",
            (_, Number::Int(_)) => "i64",
            (_, Number::Double) => "double",
            _ => "float",
        };
        let is_it = |row: &&Row| {
            let found = row.ty.strip_prefix("vector ");
            row.is_latency == is_latency
                && row.operation == operation
                && found.is_some() == is_vector
                && found.unwrap_or(row.ty) == ty
        };
        self.rows.iter().find(is_it).map(|row| row.cycles)
    }
}

impl Row {
    /// Parses a line of the table behind the name of its machine.
    fn parse(line: &'static str) -> Option<Row> {
        let mut fields = line.strip_prefix('\t')?.split('\t');
        let (what, operation, ty) = (fields.next()?, fields.next()?, fields.next()?);
        let cycles: Vec<f64> = fields.filter_map(|figure| figure.parse().ok()).collect();
        let mean = cycles.iter().sum::<f64>() / cycles.len().max(1) as f64;
        Some(Row { is_latency: what == "latency", operation, ty, cycles: mean })
    }
}
