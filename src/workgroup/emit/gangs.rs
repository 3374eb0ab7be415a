//! A region whose work-items run as gangs: the loops over gangs, and how gangs enter and leave it.

use std::collections::HashMap;

use oxicl_llvm::Value;

use crate::analyse::regions::{Progress, Region, exit_of};
use crate::analyse::shape::{Layout, Shape};
use crate::emit::alive::{Alive, Passage};
use crate::emit::collective::Outcome;
use crate::emit::copy::{Copier, Mapped};
use crate::emit::items::place_objects;
use crate::emit::kernel::Emitter;
use crate::emit::loops::{crosses, emit_rows, one_row};
use crate::emit::places::{no_wrap, product};
use crate::emit::regions::Regions;
use crate::emit::row::{AtOnce, GangsOfRow, Row, Start, emit_together, lanes_below};
use crate::emit::vector::advanced;
use crate::emit::widen::{Active, Body, Leaving, Widener};
use crate::failure::{Failure, OrFail, Result, failure};
use crate::ir::{BlockId, InstId, Operand, StateId};
use crate::plan::Slot;
use crate::plan::gangs::Gangs;

/// What was read before the loops of a region.
#[derive(Clone)]
pub(crate) struct Known<'m> {
    /// Values that are kept once.
    pub(super) values: HashMap<InstId, Mapped<'m>>,
    /// Results of collective operations.
    pub(super) outcomes: HashMap<StateId, Outcome<'m>>,
    /// For several rows at once: the values that each row behind the first has of its own.
    pub(super) of_rows: Vec<HashMap<InstId, Value<'m>>>,
}

/// Writes the loops of a region and what gangs do in it. The builder is left where all gangs are done.
pub(crate) fn emit_gangs<'m>(
    e: &Emitter<'_, 'm>,
    regions: &Regions<'_, 'm>,
    region: &Region,
    gangs: &Gangs,
    known: &Known<'m>,
) -> Result<()> {
    let b = e.b;
    let lanes = gangs.lanes;
    let [state] = region.states[..] else { return failure("a gang in a region of several states") };
    let of_gangs = &gangs.regions[state.index()];
    let group = &regions.group.places;
    if let Some(fiber) = e.fiber {
        // A fiber is one gang.
        let done = e.block("done");
        let mut places = *group;
        let first = no_wrap(b.mul(fiber, e.number(u64::from(lanes))));
        (places.local_id, places.linear) = ([first, e.number(0), e.number(0)], first);
        let entry = lanes_below(e, lanes, b.sub(product(b, &group.size), first));
        let body = Body::of_any(of_gangs);
        let start = Start { lanes, places, entry: Some(entry), done };
        emit_gang(e, regions, region, known, body, AtOnce::ONE, start)?;
        b.position_at_end(done);
        return Ok(());
    }
    let (rows, size, crosses) = match e.plan.shapes.layout {
        Layout::Rows => {
            let rows = match &of_gangs.rows {
                Some(together) => emit_together(e, regions, region, of_gangs, lanes, together, known)?,
                None => emit_rows(e, group)?,
            };
            let crosses = crosses(e, group, rows.y, rows.z)?;
            (rows, group.size[0], crosses)
        }
        // The entry calls this function only where no row crosses.
        Layout::SubGroups => (emit_rows(e, group)?, group.size[0], b.context().int_type(1).zero()),
        Layout::Line => (one_row(e), product(b, &group.size), b.context().int_type(1).zero()),
    };
    // If a gang length divides a row's constant size, shorter ones are not needed, and LLVM drops the partial gang. Few
    // launches have lines, so these have no code for whole gangs.
    let lengths = &of_gangs.lengths;
    let divides = |length: &u32| size.as_u64().is_some_and(|size| size % u64::from(*length) == 0);
    let is_aside = e.plan.shapes.coalescing.is_some_and(|coalescing| coalescing.is_aside);
    let once = is_aside || of_gangs.once && !lengths.first().is_some_and(divides);
    let needed = lengths.iter().position(divides).map_or(lengths.len(), |last| last + 1);
    let needed = if e.plan.shapes.layout == Layout::Line || once { 0 } else { needed };
    let long = &lengths[..needed];
    let before = no_wrap(b.mul(rows.before, size));
    let row = Row { rows: &rows, size, before, crosses, at_once: AtOnce::ONE, lanes, long };
    GangsOfRow { e, regions, region, row: &row, known }.emit_row(of_gangs)?;
    b.position_at_end(rows.done);
    Ok(())
}

