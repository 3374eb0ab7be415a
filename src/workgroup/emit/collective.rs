//! Collective operations. Work-items arrive in the order of their linear local ids, and each combines its value with
//! what was gathered before. So results that round repeat bit by bit, and work-items that have returned, or wait
//! elsewhere, do not count.
//!
//! A sum or a product of floats is gathered in [`PARTS`](oxicl_ops::PARTS) parts. A work-item's value goes to the part
//! of its local id along x, or in a sub-group of its number there, modulo the number of parts. At the end the upper
//! half of the parts is combined with the lower half, until one is left. That order is the same for any number of
//! lanes, and the reference device has it too.
//!
//! A gang arrives as its recipe says: the lanes' values are combined first, in the order of lanes; or each goes to its
//! part of a sum; or lanes arrive one after the other, as single work-items do.

use std::collections::HashMap;

use oxicl_llvm::{Builder, GepFlags, IntPredicate, Type, Value};
use oxicl_ops::{Collective, Combine, PARTS};

use crate::analyse::regions::Region;
use crate::analyse::shape::Shape;
use crate::emit::combine::{combined, halved, identity, neutral};
use crate::emit::copy::Copier;
use crate::emit::kernel::Emitter;
use crate::emit::vector::take_apart;
use crate::emit::widen::{Active, Widener};
use crate::failure::{OrFail, Result, failure};
use crate::ir::{BlockId, Gather, InstId, Operand, StateId, Terminator, type_of};
use crate::recipe::Arrival;

/// Where a collective operation gathers values.
#[derive(Clone, Copy)]
pub(crate) struct Store<'m> {
    pub(crate) collective: Collective,
    pub(crate) ty: Type<'m>,
    /// The combined values of all that have arrived, or the parts, one after the other.
    pub(crate) so_far: Value<'m>,
    /// For an exclusive scan, the same, but starting with the identity that the specification names.
    pub(crate) before: Value<'m>,
    /// The alignment of the type.
    pub(crate) align: u32,
}

/// The result of a collective operation, in a region behind it.
#[derive(Clone, Copy)]
pub(crate) enum Outcome<'m> {
    /// The same for all work-items.
    Value(Value<'m>),
    /// In an array, by linear local id.
    Array(Value<'m>),
    /// Fibers have no result yet: where they gather, and the array of a scan's results.
    Waits(Store<'m>, Option<Value<'m>>),
}

/// Makes the stores. `state` is the address of the group's part of the state.
pub(crate) fn stores<'m>(e: &Emitter<'_, 'm>, state: Value<'m>) -> HashMap<StateId, Store<'m>> {
    let mut stores = HashMap::new();
    for (number, collective, call) in e.function.collectives() {
        let ty = call.llvm.ty();
        let parts = collective.parts();
        let [so_far, before] = match e.plan.gather_offsets.get(&number) {
            Some(offset) => [0, 1].map(|index| {
                let start = e.b.byte_offset(state, e.number(*offset));
                e.b.gep(ty, start, &[e.number(index)], GepFlags::IN_BOUNDS)
            }),
            None if parts > 1 => [e.frame.alloca(ty.array(u64::from(parts)), 0); 2],
            None => [0, 1].map(|_| e.frame.alloca(ty, 0)),
        };
        stores.insert(number, Store { collective, ty, so_far, before, align: e.module.align_of(ty) });
    }
    stores
}

/// Reads the results that work-items continue with in a region, before its loops.
pub(crate) fn outcomes<'m>(e: &Emitter<'_, 'm>, region: &Region) -> Result<HashMap<StateId, Outcome<'m>>> {
    let mut outcomes = HashMap::new();
    if e.fiber.is_some() {
        outcomes
            .extend(e.stores.iter().map(|(state, store)| (*state, Outcome::Waits(*store, scan_array(e, *state).ok()))));
        return Ok(outcomes);
    }
    for state in &region.states {
        let Some(store) = e.stores.get(state) else { continue };
        let outcome = if store.collective.is_uniform() {
            Outcome::Value(gathered(e.b, store))
        } else {
            Outcome::Array(scan_array(e, *state)?)
        };
        outcomes.insert(*state, outcome);
    }
    Ok(outcomes)
}

