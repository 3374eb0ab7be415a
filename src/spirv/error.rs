//! Why words are no module.

use std::fmt;

/// What kind of thing is wrong with the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeFault {
    /// Magic number, version, header, or word counts that leave the module.
    Physical,
    /// An instruction has not the operands that its opcode asks for.
    Grammar,
    /// A literal's type is no numerical type.
    Literal,
    /// The selector of a switch, which says how long its literals are, is no integer.
    SwitchLiteral,
    /// A literal string has no end.
    String,
    /// An id is 0 or not below the bound.
    IdBound,
    /// An id is defined twice.
    IdTwice,
    /// An id is used where a type is needed, and is none.
    NoType,
    /// A type is used before its declaration.
    LateType,
    /// OpTypeForwardPointer announces what is no pointer.
    ForwardPointer,
    /// An instruction stands where no module can have it.
    Layout,
    /// There is a second OpMemoryModel.
    MemoryModelTwice,
    /// OpExtInst names what imports no instruction set.
    InstructionSet,
    /// OpGroupDecorate names what is no decoration group.
    DecorationGroup,
    /// A constant operation has an operation that it cannot have, or that cannot be folded.
    ConstantOperation,
    /// The module asks for more than can be kept.
    Capacity,
}

/// Why words could not be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// One sentence.
    pub message: String,
    /// Offset, in words, of the instruction or header word at fault.
    pub word_offset: u32,
    /// True where the words are no SPIR-V at all: magic number, version, header, or word counts that leave the module.
    /// False where single instructions break the grammar.
    pub physical: bool,
    /// What kind of thing is wrong.
    pub fault: DecodeFault,
}

impl DecodeError {
    /// An error of the physical layout.
    pub(crate) fn physical(word_offset: usize, message: impl Into<String>) -> Self {
        DecodeError {
            message: message.into(),
            word_offset: clamp(word_offset),
            physical: true,
            fault: DecodeFault::Physical,
        }
    }

    /// An instruction that breaks the grammar.
    pub(crate) fn grammar(word_offset: usize, message: impl Into<String>) -> Self {
        DecodeError {
            message: message.into(),
            word_offset: clamp(word_offset),
            physical: false,
            fault: DecodeFault::Grammar,
        }
    }

    /// The same error, of the kind `fault`.
    pub(crate) fn of(self, fault: DecodeFault) -> Self {
        DecodeError { fault, ..self }
    }
}

fn clamp(word_offset: usize) -> u32 {
    u32::try_from(word_offset).unwrap_or(u32::MAX)
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at word {})", self.message, self.word_offset)
    }
}

impl std::error::Error for DecodeError {}
