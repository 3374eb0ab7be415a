//! The start and the end of the function that runs a work-group. The loops over work-groups are the scheduler's: the
//! deeper the loops that LLVM sees around a kernel, the longer it takes to compile, and neither these loops nor the
//! kernel gain anything by being optimised together.

use core::mem::offset_of;

use oxicl_abi::GroupRecord;
use oxicl_llvm::{Block as LlvmBlock, Builder, GepFlags, IntPredicate, Value};

use crate::emit::entry::{Record, word, words};
use crate::emit::kernel::{Emitter, Options};
use crate::emit::places::{Places, no_wrap, product};
use crate::failure::{Result, failure};

/// The work-group that the function runs.
pub(crate) struct Group<'m> {
    /// Where the work-group is. The work-item's own fields are not filled in, except z if a call runs one plane.
    pub(crate) places: Places<'m>,
    /// The block in which the builder was left; the first region is entered from here.
    pub(crate) body: LlvmBlock<'m>,
    /// The block to go to when the work-group is done.
    pub(crate) done: LlvmBlock<'m>,
}

/// Writes the start and the end of the function that runs a work-group.
pub(crate) fn begin<'m>(e: &mut Emitter<'_, 'm>) -> Result<Group<'m>> {
    let b = e.b;
    if e.function.in_fibers {
        e.fiber = e.parameters.get(e.function.parameters.len() + 3).copied();
    }
    let [launch, context, group, ref rest @ ..] = e.parameters[e.function.parameters.len()..] else {
        return failure("a group without parameters");
    };
    let fibers = rest.get(1).copied().unwrap_or_else(|| b.context().pointer_type(0).zero());
    e.parameters.truncate(e.function.parameters.len());
    let record = Record { b, address: launch };
    let zero = e.number(0);
    let local_size = local_size(b, &record, e.options);
    let mut size = words(b, group, offset_of!(GroupRecord, size));
    for (d, size) in size.iter_mut().enumerate() {
        // Sizes that are known here let LLVM drop loops.
        match e.options.required_size {
            _ if d == 0 && (e.groups_may_merge() || e.plan.shapes.coalescing.is_some()) => {}
            Some(required) if required[d] == 1 || e.options.uniform_groups => *size = local_size[d],
            Some(_) => *size = minimum(b, *size, local_size[d]),
            None => {}
        }
    }
    let plane = if e.runs_planes() { word(b, group, offset_of!(GroupRecord, plane)) } else { zero };
    let mut places = Places {
        work_dim: record.work_dim(),
        global_offset: record.global_offset(),
        global_size: record.global_size(),
        local_size,
        num_groups: record.num_groups(),
        program_block: record.program_block(),
        services: if e.prints || e.fiber.is_some() { record.services() } else { b.context().pointer_type(0).zero() },
        fibers,
        context,
        state: [zero; 2],
        group_id: words(b, group, offset_of!(GroupRecord, id)),
        base: words(b, group, offset_of!(GroupRecord, base)),
        size,
        local_id: [zero, zero, plane],
        linear: zero,
        sub_group_size: e.plan.shapes.sub_group_size,
        coalescing: e.plan.shapes.coalescing,
        not_streaming: (e.plan.streams.bytes > 0).then(|| b.xor(record.streams(), e.number(u64::MAX))),
    };
    let state_offset = record.state_offset();
    let state = b.gep(b.context().int_type(8), context, &[state_offset], GepFlags::IN_BOUNDS);
    let items = product(b, &places.local_size);
    let state_bytes = b.add(b.mul(items, e.number(e.plan.item_bytes)), e.number(e.plan.group_bytes));
    places.state = [state_offset, no_wrap(b.add(state_offset, state_bytes))];
    e.make_arrays(state, items);
    if let Some(hidden) = e.hidden {
        places.store_group(b, hidden);
    }
    let Some(body) = b.block() else { return failure("no place to write to") };
    let done = e.block("exit");
    b.position_at_end(done);
    b.ret_void();
    b.position_at_end(body);
    Ok(Group { places, body, done })
}

/// The work-group size as enqueued.
fn local_size<'m>(b: &Builder<'m>, record: &Record<'_, 'm>, options: Options) -> [Value<'m>; 3] {
    match options.required_size {
        Some(size) => size.map(|s| b.context().int_type(64).const_int(u64::from(s))),
        None => record.local_size(),
    }
}

fn minimum<'m>(b: &Builder<'m>, left: Value<'m>, right: Value<'m>) -> Value<'m> {
    let less = b.icmp(IntPredicate::Ult, left, right);
    b.select(less, left, right)
}
