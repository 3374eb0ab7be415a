//! The sections of several modules put together.

use std::collections::{HashMap, HashSet};

use spirv::{Decoration as Kind, Op};

use super::symbols::Symbols;
use super::{Ids, LinkError};
use crate::instruction::Operand;
use crate::module::{Decoration, Def, Id, InstructionSet, Module};
use crate::parse::{Parsed, parse};
use crate::physical::{RawInstruction, raw_instructions};
use crate::syntax;

/// The words of the result, by section.
#[derive(Default)]
struct Sections {
    capabilities: Vec<u32>,
    extensions: Vec<u32>,
    instruction_sets: Vec<u32>,
    memory_model: Vec<u32>,
    entry_points: Vec<u32>,
    execution_modes: Vec<u32>,
    strings: Vec<u32>,
    names: Vec<u32>,
    aliases: Vec<u32>,
    annotations: Vec<u32>,
    declarations: Vec<u32>,
    imported_functions: Vec<u32>,
    functions: Vec<u32>,
}

/// Linking in progress.
pub(super) struct Merge<'m> {
    modules: &'m [&'m Module],
    ids: &'m mut Ids,
    symbols: &'m Symbols,
    out: Sections,
    /// Declarations by their words without the result id, and their decorations.
    declared: HashMap<(Vec<u32>, Vec<u32>), u32>,
    /// Whole instructions of which one is enough.
    said: HashSet<Vec<u32>>,
    errors: Vec<LinkError>,
}

/// An instruction with the ids of the result.
struct Renumbered {
    parsed: Parsed,
    words: Vec<u32>,
}

