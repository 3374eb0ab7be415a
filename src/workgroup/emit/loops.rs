//! The loops around what a work-item does in a piece, x innermost; along z only where a call does not run one plane.

use std::collections::HashMap;

use oxicl_llvm::{Block as LlvmBlock, IntPredicate, Metadata, Opcode, Place, Value};

use crate::analyse::shape::Shape;
use crate::arena::{BlockId, Operand, Terminator};
use crate::emit::kernel::Emitter;
use crate::emit::places::{Places, no_wrap};
use crate::failure::{Failure, failure};
use crate::plan::Piece;

/// The loops of one piece.
pub(crate) struct Loops<'m> {
    pub(crate) places: Places<'m>,
    /// Where a work-item is done with the piece.
    pub(crate) next: LlvmBlock<'m>,
    /// Where all are.
    pub(crate) done: LlvmBlock<'m>,
    pub(crate) access_group: Metadata<'m>,
}

/// Work-items that go through a uniform loop of the kernel together.
const WORK_ITEMS: u64 = 8;

/// Has a piece a loop that all work-items run equally often, but not so often as a constant says? One with a constant
/// number of turns is better written out, which LLVM does not do inside a loop that it is to jam.
fn has_long_uniform_loop(e: &Emitter<'_, '_>, piece: &Piece) -> bool {
    let function = e.function;
    let order: HashMap<_, _> = piece.blocks.iter().enumerate().map(|(i, block)| (*block, i)).collect();
    let long = |block: &BlockId| match &function.block(*block).terminator {
        Terminator::Branch { condition: Some(Operand::Inst(id)), .. } => {
            let inst = function.inst(*id);
            inst.opcode == Opcode::ICmp
                && e.plan.shapes.of(*id) == Shape::Uniform
                && !inst.operands.iter().any(|o| matches!(o, Operand::Constant(_)))
        }
        _ => false,
    };
    let mut back_edges = piece.blocks.iter().flat_map(|latch| {
        let headers = function.successors(*latch).iter().filter(|header| order.get(header) <= order.get(latch));
        headers.map(move |header| (latch, header))
    });
    back_edges.any(|(latch, header)| long(latch) || long(header))
}

/// Writes the loops; the builder is left in the innermost, where that begins.
pub(crate) fn emit_loops<'m>(e: &Emitter<'_, 'm>, piece: &Piece, group: &Places<'m>) -> Result<Loops<'m>, Failure> {
    let b = e.b;
    let i64_type = b.context().int_type(64);
    let Some(before) = b.block() else { return failure("no place to write to") };
    let planes = e.runs_planes();
    let [z_block, y_block, x_block] = ["z", "y", "x"].map(|name| e.block(name));
    let [x_next, y_next, done] = ["x.next", "y.next", "done"].map(|name| e.block(name));
    let zero = e.number(0);
    b.br(z_block);
    let counter = |block: LlvmBlock<'m>, from: LlvmBlock<'m>, next: LlvmBlock<'m>| {
        b.position_at_end(block);
        let id = b.phi(i64_type);
        b.position_at_end(next);
        let following = no_wrap(b.add(id, e.number(1)));
        id.add_incoming(zero, from);
        id.add_incoming(following, next);
        (id, following)
    };
    let z_next = if planes { done } else { e.block("z.next") };
    let (z, following_z) = match planes {
        true => (group.local_id[2], None),
        false => {
            let (z, following) = counter(z_block, before, z_next);
            (z, Some(following))
        }
    };
    let (y, following_y) = counter(y_block, z_block, y_next);
    let (x, following_x) = counter(x_block, y_block, x_next);
    b.position_at_end(z_block);
    let plane = no_wrap(b.mul(z, group.size[1]));
    b.br(y_block);
    b.position_at_end(y_block);
    let row = no_wrap(b.mul(no_wrap(b.add(plane, y)), group.size[0]));
    b.br(x_block);
    let close = |next: LlvmBlock<'m>, following: Value<'m>, d: usize, again: LlvmBlock<'m>, then: LlvmBlock<'m>| {
        b.position_at_end(next);
        let more = b.icmp(IntPredicate::Ult, following, group.size[d]);
        b.cond_br(more, again, then)
    };
    let latch = close(x_next, following_x, 0, x_block, y_next);
    close(y_next, following_y, 1, y_block, z_next);
    if let Some(following) = following_z {
        close(z_next, following, 2, z_block, done);
    }
    // Between barriers the order of work-items does not matter, so neither does that of their accesses.
    let context = b.context();
    let Some(access_group) = context.access_group() else { return failure("LLVM makes no access group") };
    let parallel = context.metadata_node(&[context.metadata_string("llvm.loop.parallel_accesses"), access_group]);
    // Work-groups are small, and work-items independent: what interleaving would gain, the processor finds by itself.
    let one = Metadata::from_constant(context.int_type(32).const_int(1));
    let interleave = context.metadata_node(&[context.metadata_string("llvm.loop.interleave.count"), one]);
    let mut properties = vec![parallel, interleave];
    if has_long_uniform_loop(e, piece) {
        // That loop runs for several work-items together, which lie side by side in memory.
        let count = Metadata::from_constant(context.int_type(32).const_int(WORK_ITEMS));
        e.group.add_attribute(Place::Function, context.text_attribute(crate::TOGETHER, ""));
        properties.push(context.metadata_node(&[context.metadata_string("llvm.loop.unroll_and_jam.count"), count]));
    }
    let node = context.self_referential_node(&properties);
    latch.set_metadata(context, context.metadata_kind("llvm.loop"), node);
    b.position_at_end(x_block);
    let mut places = *group;
    places.local_id = [x, y, z];
    places.linear = no_wrap(b.add(row, x));
    Ok(Loops { places, next: x_next, done, access_group })
}
