//! What cannot be lowered, by name.

use oxicl_protocol::{BuildFailure, Diagnostic, Stage};
use oxicl_spirv::{Id, Instruction, op_name};

/// Why a module cannot be lowered. It becomes a [`BuildFailure`] of the stage `Lower`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// One sentence.
    pub message: String,
    /// Name of the instruction, such as `OpIAdd`.
    pub instruction: Option<String>,
    /// Its result id.
    pub id: Option<Id>,
    /// Offset of its first word.
    pub offset: Option<u32>,
}

impl Refusal {
    /// A refusal without a place.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Refusal { message: message.into(), instruction: None, id: None, offset: None }
    }

    /// The place, where none is known yet.
    pub(crate) fn at(mut self, instruction: &Instruction) -> Self {
        self.instruction.get_or_insert_with(|| op_name(instruction.op));
        self.id = self.id.or(instruction.result);
        self.offset = self.offset.or(Some(instruction.offset));
        self
    }
}

impl From<Refusal> for BuildFailure {
    fn from(refusal: Refusal) -> Self {
        BuildFailure {
            stage: Stage::Lower,
            diagnostics: vec![Diagnostic {
                instruction: refusal.instruction,
                id: refusal.id.map(Id::number),
                word_offset: refusal.offset,
                ..Diagnostic::error(refusal.message)
            }],
        }
    }
}

/// The result of every step.
pub(crate) type Result<T> = std::result::Result<T, Refusal>;
