//! A gang arrives at a collective operation, as the recipe says: its lanes' values are combined first, in the order of lanes, or come
//! each to its part of a sum, or lanes arrive one after the other.

use oxicl_llvm::{GepFlags, IntPredicate, Type, Value};
use oxicl_ops::{Combine, PARTS};

use crate::analyse::shape::Shape;
use crate::emit::collective::{self, Outcome, Store, combined, neutral, part_of, scan_array};
use crate::emit::vector::take_apart;
use crate::emit::widen::region::Widener;
use crate::failure::{Failure, failure};
use crate::ir::{BlockId, InstId, Operand, StateId, Terminator, type_of};
use crate::recipe::Arrival;

impl<'m> Widener<'_, '_, 'm> {
    /// The lanes of the mask arrive at the collective operation at the end of a block.
    pub(crate) fn arrive(&mut self, block: BlockId, mask: Option<Value<'m>>) -> Result<(), Failure> {
        let Terminator::Cut { state, gather: Some(gather), .. } = &self.function.block(block).terminator else {
            return Ok(());
        };
        let Some(store) = self.e.stores.get(state).copied() else {
            return failure("a collective operation without a place");
        };
        self.arrive_with(*state, self.recipes.arrival(store.collective, &type_of(store.ty)), &gather.operands, mask)
    }

    /// A collective operation of fibers: the gang arrives, and has the result when all have come.
    pub(crate) fn collective(
        &mut self,
        id: InstId,
        state: StateId,
        arrival: Arrival,
        mask: Option<Value<'m>>,
    ) -> Result<(), Failure> {
        let inst = self.function.inst(id);
        let Some(Outcome::Waits(store, scans)) = self.scalar.outcomes.get(&state).copied() else {
            return failure("a collective operation where there are no fibers");
        };
        collective::meet(&self.scalar, &store);
        self.arrive_with(state, arrival, &inst.operands, mask)?;
        self.scalar.pause(1);
        if scans.is_some() {
            let components = self.gathered(state, inst.llvm.ty())?;
            self.keep_wide(id, components, mask);
            return Ok(());
        }
        let value = collective::gathered(self.b, &store);
        self.keep_shared(id, value, self.e.plan.shapes.of(id) != Shape::Varying, mask)
    }

    /// Gives a result that is the same in all lanes, as one where `is_shared`.
    pub(crate) fn keep_shared(
        &mut self,
        id: InstId,
        value: Value<'m>,
        is_shared: bool,
        mask: Option<Value<'m>>,
    ) -> Result<(), Failure> {
        if is_shared {
            self.keep_scalar(id, value);
        } else {
            let components = take_apart(self.b, value)?.into_iter().map(|component| self.splat(component)).collect();
            self.keep_wide(id, components, mask);
        }
        Ok(())
    }

    /// What the collective operation before a state gave to each lane.
    pub(crate) fn gathered(&mut self, state: StateId, ty: Type<'m>) -> Result<Vec<Value<'m>>, Failure> {
        match self.scalar.outcomes.get(&state) {
            Some(Outcome::Array(array) | Outcome::Waits(_, Some(array))) => {
                let first = self.b.gep(ty, *array, &[self.scalar.places.linear], GepFlags::IN_BOUNDS);
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
        arrival: Arrival,
        operands: &[Operand],
        mask: Option<Value<'m>>,
    ) -> Result<(), Failure> {
        let Some(store) = self.e.stores.get(&state).copied() else {
            return failure("a collective operation without a place");
        };
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
                let first = self.b.gep(store.ty, array, &[self.scalar.places.linear], GepFlags::IN_BOUNDS);
                self.store_row(store.ty, &[results], first, mask)?;
            }
            Arrival::Broadcast => self.arrive_at_broadcast(&store, operands, mask)?,
            Arrival::OneByOne => {
                let scans = scan_array(self.e, state).ok();
                let stored = self.operands(operands)?;
                self.each_lane(mask, &[], |widener, lane| {
                    let copier = widener.lane_copier(lane, &stored)?;
                    collective::arrive_with(&copier, &store, scans, operands)?;
                    Ok(Vec::new())
                })?;
            }
        }
        Ok(())
    }

    /// Adds lanes' values to the parts of a sum that rounds.
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

    /// What a scan gives the lanes behind those that have arrived.
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

    fn arrive_at_broadcast(
        &self,
        store: &Store<'m>,
        operands: &[Operand],
        mask: Option<Value<'m>>,
    ) -> Result<(), Failure> {
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
        // With no lane it is any lane, whose value is not taken.
        let top = bits.ty().const_int(1 << (self.lanes - 1));
        let lane = self.lowest(b.or(bits, top))?;
        let given = b.extract_element(self.component(*value)?, lane);
        let old = b.load(store.ty, store.so_far, 0);
        b.store(b.select(is_here, given, old), store.so_far, 0);
        Ok(())
    }
}