impl<'m> Merge<'m> {
    pub(super) fn new(modules: &'m [&'m Module], ids: &'m mut Ids, symbols: &'m Symbols) -> Self {
        Merge {
            modules,
            ids,
            symbols,
            out: Sections::default(),
            declared: HashMap::new(),
            said: HashSet::new(),
            errors: Vec::new(),
        }
    }

    /// The words of the result, and errors that leave it well-formed.
    pub(super) fn run(mut self) -> Result<(Vec<u32>, Vec<LinkError>), LinkError> {
        let modules = self.modules;
        for (number, module) in modules.iter().enumerate() {
            self.instruction_sets(number, module)?;
            self.declarations(number, module)?;
        }
        for (number, module) in modules.iter().enumerate() {
            self.header(number, module)?;
            self.annotations(number, module)?;
            self.functions(number, module)?;
        }
        self.entry_point_names();
        let version = modules.iter().map(|module| module.version).max().unwrap_or((1, 0));
        let version = u32::from(version.0) << 16 | u32::from(version.1) << 8;
        let mut words = vec![spirv::MAGIC_NUMBER, version, 0, self.ids.bound, 0];
        let out = self.out;
        for section in [
            out.capabilities,
            out.extensions,
            out.instruction_sets,
            out.memory_model,
            out.entry_points,
            out.execution_modes,
            out.strings,
            out.names,
            out.aliases,
            out.annotations,
            out.declarations,
            out.imported_functions,
            out.functions,
        ] {
            words.extend(section);
        }
        Ok((words, self.errors))
    }

    /// The instruction with the ids of the result; `None` for debug information.
    fn renumber(
        &self,
        number: usize,
        module: &Module,
        raw: RawInstruction<'_>,
    ) -> Result<Option<Renumbered>, LinkError> {
        let mut operands = Vec::new();
        let parsed = parse(raw, module.bound, module, &mut operands).map_err(|error| LinkError::new(error.message))?;
        if parsed.op == Op::ExtInst && is_debug(module, &operands) {
            return Ok(None);
        }
        let mut words: Vec<u32> = raw.words.first().copied().into_iter().collect();
        words.extend(parsed.result_type.map(|id| self.ids.get(number, id)));
        words.extend(parsed.result.map(|id| self.ids.get(number, id)));
        words.extend(operands.iter().map(|operand| match operand {
            Operand::Id(id) => self.ids.get(number, *id),
            Operand::Word(word) => *word,
        }));
        Ok(Some(Renumbered { parsed, words }))
    }

    /// One import of each set is enough.
    fn instruction_sets(&mut self, number: usize, module: &Module) -> Result<(), LinkError> {
        for raw in raw_instructions(&module.words).filter(|raw| raw.op() == Some(Op::ExtInstImport)) {
            let Some(Renumbered { parsed, words }) = self.renumber(number, module, raw)? else { continue };
            let Some(result) = parsed.result else { continue };
            if self.unify(number, result, &words, 1, Vec::new()) {
                self.out.instruction_sets.extend(words);
            }
        }
        Ok(())
    }

    /// True if the declaration is new; else `result` stands for the equal one before. The result id is word `at`.
    fn unify(&mut self, number: usize, result: Id, words: &[u32], at: usize, decorations: Vec<u32>) -> bool {
        let mut key = words.to_vec();
        if let Some(word) = key.get_mut(at) {
            *word = 0;
        }
        let own = self.ids.get(number, result);
        match self.declared.entry((key, decorations)) {
            std::collections::hash_map::Entry::Occupied(before) => {
                let before = *before.get();
                self.ids.alias(number, result, before);
                false
            }
            std::collections::hash_map::Entry::Vacant(vacant) => {
                vacant.insert(own);
                true
            }
        }
    }

    /// Types, constants and variables.
    fn declarations(&mut self, number: usize, module: &Module) -> Result<(), LinkError> {
        for raw in raw_instructions(&module.words) {
            let Some(op) = raw.op() else { continue };
            if op == Op::Function {
                break;
            }
            let Some(entry) = syntax::entry(raw.opcode) else { continue };
            let place = if entry.typed { 2 } else { 1 };
            let result = raw.words.get(place).copied().filter(|_| entry.result);
            let unifies = match (op, result.and_then(std::num::NonZeroU32::new).map(|id| module.def(Id(id)))) {
                (Op::TypeForwardPointer | Op::Variable | Op::Undef, _) => false,
                (_, Some(Def::Type(_) | Def::Constant(_))) => true,
                _ => continue,
            };
            let Some(Renumbered { parsed, words }) = self.renumber(number, module, raw)? else { continue };
            if parsed.result.is_some_and(|id| self.symbols.dropped.contains(&(number, id))) {
                continue;
            }
            match parsed.result.filter(|_| unifies) {
                Some(result) => {
                    let decorations = self.decoration_words(number, module, result);
                    if self.unify(number, result, &words, place, decorations) {
                        self.out.declarations.extend(words);
                    }
                }
                None => self.out.declarations.extend(words),
            }
        }
        Ok(())
    }

    /// The decorations of `id` without their target, in a form that can be compared.
    fn decoration_words(&self, number: usize, module: &Module, id: Id) -> Vec<u32> {
        let mut all: Vec<Vec<u32>> =
            module.decorations_of(id).iter().map(|decoration| self.decoration(number, module, 0, decoration)).collect();
        all.sort();
        all.concat()
    }

    /// A decoration as an instruction on `target`.
    fn decoration(&self, number: usize, module: &Module, target: u32, decoration: &Decoration) -> Vec<u32> {
        let written = module.words.get(decoration.offset as usize).and_then(|word| Op::from_u32(word & 0xffff));
        let text = matches!(written, Some(Op::DecorateString | Op::MemberDecorateString));
        let op = match (decoration.member, written) {
            (Some(_), _) if text => Op::MemberDecorateString,
            (Some(_), _) => Op::MemberDecorate,
            (None, Some(Op::DecorateId)) => Op::DecorateId,
            (None, _) if text => Op::DecorateString,
            (None, _) => Op::Decorate,
        };
        let mut words = vec![0, target];
        words.extend(decoration.member);
        words.push(decoration.decoration as u32);
        words.extend(decoration.operands.iter().map(|word| match std::num::NonZeroU32::new(*word) {
            Some(id) if op == Op::DecorateId => self.ids.get(number, Id(id)),
            _ => *word,
        }));
        let count = u32::try_from(words.len()).unwrap_or(u32::MAX);
        words[0] = count << 16 | op as u32;
        words
    }

    /// Capabilities to names.
    fn header(&mut self, number: usize, module: &Module) -> Result<(), LinkError> {
        for raw in raw_instructions(&module.words) {
            let Some(op) = raw.op() else { continue };
            if op == Op::Function {
                break;
            }
            if !matches!(
                op,
                Op::Capability
                    | Op::Extension
                    | Op::MemoryModel
                    | Op::EntryPoint
                    | Op::ExecutionMode
                    | Op::ExecutionModeId
                    | Op::String
                    | Op::Name
                    | Op::AliasDomainDeclINTEL
                    | Op::AliasScopeDeclINTEL
                    | Op::AliasScopeListDeclINTEL
            ) {
                continue;
            }
            let Some(Renumbered { words, .. }) = self.renumber(number, module, raw)? else { continue };
            let once = matches!(op, Op::Capability | Op::Extension | Op::MemoryModel);
            if once && !self.said.insert(words.clone()) {
                continue;
            }
            match op {
                Op::Capability => self.out.capabilities.extend(words),
                Op::Extension => self.out.extensions.extend(words),
                Op::MemoryModel if self.out.memory_model.is_empty() => self.out.memory_model.extend(words),
                Op::MemoryModel => return Err(LinkError::new("the modules have different memory models")),
                Op::EntryPoint => self.out.entry_points.extend(words),
                Op::String => self.out.strings.extend(words),
                Op::Name => {
                    let target = raw.words.get(1).copied().and_then(std::num::NonZeroU32::new).map(Id);
                    if target.is_some_and(|target| self.is_kept(number, module, target)) {
                        self.out.names.extend(words);
                    }
                }
                Op::AliasDomainDeclINTEL | Op::AliasScopeDeclINTEL | Op::AliasScopeListDeclINTEL => {
                    self.out.aliases.extend(words);
                }
                _ => self.out.execution_modes.extend(words),
            }
        }
        Ok(())
    }

    /// `id` is declared in the result: nothing else stands for it, and it is no part of what was left out.
    fn is_kept(&self, number: usize, module: &Module, id: Id) -> bool {
        let function = match module.def(id) {
            Def::None | Def::Debug => return false,
            Def::Parameter { function, .. } => Some(function),
            Def::Block(block) | Def::Instruction { block, .. } => Some(block.function),
            _ => None,
        };
        let function = function.and_then(|function| module.functions.get(function as usize));
        let left_out = function.is_some_and(|function| self.symbols.dropped.contains(&(number, function.id)));
        self.ids.is_own(number, id) && !left_out
    }

    fn annotations(&mut self, number: usize, module: &Module) -> Result<(), LinkError> {
        let mut all: Vec<(&Id, &Vec<Decoration>)> = module.decorations.iter().collect();
        all.sort_by_key(|(id, _)| **id);
        for (id, decorations) in all {
            if module.def(*id) == Def::DecorationGroup || !self.is_kept(number, module, *id) {
                continue;
            }
            for decoration in decorations.iter().filter(|decoration| decoration.decoration != Kind::SpecId) {
                let words = self.decoration(number, module, self.ids.get(number, *id), decoration);
                self.out.annotations.extend(words);
            }
        }
        Ok(())
    }

    fn functions(&mut self, number: usize, module: &Module) -> Result<(), LinkError> {
        let first = module.functions.first().map(|function| function.offset);
        let mut kept = false;
        let mut body = false;
        for raw in raw_instructions(&module.words).filter(|raw| first.is_some_and(|first| raw.offset >= first)) {
            if raw.op() == Some(Op::Function) {
                let id = raw.words.get(2).copied().and_then(std::num::NonZeroU32::new).map(Id);
                kept = id.is_some_and(|id| !self.symbols.dropped.contains(&(number, id)));
                body = id.and_then(|id| module.function(id)).is_some_and(|function| !function.blocks.is_empty());
            }
            let skipped = matches!(raw.op(), Some(Op::Line | Op::NoLine | Op::Nop) | None);
            if !kept || skipped {
                continue;
            }
            if let Some(Renumbered { words, .. }) = self.renumber(number, module, raw)? {
                if body { self.out.functions.extend(words) } else { self.out.imported_functions.extend(words) }
            }
        }
        Ok(())
    }

    fn entry_point_names(&mut self) {
        let mut names = HashSet::new();
        for entry in self.modules.iter().flat_map(|module| &module.entry_points) {
            if !names.insert(entry.name.as_str()) {
                self.errors.push(LinkError::new(format!("the kernel `{}` is in more than one module", entry.name)));
            }
        }
    }
}

/// OpExtInst of a set that means nothing to the program.
fn is_debug(module: &Module, operands: &[Operand]) -> bool {
    let set = match operands.first() {
        Some(Operand::Id(set)) => module.instruction_sets.get(set),
        _ => None,
    };
    set.is_some_and(|(set, _)| *set != InstructionSet::OpenClStd)
}
