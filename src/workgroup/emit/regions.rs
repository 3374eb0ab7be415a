//! The function that runs a work-group: its start and end, its regions, and how control goes from one to the next. The
//! loops over work-groups are the scheduler's: the deeper the loops that LLVM sees around a kernel, the longer it takes
//! to compile, and neither these loops nor the kernel gain anything by being optimised together.

use core::mem::offset_of;

use oxicl_abi::GroupRecord;
use oxicl_llvm::{Block as LlvmBlock, GepFlags, IntPredicate, Value};

use crate::analyse::regions::{Exit, Progress, Region};
use crate::emit::entry::{Record, word, words};
use crate::emit::items::emit_region;
use crate::emit::kernel::Emitter;
use crate::emit::places::{Places, minimum, no_wrap, product};
use crate::failure::{OrFail, Result, failure};

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
    let local_size = match e.options.required_size {
        Some(size) => size.map(|size| e.number(u64::from(size))),
        None => record.local_size(),
    };
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
    let body = e.here()?;
    let done = e.block("exit");
    b.position_at_end(done);
    b.ret_void();
    b.position_at_end(body);
    Ok(Group { places, body, done })
}

/// Frame slots in which regions record how they ended.
pub(crate) struct Ends<'m> {
    /// The last work-item's exit code, where all end alike.
    exit: Value<'m>,
    /// The smallest and largest exit codes, where they may differ.
    pub(super) lowest: Value<'m>,
    pub(super) highest: Value<'m>,
    /// In the region of all states, the last work-item that waits, counted from 1; 0 if none does.
    pub(super) waiting: Value<'m>,
}

impl<'m> Ends<'m> {
    /// Records that some work-item ended with `code`, where a region has several exits.
    pub(crate) fn note(&self, e: &Emitter<'_, 'm>, region: &Region, code: Value<'m>) {
        let b = e.b;
        if !region.may_diverge(e.plan.progress) {
            if region.exits.len() > 1 {
                b.store(code, self.exit, 4);
            }
            return;
        }
        for (place, predicate) in [(self.lowest, IntPredicate::Ult), (self.highest, IntPredicate::Ugt)] {
            let old = b.load(code.ty(), place, 4);
            let better = b.icmp(predicate, code, old);
            b.store(b.select(better, code, old), place, 4);
        }
    }
}

/// What writing the regions of a kernel needs beside the emitter.
pub(crate) struct Regions<'p, 'm> {
    pub(crate) group: &'p Group<'m>,
    pub(crate) ends: Ends<'m>,
    /// Where the region of each state begins.
    starts: Vec<LlvmBlock<'m>>,
    /// Where the region of all states begins.
    all: Option<LlvmBlock<'m>>,
    /// Where the next state is chosen, if work-items that have diverged run their regions under masks.
    next_state: Option<LlvmBlock<'m>>,
}

/// Writes all regions. The builder is where the work-group begins.
pub(crate) fn emit_regions<'m>(e: &mut Emitter<'_, 'm>, group: &Group<'m>) -> Result<()> {
    let i32_type = e.b.context().int_type(32);
    let ends = Ends {
        exit: e.frame.alloca(i32_type, 4),
        lowest: e.frame.alloca(i32_type, 4),
        highest: e.frame.alloca(i32_type, 4),
        waiting: e.frame.alloca(i32_type, 4),
    };
    let plan = e.plan;
    let regions = Regions {
        group,
        ends,
        starts: plan.regions.iter().map(|_| e.block("region")).collect(),
        all: plan.all.as_ref().map(|_| e.block("region.all")),
        next_state: plan.by_state().then(|| e.block("next.state")),
    };
    e.b.position_at_end(group.body);
    match (regions.starts.first(), regions.all) {
        (Some(first), _) => {
            e.b.br(*first);
        }
        (None, Some(all)) => {
            reset_states(e, &group.places, all)?;
        }
        (None, None) => return failure("a kernel without regions"),
    }
    for (region, start) in plan.regions.iter().zip(&regions.starts) {
        e.b.position_at_end(*start);
        emit_region(e, &regions, region)?;
    }
    if let (Some(region), Some(start)) = (&plan.all, regions.all) {
        e.b.position_at_end(start);
        emit_region(e, &regions, region)?;
    }
    if let Some(start) = regions.next_state {
        e.b.position_at_end(start);
        emit_next_state(e, &regions)?;
    }
    Ok(())
}

