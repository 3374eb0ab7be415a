//! The loops over work-groups, in linear order: along a row by addition, from row to row by carry. The range's start is
//! divided up once a call.

use oxicl_llvm::{Block as LlvmBlock, GepFlags, IntPredicate, Value};

use crate::emit::entry::Record;
use crate::emit::kernel::Emitter;
use crate::emit::places::{Places, no_wrap, product};
use crate::failure::{Failure, failure};

/// One turn of the loop over work-groups.
pub(crate) struct GroupLoop<'m> {
    /// Where the work-group is; the work-item's own fields are not filled in.
    pub(crate) places: Places<'m>,
    /// The builder was left in this block: the first piece is entered from here.
    pub(crate) body: LlvmBlock<'m>,
    /// To be gone to when the work-group is done.
    pub(crate) done: LlvmBlock<'m>,
}

/// A row of work-groups and how far it goes.
struct Row<'m> {
    /// First and last-but-one group along x.
    first: Value<'m>,
    end: Value<'m>,
    group_y: Value<'m>,
    group_z: Value<'m>,
}

/// Values of the launch that the loops need.
struct Launch<'m> {
    places: Places<'m>,
    first: Value<'m>,
    count: Value<'m>,
    /// The most work-groups that run as one; none where they never may. A number and no condition: on a condition LLVM
    /// would split the loops in two, each with a copy of the kernel.
    most: Option<Value<'m>>,
}

/// Writes the loops around what one work-group does.
pub(crate) fn begin<'m>(e: &mut Emitter<'_, 'm>) -> Result<GroupLoop<'m>, Failure> {
    let launch = read_launch(e)?;
    let b = e.b;
    let i64_type = b.context().int_type(64);
    let zero = e.number(0);
    let (row_block, group_block) = (e.block("row"), e.block("group"));
    let (next_block, row_done, next_row, exit) =
        (e.block("group.next"), e.block("row.done"), e.block("row.next"), e.block("exit"));
    let start = start_of(e, &launch);
    let any = b.icmp(IntPredicate::Ne, launch.count, zero);
    let setup = b.block();
    b.cond_br(any, row_block, exit);

    b.position_at_end(row_block);
    let [first_x, group_y, group_z, left] = [0; 4].map(|_| b.phi(i64_type));
    let rest = no_wrap(b.sub(launch.places.num_groups[0], first_x));
    let run = minimum(e, rest, left);
    let row = Row { first: first_x, end: no_wrap(b.add(first_x, run)), group_y, group_z };
    let (start_y, size_y) = extent(e, &launch, 1, group_y, e.number(1));
    let (start_z, size_z) = extent(e, &launch, 2, group_z, e.number(1));
    b.br(group_block);

    b.position_at_end(group_block);
    let group_x = b.phi(i64_type);
    group_x.add_incoming(row.first, row_block);
    // Work-groups that may run as one do so, row by row.
    let step = match launch.most {
        Some(most) => minimum(e, no_wrap(b.sub(row.end, group_x)), most),
        None => e.number(1),
    };
    let (start_x, size_x) = extent(e, &launch, 0, group_x, step);
    let mut places = launch.places;
    places.group_id = [group_x, row.group_y, row.group_z];
    places.size = [size_x, size_y, size_z];
    places.base = [0, 1, 2].map(|d| no_wrap(b.add([start_x, start_y, start_z][d], places.global_offset[d])));
    if let Some(hidden) = e.hidden {
        places.store_group(b, hidden);
    }
    let Some(body) = b.block() else { return failure("no place to write to") };

    b.position_at_end(next_block);
    let next_x = no_wrap(b.add(group_x, step));
    group_x.add_incoming(next_x, next_block);
    let more = b.icmp(IntPredicate::Ult, next_x, row.end);
    b.cond_br(more, group_block, row_done);

    b.position_at_end(row_done);
    let left_now = no_wrap(b.sub(left, run));
    let more = b.icmp(IntPredicate::Ne, left_now, zero);
    b.cond_br(more, next_row, exit);
    b.position_at_end(next_row);
    let y = no_wrap(b.add(row.group_y, e.number(1)));
    let wraps = b.icmp(IntPredicate::Eq, y, launch.places.num_groups[1]);
    let next_y = b.select(wraps, zero, y);
    let z = no_wrap(b.add(row.group_z, e.number(1)));
    let next_z = b.select(wraps, z, row.group_z);
    b.br(row_block);
    let Some(setup) = setup else { return failure("no place to write to") };
    let incoming = [(first_x, start[0], zero), (group_y, start[1], next_y), (group_z, start[2], next_z)];
    for (phi, from_start, from_row) in incoming {
        phi.add_incoming(from_start, setup);
        phi.add_incoming(from_row, next_row);
    }
    left.add_incoming(launch.count, setup);
    left.add_incoming(left_now, next_row);

    b.position_at_end(exit);
    b.ret_void();
    b.position_at_end(body);
    Ok(GroupLoop { places, body, done: next_block })
}

