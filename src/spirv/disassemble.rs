//! A module as text, in the form of the SPIR-V assembler, ids as numbers or by name.

use std::fmt::Write as _;

use rspirv::grammar::OperandKind;
use spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, FPFastMathMode, FPRoundingMode,
    FunctionControl, FunctionParameterAttribute, LinkageType, LoopControl, MemoryAccess, MemoryModel, Op,
    SelectionControl, SourceLanguage, StorageClass,
};

use crate::instruction::Operand;
use crate::module::{Id, InstructionSet, Module};
use crate::parse::{Surroundings as _, parse_with_kinds};
use crate::physical::{RawInstruction, raw_instructions};
use crate::specialise::half_to_f64;
use crate::strings::decode_string;
use crate::syntax::{name_of_number, op_name, opencl_std_name};
use crate::types::Type;

/// The whole module.
pub fn disassemble(module: &Module) -> String {
    let (major, minor) = module.version;
    let mut text = format!("; SPIR-V {major}.{minor}, bound {}\n", module.bound);
    for raw in raw_instructions(&module.words) {
        text.push_str(&instruction(module, raw, usize::MAX, &|id| id.to_string()));
        text.push('\n');
    }
    text
}

/// The instruction whose first word is at `offset`, if one starts there.
pub fn disassemble_at(module: &Module, offset: u32) -> Option<String> {
    disassemble_with(module, offset, usize::MAX, &|id| id.to_string())
}

/// As [`disassemble_at`], with names for ids, and cut off after about `limit` bytes.
pub(crate) fn disassemble_with(
    module: &Module,
    offset: u32,
    limit: usize,
    name: &dyn Fn(Id) -> String,
) -> Option<String> {
    let words = module.words.get(offset as usize..)?;
    let count = (words.first()? >> 16) as usize;
    let raw = RawInstruction { offset, opcode: words.first()? & 0xffff, words: words.get(..count)? };
    Some(instruction(module, raw, limit, name))
}

/// One instruction on a line.
fn instruction(module: &Module, raw: RawInstruction<'_>, limit: usize, name: &dyn Fn(Id) -> String) -> String {
    let (mut operands, mut kinds) = (Vec::new(), Vec::new());
    let Ok(parsed) = parse_with_kinds(raw, module.bound, module, &mut operands, Some(&mut kinds)) else {
        return format!("; {} of {} words", name_of_number(raw.opcode), raw.words.len());
    };
    let mut line = match parsed.result {
        Some(result) => format!("{} = {}", name(result), op_name(parsed.op)),
        None => op_name(parsed.op),
    };
    if let Some(ty) = parsed.result_type {
        // Writing to a string cannot fail.
        let _ = write!(line, " {}", name(ty));
    }
    let mut position = 0;
    while let (Some(operand), Some(kind)) = (operands.get(position), kinds.get(position)) {
        if line.len() > limit {
            line.push_str(" ...");
            break;
        }
        let rest = operands.get(position..).unwrap_or_default();
        let (text, taken) = match (operand, kind) {
            (Operand::Id(id), _) => (name(*id), 1),
            (Operand::Word(_), OperandKind::LiteralString) => string(rest),
            (Operand::Word(_), OperandKind::LiteralContextDependentNumber) => number(module, parsed.result_type, rest),
            (Operand::Word(_), OperandKind::PairLiteralIntegerIdRef) => case(module, operands.first(), rest),
            (Operand::Word(word), OperandKind::LiteralExtInstInteger) => (extended(module, operands.first(), *word), 1),
            (Operand::Word(word), kind) => (word_of_kind(*kind, *word), 1),
        };
        let _ = write!(line, " {text}");
        position += taken;
    }
    line
}

fn words(operands: &[Operand]) -> Vec<u32> {
    operands
        .iter()
        .map_while(|operand| match operand {
            Operand::Word(word) => Some(*word),
            Operand::Id(_) => None,
        })
        .collect()
}

fn string(operands: &[Operand]) -> (String, usize) {
    match decode_string(&words(operands)) {
        Some((text, taken)) => (format!("{text:?}"), taken),
        None => ("\"\"".to_owned(), 1),
    }
}

/// The literal of a constant, as its type shows it.
fn number(module: &Module, ty: Option<Id>, operands: &[Operand]) -> (String, usize) {
    let words = words(operands);
    let taken = words.len().clamp(1, 2);
    let low = words.first().copied().unwrap_or_default();
    let bits = u64::from(low) | u64::from(words.get(1).copied().unwrap_or_default()) << 32;
    let ty = ty.and_then(|ty| module.type_ref(ty)).and_then(|ty| module.types.get(ty.0 as usize));
    let text = match ty {
        Some(Type::Float { width: 16, encoding: None }) => float(half_to_f64(low as u16), bits, 10, 16),
        Some(Type::Float { width: 32, .. }) => float(f64::from(f32::from_bits(low)), bits, 23, 128),
        Some(Type::Float { width: 64, .. }) => float(f64::from_bits(bits), bits, 52, 1024),
        Some(Type::Float { .. }) => format!("{bits:#x}"),
        _ => bits.to_string(),
    };
    (text, taken)
}

