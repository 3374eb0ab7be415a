//! A gang arrives at a collective operation: its lanes' values are combined first, in the order of lanes, or come each to its
//! part of a sum.

use oxicl_llvm::{GepFlags, IntPredicate, Value};
use oxicl_ops::{Collective, Combine, PARTS};

use crate::analyse::shape::Layout;
use crate::emit::collective::{Store, combined, halved, neutral, part_of, scan_array};
use crate::emit::vector::elements;
use crate::emit::widen::region::Widener;
use crate::failure::Failure;
use crate::ir::{Operand, StateId};

impl<'m> Widener<'_, '_, 'm> {
    /// The lanes of the mask arrive at the collective operation before a state all at once. False, and nothing is done, where
    /// that gives other bits than one after the other, or has no vector form.
    pub(crate) fn arrive_together(
        &mut self,
        state: StateId,
        operands: &[Operand],
        mask: Option<Value<'m>>,
    ) -> Result<bool, Failure> {
        let Some(store) = self.e.stores.get(&state).copied() else { return Ok(false) };
        let ty = store.ty;
        let is_int = ty.is_int() && ty.int_width() <= 64;
        if (!is_int && !ty.is_float()) || (!store.collective.is_uniform() && !self.is_simple(ty)) {
            return Ok(false);
        }
        match store.collective {
            Collective::Broadcast => self.arrive_at_broadcast(&store, operands, mask),
            Collective::Reduce(combine) => {
                let values = self.masked(combine, operands[0], mask)?;
                self.arrive_at_reduction(&store, combine, values)
            }
            Collective::Inclusive(combine) | Collective::Exclusive(combine) if is_int => {
                let values = self.masked(combine, operands[0], mask)?;
                let b = self.b;
                let nothing = self.splat(neutral(combine, ty));
                let up_to = self.scan(values, nothing, |before, own| combined(self.b, combine, before, own));
                let old = b.load(ty, store.so_far, 0);
                let results = match store.collective {
                    Collective::Inclusive(_) => up_to,
                    _ => self.shifted(up_to, nothing, 1),
                };
                let results = combined(self.b, combine, self.splat(old), results);
                let last = b.extract_element(up_to, b.context().int_type(64).const_int(u64::from(self.lanes) - 1));
                let new = combined(self.b, combine, old, last);
                b.store(new, store.so_far, 0);
                b.store(new, store.before, 0);
                let array = scan_array(self.e, state)?;
                let first = b.gep(ty, array, &[self.scalar.places.linear], GepFlags::IN_BOUNDS);
                self.store_row(ty, &[results], first, mask)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// The values that lanes give; those outside the mask change nothing.
    fn masked(&self, combine: Combine, operand: Operand, mask: Option<Value<'m>>) -> Result<Value<'m>, Failure> {
        let values = self.component(operand)?;
        let nothing = self.splat(neutral(combine, values.ty().scalar()));
        Ok(mask.map_or(values, |mask| self.b.select(mask, values, nothing)))
    }

    fn arrive_at_reduction(&self, store: &Store<'m>, combine: Combine, values: Value<'m>) -> Result<bool, Failure> {
        let b = self.b;
        if !combine.rounds() {
            let old = b.load(store.ty, store.so_far, 0);
            b.store(combined(b, combine, old, self.by_speculation(combine, values)), store.so_far, 0);
            return Ok(true);
        }
        if self.e.plan.layout == Layout::Line {
            // Lanes are of several rows.
            return Ok(false);
        }
        let place = match self.lanes < PARTS {
            // Gangs begin at a multiple of their lanes.
            true => part_of(b, store, self.scalar.places.local_id[0]),
            false => store.so_far,
        };
        let first = b.load(store.ty.vector(self.lanes.min(PARTS)), place, store.align);
        let new = self.in_parts(combine, first, values);
        b.store(new, place, store.align);
        Ok(true)
    }

    /// Lanes' values added to parts that there are, of which there are no more than lanes.
    fn in_parts(&self, combine: Combine, parts: Value<'m>, values: Value<'m>) -> Value<'m> {
        let count = parts.ty().length() as u32;
        (0..self.lanes / count).fold(parts, |parts, iteration| {
            combined(self.b, combine, parts, elements(self.b, values, iteration * count, count))
        })
    }

    /// All values combined.
    pub(crate) fn reduced(&self, combine: Combine, values: Value<'m>) -> Value<'m> {
        if !combine.rounds() {
            return self.by_speculation(combine, values);
        }
        let b = self.b;
        let values = match self.lanes <= PARTS {
            true => values,
            false => {
                let parts = vec![neutral(combine, values.ty().scalar()); PARTS as usize];
                self.in_parts(combine, b.context().const_vector(&parts), values)
            }
        };
        halved(b, combine, values)
    }

    /// All values combined, neighbours first, so that what comes first stays first.
    fn by_speculation(&self, combine: Combine, mut values: Value<'m>) -> Value<'m> {
        let b = self.b;
        let mut lanes = self.lanes;
        while lanes > 1 {
            let nothing = values.ty().poison();
            let every_other = |start: u32| (start..lanes).step_by(2).map(Some).collect::<Vec<_>>();
            let (left, right) =
                (b.shuffle(values, nothing, &every_other(0)), b.shuffle(values, nothing, &every_other(1)));
            values = combined(self.b, combine, left, right);
            lanes /= 2;
        }
        b.extract_element(values, b.context().int_type(64).zero())
    }

    fn arrive_at_broadcast(
        &mut self,
        store: &Store<'m>,
        operands: &[Operand],
        mask: Option<Value<'m>>,
    ) -> Result<bool, Failure> {
        let [value, id @ ..] = operands else { return Ok(false) };
        if self.e.plan.layout == Layout::Line {
            return Ok(false);
        }
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
        Ok(true)
    }
}
