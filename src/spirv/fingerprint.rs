//! What the code of a kernel depends on, as a number: its call tree with the types, constants and variables that this uses, and
//! what it is declared with.
//!
//! Kernels of different modules that have the same fingerprint mean the same. So code that was made of one may stand for the
//! other, whatever else their modules hold and whatever numbers their ids have. Names, places in source code and debug
//! information count for nothing.
//!
//! Declarations stand for what they say, whatever they are called: an id of one is written as the hash of its instruction, in
//! which ids are written likewise. What a function names is numbered as it appears in it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::num::NonZeroU32;

use blake3::Hash;
use rspirv::grammar::OperandKind;
use spirv::{Op, StorageClass};

use crate::instruction::{Instruction, Operand};
use crate::link::is_debug;
use crate::module::{Decoration, Def, Function, Id, Module};
use crate::parse::parse;
use crate::physical::raw_instructions;
use crate::requirements::decoration_takes;
use crate::syntax::enumerant_parameters;

/// A kernel's fingerprint.
pub type Fingerprint = [u8; blake3::OUT_LEN];

/// The fingerprints of the kernels of a valid module without specialisation constants, by name. `None` if something of it has no
/// place in a fingerprint.
pub fn fingerprints(module: &Module) -> Option<HashMap<&str, Fingerprint>> {
    let declarations = Declarations::of(module)?;
    let mut bodies = HashMap::new();
    let mut kernels: HashMap<&str, Record> = HashMap::new();
    for entry in &module.entry_points {
        // An entry point may be listed twice.
        let kernel = kernels.entry(&entry.name).or_default();
        kernel.word(entry.model as u32);
        for mode in module.execution_modes.iter().filter(|mode| mode.entry == entry.function) {
            kernel.word(mode.mode as u32);
            kernel.word(mode.operands.len() as u32);
            mode.operands.iter().try_for_each(|operand| declarations.operand(*operand, kernel))?;
        }
        call_tree(&declarations, entry.function, &mut bodies, kernel)?;
    }
    let all = common(&declarations)?;
    let fingerprint = |kernel: &Record| *Record(all.0.iter().chain(&kernel.0).copied().collect()).hash().as_bytes();
    Some(kernels.iter().map(|(name, kernel)| (*name, fingerprint(kernel))).collect())
}

/// What is said of all kernels of a module. Capabilities and extensions say what a module may have, and what a kernel has of that
/// is written with it.
fn common(declarations: &Declarations<'_>) -> Option<Record> {
    let module = declarations.module;
    let mut all = Record::default();
    let (addressing, memory, _) = module.memory_model?;
    let (major, minor) = module.version;
    let numbers = [u32::from(major), u32::from(minor), module.generator, addressing as u32, memory as u32];
    numbers.into_iter().for_each(|number| all.word(number));
    // Where a variable of the program lies depends on all of them, and so may where constants lie that hold their addresses.
    let lies = |storage| matches!(storage, StorageClass::CrossWorkgroup | StorageClass::UniformConstant);
    let has_variables = module.globals.iter().any(|variable| variable.storage == StorageClass::CrossWorkgroup);
    let variables = module.globals.iter().filter(|variable| has_variables && lies(variable.storage));
    for id in declarations.ahead.iter().copied().chain(variables.map(|variable| variable.id)) {
        all.hash_of(*declarations.known.get(&id)?);
    }
    Some(all)
}

/// Writes a kernel's function and all that it calls, in the order in which they are first called.
fn call_tree(
    declarations: &Declarations<'_>,
    kernel: Id,
    bodies: &mut HashMap<Id, (Hash, Vec<Id>)>,
    out: &mut Record,
) -> Option<()> {
    let mut order = vec![kernel];
    let mut numbers = HashMap::from([(kernel, 0_u32)]);
    let mut next = 0;
    while let Some(id) = order.get(next).copied() {
        next += 1;
        let (hash, callees) = match bodies.entry(id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(Body::of(declarations, declarations.module.function(id)?)?),
        };
        out.hash_of(*hash);
        out.word(callees.len() as u32);
        for callee in callees {
            let number = *numbers.entry(*callee).or_insert_with(|| {
                order.push(*callee);
                order.len() as u32 - 1
            });
            out.word(number);
        }
    }
    Some(())
}

