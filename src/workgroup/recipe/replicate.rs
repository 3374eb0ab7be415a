//! Which instructions are replicated, that is done lane by lane, and why.

use crate::declined::Declined;
use crate::ir::{Inst, Kind, Opcode};
use crate::recipe::Recipes;
use crate::recipe::phrase::Phrase;

/// Why an instruction is replicated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// It prints.
    Prints,
    /// It queries a place of the work-item that does not advance by a stride from lane to lane.
    Place,
    /// It asks for the storage class of a pointer.
    StorageClass,
    /// An access that is atomic or volatile.
    Ordered,
    /// An atomic operation at a place of each lane's own, or one without a vector form.
    OwnPlace,
    /// An access to a type that is not made of equal elements without gaps.
    Type,
    /// LLVM has no such operation of vectors.
    Operation,
    /// A call of a function that has no version for gangs.
    NoVersion(Declined),
}

impl Why {
    /// In words.
    pub(super) fn words(self) -> String {
        let phrase = match self {
            Why::Prints => Phrase::Prints,
            Why::Place => Phrase::Place,
            Why::StorageClass => Phrase::StorageClass,
            Why::Ordered => Phrase::Ordered,
            Why::OwnPlace => Phrase::OwnPlace,
            Why::Type => Phrase::Type,
            Why::Operation => Phrase::Operation,
            Why::NoVersion(why) => return why.words(),
        };
        phrase.to_string()
    }
}

impl<'m> Recipes<'_, 'm> {
    /// Why an instruction that has no other recipe is replicated.
    pub(super) fn why_replicated(&self, inst: &Inst<'m>) -> Why {
        match (&inst.kind, inst.opcode) {
            (Kind::Print, _) => Why::Prints,
            (Kind::Query(_), _) => Why::Place,
            (Kind::StorageClass, _) => Why::StorageClass,
            (_, Opcode::Load | Opcode::Store) if inst.is_ordinary() => Why::Type,
            (_, Opcode::Load | Opcode::Store) => Why::Ordered,
            (_, Opcode::AtomicRmw | Opcode::AtomicCmpXchg) if inst.is_volatile() => Why::Ordered,
            (_, Opcode::AtomicRmw | Opcode::AtomicCmpXchg) => Why::OwnPlace,
            _ => Why::Operation,
        }
    }
}
