//! The loops over work-groups, in linear order: along a row by addition, from row to row by carry. The range's start is
//! divided up once a call.
//!
//! They stand in the kernel's entry and call the function that runs one work-group with the address of a [`GroupBlock`].
//! A kernel is the costlier to compile the deeper the loops that LLVM sees around it, and these gain nothing from what it
//! knows of the kernel, nor the kernel from them: so they are apart, and are not optimised.

use core::mem::offset_of;

use oxicl_llvm::{Block as LlvmBlock, Builder, GepFlags, IntPredicate, Value};
use oxicl_protocol::LaunchRecord;
use oxicl_validate::KernelSignature;

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

/// Writes the loops over work-groups behind what the entry has already.
///
/// What they need is in memory that the cache has: the launch record, and the block that tells the group. It is read
/// again in each turn, as the little code there is then costs the register allocator next to nothing.
pub(crate) fn emit_calls<'m>(
    b: &Builder<'m>,
    entry: &Entry<'m>,
    signature: &KernelSignature,
    style: Style,
) -> Result<(), Failure> {
    let context = b.context();
    let i64_type = context.int_type(64);
    let [zero, one] = [0, 1].map(|n| i64_type.const_int(n));
    let block = |name: &str| entry.function.append_block(context, name);
    let (row_block, group_block) = (block("row"), block("group"));
    let (row_done, next_row, exit) = (block("row.done"), block("row.next"), block("exit"));
    let group = b.alloca(i64_type.array(GroupBlock::FIELDS), 8);
    let launch = Launch { record: Record { b, address: entry.launch }, style };
    GroupBlock::store(b, group, GroupBlock::GROUP_ID, &launch.start(entry.first));
    let any = b.icmp(IntPredicate::Ne, entry.count, zero);
    let Some(setup) = b.block() else { return failure("no place to write to") };
    b.cond_br(any, row_block, exit);

    b.position_at_end(row_block);
    let left = b.phi(i64_type);
    left.add_incoming(entry.count, setup);
    let [first_x, group_y, group_z] = GroupBlock::load_three(b, group, GroupBlock::GROUP_ID);
    let rest = no_wrap(b.sub(launch.num_groups(0), first_x));
    let run = minimum(b, rest, left);
    let end = no_wrap(b.add(first_x, run));
    let left_then = no_wrap(b.sub(left, run));
    for (dimension, index) in [(1, group_y), (2, group_z)] {
        launch.store_extent(group, dimension, index, one);
    }
    b.br(group_block);

    b.position_at_end(group_block);
    let group_x = GroupBlock::load(b, group, GroupBlock::GROUP_ID);
    // Work-groups that may run as one do so, row by row.
    let step = launch.most().map_or(one, |most| minimum(b, no_wrap(b.sub(end, group_x)), most));
    launch.store_extent(group, 0, group_x, step);
    let next_x = no_wrap(b.add(group_x, step));
    emit_planes(b, entry, signature, style, group)?;
    GroupBlock::store(b, group, GroupBlock::GROUP_ID, &[next_x]);
    b.cond_br(b.icmp(IntPredicate::Ult, next_x, end), group_block, row_done);

    b.position_at_end(row_done);
    b.cond_br(b.icmp(IntPredicate::Ne, left_then, zero), next_row, exit);
    b.position_at_end(next_row);
    let [_, group_y, group_z] = GroupBlock::load_three(b, group, GroupBlock::GROUP_ID);
    let y = no_wrap(b.add(group_y, one));
    let wraps = b.icmp(IntPredicate::Eq, y, launch.num_groups(1));
    let z = no_wrap(b.add(group_z, one));
    let next = [zero, b.select(wraps, zero, y), b.select(wraps, z, group_z)];
    GroupBlock::store(b, group, GroupBlock::GROUP_ID, &next);
    b.br(row_block);
    left.add_incoming(left_then, next_row);
    b.position_at_end(exit);
    b.ret_void();
    Ok(())
}

