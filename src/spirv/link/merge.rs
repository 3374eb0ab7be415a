//! The sections of several modules put together.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroU32;

use spirv::{Decoration as Kind, Op};

use super::LinkError;
use super::ids::Ids;
use super::symbols::Symbols;
use crate::instruction::Operand;
use crate::module::{Decoration, Def, Id, InstructionSet, Module};
use crate::parse::{Parsed, parse};
use crate::physical::{RawInstruction, raw_instructions};
use crate::types::TypeRef;

/// The first version in which entry points list all the variables that they reach.
const LISTS_ALL: (u8, u8) = (1, 4);

/// The words of the result, by section.
#[derive(Default)]
pub(super) struct Sections {
    capabilities: Vec<u32>,
    extensions: Vec<u32>,
    instruction_sets: Vec<u32>,
    memory_model: Vec<u32>,
    entry_points: Vec<u32>,
    execution_modes: Vec<u32>,
    sources: Vec<u32>,
    names: Vec<u32>,
    processed: Vec<u32>,
    aliases: Vec<u32>,
    annotations: Vec<u32>,
    pub(super) declarations: Vec<u32>,
    debug: Vec<u32>,
    imported_functions: Vec<u32>,
    functions: Vec<u32>,
}

impl Sections {
    /// Where an instruction before the functions goes that is copied as it stands.
    fn header_section(&mut self, op: Op) -> Option<&mut Vec<u32>> {
        Some(match op {
            Op::Capability => &mut self.capabilities,
            Op::Extension => &mut self.extensions,
            Op::MemoryModel => &mut self.memory_model,
            Op::ExecutionMode | Op::ExecutionModeId => &mut self.execution_modes,
            Op::Source | Op::SourceContinued | Op::SourceExtension => &mut self.sources,
            Op::Name | Op::MemberName => &mut self.names,
            Op::ModuleProcessed => &mut self.processed,
            Op::AliasDomainDeclINTEL | Op::AliasScopeDeclINTEL | Op::AliasScopeListDeclINTEL => &mut self.aliases,
            Op::ExtInst | Op::ExtInstWithForwardRefsKHR => &mut self.debug,
            _ => return None,
        })
    }
}

/// Linking in progress.
pub(super) struct Merge<'m> {
    pub(super) modules: &'m [&'m Module],
    pub(super) ids: &'m mut Ids,
    pub(super) symbols: &'m Symbols,
    pub(super) out: Sections,
    /// Declarations by their words without the result id, and their decorations.
    declared: HashMap<(Vec<u32>, Vec<u32>), u32>,
    /// Whole instructions of which one is enough.
    said: HashSet<Vec<u32>>,
    errors: Vec<LinkError>,
}

