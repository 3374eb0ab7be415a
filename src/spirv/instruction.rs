//! Instructions of function bodies, and of any section kept verbatim.

use spirv::Op;

use crate::module::{Id, Module};
use crate::types::TypeRef;

/// One operand word, told apart by the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A reference to an id, scope and memory-semantics ids included.
    Id(Id),
    /// A literal, an enumerant or a mask; 64-bit literals take two, low word first; strings take one a word.
    Word(u32),
}

/// A run of operands in [`Module::operands`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperandRange {
    /// Index of the first.
    pub start: u32,
    /// How many.
    pub len: u32,
}

/// An instruction. Operands exclude the result type and the result id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Opcode.
    pub op: Op,
    /// Result type, if it has one that names a declared type.
    pub result_type: Option<TypeRef>,
    /// Result id, if it has one.
    pub result: Option<Id>,
    /// Operands.
    pub operands: OperandRange,
    /// Offset of its first word in the module, in words.
    pub offset: u32,
}

impl Instruction {
    /// The operands.
    pub fn operands<'m>(&self, module: &'m Module) -> &'m [Operand] {
        let start = self.operands.start as usize;
        module.operands.get(start..start + self.operands.len as usize).unwrap_or(&[])
    }

    /// Operand `index` if it is an id.
    pub fn id(&self, module: &Module, index: usize) -> Option<Id> {
        match self.operands(module).get(index) {
            Some(Operand::Id(id)) => Some(*id),
            _ => None,
        }
    }

    /// Operand `index` if it is a word.
    pub fn word(&self, module: &Module, index: usize) -> Option<u32> {
        match self.operands(module).get(index) {
            Some(Operand::Word(word)) => Some(*word),
            _ => None,
        }
    }
}
