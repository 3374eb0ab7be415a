//! Whether accesses of one work-item may overlap.

use crate::analyse::shape::{Shape, Shapes};
use crate::bounds::{CHAIN, COMPARED_ACCESSES, ROOTS};
use crate::ir::{BlockId, Buffers, ConstantId, ConstantKind, Function, InstId, Kind, Opcode, Operand, space};

/// Do two addresses certainly point into different objects?
pub(crate) fn are_of_different_objects(function: &Function<'_>, [a, b]: [Operand; 2], buffers: Buffers) -> bool {
    let [in_a, in_b] = [a, b].map(|address| function.type_of(address).address_space());
    if in_a != in_b && in_a != space::GENERIC && in_b != space::GENERIC {
        return true;
    }
    let (Some(of_a), Some(of_b)) = (roots(function, a), roots(function, b)) else { return false };
    let is_alone = |index: u32| buffers == Buffers::Disjoint || function.parameters[index as usize].is_noalias;
    let differ = |a: &Root, b: &Root| match (a, b) {
        (Root::Parameter(a), Root::Parameter(b)) => a != b && (is_alone(*a) || is_alone(*b)),
        (Root::Parameter(index), Root::Global(_)) | (Root::Global(_), Root::Parameter(index)) => is_alone(*index),
        _ => a != b,
    };
    of_a.iter().all(|a| of_b.iter().all(|b| differ(a, b)))
}

/// An object that an address points into: a variable of a work-item or of a module, or what a parameter points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Root {
    Variable(InstId),
    Parameter(u32),
    Global(ConstantId),
}

/// The objects that an address may point into, if all are known.
fn roots(function: &Function<'_>, address: Operand) -> Option<Vec<Root>> {
    let (mut work, mut seen, mut roots) = (vec![address], Vec::new(), Vec::new());
    while let Some(at) = work.pop() {
        let root = match at {
            Operand::Parameter(index) => Root::Parameter(index),
            Operand::Inst(id) => {
                if seen.contains(&id) {
                    continue;
                }
                seen.push(id);
                let inst = function.inst(id);
                match (&inst.kind, inst.opcode) {
                    (Kind::Alloca, _) => Root::Variable(id),
                    (Kind::Phi(_), _) => {
                        work.extend_from_slice(&inst.operands);
                        continue;
                    }
                    (Kind::Plain, Opcode::Select) => {
                        work.extend_from_slice(&inst.operands[1..]);
                        continue;
                    }
                    (Kind::Plain, Opcode::GetElementPtr | Opcode::AddrSpaceCast | Opcode::BitCast) => {
                        work.push(inst.operands[0]);
                        continue;
                    }
                    _ => return None,
                }
            }
            Operand::Constant(id) if matches!(function.constant(id).kind, ConstantKind::Global(_)) => Root::Global(id),
            Operand::Constant(_) | Operand::Opaque => return None,
        };
        if !roots.contains(&root) {
            roots.push(root);
        }
        if seen.len() + roots.len() > ROOTS {
            return None;
        }
    }
    Some(roots)
}

/// An address, as an origin that it has in common with other addresses, and a constant offset in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) origin: Origin,
    pub(crate) offset: i64,
}

/// What places that are a constant apart have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Origin {
    pub(crate) base: Operand,
    index: Option<Index>,
}

/// An index that is not constant.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Index {
    number: Operand,
    /// How the number is extended to the width of addresses.
    extension: Option<Opcode>,
    /// Bytes of an element.
    unit: u64,
}

impl Place {
    /// The place of an address, unless it is in a private variable, whose layout may differ for lanes.
    pub(crate) fn of(function: &Function<'_>, address: Operand) -> Option<Place> {
        let mut place = Place { origin: Origin { base: address, index: None }, offset: 0 };
        for _ in 0..CHAIN {
            let Some(inst) = function.made_by(place.origin.base) else { break };
            if inst.opcode == Opcode::Alloca {
                return None;
            }
            let ([base, index], Some(ty)) = (&inst.operands[..], inst.source_type()) else { break };
            let unit = ty.size();
            let (index, by) = without_constant(function, *index, unit);
            if index.is_some() && place.origin.index.is_some() {
                break;
            }
            place.origin.index = index.or(place.origin.index);
            place.offset = place.offset.checked_add(by.checked_mul(i64::try_from(unit).ok()?)?)?;
            place.origin.base = *base;
        }
        Some(place)
    }
}