/// Resets the stores of the collective operations that a region leads to. Their old content has been read.
pub(crate) fn empty(e: &Emitter<'_, '_>, region: &Region) {
    region.next_states().filter_map(|state| e.stores.get(&state)).for_each(|store| reset(e.b, store));
}

fn reset<'m>(b: &Builder<'m>, store: &Store<'m>) {
    let (neutral, identity) = match store.collective {
        Collective::Broadcast => (store.ty.zero(), None),
        Collective::Reduce(combine) | Collective::Inclusive(combine) => (neutral(combine, store.ty), None),
        Collective::Exclusive(combine) => (neutral(combine, store.ty), Some(identity(combine, store.ty))),
    };
    for part in 0..store.collective.parts() {
        b.store(neutral, part_at(b, store, part), 0);
    }
    if let Some(identity) = identity {
        b.store(identity, store.before, 0);
    }
}

/// The address of a part.
fn part_at<'m>(b: &Builder<'m>, store: &Store<'m>, part: u32) -> Value<'m> {
    let number = b.context().int_type(64).const_int(u64::from(part));
    b.gep(store.ty, store.so_far, &[number], GepFlags::IN_BOUNDS)
}

/// The part for the work-item at `x` along x. Those for a gang that begins at a multiple of its lanes follow.
pub(crate) fn part_of<'m>(b: &Builder<'m>, store: &Store<'m>, x: Value<'m>) -> Value<'m> {
    match store.collective.parts() {
        1 => store.so_far,
        parts => {
            let part = b.and(x, x.ty().const_int(u64::from(parts - 1)));
            b.gep(store.ty, store.so_far, &[part], GepFlags::IN_BOUNDS)
        }
    }
}

/// The combined value of all work-items.
pub(crate) fn gathered<'m>(b: &Builder<'m>, store: &Store<'m>) -> Value<'m> {
    let parts = store.collective.parts();
    let Collective::Reduce(combine) = store.collective else { return b.load(store.ty, store.so_far, 0) };
    if parts == 1 {
        return b.load(store.ty, store.so_far, 0);
    }
    if !store.ty.is_vector() {
        return halved(b, combine, b.load(store.ty.vector(parts), store.so_far, store.align));
    }
    let mut values: Vec<_> = (0..parts).map(|part| b.load(store.ty, part_at(b, store, part), 0)).collect();
    while values.len() > 1 {
        let upper = values.split_off(values.len() / 2);
        values = values.into_iter().zip(upper).map(|(low, high)| combined(b, combine, low, high)).collect();
    }
    values[0]
}

/// Fibers meet before a collective operation, so that its store is read no more. All of them reset it, meet again, and
/// then arrive one after the other, in order. After `arrive_with` they have to meet again.
pub(crate) fn meet<'m>(copier: &Copier<'_, 'm>, store: &Store<'m>) {
    copier.pause(1);
    reset(copier.b, store);
    copier.pause(1);
}

/// A work-item arrives at the collective operation at the end of `block`, where the builder is.
pub(crate) fn arrive<'m>(e: &Emitter<'_, 'm>, copier: &Copier<'_, 'm>, block: BlockId) -> Result<()> {
    let Terminator::Cut { state, gather: Some(Gather { operands, .. }), .. } = &e.function.block(block).terminator
    else {
        return Ok(());
    };
    let store = e.stores.get(state).or_fail("a collective operation without a place")?;
    arrive_with(copier, store, scan_array(e, *state).ok(), operands)
}

/// A work-item arrives at a collective operation with operands. `scans` is the array of a scan's results.
pub(crate) fn arrive_with<'m>(
    copier: &Copier<'_, 'm>,
    store: &Store<'m>,
    scans: Option<Value<'m>>,
    operands: &[Operand],
) -> Result<()> {
    let b = copier.b;
    let values = copier.values(operands)?;
    let combine = match (store.collective, values.as_slice()) {
        (Collective::Broadcast, [value, id @ ..]) => {
            let old = b.load(store.ty, store.so_far, 0);
            let mut here = b.context().int_type(1).const_int(1);
            for (own, wanted) in copier.places.local_id.iter().zip(id) {
                here = b.and(here, b.icmp(IntPredicate::Eq, *own, *wanted));
            }
            b.store(b.select(here, *value, old), store.so_far, 0);
            return Ok(());
        }
        (Collective::Reduce(combine) | Collective::Inclusive(combine) | Collective::Exclusive(combine), [_]) => combine,
        _ => return failure("a collective operation with other operands"),
    };
    let part = part_of(b, store, copier.places.local_id[0]);
    let old = b.load(store.ty, part, 0);
    let new = combined(b, combine, old, values[0]);
    b.store(new, part, 0);
    let result = match store.collective {
        Collective::Inclusive(_) => new,
        Collective::Exclusive(_) => {
            let before = b.load(store.ty, store.before, 0);
            b.store(new, store.before, 0);
            before
        }
        _ => return Ok(()),
    };
    let scans = scans.or_fail("a scan without a place")?;
    b.store(result, place(copier, scans, store.ty), 0);
    Ok(())
}

