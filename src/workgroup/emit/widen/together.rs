//! Accesses that are written otherwise than one by one. An interleave group is a whole record, which lanes with
//! contiguous records load or store at once; shuffles take its numbers apart or put them together. A paired gather
//! loads two neighbouring numbers of each lane as one of twice the bits.

use oxicl_llvm::Value;

use crate::emit::widen::access::Lanes;
use crate::emit::widen::region::{Active, HARDLY, Widener};
use crate::failure::{Result, failure};
use crate::ir::InstId;
use crate::recipe::{Form, PairAccess, RecordAccess};

impl<'m> Widener<'_, '_, 'm> {
    /// Loads or stores a whole record; returns what the instruction `id` itself loads.
    pub(crate) fn record(&mut self, id: InstId, whole: &RecordAccess, mask: Active<'m>) -> Result<Vec<Value<'m>>> {
        let (function, record) = (self.function, &whole.record);
        let stored = match whole.request.is_store {
            true => {
                let values = record.members.iter().map(|member| self.component(function.inst(*member).operands[0]));
                Some(values.collect::<Result<Vec<_>>>()?)
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

    /// Loads a pair. Returns what its earlier load gives, and keeps what the later one gives.
    pub(crate) fn pair(
        &mut self,
        PairAccess { pair, request, scattered }: &PairAccess,
        mask: Active<'m>,
    ) -> Result<Vec<Value<'m>>> {
        let lanes = Lanes { request: *request, at: self.component(pair.address)?, mask };
        let both = self.gather(lanes, *scattered)?;
        let [lower, upper] = both[..] else { return failure("a pair of more than two") };
        let (own, other) = if pair.in_order { (lower, upper) } else { (upper, lower) };
        self.state.wide.insert(pair.later, vec![other]);
        Ok(vec![own])
    }
}