fn read_launch<'m>(e: &mut Emitter<'_, 'm>) -> Result<Launch<'m>, Failure> {
    let b = e.b;
    let [.., launch, context, first, count] = e.parameters[..] else { return failure("a range without parameters") };
    e.parameters.truncate(e.function.parameters.len());
    let record = Record { b, address: launch };
    let zero = e.number(0);
    let local_size = match e.options.required_size {
        Some(size) => size.map(|s| e.number(u64::from(s))),
        None => record.local_size(),
    };
    let mut places = Places {
        work_dim: record.work_dim(),
        global_offset: record.global_offset(),
        global_size: record.global_size(),
        local_size,
        num_groups: record.num_groups(),
        program_block: record.program_block(),
        services: if e.prints { record.services() } else { b.context().pointer_type(0).zero() },
        context,
        state: [zero; 2],
        group_id: [zero; 3],
        base: [zero; 3],
        size: [zero; 3],
        local_id: [zero; 3],
        linear: zero,
    };
    let state_offset = record.state_offset();
    let state = b.gep(b.context().int_type(8), context, &[state_offset], GepFlags::IN_BOUNDS);
    let items = product(b, &places.local_size);
    let state_bytes = b.add(b.mul(items, e.number(e.plan.item_bytes)), e.number(e.plan.group_bytes));
    places.state = [state_offset, no_wrap(b.add(state_offset, state_bytes))];
    e.make_arrays(state, items);
    let most = e.groups_may_merge().then(|| {
        let plane = no_wrap(b.mul(places.local_size[1], places.local_size[2]));
        let merge = b.icmp(IntPredicate::Eq, plane, e.number(1));
        b.select(merge, places.num_groups[0], e.number(1))
    });
    Ok(Launch { places, first, count, most })
}

/// The group ids of the range's first work-group.
fn start_of<'m>(e: &Emitter<'_, 'm>, launch: &Launch<'m>) -> [Value<'m>; 3] {
    let b = e.b;
    let [groups_x, groups_y, _] = launch.places.num_groups;
    let rows = b.udiv(launch.first, groups_x);
    let x = b.sub(launch.first, b.mul(rows, groups_x));
    let z = b.udiv(rows, groups_y);
    let y = b.sub(rows, b.mul(z, groups_y));
    [x, y, z]
}

fn minimum<'m>(e: &Emitter<'_, 'm>, left: Value<'m>, right: Value<'m>) -> Value<'m> {
    let less = e.b.icmp(IntPredicate::Ult, left, right);
    e.b.select(less, left, right)
}

/// Start and size of `step` work-groups along one dimension; the last one may be smaller.
fn extent<'m>(
    e: &Emitter<'_, 'm>,
    launch: &Launch<'m>,
    dimension: usize,
    group: Value<'m>,
    step: Value<'m>,
) -> (Value<'m>, Value<'m>) {
    let b = e.b;
    let size = launch.places.local_size[dimension];
    let start = no_wrap(b.mul(group, size));
    let full = no_wrap(b.mul(size, step));
    if e.options.uniform_groups {
        return (start, full);
    }
    let rest = no_wrap(b.sub(launch.places.global_size[dimension], start));
    (start, minimum(e, full, rest))
}
