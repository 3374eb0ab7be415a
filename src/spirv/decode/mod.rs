//! Words to [`Module`]: one pass that numbers the types, one that reads every instruction.

mod constants;
mod functions;
mod header;
mod types;

use std::borrow::Cow;
use std::collections::HashMap;

pub use constants::is_constant;

use spirv::Op;

use crate::built_in;
use crate::definitions::Definitions;
use crate::error::{DecodeError, DecodeFault};
use crate::instruction::{Operand, OperandRange};
use crate::module::{Def, Id, InstructionSet, Module};
use crate::parse::{Parsed, Surroundings, parse};
use crate::physical::{self, raw_instructions};
use crate::strings::decode_string;
use crate::syntax;
use crate::types::{Type, TypeRef};

/// Decodes a module.
///
/// # Errors
/// The first place where the physical layout or the grammar is broken, an id is defined twice or not smaller than the
/// bound, or an instruction stands where no module can have it.
pub fn decode(words: &[u32]) -> Result<Module, DecodeError> {
    let words = physical::in_host_order(words)?;
    let mut header = physical::check(&words)?;
    let words = match built_in::moved_to_input(&words) {
        Some(moved) => {
            header = physical::check(&moved)?;
            Cow::Owned(moved)
        }
        None => words,
    };
    let mut decoder = Decoder {
        module: empty_module(header, words.len()),
        scratch: Vec::new(),
        group_applications: Vec::new(),
        forward_pointers: HashMap::new(),
        in_function: false,
    };
    decoder.number_types(&words)?;
    for raw in raw_instructions(&words) {
        decoder.scratch.clear();
        let mut scratch = std::mem::take(&mut decoder.scratch);
        let parsed = parse(raw, header.bound, &decoder, &mut scratch)?;
        let done = decoder.instruction(parsed, &scratch);
        decoder.scratch = scratch;
        done?;
    }
    if decoder.in_function {
        return Err(DecodeError::grammar(words.len(), "the module ends inside a function").of(DecodeFault::Layout));
    }
    decoder.check_forward_pointers()?;
    decoder.apply_groups()?;
    let mut module = decoder.module;
    module.words = words.into_owned();
    Ok(module)
}

/// The state between instructions.
struct Decoder {
    module: Module,
    /// Operands of the instruction at hand.
    scratch: Vec<Operand>,
    /// OpGroupDecorate and OpGroupMemberDecorate, applied at the end: group, target, member, offset.
    group_applications: Vec<(Id, Id, Option<u32>, u32)>,
    /// Pointer types announced by OpTypeForwardPointer, with the offsets of the announcements.
    forward_pointers: HashMap<Id, u32>,
    /// An OpFunction is open.
    in_function: bool,
}

fn empty_module(header: physical::Header, words: usize) -> Module {
    Module {
        words: Vec::new(),
        version: header.version,
        generator: header.generator,
        bound: header.bound,
        capabilities: Vec::new(),
        extensions: Vec::new(),
        instruction_sets: HashMap::new(),
        memory_model: None,
        entry_points: Vec::new(),
        execution_modes: Vec::new(),
        strings: Vec::new(),
        names: HashMap::new(),
        decorations: HashMap::new(),
        aliases: Vec::new(),
        types: Vec::new(),
        type_ids: Vec::new(),
        type_offsets: Vec::new(),
        constants: Vec::new(),
        globals: Vec::new(),
        functions: Vec::new(),
        definitions: Definitions::new(header.bound, words),
        operands: Vec::with_capacity(words),
        others: Vec::new(),
    }
}

impl Surroundings for Decoder {
    fn literal_words_of_type(&self, ty: Id) -> Option<usize> {
        self.module.literal_words_of_type(ty)
    }

    fn literal_words_of_value(&self, value: Id) -> Option<usize> {
        self.module.literal_words_of_value(value)
    }

    fn instruction_set(&self, id: Id) -> Option<&InstructionSet> {
        self.module.instruction_set(id)
    }
}