/// An instruction with the ids of the result.
pub(super) struct Renumbered {
    parsed: Parsed,
    pub(super) words: Vec<u32>,
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
        let version = modules.iter().map(|module| module.version).max().unwrap_or((1, 0));
        for (number, module) in modules.iter().enumerate() {
            self.unified(number, module, Op::ExtInstImport)?;
            self.unified(number, module, Op::String)?;
        }
        self.unify_recursive_types();
        self.declarations()?;
        let reached = if version < LISTS_ALL { HashMap::new() } else { self.reached()? };
        for (number, module) in modules.iter().enumerate() {
            for raw in raw_instructions(&module.words).take_while(|raw| raw.op() != Some(Op::Function)) {
                self.header(number, module, raw, &reached)?;
            }
            self.annotations(number, module)?;
            self.functions(number, module)?;
        }
        self.entry_point_names();
        self.ids.check_bound()?;
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
            out.sources,
            out.names,
            out.processed,
            out.aliases,
            out.annotations,
            out.declarations,
            out.debug,
            out.imported_functions,
            out.functions,
        ] {
            words.extend(section);
        }
        Ok((words, self.errors))
    }

    /// The instruction with the ids of the result.
    pub(super) fn renumber(
        &self,
        number: usize,
        module: &Module,
        raw: RawInstruction<'_>,
    ) -> Result<Renumbered, LinkError> {
        let mut operands = Vec::new();
        let parsed = parse(raw, module.bound, module, &mut operands).map_err(|error| LinkError::new(error.message))?;
        let words = self.renumbered(number, raw, &parsed, &operands);
        Ok(Renumbered { parsed, words })
    }

    pub(super) fn renumbered(
        &self,
        number: usize,
        raw: RawInstruction<'_>,
        parsed: &Parsed,
        operands: &[Operand],
    ) -> Vec<u32> {
        let mut words: Vec<u32> = raw.words.first().copied().into_iter().collect();
        words.extend(parsed.result_type.map(|id| self.ids.get(number, id)));
        words.extend(parsed.result.map(|id| self.ids.get(number, id)));
        words.extend(operands.iter().map(|operand| match operand {
            Operand::Id(id) => self.ids.get(number, *id),
            Operand::Word(word) => *word,
        }));
        // Words that mean nothing are left behind.
        let count = words.len() as u32;
        if let Some(first) = words.first_mut() {
            *first = count << 16 | *first & 0xffff;
        }
        words
    }

    /// Instructions of which one of each kind is enough: imports of instruction sets, strings.
    fn unified(&mut self, number: usize, module: &Module, op: Op) -> Result<(), LinkError> {
        let before_functions = raw_instructions(&module.words).take_while(|raw| raw.op() != Some(Op::Function));
        for raw in before_functions.filter(|raw| raw.op() == Some(op)) {
            let Renumbered { parsed, words } = self.renumber(number, module, raw)?;
            let Some(result) = parsed.result else { continue };
            if self.unify(number, result, &words, 1, self.decoration_words(number, module, result)) {
                let section = if op == Op::String { &mut self.out.sources } else { &mut self.out.instruction_sets };
                section.extend(words);
            }
        }
        Ok(())
    }

    /// True if the declaration is new; else `result` stands for the equal one before. The result id is word `at`.
    pub(super) fn unify(&mut self, number: usize, result: Id, words: &[u32], at: usize, decorations: Vec<u32>) -> bool {
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

    /// The decorations of `id` without their target, in a form that can be compared.
    pub(super) fn decoration_words(&self, number: usize, module: &Module, id: Id) -> Vec<u32> {
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
        words.extend(decoration.operands.iter().map(|word| match NonZeroU32::new(*word) {
            Some(id) if op == Op::DecorateId => self.ids.get(number, Id(id)),
            _ => *word,
        }));
        let count = u32::try_from(words.len()).unwrap_or(u32::MAX);
        words[0] = count << 16 | op as u32;
        words
    }

    /// One instruction before the functions that is neither declaration, nor annotation, nor unified.
    fn header(
        &mut self,
        number: usize,
        module: &Module,
        raw: RawInstruction<'_>,
        reached: &HashMap<(usize, Id), Vec<u32>>,
    ) -> Result<(), LinkError> {
        let Some(op) = raw.op() else { return Ok(()) };
        if op == Op::EntryPoint {
            return self.entry_point(number, module, raw, reached);
        }
        let named = raw.words.get(1).copied().and_then(NonZeroU32::new).map(Id);
        let is_name = matches!(op, Op::Name | Op::MemberName);
        if is_name && !named.is_some_and(|id| self.is_kept(number, module, id)) {
            return Ok(());
        }
        let once = matches!(op, Op::Capability | Op::Extension | Op::MemoryModel | Op::SourceExtension);
        if self.out.header_section(op).is_none() {
            return Ok(());
        }
        let words = self.renumber(number, module, raw)?.words;
        if once && !self.said.insert(words.clone()) {
            return Ok(());
        }
        if op == Op::MemoryModel && !self.out.memory_model.is_empty() {
            return Err(LinkError::new("the modules have different memory models"));
        }
        if let Some(section) = self.out.header_section(op) {
            section.extend(words);
        }
        Ok(())
    }

    /// OpEntryPoint, with each variable of its interface once and, where they are listed, all that it reaches.
    fn entry_point(
        &mut self,
        number: usize,
        module: &Module,
        raw: RawInstruction<'_>,
        reached: &HashMap<(usize, Id), Vec<u32>>,
    ) -> Result<(), LinkError> {
        let words = self.renumber(number, module, raw)?.words;
        let entry = module.entry_points.iter().find(|entry| entry.offset == raw.offset);
        let Some(entry) = entry.filter(|entry| entry.interface.len() <= words.len()) else { return Ok(()) };
        let (fixed, interface) = words.split_at(words.len() - entry.interface.len());
        let mut words = fixed.to_vec();
        let mut seen = HashSet::new();
        let more = reached.get(&(number, entry.function)).into_iter().flatten();
        words.extend(interface.iter().chain(more).filter(|id| seen.insert(**id)));
        let Ok(count) = u16::try_from(words.len()) else {
            return Err(LinkError::new(format!("the kernel `{}` reaches too many variables", entry.name)));
        };
        words[0] = u32::from(count) << 16 | Op::EntryPoint as u32;
        self.out.entry_points.extend(words);
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

    /// Functions with their lines, also those that stand in front of them.
    fn functions(&mut self, number: usize, module: &Module) -> Result<(), LinkError> {
        let (mut inside, mut kept, mut has_body) = (false, false, false);
        let mut line: Option<RawInstruction<'_>> = None;
        for raw in raw_instructions(&module.words) {
            match raw.op() {
                Some(Op::Line) if !inside => line = Some(raw),
                Some(Op::NoLine) if !inside => line = None,
                Some(Op::Function) => {
                    let id = raw.words.get(2).copied().and_then(NonZeroU32::new).map(Id);
                    inside = true;
                    kept = id.is_some_and(|id| !self.symbols.dropped.contains(&(number, id)));
                    has_body = id.and_then(|id| module.function(id)).is_some_and(|of| !of.blocks.is_empty());
                }
                _ => {}
            }
            if !inside || !kept {
                inside &= raw.op() != Some(Op::FunctionEnd);
                continue;
            }
            let before = line.take().filter(|_| raw.op() == Some(Op::Function));
            for raw in before.into_iter().chain([raw]).filter(|raw| !matches!(raw.op(), Some(Op::Nop) | None)) {
                let mut words = self.renumber(number, module, raw)?.words;
                if raw.op() == Some(Op::FunctionCall) {
                    words = self.call(number, module, raw, words);
                }
                if has_body { self.out.functions.extend(words) } else { self.out.imported_functions.extend(words) }
            }
            inside &= raw.op() != Some(Op::FunctionEnd);
        }
        Ok(())
    }

    /// A call as it stands, or with casts around it where the function that is given has pointers to other types than the
    /// import that was called.
    fn call(&mut self, number: usize, module: &Module, raw: RawInstruction<'_>, mut call: Vec<u32>) -> Vec<u32> {
        let callee = raw.words.get(3).copied().and_then(NonZeroU32::new).map(Id);
        let given = callee.and_then(|callee| self.symbols.given(self.modules, number, callee));
        let Some((other, given, import)) = given else { return call };
        // The type that is asked for, where it is not the one that is there.
        let wanted = |ids: &Ids, to: TypeRef, from: TypeRef| {
            let to = ids.of_type(other, self.modules.get(other)?, to)?;
            (Some(to) != ids.of_type(number, module, from)).then_some(to)
        };
        let cast = |ty: u32, result: u32, value: u32| [4 << 16 | Op::Bitcast as u32, ty, result, value];
        let mut words = Vec::new();
        for (argument, (to, from)) in call.iter_mut().skip(4).zip(given.parameters.iter().zip(&import.parameters)) {
            if let Some(ty) = wanted(self.ids, to.ty, from.ty) {
                let result = self.ids.fresh();
                words.extend(cast(ty, result, *argument));
                *argument = result;
            }
        }
        let back = match (wanted(self.ids, given.result, import.result), call.get_mut(1..3)) {
            (Some(returned), Some([ty, result])) => {
                let (asked, value) = (std::mem::replace(ty, returned), self.ids.fresh());
                Some(cast(asked, std::mem::replace(result, value), value))
            }
            _ => None,
        };
        words.extend(call);
        words.extend(back.into_iter().flatten());
        words
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
pub(crate) fn is_debug(module: &Module, operands: &[Operand]) -> bool {
    let set = match operands.first() {
        Some(Operand::Id(set)) => module.instruction_sets.get(set),
        _ => None,
    };
    set.is_some_and(|(set, _)| *set != InstructionSet::OpenClStd)
}
