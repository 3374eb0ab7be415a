//! What a work-item does in a region, and how it enters and leaves it.

use std::collections::HashMap;

use oxicl_llvm::{Block as LlvmBlock, GepFlags, IntPredicate, Ordering, Value};

use crate::analyse::interleave::stride;
use crate::analyse::memory::{Home, Name};
use crate::analyse::regions::{Exit, Progress, Region, exit_of};
use crate::emit::alive::Passage;
use crate::emit::copy::{Copier, Mapped};
use crate::emit::kernel::Emitter;
use crate::emit::loops::{Loops, emit_loops};
use crate::emit::places::no_wrap;
use crate::emit::private::InterleavedObjects;
use crate::emit::regions::{Regions, dispatch};
use crate::emit::{collective, copy, gangs};
use crate::failure::{OrFail, Result};
use crate::ir::{StateId, Terminator};
use crate::plan::Slot;

/// Writes one region, from where the builder is.
pub(super) fn emit_region<'m>(e: &mut Emitter<'_, 'm>, regions: &Regions<'_, 'm>, region: &Region) -> Result<()> {
    let b = e.b;
    let for_all = region.states.len() != 1 || matches!(e.plan.progress, Progress::OneRegion(_));
    fence(e, region);
    let i32_type = b.context().int_type(32);
    if for_all {
        b.store(i32_type.zero(), regions.ends.waiting, 4);
    } else if region.may_diverge(e.plan.progress) {
        b.store(i32_type.all_ones(), regions.ends.lowest, 4);
        b.store(i32_type.zero(), regions.ends.highest, 4);
    }
    let mut values = HashMap::new();
    if let ([state], false) = (&region.states[..], for_all) {
        for id in e.plan.live_at(*state).iter().copied() {
            if e.plan.slots.get(&id) == Some(&Slot::Uniform) {
                let value = b.load(e.function.inst(id).llvm.ty(), e.uniform[&id], 0);
                values.insert(id, Mapped::Value(value));
            }
        }
    }
    let outcomes = collective::outcomes(e, region)?;
    collective::empty(e, region);
    if let (false, Ok(gangs)) = (for_all, &e.plan.gangs) {
        let known = gangs::Known { values, outcomes, of_rows: Vec::new() };
        gangs::emit_gangs(e, regions, region, gangs, &known)?;
        return dispatch(e, regions, region, for_all);
    }
    let loops = emit_loops(e, region, &regions.group.places)?;
    let function = e.function;
    let access_group = e.fiber.is_none().then_some((e.access_kind, loops.access_group));
    let interleaved = InterleavedObjects::of(e);
    let mut copier = Copier { values, access_group, outcomes, interleaved, ..e.copier(loops.places) };
    if let Some(hidden) = e.hidden {
        loops.places.store_item(b, hidden);
    }
    place_objects(e, &mut copier)?;
    for id in e.plan.rematerialised_in(e.function, region) {
        let value = copier.copy(id)?;
        copier.values.insert(id, Mapped::Value(value));
    }
    for block in &region.blocks {
        copier.blocks.insert(*block, e.block(""));
    }
    let waits = for_all.then(|| waits(e, regions, &loops)).transpose()?;
    let passage = if for_all {
        enter_any(e, &mut copier, region, &loops)?;
        Passage::by_slots(regions, region)
    } else {
        enter(e, &mut copier, regions, region, &loops)?
    };
    let writer = Writer { loops: &loops, passage, waits };
    for block in &region.blocks {
        copier.copy_block(*block)?;
        if let Some(exit) = exit_of(function, *block) {
            collective::arrive(e, &copier, *block)?;
            writer.leave(e, &copier, exit)?;
        }
    }
    copier.fill_phis()?;
    b.position_at_end(loops.done);
    dispatch(e, regions, region, for_all)
}

/// The block through which work-items that wait leave the region of all states. LLVM must keep it as one block: where
/// thousands of blocks lead to the latch of a loop, each with a value of its own, LLVM takes quadratic time or more.
/// Volatile accesses, and more code than LLVM cares to duplicate, see to that.
fn waits<'m>(e: &Emitter<'_, 'm>, regions: &Regions<'_, 'm>, loops: &Loops<'m>) -> Result<LlvmBlock<'m>> {
    let (b, i32_type) = (e.b, e.b.context().int_type(32));
    let (here, waits) = (e.here()?, e.block("waits"));
    b.position_at_end(waits);
    let number = b.add(b.trunc(loops.places.linear, i32_type), i32_type.const_int(1));
    let last = b.load(i32_type, regions.ends.waiting, 4);
    let later = b.select(b.icmp(IntPredicate::Ugt, number, last), number, last);
    let store = b.store(later, regions.ends.waiting, 4);
    for access in [last, store] {
        access.set_volatile(true);
    }
    b.br(loops.next);
    b.position_at_end(here);
    Ok(waits)
}

/// Writes the strongest fence that the barriers before a region need.
fn fence(e: &Emitter<'_, '_>, region: &Region) {
    let mut ordering = None;
    for block in &e.function.blocks {
        let Terminator::Cut { llvm, state, gather: None } = &block.terminator else { continue };
        if region.states.contains(state) && ordering != Some(Ordering::SequentiallyConsistent) {
            ordering = copy::fence(**llvm).or(ordering);
        }
    }
    if let Some(ordering) = ordering {
        e.b.fence(ordering, e.b.context().sync_scope(""));
    }
}

