//! Interleave groups: accesses of a block that together are to all numbers of a record.

use std::ops::Range;

use crate::ir::{Function, Inst, InstId, Kind, Opcode, Operand, Scalar};
use oxicl_protocol::Decision;

use crate::analyse::instructions::changes_memory;
use crate::analyse::overlap::{Origin, Place, are_of_different_objects};
use crate::analyse::shape::{Shape, Shapes};
use crate::bounds::{LONGEST_ACCESS, RECORD_BLOCK, RECORD_NUMBERS};

/// The accesses to a record, in the order of its numbers.
pub(crate) struct Record {
    pub(crate) members: Vec<InstId>,
    /// The address of the access that was asked for, and the bytes of the record before that.
    pub(crate) address: Operand,
    pub(crate) before: i64,
    /// The type of a number.
    pub(crate) element: Scalar,
    /// The least alignment of the accesses.
    pub(crate) align: u32,
}

/// The type of an access, its stride from lane to lane in bytes, and its place.
fn access<'m>(function: &Function<'m>, shapes: &Shapes, inst: &Inst<'m>) -> Option<(Scalar, i64, Place)> {
    let address = inst.address()?;
    let ty = function.moved_type(inst).single()?;
    let is_number = matches!(ty, Scalar::Int(8 | 16 | 32 | 64) | Scalar::Half | Scalar::Float | Scalar::Double);
    let (Shape::Affine(stride) | Shape::Wrapping(stride)) = shapes.of_operand(address) else { return None };
    let usual = matches!(inst.kind, Kind::Plain) && is_number && inst.is_ordinary();
    let place = Place::of(function, address).filter(|_| usual)?;
    Some((ty, stride, place))
}

/// What an instruction means for accesses that are to become one across it.
enum Between {
    /// They may move past it.
    Nothing,
    /// They may move past it if they are to other bytes.
    Access(Place, i64),
    /// They may not move past it.
    Barrier,
}

/// Classifies an instruction for loads, or stores, that share an origin.
fn between(function: &Function<'_>, inst: &Inst<'_>, loads: bool, origin: Origin) -> Between {
    match inst.kind {
        Kind::Phi(_) | Kind::Query(_) => return Between::Nothing,
        Kind::Plain if inst.opcode == Opcode::Call && inst.is_pure() => return Between::Nothing,
        Kind::Plain if inst.opcode != Opcode::Call => {}
        _ => return Between::Barrier,
    }
    let is_plain = matches!(inst.opcode, Opcode::Load | Opcode::Store) && inst.is_ordinary();
    match (inst.opcode, inst.address()) {
        (Opcode::Load, _) if loads && is_plain => Between::Nothing,
        (_, Some(address)) if is_plain => match Place::of(function, address) {
            Some(place) if place.origin == origin => Between::Access(place, function.moved_type(inst).size() as i64),
            _ if are_of_different_objects(function, [address, origin.base], function.buffers) => Between::Nothing,
            _ => Between::Barrier,
        },
        (opcode, None) if !changes_memory(opcode) => Between::Nothing,
        _ => Between::Barrier,
    }
}

/// The record that an access belongs to, if all its numbers are accessed and nothing keeps these from being one access.
pub(crate) fn record<'m>(function: &Function<'m>, shapes: &Shapes, id: InstId, lanes: u64) -> Option<Record> {
    let inst = function.inst(id);
    let (ty, stride, own) = access(function, shapes, inst)?;
    let bytes = ty.size() as i64;
    let count = stride / bytes;
    if !(2..=RECORD_NUMBERS).contains(&count) || count * bytes != stride || count as u64 * lanes > LONGEST_ACCESS {
        return None;
    }
    let alike = |other: InstId| {
        let its = function.inst(other);
        let (its_type, its_stride, place) =
            (its.opcode == inst.opcode).then(|| access(function, shapes, its)).flatten()?;
        (its_type == ty && its_stride == stride && place.origin == own.origin).then_some(place.offset)
    };
    let loads = inst.opcode == Opcode::Load;
    let block = &function.block(inst.block).insts;
    if block.len() > RECORD_BLOCK {
        return None;
    }
    let at = block.iter().position(|other| *other == id)?;
    let mut accesses = Vec::new();
    let mut goes_on = |other: &usize| match between(function, function.inst(block[*other]), loads, own.origin) {
        Between::Nothing => true,
        Between::Access(place, bytes) => {
            accesses.push((*other, place.offset..place.offset + bytes));
            true
        }
        Between::Barrier => false,
    };
    // Any access between two barriers finds the same accesses.
    let begin = (0..at).rev().take_while(&mut goes_on).last().unwrap_or(at);
    let end = (at..block.len()).take_while(&mut goes_on).last().map_or(at, |last| last + 1);
    let window = (begin..end).map(|at| (at, block[at]));
    let mut found: Vec<_> = window.filter_map(|(at, other)| Some((at, other, alike(other)?))).collect();
    found.sort_by_key(|(_, _, offset)| *offset);
    let lowest = found.first()?.2;
    let first = lowest + (own.offset - lowest).div_euclid(stride) * stride;
    found.retain(|(_, _, offset)| (first..first + stride).contains(offset));
    let whole = found.len() as i64 == count
        && (0..).zip(&found).all(|(number, (_, _, offset))| *offset == first + number * bytes);
    if !whole {
        return None;
    }
    // All loads happen where the first one is, all stores where the last one is. Each moves past those in between.
    let places = found.iter().map(|(at, _, _)| *at);
    let one = if loads { places.min() } else { places.max() }?;
    let goes_past = |other: usize, its: &Range<i64>| {
        found.iter().all(|(at, _, offset)| {
            let is_between = (one.min(*at)..one.max(*at)).contains(&other);
            !is_between || its.end <= *offset || offset + bytes <= its.start
        })
    };
    let is_member = |at: usize| found.iter().any(|(member, ..)| *member == at);
    // The outcome is the same for every access of the record.
    let go_past = accesses.iter().all(|(at, its)| is_member(*at) || goes_past(*at, its));
    if !go_past || !function.allows(Decision::Records, found.first()?.1) {
        return None;
    }
    let align = found.iter().map(|(_, id, _)| function.inst(*id).alignment()).min()?;
    Some(Record {
        members: found.into_iter().map(|(_, id, _)| id).collect(),
        address: inst.address()?,
        before: own.offset - first,
        element: ty,
        align,
    })
}
