//! Whether numbers that go on from lane to lane wrap, and who promises that they do not.

use crate::ir::{Function, Inst, Kind, Opcode, Operand};

use crate::analyse::shape::Shapes;
use crate::bounds::induction::SUMS;

/// Does a long number that advances by a stride wrap on the way from the first lane to the last?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrap {
    /// In no lane.
    Never,
    /// In no lane that runs it, as a sum promises: a promise that is broken gives poison, and binds those that use the result.
    Promised,
    /// It may.
    Possible,
}

/// Places never wrap, nor does what is extended from short numbers that are affine. Sums of such are followed as far as they
/// promise not to.
pub(crate) fn wrap(function: &Function<'_>, shapes: &Shapes, number: Operand, signed: bool) -> Wrap {
    let mut at = number;
    for sums in 0..SUMS {
        let Some(inst) = function.made_by(at) else { return Wrap::Possible };
        let promises = inst.promises();
        let end = if sums > 0 { Wrap::Promised } else { Wrap::Never };
        match (&inst.kind, inst.opcode) {
            (Kind::Query(query), _) if query.has_unit_stride() => return end,
            (Kind::Query(_), _) => return Wrap::Possible,
            // In lanes that do not run it, what is extended may wrap, unless it is a place.
            (_, Opcode::ZExt) => return if is_short_place(function, inst) { end } else { Wrap::Promised },
            (_, Opcode::SExt) if signed => return end,
            (_, Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Shl)
                if signed && promises.no_signed_wrap || !signed && promises.no_unsigned_wrap => {}
            _ => return Wrap::Possible,
        }
        let moves = |operand: &&Operand| !shapes.of_operand(**operand).is_row_uniform();
        let mut moving = inst.operands.iter().filter(moves);
        let (Some(next), None) = (moving.next(), moving.next()) else { return Wrap::Possible };
        at = *next;
    }
    Wrap::Possible
}

/// Is what is extended the low bits of a place?
fn is_short_place(function: &Function<'_>, extension: &Inst<'_>) -> bool {
    let from = |inst: &Inst<'_>| function.made_by(*inst.operands.first()?);
    let Some(short) = from(extension) else { return false };
    let whole = if short.opcode == Opcode::Trunc { from(short) } else { Some(short) };
    whole.is_some_and(Inst::is_place)
}
