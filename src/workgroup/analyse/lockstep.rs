//! Work-items that rely on lockstep: one reads what another has written to local memory, without a barrier in between.
//! That is a race, but it works on hardware whose sub-groups run in lockstep, so programs do it: sums over "a warp", or
//! small tables that the first work-item reads. In a gang they find what they expect.

use crate::ir::{BlockId, ConstantKind, Function, Inst, IntPredicate, Intrinsic, Opcode, Operand, space};

use crate::analyse::graph::Graph;
use crate::analyse::shape::{Shape, Shapes};

/// A load from local memory or a store to it.
struct Access {
    node: usize,
    /// Its place among all instructions, in the order of nodes.
    place: usize,
    base: Operand,
    at: Operand,
    /// The outermost branch behind which one work-item of a row is alone, if it is behind one.
    alone_behind: Option<usize>,
}

/// Does a region load from a local object after, or in a loop with, a store there, but not what it stored itself? What one
/// work-item does alone, as the first one often does for all, is its own.
pub(crate) fn goes_in_step(function: &Function<'_>, shapes: &Shapes, graph: &Graph) -> bool {
    let alone = alone_behind(function, shapes, graph);
    let (mut stores, mut loads) = (Vec::new(), Vec::new());
    let insts = graph.blocks.iter().enumerate();
    let insts = insts.flat_map(|(node, block)| function.block(*block).insts.iter().map(move |id| (node, *id)));
    for (place, (node, id)) in insts.enumerate() {
        let [read, written] = places(function.inst(id));
        let access = |at| base(function, at).map(|base| Access { node, place, base, at, alone_behind: alone[node] });
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
        let by_another = |store: &&Access| load.alone_behind.is_none() || store.alone_behind != load.alone_behind;
        let mut of_object = stores.iter().filter(|store| store.base == load.base).filter(by_another);
        !stores.iter().any(own) && of_object.any(behind)
    })
}

/// For each node, the outermost branch in front of it behind which one work-item of a row is alone.
fn alone_behind(function: &Function<'_>, shapes: &Shapes, graph: &Graph) -> Vec<Option<usize>> {
    let mut alone: Vec<Option<usize>> = Vec::with_capacity(graph.end());
    for node in 0..graph.end() {
        let from = graph.dominator(node);
        let takes_one = || {
            let only_from_there = graph.predecessors[node] == [from];
            only_from_there && takes_one(function, shapes, graph.blocks[from], graph.blocks[node])
        };
        alone.push(if from == node { None } else { alone[from].or_else(|| takes_one().then_some(from)) });
    }
    alone
}

/// Does a branch lead to `to` only the work-item of a row whose place equals a number?
fn takes_one(function: &Function<'_>, shapes: &Shapes, from: BlockId, to: BlockId) -> bool {
    let comparison = function.condition(from).and_then(|condition| function.made_by(condition));
    let Some(comparison) = comparison.filter(|inst| inst.opcode == Opcode::ICmp) else { return false };
    let side = match comparison.int_predicate() {
        Some(IntPredicate::Eq) => 0,
        Some(IntPredicate::Ne) => 1,
        _ => return false,
    };
    let [left, right] = [0, 1].map(|index| shapes.of_operand(comparison.operands[index]));
    // Numbers that go up or down by one are different in all lanes, whatever their width.
    let is_place = |shape: Shape| matches!(shape, Shape::Affine(1 | -1));
    let finds_place = is_place(left) && right.is_row_uniform() || is_place(right) && left.is_row_uniform();
    finds_place && function.successors(from).get(side) == Some(&to)
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
