//! Whether affine numbers wrap between lanes, and what promises that they do not.

use crate::ir::{Function, Inst, Kind, Opcode, Operand};

use crate::analyse::shape::Shapes;
use crate::bounds::CHAIN;

/// Does an affine number wrap between the first lane and the last?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrap {
    /// In no lane.
    Never,
    /// In no active lane, as a sum promises by `nsw` or `nuw`, which binds only lanes that use the result.
    Promised,
    /// It may.
    Possible,
}

/// Ids along x and extended affine numbers never wrap; sums of these are followed as long as they promise that.
pub(crate) fn wrap(function: &Function<'_>, shapes: &Shapes, number: Operand, signed: bool) -> Wrap {
    let mut at = number;
    for sums in 0..CHAIN {
        let Some(inst) = function.made_by(at) else { return Wrap::Possible };
        let promises = inst.promises();
        let end = if sums > 0 { Wrap::Promised } else { Wrap::Never };
        match (&inst.kind, inst.opcode) {
            (Kind::Query(query), _) if query.has_unit_stride() => return end,
            (Kind::Query(_), _) => return Wrap::Possible,
            // In inactive lanes the narrow number may wrap, unless it is an id.
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

/// Is the extended number an id, or the low bits of one?
fn is_short_place(function: &Function<'_>, extension: &Inst<'_>) -> bool {
    let from = |inst: &Inst<'_>| function.made_by(*inst.operands.first()?);
    let Some(short) = from(extension) else { return false };
    let whole = if short.opcode == Opcode::Trunc { from(short) } else { Some(short) };
    whole.is_some_and(Inst::is_place)
}