/// Words and hashes, to be hashed.
#[derive(Default)]
struct Record(Vec<u8>);

impl Record {
    fn word(&mut self, word: u32) {
        self.0.extend(word.to_le_bytes());
    }

    fn tag(&mut self, tag: Tag) {
        self.0.push(tag as u8);
    }

    fn hash_of(&mut self, hash: Hash) {
        self.0.extend(hash.as_bytes());
    }

    fn hash(&self) -> Hash {
        blake3::hash(&self.0)
    }
}

/// What an operand is, in front of what is written of it.
#[derive(Clone, Copy)]
enum Tag {
    Word,
    Declaration,
    /// A declaration that follows: the pointee of a pointer that was declared ahead.
    Ahead,
    /// What a function names, by its number.
    Number,
    Callee,
    /// Something of the function's own.
    Own,
}

/// The declarations of a module by what they say.
struct Declarations<'m> {
    module: &'m Module,
    known: HashMap<Id, Hash>,
    /// What is named before it is declared.
    ahead: Vec<Id>,
}

impl<'m> Declarations<'m> {
    fn of(module: &'m Module) -> Option<Declarations<'m>> {
        let mut declarations = Declarations { module, known: HashMap::new(), ahead: Vec::new() };
        // Of declarations that make something of their own, each is another, even if they say the same.
        let mut twins: HashMap<Hash, u32> = HashMap::new();
        let mut operands = Vec::new();
        for raw in raw_instructions(&module.words).take_while(|raw| raw.op() != Some(Op::Function)) {
            operands.clear();
            let parsed = parse(raw, module.bound, module, &mut operands).ok()?;
            let Some(result) = parsed.result else { continue };
            if matches!(module.def(result), Def::Debug | Def::DecorationGroup | Def::None) {
                continue;
            }
            let mut record = Record::default();
            record.word(parsed.op as u32);
            record.word(operands.len() as u32);
            let ids = parsed.result_type.map(Operand::Id);
            for operand in ids.iter().chain(&operands) {
                declarations.note_ahead(*operand);
                declarations.operand(*operand, &mut record)?;
            }
            declarations.decorations(result, &mut record, |id, out| declarations.operand(Operand::Id(id), out))?;
            let mut hash = record.hash();
            if makes_something(parsed.op) {
                let number = twins.entry(hash).and_modify(|number| *number += 1).or_default();
                record.word(*number);
                hash = record.hash();
            }
            declarations.known.insert(result, hash);
        }
        Some(declarations)
    }

    fn note_ahead(&mut self, operand: Operand) {
        if let Operand::Id(id) = operand
            && !self.known.contains_key(&id)
            && !self.ahead.contains(&id)
        {
            self.ahead.push(id);
        }
    }

    /// Writes an operand that is no function's own.
    fn operand(&self, operand: Operand, out: &mut Record) -> Option<()> {
        let id = match operand {
            Operand::Word(word) => {
                out.tag(Tag::Word);
                out.word(word);
                return Some(());
            }
            Operand::Id(id) => id,
        };
        if let Some(hash) = self.known.get(&id) {
            out.tag(Tag::Declaration);
            out.hash_of(*hash);
        } else {
            out.tag(Tag::Ahead);
            out.word(self.ahead.iter().position(|ahead| *ahead == id)? as u32);
        }
        Some(())
    }

    /// Writes the decorations of an id.
    fn decorations(&self, of: Id, out: &mut Record, mut name: impl FnMut(Id, &mut Record) -> Option<()>) -> Option<()> {
        for Decoration { decoration, operands, member, .. } in self.module.decorations_of(of) {
            out.word(*decoration as u32);
            out.word(member.map_or(0, |member| member + 1));
            out.word(operands.len() as u32);
            let takes = decoration_takes(*decoration);
            if !takes.ids {
                operands.iter().for_each(|word| out.word(*word));
                continue;
            }
            if takes.strings {
                return None;
            }
            let parameters = enumerant_parameters(OperandKind::Decoration, *decoration as u32)?;
            for (index, word) in operands.iter().enumerate() {
                let kind = parameters.get(index).or(parameters.last())?.kind;
                if matches!(kind, OperandKind::IdRef | OperandKind::IdScope | OperandKind::IdMemorySemantics) {
                    name(Id(NonZeroU32::new(*word)?), out)?;
                } else {
                    out.word(*word);
                }
            }
        }
        Some(())
    }
}

/// Are two declarations of an opcode two things, though they say the same?
fn makes_something(op: Op) -> bool {
    matches!(
        op,
        Op::Variable
            | Op::ConstantPipeStorage
            | Op::AliasDomainDeclINTEL
            | Op::AliasScopeDeclINTEL
            | Op::AliasScopeListDeclINTEL
    )
}

/// A function that is being written.
struct Body<'d, 'm> {
    declarations: &'d Declarations<'m>,
    names: Names,
    out: Record,
}

impl Body<'_, '_> {
    /// The hash of a function, in which callees are numbered, and the callees.
    fn of(declarations: &Declarations<'_>, function: &Function) -> Option<(Hash, Vec<Id>)> {
        let module = declarations.module;
        let mut body = Body { declarations, names: Names::default(), out: Record::default() };
        body.out.word(function.control);
        body.name(*module.type_ids.get(function.ty.0 as usize)?)?;
        body.decorations(function.id)?;
        for parameter in &function.parameters {
            body.name(parameter.id)?;
            body.decorations(parameter.id)?;
        }
        for block in &function.blocks {
            body.out.word(Op::Label as u32);
            body.name(block.label)?;
            block.instructions.iter().try_for_each(|instruction| body.instruction(instruction))?;
        }
        Some((body.out.hash(), body.names.callees))
    }