/// Splits an index into its variable part and the constants added to it, before or after it is extended.
fn without_constant(function: &Function<'_>, index: Operand, unit: u64) -> (Option<Index>, i64) {
    if let Some(by) = function.as_i64(index) {
        return (None, by);
    }
    let (long, by_long) = without_sum(function, index, None).unwrap_or((index, 0));
    let extended = function.made_by(long).filter(|inst| matches!(inst.opcode, Opcode::SExt | Opcode::ZExt));
    let Some(extended) = extended else { return (Some(Index { number: long, extension: None, unit }), by_long) };
    let (short, extension) = (extended.operands[0], Some(extended.opcode));
    let (number, by) = without_sum(function, short, extension)
        .and_then(|(number, by)| Some((number, by.checked_add(by_long)?)))
        .unwrap_or((short, by_long));
    (Some(Index { number, extension, unit }), by)
}

/// Splits a sum into a number and a constant, if it has 64 bits, or is extended later and promises not to wrap.
fn without_sum(function: &Function<'_>, sum: Operand, extension: Option<Opcode>) -> Option<(Operand, i64)> {
    let sum = function.made_by(sum)?;
    let promises = sum.promises();
    // If a narrow sum wraps, its extension is not the sum of the extensions.
    let goes_on = match (sum.opcode, extension) {
        (Opcode::Or, _) => sum.is_disjoint(),
        (Opcode::Add, None) => true,
        (Opcode::Add, Some(Opcode::SExt)) => promises.no_signed_wrap,
        (Opcode::Add, _) => promises.no_unsigned_wrap,
        _ => false,
    };
    let is_fit = goes_on && (extension.is_some() || sum.ty.is_int_of(64));
    let by = match extension {
        Some(Opcode::ZExt) => function.u64_at(sum, 1).and_then(|by| i64::try_from(by).ok()),
        _ => function.i64_at(sum, 1),
    };
    by.filter(|_| is_fit).map(|by| (sum.operands[0], by))
}

/// A load or store of a work-item.
struct Access {
    block: BlockId,
    address: Operand,
    place: Option<Place>,
    bytes: i64,
    is_store: bool,
    /// Are the accesses of neighbouring work-items not contiguous?
    of_record: bool,
}

/// Does the order matter in which a work-item accesses numbers of records? LLVM's loop vectoriser merges such accesses
/// into interleave groups: it loads where the first of them is and stores where the last one is. It moves them past
/// what lies between if it was told that iterations do not depend on each other.
pub(crate) fn order_matters(function: &Function<'_>, shapes: &Shapes, blocks: &[BlockId]) -> bool {
    let accesses: Vec<_> = blocks.iter().flat_map(|block| accesses(function, shapes, *block)).collect();
    let stores = || accesses.iter().enumerate().filter(|(_, access)| access.is_store);
    stores().count() > COMPARED_ACCESSES
        || stores().any(|(at, store)| {
            // An access in another block may come before or after.
            let is_met = |other: &(usize, &Access)| other.0 > at || (other.1.block != store.block);
            accesses.iter().enumerate().filter(is_met).any(|(_, other)| {
                (store.of_record || (other.of_record && !other.is_store)) && may_overlap(function, [store, other])
            })
        })
}

fn accesses(function: &Function<'_>, shapes: &Shapes, block: BlockId) -> Vec<Access> {
    let access = |id: &InstId| {
        let inst = function.inst(*id);
        let address = inst.address().filter(|_| matches!(inst.kind, Kind::Plain))?;
        let (place, is_store) = (Place::of(function, address), inst.opcode == Opcode::Store);
        let bytes = function.moved_type(inst).size() as i64;
        let of_record = match shapes.of_operand(address) {
            Shape::Uniform | Shape::Row => false,
            Shape::Affine(stride) | Shape::Wrapping(stride) => stride != bytes,
            Shape::Varying => true,
        };
        Some(Access { block, address, place, bytes, is_store, of_record })
    };
    function.block(block).insts.iter().filter_map(access).collect()
}

/// May two accesses of a work-item overlap?
fn may_overlap(function: &Function<'_>, [a, b]: [&Access; 2]) -> bool {
    if let (Some(of_a), Some(of_b)) = (&a.place, &b.place)
        && of_a.origin == of_b.origin
    {
        return of_a.offset < of_b.offset + b.bytes && of_b.offset < of_a.offset + a.bytes;
    }
    !are_of_different_objects(function, [a.address, b.address], function.buffers)
}