/// Writes what one gang does, in one row or in several at once.
pub(super) fn emit_gang<'m>(
    e: &Emitter<'_, 'm>,
    regions: &Regions<'_, 'm>,
    region: &Region,
    known: &Known<'m>,
    body: Body<'_, 'm>,
    at_once: AtOnce<'m>,
    Start { lanes, places, entry, done }: Start<'m>,
) -> Result<()> {
    let scalar = Copier { values: known.values.clone(), outcomes: known.outcomes.clone(), ..e.copier(places) };
    let mut widener =
        Widener::new(e, body, e.plan.at_entry(e.function, region, body.graph), lanes, entry, scalar, done);
    for row in 1..u64::from(at_once.count) {
        let mut places = places;
        places.local_id[1] = no_wrap(e.b.add(places.local_id[1], e.number(row)));
        places.linear = no_wrap(e.b.add(places.linear, e.b.mul(places.size[0], e.number(row))));
        widener.add_row(places, at_once.divergent.map(|(apart, _)| apart));
    }
    widener.agree(&known.of_rows);
    widener.own_masks = at_once.own_masks;
    if e.plan.by_state()
        && let [state] = region.states[..]
        && state != StateId(0)
    {
        let i32_type = e.b.context().int_type(32);
        let states = e.slot(i32_type, e.plan.state_slot, places.linear)?;
        let any = widener.enter_at(i32_type, states, i32_type.const_int(u64::from(state.0)))?;
        let body = e.block("gang.here");
        e.b.cond_br(any, body, done);
        e.b.position_at_end(body);
    }
    // The objects of the first lane; those of the other lanes follow one after the other.
    place_objects(e, &mut widener.scalar)?;
    if region.states == [StateId(0)] {
        copy_arguments(e, &widener)?;
    }
    for id in e.plan.rematerialised_in(e.function, region) {
        // Ids ascend, so operands come before their users.
        widener.for_rows(id, |w| w.instruction(id, w.entry))?;
    }
    let [state] = region.states[..] else { return failure("a gang in a region of several states") };
    let passage = Passage::at(e, regions, region, state, |alive| widener.for_rows(alive.id, |w| load(e, w, &alive)))?;
    for id in e.plan.apart.iter().filter(|id| region.blocks.contains(&e.function.inst(**id).block)) {
        if !widener.state.variables.contains_key(id) {
            let vectors = widener.vectors_of(&e.function.inst(*id).ty)?;
            widener.state.variables.insert(*id, vectors.into_iter().map(|ty| e.frame.alloca(ty, 0)).collect());
        }
    }
    widener.write(&passage)
}

/// Copies each argument by value that is written, for each lane.
fn copy_arguments<'m>(e: &Emitter<'_, 'm>, widener: &Widener<'_, '_, 'm>) -> Result<()> {
    for (index, object) in e.plan.copied_arguments() {
        let (first, from) = (widener.scalar.parameters[index as usize], e.parameters[index as usize]);
        let align = object.align as u32;
        widener.each_lane(widener.entry, &[], |_, lane| {
            let to = e.b.byte_offset(first, no_wrap(e.b.mul(lane, e.number(object.stride()))));
            e.b.memcpy((to, align), (from, align), e.number(object.bytes));
            Ok(Vec::new())
        })?;
    }
    Ok(())
}

/// Loads a live value, into a variable if the region computes it again.
fn load<'m>(e: &Emitter<'_, 'm>, widener: &mut Widener<'_, '_, 'm>, alive: &Alive) -> Result<()> {
    let &Alive { id, slot, is_variable } = alive;
    let b = e.b;
    let ty = e.function.inst(id).llvm.ty();
    // A value that may wrap counts as varying here.
    if widener.shape(Operand::Inst(id)) == Shape::Varying {
        let Slot::Item(offset) = slot else { return failure("one slot for what varies") };
        let first = e.slot(ty, offset, widener.scalar.places.linear)?;
        let components = widener.load_row(ty, widener.recipes.keeps_aos(id), first, widener.entry)?;
        if !is_variable {
            widener.keep_wide(id, components, None);
            return Ok(());
        }
        let places: Vec<_> = components.iter().map(|component| e.frame.alloca(component.ty(), 0)).collect();
        for (component, place) in components.iter().zip(&places) {
            b.store(*component, *place, 0);
        }
        widener.state.variables.insert(id, places);
        return Ok(());
    }
    let own = match slot {
        Slot::Item(offset) => Some(load_first(e, widener, id, offset)?),
        Slot::Uniform => None,
    };
    alive.give(e, &mut widener.scalar, own)
}

