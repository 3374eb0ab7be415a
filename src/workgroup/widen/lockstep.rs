//! Work-items that count on going in step: one reads what another has written to local memory, with no barrier between. That is
//! a race, but on hardware whose sub-groups go in step it gives what was meant, and so there are programs that have it: sums of
//! "a warp", tables of a few entries that the first work-item reads. In a gang they find what they expect.

use std::collections::HashSet;

use oxicl_llvm::{Opcode, Value};

use crate::arena::{Function, InstId, Operand};
use crate::widen::graph::Graph;

/// The address space of local memory.
const LOCAL: u32 = 3;

/// Does a piece load from local memory behind, or in a loop with, a store to the same object, and from none of the addresses
/// that the piece stores to?
pub(crate) fn goes_in_step(function: &Function<'_>, graph: &Graph) -> bool {
    let mut stores: Vec<(usize, Base<'_>)> = Vec::new();
    let mut loads: Vec<(usize, Base<'_>, InstId)> = Vec::new();
    let mut written: HashSet<InstId> = HashSet::new();
    // Loops are together in the order of nodes: behind is a greater number, or the same loop.
    for (node, block) in graph.blocks.iter().enumerate() {
        for id in &function.block(*block).insts {
            let inst = function.inst(*id);
            let address = match inst.opcode {
                Opcode::Load => inst.operands.first(),
                Opcode::Store => inst.operands.get(1),
                _ => None,
            };
            let Some((Operand::Inst(at), base)) = address.and_then(|at| Some((*at, base(function, *at)?))) else {
                continue;
            };
            if inst.opcode == Opcode::Load {
                loads.push((node, base, at));
            } else {
                stores.push((node, base));
                written.insert(at);
            }
        }
    }
    let shares_loop = |a: usize, b: usize| (0..graph.loops.len()).any(|l| graph.is_in(a, l) && graph.is_in(b, l));
    loads.iter().filter(|(_, _, at)| !written.contains(at)).any(|(node, base, _)| {
        stores.iter().any(|(other, of)| of == base && (other < node || shares_loop(*other, *node)))
    })
}

/// What an address in local memory is in: an argument or a variable.
#[derive(PartialEq, Eq)]
enum Base<'m> {
    Parameter(u32),
    Variable(Value<'m>),
}

fn base<'m>(function: &Function<'m>, address: Operand<'m>) -> Option<Base<'m>> {
    let mut at = address;
    loop {
        match at {
            Operand::Inst(id) => {
                let inst = function.inst(id);
                if !inst.value.ty().is_pointer() || inst.value.ty().address_space() != LOCAL {
                    return None;
                }
                match inst.opcode {
                    Opcode::GetElementPtr => at = *inst.operands.first()?,
                    _ => return None,
                }
            }
            Operand::Parameter(index) => return Some(Base::Parameter(index)),
            Operand::Constant(value) => return Some(Base::Variable(value)),
            Operand::Opaque => return None,
        }
    }
}