impl Surroundings for Module {
    fn literal_words_of_type(&self, ty: Id) -> Option<usize> {
        let Def::Type(ty) = self.def(ty) else { return None };
        match self.types.get(ty.0 as usize)? {
            Type::Int { width, .. } | Type::Float { width, .. } => match width {
                1..=32 => Some(1),
                33..=64 => Some(2),
                _ => None,
            },
            _ => None,
        }
    }

    fn literal_words_of_value(&self, value: Id) -> Option<usize> {
        let ty = self.type_of(value)?;
        self.literal_words_of_type(*self.type_ids.get(ty.0 as usize)?)
    }

    fn instruction_set(&self, id: Id) -> Option<&InstructionSet> {
        self.instruction_sets.get(&id).map(|(set, _)| set)
    }
}

/// An error at an instruction.
fn error(at: &Parsed, message: impl Into<String>) -> DecodeError {
    DecodeError::grammar(at.offset as usize, format!("{}: {}", syntax::op_name(at.op), message.into()))
}

impl Decoder {
    /// Gives every type its number, so that a declaration may name a pointer type that comes later.
    fn number_types(&mut self, words: &[u32]) -> Result<(), DecodeError> {
        let bound = self.module.bound;
        for raw in raw_instructions(words) {
            let declares = syntax::entry(raw.opcode).is_some_and(|entry| entry.declares_type);
            if !declares {
                continue;
            }
            let number = raw.words.get(1).copied().filter(|&number| number < bound);
            let Some(id) = number.and_then(std::num::NonZeroU32::new).map(Id) else {
                return Err(DecodeError::grammar(raw.offset as usize, "a type declaration has no valid result id")
                    .of(DecodeFault::IdBound));
            };
            let ty = TypeRef(index(self.module.type_ids.len()));
            self.module.type_ids.push(id);
            if self.module.definitions.set(id, Def::Type(ty)) != Def::None {
                return Err(DecodeError::grammar(raw.offset as usize, format!("{id} is defined twice"))
                    .of(DecodeFault::IdTwice));
            }
        }
        Ok(())
    }

    /// Records the definition of `id`.
    fn define(&mut self, at: &Parsed, id: Id, def: Def) -> Result<(), DecodeError> {
        match self.module.definitions.set(id, def) {
            Def::None => Ok(()),
            _ => Err(error(at, format!("{id} is defined twice")).of(DecodeFault::IdTwice)),
        }
    }

    /// The result id, which the grammar has given if the table is right.
    fn result(at: &Parsed) -> Result<Id, DecodeError> {
        at.result.ok_or_else(|| error(at, "has no result id"))
    }

    /// The result type, which must be declared already.
    fn result_type(&self, at: &Parsed) -> Result<TypeRef, DecodeError> {
        let id = at.result_type.ok_or_else(|| error(at, "has no result type"))?;
        self.declared_type(at, id)
    }

    /// The type that `id` names, declared before this instruction.
    fn declared_type(&self, at: &Parsed, id: Id) -> Result<TypeRef, DecodeError> {
        match self.module.def(id) {
            Def::Type(ty) if (ty.0 as usize) < self.module.types.len() => Ok(ty),
            Def::Type(_) => Err(error(at, format!("the type {id} is declared later")).of(DecodeFault::LateType)),
            _ => Err(error(at, format!("{id} is no type")).of(DecodeFault::NoType)),
        }
    }

    /// Keeps `operands` in the module's arena.
    fn keep(&mut self, operands: &[Operand]) -> OperandRange {
        let start = index(self.module.operands.len());
        self.module.operands.extend_from_slice(operands);
        OperandRange { start, len: index(operands.len()) }
    }

