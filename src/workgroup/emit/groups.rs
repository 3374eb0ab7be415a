//! The loops over work-groups, in linear order: along a row by addition, from row to row by carry. The range's start is
//! divided up once a call.
//!
//! They stand in the kernel's entry and call the function that runs one work-group with the address of a [`GroupBlock`].
//! A kernel is the costlier to compile the deeper the loops that LLVM sees around it, and these gain nothing from what it
//! knows of the kernel, nor the kernel from them: so they are apart, and are not optimised.

use oxicl_llvm::{Block as LlvmBlock, Builder, GepFlags, IntPredicate, Value};

use crate::emit::entry::{Entry, Record};
use crate::emit::kernel::{Emitter, Options};
use crate::emit::places::{Places, no_wrap, product};
use crate::failure::{Failure, failure};

/// What the entry tells the function that runs a work-group: numbers of 64 bits, one after the other.
struct GroupBlock;

impl GroupBlock {
    const GROUP_ID: u64 = 0;
    /// Global id of the first work-item.
    const BASE: u64 = 3;
    const SIZE: u64 = 6;
    /// The local id along z that is to be run, of a kernel that runs plane by plane.
    const PLANE: u64 = 9;
    const FIELDS: u64 = 10;

    fn field<'m>(b: &Builder<'m>, block: Value<'m>, index: u64) -> Value<'m> {
        let i64_type = b.context().int_type(64);
        b.gep(i64_type, block, &[i64_type.const_int(index)], GepFlags::IN_BOUNDS)
    }

    fn store<'m>(b: &Builder<'m>, block: Value<'m>, index: u64, values: &[Value<'m>]) {
        for (value, index) in values.iter().zip(index..) {
            b.store(*value, Self::field(b, block, index), 8);
        }
    }

    fn load<'m>(b: &Builder<'m>, block: Value<'m>, index: u64) -> Value<'m> {
        b.load(b.context().int_type(64), Self::field(b, block, index), 8)
    }

    fn load_three<'m>(b: &Builder<'m>, block: Value<'m>, index: u64) -> [Value<'m>; 3] {
        [0, 1, 2].map(|d| Self::load(b, block, index + d))
    }
}

/// The work-group that the function runs.
pub(crate) struct Group<'m> {
    /// Where the work-group is; the work-item's own fields are not filled in, but for z where it is one plane.
    pub(crate) places: Places<'m>,
    /// The builder was left in this block: the first piece is entered from here.
    pub(crate) body: LlvmBlock<'m>,
    /// To be gone to when the work-group is done.
    pub(crate) done: LlvmBlock<'m>,
}

/// Writes the start and the end of the function that runs a work-group.
pub(crate) fn begin<'m>(e: &mut Emitter<'_, 'm>) -> Result<Group<'m>, Failure> {
    let b = e.b;
    let [.., launch, context, block] = e.parameters[..] else { return failure("a group without parameters") };
    e.parameters.truncate(e.function.parameters.len());
    let record = Record { b, address: launch };
    let zero = e.number(0);
    let local_size = local_size(b, &record, e.options);
    let mut size = GroupBlock::load_three(b, block, GroupBlock::SIZE);
    for (d, size) in size.iter_mut().enumerate() {
        // What is known of the size decides which loops there are at all.
        match e.options.required_size {
            Some(required) if required[d] == 1 && (d != 0 || !e.groups_may_merge()) => *size = e.number(1),
            Some(_) if d != 0 || !e.groups_may_merge() => *size = minimum(b, *size, local_size[d]),
            _ => {}
        }
    }
    let plane = if e.runs_planes() { GroupBlock::load(b, block, GroupBlock::PLANE) } else { zero };
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
        group_id: GroupBlock::load_three(b, block, GroupBlock::GROUP_ID),
        base: GroupBlock::load_three(b, block, GroupBlock::BASE),
        size,
        local_id: [zero, zero, plane],
        linear: zero,
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

/// How the kernel's work-groups are called.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    /// Several in a row may run as one.
    pub(crate) merge: bool,
    /// One plane of work-items a call.
    pub(crate) planes: bool,
    pub(crate) options: Options,
}