/// A floating-point literal with `fraction` bits after the point. Infinities and NaNs are numbers beyond the largest
/// exponent.
fn float(value: f64, bits: u64, fraction: u32, exponent: u32) -> String {
    if value.is_finite() {
        return format!("{value:?}");
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let digits = fraction.div_ceil(4);
    let after_point = (bits & ((1 << fraction) - 1)) << (digits * 4 - fraction);
    if after_point == 0 {
        return format!("{sign}0x1p+{exponent}");
    }
    format!("{sign}0x1.{after_point:0width$x}p+{exponent}", width = digits as usize)
}

/// A literal of OpSwitch.
fn case(module: &Module, selector: Option<&Operand>, operands: &[Operand]) -> (String, usize) {
    let width = match selector {
        Some(Operand::Id(selector)) => module.literal_words_of_value(*selector),
        _ => None,
    };
    let words = words(operands);
    let taken = width.unwrap_or(1).clamp(1, words.len().max(1));
    let high = if taken > 1 { words.get(1).copied().unwrap_or_default() } else { 0 };
    (format!("{}", u64::from(words.first().copied().unwrap_or_default()) | u64::from(high) << 32), taken)
}

/// The name of an extended instruction.
fn extended(module: &Module, set: Option<&Operand>, number: u32) -> String {
    let set = match set {
        Some(Operand::Id(set)) => module.instruction_set(*set),
        _ => None,
    };
    match set {
        Some(InstructionSet::OpenClStd) => opencl_std_name(number).map_or_else(|| number.to_string(), str::to_owned),
        _ => number.to_string(),
    }
}

/// A word as what its kind makes of it.
fn word_of_kind(kind: OperandKind, word: u32) -> String {
    fn name<T: std::fmt::Debug>(value: Option<T>) -> Option<String> {
        value.map(|value| format!("{value:?}"))
    }
    let name = match kind {
        OperandKind::Capability => name(Capability::from_u32(word)),
        OperandKind::Decoration => name(Decoration::from_u32(word)),
        OperandKind::BuiltIn => name(BuiltIn::from_u32(word)),
        OperandKind::StorageClass => name(StorageClass::from_u32(word)),
        OperandKind::ExecutionModel => name(ExecutionModel::from_u32(word)),
        OperandKind::ExecutionMode => name(ExecutionMode::from_u32(word)),
        OperandKind::AddressingModel => name(AddressingModel::from_u32(word)),
        OperandKind::MemoryModel => name(MemoryModel::from_u32(word)),
        OperandKind::LinkageType => name(LinkageType::from_u32(word)),
        OperandKind::SourceLanguage => name(SourceLanguage::from_u32(word)),
        OperandKind::FPRoundingMode => name(FPRoundingMode::from_u32(word)),
        OperandKind::FunctionParameterAttribute => name(FunctionParameterAttribute::from_u32(word)),
        OperandKind::LiteralSpecConstantOpInteger => name(Op::from_u32(word)),
        OperandKind::FunctionControl => mask(FunctionControl::from_bits(word).map(|mask| names(mask.iter_names()))),
        OperandKind::SelectionControl => mask(SelectionControl::from_bits(word).map(|mask| names(mask.iter_names()))),
        OperandKind::LoopControl => mask(LoopControl::from_bits(word).map(|mask| names(mask.iter_names()))),
        OperandKind::FPFastMathMode => mask(FPFastMathMode::from_bits(word).map(|mask| names(mask.iter_names()))),
        OperandKind::MemoryAccess => mask(MemoryAccess::from_bits(word).map(|mask| names(mask.iter_names()))),
        _ => None,
    };
    name.unwrap_or_else(|| word.to_string())
}

/// The names of a mask's bits, in the assembler's spelling.
fn names<T>(bits: impl Iterator<Item = (&'static str, T)>) -> Vec<String> {
    bits.map(|(name, _)| {
        name.split('_')
            .map(|part| {
                let (first, rest) = part.split_at(part.len().min(1));
                format!("{first}{}", rest.to_lowercase())
            })
            .collect()
    })
    .collect()
}

fn mask(names: Option<Vec<String>>) -> Option<String> {
    names.map(|names| if names.is_empty() { "None".to_owned() } else { names.join("|") })
}