/// Calls the function that runs a work-group, once or once a plane.
fn emit_planes<'m>(
    b: &Builder<'m>,
    entry: &Entry<'m>,
    signature: &KernelSignature,
    style: Style,
    group: Value<'m>,
) -> Result<(), Failure> {
    let i64_type = b.context().int_type(64);
    let call = || {
        let mut arguments = entry.read_arguments(b, signature);
        arguments.extend([entry.launch, entry.context, group]);
        b.call(entry.group, &arguments);
    };
    if !style.planes {
        call();
        return Ok(());
    }
    let Some(before) = b.block() else { return failure("no place to write to") };
    let [plane_block, done] = ["plane", "group.done"].map(|name| entry.function.append_block(b.context(), name));
    b.br(plane_block);
    b.position_at_end(plane_block);
    let plane = b.phi(i64_type);
    GroupBlock::store(b, group, GroupBlock::PLANE, &[plane]);
    call();
    let next_plane = no_wrap(b.add(plane, i64_type.const_int(1)));
    plane.add_incoming(i64_type.const_int(0), before);
    plane.add_incoming(next_plane, plane_block);
    let planes = GroupBlock::load(b, group, GroupBlock::SIZE + 2);
    b.cond_br(b.icmp(IntPredicate::Ult, next_plane, planes), plane_block, done);
    b.position_at_end(done);
    Ok(())
}

/// Reads what the loops need of the launch, where the builder is.
struct Launch<'e, 'm> {
    record: Record<'e, 'm>,
    style: Style,
}

impl<'m> Launch<'_, 'm> {
    fn num_groups(&self, dimension: usize) -> Value<'m> {
        self.record.one_of(offset_of!(LaunchRecord, num_groups), dimension)
    }

    fn local_size(&self, dimension: usize) -> Value<'m> {
        match self.style.options.required_size {
            Some(size) => self.record.b.context().int_type(64).const_int(u64::from(size[dimension])),
            None => self.record.one_of(offset_of!(LaunchRecord, local_size), dimension),
        }
    }

    /// The most work-groups that run as one; none where they never may.
    fn most(&self) -> Option<Value<'m>> {
        let b = self.record.b;
        let one = b.context().int_type(64).const_int(1);
        self.style.merge.then(|| {
            let plane = no_wrap(b.mul(self.local_size(1), self.local_size(2)));
            let merge = b.icmp(IntPredicate::Eq, plane, one);
            b.select(merge, self.num_groups(0), one)
        })
    }

    /// The group ids of the range's first work-group.
    fn start(&self, first: Value<'m>) -> [Value<'m>; 3] {
        let b = self.record.b;
        let [groups_x, groups_y] = [0, 1].map(|d| self.num_groups(d));
        let rows = b.udiv(first, groups_x);
        let x = b.sub(first, b.mul(rows, groups_x));
        let z = b.udiv(rows, groups_y);
        let y = b.sub(rows, b.mul(z, groups_y));
        [x, y, z]
    }

    /// Stores global id of the first work-item, and size, of `step` work-groups along one dimension; the last one may be
    /// smaller.
    fn store_extent(&self, block: Value<'m>, dimension: usize, group: Value<'m>, step: Value<'m>) {
        let b = self.record.b;
        let size = self.local_size(dimension);
        let start = no_wrap(b.mul(group, size));
        let offset = self.record.one_of(offset_of!(LaunchRecord, global_offset), dimension);
        let base = no_wrap(b.add(start, offset));
        let mut full = no_wrap(b.mul(size, step));
        if !self.style.options.uniform_groups {
            let all = self.record.one_of(offset_of!(LaunchRecord, global_size), dimension);
            full = minimum(b, full, no_wrap(b.sub(all, start)));
        }
        GroupBlock::store(b, block, GroupBlock::BASE + dimension as u64, &[base]);
        GroupBlock::store(b, block, GroupBlock::SIZE + dimension as u64, &[full]);
    }
}

fn minimum<'m>(b: &Builder<'m>, left: Value<'m>, right: Value<'m>) -> Value<'m> {
    let less = b.icmp(IntPredicate::Ult, left, right);
    b.select(less, left, right)
}