/// Loads a uniform value or an affine one's first lane, from the first active slot where lanes may have diverged.
fn load_first<'m>(e: &Emitter<'_, 'm>, widener: &Widener<'_, '_, 'm>, id: InstId, offset: u64) -> Result<Value<'m>> {
    let b = e.b;
    let ty = e.function.inst(id).llvm.ty();
    let first = widener.scalar.places.linear;
    let slot = |item: Value<'m>| Ok::<_, Failure>(b.load(ty, e.slot(ty, offset, item)?, 0));
    let Some(mask) = widener.entry.filter(|_| e.plan.by_state()) else { return slot(first) };
    let lane = widener.first_lane(Some(mask))?;
    let value = slot(no_wrap(b.add(first, lane)))?;
    Ok(of_lane(e, id, value, b.sub(e.number(0), lane)))
}

/// The value `lanes` lanes behind the lane that has `value`, of a uniform or affine value.
fn of_lane<'m>(e: &Emitter<'_, 'm>, id: InstId, value: Value<'m>, lanes: Value<'m>) -> Value<'m> {
    if let Shape::Affine(stride) = e.plan.shapes.of(id) { advanced(e.b, value, stride, lanes) } else { value }
}

/// Is a kept value loaded for the first lane of a gang only? A value that may wrap is loaded for each lane.
fn is_first_alone(e: &Emitter<'_, '_>, id: InstId) -> bool {
    let shape = e.plan.shapes.of(id);
    e.plan.progress == Progress::Together && matches!(shape, Shape::Uniform | Shape::Row | Shape::Affine(_))
}

/// Stores a uniform or affine value where all work-items go on together in gangs. Each gang loads only its first lane's
/// value, and begins at a multiple of the shortest gang's lanes, so only these slots are stored.
fn store_first<'m>(e: &Emitter<'_, 'm>, widener: &mut Widener<'_, '_, 'm>, id: InstId, offset: u64) -> Result<()> {
    let (b, first) = (e.b, widener.scalar.places.linear);
    let shortest = e.plan.gangs.as_ref().map_or(1, |gangs| gangs.lanes);
    let value = widener.first(Operand::Inst(id))?;
    for lane in (0..widener.lanes).step_by(shortest as usize) {
        let lanes = e.number(u64::from(lane));
        let own = if lane == 0 { value } else { of_lane(e, id, value, lanes) };
        b.store(own, e.slot(value.ty(), offset, no_wrap(b.add(first, lanes)))?, 0);
    }
    Ok(())
}

impl<'e, 'm> Leaving<'e, 'm> for Passage<'_, 'm> {
    fn leave(&self, widener: &mut Widener<'_, 'e, 'm>, block: BlockId, mask: Active<'m>) -> Result<()> {
        let e = widener.e;
        let exit = exit_of(e.function, block).or_fail("an end that is none")?;
        widener.arrive(block, mask)?;
        self.store_alive(e, exit, |id, slot| match slot {
            Slot::Uniform => {
                e.b.store(widener.first(Operand::Inst(id))?, e.uniform[&id], 0);
                Ok(())
            }
            Slot::Item(offset) if is_first_alone(e, id) => store_first(e, widener, id, offset),
            Slot::Item(offset) => {
                let ty = e.function.inst(id).llvm.ty();
                let first = e.slot(ty, offset, widener.scalar.places.linear)?;
                let as_aos = widener.kept_as_aos(Operand::Inst(id)).map(|all| vec![all]);
                let components = as_aos.map_or_else(|| widener.components(Operand::Inst(id)), Ok)?;
                widener.store_row(ty, &components, first, mask)
            }
        })?;
        self.note_exit(e, exit, e.plan.by_state(), |code| {
            let states = e.slot(code.ty(), e.plan.state_slot, widener.scalar.places.linear)?;
            widener.store_row(code.ty(), &[widener.splat(code)], states, mask)
        })
    }
}