/// Computes the addresses of the private objects of this work-item.
pub(crate) fn place_objects<'m>(e: &Emitter<'_, 'm>, copier: &mut Copier<'_, 'm>) -> Result<()> {
    let b = e.b;
    for object in &e.plan.objects {
        let place = match object.home {
            Home::Arguments => continue,
            Home::Frame | Home::Group => {
                *e.shared_objects.get(&object.name).or_fail("a private object without a place")?
            }
            Home::Item => {
                let offset = e.plan.object_offsets.get(&object.name).copied().unwrap_or(0);
                let bytes = no_wrap(b.mul(copier.places.linear, e.number(stride(object, e.plan.units(object)))));
                e.slot(b.context().int_type(8), offset, bytes)?
            }
        };
        match object.name {
            Name::Alloca(id) => {
                copier.values.insert(id, Mapped::Value(place));
            }
            Name::Parameter(index) => copier.parameters[index as usize] = place,
        }
    }
    Ok(())
}

/// Writes how work-items leave a region.
struct Writer<'w, 'm> {
    loops: &'w Loops<'m>,
    passage: Passage<'w, 'm>,
    /// Where work-items that wait go, if the region serves all states.
    waits: Option<LlvmBlock<'m>>,
}

/// Loads what is alive at a region's state, into variables if computed again, and goes to its first block.
fn enter<'p, 'm>(
    e: &Emitter<'_, 'm>,
    copier: &mut Copier<'_, 'm>,
    regions: &'p Regions<'p, 'm>,
    region: &'p Region,
    loops: &Loops<'m>,
) -> Result<Passage<'p, 'm>> {
    let (b, state) = (e.b, region.states[0]);
    let passage = Passage::at(e, regions, region, state, |alive| {
        let Slot::Item(offset) = alive.slot else { return alive.give(e, copier, None) };
        let ty = e.function.inst(alive.id).llvm.ty();
        let load = b.load(ty, e.slot(ty, offset, copier.places.linear)?, 0);
        load.set_metadata(b.context(), e.access_kind, loops.access_group);
        alive.give(e, copier, Some(load))
    })?;
    begin_state(e, copier, state);
    Ok(passage)
}

/// Goes to the first block of each work-item's own state. The slots themselves serve as variables: loading and storing
/// all live values at each of many states would take many times the code.
fn enter_any<'m>(e: &Emitter<'_, 'm>, copier: &mut Copier<'_, 'm>, region: &Region, loops: &Loops<'m>) -> Result<()> {
    let b = e.b;
    let byte = b.context().int_type(8);
    let record = e.plan.records.map(|(offset, bytes)| {
        let start = no_wrap(b.mul(copier.places.linear, e.number(bytes)));
        e.slot(byte, offset, start)
    });
    let record = record.transpose()?;
    for id in region.states.iter().flat_map(|state| e.plan.live_at(*state)).copied() {
        let Some(Slot::Item(offset)) = e.plan.slots.get(&id).filter(|_| !copier.values.contains_key(&id)) else {
            continue;
        };
        let ty = e.function.inst(id).llvm.ty();
        let place = match record {
            Some(record) => b.gep(byte, record, &[e.number(*offset)], GepFlags::IN_BOUNDS),
            None => e.slot(ty, *offset, copier.places.linear)?,
        };
        copier.values.insert(id, Mapped::Variable(place));
    }
    let header = e.here()?;
    let i32_type = b.context().int_type(32);
    let address = e.slot(i32_type, e.plan.state_slot, copier.places.linear)?;
    let state = b.load(i32_type, address, 4);
    let switch = b.switch(state, loops.next, region.states.len() as u32);
    for state in &region.states {
        let resume = e.block("resume");
        switch.add_case(i32_type.const_int(u64::from(state.0)), resume);
        b.position_at_end(resume);
        begin_state(e, copier, *state);
    }
    b.position_at_end(header);
    Ok(())
}

/// Goes to the first block of a state; at the first state, arguments by value are copied before.
fn begin_state<'m>(e: &Emitter<'_, 'm>, copier: &Copier<'_, 'm>, state: StateId) {
    if state == StateId(0) {
        for (index, object) in e.plan.copied_arguments() {
            let (to, from) = (copier.parameters[index as usize], e.parameters[index as usize]);
            let align = object.align as u32;
            e.b.memcpy((to, align), (from, align), e.number(object.bytes));
        }
    }
    e.b.br(copier.blocks[&e.function.states[state.index()]]);
}

impl<'m> Writer<'_, 'm> {
    /// Stores the values that are alive behind an exit, records the exit, and goes on to the next work-item.
    fn leave(&self, e: &Emitter<'_, 'm>, copier: &Copier<'_, 'm>, exit: Exit) -> Result<()> {
        let b = e.b;
        let store_in_slot = |value: Value<'m>, offset: u64, align: u32| {
            let store = b.store(value, e.slot(value.ty(), offset, copier.places.linear)?, align);
            store.set_metadata(b.context(), e.access_kind, self.loops.access_group);
            Ok(())
        };
        let for_all = self.waits.is_some();
        if !for_all {
            self.passage.store_alive(e, exit, |id, slot| {
                let value = copier.result(id)?;
                match slot {
                    Slot::Uniform => {
                        b.store(value, e.uniform[&id], 0);
                        Ok(())
                    }
                    Slot::Item(offset) => store_in_slot(value, offset, 0),
                }
            })?;
        }
        self.passage.note_exit(e, exit, for_all, |code| store_in_slot(code, e.plan.state_slot, 4))?;
        b.br(self.waits.filter(|_| exit != Exit::Return).unwrap_or(self.loops.next));
        Ok(())
    }
}
