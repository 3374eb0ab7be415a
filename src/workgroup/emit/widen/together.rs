//! Accesses that are written as one: to all numbers of a record, which lanes whose records lie side by side load and store
//! whole, taking the numbers from each other by shuffles; and two loads of neighbouring numbers, which lanes that each go to a place
//! of their own gather as one number of twice the bits.

use oxicl_llvm::Value;

use crate::emit::widen::access::Lanes;
use crate::emit::widen::region::{HARDLY, Widener};
use crate::failure::{Failure, failure};
use crate::ir::InstId;
use crate::recipe::{Form, PairAccess, RecordAccess};

impl<'m> Widener<'_, '_, 'm> {
    /// Loads or stores a whole record; gives what the access itself loads.
    pub(crate) fn record(
        &mut self,
        id: InstId,
        whole: &RecordAccess,
        mask: Option<Value<'m>>,
    ) -> Result<Vec<Value<'m>>, Failure> {
        let (function, record) = (self.function, &whole.record);
        let stored = match whole.request.is_store {
            true => {
                let values = record.members.iter().map(|member| self.component(function.inst(*member).operands[0]));
                Some(values.collect::<Result<Vec<_>, Failure>>()?)
            }
            false => None,
        };
        let before = self.b.context().int_type(64).const_signed(-record.before);
        let moved = |form, address| {
            let lanes = Lanes { request: whole.request, at: self.moved_by(address, before), mask };
            self.load_or_store(lanes, form, stored.as_deref())
        };
        let first = self.first(record.address)?;
        let loaded = match whole.wrapped {
            None => moved(whole.form, first)?,
            Some(wrapped) => {
                let own = || moved(Form::Scattered(wrapped), self.component(record.address)?);
                self.either(self.wraps(record.address)?, HARDLY, || moved(whole.form, first), own)?
            }
        };
        let mut own = Vec::new();
        for (member, value) in record.members.iter().zip(loaded) {
            if *member == id {
                own.push(value);
            } else {
                self.state.wide.insert(*member, vec![value]);
            }
        }
        Ok(own)
    }

    /// What lanes load as the earlier part of a pair; the later one is loaded too.
    pub(crate) fn pair(
        &mut self,
        PairAccess { pair, request, scattered }: &PairAccess,
        mask: Option<Value<'m>>,
    ) -> Result<Vec<Value<'m>>, Failure> {
        let lanes = Lanes { request: *request, at: self.component(pair.address)?, mask };
        let both = self.gather(lanes, *scattered)?;
        let [lower, upper] = both[..] else { return failure("a pair of more than two") };
        let (own, other) = if pair.in_order { (lower, upper) } else { (upper, lower) };
        self.state.wide.insert(pair.later, vec![other]);
        Ok(vec![own])
    }
}