/// Values of the launch that the loops need.
struct Launch<'m> {
    num_groups: [Value<'m>; 3],
    local_size: [Value<'m>; 3],
    global_size: [Value<'m>; 3],
    global_offset: [Value<'m>; 3],
    /// The most work-groups that run as one; none where they never may.
    most: Option<Value<'m>>,
}

fn read_launch<'m>(b: &Builder<'m>, record: &Record<'_, 'm>, style: Style) -> Launch<'m> {
    let num_groups = record.num_groups();
    let local_size = local_size(b, record, style.options);
    let one = b.context().int_type(64).const_int(1);
    let most = style.merge.then(|| {
        let plane = no_wrap(b.mul(local_size[1], local_size[2]));
        let merge = b.icmp(IntPredicate::Eq, plane, one);
        b.select(merge, num_groups[0], one)
    });
    Launch { num_groups, local_size, global_size: record.global_size(), global_offset: record.global_offset(), most }
}

/// Writes the loops over work-groups behind what the entry has already; `arguments` are the kernel's.
pub(crate) fn emit_calls<'m>(b: &Builder<'m>, entry: &Entry<'m>, style: Style) -> Result<(), Failure> {
    let context = b.context();
    let i64_type = context.int_type(64);
    let [zero, one] = [0, 1].map(|n| i64_type.const_int(n));
    let block = |name: &str| entry.function.append_block(context, name);
    let (row_block, group_block, plane_block) = (block("row"), block("group"), block("plane"));
    let (group_done, row_done, next_row, exit) =
        (block("group.done"), block("row.done"), block("row.next"), block("exit"));
    let group = b.alloca(i64_type.array(GroupBlock::FIELDS), 8);
    let launch = read_launch(b, &Record { b, address: entry.launch }, style);
    let start = start_of(b, &launch, entry.first);
    let any = b.icmp(IntPredicate::Ne, entry.count, zero);
    let Some(setup) = b.block() else { return failure("no place to write to") };
    b.cond_br(any, row_block, exit);

    b.position_at_end(row_block);
    let [first_x, group_y, group_z, left] = [0; 4].map(|_| b.phi(i64_type));
    let rest = no_wrap(b.sub(launch.num_groups[0], first_x));
    let run = minimum(b, rest, left);
    let end = no_wrap(b.add(first_x, run));
    let (base_y, size_y) = extent(b, &launch, style, 1, group_y, one);
    let (base_z, size_z) = extent(b, &launch, style, 2, group_z, one);
    GroupBlock::store(b, group, GroupBlock::GROUP_ID + 1, &[group_y, group_z]);
    GroupBlock::store(b, group, GroupBlock::BASE + 1, &[base_y, base_z]);
    GroupBlock::store(b, group, GroupBlock::SIZE + 1, &[size_y, size_z]);
    b.br(group_block);

    b.position_at_end(group_block);
    let group_x = b.phi(i64_type);
    group_x.add_incoming(first_x, row_block);
    // Work-groups that may run as one do so, row by row.
    let step = launch.most.map_or(one, |most| minimum(b, no_wrap(b.sub(end, group_x)), most));
    let (base_x, size_x) = extent(b, &launch, style, 0, group_x, step);
    GroupBlock::store(b, group, GroupBlock::GROUP_ID, &[group_x]);
    GroupBlock::store(b, group, GroupBlock::BASE, &[base_x]);
    GroupBlock::store(b, group, GroupBlock::SIZE, &[size_x]);
    b.br(plane_block);

    b.position_at_end(plane_block);
    let plane = b.phi(i64_type);
    GroupBlock::store(b, group, GroupBlock::PLANE, &[plane]);
    let mut arguments = entry.arguments.clone();
    arguments.extend([entry.launch, entry.context, group]);
    b.call(entry.group, &arguments);
    let next_plane = no_wrap(b.add(plane, one));
    plane.add_incoming(zero, group_block);
    plane.add_incoming(next_plane, plane_block);
    let planes = if style.planes { size_z } else { one };
    b.cond_br(b.icmp(IntPredicate::Ult, next_plane, planes), plane_block, group_done);

    b.position_at_end(group_done);
    let next_x = no_wrap(b.add(group_x, step));
    group_x.add_incoming(next_x, group_done);
    b.cond_br(b.icmp(IntPredicate::Ult, next_x, end), group_block, row_done);

    b.position_at_end(row_done);
    let left_now = no_wrap(b.sub(left, run));
    b.cond_br(b.icmp(IntPredicate::Ne, left_now, zero), next_row, exit);
    b.position_at_end(next_row);
    let y = no_wrap(b.add(group_y, one));
    let wraps = b.icmp(IntPredicate::Eq, y, launch.num_groups[1]);
    let next_y = b.select(wraps, zero, y);
    let z = no_wrap(b.add(group_z, one));
    let next_z = b.select(wraps, z, group_z);
    b.br(row_block);
    let incoming = [(first_x, start[0], zero), (group_y, start[1], next_y), (group_z, start[2], next_z)];
    for (phi, from_start, from_row) in incoming {
        phi.add_incoming(from_start, setup);
        phi.add_incoming(from_row, next_row);
    }
    left.add_incoming(entry.count, setup);
    left.add_incoming(left_now, next_row);
    b.position_at_end(exit);
    b.ret_void();
    Ok(())
}

/// The group ids of the range's first work-group.
fn start_of<'m>(b: &Builder<'m>, launch: &Launch<'m>, first: Value<'m>) -> [Value<'m>; 3] {
    let [groups_x, groups_y, _] = launch.num_groups;
    let rows = b.udiv(first, groups_x);
    let x = b.sub(first, b.mul(rows, groups_x));
    let z = b.udiv(rows, groups_y);
    let y = b.sub(rows, b.mul(z, groups_y));
    [x, y, z]
}

fn minimum<'m>(b: &Builder<'m>, left: Value<'m>, right: Value<'m>) -> Value<'m> {
    let less = b.icmp(IntPredicate::Ult, left, right);
    b.select(less, left, right)
}

/// Global id of the first work-item, and size, of `step` work-groups along one dimension; the last one may be smaller.
fn extent<'m>(
    b: &Builder<'m>,
    launch: &Launch<'m>,
    style: Style,
    dimension: usize,
    group: Value<'m>,
    step: Value<'m>,
) -> (Value<'m>, Value<'m>) {
    let size = launch.local_size[dimension];
    let start = no_wrap(b.mul(group, size));
    let base = no_wrap(b.add(start, launch.global_offset[dimension]));
    let full = no_wrap(b.mul(size, step));
    if style.options.uniform_groups {
        return (base, full);
    }
    let rest = no_wrap(b.sub(launch.global_size[dimension], start));
    (base, minimum(b, full, rest))
}
