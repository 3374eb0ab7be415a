//! Private objects that may be interleaved: the first unit of all lanes of a gang, or of all work-items of a
//! work-group, then the second of all, and so on. So the units at one place in each lane's object are contiguous.
//!
//! An object may be interleaved if its address is used by loads, stores and address arithmetic alone. A unit has the
//! size of the longest number that is loaded or stored. Shorter numbers lie within a unit, as the bytes of a word do.

use std::collections::HashMap;

use crate::ir::{Function, InstId, Opcode, Operand, Scalar, Type};
use oxicl_protocol::Decision;

use crate::analyse::memory::{Home, Name, Object, Users};

/// Needed for correctness: bytes of the longest unit with shorter numbers within, which are shifted into place.
const LONGEST_WORD: u64 = 8;

/// Whose units lie side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Among {
    /// Those of a gang's lanes. The next gang reuses the memory.
    Gang,
    /// Those of all work-items of a work-group of the enqueued size, for objects that are live across a barrier.
    WorkGroup,
}

impl Among {
    /// Who they are, for the remarks.
    pub(crate) fn who(self) -> &'static str {
        match self {
            Among::Gang => "lanes",
            Among::WorkGroup => "work-items of a work-group",
        }
    }
}

/// The units of an interleaved object.
#[derive(Clone, Copy)]
pub(crate) struct Units {
    /// The variable.
    pub(crate) object: InstId,
    /// Bytes of each.
    pub(crate) bytes: u64,
    pub(crate) count: u64,
    pub(crate) among: Among,
}

impl Units {
    /// A unit as a word, in which shorter numbers lie.
    pub(crate) fn word(self) -> Scalar {
        Scalar::Int(8 * self.bytes as u32)
    }
}

/// Bytes from a lane's object to the next lane's, or between their first units if they are interleaved.
pub(crate) fn stride(object: &Object, units: Option<Units>) -> u64 {
    units.map_or(object.stride(), |units| units.bytes)
}

/// The addresses in objects that may be interleaved, each with the units of its object.
pub(crate) fn interleaved(function: &Function<'_>, objects: &[Object], users: &Users) -> HashMap<InstId, Units> {
    let mut result = HashMap::new();
    for object in objects {
        let among = match object.home {
            Home::Frame | Home::Group => Among::Gang,
            Home::Item if !function.in_fibers => Among::WorkGroup,
            Home::Item | Home::Arguments => continue,
        };
        if let Name::Alloca(id) = object.name
            && let Some((accessed, addresses)) = accessed(function, users, id)
            && let bytes = accessed.longest
            && object.bytes.is_multiple_of(bytes)
            && (accessed.is_uniform || among == Among::Gang && bytes <= LONGEST_WORD)
            && function.allows(Decision::Private, id)
        {
            let units = Units { object: id, bytes, count: object.bytes / bytes, among };
            result.extend(addresses.into_iter().map(|address| (address, units)));
        }
    }
    result
}

/// The sizes of the numbers that are accessed in an object.
struct Accessed {
    /// Bytes of the longest.
    longest: u64,
    /// Are all of this size?
    is_uniform: bool,
}

/// What is accessed in an object, and all addresses in the object; `None` if it may not be interleaved.
fn accessed(function: &Function<'_>, users: &Users, id: InstId) -> Option<(Accessed, Vec<InstId>)> {
    let mut sizes = Vec::new();
    let mut addresses = vec![id];
    let mut next = 0;
    while let Some(address) = addresses.get(next).copied() {
        next += 1;
        for user in users.of_insts[address.index()].iter().copied() {
            let inst = function.inst(user);
            let ty = match inst.opcode {
                Opcode::GetElementPtr if inst.operands.first() == Some(&Operand::Inst(address)) => {
                    // With an address as an index as well, the result is no address in the object.
                    if inst.operands[1..].contains(&Operand::Inst(address)) || inst.ty.is_vector() {
                        return None;
                    }
                    addresses.push(user);
                    continue;
                }
                Opcode::Load => &inst.ty,
                Opcode::Store if inst.operands.first() != Some(&Operand::Inst(address)) => function.type_at(inst, 0)?,
                _ => return None,
            };
            let bytes = element_bytes(ty)?;
            if !inst.is_ordinary() || u64::from(inst.alignment()) < bytes {
                return None;
            }
            sizes.push((bytes, ty.is_vector()));
        }
    }
    let longest = sizes.iter().map(|(bytes, _)| *bytes).max()?;
    let shorter = || sizes.iter().filter(|(bytes, _)| *bytes < longest);
    // Parts of several units are not accessed by one instruction.
    if shorter().any(|(_, is_vector)| *is_vector) {
        return None;
    }
    Some((Accessed { longest, is_uniform: shorter().next().is_none() }, addresses))
}

/// Bytes of each number that a value is made of; `None` where there may be gaps.
fn element_bytes(ty: &Type) -> Option<u64> {
    match ty.scalar()? {
        Scalar::Int(bits) if !matches!(bits, 8 | 16 | 32 | 64) => None,
        element => Some(element.size()),
    }
}
