//! Places in source code, as OpLine and the debug instruction sets tell them.

use std::collections::HashMap;

use spirv::Op;

use crate::module::{Id, InstructionSet, Module};
use crate::physical::{RawInstruction, raw_instructions};

/// Numbers of the instructions of OpenCL.DebugInfo.100 and NonSemantic.Shader.DebugInfo.100 that say where code stands;
/// the two sets share the numbers that both have.
mod number {
    pub(super) const FUNCTION: u32 = 20;
    pub(super) const LEXICAL_BLOCK: u32 = 21;
    pub(super) const SCOPE: u32 = 23;
    pub(super) const NO_SCOPE: u32 = 24;
    pub(super) const SOURCE: u32 = 35;
    pub(super) const LINE: u32 = 103;
    pub(super) const NO_LINE: u32 = 104;
}

/// How far a scope is followed outwards to its function.
const DEEPEST_SCOPE: usize = 64;

/// A place in source code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePlace {
    /// Name of the file as the module has it; may be empty.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 if unknown.
    pub column: u32,
    /// The function in the source, if debug information names it.
    pub function: Option<String>,
}

impl std::fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", if self.file.is_empty() { "<unnamed>" } else { &self.file }, self.line)?;
        if self.column > 0 {
            write!(f, ":{}", self.column)?;
        }
        match &self.function {
            Some(function) => write!(f, " in {function}"),
            None => Ok(()),
        }
    }
}

/// The source places of the instructions at `offsets`, which are sorted.
pub fn source_places(module: &Module, offsets: &[u32]) -> Vec<Option<SourcePlace>> {
    let mut reader = Reader::of(module);
    let mut places = Vec::with_capacity(offsets.len());
    let mut wanted = offsets.iter().peekable();
    for raw in raw_instructions(&module.words) {
        while wanted.peek().is_some_and(|offset| **offset < raw.offset) {
            wanted.next();
            places.push(None);
        }
        while wanted.peek().is_some_and(|offset| **offset == raw.offset) {
            wanted.next();
            places.push(reader.place());
        }
        if wanted.peek().is_none() {
            break;
        }
        reader.read(raw);
    }
    places.resize(offsets.len(), None);
    places
}

/// What is known at an instruction.
struct Reader<'m> {
    module: &'m Module,
    strings: HashMap<u32, &'m str>,
    /// Words of the debug instructions met so far, by result id.
    debug: HashMap<u32, &'m [u32]>,
    /// File, line and column.
    line: Option<(u32, u32, u32)>,
    scope: Option<u32>,
}

impl<'m> Reader<'m> {
    fn of(module: &'m Module) -> Self {
        let strings = module.strings.iter().map(|(id, text)| (id.number(), text.as_str())).collect();
        Reader { module, strings, debug: HashMap::new(), line: None, scope: None }
    }

    fn read(&mut self, raw: RawInstruction<'m>) {
        match (raw.op(), raw.words) {
            (Some(Op::Line), &[_, file, line, column, ..]) => self.line = Some((file, line, column)),
            (Some(Op::NoLine), _) => self.line = None,
            (Some(Op::ExtInst), &[_, _, result, set, number, ..]) if self.is_debug(set) => {
                self.debug_instruction(raw.words, result, number);
            }
            // Both end with the block.
            (
                Some(
                    Op::Branch
                    | Op::BranchConditional
                    | Op::Switch
                    | Op::Return
                    | Op::ReturnValue
                    | Op::Unreachable
                    | Op::FunctionEnd,
                ),
                _,
            ) => {
                self.line = None;
                self.scope = None;
            }
            _ => {}
        }
    }

    fn is_debug(&self, set: u32) -> bool {
        let set = std::num::NonZeroU32::new(set).and_then(|set| self.module.instruction_sets.get(&Id(set)));
        match set {
            Some((InstructionSet::OpenClDebugInfo100, _)) => true,
            Some((InstructionSet::NonSemantic(name), _)) => name == "NonSemantic.Shader.DebugInfo.100",
            _ => false,
        }
    }

    fn debug_instruction(&mut self, words: &'m [u32], result: u32, number: u32) {
        let operand = |index: usize| words.get(5 + index).copied();
        match number {
            number::SCOPE => self.scope = operand(0),
            number::NO_SCOPE => self.scope = None,
            number::LINE => {
                let (Some(source), Some(line), Some(column)) = (operand(0), operand(1), operand(3)) else { return };
                self.line = Some((source, self.constant(line), self.constant(column)));
            }
            number::NO_LINE => self.line = None,
            number::FUNCTION | number::LEXICAL_BLOCK | number::SOURCE => {
                self.debug.insert(result, words);
            }
            _ => {}
        }
    }

    /// A number that one set has as a literal and the other as a constant.
    fn constant(&self, word: u32) -> u32 {
        let constant = std::num::NonZeroU32::new(word).and_then(|id| self.module.constant_bits(Id(id)));
        constant.and_then(|bits| u32::try_from(bits).ok()).unwrap_or(word)
    }

    fn place(&self) -> Option<SourcePlace> {
        let (function, of_scope) = self.enclosing();
        let (file, line, column) = self.line.or(of_scope)?;
        Some(SourcePlace { file: self.file(file), line, column, function })
    }

    /// The name of the function around the current scope, and where the scope begins.
    fn enclosing(&self) -> (Option<String>, Option<(u32, u32, u32)>) {
        let mut begins = None;
        let mut scope = self.scope;
        for _ in 0..DEEPEST_SCOPE {
            let Some(words) = scope.and_then(|scope| self.debug.get(&scope)) else { break };
            let set_has_literals = matches!(
                words.get(3).and_then(|set| std::num::NonZeroU32::new(*set)).map(Id),
                Some(set) if matches!(self.module.instruction_sets.get(&set), Some((InstructionSet::OpenClDebugInfo100, _)))
            );
            let number_at = |index: usize| {
                words.get(5 + index).map(|word| if set_has_literals { *word } else { self.constant(*word) })
            };
            let is_function = words.get(4) == Some(&number::FUNCTION);
            let first = if is_function { 2 } else { 0 };
            if let (Some(source), Some(line), Some(column)) =
                (words.get(5 + first), number_at(first + 1), number_at(first + 2))
            {
                begins.get_or_insert((*source, line, column));
            }
            if is_function {
                let name = words.get(5).and_then(|name| self.strings.get(name));
                return (name.map(|name| (*name).to_owned()), begins);
            }
            scope = words.get(8).copied();
        }
        (None, begins)
    }

    /// The name of a file: an OpString, or a DebugSource that names one.
    fn file(&self, id: u32) -> String {
        let string = self.debug.get(&id).and_then(|words| words.get(5)).copied().unwrap_or(id);
        self.strings.get(&string).map_or_else(String::new, |text| (*text).to_owned())
    }
}
