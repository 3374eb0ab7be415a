//! The loops over the work-items of a region, x innermost. They run along z only where a call runs more than one plane.

use oxicl_llvm::{Block as LlvmBlock, IntPredicate, Metadata, Opcode, Place, Value};
use oxicl_ops::{Query, attribute};

use crate::analyse::overlap::order_matters;
use crate::analyse::regions::{BackEdge, Region};
use crate::analyse::shape::Shape;
use crate::bounds::LONGEST_VECTORISED;
use crate::emit::guards::wraps_in_row;
use crate::emit::kernel::{Emitter, not_unrolled};
use crate::emit::places::{Places, no_wrap};
use crate::failure::{OrFail, Result, failure};
use crate::ir::Operand;

/// The loops of one region.
pub(crate) struct Loops<'m> {
    pub(crate) places: Places<'m>,
    /// Where a work-item goes when it is done with the region.
    pub(crate) next: LlvmBlock<'m>,
    /// Where control goes when all are done.
    pub(crate) done: LlvmBlock<'m>,
    pub(crate) access_group: Metadata<'m>,
}

/// A cost: how many work-items go through a uniform loop of the kernel together.
const WORK_ITEMS: u64 = 8;

/// Does a region have a loop with a uniform trip count that is no constant? A loop with a constant trip count is better
/// unrolled in full, which LLVM does not do inside a loop that it is to unroll and jam.
fn has_long_uniform_loop(e: &Emitter<'_, '_>, region: &Region, back_edges: &[BackEdge]) -> bool {
    let function = e.function;
    let long = |place: usize| {
        function.condition(region.blocks[place]).and_then(Operand::inst).is_some_and(|id| {
            let inst = function.inst(id);
            inst.opcode == Opcode::ICmp
                && e.plan.shapes.of(id) == Shape::Uniform
                && !inst.operands.iter().any(|o| matches!(o, Operand::Constant(_)))
        })
    };
    back_edges.iter().any(|edge| long(edge.latch) || long(edge.header))
}

/// The loop over the rows of a work-group.
pub(crate) struct Rows<'m> {
    /// The row's local ids along y and z, and the number of rows before it.
    pub(crate) y: Value<'m>,
    pub(crate) z: Value<'m>,
    pub(crate) before: Value<'m>,
    pub(crate) row: LlvmBlock<'m>,
    pub(crate) next: LlvmBlock<'m>,
    pub(crate) done: LlvmBlock<'m>,
}

/// The counter of a loop.
pub(super) struct Counter<'m> {
    pub(super) now: Value<'m>,
    /// Its value in the next iteration.
    pub(super) following: Value<'m>,
}

/// Writes the counter of a loop that is entered from `from` with `first`. The builder is left in the latch.
pub(super) fn count<'m>(
    e: &Emitter<'_, 'm>,
    header: LlvmBlock<'m>,
    latch: LlvmBlock<'m>,
    from: LlvmBlock<'m>,
    first: Value<'m>,
    step: Value<'m>,
) -> Counter<'m> {
    let b = e.b;
    b.position_at_end(header);
    let now = b.phi(first.ty());
    b.position_at_end(latch);
    let following = no_wrap(b.add(now, step));
    now.add_incoming(first, from);
    now.add_incoming(following, latch);
    Counter { now, following }
}

/// Does a call run one plane? Then no carry from y to z is needed.
fn is_plane(e: &Emitter<'_, '_>) -> bool {
    e.runs_planes() || e.options.required_size.is_some_and(|size| size[2] == 1)
}

/// How many rows there are.
pub(crate) fn count_rows<'m>(e: &Emitter<'_, 'm>, group: &Places<'m>) -> Value<'m> {
    if is_plane(e) { group.size[1] } else { no_wrap(e.b.mul(group.size[1], group.size[2])) }
}

/// How many rows, from the first on, form whole groups of `at_once`. With several planes it is all or none.
pub(crate) fn count_together<'m>(e: &Emitter<'_, 'm>, group: &Places<'m>, at_once: u32) -> Value<'m> {
    let b = e.b;
    let left = b.and(group.size[1], e.number(u64::from(at_once - 1)));
    if is_plane(e) {
        return no_wrap(b.sub(group.size[1], left));
    }
    b.select(b.icmp(IntPredicate::Eq, left, e.number(0)), count_rows(e, group), e.number(0))
}

/// Writes the loop over all rows. The builder is left where a row begins.
pub(crate) fn emit_rows<'m>(e: &Emitter<'_, 'm>, group: &Places<'m>) -> Result<Rows<'m>> {
    emit_span(e, group, e.number(0), count_rows(e, group), 1)
}