/// Goes to the region of the lowest state that a work-item is at, or to the end if all have returned.
fn emit_next_state<'m>(e: &Emitter<'_, 'm>, regions: &Regions<'_, 'm>) -> Result<()> {
    let (b, i32_type, i64_type) = (e.b, e.b.context().int_type(32), e.b.context().int_type(64));
    let count = product(b, &regions.group.places.size);
    let before = e.here()?;
    let (look, found) = (e.block("state"), e.block("state.found"));
    b.br(look);
    b.position_at_end(look);
    let (item, first) = (b.phi(i64_type), b.phi(i32_type));
    let state = b.load(i32_type, e.slot(i32_type, e.plan.state_slot, item)?, 4);
    let least = b.select(b.icmp(IntPredicate::Ult, state, first), state, first);
    let following = no_wrap(b.add(item, e.number(1)));
    for (phi, start, next) in [(item, i64_type.zero(), following), (first, i32_type.all_ones(), least)] {
        phi.add_incoming(start, before);
        phi.add_incoming(next, look);
    }
    b.cond_br(b.icmp(IntPredicate::Ult, following, count), look, found);
    b.position_at_end(found);
    let switch = b.switch(least, regions.group.done, regions.starts.len() as u32);
    for (state, start) in regions.starts.iter().enumerate().skip(1) {
        switch.add_case(i32_type.const_int(state as u64), *start);
    }
    Ok(())
}

/// Puts every work-item at the first state.
fn reset_states<'m>(e: &Emitter<'_, 'm>, places: &Places<'m>, then: LlvmBlock<'m>) -> Result<()> {
    let count = product(e.b, &places.size);
    let bytes = e.b.mul(count, e.number(4));
    e.b.memset((e.array(e.plan.state_slot)?, 4), e.b.context().int_type(8).zero(), bytes);
    e.b.br(then);
    Ok(())
}

/// Goes to the next region once all work-items are through this one.
pub(super) fn dispatch<'m>(
    e: &Emitter<'_, 'm>,
    regions: &Regions<'_, 'm>,
    region: &Region,
    for_all: bool,
) -> Result<()> {
    let b = e.b;
    if let Some(next) = regions.next_state {
        b.br(next);
        return Ok(());
    }
    let i32_type = b.context().int_type(32);
    let group_done = regions.group.done;
    let target = |exit: &Exit| match exit {
        Exit::Cut(state) => regions.starts[state.index()],
        Exit::Return => group_done,
    };
    if for_all {
        let waiting = b.load(i32_type, regions.ends.waiting, 4);
        let more = b.icmp(IntPredicate::Ne, waiting, i32_type.zero());
        let all = regions.all.or_fail("no region of all states")?;
        b.cond_br(more, all, group_done);
        return Ok(());
    }
    let (first, others) = match &region.exits[..] {
        [first, others @ ..] => (target(first), others),
        [] => (group_done, &[][..]),
    };
    if others.is_empty() {
        b.br(first);
        return Ok(());
    }
    let mut code = b.load(i32_type, regions.ends.exit, 4);
    if e.plan.progress == Progress::MayDiverge {
        let all = regions.all.or_fail("no region of all states")?;
        code = b.load(i32_type, regions.ends.lowest, 4);
        let highest = b.load(i32_type, regions.ends.highest, 4);
        let together = e.block("together");
        b.cond_br(b.icmp(IntPredicate::Eq, code, highest), together, all);
        b.position_at_end(together);
    }
    let switch = b.switch(code, first, others.len() as u32);
    for exit in others {
        switch.add_case(i32_type.const_int(exit.code()), target(exit));
    }
    Ok(())
}
