//! Why words are no module.

use std::fmt;

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
}

impl DecodeError {
    /// An error of the physical layout.
    pub(crate) fn physical(word_offset: usize, message: impl Into<String>) -> Self {
        DecodeError { message: message.into(), word_offset: clamp(word_offset), physical: true }
    }

    /// An instruction that breaks the grammar.
    pub(crate) fn grammar(word_offset: usize, message: impl Into<String>) -> Self {
        DecodeError { message: message.into(), word_offset: clamp(word_offset), physical: false }
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
