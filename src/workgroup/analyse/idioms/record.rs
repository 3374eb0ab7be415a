//! Accesses to all numbers of a record, one after the other.

use crate::ir::{Function, Inst, InstId, Kind, Opcode, Operand, Scalar};
use oxicl_protocol::Decision;

use crate::analyse::instructions::changes_memory;
use crate::analyse::shape::{Shape, Shapes};
use crate::bounds::components::LONGEST;
use crate::bounds::record::{DEEP, LARGE, MOST};

/// The accesses to a record, in the order of its numbers.
pub(crate) struct Record {
    pub(crate) members: Vec<InstId>,
    /// Where the access itself goes, and the bytes of the record before that.
    pub(crate) address: Operand,
    pub(crate) before: i64,
    /// The type of a number.
    pub(crate) element: Scalar,
    /// The least alignment.
    pub(crate) align: u32,
}

/// What an access is made of: the type, the address, and by how much that goes on from lane to lane.
fn access<'m>(function: &Function<'m>, shapes: &Shapes, inst: &Inst<'m>) -> Option<(Scalar, Operand, i64, Place)> {
    let address = match inst.opcode {
        Opcode::Load => *inst.operands.first()?,
        Opcode::Store => *inst.operands.get(1)?,
        _ => return None,
    };
    let ty = function.moved_type(inst).single()?;
    let is_number = matches!(ty, Scalar::Int(8 | 16 | 32 | 64) | Scalar::Half | Scalar::Float | Scalar::Double);
    let Shape::Affine(stride) = shapes.of_operand(address) else { return None };
    let usual = matches!(inst.kind, Kind::Plain) && is_number && inst.is_ordinary();
    let place = place(function, address).filter(|_| usual)?;
    Some((ty, address, stride, place))
}

/// An address: what does not change from number to number, and the bytes from there.
#[derive(PartialEq)]
struct Place {
    base: Operand,
    index: Option<(Operand, u64)>,
    offset: i64,
}

fn place<'m>(function: &Function<'m>, address: Operand) -> Option<Place> {
    let mut place = Place { base: address, index: None, offset: 0 };
    for _ in 0..DEEP {
        let Some(inst) = function.made_by(place.base) else { break };
        if inst.opcode == Opcode::Alloca {
            // Lanes' own memory lies another way.
            return None;
        }
        let ([base, index], Some(ty)) = (&inst.operands[..], inst.source_type()) else { break };
        let unit = ty.size();
        let (index, by) = without_constant(function, *index);
        if index.is_some() && place.index.is_some() {
            break;
        }
        place.index = index.map(|index| (index, unit)).or(place.index);
        place.offset = place.offset.checked_add(by.checked_mul(i64::try_from(unit).ok()?)?)?;
        place.base = *base;
    }
    Some(place)
}

/// An index without the constant that is added to it, and that.
fn without_constant(function: &Function<'_>, index: Operand) -> (Option<Operand>, i64) {
    if let Some(by) = function.as_i64(index) {
        return (None, by);
    }
    let Some(inst) = function.made_by(index) else { return (Some(index), 0) };
    // In an index of fewer bits, the sum may wrap.
    let adds = (inst.opcode == Opcode::Add || inst.opcode == Opcode::Or && inst.is_disjoint()) && inst.ty.is_int_of(64);
    match (adds, &inst.operands[..], function.i64_at(inst, 1)) {
        (true, [rest, _], Some(by)) => (Some(*rest), by),
        _ => (Some(index), 0),
    }
}

/// Does an instruction keep accesses on one side of it: loads from going past it, or stores?
fn parts(inst: &Inst<'_>, loads: bool) -> bool {
    match inst.kind {
        Kind::Phi(_) | Kind::Query(_) => false,
        Kind::Plain if inst.opcode == Opcode::Call => !inst.is_pure(),
        Kind::Plain if inst.opcode == Opcode::Load => !loads || !inst.is_ordinary(),
        Kind::Plain => changes_memory(inst.opcode),
        _ => true,
    }
}

/// The record that an access is to a number of, if all others are accessed as well, next to it as far as memory goes.
pub(crate) fn record<'m>(function: &Function<'m>, shapes: &Shapes, id: InstId, lanes: u64) -> Option<Record> {
    let inst = function.inst(id);
    let (ty, address, stride, own) = access(function, shapes, inst)?;
    let bytes = ty.size() as i64;
    let count = stride / bytes;
    if !(2..=MOST).contains(&count) || count * bytes != stride || count as u64 * lanes > LONGEST {
        return None;
    }
    let alike = |other: &InstId| {
        let its = function.inst(*other);
        let (its_type, _, its_stride, place) =
            (its.opcode == inst.opcode).then(|| access(function, shapes, its)).flatten()?;
        let same = its_type == ty && its_stride == stride && place.base == own.base && place.index == own.index;
        same.then_some((*other, place.offset))
    };
    let loads = inst.opcode == Opcode::Load;
    let block = &function.block(inst.block).insts;
    if block.len() > LARGE {
        return None;
    }
    let at = block.iter().position(|other| *other == id)?;
    let parts = |other: &InstId| parts(function.inst(*other), loads) && (loads || alike(other).is_none());
    let before = block[..at].iter().rev().take_while(|other| !parts(other));
    let behind = block[at..].iter().take_while(|other| !parts(other));
    let mut found: Vec<_> = before.chain(behind).filter_map(alike).collect();
    found.sort_by_key(|(_, offset)| *offset);
    let lowest = found.first()?.1;
    let first = lowest + (own.offset - lowest).div_euclid(stride) * stride;
    found.retain(|(_, offset)| (first..first + stride).contains(offset));
    let whole =
        found.len() as i64 == count && (0..).zip(&found).all(|(number, (_, offset))| *offset == first + number * bytes);
    // All of its accesses are of one mind.
    if !whole || !function.allows(Decision::Records, found.first()?.0) {
        return None;
    }
    let align = found.iter().map(|(id, _)| function.inst(*id).alignment()).min()?;
    Some(Record {
        members: found.into_iter().map(|(id, _)| id).collect(),
        address,
        before: own.offset - first,
        element: ty,
        align,
    })
}
