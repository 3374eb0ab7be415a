//! What a kernel would gain if no two of its buffers overlapped: loads and stores of one location could leave a loop,
//! values could be forwarded from access to access, and accesses could be reordered. Each launch knows its buffers.

use crate::analyse::dominators::reconvergence;
use crate::analyse::instructions::changes_memory;
use crate::analyse::overlap::are_of_different_objects;
use crate::bounds::COMPARED_ACCESSES;
use crate::ir::{BlockId, Buffers, Function, Inst, InstId, Kind, Opcode, Operand, Parameter, Terminator};

/// What an instruction does to memory.
enum Effect {
    Nothing,
    Access(Access),
    /// It orders accesses, or changes memory in unknown ways.
    Other,
}

/// A load or store of a number.
#[derive(Clone, Copy)]
struct Access {
    address: Operand,
    is_store: bool,
}

impl Access {
    /// Must two accesses keep their order, given what is known of buffers?
    fn is_kept_from(self, function: &Function<'_>, other: Access, buffers: Buffers) -> bool {
        (self.is_store || other.is_store)
            && self.address != other.address
            && !are_of_different_objects(function, [self.address, other.address], buffers)
    }

    /// Must two accesses keep their order only because buffers may overlap?
    fn would_pass(self, function: &Function<'_>, other: Access) -> bool {
        self.is_kept_from(function, other, Buffers::AsPromised)
            && !self.is_kept_from(function, other, Buffers::Disjoint)
    }
}

fn effect(inst: &Inst<'_>) -> Effect {
    match (&inst.kind, inst.opcode, inst.address()) {
        (Kind::Plain, opcode, Some(address)) if inst.is_ordinary() => {
            Effect::Access(Access { address, is_store: opcode == Opcode::Store })
        }
        (Kind::Plain, _, Some(_)) => Effect::Other,
        (Kind::Plain, Opcode::Call, _) if !inst.is_pure() => Effect::Other,
        (Kind::Plain, opcode, _) if changes_memory(opcode) => Effect::Other,
        (Kind::Plain | Kind::Phi(_) | Kind::Query(_) | Kind::Alloca | Kind::StorageClass, ..) => Effect::Nothing,
        _ => Effect::Other,
    }
}

/// Has a kernel several parameters that point to memory? Otherwise it gains nothing.
pub(crate) fn has_several_buffers(function: &Function<'_>) -> bool {
    let leads = |parameter: &&Parameter<'_>| parameter.ty.is_pointer() && parameter.by_value.is_none();
    function.parameters.iter().filter(leads).nth(1).is_some()
}

/// The accesses among instructions; `None` if something orders them, or there are too many.
fn accesses(function: &Function<'_>, insts: impl Iterator<Item = InstId>) -> Option<Vec<Access>> {
    let mut accesses = Vec::new();
    for id in insts {
        match effect(function.inst(id)) {
            Effect::Nothing => {}
            Effect::Access(access) if accesses.len() < COMPARED_ACCESSES => accesses.push(access),
            Effect::Access(_) | Effect::Other => return None,
        }
    }
    Some(accesses)
}

/// Could a load or store of the same address in all iterations be moved out of its loop?
pub(crate) fn leaves_a_loop(function: &Function<'_>) -> bool {
    let successors = function.block_ids().map(|block| function.successors_through_cuts(block));
    let Some(found) = reconvergence(&successors.collect::<Vec<_>>()) else { return false };
    found.loops.iter().any(|l| {
        let blocks = || l.nodes.iter().map(|node| BlockId(*node as u32));
        if blocks().any(|block| matches!(function.block(block).terminator, Terminator::Cut { .. })) {
            return false;
        }
        let insts = blocks().flat_map(|block| function.block(block).insts.iter().copied());
        let Some(accesses) = accesses(function, insts) else { return false };
        let stays = |address: Operand| match address {
            Operand::Inst(id) => !l.nodes.contains(&function.inst(id).block.index()),
            _ => true,
        };
        accesses.iter().filter(|access| stays(access.address)).any(|access| {
            // If anything in the loop stores there, loads from elsewhere keep it in order as well.
            let is_store = accesses.iter().any(|other| other.address == access.address && other.is_store);
            let access = Access { is_store, ..*access };
            accesses.iter().any(|other| access.would_pass(function, *other))
                && !accesses.iter().any(|other| access.is_kept_from(function, *other, Buffers::Disjoint))
        })
    })
}

/// Could a value be forwarded from one access of a block to a later one, or an overwritten store be dropped?
pub(crate) fn keeps_a_number(function: &Function<'_>) -> bool {
    any_run(function, |before, access| {
        let Some(last) = before.iter().rposition(|other| other.address == access.address) else { return false };
        // A store after a load has to happen, whatever lies between.
        if !before[last].is_store && access.is_store {
            return false;
        }
        let between = &before[last + 1..];
        between.iter().any(|other| access.would_pass(function, *other))
            && !between.iter().any(|other| access.is_kept_from(function, *other, Buffers::Disjoint))
    })
}

/// Could a load of some block move before a store? (A load before a store is the usual order.)
pub(crate) fn would_pass_others(function: &Function<'_>) -> bool {
    any_run(function, |before, access| {
        !access.is_store && before.iter().any(|other| other.is_store && access.would_pass(function, *other))
    })
}

/// Does `is_it` hold for any access, given those before it in its block since something last ordered accesses?
fn any_run(function: &Function<'_>, is_it: impl Fn(&[Access], Access) -> bool) -> bool {
    function.blocks.iter().any(|block| {
        let mut before: Vec<Access> = Vec::new();
        block.insts.iter().any(|id| {
            match effect(function.inst(*id)) {
                Effect::Access(access) if before.len() < COMPARED_ACCESSES => {
                    let found = is_it(&before, access);
                    before.push(access);
                    return found;
                }
                Effect::Access(_) | Effect::Other => before.clear(),
                Effect::Nothing => {}
            }
            false
        })
    })
}