/// Where the results of the scan before a state are, by linear local id.
pub(crate) fn scan_array<'m>(e: &Emitter<'_, 'm>, state: StateId) -> Result<Value<'m>> {
    let array = e.plan.scan_slots.get(&state).and_then(|offset| e.arrays.get(offset));
    array.copied().or_fail("a scan without a place")
}

/// The value of an outcome for the work-item.
pub(crate) fn outcome<'m>(copier: &Copier<'_, 'm>, outcome: Outcome<'m>, ty: Type<'m>) -> Value<'m> {
    match outcome {
        Outcome::Value(value) => value,
        Outcome::Array(array) | Outcome::Waits(_, Some(array)) => copier.b.load(ty, place(copier, array, ty), 0),
        Outcome::Waits(store, None) => gathered(copier.b, &store),
    }
}

fn place<'m>(copier: &Copier<'_, 'm>, array: Value<'m>, ty: Type<'m>) -> Value<'m> {
    copier.b.gep(ty, array, &[copier.places.linear], GepFlags::IN_BOUNDS)
}

impl<'m> Widener<'_, '_, 'm> {
    /// The lanes of the mask arrive at the collective operation at the end of a block.
    pub(crate) fn arrive(&mut self, block: BlockId, mask: Active<'m>) -> Result<()> {
        let Terminator::Cut { state, gather: Some(gather), .. } = &self.function.block(block).terminator else {
            return Ok(());
        };
        let store = self.e.stores.get(state).copied().or_fail("a collective operation without a place")?;
        let arrival = self.recipes.arrival(store.collective, &type_of(store.ty));
        self.arrive_with(*state, store, arrival, &gather.operands, mask)
    }

    /// A collective operation of fibers: the gang arrives, and gets the result once all have come.
    pub(crate) fn collective(&mut self, id: InstId, state: StateId, arrival: Arrival, mask: Active<'m>) -> Result<()> {
        let inst = self.function.inst(id);
        let Some(Outcome::Waits(store, scans)) = self.scalar.outcomes.get(&state).copied() else {
            return failure("a collective operation where there are no fibers");
        };
        meet(&self.scalar, &store);
        self.arrive_with(state, store, arrival, &inst.operands, mask)?;
        self.scalar.pause(1);
        if scans.is_some() {
            let components = self.gathered(state, inst.llvm.ty())?;
            self.keep_wide(id, components, mask);
            return Ok(());
        }
        let value = gathered(self.b, &store);
        self.keep_shared(id, value, self.e.plan.shapes.of(id) != Shape::Varying, mask)
    }

    /// Keeps a result that is the same in all lanes: as one value if `is_shared`, else as vectors.
    pub(crate) fn keep_shared(
        &mut self,
        id: InstId,
        value: Value<'m>,
        is_shared: bool,
        mask: Active<'m>,
    ) -> Result<()> {
        if is_shared {
            self.keep_scalar(id, value);
        } else {
            let components = take_apart(self.b, value)?.into_iter().map(|component| self.splat(component)).collect();
            self.keep_wide(id, components, mask);
        }
        Ok(())
    }