/// Writes the loop over the rows from `start` to `end`, at least one, counted through all planes; `at_once` of them, in
/// one plane, are one iteration. If there are several planes, the first row begins one. It is one loop for y and z and
/// not two, since every loop around a region costs compile time. The builder is left where a row begins.
pub(crate) fn emit_span<'m>(
    e: &Emitter<'_, 'm>,
    group: &Places<'m>,
    start: Value<'m>,
    end: Value<'m>,
    at_once: u32,
) -> Result<Rows<'m>> {
    let b = e.b;
    let i64_type = b.context().int_type(64);
    let (zero, one, step) = (e.number(0), e.number(1), e.number(u64::from(at_once)));
    let before = e.here()?;
    let (row, next, done) = (e.block("row"), e.block("row.next"), e.block("done"));
    let plane = is_plane(e);
    let z_of_plane = group.local_id[2];
    let first = if plane { no_wrap(b.mul(z_of_plane, group.size[1])) } else { zero };
    b.br(row);
    let Counter { now: line, following } = count(e, row, next, before, start, step);
    b.position_at_end(row);
    let carried = (!plane).then(|| [b.phi(i64_type), b.phi(i64_type)]);
    b.position_at_end(next);
    if let Some([y, z]) = carried {
        let next_y = no_wrap(b.add(y, step));
        let wraps = b.icmp(IntPredicate::Eq, next_y, group.size[1]);
        let values = [(y, b.select(wraps, zero, next_y)), (z, b.select(wraps, no_wrap(b.add(z, one)), z))];
        for (phi, value) in values {
            phi.add_incoming(zero, before);
            phi.add_incoming(value, next);
        }
    }
    e.go_on(b.icmp(IntPredicate::Ult, following, end), row, done);
    b.position_at_end(row);
    let [y, z] = carried.unwrap_or([line, z_of_plane]);
    let before = if plane { no_wrap(b.add(first, line)) } else { line };
    Ok(Rows { y, z, before, row, next, done })
}

/// Writes the loops; the builder is left at the start of the innermost one.
pub(crate) fn emit_loops<'m>(e: &Emitter<'_, 'm>, region: &Region, group: &Places<'m>) -> Result<Loops<'m>> {
    let b = e.b;
    let access_group = b.context().access_group().or_fail("LLVM makes no access group")?;
    if let Some(fiber) = e.fiber {
        // A fiber is one work-item.
        let done = e.block("done");
        return Ok(Loops { places: group.at_linear(b, fiber), next: done, done, access_group });
    }
    let rows = emit_rows(e, group)?;
    let (x_block, x_next) = (e.block("x"), e.block("x.next"));
    let before = no_wrap(b.mul(rows.before, group.size[0]));
    b.br(x_block);
    let Counter { now: x, following } = count(e, x_block, x_next, rows.row, e.number(0), e.number(1));
    let latch = b.cond_br(b.icmp(IntPredicate::Ult, following, group.size[0]), x_block, rows.next);
    // Between barriers work-items may run in any order, and so may their accesses.
    let context = b.context();
    let parallel = context.metadata_node(&[context.metadata_string("llvm.loop.parallel_accesses"), access_group]);
    // No interleaving: the processor finds by itself what small groups of independent work-items would gain.
    let one = Metadata::from_constant(context.int_type(32).const_int(1));
    let interleave = context.metadata_node(&[context.metadata_string("llvm.loop.interleave.count"), one]);
    let mut properties = vec![interleave];
    if !order_matters(e.function, &e.plan.shapes, &region.blocks) {
        properties.push(parallel);
    }
    let back_edges = region.back_edges(e.function);
    if !back_edges.is_empty() {
        properties.push(not_unrolled(context));
    }
    if region.insts(e.function).count() > LONGEST_VECTORISED {
        let off = Metadata::from_constant(context.int_type(1).const_int(0));
        properties.push(context.metadata_node(&[context.metadata_string("llvm.loop.vectorize.enable"), off]));
    } else if has_long_uniform_loop(e, region, &back_edges) {
        // Unroll and jam runs that loop for several work-items together, which lie side by side in memory.
        let count = Metadata::from_constant(context.int_type(32).const_int(WORK_ITEMS));
        e.group.add_attribute(Place::Function, context.text_attribute(attribute::TOGETHER, ""));
        properties.push(context.metadata_node(&[context.metadata_string("llvm.loop.unroll_and_jam.count"), count]));
    }
    context.set_loop_properties(latch, &properties);
    b.position_at_end(x_block);
    let mut places = *group;
    places.local_id = [x, rows.y, rows.z];
    places.linear = no_wrap(b.add(before, x));
    Ok(Loops { places, next: x_next, done: rows.done, access_group })
}

/// All work-items as if they were one row.
pub(super) fn one_row<'m>(e: &Emitter<'_, 'm>) -> Rows<'m> {
    let (row, done, zero) = (e.block("line"), e.block("done"), e.number(0));
    e.b.br(row);
    e.b.position_at_end(row);
    Rows { y: zero, z: zero, before: zero, row, next: done, done }
}

/// Do ids in a row cross a multiple of 2^31, or does a number wrap that was taken not to? If so, its work-items run one
/// by one, since these have to advance by their stride from lane to lane.
pub(super) fn crosses<'m>(e: &Emitter<'_, 'm>, group: &Places<'m>, y: Value<'m>, z: Value<'m>) -> Result<Value<'m>> {
    let b = e.b;
    let mut places = *group;
    places.local_id = [e.number(0), y, z];
    let mut result = b.context().int_type(1).zero();
    for query in [Query::GlobalId(0), Query::GlobalLinearId] {
        let is_it = |asked: Query| asked == query;
        if !e.function.asks(is_it) && !e.versions.ask(is_it) {
            continue;
        }
        let first = places.answer(b, query);
        let last = b.add(first, b.sub(places.size[0], e.number(1)));
        let changed = b.lshr(b.xor(first, last), e.number(31));
        result = b.or(result, b.icmp(IntPredicate::Ne, changed, e.number(0)));
    }
    for id in &e.plan.shapes.row_checked {
        let Shape::Affine(stride) = e.plan.shapes.of(*id) else { return failure("a number without stride") };
        result = b.or(result, wraps_in_row(e, *id, stride, places, places.size[0])?);
    }
    Ok(result)
}
