//! Accesses to all numbers of a record, one after the other.

use oxicl_llvm::{Module, Opcode, Type, TypeKind, Value};
use oxicl_protocol::Decision;

use crate::analyse::instructions::is_ordinary;
use crate::analyse::shape::{Shape, Shapes, is_pure};
use crate::arena::{Function, Inst, InstId, Kind, Operand};
use crate::bounds::components::LONGEST;
use crate::bounds::record::{DEEP, LARGE, MOST};

/// The accesses to a record, in the order of its numbers.
pub(crate) struct Record<'m> {
    pub(crate) members: Vec<InstId>,
    /// Where the access itself goes, and the bytes of the record before that.
    pub(crate) address: Operand<'m>,
    pub(crate) before: i64,
    /// The type of a number.
    pub(crate) element: Type<'m>,
    /// The least alignment.
    pub(crate) align: u32,
}

/// What an access is made of: the type, the address, and by how much that goes on from lane to lane.
fn access<'m>(
    module: &Module<'_>,
    function: &Function<'m>,
    shapes: &Shapes,
    inst: &Inst<'m>,
) -> Option<(Type<'m>, Operand<'m>, i64, Place<'m>)> {
    let (ty, address) = match inst.opcode {
        Opcode::Load => (inst.value.ty(), *inst.operands.first()?),
        Opcode::Store => (inst.value.operand(0)?.ty(), *inst.operands.get(1)?),
        _ => return None,
    };
    let is_number = match ty.kind() {
        TypeKind::Integer => matches!(ty.int_width(), 8 | 16 | 32 | 64),
        kind => matches!(kind, TypeKind::Half | TypeKind::Float | TypeKind::Double),
    };
    let Shape::Affine(stride) = shapes.of_operand(address) else { return None };
    let usual = matches!(inst.kind, Kind::Plain) && is_number && is_ordinary(inst.value);
    let place = place(module, function, address).filter(|_| usual)?;
    Some((ty, address, stride, place))
}

/// An address: what does not change from number to number, and the bytes from there.
#[derive(PartialEq)]
struct Place<'m> {
    base: Operand<'m>,
    index: Option<(Operand<'m>, u64)>,
    offset: i64,
}

fn place<'m>(module: &Module<'_>, function: &Function<'m>, address: Operand<'m>) -> Option<Place<'m>> {
    let mut place = Place { base: address, index: None, offset: 0 };
    for _ in 0..DEEP {
        let Operand::Inst(id) = place.base else { break };
        let inst = function.inst(id);
        if inst.opcode == Opcode::Alloca {
            // Lanes' own memory lies another way.
            return None;
        }
        let ([base, index], Some(ty)) = (&inst.operands[..], inst.value.gep_source_type()) else { break };
        let unit = module.size_of(ty);
        let (index, by) = without_constant(function, *index, inst.value.operand(1)?);
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
fn without_constant<'m>(function: &Function<'m>, index: Operand<'m>, value: Value<'m>) -> (Option<Operand<'m>>, i64) {
    if let Some(by) = value.as_i64() {
        return (None, by);
    }
    let Operand::Inst(id) = index else { return (Some(index), 0) };
    let inst = function.inst(id);
    // In an index of fewer bits, the sum may wrap.
    let adds = (inst.opcode == Opcode::Add || inst.opcode == Opcode::Or && inst.value.is_disjoint())
        && inst.value.ty().is_int()
        && inst.value.ty().int_width() == 64;
    match (adds, &inst.operands[..], inst.value.operand(1).and_then(Value::as_i64)) {
        (true, [rest, _], Some(by)) => (Some(*rest), by),
        _ => (Some(index), 0),
    }
}

/// Does an instruction keep accesses on one side of it: loads from going past it, or stores?
fn parts(inst: &Inst<'_>, loads: bool) -> bool {
    match inst.kind {
        Kind::Phi(_) | Kind::Query(_) => false,
        Kind::Plain if inst.opcode == Opcode::Call => !is_pure(inst.value),
        Kind::Plain if inst.opcode == Opcode::Load => !loads || !is_ordinary(inst.value),
        Kind::Plain => matches!(
            inst.opcode,
            Opcode::Store | Opcode::AtomicRmw | Opcode::AtomicCmpXchg | Opcode::Fence | Opcode::Other
        ),
        _ => true,
    }
}

/// The record that an access is to a number of, if all others are accessed as well, next to it as far as memory goes.
pub(crate) fn record<'m>(
    module: &Module<'_>,
    function: &Function<'m>,
    shapes: &Shapes,
    id: InstId,
    lanes: u64,
) -> Option<Record<'m>> {
    let inst = function.inst(id);
    let (ty, address, stride, own) = access(module, function, shapes, inst)?;
    let bytes = module.size_of(ty) as i64;
    let count = stride / bytes;
    if !(2..=MOST).contains(&count) || count * bytes != stride || count as u64 * lanes > LONGEST {
        return None;
    }
    let alike = |other: &InstId| {
        let its = function.inst(*other);
        let (its_type, _, its_stride, place) =
            (its.opcode == inst.opcode).then(|| access(module, function, shapes, its)).flatten()?;
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
    let align = found.iter().map(|(id, _)| function.inst(*id).value.alignment()).min()?;
    Some(Record {
        members: found.into_iter().map(|(id, _)| id).collect(),
        address,
        before: own.offset - first,
        element: ty,
        align,
    })
}
