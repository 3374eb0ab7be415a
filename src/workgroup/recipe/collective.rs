//! How the lanes of a gang arrive at a collective operation of the work-group: all at once where that gives the same
//! bits as one after the other.

use oxicl_ops::{Collective, Combine};

use crate::analyse::shape::Layout;
use crate::ir::{Scalar, Type};
use crate::recipe::phrase::Phrase;
use crate::recipe::{Elements, Recipes};

/// How lanes give their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// Their values are combined among themselves, neighbours first, then with what was gathered before.
    Reduce(Combine),
    /// Each lane adds to the part that its place along x belongs to: for sums and products that round.
    Parts(Combine),
    /// Each lane receives what was gathered before, combined with the values of the lanes up to it, or before it.
    Scan { by: Combine, is_inclusive: bool },
    /// The lane whose place is asked for gives its value.
    Broadcast,
    /// One after the other.
    OneByOne,
}

impl<'m> Recipes<'_, 'm> {
    /// How lanes arrive at an operation on values of a type.
    pub(crate) fn arrival(&self, collective: Collective, ty: &Type) -> Arrival {
        let is_int = ty.is_int() && ty.int_width() <= 64;
        // The lanes of a line are of several rows.
        let is_row = self.shapes.layout != Layout::Line;
        match collective {
            _ if !is_int && !ty.single().is_some_and(Scalar::is_float) => Arrival::OneByOne,
            Collective::Broadcast if is_row => Arrival::Broadcast,
            Collective::Reduce(by) if !by.rounds() => Arrival::Reduce(by),
            Collective::Reduce(by) if is_row => Arrival::Parts(by),
            // A scan stores its results side by side, so their type has to allow that. One that rounds goes lane by
            // lane.
            Collective::Inclusive(by) | Collective::Exclusive(by) if is_int && Elements::of(ty).is_some() => {
                Arrival::Scan { by, is_inclusive: matches!(collective, Collective::Inclusive(_)) }
            }
            _ => Arrival::OneByOne,
        }
    }
}

impl Arrival {
    pub(crate) fn phrase(self) -> Phrase {
        match self {
            Arrival::Reduce(_) => Phrase::Reduce,
            Arrival::Parts(_) => Phrase::Parts,
            Arrival::Scan { .. } => Phrase::Scan,
            Arrival::Broadcast => Phrase::Broadcast,
            Arrival::OneByOne => Phrase::OneByOne,
        }
    }
}