    /// Takes one instruction into the module.
    fn instruction(&mut self, at: Parsed, operands: &[Operand]) -> Result<(), DecodeError> {
        match at.op {
            // Nothing that follows depends on these.
            Op::Nop
            | Op::Source
            | Op::SourceContinued
            | Op::SourceExtension
            | Op::ModuleProcessed
            | Op::MemberName
            | Op::Line
            | Op::NoLine => Ok(()),
            Op::Function => self.function(&at, operands),
            _ if self.in_function => self.function_part(&at, operands),
            Op::FunctionParameter | Op::FunctionEnd | Op::Label => {
                Err(error(&at, "stands outside a function").of(DecodeFault::Layout))
            }
            _ => self.module_level(&at, operands),
        }
    }

    fn module_level(&mut self, at: &Parsed, operands: &[Operand]) -> Result<(), DecodeError> {
        match at.op {
            Op::Capability => self.capability(at, operands),
            Op::Extension => self.extension(at, operands),
            Op::ExtInstImport => self.instruction_set_import(at, operands),
            Op::MemoryModel => self.memory_model(at, operands),
            Op::EntryPoint => self.entry_point(at, operands),
            Op::ExecutionMode | Op::ExecutionModeId => self.execution_mode(at, operands),
            Op::String => self.string(at, operands),
            Op::Name => self.name(at, operands),
            Op::Decorate | Op::DecorateId | Op::DecorateString => self.decorate(at, operands),
            Op::MemberDecorate | Op::MemberDecorateString => self.member_decorate(at, operands),
            Op::DecorationGroup => self.define(at, Self::result(at)?, Def::DecorationGroup),
            Op::GroupDecorate => self.group_decorate(at, operands),
            Op::GroupMemberDecorate => self.group_member_decorate(at, operands),
            Op::AliasDomainDeclINTEL | Op::AliasScopeDeclINTEL | Op::AliasScopeListDeclINTEL => {
                self.alias(at, operands)
            }
            Op::TypeForwardPointer => self.forward_pointer(at, operands),
            Op::Variable => self.global(at, operands),
            Op::ExtInst | Op::ExtInstWithForwardRefsKHR => self.module_level_extended(at, operands),
            op if syntax::entry(op as u32).is_some_and(|entry| entry.declares_type) => {
                self.type_declaration(at, operands)
            }
            op if constants::is_constant(op) => self.constant(at, operands),
            _ => {
                self.module.others.push((at.op, at.offset));
                match at.result {
                    Some(id) => self.define(at, id, Def::Debug),
                    None => Ok(()),
                }
            }
        }
    }
}

/// A length as an arena index; modules are limited to 2^28 words, so it fits.
fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Operand `position` as an id.
fn id_at(at: &Parsed, operands: &[Operand], position: usize) -> Result<Id, DecodeError> {
    match operands.get(position) {
        Some(Operand::Id(id)) => Ok(*id),
        _ => Err(error(at, format!("operand {position} is no id"))),
    }
}

/// Operand `position` as a word.
fn word_at(at: &Parsed, operands: &[Operand], position: usize) -> Result<u32, DecodeError> {
    match operands.get(position) {
        Some(Operand::Word(word)) => Ok(*word),
        _ => Err(error(at, format!("operand {position} is no literal"))),
    }
}

/// The operands' words, ids as their numbers.
fn words_of(operands: &[Operand]) -> Vec<u32> {
    operands
        .iter()
        .map(|operand| match operand {
            Operand::Id(id) => id.number(),
            Operand::Word(word) => *word,
        })
        .collect()
}

/// The operands that are ids.
fn ids_of(operands: &[Operand]) -> Vec<Id> {
    operands
        .iter()
        .filter_map(|operand| match operand {
            Operand::Id(id) => Some(*id),
            Operand::Word(_) => None,
        })
        .collect()
}

/// The string that starts at operand `position`, and the position after it.
fn string_at(at: &Parsed, operands: &[Operand], position: usize) -> Result<(String, usize), DecodeError> {
    let words = words_of(operands.get(position..).unwrap_or_default());
    match decode_string(&words) {
        Some((text, count)) => Ok((text, position + count)),
        None => Err(error(at, "a string has no end").of(DecodeFault::String)),
    }
}
