//! Work-items that rely on lockstep: one reads what another has written to local memory, without a barrier in between.
//! That is a race, but it works on hardware whose sub-groups run in lockstep, so programs do it: sums over "a warp", or
//! small tables that the first work-item reads. In a gang they find what they expect.

use crate::ir::{ConstantKind, Function, Inst, Intrinsic, Opcode, Operand, space};

use crate::analyse::graph::Graph;
use crate::analyse::shape::Shapes;

/// A load from local memory or a store to it.
struct Access {
    node: usize,
    /// Its place among all instructions, in the order of nodes.
    place: usize,
    base: Operand,
    at: Operand,
}

/// Does a region load from a local object after, or in a loop with, a store there, but not what it stored itself?
pub(crate) fn goes_in_step(function: &Function<'_>, shapes: &Shapes, graph: &Graph) -> bool {
    let (mut stores, mut loads) = (Vec::new(), Vec::new());
    let insts = graph.blocks.iter().enumerate();
    let insts = insts.flat_map(|(node, block)| function.block(*block).insts.iter().map(move |id| (node, *id)));
    for (place, (node, id)) in insts.enumerate() {
        let [read, written] = places(function.inst(id));
        let access = |at| base(function, at).map(|base| Access { node, place, base, at });
        loads.extend(read.and_then(access));
        stores.extend(written.and_then(access));
    }
    let shares_loop = |a: usize, b: usize| (0..graph.loops.len()).any(|l| graph.is_in(a, l) && graph.is_in(b, l));
    loads.iter().any(|load| {
        // If lanes share the address, the work-item has stored there itself only if its store dominates the load.
        let is_one_place = shapes.of_operand(load.at).is_row_uniform();
        let before = |store: &Access| store.place < load.place && graph.dominates(store.node, load.node);
        let own = |store: &Access| store.at == load.at && (!is_one_place || before(store));
        // A loop's nodes are contiguous: a store may precede a load if it stands earlier or is in the same loop.
        let behind = |store: &Access| store.place < load.place || shares_loop(store.node, load.node);
        !stores.iter().any(own) && stores.iter().any(|store| store.base == load.base && behind(store))
    })
}

/// The addresses that an instruction reads and writes.
fn places<'m>(inst: &Inst<'m>) -> [Option<Operand>; 2] {
    let operand = |index: usize| inst.operands.get(index).copied();
    match inst.opcode {
        Opcode::Load => [operand(0), None],
        Opcode::Store => [None, operand(1)],
        // Operand 1 of a fill is no address; `base` then finds none.
        Opcode::Call if inst.calls(Intrinsic::is_of_memory) => [operand(1), operand(0)],
        _ => [None, None],
    }
}

/// The object that an address in local memory points into: an argument or a variable.
fn base(function: &Function<'_>, address: Operand) -> Option<Operand> {
    let ty = function.type_of(address);
    if !ty.is_pointer() || ty.address_space() != space::LOCAL {
        return None;
    }
    let mut base = function.base(address);
    while let Some(ConstantKind::Expression(of)) = function.as_constant(base).map(|constant| &constant.kind)
        && of.opcode == Opcode::GetElementPtr
    {
        base = Operand::Constant(*of.operands.first()?);
    }
    matches!(base, Operand::Parameter(_) | Operand::Constant(_)).then_some(base)
}
