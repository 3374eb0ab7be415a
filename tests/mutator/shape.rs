//! What the words of an instruction are, as far as the grammar's tables tell it.

use std::sync::OnceLock;

use rspirv::grammar::{INSTRUCTION_TABLE, Instruction as Grammar, OperandKind, OperandQuantifier};

/// Words of the header.
const HEADER: usize = 5;

/// What a word of an instruction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// Opcode and word count.
    First,
    /// The result type.
    Type,
    /// The result.
    Result,
    /// Another id.
    Id,
    /// An enumerant or a mask.
    Enumerant,
    /// A number or a part of a string.
    Literal,
}

/// A module as header and instructions. Words after the last whole instruction are its tail.
pub(crate) struct Sketch {
    pub(crate) header: Vec<u32>,
    pub(crate) instructions: Vec<Vec<u32>>,
    pub(crate) tail: Vec<u32>,
}

impl Sketch {
    /// Reads `words`.
    pub(crate) fn of(words: &[u32]) -> Sketch {
        let (header, mut rest) = words.split_at(words.len().min(HEADER));
        let mut instructions = Vec::new();
        while let Some(first) = rest.first() {
            let count = (first >> 16) as usize;
            if count == 0 || count > rest.len() {
                break;
            }
            let (instruction, after) = rest.split_at(count);
            instructions.push(instruction.to_vec());
            rest = after;
        }
        Sketch { header: header.to_vec(), instructions, tail: rest.to_vec() }
    }

    /// The words again.
    pub(crate) fn into_words(self) -> Vec<u32> {
        let mut words = self.header;
        words.extend(self.instructions.into_iter().flatten());
        words.extend(self.tail);
        words
    }

    /// The id bound that the header gives, at least 1.
    pub(crate) fn bound(&self) -> u32 {
        self.header.get(3).copied().unwrap_or(1).clamp(1, 1 << 22)
    }
}

/// The opcode's number.
pub(crate) fn opcode(instruction: &[u32]) -> u32 {
    instruction.first().map_or(0, |word| word & 0xffff)
}

/// Makes the word count that of the words.
pub(crate) fn mend_count(instruction: &mut [u32]) {
    let count = instruction.len() as u32;
    if let Some(first) = instruction.first_mut() {
        *first = count << 16 | (*first & 0xffff);
    }
}

/// What an opcode's operands are, if it is known.
pub(crate) fn grammar(opcode: u32) -> Option<&'static Grammar<'static>> {
    static TABLE: OnceLock<Vec<&'static Grammar<'static>>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let mut table: Vec<_> = INSTRUCTION_TABLE.iter().collect();
        table.sort_by_key(|grammar| grammar.opcode as u32);
        table
    });
    table.binary_search_by_key(&opcode, |grammar| grammar.opcode as u32).ok().map(|at| table[at])
}

/// What each word of an instruction is. What depends on another instruction is a guess: literals.
pub(crate) fn slots(instruction: &[u32]) -> Vec<Slot> {
    let mut slots = vec![Slot::First];
    let operands = grammar(opcode(instruction)).map_or(&[][..], |grammar| grammar.operands);
    for operand in operands {
        let (first, second) = match operand.kind {
            OperandKind::IdResultType => (Slot::Type, None),
            OperandKind::IdResult => (Slot::Result, None),
            OperandKind::IdRef | OperandKind::IdScope | OperandKind::IdMemorySemantics => (Slot::Id, None),
            OperandKind::PairIdRefIdRef => (Slot::Id, Some(Slot::Id)),
            OperandKind::PairIdRefLiteralInteger => (Slot::Id, Some(Slot::Literal)),
            OperandKind::PairLiteralIntegerIdRef => (Slot::Literal, Some(Slot::Id)),
            OperandKind::LiteralString
            | OperandKind::LiteralInteger
            | OperandKind::LiteralFloat
            | OperandKind::LiteralExtInstInteger
            | OperandKind::LiteralContextDependentNumber => (Slot::Literal, None),
            _ => (Slot::Enumerant, None),
        };
        let many = operand.quantifier == OperandQuantifier::ZeroOrMore;
        loop {
            slots.push(first);
            slots.extend(second);
            if !many || slots.len() >= instruction.len() {
                break;
            }
        }
    }
    slots.resize(instruction.len(), Slot::Literal);
    slots
}