    fn instruction(&mut self, instruction: &Instruction) -> Option<()> {
        let module = self.declarations.module;
        let operands = instruction.operands(module);
        if instruction.op == Op::ExtInst && is_debug(module, operands) {
            return Some(());
        }
        self.out.word(instruction.op as u32);
        self.out.word(operands.len() as u32);
        if let Some(ty) = instruction.result_type {
            self.name(*module.type_ids.get(ty.0 as usize)?)?;
        }
        if let Some(result) = instruction.result {
            self.name(result)?;
            self.decorations(result)?;
        }
        operands.iter().try_for_each(|operand| match operand {
            Operand::Id(id) => self.name(*id),
            Operand::Word(_) => self.declarations.operand(*operand, &mut self.out),
        })
    }

    fn decorations(&mut self, of: Id) -> Option<()> {
        let Body { declarations, names, out } = self;
        declarations.decorations(of, out, |id, out| names.write(declarations, id, out))
    }

    fn name(&mut self, id: Id) -> Option<()> {
        self.names.write(self.declarations, id, &mut self.out)
    }
}

/// Numbers of what a function names, in the order of appearance.
#[derive(Default)]
struct Names {
    numbers: HashMap<Id, u32>,
    callees: Vec<Id>,
}

impl Names {
    /// Writes the number of an id, and what it is if it is new.
    fn write(&mut self, declarations: &Declarations<'_>, id: Id, out: &mut Record) -> Option<()> {
        let next = self.numbers.len() as u32;
        let number = *self.numbers.entry(id).or_insert(next);
        out.tag(Tag::Number);
        out.word(number);
        if number < next {
            return Some(());
        }
        match declarations.module.def(id) {
            Def::Function(_) => {
                self.callees.push(id);
                out.tag(Tag::Callee);
            }
            Def::Parameter { .. } | Def::Block(_) | Def::Instruction { .. } => out.tag(Tag::Own),
            _ => declarations.operand(Operand::Id(id), out)?,
        }
        Some(())
    }
}