    /// The result of the collective operation before a state, for each lane.
    pub(crate) fn gathered(&mut self, state: StateId, ty: Type<'m>) -> Result<Vec<Value<'m>>> {
        match self.scalar.outcomes.get(&state) {
            Some(Outcome::Array(array) | Outcome::Waits(_, Some(array))) => {
                let first = place(&self.scalar, *array, ty);
                self.load_row(ty, false, first, self.entry)
            }
            Some(Outcome::Value(value)) => Ok(take_apart(self.b, *value)?.into_iter().map(|v| self.splat(v)).collect()),
            _ => failure("the result of a collective operation where there was none"),
        }
    }

    /// The lanes of the mask arrive at the collective operation before a state.
    fn arrive_with(
        &mut self,
        state: StateId,
        store: Store<'m>,
        arrival: Arrival,
        operands: &[Operand],
        mask: Active<'m>,
    ) -> Result<()> {
        let values = |by| self.component(operands[0]).map(|values| self.masked(by, values, mask));
        match arrival {
            Arrival::Reduce(by) => {
                let values = values(by)?;
                let old = self.b.load(store.ty, store.so_far, 0);
                self.b.store(combined(self.b, by, old, self.pairwise(by, values)), store.so_far, 0);
            }
            Arrival::Parts(by) => self.arrive_in_parts(&store, by, values(by)?),
            Arrival::Scan { by, is_inclusive } => {
                let results = self.arrive_at_scan(&store, by, is_inclusive, values(by)?);
                let array = scan_array(self.e, state)?;
                let first = place(&self.scalar, array, store.ty);
                self.store_row(store.ty, &[results], first, mask)?;
            }
            Arrival::Broadcast => self.arrive_at_broadcast(&store, operands, mask)?,
            Arrival::OneByOne => {
                let scans = scan_array(self.e, state).ok();
                let stored = self.operands(operands)?;
                self.each_lane(mask, &[], |widener, lane| {
                    let copier = widener.lane_copier(lane, &stored)?;
                    arrive_with(&copier, &store, scans, operands)?;
                    Ok(Vec::new())
                })?;
            }
        }
        Ok(())
    }

    /// Combines the lanes' values with the parts of a sum or product that rounds.
    fn arrive_in_parts(&self, store: &Store<'m>, by: Combine, values: Value<'m>) {
        let b = self.b;
        let place = match self.lanes < PARTS {
            // Gangs begin at a multiple of their lanes.
            true => part_of(b, store, self.scalar.places.local_id[0]),
            false => store.so_far,
        };
        let first = b.load(store.ty.vector(self.lanes.min(PARTS)), place, store.align);
        b.store(self.in_parts(by, first, values), place, store.align);
    }

    /// The results of a scan for the lanes, which come behind all that have arrived.
    fn arrive_at_scan(&self, store: &Store<'m>, by: Combine, is_inclusive: bool, values: Value<'m>) -> Value<'m> {
        let b = self.b;
        let nothing = self.splat(neutral(by, store.ty));
        let up_to = self.scan(by, values, nothing);
        let old = b.load(store.ty, store.so_far, 0);
        let results = if is_inclusive { up_to } else { self.shifted(up_to, nothing, 1) };
        let results = combined(b, by, self.splat(old), results);
        let new = combined(b, by, old, self.last(up_to));
        b.store(new, store.so_far, 0);
        b.store(new, store.before, 0);
        results
    }

    fn arrive_at_broadcast(&self, store: &Store<'m>, operands: &[Operand], mask: Active<'m>) -> Result<()> {
        let [value, id @ ..] = operands else { return failure("a broadcast of nothing") };
        let b = self.b;
        let places = self.scalar.places;
        let mut here = self.full(mask);
        for (dimension, wanted) in id.iter().enumerate() {
            let own = match dimension {
                0 => self.steps_from(places.local_id[0], 1),
                _ => self.splat(places.local_id[dimension]),
            };
            here = b.select(b.icmp(IntPredicate::Eq, own, self.component(*wanted)?), here, here.ty().zero());
        }
        let bits = self.wide_bits(here);
        let is_here = b.icmp(IntPredicate::Ne, bits, bits.ty().zero());
        // Without such a lane this picks the last one, whose value is not used.
        let top = bits.ty().const_int(1 << (self.lanes - 1));
        let lane = self.lowest(b.or(bits, top))?;
        let given = b.extract_element(self.component(*value)?, lane);
        let old = b.load(store.ty, store.so_far, 0);
        b.store(b.select(is_here, given, old), store.so_far, 0);
        Ok(())
    }
}
