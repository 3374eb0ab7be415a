//! Private objects of a gang that may lie interleaved: all lanes' first unit, then all lanes' second. So what is at one place
//! in each lane's object is side by side.
//!
//! An object may if nothing but loads, stores and address arithmetic knows its address, and all that is loaded or stored is made
//! of numbers of one size.

use std::collections::HashMap;

use oxicl_llvm::{Module, Opcode, Ordering, Type, TypeKind};
use oxicl_protocol::Decision;

use crate::analyse::memory::{Home, Name, Object, Users};
use crate::arena::{Function, InstId, Operand};

/// The objects that may, and the addresses computed from each, with the bytes of the unit.
pub(crate) fn interleaved(
    module: &Module<'_>,
    function: &Function<'_>,
    objects: &[Object],
    users: &Users,
) -> HashMap<InstId, u64> {
    let mut result = HashMap::new();
    for object in objects.iter().filter(|o| matches!(o.home, Home::Frame | Home::Group)) {
        if let Name::Alloca(id) = object.name
            && let Some((unit, addresses)) = unit(module, function, users, id)
            && object.bytes.is_multiple_of(unit)
            && function.allows(Decision::Private, id)
        {
            result.extend(addresses.into_iter().map(|address| (address, unit)));
        }
    }
    result
}

/// The unit of an object's accesses, and all addresses in it.
fn unit(module: &Module<'_>, function: &Function<'_>, users: &Users, id: InstId) -> Option<(u64, Vec<InstId>)> {
    let mut unit = None;
    let mut addresses = vec![id];
    let mut next = 0;
    while let Some(address) = addresses.get(next).copied() {
        next += 1;
        for user in users.0[address.index()].iter().copied() {
            let inst = function.inst(user);
            let ty = match inst.opcode {
                Opcode::GetElementPtr if inst.operands.first() == Some(&Operand::Inst(address)) => {
                    // What is computed of an address that is an index too is no address any more.
                    if inst.operands[1..].contains(&Operand::Inst(address)) || inst.value.ty().is_vector() {
                        return None;
                    }
                    addresses.push(user);
                    continue;
                }
                Opcode::Load => inst.value.ty(),
                Opcode::Store if inst.operands.first() != Some(&Operand::Inst(address)) => inst.value.operand(0)?.ty(),
                _ => return None,
            };
            let bytes = element_bytes(module, ty)?;
            let plain = !inst.value.is_volatile() && inst.value.ordering() == Ordering::NotAtomic;
            if !plain || u64::from(inst.value.alignment()) < bytes || unit.is_some_and(|unit| unit != bytes) {
                return None;
            }
            unit = Some(bytes);
        }
    }
    Some((unit?, addresses))
}

/// Bytes of each number that a value is made of; `None` where there may be gaps.
fn element_bytes(module: &Module<'_>, ty: Type<'_>) -> Option<u64> {
    let element = if ty.is_vector() { ty.element()? } else { ty };
    match element.kind() {
        TypeKind::Struct | TypeKind::Array => None,
        TypeKind::Integer if !matches!(element.int_width(), 8 | 16 | 32 | 64) => None,
        _ => Some(module.size_of(element)),
    }
}
