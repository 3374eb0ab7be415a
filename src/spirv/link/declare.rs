//! Types, constants and variables of all modules, each behind what it needs: an initialiser may hold the address of a
//! variable that a later module defines.

use std::collections::HashMap;
use std::num::NonZeroU32;

use spirv::{Decoration as Kind, Op};

use super::LinkError;
use super::merge::Merge;
use crate::instruction::Operand;
use crate::module::{Def, Id, Module};
use crate::parse::{Parsed, parse};
use crate::physical::{RawInstruction, raw_instructions};
use crate::syntax;

/// A declaration of a module.
struct Declaration<'m> {
    raw: RawInstruction<'m>,
    /// OpLine in effect.
    line: Option<RawInstruction<'m>>,
}

/// The declarations of a module, in its order.
struct Declared<'m> {
    all: Vec<Declaration<'m>>,
    by_id: HashMap<Id, usize>,
    states: Vec<State>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    /// Waits for what it needs.
    Waiting,
    Done,
}

/// A declaration that waits.
struct Frame {
    module: usize,
    index: usize,
    parsed: Parsed,
    operands: Vec<Operand>,
    /// What it needs that is still to be looked at.
    needs: Vec<(usize, usize)>,
}

impl<'m> Declared<'m> {
    fn of(module: &'m Module) -> Declared<'m> {
        let mut declared = Declared { all: Vec::new(), by_id: HashMap::new(), states: Vec::new() };
        let mut line = None;
        for raw in raw_instructions(&module.words) {
            let op = match raw.op() {
                Some(Op::Function) => break,
                Some(Op::Line) => {
                    line = Some(raw);
                    continue;
                }
                Some(Op::NoLine) => {
                    line = None;
                    continue;
                }
                Some(op) => op,
                None => continue,
            };
            let Some(id) = result(raw) else { continue };
            let is_declaration = matches!(module.def(id), Def::Type(_) | Def::Constant(_) | Def::Global(_));
            if is_declaration && op != Op::ExtInst {
                declared.by_id.insert(id, declared.all.len());
                declared.all.push(Declaration { raw, line });
            }
        }
        declared.states = vec![State::New; declared.all.len()];
        declared
    }
}

/// The result id of an instruction.
pub(super) fn result(raw: RawInstruction<'_>) -> Option<Id> {
    let entry = syntax::entry(raw.opcode).filter(|entry| entry.result)?;
    raw.words.get(if entry.typed { 2 } else { 1 }).copied().and_then(NonZeroU32::new).map(Id)
}

impl<'m> Merge<'m> {
    /// Writes all declarations.
    pub(super) fn declarations(&mut self) -> Result<(), LinkError> {
        let modules = self.modules;
        for (number, module) in modules.iter().enumerate() {
            for raw in raw_instructions(&module.words).take_while(|raw| raw.op() != Some(Op::Function)) {
                // Pointer types that are one with another's were announced with it.
                let announced = raw.words.get(1).copied().and_then(NonZeroU32::new).map(Id);
                if raw.op() == Some(Op::TypeForwardPointer) && announced.is_some_and(|id| self.ids.is_own(number, id)) {
                    let words = self.renumber(number, module, raw)?.words;
                    self.out.declarations.extend(words);
                }
            }
        }
        let mut declared: Vec<Declared<'m>> = modules.iter().map(|module| Declared::of(module)).collect();
        for number in 0..modules.len() {
            for index in 0..declared.get(number).map_or(0, |declared| declared.all.len()) {
                self.declare(&mut declared, number, index)?;
            }
        }
        Ok(())
    }

    /// Writes a declaration, behind those that it needs.
    fn declare(&mut self, declared: &mut [Declared<'m>], module: usize, index: usize) -> Result<(), LinkError> {
        let mut stack: Vec<Frame> = Vec::new();
        stack.extend(self.frame(declared, module, index)?);
        while let Some(frame) = stack.last_mut() {
            let Some((module, index)) = frame.needs.pop() else {
                let Some(frame) = stack.pop() else { break };
                self.write(declared, frame)?;
                continue;
            };
            if declared.get(module).and_then(|declared| declared.states.get(index)) == Some(&State::Waiting) {
                let waiting = stack.iter().filter_map(|frame| frame.parsed.result.map(|id| (frame.module, id)));
                let names: Vec<String> = waiting
                    .filter_map(|(module, id)| self.modules.get(module)?.linkage(id))
                    .map(|(name, _)| format!("`{name}`"))
                    .collect();
                return Err(LinkError::new(format!("the initialisers of {} need each other", names.join(" and "))));
            }
            stack.extend(self.frame(declared, module, index)?);
        }
        Ok(())
    }

    /// A declaration that is not written yet, now waiting.
    fn frame(&self, declared: &mut [Declared<'m>], module: usize, index: usize) -> Result<Option<Frame>, LinkError> {
        let Some(own) = declared.get_mut(module) else { return Ok(None) };
        let (Some(declaration), Some(state)) = (own.all.get(index), own.states.get_mut(index)) else { return Ok(None) };
        if *state != State::New {
            return Ok(None);
        }
        *state = State::Waiting;
        let (mut operands, of) = (Vec::new(), self.modules[module]);
        let parsed =
            parse(declaration.raw, of.bound, of, &mut operands).map_err(|error| LinkError::new(error.message))?;
        let dropped = parsed.result.is_some_and(|id| self.symbols.dropped.contains(&(module, id)));
        let ids = operands.iter().filter_map(|operand| if let Operand::Id(id) = operand { Some(*id) } else { None });
        let ids: Vec<Id> = ids.chain(parsed.result_type).filter(|_| !dropped).collect();
        let needs = ids.into_iter().filter_map(|id| {
            let place = self.symbols.stands_for(module, id);
            let other = *declared.get(place.0)?.by_id.get(&place.1)?;
            // A pointer that was announced may come later in its module.
            (place.0 != module || other < index).then_some((place.0, other))
        });
        let needs: Vec<_> = needs.collect();
        Ok(Some(Frame { module, index, parsed, operands, needs }))
    }

    fn write(&mut self, declared: &mut [Declared<'m>], frame: Frame) -> Result<(), LinkError> {
        let Frame { module: number, index, parsed, operands, .. } = frame;
        let Some(own) = declared.get_mut(number) else { return Ok(()) };
        let (Some(declaration), Some(state)) = (own.all.get(index), own.states.get_mut(index)) else { return Ok(()) };
        *state = State::Done;
        let (raw, line) = (declaration.raw, declaration.line);
        let Some(result) = parsed.result.filter(|id| self.ids.is_own(number, *id)) else { return Ok(()) };
        let (module, words) = (self.modules[number], self.renumbered(number, raw, &parsed, &operands));
        let is_variable = parsed.op == Op::Variable;
        // Variables that the device gives are the same wherever they are declared.
        let unifies = parsed.op != Op::Undef && (!is_variable || module.has_decoration(result, Kind::BuiltIn));
        let place = if parsed.result_type.is_some() { 2 } else { 1 };
        if unifies {
            let decorations = self.decoration_words(number, module, result);
            if !self.unify(number, result, &words, place, decorations) {
                return Ok(());
            }
        }
        match line.filter(|_| is_variable) {
            Some(line) => {
                let line = self.renumber(number, module, line)?.words;
                self.out.declarations.extend(line);
                self.out.declarations.extend(words);
                self.out.declarations.push(1 << 16 | Op::NoLine as u32);
            }
            None => self.out.declarations.extend(words),
        }
        Ok(())
    }
}
